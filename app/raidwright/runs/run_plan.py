"""The plan that a run records of what was measured."""

from __future__ import annotations

from raidwright.core.errors import InputError
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import read_plan

from .run import BegunRun


def plan_of_run(run: BegunRun) -> Plan | None:
    """Return the plan of what was measured; None where the run has none, or a newer program's."""
    told = run.context.get("plan")
    if told is None:
        return None
    try:
        return read_plan(told)
    except InputError:
        return None  # of a newer version
