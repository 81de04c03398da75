"""What a webview may ask of its panel. Strict: anything else is the caller's mistake and answered as such."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from respool.model.plan import Consent
from respool.protocol.errors import INVALID_PARAMS, WireError

Text = InstanceOf[str]
"""Any text; pydantic's own ``str`` refuses the surrogates of a path that is not UTF-8."""


class _Intent(BaseModel):
    """``request``: a number the webview raises with each intent; an answer to an older one may be dropped."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)
    request: Annotated[int, Field(ge=0)]


class Document(BaseModel):
    """What an editor says about the page it is going to show: nonce, and where the static files come from.

    ``source``: what its content security policy calls that place; ``base``: address of ``webview/static``.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    nonce: Annotated[str, Field(pattern=r"^[A-Za-z0-9+/_=-]{16,}$")]
    source: Text
    base: Text


class OpenView(BaseModel):
    """Parameters of ``respool/view/open``. ``request``: the newest number the webview used, after a lost connection.

    With ``document`` the answer carries the empty page too.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)
    session: Text | None = None
    language: Text | None = None
    timezone: Text | None = None
    document: Document | None = None
    request: Annotated[int, Field(ge=0)] = 0


class ShowSessions(_Intent):
    """Go to the session list; ``everywhere``: of every project, ``None``: as before."""

    intent: Literal["sessions"]
    everywhere: bool | None = None


class ShowSession(_Intent):
    """Open a session of the list."""

    intent: Literal["session"]
    path: Text


class Simple(_Intent):
    """Intents that need no more than their name."""

    intent: Literal["earlier", "rewind", "close", "cancel", "undo", "dismiss", "help", "say", "demo"]


class CountFiles(_Intent):
    """Say for these checkpoints (``ID@LINE``) how many files would change."""

    intent: Literal["counts"]
    to: Annotated[list[Text], Field(max_length=200)]


class Choose(_Intent):
    """Ask about a rewind to a checkpoint."""

    intent: Literal["choose"]
    to: Text


class Agreed(BaseModel):
    """Consents given in the dialog."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    partial: bool = False
    outside: bool = False
    live: bool = False

    def consent(self) -> Consent:
        """The value services take."""
        return Consent(partial=self.partial, outside=self.outside, live=self.live)


class Adjust(_Intent):
    """All that is set in the dialog now."""

    intent: Literal["adjust"]
    mode: Literal["both", "conversation", "files"]
    leave_out: Annotated[list[Text], Field(alias="except")]
    consent: Agreed


class Confirm(_Intent):
    """Carry out the plan with this digest."""

    intent: Literal["confirm"]
    digest: Text


Intent = Annotated[
    ShowSessions | ShowSession | Simple | CountFiles | Choose | Adjust | Confirm,
    Field(discriminator="intent"),
]
parse_intent: TypeAdapter[Intent] = TypeAdapter(Intent)
parse_open: TypeAdapter[OpenView] = TypeAdapter(OpenView)

Asked = TypeVar("Asked")


def checked(adapter: "TypeAdapter[Asked]", params: dict[str, Any]) -> Asked:
    """``params`` as what they mean. Raise ``WireError`` where they do not fit."""
    try:
        return adapter.validate_python(params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise WireError(INVALID_PARAMS, f"{'.'.join(map(str, first['loc'])) or 'params'}: {first['msg']}") from None
