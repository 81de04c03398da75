"""A browser host over the real services whose rewinds fail and are rolled back: no disk does that on demand."""

import os
import sys
from dataclasses import dataclass, replace
from typing import Any

from respool.bootstrap import services
from respool.model.ids import OperationId
from respool.model.operation import Outcome, Status
from respool.model.recording import Laid
from respool.protocol.loopback import serve


@dataclass(frozen=True)
class FailingRewinds:
    """Plans as ever; carries nothing out."""

    real: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def rewind(self, *args: Any, **more: Any) -> Outcome:
        """What a rewind says that was rolled back."""
        return Outcome(
            operation_id=OperationId("20260301T090000-abcdef"),
            status=Status.FAILED,
            input_content="",
            removed=0,
            restored=(),
            not_restored=(),
            stopped_tasks=(),
            undo=False,
            resume=None,
            forked_to=None,
            warnings=(),
            error_code="restore_failed",
            error_text="src/main.ts: Input/output error",
        )


def no_demo(folder: str) -> Laid:
    """Here nobody asks for one."""
    raise NotADirectoryError(folder)


def main() -> int:
    """Serve until stopped."""
    real = services()
    failing: Any = FailingRewinds(real.rewinds)
    broken = replace(real, rewinds=failing)
    return serve(lambda: broken, port=0, open_browser=False, workspace=os.getcwd(), demo=no_demo)


if __name__ == "__main__":
    sys.exit(main())
