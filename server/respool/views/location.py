"""Where the templates, static files and catalogs of the panel are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def webview_folder() -> Path:
    """``respool/webview`` of an installed wheel, else ``webview/`` of the checkout."""
    packed = _PACKAGE / "webview"
    return packed if packed.is_dir() else _PACKAGE.parents[1] / "webview"
