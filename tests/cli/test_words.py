"""What the command line says to people, and where: streams, languages, terminals that must not be fooled."""

import subprocess
from dataclasses import replace
from typing import Any

import pytest

from tests.cases.builder import title, turns, user, write
from tests.harness.door import Door
from tests.harness.place import Place

COMMANDS = {
    "open", "lsp", "sessions", "checkpoints", "show", "plan", "rewind", "undo", "recover", "operations", "repair",
    "demo", "doctor", "record", "hooks", "store", "purge",
}  # fmt: skip
HOSTILE = "look \x1b]0;owned\x07\x1b[2J\x1b[31mhere\x9b5m \u202egnp.exe\r\nover"


def run_with(door: Door, *args: str, **popen: Any) -> "subprocess.CompletedProcess[bytes]":
    """One command with streams of the test's own choosing."""
    environment = door.environment()
    return subprocess.run(door.command(*args), cwd=door.cwd, env=environment, timeout=60, check=False, **popen)


def test_the_help_names_what_is_there_and_nothing_else(place: Place) -> None:
    answer = place.door.run("--help")

    listed = {
        line.split()[0] for line in answer.out.decode().splitlines() if line.startswith("    ") and line[4] != " "
    }
    assert answer.code == 0
    assert listed == COMMANDS


@pytest.mark.parametrize("command", ["checkpoints", "show", "sessions"])
def test_nothing_in_a_transcript_reaches_the_terminal_as_a_command(command: str, place: Place) -> None:
    write(place, user(1, HOSTILE), *turns(2)[1:], title(HOSTILE))

    answer = place.door.run(command)

    assert answer.code == 0, str(answer)
    assert b"look" in answer.out
    controls = [code for code in answer.out.decode() if (ord(code) < 32 and code != "\n") or 0x7F <= ord(code) < 0xA0]
    assert controls == []
    assert "\u202e" not in answer.out.decode()


def test_a_hostile_argument_is_named_in_one_harmless_line(place: Place) -> None:
    answer = place.door.run("checkpoints", "\x1b[2Jno\nsuch")

    assert answer.code == 3
    assert "\x1b" not in answer.err
    assert [line.split(":")[0] for line in answer.err.splitlines()] == ["respool", "hint"]


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}])
def test_every_character_set_gets_something_it_can_show(locale: dict[str, str], place: Place) -> None:
    write(place, user(1, "用中文写一份说明 🌕"), *turns(2)[1:])
    door = replace(place.door, extra_env=locale)

    for args in (["checkpoints"], ["show"], ["plan", "--to", "msg-u2"], ["rewind", "--to", "msg-u2", "--yes"]):
        answer = door.run(*args)
        assert answer.code == 0, str(answer)


def test_a_chinese_locale_gets_chinese_words_and_english_json(place: Place) -> None:
    write(place, *turns(1))
    door = replace(place.door, extra_env={"LC_ALL": "zh_CN.UTF-8"})

    answer = door.run("checkpoints", "nowhere", "--json")

    assert answer.error["text"] == "there is no session nowhere"
    assert answer.err.startswith("respool: ")
    assert "there is no session" not in answer.err


def test_a_reader_who_leaves_early_is_no_error(place: Place) -> None:
    write(place, *turns(3000))
    process = place.door.start("checkpoints")
    assert process.stdout is not None
    assert process.stdout.read(20)
    process.stdout.close()
    process.stdout = None

    answer = place.door.finish(process)

    assert (answer.code, answer.err) == (0, "")


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_full_disk_behind_stdout_is_one_line_and_exit_4(json: tuple[str, ...], place: Place) -> None:
    write(place, *turns(2))
    with open("/dev/full", "wb") as full:
        answer = run_with(place.door, "checkpoints", *json, stdout=full, stderr=subprocess.PIPE)

    assert answer.returncode == 4
    assert answer.stderr == b"respool: No space left on device\n"


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_full_disk_behind_stderr_changes_neither_answer_nor_status(json: tuple[str, ...], place: Place) -> None:
    write(place, *turns(2))
    with open("/dev/full", "wb") as full:
        answer = run_with(place.door, "checkpoints", "nowhere", *json, stdout=subprocess.PIPE, stderr=full)

    assert answer.returncode == 3
    assert (b'"unknown_session"' in answer.stdout) == bool(json)


@pytest.mark.parametrize(("session", "status"), [((), 4), (("nowhere",), 3)])
def test_a_full_disk_behind_both_streams_is_seen_in_the_status(
    session: tuple[str, ...], status: int, place: Place
) -> None:
    write(place, *turns(2))
    with open("/dev/full", "wb") as full:
        answer = run_with(place.door, "checkpoints", *session, stdout=full, stderr=full)

    assert answer.returncode == status


def test_closed_streams_are_no_error(place: Place) -> None:
    write(place, *turns(2))
    script = '"$@" >&- 2>&- <&-'

    answer = subprocess.run(
        ["sh", "-c", script, "sh", *place.door.command("checkpoints")],
        cwd=place.work,
        env=place.door.environment(),
        timeout=60,
        check=False,
    )

    assert answer.returncode == 0


def test_no_colour_without_a_terminal(place: Place) -> None:
    write(place, *turns(2))

    answer = replace(place.door, extra_env={"FORCE_COLOR": ""}).run("plan", "--to", "msg-u1")

    assert b"\x1b" not in answer.out
