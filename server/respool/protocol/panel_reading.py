"""What a panel shows, read from the services: the sessions there are, and one of them."""

from dataclasses import replace

from respool.protocol.panel_state import Listed, Opened, PanelState
from respool.service.sessions import Sessions
from respool.views.conversation import SHOWN_AT_ONCE, shown_messages


def listed(sessions: Sessions, workspace: str, everywhere: bool | None) -> Listed:
    """Sessions of the folder or of every project; ``None``: of every project only if there are none in the folder."""
    found = sessions.list(workspace, every_project=bool(everywhere))
    if found or everywhere:
        return Listed(sessions=found, everywhere=bool(everywhere), nowhere=not found)
    elsewhere = sessions.list(workspace, every_project=True)
    if everywhere is None and elsewhere:
        return Listed(sessions=elsewhere, everywhere=True)
    return Listed(nowhere=not elsewhere)


def opened(sessions: Sessions, transcript: str) -> Opened:
    """A session, scrolled to its end. Raise ``Refusal`` if it is not there."""
    conversation = sessions.show(transcript)
    return Opened(
        path=transcript,
        info=sessions.info(transcript),
        conversation=conversation,
        checkpoints=sessions.checkpoints(transcript),
        first=max(0, len(shown_messages(conversation.messages)) - SHOWN_AT_ONCE),
    )


def refreshed(state: PanelState, fresh: Opened | None) -> PanelState:
    """With the session as it was read, if it is still the one on the screen."""
    if fresh is None or state.opened is None or state.opened.path != fresh.path:
        return state
    return replace(state, opened=_placed(fresh, state.opened))


def _placed(fresh: Opened, shown: Opened) -> Opened:
    """The same session read again keeps its first message on the page, so that nothing jumps."""
    count = len(shown_messages(fresh.conversation.messages))
    return replace(fresh, first=shown.first if shown.first < count or count == 0 else fresh.first)
