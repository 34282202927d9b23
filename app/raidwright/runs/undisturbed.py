"""Disturbances of a run that forbid a verdict: md's own work, and others', which the prediction doesn't count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidwright.core.md.sync import IDLE
from raidwright.core.messages import Message, say
from raidwright.core.system.load_before import busy_with

from .run import ArrayState, BegunRun, Run

_RAN = {  # by md's sync action
    "resync": say("md synchronised the array meanwhile"),
    "check": say("md checked the array meanwhile"),
    "repair": say("md repaired the array meanwhile"),
    "reshape": say("md reshaped the array meanwhile"),
    "recover": say("md rebuilt a member meanwhile"),
}


def disturbance(run: BegunRun) -> Message | None:
    """Return what went on beside the run, if no verdict on its speed can be given for that; None for nothing.

    A rebuild is what the prediction is of, if the run's state is that.
    """
    actions = (action for action in _actions(run) if action not in IDLE)
    busy = next(actions, "")
    if not busy or (busy == "recover" and run.state is ArrayState.REBUILDING):
        return busy_with(_surroundings(run))
    return _RAN.get(busy, say("md was at work on the array meanwhile"))


def _actions(run: BegunRun) -> Iterator[str]:
    array, told = run.context.get("array"), _surroundings(run)
    yield from (str(told.get(name, "")) for name in ("sync_action", "sync_action_after"))
    yield str(array.get("sync_action") or "") if isinstance(array, Mapping) else ""
    yield from (one.sync_action or "" for one in (run.samples if isinstance(run, Run) else ()))


def _surroundings(run: BegunRun) -> Mapping[str, object]:
    around = run.context.get("surroundings")
    return around if isinstance(around, Mapping) else {}
