"""Noticing that transcripts grow."""

import contextlib
import os
from collections.abc import Callable

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer


class _Handler(FileSystemEventHandler):
    """Passes on what happens to session files, not to what stands beside them."""

    def __init__(self, changed: Callable[[str], None]) -> None:
        self._changed = changed

    def on_any_event(self, event: FileSystemEvent) -> None:
        """One change of a file; opening and reading are none."""
        if event.is_directory or event.event_type in ("opened", "closed_no_write"):
            return
        for path in {os.fsdecode(event.src_path), os.fsdecode(event.dest_path or "")}:
            if path.endswith(".jsonl"):
                self._changed(os.path.realpath(path))


def watch(
    projects: tuple[str, ...], transcripts: tuple[str, ...], changed: Callable[[str], None]
) -> Callable[[], None]:
    """Watch all projects, new ones too, and where else the transcripts lie, until the returned function is called.

    The first of ``projects`` is made if it is not there: a first session would go unnoticed otherwise.
    """
    observer = Observer()
    with contextlib.suppress(OSError):
        os.makedirs(projects[0], mode=0o700, exist_ok=True)
    inside = tuple(os.path.realpath(folder) + os.sep for folder in projects)
    elsewhere = {os.path.dirname(path) for path in transcripts if not path.startswith(inside)}
    for folder, deep in (*((folder, True) for folder in projects), *((folder, False) for folder in sorted(elsewhere))):
        if os.path.isdir(folder):
            observer.schedule(_Handler(changed), folder, recursive=deep)
    observer.daemon = True
    observer.start()

    def stop() -> None:
        observer.stop()
        observer.join()

    return stop
