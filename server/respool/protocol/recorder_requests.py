"""What a host may say to the recorder, and carrying it out."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from respool.model.errors import Busy
from respool.service.capture import Capture, Token

Json = dict[str, Any]
MAIN = "main"


class BadRequest(Exception):
    """The line is no request; the text says why."""


@dataclass(frozen=True)
class Field:
    """``check`` says what a value has to be where it is not; fields that are not named here are passed over."""

    name: str
    check: Callable[[Any], str | None]
    required: bool = True


@dataclass(frozen=True)
class Request:
    """An operation with its fields; those not given are missing."""

    op: str
    fields: Json


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else "a string"


def _name(value: Any) -> str | None:
    return None if isinstance(value, str) and value and "\0" not in value else "a string that is not empty"


def _path(value: Any) -> str | None:
    if _name(value):
        return "a path"
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        return "a path (bytes that are not UTF-8 as \\udc80 to \\udcff)"
    return None


def _pid(value: Any) -> str | None:
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31
    return None if sound else "a process id"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _kind(value: Any) -> str | None:
    return None if value in ("shell", "agent") else '"shell" or "agent"'


def _blocks(value: Any) -> str | None:
    sound = isinstance(value, list) and all(isinstance(block, dict) for block in value)
    return None if sound else "a list of objects"


_ACTOR = Field("actor", _name, required=False)
_CALL = Field("call", _name, required=False)
_TOKEN = Field("token", _name)
OPERATIONS: dict[str, tuple[Field, ...]] = {
    "user": (Field("id", _name), Field("text", _text)),
    "assistant": (Field("id", _name), Field("text", _text), Field("blocks", _blocks, required=False)),
    "before": (Field("path", _path), _ACTOR, Field("tool", _text, required=False), _CALL),
    "after": (_TOKEN, Field("failed", _flag, required=False)),
    "shell-before": (_ACTOR, Field("command", _text, required=False), _CALL),
    "shell-after": (_TOKEN, Field("failed", _flag, required=False)),
    "task-start": (
        Field("id", _name),
        Field("kind", _kind),
        Field("pid", _pid, required=False),
        Field("parent", _name, required=False),
        Field("description", _text, required=False),
    ),
    "task-end": (Field("id", _name), Field("status", _text)),
    "turn-start": (),
    "turn-end": (),
    "abort-turn": (),
}


def understood(line: bytes) -> Request:
    """The request on a line. Raises ``BadRequest``."""
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise BadRequest("the line is not UTF-8") from None
    except (ValueError, RecursionError):
        raise BadRequest("the line is not JSON") from None
    if not isinstance(value, dict) or not isinstance(value.get("op"), str):
        raise BadRequest('the line is no object with an "op"')
    op = value["op"]
    if op not in OPERATIONS:
        raise BadRequest(f"there is no op {json.dumps(op[:80])}")
    return Request(op, {one.name: value[one.name] for one in OPERATIONS[op] if _given(value, one)})


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)


def _given(value: Json, field: Field) -> bool:
    if value.get(field.name) is None:
        if field.required:
            raise BadRequest(f'"{field.name}" is missing')
        return False
    wrong = field.check(value[field.name])
    if wrong:
        raise BadRequest(f'"{field.name}" must be {wrong}')
    return True


def carry_out(capture: Capture, request: Request) -> Json:
    """Do it; what the answer holds beside ``ok``. Raises ``Refusal``, ``BadRequest``, ``OSError``."""
    try:
        return _DO[request.op](capture, request.fields)
    except KeyError as error:
        raise BadRequest(f"there is no token {json.dumps(str(error.args[0])[:80])}") from None


def _before(capture: Capture, given: Json) -> Json:
    facts = {name: given[name] for name in ("tool", "call") if name in given}
    return _begun(capture.before(given["path"], actor=given.get("actor", MAIN), **facts))


def _shell_before(capture: Capture, given: Json) -> Json:
    facts = {name: given[name] for name in ("command", "call") if name in given}
    return _begun(capture.shell_before(actor=given.get("actor", MAIN), **facts))


def _begun(token: Token) -> Json:
    return {"token": str(token), **({} if token.reason is None else {"captured": False, "reason": token.reason})}


def _after(capture: Capture, given: Json) -> Json:
    capture.after(given["token"], failed=given.get("failed", False))
    return {}


def _shell_after(capture: Capture, given: Json) -> Json:
    reason = capture.shell_after(given["token"])
    return {} if reason is None else {"captured": False, "reason": reason}


def _task_start(capture: Capture, given: Json) -> Json:
    capture.task_start(
        given["id"],
        given["kind"],
        pid=given.get("pid"),
        parent=given.get("parent"),
        description=given.get("description", ""),
    )
    return {}


def _task_end(capture: Capture, given: Json) -> Json:
    capture.task_end(given["id"], given["status"])
    return {}


def _turn_start(capture: Capture, given: Json) -> Json:
    if not capture.turn_start():
        raise Busy("somebody else is changing this session")
    return {}


def _turn_end(capture: Capture, given: Json) -> Json:
    capture.turn_end()
    return {}


def _abort_turn(capture: Capture, given: Json) -> Json:
    capture.abort_turn()
    return {}


_DO: dict[str, Callable[[Capture, Json], Json]] = {
    "user": lambda capture, given: {"line": capture.user(given["id"], given["text"])},
    "assistant": lambda capture, given: {
        "line": capture.assistant(given["id"], given["text"], given.get("blocks", ()))
    },
    "before": _before,
    "after": _after,
    "shell-before": _shell_before,
    "shell-after": _shell_after,
    "task-start": _task_start,
    "task-end": _task_end,
    "turn-start": _turn_start,
    "turn-end": _turn_end,
    "abort-turn": _abort_turn,
}
