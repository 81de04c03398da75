"""One scan in a process of its own: ``python -m tests.scan.driver STATE WORKSPACE open|close|look [TOKEN]``.

Prints the token, or the result as JSON. A full disk, or whatever else our own state meets: ``OSError`` and exit 9.
"""

import json
import sys

from respool.storage.files.blobs import Blobs
from respool.storage.files.scan import Scans

FAILED = 9


def main() -> int:
    """Run it."""
    state, work, what, *token = sys.argv[1:]
    scans = Scans(state, Blobs(f"{state}/blobs"))
    try:
        if what == "open":
            print(scans.open(work))
            return 0
        result = scans.close(work, *token) if what == "close" else scans.look(work, *token)
    except OSError as error:
        print(repr(error), file=sys.stderr)
        return FAILED
    print(json.dumps({"changes": result.changes, "excluded": result.excluded}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
