"""What a verb of the helper is, what a job says to its owner, and how that one ends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from .actions import Action, Asked
from .errors import Code
from .steps import JobStep

_Value = TypeVar("_Value")


class Argument(NamedTuple):
    """One argument of a method or signal."""

    name: str
    type: str


def args(text: str) -> tuple[Argument, ...]:
    """Of ``name:type`` each."""
    return tuple(Argument(*one.split(":")) for one in text.split())


@dataclass(frozen=True, slots=True)
class Verb(Generic[_Value]):
    """A method of the helper. No ``actions``: only a job's owner, who was asked when it began, can do it."""

    name: str
    takes: tuple[Argument, ...]
    gives: tuple[Argument, ...]
    value: type[_Value]
    actions: tuple[Action, ...]
    steps: tuple[JobStep, ...] = ()
    codes: tuple[Code, ...] = ()

    @property
    def signature(self) -> str:
        """The types that it takes."""
        return "".join(one.type for one in self.takes)

    @property
    def starts_job(self) -> bool:
        """Whether it gives a job's path."""
        return self.gives == JOB

    @property
    def prompts(self) -> bool:
        """Whether somebody at the computer may be asked for a password."""
        return any(action.asked is not Asked.NEVER for action in self.actions)


class Signal(NamedTuple):
    """A signal of a job."""

    name: str
    tells: tuple[Argument, ...]

    @property
    def signature(self) -> str:
        """Its types."""
        return "".join(one.type for one in self.tells)


JOB = args("job:o")

PROGRESS = Signal("Progress", args("step:s fraction:d"))  # 0 … 1 of the whole job
SAMPLE = Signal("Sample", args("sample:a{sv}"))
ENDED = Signal("Ended", args("result:a{sv}"))
FAILED = Signal("Failed", args("code:s sentence:s fields:a{sv}"))
SIGNALS = (PROGRESS, SAMPLE, ENDED, FAILED)

CANCEL = Verb("Cancel", JOB, (), type(None), ())
