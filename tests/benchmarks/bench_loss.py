"""Speed of the loss model: a candidate, all of a pool, a slider, and a simulation of a million array-decades."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from raidwright.analysis.advice.candidates import Prepared, enumerate_plans
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.chains import chain_of
from raidwright.analysis.reliability.loss import ideal_loss, likely_loss, loss_of
from raidwright.analysis.reliability.simulation import simulate, story_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.reading.pool import imagined_members, parse_pool

from ..kit.check import report
from .timing import median_ms

ROUNDS = 15
_median_ms = partial(median_ms, rounds=ROUNDS)


def _plan(level: str, layout: str | None, count: int, spares: int = 0) -> Plan:
    disks = imagined_members(parse_pool(f"{count + spares}x8TB"))
    return Plan(MdArray(Level(level), disks[:count], layout=layout, spares=disks[count:]))


def _solver() -> Iterator[list[str]]:
    for level, layout, count, spares in (
        ("raid1", None, 2, 0),
        ("raid5", None, 8, 0),
        ("raid6", None, 12, 1),
        ("raid6", None, 24, 0),
        ("raid10", "n2", 24, 0),
        ("raid10", "n2", 24, 1),
        ("raid10", "f2", 8, 0),
        ("raid10", "f2", 8, 1),
        ("raid10", "f2", 24, 0),
        ("raid10", "f3", 24, 0),
        ("raid10", "f2", 64, 0),
    ):
        plan = _plan(level, layout, count, spares)
        capacity, assumptions = capacity_of(plan.top), Assumptions()
        name = f"{level} {layout or ''} ×{count}" + (f" + {spares}" if spares else "")
        took = _median_ms(partial(likely_loss, plan, assumptions, 5.0, capacity))
        yield [f"likely loss of {name}", "array and sectors, medians of 128 draws", f"{took:.2f} ms"]
        took = _median_ms(partial(loss_of, plan, assumptions, 5.0, capacity=capacity))
        yield [f"loss of {name}", "range of 128 draws, tornado, 20 steps", f"{took:.2f} ms"]
        took = _median_ms(partial(ideal_loss, plan, 0.015, 24.0, 5.0))
        yield [f"ideal loss of {name}", "P and MTTDL, capacity included", f"{took:.2f} ms"]


def _candidates() -> Iterator[list[str]]:
    alike = imagined_members(parse_pool("24x8TB"))
    uneven = tuple(replace(disk, afr=0.01 + 0.001 * number) for number, disk in enumerate(alike))
    for whose, members in (("24 disks", alike), ("24 disks of 24 rates", uneven)):
        prepared = enumerate_plans(members)
        what = f"likely losses of {len(prepared)} candidates of {whose}"
        chain_of.cache_clear()
        first = _median_ms(partial(_all_of_them, prepared, 5.0), rounds=1)
        again = _median_ms(partial(_all_of_them, prepared, 6.0))
        yield [what, "the first time (chains are built)", f"{first:.1f} ms"]
        yield [what, "each time a slider moves (at most 50 ms)", f"{again:.1f} ms"]


def _all_of_them(prepared: Iterable[Prepared], years: float) -> None:
    for item in prepared:
        likely_loss(item.plan, Assumptions(), years, item.assessment.capacity)


def _simulation() -> Iterator[list[str]]:
    for level, layout, count in (("raid6", None, 8), ("raid10", "f2", 8)):
        plan = _plan(level, layout, count)
        story = story_of(plan, Assumptions())
        for arrays in (10_000, 100_000, 1_000_000):
            started = time.process_time()
            seen = simulate(plan, story, 10.0, arrays, seed=1)
            seconds = time.process_time() - started
            low, high = seen.interval(seen.sectors)
            what = f"simulation of {level} {layout or ''} ×{count}"
            yield [what, f"{arrays:,} array-decades (a million in at most 3 s)", f"{seconds:.2f} s"]
            yield [what, f"{arrays:,}: 95% interval of lost sectors", f"{low:.3g} to {high:.3g}"]
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield ["memory at most", "the whole process, after all of this", f"{peak_mib:.0f} MiB"]


def run() -> None:
    """Print the medians of ``ROUNDS`` runs, and the simulation's times on one core."""
    rows = [*_solver(), *_candidates(), *_simulation()]
    report("loss-speed", ["what", "of", "median"], rows)
