"""Runs on practice disks as fast as the host's memory, whose figures say nothing about disks."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache

from raidwright.core.messages import say
from raidwright.resources import resource

from .run import BegunRun

MEMORY_SPEED = say(
    "Memory speed: these practice disks are as fast as this computer's memory, so the figures say nothing about disks. "
    "No prediction is compared with them."
)


def is_at_memory_speed(run: BegunRun) -> bool:
    """Return True for a practice machine's run unless each of its disks has the timing of a kind."""
    disks = run.context.get("disks")
    models = [str(disk.get("model", "")) for disk in disks] if isinstance(disks, list) else []
    return bool(run.is_practice) and has_memory_speed(models)


def has_memory_speed(models: Iterable[str]) -> bool:
    """Return True if some of a practice machine's disks, by model ("Seagate ST8000NM000A"), have no timing.

    Disks that aren't known, of which there are no models, are no evidence.
    """
    return any(model not in _timed_models() for model in models)


@cache
def _timed_models() -> frozenset[str]:
    table = tomllib.loads(resource("lab/kinds.toml").read_text(encoding="utf-8"))
    return frozenset(f"{row['vendor']} {row['model']}" for row in table.values() if "model" in row)
