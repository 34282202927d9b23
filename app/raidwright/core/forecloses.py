"""What a choice forecloses: which reshapes, level changes and growths stay possible."""

from __future__ import annotations

from dataclasses import dataclass

from .plan import Plan


@dataclass(frozen=True, slots=True)
class Possibility:
    """One later change. ``change`` is a code (``more-members``, ``chunk``, ``raid6`` …), ``reason`` a sentence."""

    change: str
    possible: bool
    reason: str


def possibilities(plan: Plan) -> tuple[Possibility, ...]:
    """What ``mdadm --grow`` could still do to the built array, and what not."""
    raise NotImplementedError
