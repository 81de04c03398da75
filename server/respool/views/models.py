"""What each template shows. One view model a template; everything is text, already translated and made visible."""

from dataclasses import dataclass

from markupsafe import Markup

NO_HTML = Markup()


@dataclass(frozen=True, kw_only=True)
class TopView:
    """``top.html.j2``: where one is. ``live``: ``busy``, ``idle``, ``unknown`` or ``no``."""

    title: str
    conversation: bool
    place: str
    branch: str
    live: str
    live_text: str


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """A session to open."""

    key: str
    path: str
    title: str
    place: str
    branch: str
    agent: str
    time: str
    stamp: str
    live: str
    live_text: str


@dataclass(frozen=True, kw_only=True)
class SessionsView:
    """``sessions.html.j2``. ``shown``: whether this is the screen one is on; ``nowhere``: there is none at all."""

    shown: bool
    everywhere: bool
    nowhere: bool
    workspace: str
    rows: tuple[SessionRow, ...]


@dataclass(frozen=True, kw_only=True)
class BlockView:
    """A part of a message. ``more``: characters left away; ``image``: a data address."""

    kind: str
    title: str = ""
    text: str = ""
    html: Markup = NO_HTML
    note: str = ""
    more: int = 0
    failed: bool = False
    running: bool = False
    image: str = ""


@dataclass(frozen=True, kw_only=True)
class MessageView:
    """``message.html.j2``. ``to``: the checkpoint to rewind to, or nothing."""

    key: str
    role: str
    label: str
    to: str
    preview: str
    time: str
    stamp: str
    blocks: tuple[BlockView, ...]


@dataclass(frozen=True, kw_only=True)
class EarlierView:
    """``earlier.html.j2``: what stands above the shown messages. ``empty``: there are none at all."""

    hidden_count: int
    empty: bool


@dataclass(frozen=True, kw_only=True)
class RowView:
    """``row.html.j2``: a row of the ``/rewind`` list. ``files``: text of the count, empty while unknown."""

    key: str
    to: str
    preview: str
    blank: bool
    time: str
    stamp: str
    removes: int
    files: str


@dataclass(frozen=True, kw_only=True)
class DrawnRow:
    """A row as HTML. ``after_compaction``: a line above it says so."""

    html: Markup
    after_compaction: bool


@dataclass(frozen=True, kw_only=True)
class RowsView:
    """``rows.html.j2``: a block of rows, drawn only when it comes into view."""

    key: str
    rows: tuple[DrawnRow, ...]


@dataclass(frozen=True, kw_only=True)
class PickerView:
    """``picker.html.j2``: what stands around the rows."""

    open: bool
    count: int


@dataclass(frozen=True, kw_only=True)
class FileRow:
    """A file of the plan. ``kept``: left out by the user, so it stays as it is."""

    key: str
    path: str
    full_path: str
    action: str
    added: int | None
    deleted: int | None
    marks: tuple[str, ...]
    kept: bool


@dataclass(frozen=True, kw_only=True)
class LeftRow:
    """A path that cannot be restored, and why."""

    path: str
    full_path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ConsentRow:
    """Something to agree to before the rewind can go."""

    name: str
    label: str
    given: bool


@dataclass(frozen=True, kw_only=True)
class ModeRow:
    """One of the parts that can go back."""

    name: str
    label: str
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class DialogView:
    """``dialog.html.j2``: one plan, before it is carried out."""

    undo: bool
    heading: str
    sentence: str
    quote: str
    summary: str
    files_summary: str
    files: tuple[FileRow, ...]
    left: tuple[LeftRow, ...]
    tasks: tuple[str, ...]
    not_captured: tuple[str, ...]
    warnings: tuple[str, ...]
    modes: tuple[ModeRow, ...]
    consents: tuple[ConsentRow, ...]
    digest: str
    ready: bool
    working: bool
    progress: str
    confirm: str


@dataclass(frozen=True, kw_only=True)
class NoticeView:
    """``notice.html.j2``. ``kind``: ``done``, ``info`` or ``error``; ``copy``: a text worth copying."""

    kind: str
    text: str
    hint: str = ""
    details: tuple[str, ...] = ()
    copy: str = ""
    undo: bool = False


@dataclass(frozen=True, kw_only=True)
class HelpView:
    """``help.html.j2``: commands and keys, as pairs."""

    commands: tuple[tuple[str, str], ...]
    keys: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class ComposerView:
    """``composer.html.j2``. ``session``: path of the one on the screen, or nothing; ``commands``: name and meaning."""

    session: str
    commands: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class DocumentView:
    """``document.html.j2``: the page before anything is in it. ``view``: its name for the host, where it has one."""

    language: str
    nonce: str
    source: str
    """What the content security policy calls the place the static files come from."""
    connect: str
    base: str
    theme: str
    view: str
