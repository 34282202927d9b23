"""The one place that turns a Plan into mdadm's argv. Export, window and helper all use it.

Standard library only: the helper, which runs as root, imports this.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass

from .plan import Member, Plan

EXPLANATIONS: dict[str, str] = {}  # why-code → sentence


@dataclass(frozen=True, slots=True)
class Option:
    """One word of the command and the code of why it is there (``EXPLANATIONS[why]`` is the sentence)."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its words."""

    program: str
    options: tuple[Option, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        """Program and arguments, ready for exec."""
        return (self.program, *(option.text for option in self.options))

    def shell(self) -> str:
        """The command quoted for a shell, on one line."""
        return shlex.join(self.argv)


def by_id_path(member: Member) -> str:
    """The member's stable path."""
    return f"/dev/disk/by-id/{member.id}"


def create_commands(plan: Plan, path_of: Callable[[Member], str] = by_id_path) -> tuple[Command, ...]:
    """The commands that create ``plan``, inner arrays (``<name>-0``, ``-1`` …) first."""
    raise NotImplementedError
