"""Values for a window without a toolkit: a table's cell, and a note bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

Tone = Literal["good", "warn", "bad", "info"]


class Cell(NamedTuple):
    """A cell: a ``badge`` in its ``tone`` first, then ``text``; ``hint`` on hover."""

    text: str = ""
    badge: str = ""
    tone: Tone = "info"
    hint: str = ""

    @property
    def words(self) -> str:
        """The whole content, for screen readers."""
        return " ".join(part for part in (self.badge, self.text) if part)


@dataclass(frozen=True, slots=True)
class StateLine:
    """An array's state: a word or two for a badge, and a sentence with the next step ("" if there is nothing to do)."""

    badge: str
    tone: Tone
    sentence: str = ""


class Severity(StrEnum):
    """Severity of a note or finding, which sets the tone of bars and badges; the gravest first."""

    BAD = "bad"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Offer:
    """An offered action: its button is named ``{matter}-{name}`` and calls ``act``."""

    name: str
    text: str
    act: Callable[[], object]
    is_primary: bool = False
    is_open: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A note: a word for its sign, a sentence, further details, and up to three offers.

    ``failure`` is the error of an offer that failed.
    """

    severity: Severity
    tag: str
    sentence: str
    more: str = ""
    failure: str = ""
    offers: tuple[Offer, ...] = ()
