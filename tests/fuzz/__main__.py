"""Attack on the installed helper in the practice machine by random calls of ordinary users and administrators."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator

from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from ..kit import check
from . import judgement
from .scene import POOL, set_up
from .storm import Seen, everybody, ordinary_users

_ORDINARY_SHARE = 0.6


async def attack(calls: int, seed: int) -> tuple[tuple[Seen, Seen], list[str]]:
    """Run both storms in a lab of their own; return what was seen, and every fault."""
    with start(LabSpec(disks_from_text(POOL, at_memory_speed=True))) as lab:
        scene = await set_up(lab)
        alone = await ordinary_users(scene, int(calls * _ORDINARY_SHARE), seed)
        print(judgement.summary("ordinary users alone", alone), flush=True)
        together = await everybody(scene, calls - alone.calls, seed + 1)
        print(judgement.summary("everybody at once", together), flush=True)
        return (alone, together), judgement.faults(lab, alone, together)


def _rows(storms: tuple[Seen, Seen]) -> Iterator[tuple[str, ...]]:
    for name, seen in zip(("alone", "together"), storms, strict=True):
        for role, tally in seen.tallies.items():
            for (kind, answer), count in sorted(tally.answers.items()):
                yield name, role, kind, answer, str(count)
        for what, count in sorted(seen.builds.items()):
            yield name, "admin", "honest builds", what, str(count)


def main() -> int:
    """Attack; return 1 when there was a fault."""
    parser = check.parser("fuzz", __doc__, seed=True)
    parser.add_argument("--calls", type=int, default=100_000)
    options = parser.parse_args()
    storms, faults = asyncio.run(attack(options.calls, options.seed))
    check.report("fuzz", ("storm", "who", "attack", "answer", "calls"), list(_rows(storms)))
    print(f"{sum(seen.calls for seen in storms)} calls with seed {options.seed}, {len(faults)} faults")
    for fault, times in Counter(fault[:4000] for fault in faults).most_common(40):
        print(f"    {times} x {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
