"""An answer's Markdown can do no harm."""

import pytest

from respool.views.markdown import markdown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt&#58;alert(1))",
        "[x](data:text/html,<script>1</script>)",
        "[x](file:///etc/passwd)",
        "[x](/relative)",
        "[x]: javascript:alert(1)\n\n[x]",
        "![x](http://example.invalid/pixel.png)",
        "<javascript:alert(1)>",
    ],
)
def test_nothing_runs_and_nothing_is_fetched(text: str) -> None:
    html = markdown(text).lower()

    assert "<script" not in html
    assert "<img" not in html
    assert "<a " not in html
    assert "src=" not in html.replace("&lt;img src=", "")


def test_a_link_opens_elsewhere_and_tells_nobody_where_from() -> None:
    html = markdown("[docs](https://example.invalid/a)")

    assert 'href="https://example.invalid/a"' in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'target="_blank"' in html


def test_usual_markup_is_rendered() -> None:
    html = markdown("# T\n\n- **b** and `c`\n\n| a |\n|---|\n| 1 |\n\n```py\nx < 1\n```")

    assert 'class="heading-1"' in html
    assert "<strong>b</strong>" in html
    assert "<table>" in html
    assert "x &lt; 1" in html


def test_an_image_is_named() -> None:
    assert "a <b> cat".replace("<", "&lt;").replace(">", "&gt;") in markdown(
        "![a <b> cat](https://example.invalid/x.png)"
    )
