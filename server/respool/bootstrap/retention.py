"""How much is kept, with its adapters."""

import os
from collections.abc import Callable

from respool.engine.ports import Entry
from respool.model.errors import NothingToUndo, Refusal, UndoExpired
from respool.model.store import OperationHeld
from respool.service.retention import Retention
from respool.service.undos import Undos
from respool.storage.files.locks import process_exists
from respool.storage.files.store_inventory import StoreInventory
from respool.storage.files.store_purge import StorePurge
from respool.storage.files.tidy_stamp import is_due


def retention(state: str, entries: Callable[[str | None], tuple[Entry, ...]], undos: Undos) -> Retention:
    """Over the user's store. Looking at one without a journal makes none."""

    def journal() -> tuple[Entry, ...]:
        return entries(None) if os.path.exists(os.path.join(state, "state.db")) else ()

    def undoable(operation: OperationHeld) -> bool:
        """On the safe side where the transcript cannot be read."""
        transcript = operation.transcripts[0]
        if not operation.takes_back or not os.path.lexists(transcript):
            return False
        try:
            undos.removals.reversal(transcript, undos.newest(transcript))
        except (UndoExpired, NothingToUndo):
            return False
        except (Refusal, OSError):
            return True
        return True

    inventory = StoreInventory(state, journal, process_exists).inventory
    return Retention(
        inventory=inventory,
        undoable=undoable,
        carry_out=StorePurge(state, inventory).purge,
        due=lambda: is_due(state),
    )
