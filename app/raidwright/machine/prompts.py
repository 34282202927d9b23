"""The person who answers questions while a machine is used: passwords for polkit there, and ssh's prompts."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class PromptRequest(NamedTuple):
    """A prompt to be answered, and its context.

    ``machine`` as people call it; ``what`` is the action there, in the words of its polkit; ``user`` whose answer is
    needed; ``prompt`` in the words of its PAM; ``complaint`` is the reason for asking again, "" the first time. All of
    it is plain text, without control characters. An answer that ``is_secret`` isn't echoed.
    """

    machine: str
    what: str
    user: str
    prompt: str
    is_secret: bool = True
    complaint: str = ""


class Asking(NamedTuple):
    """The current question; None: nothing is asked, since the question was answered or withdrawn."""

    question: PromptRequest | None = None


class Person(Protocol):
    """A person at a terminal or a window, or nobody."""

    @property
    def has_terminal(self) -> bool:
        """True if ssh may prompt on the terminal of this process."""

    @property
    def looks_on(self) -> bool:
        """True if the machine is examined all the time while connected, so that this is authorised first."""

    async def answer(self, question: PromptRequest) -> str | None:
        """Return the text typed; None if there won't be any. Cancelling withdraws the question."""


class Nobody:
    """Answers no question."""

    has_terminal = False
    looks_on = False

    async def answer(self, _question: PromptRequest) -> str | None:
        """Return None."""
        return None
