"""The frame of a change: what mdadm.conf says of the shape is taken out before it, and md's check follows it.

mdadm doesn't start an array whose line names another level or number of members (``Assemble.c``, ident_matches), so
such words go before the shape changes: a power cut would otherwise leave an array that no longer starts by itself.
"""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray

from .steps import survives
from .values import ChangeKind, ChangeStep, ChangeWay


def framed(way: ChangeWay, start: MdArray, conf_words: tuple[str, ...]) -> ChangeWay:
    """Return ``way`` from ``start`` with the steps before and after those of md's; a way without steps stays so."""
    if not way.steps:
        return way
    steps = list(way.steps)
    if words := _outdated(start, way, conf_words):
        steps.insert(0, _configure_step(start, words))
    if way.after.level.is_redundant and any(step.moves_data for step in way.steps):
        steps.append(_check_step(way.after))
    return replace(way, steps=tuple(steps))


def _outdated(start: MdArray, way: ChangeWay, conf_words: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of ``conf_words`` that aren't true at the end, or meanwhile."""
    plans = [plan for step in way.steps for plan in (step.before, step.after)]
    keeps_shape = all(plan.level is start.level and len(plan.members) == len(start.members) for plan in plans)
    keeps_spares = len(way.after.spares) >= len(start.spares)
    return tuple(
        word for word in conf_words if not (keeps_spares if word.lower().startswith("spares=") else keeps_shape)
    )


def _configure_step(plan: MdArray, words: tuple[str, ...]) -> ChangeStep:
    return ChangeStep(
        ChangeKind.CONFIGURE,
        plan,
        plan,
        words,
        survives=survives(plan),
        power_cut=say("The file is as before or as after it."),
        way_back=say("“raidwright configure --restore” restores the file."),
    )


def _check_step(plan: MdArray) -> ChangeStep:
    return ChangeStep(
        ChangeKind.CHECK,
        plan,
        plan,
        survives=survives(plan),
        power_cut=say("The check has to be started again. No data are at stake."),
        way_back=say("It only reads, and can be paused at any time."),
    )
