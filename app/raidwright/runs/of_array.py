"""Stored runs of one array."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.core.errors import InputError
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Layer, LinearVolume, Plan
from raidwright.core.model.plan_json import read_plan

from .run import Run
from .store import Runs


def runs_of(plan: Plan, uuid: str = "", store: Runs | None = None) -> tuple[Run, ...]:
    """Return the runs of the array ``uuid``, newest first, with their samples; without a UUID, those of equal arrays.

    Equal arrays have the plan's level, layout, chunk and disks. Raises InputError if the store can't be read.
    """
    store = store or Runs()
    return tuple(store.get(run.id) for run in _meant(plan, uuid, store.all()))


def _meant(plan: Plan, uuid: str, runs: Sequence[Run]) -> list[Run]:
    if uuid:
        return [run for run in runs if array_uuid(run.target.removeprefix("md:")) == array_uuid(uuid)]
    return [run for run in runs if (told := run.context.get("plan")) and _is_like(told, plan)]


def _is_like(told: object, plan: Plan) -> bool:
    try:
        return _shape(read_plan(told).top) == _shape(plan.top)
    except InputError:
        return False  # of a newer version


def _shape(layer: Layer) -> tuple[object, ...]:
    disks = frozenset(disk.id for disk in layer.disks())
    if isinstance(layer, LinearVolume):
        return disks, tuple(map(_shape, layer.arrays))
    inner = tuple(map(_shape, layer.inner))
    return layer.level, layer.effective_layout, layer.effective_chunk_kib, disks, inner
