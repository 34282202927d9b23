"""Disturbances of a run that forbid a verdict: md's own work beside it, which the prediction doesn't count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidwright.core.md.sync import IDLE
from raidwright.core.messages import Message, say

from .run import ArrayState, BegunRun, Run

_RAN = {  # by md's sync action
    "resync": say("md synchronised the array meanwhile"),
    "check": say("md checked the array meanwhile"),
    "repair": say("md repaired the array meanwhile"),
    "reshape": say("md reshaped the array meanwhile"),
    "recover": say("md rebuilt a member meanwhile"),
}


def disturbance(run: BegunRun) -> Message | None:
    """Return what md did during the run, if no verdict on its speed can be given for that; None for nothing.

    A rebuild is what the prediction is of, if the run's state is that.
    """
    actions = (action for action in _actions(run) if action not in IDLE)
    busy = next(actions, "")
    if not busy or (busy == "recover" and run.state is ArrayState.REBUILDING):
        return None
    return _RAN.get(busy, say("md was at work on the array meanwhile"))


def _actions(run: BegunRun) -> Iterator[str]:
    array, around = run.context.get("array"), run.context.get("surroundings")
    told: Mapping[str, object] = around if isinstance(around, Mapping) else {}
    yield from (str(told.get(name, "")) for name in ("sync_action", "sync_action_after"))
    yield str(array.get("sync_action") or "") if isinstance(array, Mapping) else ""
    yield from (one.sync_action or "" for one in (run.samples if isinstance(run, Run) else ()))
