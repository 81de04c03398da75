"""Styled text by the cell: cropping, folding and columns that also fit wide characters."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

Piece = tuple[str, str]
"""Style and text. Styles: ``strong faint added deleted warning bad good picked`` or nothing."""
Line = tuple[Piece, ...]
EMPTY: Line = ()
GAP = 2
LEAST = 8
"""A flexible column is never made narrower than this; what does not fit then is cropped at the edge."""


def text_line(text: str, style: str = "") -> Line:
    """A line of one piece."""
    return ((style, text),)


def plain(line: Line) -> str:
    """Without the styles."""
    return "".join(text for _, text in line)


def width_of(line: Line) -> int:
    """Cells a line takes."""
    return sum(cell_len(text) for _, text in line)


def cropped(text: str, width: int) -> str:
    """At most ``width`` cells, the end replaced by an ellipsis."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 1 else "…"[:width]


def cropped_path(path: str, width: int) -> str:
    """At most ``width`` cells, the beginning replaced by an ellipsis: the end of a path says most."""
    if cell_len(path) <= width:
        return path
    return "…" + cropped(path[::-1], width)[:-1][::-1] if width > 1 else "…"[:width]


def clipped(line: Line, width: int) -> Line:
    """A styled line of at most ``width`` cells."""
    kept: list[Piece] = []
    for style, text in line:
        room = width - width_of(tuple(kept))
        if cell_len(text) > room:
            return (*kept, (style, cropped(text, room)))
        kept.append((style, text))
    return tuple(kept)


def folded(text: str, width: int | None) -> list[str]:
    """Broken at spaces, or between characters where a word is too long, as all of Chinese text is."""
    if width is None or cell_len(text) <= width:
        return [text]
    rows = [""]
    for word in text.split(" "):
        longer = f"{rows[-1]} {word}" if rows[-1] else word
        if cell_len(longer) <= width:
            rows[-1] = longer
        elif cell_len(word) <= width:
            rows.append(word)
        else:
            rows[-1:] = chop_cells(longer, max(width, 2))
    return [row for row in rows if row] or [""]


def indented(text: str, width: int | None, *, first: str = "", rest: str | None = None, style: str = "") -> list[Line]:
    """A folded paragraph with a prefix; all lines of a text with line breaks."""
    rest = " " * cell_len(first) if rest is None else rest
    room = None if width is None else max(width - cell_len(first), LEAST)
    rows = [row for paragraph in text.split("\n") for row in folded(paragraph.expandtabs(4), room)]
    return [(("", rest if number else first), (style, row)) for number, row in enumerate(rows)]


def rule(text: str, width: int) -> str:
    """A heading within a line across the screen."""
    return cropped(f"── {text} ", width) + "─" * max(width - cell_len(text) - 4, 0)


def table(rows: Sequence[Sequence[Piece]], width: int | None, *, flexible: int) -> Iterator[Line]:
    """Columns as wide as their content; the one numbered ``flexible`` gives way. Without a width nothing is cropped."""
    if not rows:
        return
    widths = [max(cell_len(row[column][1]) for row in rows) for column in range(len(rows[0]))]
    widths[flexible] = _room(widths, flexible, width)
    shown = [number for number, wide in enumerate(widths) if wide]
    for row in rows:
        yield _joined([(row[number], widths[number]) for number in shown if number <= _last_filled(row)])


def _room(widths: Sequence[int], flexible: int, width: int | None) -> int:
    if width is None:
        return widths[flexible]
    taken = sum(wide + GAP for number, wide in enumerate(widths) if wide and number != flexible)
    return min(widths[flexible], max(width - taken, LEAST))


def _last_filled(row: Sequence[Piece]) -> int:
    return max((number for number, (_, text) in enumerate(row) if text), default=0)


def _joined(fields: Sequence[tuple[Piece, int]]) -> Line:
    """Pieces side by side, each as wide as its column; the last one only as wide as it is."""
    line: list[Piece] = []
    for number, ((style, text), width) in enumerate(fields):
        text = cropped(text, width)
        last = number == len(fields) - 1
        line += [(style, text)] if last else [(style, text), ("", " " * (width - cell_len(text) + GAP))]
    return tuple(line)
