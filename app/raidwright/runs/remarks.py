"""Remarks to show beside a run's figure."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from raidwright.analysis.findings.of_runs import Course, remarks_on
from raidwright.core.messages import Message, say
from raidwright.core.system.load_before import busy_with
from raidwright.core.system.own_workload import pattern_named

from .memory_speed import MEMORY_SPEED, is_at_memory_speed
from .run import BegunRun, Run

_WARNS = "/warns_at_celsius"
BUSY = say("The computer or its disks were busy with something else: expect more once that is done.")


def remarks_of(run: BegunRun, *, while_rebuilt: bool = False) -> Iterator[Message]:
    """Yield the remarks known so far; ``run`` with its samples, if it has any.

    ``while_rebuilt``: a rebuild is the state to be measured, so that it isn't remarked on.
    """
    yield from remarks_on(_course(run, while_rebuilt=while_rebuilt))
    around = run.context.get("surroundings")
    if busy_with(around if isinstance(around, Mapping) else {}):
        yield BUSY
    if is_at_memory_speed(run):
        yield MEMORY_SPEED


def _course(run: BegunRun, *, while_rebuilt: bool) -> Course:
    array, around = run.context.get("array"), run.context.get("surroundings")
    told: Mapping[str, str] = around if isinstance(around, Mapping) else {}
    seen = array.get("sync_action") if isinstance(array, Mapping) else None
    pattern = pattern_named(run.workload)
    return Course(
        samples=run.samples if isinstance(run, Run) else (),
        writes=pattern is not None and pattern.writes,
        buffered=pattern is not None and pattern.buffered,
        limits_celsius=dict(_limits(told)),
        sync=str(seen or told.get("sync_action") or ""),
        while_rebuilt=while_rebuilt,
        is_over=isinstance(run, Run),
    )


def _limits(told: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    for name, text in told.items():
        if name.endswith(_WARNS):
            with contextlib.suppress(ValueError):  # an imported file
                yield name.removesuffix(_WARNS), float(text)
