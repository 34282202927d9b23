"""Speed of the core: survival at 16 to 64 members, cells per second, candidates for a pool."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
from raidwright.analysis.advice.candidates import enumerate_plans
from raidwright.analysis.advice.ranking import Candidate, Wishes, rank
from raidwright.analysis.advice.speeds import predictions_of
from raidwright.analysis.geometry.of_plan import all_rows, geometry_of
from raidwright.analysis.geometry.states import cell_states
from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.text.plan.candidates import gist_words, why_words

from ..kit.check import report
from .timing import median_ms

ROUNDS = 9
ROWS = 20_000
_median_ms = partial(median_ms, rounds=ROUNDS)


def _members(count: int) -> Plan:
    return Plan(MdArray(Level.RAID10, imagined_members(parse_pool(f"{count}x8TB"))))


def _plan(level: str, layout: str | None, count: int) -> Plan:
    return Plan(MdArray(Level(level), _members(count).array.members, layout=layout))


def _mirrors(count: int) -> Plan:
    disks = _members(count).array.members
    pairs = (disks[start : start + 2] for start in range(0, count, 2))
    return Plan(MdArray(Level.RAID0, tuple(MdArray(Level.RAID1, pair) for pair in pairs)))


def _survival() -> Iterator[list[str]]:
    for count in (16, 32, 64):
        plans = {
            "raid6": _plan("raid6", None, count),
            "raid10 n2": _plan("raid10", "n2", count),
            "raid10 f2": _plan("raid10", "f2", count),
            "raid10 f3": _plan("raid10", "f3", count),
            "raid0 of raid1": _mirrors(count),
        }
        for name, plan in plans.items():
            took = _median_ms(partial(survival_of, plan.top))
            yield [f"survival of {name}", f"{count} members, every k", f"{took:.2f} ms"]


def _geometry() -> Iterator[list[str]]:
    plans = {
        "raid0": _plan("raid0", None, 8),
        "raid5 ls": _plan("raid5", None, 8),
        "raid6 ls": _plan("raid6", None, 8),
        "raid10 n2": _plan("raid10", "n2", 8),
        "raid10 f2": _plan("raid10", "f2", 8),
        "raid0 of raid1": _mirrors(8),
    }
    for name, plan in plans.items():
        geometry = geometry_of(plan)
        rows = all_rows(geometry.rows // 3, ROWS)
        chunks = np.arange(geometry.chunks // 3, geometry.chunks // 3 + ROWS, dtype=np.int64)
        drawn = _median_ms(partial(geometry.cells, rows))
        found = _median_ms(partial(geometry.locate, chunks))
        yield [f"cells of {name}", "8 members", f"{ROWS * geometry.members / drawn / 1000:.1f} million a second"]
        yield [f"places of {name}", "8 members", f"{ROWS / found / 1000:.1f} million chunks a second"]


def _stage() -> Iterator[list[str]]:
    for name, plan in {"raid10 f2": _plan("raid10", "f2", 24), "raid0 of raid1": _mirrors(24)}.items():
        geometry = geometry_of(plan)
        rows = all_rows(geometry.first_row, 200)
        took = _median_ms(partial(cell_states, geometry, rows, {1, 4}))
        yield [f"recolouring {name}", "24 disks × 200 rows (at most 16 ms)", f"{took:.2f} ms"]


def _candidates() -> Iterator[list[str]]:
    for pool in ("4x8TB", "8x8TB", "24x8TB", "12x8TB+12x4TB"):
        members = imagined_members(parse_pool(pool))
        prepared = enumerate_plans(members)
        once = _median_ms(partial(enumerate_plans, members))
        each = _median_ms(partial(rank, prepared, Wishes()))
        ranked = rank(prepared, Wishes()).candidates
        told = _median_ms(partial(_tell, ranked))
        yield [
            f"candidates of {pool}",
            f"{len(prepared)} plans and their losses, once (at most 150 ms)",
            f"{once:.1f} ms",
        ]
        yield [f"ranking of {pool}", "each time a slider moves (at most 3 ms)", f"{each:.2f} ms"]
        yield [f"reasons of {pool} in words", "each time a slider moves", f"{told:.2f} ms"]


def _speeds() -> Iterator[list[str]]:
    for name, plan in {
        "raid10 f2": _plan("raid10", "f2", 8),
        "raid6": _plan("raid6", None, 24),
        "raid0 of raid1": _mirrors(24),
    }.items():
        took = _median_ms(partial(performance_of, plan))
        count = sum(1 for _ in plan.disks())
        yield [f"speeds of {name}", f"{count} disks, every workload and state (at most 10 ms)", f"{took:.2f} ms"]
    for pool in ("24x8TB", "12x8TB+12x4TB"):
        plans = [one.plan for one in enumerate_plans(imagined_members(parse_pool(pool)))]
        took = _median_ms(partial(_all_speeds, plans))
        yield [
            f"speeds of {pool}",
            f"all {len(plans)} candidates, as they are ranked (at most 500 ms)",
            f"{took:.0f} ms",
        ]


def _all_speeds(plans: Iterable[Plan]) -> None:
    for plan in plans:
        predictions_of(plan)


def _tell(ranked: Iterable[Candidate]) -> None:
    for one in ranked:
        gist_words(one)
        why_words(one, str)


def _assess() -> Iterator[list[str]]:
    lines = "\n".join([json.dumps(dump_plan(_plan("raid10", "f2", 8)))] * 400)
    command = [sys.executable, "-m", "raidwright", "assess", "--json", "-"]
    took = _median_ms(partial(subprocess.run, command, input=lines, text=True, stdout=subprocess.DEVNULL, check=True))
    yield [
        "raidwright assess -",
        "400 plans as JSON lines (at most 4500 ms; 2000 asked, 2200 at its best)",
        f"{took:.0f} ms",
    ]


def run() -> None:
    """Print the medians of ``ROUNDS`` runs."""
    rows = [*_survival(), *_geometry(), *_stage(), *_candidates(), *_speeds(), *_assess()]
    report("core", ["what", "of", "median"], rows)
