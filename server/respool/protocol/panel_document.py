"""The empty page, for an editor that has no web server of ours to fetch it from."""

from respool.protocol.intents import Document
from respool.views.models import DocumentView
from respool.views.render import render
from respool.views.texts import html_language, translator


def document(asked: Document, name: str, language: str | None) -> str:
    """The page of the view with this name, as HTML."""
    view = DocumentView(
        language=html_language(language),
        nonce=asked.nonce,
        source=asked.source,
        connect="'none'",
        base=asked.base,
        theme="",
        view=name,
    )
    return render("document", view, translator(language))
