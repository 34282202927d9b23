"""A pasted plan's JSON, read; other programs' text in its place is named, with what to do with it."""

from __future__ import annotations

from raidwright.core.errors import InputError
from raidwright.core.json_fields import loads_strictly
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import read_plan

from .known_texts import TextKind, known_text


def loads_plan(text: str) -> Plan:
    """Return the Plan in JSON ``text``; raises InputError with the fault and its place, or with what it is instead."""
    try:
        return read_plan(loads_strictly(text, "The plan"))
    except InputError as error:
        known = known_text(text)
        is_plan = known is None or known.kind is TextKind.PLAN
        raise (error if is_plan or known is None else InputError(known.way_out, code=error.code)) from None
