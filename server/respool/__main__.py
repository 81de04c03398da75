"""``python -m respool``, the ``respool`` command, and what other agents' hooks start.

A hook runs this file by its path, without any site-packages: it must find its own package, and import little.
"""

import os
import sys

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main() -> int:
    """Run the command line and return the exit status."""
    try:
        from respool import bootstrap  # inside: Ctrl-C while it is still being imported is no traceback either

        if sys.argv[1:2] == ["hook"]:
            return bootstrap.hook(sys.argv[2:])
        return bootstrap.main(sys.argv[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
