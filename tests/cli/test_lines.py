"""Text by the cell."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from respool.protocol.cli.lines import cropped, cropped_path, folded, indented, plain, table

TEXT = st.text(st.characters(exclude_categories=("C", "Z")) | st.sampled_from(" 深🌑a"), max_size=60)


@given(TEXT, st.integers(2, 30))
def test_what_is_cropped_fits(text: str, width: int) -> None:
    assert cell_len(cropped(text, width)) <= width
    assert cell_len(cropped_path(text, width)) <= width


def test_a_path_keeps_its_end() -> None:
    assert cropped_path("a/very/long/path/name.txt", 12) == "…th/name.txt"
    assert cropped("a very long sentence", 8) == "a very…"
    assert cropped("short", 8) == "short"


@given(TEXT, st.integers(2, 30))
def test_folding_loses_no_character_and_fits(text: str, width: int) -> None:
    rows = folded(text, width)

    assert all(cell_len(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


def test_words_stay_whole_where_they_can_and_chinese_breaks_anywhere() -> None:
    assert folded("one two three", 8) == ["one two", "three"]
    assert folded("用中文写一份说明", 6) == ["用中文", "写一份", "说明"]


def test_a_paragraph_is_indented_under_its_sign() -> None:
    assert [plain(line) for line in indented("one two", 6, first="· ")] == ["· one two"]
    assert [plain(line) for line in indented("one two three", 12, first="· ")] == ["· one two", "  three"]


def test_columns_line_up_by_cells_and_only_the_flexible_one_gives_way() -> None:
    rows = [(("", "深"), ("", "some long text here"), ("", "+1")), (("", "abc"), ("", "x"), ("", ""))]

    assert [plain(line) for line in table(rows, 20, flexible=1)] == ["深   some long…   +1", "abc  x"]
    assert [plain(line) for line in table(rows, None, flexible=1)] == ["深   some long text here  +1", "abc  x"]
