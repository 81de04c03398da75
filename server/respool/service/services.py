"""All use cases in one hand, as bootstrap builds them and every door gets them."""

from dataclasses import dataclass

from respool.service.operations import Operations
from respool.service.retention import Retention
from respool.service.rewinds import Rewinds
from respool.service.sessions import Sessions


@dataclass(frozen=True, kw_only=True)
class Services:
    """What a door calls."""

    sessions: Sessions
    rewinds: Rewinds
    operations: Operations
    retention: Retention
