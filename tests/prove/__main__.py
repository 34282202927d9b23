"""Comparison of the core's figures with the real md and mdadm; every difference is printed."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, product

from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.lab import machine

from ..kit import check, kernels
from . import cells, creations, failures, growths, guest, joined
from .growth_plans import growth_plans
from .plans import large_plans, random_plans

GENERATIONS = {name: (generation, kernels.MDADM[generation]) for name, generation in kernels.BY_MDADM.items()}
_TRIED = [str(kernels.MDADM[generation]) for generation in kernels.tried()]
_PROGRESS_SECONDS = 60  # the changes take an hour
_PARTS = 3  # machines per version that share the changes (each mostly waits), besides one for all other proofs


def main() -> int:
    """Run the proofs; return 1 when anything differs."""
    parser = check.parser("prove", __doc__, seed=True, mdadm=sorted(GENERATIONS))
    parser.add_argument("--creations", type=int, default=500, help="random create commands a version")
    parser.add_argument("--only", default="", help="only the proofs whose names contain this, as growths")
    options = parser.parse_args()
    parts = list(product(range(1 + _PARTS), options.mdadm or _TRIED))
    with (
        check.table("prove", ("mdadm", "proof", "what", "said", "found", "difference")) as table,
        ThreadPoolExecutor(len(parts)) as pool,  # each in a machine of its own
    ):
        for row in chain.from_iterable(pool.map(partial(rows, options), parts)):
            table.add(row, holds=not row[-1])
    return table.verdict(f"{table.rows} comparisons, {table.wrong} differences")


def rows(options: argparse.Namespace, which: tuple[int, str]) -> list[tuple[str, ...]]:
    """Return the table's rows of a part, for one mdadm; print a difference as soon as it is found."""
    part, version = which
    found: list[tuple[str, ...]] = []
    for proof, comparison in prove(version, part, options.seed, options.creations, options.only):
        found.append((version, proof, *_columns(comparison)))
        if comparison.difference:
            print(f"DIFFERENT mdadm {version}, {proof}", *_columns(comparison), sep="\n    ", flush=True)
    return found


def _columns(comparison: creations.Comparison) -> tuple[str, str, str, str]:
    return comparison.what, comparison.said, comparison.found, comparison.difference


def prove(version: str, part: int, seed: int, count: int, only: str = "") -> Iterator[tuple[str, creations.Comparison]]:
    """Yield the comparisons of a part, with their proof's name, on one generation of the practice machine."""
    generation, mdadm = GENERATIONS[version]
    with machine.start(machine.LabSpec(generation=generation)) as lab:
        guest.install(lab)
        said = lab.exec(["mdadm", "--version"]).stderr.decode().strip()
        print(f"{said}; seed {seed}, {count} random creations", flush=True)
        proofs = (_changes(lab, mdadm, part),) if part else _proofs(lab, mdadm, seed, count)
        for proof, comparisons in ((proof, found) for proof, found in proofs if only in proof):
            number = refused = 0
            started = printed = time.monotonic()
            for comparison in comparisons:
                number += 1
                refused += comparison.said.startswith("refused")
                yield proof, comparison
                if time.monotonic() - printed > _PROGRESS_SECONDS:
                    printed = time.monotonic()
                    print(f"  {version} {proof}: {number} so far", flush=True)
            seconds = time.monotonic() - started
            print(f"  {version} {proof}: {number} compared, {refused} of them refusals, {seconds:.0f} s", flush=True)


def _proofs(
    lab: machine.Lab, mdadm: MdadmVersion, seed: int, count: int
) -> Iterator[tuple[str, Iterator[creations.Comparison]]]:
    yield "creations", creations.compare(lab, mdadm, guest.possible(lab, random_plans(seed, count)))
    yield "large members", creations.compare(lab, mdadm, guest.possible(lab, large_plans()))
    yield "cells", cells.compare(lab, mdadm, guest.possible(lab, cells.layouts()))
    yield "failures", failures.compare(lab, guest.possible(lab, failures.plans()))
    yield "joined", joined.compare(lab, mdadm, seed)


def _changes(lab: machine.Lab, mdadm: MdadmVersion, part: int) -> tuple[str, Iterator[creations.Comparison]]:
    plans = list(guest.possible(lab, growth_plans()))[part - 1 :: _PARTS]
    return f"growths {part}/{_PARTS}", growths.compare(lab, mdadm, [(plan, growths.ways(plan)) for plan in plans])


if __name__ == "__main__":
    sys.exit(main())
