"""sha256 that is quick to import: Python's own for small files, until somebody has loaded the faster OpenSSL anyway.

Standard library only and hardly any of it: the hook path imports this (its whole process may take four bare starts).
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash

LARGE_BYTES = 1 << 20


def sha256(size: int = 0) -> "_Hash":
    """A new digest for content of about ``size`` bytes."""
    if size < LARGE_BYTES and "hashlib" not in sys.modules:
        small = _built_in()
        if small is not None:
            return small
    import hashlib

    return hashlib.sha256()


def _built_in() -> "_Hash | None":
    for module in ("_sha256", "_sha2"):  # its name before and since Python 3.12
        try:
            made: _Hash = __import__(module).sha256()
        except ImportError:
            continue
        return made
    return None
