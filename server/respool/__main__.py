"""``python -m respool`` and the ``respool`` command."""

import sys


def main() -> int:
    """Run the command line and return the exit status."""
    try:
        from respool import bootstrap  # inside: Ctrl-C while it is still being imported is no traceback either

        return bootstrap.main(sys.argv[1:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
