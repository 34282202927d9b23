"""Declarations of the helper's methods (``Verb``) and job signals."""

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
    """Parse arguments, ``name:type`` each."""
    return tuple(Argument(*one.split(":")) for one in text.split())


@dataclass(frozen=True, slots=True)
class Verb(Generic[_Value]):
    """A method of the helper. No ``actions``: only the job's owner, authorised at its start, may call it."""

    name: str
    takes: tuple[Argument, ...]
    gives: tuple[Argument, ...]
    value: type[_Value]
    actions: tuple[Action, ...]
    steps: tuple[JobStep, ...] = ()
    codes: tuple[Code, ...] = ()

    @property
    def signature(self) -> str:
        """D-Bus types of the arguments."""
        return "".join(one.type for one in self.takes)

    @property
    def starts_job(self) -> bool:
        """True if the method returns a job's path."""
        return self.gives == JOB

    @property
    def prompts(self) -> bool:
        """True if polkit may prompt for a password."""
        return any(action.asked is not Asked.NEVER for action in self.actions)


class JobSignal(NamedTuple):
    """A signal of a job."""

    name: str
    tells: tuple[Argument, ...]

    @property
    def signature(self) -> str:
        """D-Bus types of the arguments."""
        return "".join(one.type for one in self.tells)


JOB = args("job:o")

PROGRESS = JobSignal("Progress", args("step:s fraction:d"))  # 0 … 1 of the whole job
SAMPLE = JobSignal("Sample", args("sample:a{sv}"))
ENDED = JobSignal("Ended", args("result:a{sv}"))
FAILED = JobSignal("Failed", args("code:s sentence:s fields:a{sv}"))
SIGNALS = (PROGRESS, SAMPLE, ENDED, FAILED)

CANCEL = Verb("Cancel", JOB, (), type(None), ())
