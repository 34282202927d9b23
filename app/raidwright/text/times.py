"""Times and dates as people read them."""

from __future__ import annotations

from datetime import datetime


def moment(unix_s: int) -> str:
    """Return a time of the machine's clock, for people: ``2026-11-20 14:02``."""
    return datetime.fromtimestamp(unix_s).astimezone().strftime("%Y-%m-%d %H:%M")


def day(unix_s: int) -> str:
    """Return a date of the machine's calendar: ``2026-11-20``."""
    return datetime.fromtimestamp(unix_s).astimezone().strftime("%Y-%m-%d")
