"""Attack on arrays in every state by acts in drawn sequences, while others look: no file may be lost by it.

Nobody gives anything up: no act has a word that lets data go. Whatever was written must be there afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from ..kit import check
from .bench import Bench, Done
from .states import DISKS, STATES, State

_ACTS = 8


def attacked(states: Sequence[State], seed: int, count: int, only: str = "") -> Iterator[tuple[State, Done]]:
    """Yield what each act did in each of ``states`` that its Linux has, on a practice machine of its own."""
    disks = disks_from_text(DISKS, at_memory_speed=True)
    with start(LabSpec(disks)) as lab:
        bench = Bench(lab, [disk.serial for disk in disks])
        for state in filter(bench.has, states):
            for done in bench.cell(state, f"{seed} {state.name}", count, only):
                yield state, done


def main() -> int:
    """Attack; return 1 if anything was lost."""
    parser = check.parser("attack-check", __doc__, seed=True, state=[state.name for state in STATES])
    parser.add_argument("--rounds", type=int, default=4, help="sequences a state")
    parser.add_argument("--acts", type=int, default=_ACTS, help="acts a sequence")
    parser.add_argument("--only", default="", help="only acts whose names contain this")
    options = parser.parse_args()
    states, met = [state for state in STATES if not options.state or state.name in options.state], set[State]()
    with check.table("attack", ("seed", "state", "act", "answer", "lost")) as table:
        for number in range(options.rounds):
            seed = options.seed + number
            for state, done in attacked(states, seed, options.acts, options.only):
                met.add(state)
                row = (seed, state.name, done.act, done.answer, "; ".join(done.lost))
                line = f"{state.name}: {done.act}: {done.answer or 'done'}" + "".join(
                    f"\n    LOST: {one}" for one in done.lost
                )
                table.add(row, line, holds=not done.lost)
        if missing := [state.name for state in states if state not in met]:
            print(f"this Linux lacks: {', '.join(missing)}")
        return table.verdict(f"{table.rows} acts with seed {options.seed}, {table.wrong} that lost something")


if __name__ == "__main__":
    sys.exit(main())
