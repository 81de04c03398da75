"""What can happen in a made-up session."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prompt:
    """The user types something; ``expanded``: what a slash command stands for."""

    text: str
    expanded: str = ""


@dataclass(frozen=True)
class Say:
    """The agent answers."""

    text: str


@dataclass(frozen=True)
class Write:
    """The agent writes a whole file."""

    path: str
    content: str


@dataclass(frozen=True)
class Edit:
    """The agent replaces a piece of a file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Delete:
    """The agent deletes a file."""

    path: str


@dataclass(frozen=True)
class Shell:
    """The agent runs a command that changes no file; ``task``: the id it has in the background."""

    command: str
    output: str
    task: str = ""


@dataclass(frozen=True)
class Bang:
    """The user runs a command with ``!``."""

    command: str
    output: str


@dataclass(frozen=True)
class Hook:
    """A hook speaks up in the user's place."""

    text: str


@dataclass(frozen=True)
class Notice:
    """A background task has ended."""

    task: str
    summary: str


@dataclass(frozen=True)
class Compact:
    """All so far is summed up; the last two rounds are repeated after the summary."""

    summary: str


@dataclass(frozen=True)
class Title:
    """The user names the session."""

    text: str


Step = Prompt | Say | Write | Edit | Delete | Shell | Bang | Hook | Notice | Compact | Title
