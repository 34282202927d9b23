"""Whoever can be asked while a machine is worked with: for a password there, or by ssh for what it wants to know."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Question(NamedTuple):
    """What is to be typed, and what for.

    ``machine`` as a person calls it; ``what`` is to be done there, in the words of its polkit; ``user`` whose answer is
    wanted; ``prompt`` in the words of its PAM; ``complaint`` says why it is asked again, "" the first time. All of it
    is plain text, without control characters. An answer that ``is_secret`` isn't shown while it is typed.
    """

    machine: str
    what: str
    user: str
    prompt: str
    is_secret: bool = True
    complaint: str = ""


class Asking(NamedTuple):
    """What is being asked just now; None: nothing, and what was asked is answered or taken back."""

    question: Question | None = None


class Person(Protocol):
    """At a terminal, at a window, or nobody."""

    @property
    def has_terminal(self) -> bool:
        """Whether ssh may ask on the terminal of this process."""

    @property
    def looks_on(self) -> bool:
        """Whether all of the machine is looked at as long as it is connected, so that leave for that is asked first."""

    async def answer(self, question: Question) -> str | None:
        """What was typed; None when nothing will be. A question that is cancelled is taken back."""


class Nobody:
    """Answers nothing."""

    has_terminal = False
    looks_on = False

    async def answer(self, _question: Question) -> str | None:
        """None."""
        return None
