"""The index that looks at most lines only from outside agrees with decoding every line in the plainest way."""

import tempfile
from collections import Counter
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respool.storage.files.jsonl import blocks, lines
from respool.storage.files.wave_index import WaveIndex
from respool.storage.files.wave_reading import Read, read
from tests.naive import nasty, reading

EXAMPLES = settings(max_examples=400, deadline=None, print_blob=True)
KINDS = {"half": "bad"}


def index_of(data: bytes, *, prove: bool = False) -> WaveIndex:
    with tempfile.NamedTemporaryFile(prefix="rq-") as file:
        file.write(data)
        file.flush()
        return read(file.name, prove=prove).index


def told(index: WaveIndex) -> dict[str, Any]:
    """Everything but how many messages there are."""
    rows = [(row.id, row.line, row.preview, row.timestamp, row.after_compaction) for row in index.checkpoints()]
    rest = (index.copies, index.compact_lines, index.header, index.title, index.last_timestamp, list(index.starts))
    return {"rows": rows, "rest": rest}


def compactions(data: bytes) -> list[int]:
    """Lines of summaries."""
    messages = [row for row in reading.rows(data) if row.kind == "message"]
    return [row.number for row in messages if any(block.get("type") == "compact" for block in row.value["blocks"])]


@EXAMPLES
@given(data=nasty.files(nasty.spoiled_lines()))
def test_what_is_told_by_its_spelling_is_as_if_every_line_was_decoded(data: bytes) -> None:
    index = index_of(data)

    prompts = reading.prompts(data)
    summaries = compactions(data)
    assert [(row.id, row.line) for row in index.checkpoints()] == [(one.id, one.line) for one in prompts]
    assert index.compact_lines == summaries
    assert (index.title or None) == reading.title(data)
    assert index.header == next((row.value for row in reading.rows(data) if row.kind == "header"), None)
    assert index.last_timestamp == next(
        (row.value["timestamp"] for row in reversed(reading.rows(data)) if row.kind == "message"), ""
    )
    assert told(index) == told(index_of(data, prove=True))


HEAD = b'{"timestamp":"t","id":"msg-1","role":"assistant","blocks":[{"type":"text","content":"'
USAGE = b',"usage":{"operation_type":"agent"}}'


@pytest.mark.parametrize(
    "line",
    [
        HEAD + b'x"}],"role":"user"' + USAGE,
        HEAD + b'x"}],"ro\\u006ce":"user"' + USAGE,
        HEAD + b'x"}],"\\u0072ole":"\\u0075ser"' + USAGE,
        HEAD + b'x"},{"type":"compact","content":"s"}]' + USAGE,
        HEAD + b'x"},{"type":"\\u0063ompact","content":"s"}]' + USAGE,
        HEAD + b'x"},{"typ\\u0065":"c\\u006fmpact","content":"s"}]' + USAGE,
        HEAD + HEAD + b'x"}]' + USAGE,
        HEAD + b'{"timestamp":"t","id":"msg-2","role":"user","blocks":[{"type":"text","content":"x","stage":"end"}]}',
        HEAD + b'{\\"a\\":\\"end\\"}]}',
        HEAD + b'{\\"a\\":{\\"b\\":\\"agent\\"}}',
        HEAD + b"\0\0\0" + b'"}]' + USAGE,
        HEAD.replace(b'"t"', b'"t\\"') + b'x"}]' + USAGE,
        b" " + HEAD + b'"}]' + USAGE,
    ],
)
def test_a_line_that_only_begins_and_ends_like_an_answer_is_not_taken_for_one(line: bytes) -> None:
    data = b"".join(HEAD + text + b'"}]' + USAGE + b"\n" for text in (b"1", b"2")) + line + b"\n"
    data += (
        b'{"timestamp":"u","id":"msg-9","role":"user","blocks":[{"type":"text","content":"x"}]}\n' + HEAD + b'3"}]}\n'
    )

    index = index_of(data)

    messages = [row for row in reading.rows(data) if row.kind == "message"]
    assert [(row.id, row.line) for row in index.checkpoints()] == [(one.id, one.line) for one in reading.prompts(data)]
    assert index.compact_lines == compactions(data)
    assert index.messages == len(messages)


@EXAMPLES
@given(data=nasty.files(nasty.spoiled_lines()))
def test_a_plan_is_made_from_lines_that_were_all_decoded(data: bytes) -> None:
    index = index_of(data, prove=True)

    naive = [KINDS.get(row.kind, row.kind) for row in reading.rows(data)]
    assert [index.kind(number) for number in range(1, index.line_count + 1)] == naive
    assert index.messages == Counter(naive)["message"]


@EXAMPLES
@given(data=nasty.files(nasty.crashed_lines()))
def test_the_list_counts_no_message_that_a_crash_damaged(data: bytes) -> None:
    index = index_of(data)

    messages = [row.number for row in reading.rows(data) if row.kind == "message"]
    for row in index.checkpoints()[1:]:
        assert row.removes == len([number for number in messages if number >= row.line])
    for row in index.checkpoints()[:1]:
        assert row.removes == len(messages)


@EXAMPLES
@given(data=nasty.files(nasty.crashed_lines()), cuts=st.lists(st.integers(0, 5000), max_size=3), prove=st.booleans())
def test_reading_on_after_appends_is_like_reading_the_whole(data: bytes, cuts: list[int], prove: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="rq-") as folder:
        path = Path(folder) / "grows.jsonl"
        known: Read | None = None
        for cut in (*sorted(cuts), len(data)):
            path.write_bytes(b"") if not path.exists() else None
            with path.open("ab") as file:
                file.write(data[path.stat().st_size : cut])
            known = read(str(path), known, prove=prove)
            known.index.checkpoints()

        assert known is not None
        assert told(known.index) == told(index_of(data))
        assert known.index.checkpoints() == index_of(data).checkpoints()


@EXAMPLES
@given(data=st.lists(st.sampled_from([b"\n", b"\n", b"a", b"bc", b"\r"]), max_size=40).map(b"".join),
       start=st.integers(0, 9), length=st.none() | st.integers(-2, 50), at_once=st.integers(1, 9))  # fmt: skip
def test_blocks_hold_every_line_whole(data: bytes, start: int, length: int | None, at_once: int) -> None:
    stop = None if length is None else max(0, start + length)
    wanted = data[start:stop].splitlines(keepends=True) if b"\r" not in data else _split(data[start:stop])
    with tempfile.NamedTemporaryFile(prefix="rq-", buffering=0) as file, FileIO(file.name) as opened:
        file.write(data)
        whole = [
            bytes(one.data[: one.size])
            for one in blocks(opened, start=start, stop=stop, read_bytes=at_once)
            if one.data
        ]
        split = [line.data for line in lines(opened, start=start, stop=stop)]

    assert b"".join(whole) == b"".join(wanted)
    assert all(one.endswith(b"\n") for one in whole[:-1])
    assert split == wanted


def _split(data: bytes) -> list[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + [piece for piece in pieces[-1:] if piece]


@pytest.mark.parametrize("after", [b'{"timestamp":"t","id":"u","role":"user","blocks":[]}\n', b""])
def test_a_line_too_long_to_hold_is_one_bad_line_among_others(after: bytes, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"type":"metadata"}\n')
    with path.open("r+b") as file:
        file.truncate(300 << 20)
        file.seek(0, 2)
        file.write(b"\n" + after)

    index = read(str(path)).index

    assert [index.kind(number) for number in range(1, index.line_count + 1)] == ["header", "bad"] + ["message"] * bool(
        after
    )
    assert [row.line for row in index.checkpoints()] == [3] * bool(after)
