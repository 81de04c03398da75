"""Templates: one view model in, HTML out. A name a template does not know is an error, and all text is escaped."""

from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from respool.views.location import webview_folder
from respool.views.texts import Translate


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(webview_folder() / "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@cache
def _template(name: str) -> Template:
    return _environment().get_template(f"{name}.html.j2")


def render(name: str, view: object, t: Translate) -> str:
    """HTML of a template. ``t`` translates the template's own words."""
    return _template(name).render(view=view, t=t).strip()
