"""Volumes joined of unlike disks' slices: each array's streams and the whole volume, predicted from the disks alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.prediction import HEALTHY, PredictedState, Prediction, Predictor
from raidwright.core.layers.commands import device_path
from raidwright.core.lvm.joined import slices_of
from raidwright.core.md.mdadm import inner_name
from raidwright.core.model.plan import Plan
from raidwright.core.system.workload import Workload
from raidwright.export.script import build_script
from raidwright.export.surroundings import Surroundings
from raidwright.lab.machine import LabSpec, start

from tests.kit.plans import volume_of

from ..kit.joined_volume import plan_here, verify_places
from ..kit.quiet import Quiet
from ..published_check.naive import naive_mb_s
from .baselines import baselines_told
from .cells import JIFFY_S, title_of
from .drawn import Cell, disks_like, spinning
from .kept import Kept
from .measuring import SPINNING, Bench
from .verdict import Row

_KIND = "joined"
_SIZES_GB = ((64, 64, 120, 240), (64, 120, 120, 240), (64, 64, 120, 120, 240))
_STREAMS = (Workload.BUFFERED_READ, Workload.BUFFERED_WRITE)
_RANDOM = (Workload.RANDOM_READ_4K_Q32, Workload.RANDOM_WRITE_4K, Workload.RANDOM_WRITE_4K_Q32)
_DEGRADED = (Workload.BUFFERED_READ, Workload.RANDOM_READ_4K_Q32)


def joined_rows(seed: int, volumes: int, folder: Path) -> Iterator[Row]:
    """Yield the cells of ``volumes`` drawn volumes, the second of which survives two failures."""
    random = Random(seed)  # noqa: S311  # to be repeatable
    for number in range(volumes):
        disks = disks_like(random, _KIND, spinning(7200, (7.5, 9.5))(random), random.choice(_SIZES_GB))
        lost = random.randrange(len(disks))
        with start(LabSpec(disks)) as lab:
            bench = Bench(lab)
            kept = Kept(folder / f"predict-{_KIND}-{seed}-{number}.jsonl")
            told = baselines_told(lab, [disk.serial for disk in disks], seconds=2)
            kept.begin(bench.shell("uname -r").strip(), told)
            plan = _as_built(plan_here(lab, 1 + number % 2), kept)
            lab.exec(["sh", "-es"], stdin=build_script(plan, Surroundings(kind=None)).encode())
            verify_places(lab, plan)
            host = HostModel(kernel=kept.kernel, jiffy_s=JIFFY_S, practice=True)
            yield from _Volume(plan, bench, Predictor(plan, host), lost).rows()


def _as_built(plan: Plan, kept: Kept) -> Plan:
    """Return ``plan`` with its disks' baselines, and without its arrays' first sync, which would take half an hour."""
    arrays = [replace(array, assume_clean=True) for array in volume_of(plan).arrays]
    plan = plan.on(replace(volume_of(plan), arrays=tuple(arrays)))
    return plan.each_disk(lambda disk: replace(disk, baseline=kept.baselines[disk.serial]))


class _Volume:
    """A volume built in a practice machine; its disk number ``lost`` fails after the healthy cells."""

    def __init__(self, plan: Plan, bench: Bench, predictor: Predictor, lost: int) -> None:
        self.plan, self.bench, self.predictor = plan, bench, predictor
        self.quiet = Quiet(bench.lab.host_load)
        self.lost = list(slices_of(volume_of(plan)))[lost]

    def rows(self) -> Iterator[Row]:
        """Yield each array's streams, the whole volume's by their times, and random I/O on the whole of it."""
        for workload in _STREAMS:
            cell, said = Cell(workload), self._said(workload, HEALTHY)
            measured = self._of_each_array(cell, said)
            for array, found, mb_s in zip(
                self.plan.top.inner, measured, self.predictor.of_each_band(workload), strict=True
            ):
                share = mb_s / said.mb_s
                of_array = replace(said, mb_s=mb_s, low_mb_s=said.low_mb_s * share, high_mb_s=said.high_mb_s * share)
                yield self._row(Plan(array), cell, found, of_array)
            yield self._row(self.plan, cell, self._of_all(measured), said)
        for workload in _RANDOM:
            cell, said = Cell(workload), self._said(workload, HEALTHY)
            yield self._row(self.plan, cell, self._on_whole(cell), said)
        self._fail()
        state = PredictedState(frozenset({self.lost}))
        for workload in _DEGRADED:
            cell, said = Cell(workload, "degraded"), self._said(workload, state)
            found = (
                self._on_whole(cell) if workload.pattern.is_random else self._of_all(self._of_each_array(cell, said))
            )
            yield self._row(self.plan, cell, found, said)

    def _said(self, workload: Workload, state: PredictedState) -> Prediction:
        said = self.predictor.predict(workload, state, seconds=SPINNING.long_seconds)
        assert said is not None
        return said

    def _on_whole(self, cell: Cell) -> float:
        return self.bench.mb_s(device_path(self.plan.top), cell, SPINNING, slow_start=cell.workload.writes)

    def _of_each_array(self, cell: Cell, said: Prediction) -> list[float]:
        return [self.bench.mb_s(node, cell, SPINNING, expected_mb_s=said.mb_s) for node in self._nodes()]

    def _of_all(self, of_each: Sequence[float]) -> float:
        """Return the rate of who goes through the whole volume, an array after the other."""
        sizes = [self.bench.size_bytes(node) for node in self._nodes()]
        return sum(sizes) / sum(size / mb_s for size, mb_s in zip(sizes, of_each, strict=True))

    def _nodes(self) -> list[str]:
        return [f"/dev/md/{inner_name(self.plan.name, slot)}" for slot in range(len(self.plan.top.inner))]

    def _fail(self) -> None:
        for array, node in zip(self.plan.top.inner, self._nodes(), strict=True):
            for one in array.disks():
                if one.disk == self.lost:
                    self.bench.shell(f"mdadm --quiet {node} --fail /dev/disk/by-id/{one.id}")

    def _row(self, plan: Plan, cell: Cell, measured: float, said: Prediction) -> Row:
        pattern = cell.workload.pattern
        drive = self.predictor.drive(next(self.plan.disks()))
        of_whole = Plan(self.plan.top.inner[0]) if plan.volume else plan
        naive = naive_mb_s(of_whole, pattern.direction, pattern.block_bytes, drive)
        title = " + ".join(map(title_of, plan.top.inner)) if plan.volume else title_of(plan.array)
        rates = (measured, said.mb_s, said.low_mb_s, said.high_mb_s, naive)
        return Row(*rates, _KIND, title, cell, said.limited_by, self.quiet.waited_share())
