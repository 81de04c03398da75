"""`respool hooks install` and `remove`: our entries come and go, every other byte of the settings stays."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from respool.model.hooks import AGENTS
from tests.harness.door import Answer
from tests.harness.place import Place

NESTED = """{
\t"model": "opus",
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{"matcher": "Bash", "hooks": [{"type": "command", "command": "check.sh"}]}
\t\t],
\t\t"Notification": []
\t},
\t"number": 1.0, "big": 12345678901234567890123, "e": 1e3
}
"""
KINDS = {
    "nothing there": None,
    "empty": b"",
    "blank": b" \n",
    "an empty object": b"{}",
    "an empty object, spread": b"{\n}\n",
    "one line": b'{"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
    "tabs, hooks of somebody else, odd numbers": NESTED.encode(),
    "Windows lines": NESTED.replace("\n", "\r\n").encode(),
    "a byte order mark": b"\xef\xbb\xbf" + NESTED.encode(),
    "a key twice": b'{"hooks": {}, "b": 2,\n "hooks": {"Stop": []}}\n',
    "letters beyond ASCII, escaped and not": '{\n    "name": "\\u00e9 é 中",\n    "x": "\\/"\n}'.encode(),
}


@pytest.fixture
def user(tmp_path: Path) -> Place:
    return Place(root=tmp_path).make()


def settings(user: Place, agent: str = "claude") -> Path:
    return user.home / f".{agent}" / "settings.json"


def put(user: Place, data: bytes | None, agent: str = "claude") -> Path:
    path = settings(user, agent)
    path.parent.mkdir(parents=True, exist_ok=True)
    if data is not None:
        path.write_bytes(data)
    return path


def hooks(user: Place, *args: str) -> Answer:
    answer = user.door.run("hooks", *args)
    assert answer.code == 0, answer
    return answer


def bytes_of(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def value_of(path: Path) -> dict[str, Any]:
    value = json.loads(path.read_bytes().decode("utf-8-sig"))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("agent", sorted(AGENTS))
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_install_then_remove_leaves_the_file_byte_for_byte_as_before(user: Place, kind: str, agent: str) -> None:
    """Issue: "`remove` restores to the byte"."""
    path = put(user, KINDS[kind], agent)

    hooks(user, "install", agent)
    assert bytes_of(path) != KINDS[kind]
    hooks(user, "remove", agent)

    assert bytes_of(path) == KINDS[kind]


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_every_event_of_the_agent_and_no_other_runs_our_command(user: Place, agent: str) -> None:
    path = put(user, None, agent)

    hooks(user, "install", agent)

    found = value_of(path)["hooks"]
    assert found.keys() == AGENTS[agent].events.keys()
    for event, matcher in AGENTS[agent].events.items():
        (group,) = found[event]
        assert group.get("matcher") == matcher
        (hook,) = group["hooks"]
        assert hook["type"] == "command"
        assert f" hook {agent} " in hook["command"]
    assert "installed" in hooks(user, "status", agent).out.decode()


def test_what_was_there_stays_where_it_was(user: Place) -> None:
    """Issue: "keeps everything that is there"."""
    path = put(user, NESTED.encode())

    answer = hooks(user, "install", "claude")

    after = path.read_text()
    lines = iter(after.splitlines())
    assert all(any(line.rstrip(",") == kept.rstrip(",") for line in lines) for kept in NESTED.splitlines())
    assert value_of(path)["hooks"]["PreToolUse"][0]["hooks"] == [{"type": "command", "command": "check.sh"}]
    assert "\n+" in answer.out.decode()
    assert "\n-\t\t\t{" not in answer.out.decode()


def test_installing_twice_is_installing_once(user: Place) -> None:
    """Issue: "idempotent"."""
    path = put(user, NESTED.encode())
    hooks(user, "install", "claude")
    once, changed = path.read_bytes(), path.stat().st_mtime_ns

    answer = hooks(user, "install", "claude")

    assert (path.read_bytes(), path.stat().st_mtime_ns) == (once, changed)
    assert "nothing was changed" in answer.out.decode()
    hooks(user, "remove", "claude")
    assert path.read_bytes() == NESTED.encode()


def test_removing_keeps_what_somebody_else_changed_meanwhile(user: Place) -> None:
    path = put(user, NESTED.encode())
    hooks(user, "install", "claude")
    path.write_text(path.read_text().replace('"opus"', '"haiku"'))

    hooks(user, "remove", "claude")

    assert path.read_text() == NESTED.replace('"opus"', '"haiku"')


def test_hooks_of_another_installation_are_replaced(user: Place) -> None:
    old = {"type": "command", "command": "/old/place/respool hook", "timeout": 10}
    mine = {"type": "command", "command": "respool-like hook-runner --fast"}
    path = put(user, json.dumps({"hooks": {"Stop": [{"hooks": [mine, old]}]}}).encode())
    assert "another installation" in hooks(user, "status", "claude").out.decode()

    hooks(user, "install", "claude")

    groups = value_of(path)["hooks"]["Stop"]
    assert groups[0]["hooks"] == [mine]
    assert "/old/place" not in path.read_text()


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b'{"hooks": []}', b'{"hooks": {"Stop": {}}}', b"\xff\xfe{}", b'{"a": 1} // c', b"{'a': 1}"],
)
def test_settings_that_cannot_be_edited_are_refused_and_left(user: Place, data: bytes) -> None:
    """Bad input gets a clear error and changes nothing."""
    path = put(user, data)

    answer = user.door.run("hooks", "install", "claude")

    assert answer.code == 3, answer
    assert str(path) in answer.err
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == ["settings.json"]


def test_a_link_to_the_settings_stays_a_link_and_the_permissions_stay(user: Place) -> None:
    real = user.home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(b"{}\n")
    real.chmod(0o640)
    path = put(user, None)
    path.symlink_to(real)

    hooks(user, "install", "claude")

    assert path.is_symlink()
    assert value_of(real)["hooks"]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_folder_of_settings_named_by_the_environment_is_honoured(user: Place) -> None:
    """Contract: "`$CLAUDE_CONFIG_DIR` honoured"."""
    named = user.root / "elsewhere"
    door = replace(user.door, extra_env={"CLAUDE_CONFIG_DIR": str(named)})

    assert door.run("hooks", "install", "claude").code == 0

    assert (named / "settings.json").exists()
    assert not settings(user).exists()


def test_where_our_own_store_cannot_be_written_nothing_is_installed(tmp_path: Path) -> None:
    """A copy of what was there comes first."""
    user = Place(root=tmp_path, ordinary=True).make()
    path = put(user, b"{}")
    user.state.mkdir(mode=0o500)

    answer = user.door.run("hooks", "install", "claude")

    assert answer.code == 4, answer
    assert path.read_bytes() == b"{}"
