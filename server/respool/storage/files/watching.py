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


def watch(projects: str, transcripts: tuple[str, ...], changed: Callable[[str], None]) -> Callable[[], None]:
    """Watch all projects, new ones too, and where else the transcripts lie, until the returned function is called.

    ``projects`` is made if it is not there: a first session would go unnoticed otherwise.
    """
    observer = Observer()
    with contextlib.suppress(OSError):
        os.makedirs(projects, mode=0o700, exist_ok=True)
    elsewhere = {
        os.path.dirname(path) for path in transcripts if not path.startswith(os.path.realpath(projects) + os.sep)
    }
    for folder, deep in ((projects, True), *((folder, False) for folder in sorted(elsewhere))):
        if os.path.isdir(folder):
            observer.schedule(_Handler(changed), folder, recursive=deep)
    observer.daemon = True
    observer.start()

    def stop() -> None:
        observer.stop()
        observer.join()

    return stop
