"""Times as a person reads them, in the reader's own zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from respool.views.texts import Translate, mark

MONTHS = (
    mark("Jan"), mark("Feb"), mark("Mar"), mark("Apr"), mark("May"), mark("Jun"),
    mark("Jul"), mark("Aug"), mark("Sep"), mark("Oct"), mark("Nov"), mark("Dec"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Now, and where. ``zone``: an IANA name as browsers report it; unknown ones count as UTC."""

    now: datetime
    zone: str = "UTC"

    def tz(self) -> tzinfo:
        """The zone to show times in."""
        try:
            return ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return UTC


def shown_time(stamp: str | None, clock: Clock, t: Translate) -> str:
    """``09:00`` today, ``Mar 1, 09:00`` this year, else with the year; nothing for what is no time."""
    moment = parsed(stamp)
    if moment is None:
        return ""
    zone = clock.tz()
    there, now = moment.astimezone(zone), clock.now.astimezone(zone)
    time = f"{there:%H:%M}"
    if there.date() == now.date():
        return time
    parts = {"month": t(MONTHS[there.month - 1]), "day": there.day, "time": time, "year": there.year}
    if there.year == now.year:
        return t("{month} {day}, {time}").format(**parts)
    return t("{month} {day}, {year}").format(**parts)


def parsed(stamp: str | None) -> datetime | None:
    """An ISO 8601 time with its zone; without one it is UTC."""
    try:
        moment = datetime.fromisoformat(stamp or "")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment
