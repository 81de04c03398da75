"""Markdown of an agent's answer as harmless HTML: no raw HTML, no images, only links that open elsewhere."""

from collections.abc import Sequence
from functools import cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from respool.views.visible import visible

_SCHEMES = {"http", "https", "mailto"}


def markdown(text: str) -> Markup:
    """Render; the result is safe to stand in a page as it is."""
    return Markup(_parser().render(visible(text)))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = _allowed  # type: ignore[method-assign]
    parser.core.ruler.push("harmless_links", _harmless_links)
    parser.core.ruler.push("direction", _direction)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("table_open", _table_open)
    parser.add_render_rule("table_close", _table_close)
    return parser


def _allowed(url: str) -> bool:
    """Only absolute addresses of the few schemes that cannot run anything here."""
    try:
        return urlsplit(url.strip()).scheme.lower() in _SCHEMES
    except ValueError:
        return False


def _harmless_links(state: StateCore) -> None:
    for block in state.tokens:
        for token in block.children or ():
            if token.type == "link_open":
                token.attrSet("rel", "noopener noreferrer nofollow")
                token.attrSet("target", "_blank")


def _direction(state: StateCore) -> None:
    """Every block reads in the direction of its own first letter; code always left to right."""
    for token in state.tokens:
        if token.nesting == 1 and token.type in (
            "paragraph_open",
            "heading_open",
            "list_item_open",
            "td_open",
            "th_open",
        ):
            token.attrSet("dir", "auto")
        if token.type in ("heading_open", "heading_close"):
            _not_a_heading_of_the_page(token)


def _not_a_heading_of_the_page(token: Token) -> None:
    """The page's outline is not the agent's to write."""
    if token.nesting == 1:
        token.attrSet("class", f"heading-{token.tag[1:]}")
    token.tag = "p"


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    """An image is named, never fetched."""
    alt = renderer.renderInlineAsText(tokens[index].children, options, env)
    return f'<span class="image-name">{escapeHtml(alt or "image")}</span>'


def _table_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _table_close(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table></div>\n"
