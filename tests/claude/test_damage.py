"""Files nobody should have to read: whatever stands in them, nothing raises and nothing after it is lost."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respool.model.errors import UnreadableTranscript
from respool.storage.files.claude import LineKind
from respool.storage.files.claude_chain import live_branch
from respool.storage.files.claude_index import ClaudeIndex, read_claude_index
from respool.storage.files.claude_prompts import checkpoints
from tests.claude.reader import listed, removals, sessions, shown
from tests.claude.recorded import CASES, Recorded
from tests.claude.records import lines, result, said, user

GOOD = [user("u1", None), said("a1", "u1"), user("u2", "a1"), said("a2", "u2")]


def put(folder: Path, data: bytes) -> str:
    path = folder / "0a0a0a0a-1111-4222-8333-444444444444.jsonl"
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    "noise",
    [
        b"\0" * 333 + b"\n",
        b'{"torn": "in the midd\n',
        b"\n\n",
        b"[]\n42\n",
        b'{"type":"user"}\n',
        b'{"type":"user","uuid":7,"message":{}}\n',
        b'{"type":"user","uuid":"x","parentUuid":{"no":1},"message":{"content":{"no":"list"}}}\n',
        b'{"type":"assistant","uuid":"x","message":{"content":[1,"two",{"type":3}]},"isSidechain":"yes"}\n',
        b'{"type":"new-kind-of-line","uuid":"x","message":[]}\n',
        b'{"type":"last-prompt","leafUuid":[]}\n',
        b'{"type":"file-history-snapshot","messageId":"u1","snapshot":[]}\n',
        b'{"type":"file-history-delta","messageId":"a1","trackingPath":7}\n',
        b'{"type":"system","subtype":"local_command","uuid":"x","parentUuid":"u1","n":' + b"9" * 5000 + b"}\n",
        b'{"a":' * 5000 + b"\n",
        b"\xff\xfe\xfa\n",
    ],
)
def test_a_line_that_says_nothing_hides_no_other(noise: bytes, tmp_path: Path) -> None:
    path = put(tmp_path, lines(GOOD[:2]) + noise + lines(GOOD[2:]))

    assert listed(path) == ["u1", "u2"]
    assert [ident for ident in shown(path) if ident in ("u1", "a1", "u2", "a2")] == ["u1", "a1", "u2", "a2"]
    removals(tmp_path).read(path, "u1")


@pytest.mark.parametrize("end", [b"", b'{"parentUuid":"a2","type":"user","uuid":"u3","mess'])
def test_a_last_line_without_its_end(end: bytes, tmp_path: Path) -> None:
    path = put(tmp_path, lines(GOOD).rstrip(b"\n") + (b"\n" + end if end else b""))

    assert listed(path) == ["u1", "u2"]


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = put(tmp_path, b"\xef\xbb\xbf" + lines(GOOD).replace(b"\n", b"\r\n"))

    assert listed(path) == ["u1", "u2"]
    assert shown(path) == ["u1", "a1", "u2", "a2"]


def test_half_a_character_is_shown_as_one_that_can_be_encoded(tmp_path: Path) -> None:
    path = put(tmp_path, lines([user("u1", None, "cut \ud83d here"), said("a1", "u1")]))
    found = sessions()

    texts = [found.checkpoints(path).checkpoints[0].preview, found.show(path).messages[0].text, found.info(path).title]
    texts.append(removals(tmp_path).read(path, "u1").input_content)
    assert texts == ["cut \ufffd here"] * 4
    json.dumps(texts, ensure_ascii=False).encode()


def test_a_missing_end_of_a_removed_line_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, lines(GOOD) + b'{"type":"file-hist\n' + lines([said("a3", "a2")]))

    notices = removals(tmp_path).read(path, "u2").notices

    assert [(notice.code, notice.params) for notice in notices] == [("unreadable_record", {"line": 5})]


def test_a_huge_result_is_read_in_bounded_memory(tmp_path: Path) -> None:
    huge = [user("u1", None), result("r1", "u1", "t", "x" * (24 << 20)), user("u2", "r1")]
    path = put(tmp_path, lines(huge))
    del huge
    tracemalloc.start()

    index = read_claude_index(path)

    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [row.uuid for row in index.rows] == ["u1", "r1", "u2"]
    assert peak < 4 * (24 << 20)
    assert held < 1 << 20


def test_the_request_log_is_passed_over_undecoded_unless_it_hides_a_row(tmp_path: Path) -> None:
    log = b'{"type":"api-request-blob","message":{"content":"not closed\n'
    glued = b'{"type":"api-request-blob","mess' + lines([user("u3", "a2")])
    path = put(tmp_path, lines(GOOD) + log + glued)

    index = read_claude_index(path)

    assert index.kind(5) is LineKind.REQUEST
    assert index.kind(6) is LineKind.BAD
    assert index.bad_lines == [6]


@pytest.mark.parametrize("make", ["fifo", "folder", "absent"])
def test_what_is_no_regular_file_is_refused(make: str, tmp_path: Path) -> None:
    path = tmp_path / "0a0a0a0a-1111-4222-8333-444444444444.jsonl"
    if make == "fifo":
        os.mkfifo(path)
    elif make == "folder":
        path.mkdir()

    with pytest.raises(UnreadableTranscript):
        sessions().info(str(path))


def facts(index: ClaudeIndex) -> object:
    return index.rows, index.hint, index.titles, index.prompts, index.boundaries, index.history, index.bad_lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case)
def test_appended_lines_are_read_as_if_the_file_had_been_read_whole(case: Recorded, tmp_path: Path) -> None:
    data = case.transcript.read_bytes()
    path = Path(put(tmp_path, b""))
    index = None
    for cut in (*range(0, len(data), 4999), len(data)):
        with path.open("ab") as file:
            file.write(data[path.stat().st_size : cut])
        index = read_claude_index(str(path), index)

    assert index is not None
    assert facts(index) == facts(read_claude_index(str(path)))


def test_a_file_replaced_by_another_is_read_anew(tmp_path: Path) -> None:
    path = put(tmp_path, lines(GOOD))
    reader = sessions()
    assert [row.id for row in reader.checkpoints(path).checkpoints] == ["u1", "u2"]

    put(tmp_path, lines([user("v1", None, "another"), said("w1", "v1"), user("v2", "w1", "and " * 200)]))

    assert [row.id for row in reader.checkpoints(path).checkpoints] == ["v1", "v2"]


pieces = st.sampled_from(
    [b"{", b"}", b'"uuid":"u1"', b'"type":"user",', b"\n", b"\0", b'"message":', b"null", b"[", b"]", b'"', b"\xf0\x9f"]
)


@given(st.lists(pieces | st.binary(max_size=8), max_size=40))
def test_any_bytes_are_read(found: list[bytes]) -> None:
    path = f"/dev/shm/respool-any-bytes-{os.getpid()}.jsonl"
    Path(path).write_bytes(lines(GOOD) + b"".join(found))
    try:
        index = read_claude_index(path)
        assert [row.id for row in checkpoints(index, live_branch(index))][:1] == ["u1"]
    finally:
        os.unlink(path)
