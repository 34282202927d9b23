"""What a window shows as values, without a toolkit: a table's cell, and what is said of a matter in a bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

Tone = Literal["good", "warn", "bad", "info"]


class Cell(NamedTuple):
    """What stands in one place: a ``badge`` in its ``tone`` first, then ``text``; ``hint`` on hover."""

    text: str = ""
    badge: str = ""
    tone: Tone = "info"
    hint: str = ""

    @property
    def words(self) -> str:
        """All of it, for those who can't see it."""
        return " ".join(part for part in (self.badge, self.text) if part)


class Severity(StrEnum):
    """How grave a matter is, in the words that bars and badges are toned by; the gravest first."""

    BAD = "bad"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Offer:
    """A way on: its button is named ``{matter}-{name}`` and calls ``act``."""

    name: str
    text: str
    act: Callable[[], object]
    is_primary: bool = False
    is_open: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What is said of a matter: a word for its sign, a sentence, what else is to know of it, and up to three offers.

    ``failure`` is what came of an offer that was taken in vain.
    """

    severity: Severity
    tag: str
    sentence: str
    more: str = ""
    failure: str = ""
    offers: tuple[Offer, ...] = ()
