"""The command line in Chinese: also where Python speaks, and where it asks."""

from dataclasses import replace

import pytest

from tests.cases.builder import turns, write
from tests.cli.terminal import terminal
from tests.harness.door import Door
from tests.harness.place import Place


@pytest.fixture
def door(place: Place) -> Door:
    """Of somebody who reads Chinese."""
    return replace(place.door, extra_env={"LC_ALL": "zh_CN.UTF-8"})


def test_the_help_is_chinese_throughout(door: Door) -> None:
    told = door.run("rewind", "--help").out.decode()

    assert told.startswith("用法：respool rewind")
    assert "显示此帮助并退出" in told
    assert not {"usage", "options", "positional"} & set(told.replace(":", " ").split())


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["rewind", "--nonsense"], "无法识别的参数：--nonsense"),
        (["rewind", "--to"], "参数 --to：需要一个值"),
        (["rewind", "--mode", "all"], "参数 --mode：无效的选择：'all'"),
        (["plan"], "缺少以下参数：--to"),
        (["open", "--port", "x"], "参数 --port：无效的值：'x'"),
        (["repair", "--finish", "--close"], "参数 --close：不能与参数 --finish 同时使用"),
    ],
)
def test_wrong_usage_is_explained_in_chinese(door: Door, args: list[str], told: str) -> None:
    answer = door.run(*args)

    assert answer.code == 2
    assert told in answer.err


@pytest.mark.parametrize(("said", "rewound"), [("y", True), ("是", True), ("", False), ("否", False)])
def test_the_question_is_asked_and_answered_in_chinese(place: Place, said: str, rewound: bool) -> None:
    path = write(place, *turns(2))
    with terminal(place, "rewind", "--to", "msg-u2", language="zh_CN.UTF-8") as there:
        there.until_text("[y 是/N 否]")
        there.press(said, "enter")
        assert there.end() == 0

    assert (b"msg-u2" not in path.read_bytes()) == rewound
