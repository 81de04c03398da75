"""Times in the reader's zone."""

from datetime import UTC, datetime

import pytest

from respool.views.texts import translator
from respool.views.times import Clock, shown_time

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stamp", "zone", "shown"),
    [
        ("2026-03-02T09:00:00.000Z", "UTC", "09:00"),
        ("2026-03-02T09:00:00.000Z", "Asia/Shanghai", "17:00"),
        ("2026-03-01T09:00:00Z", "UTC", "Mar 1, 09:00"),
        ("2025-12-31T23:30:00Z", "Asia/Shanghai", "Jan 1, 07:30"),
        ("2024-02-29T09:00:00Z", "UTC", "Feb 29, 2024"),
        ("2026-03-02T09:00:00", "UTC", "09:00"),
        ("2026-03-02T09:00:00Z", "Not/AZone", "09:00"),
        ("2026-03-02T09:00:00Z", "../../../etc/passwd", "09:00"),
        ("yesterday", "UTC", ""),
        ("", "UTC", ""),
        (None, "UTC", ""),
        ("0001-01-01T00:00:00+14:00", "UTC", ""),
    ],
)
def test_a_time_is_as_short_as_it_can_be(stamp: str | None, zone: str, shown: str) -> None:
    assert shown_time(stamp, Clock(now=NOW, zone=zone), translator("en")) == shown


def test_chinese_dates_read_as_chinese() -> None:
    assert shown_time("2026-03-01T09:00:00Z", Clock(now=NOW), translator("zh")) == "3月1日 09:00"
