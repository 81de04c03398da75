"""Expected refusals. Each is raised before anything is touched, unless its docstring says otherwise.

Texts are templates (``str.format``) and the message ids of the translations; ``params`` fills them.
"""

from collections.abc import Mapping


class Refusal(Exception):
    """Something the user asked for was refused, and nothing has changed.

    ``code`` is part of the contract; ``needs`` lists consents that would let it pass.
    """

    code: str = "refused"
    text: str = "refused"
    hint: str = ""

    def __init__(
        self,
        text: str | None = None,
        *,
        hint: str | None = None,
        needs: tuple[str, ...] = (),
        operation: str | None = None,
        **params: object,
    ) -> None:
        self.text = text if text is not None else type(self).text
        self.hint = hint if hint is not None else type(self).hint
        self.needs = needs
        self.operation = operation
        self.params: Mapping[str, object] = params
        super().__init__(self.text.format(**params) if params else self.text)


class UnknownSession(Refusal):
    """No transcript, or more than one, answers to the name."""

    code = "unknown_session"
    text = "there is no session {session}"
    hint = "`respool sessions --all` lists every session."


class UnknownMessage(Refusal):
    """The message is not, or no longer, in the session."""

    code = "unknown_message"
    text = "there is no message {message} in this session"
    hint = "The conversation may have changed; look at the list again."


class AmbiguousMessage(Refusal):
    """Two different prompts carry the same id."""

    code = "ambiguous_message"
    text = "the id {message} stands for {count} different prompts"
    hint = "Name the line too: {message}@LINE, with LINE from `respool checkpoints`."


class NotACheckpoint(Refusal):
    """The message exists but is not a visible, typed prompt."""

    code = "not_a_checkpoint"
    text = "{message} is not a message you typed"
    hint = "Only your own messages can be gone back to; `respool checkpoints` lists them."


class Busy(Refusal):
    """A turn is open in one of our own hosts."""

    code = "busy"
    text = "the agent is still answering"
    hint = "Wait for the turn to end, or stop it first."


class LiveAgent(Refusal):
    """Another process may own the session."""

    code = "live_agent"
    text = "an agent may still have this session open"
    hint = "Close it there, or consent with --live."


class StalePlan(Refusal):
    """What was shown is no longer what would be done."""

    code = "stale_plan"
    text = "the conversation or its files changed since this was planned"
    hint = "Look at the new plan and decide again."


class NotRestorable(Refusal):
    """Some file cannot be put back, and nobody consented to go on without it."""

    code = "not_restorable"
    text = "{count} files cannot be restored"
    hint = "See `respool plan`; --partial restores the rest and names what was left."


class StillWritten(NotRestorable):
    """A background task that goes on has written what would be put back, and nobody consented to that."""

    text = "a background task that goes on has written some of the files"
    hint = "See `respool plan`; --partial restores them all the same, and the task may write them again."


class OutsideWorkspace(Refusal):
    """Some target lies outside the workspace."""

    code = "outside_workspace"
    text = "{count} files lie outside the workspace"
    hint = "Consent with --outside, or leave them with --partial."


class RewindInProgress(Refusal):
    """Another operation on this session is not settled."""

    code = "rewind_in_progress"
    text = "another rewind of this session is not finished"
    hint = "Wait for it, or look at `respool operations` and `respool repair`."


class NothingToUndo(Refusal):
    """No completed rewind of the session is left to take back."""

    code = "nothing_to_undo"
    text = "there is no rewind to take back"


class UndoExpired(Refusal):
    """The conversation went on after the cut."""

    code = "undo_expired"
    text = "the conversation went on since that rewind"
    hint = "Its files can still be copied out: `respool recover {operation} --to DIR`."


class UnreadableTranscript(Refusal):
    """The transcript cannot be read, or is of a kind we may not change."""

    code = "unreadable_transcript"
    text = "the transcript cannot be read: {reason}"


class DiskFull(Refusal):
    """There is no room for what has to be kept before the first change."""

    code = "disk_full"
    text = "there is not enough room on the disk"
    hint = "Free some space and try again; nothing was changed."


class TaskNotStopped(Refusal):
    """A task that had to end first did not."""

    code = "task_not_stopped"
    text = "a background task did not stop: {task}"


class UnsupportedPlatform(Refusal):
    """Windows: every writing command refuses."""

    code = "unsupported_platform"
    text = "this is not supported on this platform yet"


class RestoreFailed(Exception):
    """A step that should have worked did not; the operation has already been settled.

    ``code`` is the wire code, ``reason`` one line for people. Raised by adapters with ``path`` set.
    """

    def __init__(self, reason: str, *, code: str = "restore_failed", path: str | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.path = path


class Drifted(Exception):
    """Raised by ``Transcript.apply``: the transcript is not the one the plan was made for."""
