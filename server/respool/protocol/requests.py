"""Parameters of the ``respool/*`` requests, checked before anything is called.

Strict: a number is no text, an unknown name is an error. What is refused here is the caller's mistake.
"""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError
from pydantic.alias_generators import to_camel

from respool.model.plan import Consent, Mode
from respool.protocol.errors import INVALID_PARAMS, WireError

Text = InstanceOf[str]
"""Any text; pydantic's own ``str`` refuses the surrogates of a path that is not UTF-8."""


class _Parameters(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)


class Place(_Parameters):
    """A message: its id, and the line where the id alone is ambiguous."""

    id: Text
    line: Annotated[int, Field(ge=1)] | None = None

    def __str__(self) -> str:
        return self.id if self.line is None else f"{self.id}@{self.line}"


class Agreed(_Parameters):
    """What the user consented to."""

    partial: bool = False
    outside: bool = False
    live: bool = False

    def consent(self) -> Consent:
        """The value services take."""
        return Consent(partial=self.partial, outside=self.outside, live=self.live)


class ListSessions(_Parameters):
    """``respool/sessions``."""

    all: bool = False


class OfSession(_Parameters):
    """Every request about a session; without a name, the newest of the workspace.

    ``work_done_token``: the client's, where it wants to see progress.
    """

    session: Text | None = None
    to: Place | None = None
    mode_name: Literal["both", "conversation", "files"] = Field(default="both", alias="mode")
    digest: Text | None = None
    consent: Agreed = Agreed()
    leave_out: list[Text] = Field(default=[], alias="except")
    work_done_token: Text | int | None = None

    @property
    def mode(self) -> Mode:
        """Which part goes back."""
        return Mode(self.mode_name)


class ToMessage(OfSession):
    """``respool/rewind``: going back needs a place to go to."""

    to: Place


Asked = TypeVar("Asked", bound=_Parameters)


def checked(model: type[Asked], params: object) -> Asked:
    """``params`` as a parameter object; none at all is an empty one. Raise ``WireError`` where they do not fit."""
    try:
        return model.model_validate({} if params is None else params)
    except ValidationError as error:
        raise WireError(INVALID_PARAMS, _problem(error)) from None


def _problem(error: ValidationError) -> str:
    """The first thing wrong, in one line; never the offending value (it may be the user's text)."""
    first: Any = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
