"""Prints the ranking of each pool with its reasons, and whether its first pick would be signed.

All rows go to build/checks/ranking.csv; 1 when a first pick wouldn't be.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator

from raidwright.cli.candidates import layout_name
from raidwright.core.sizes import decimal_size
from raidwright.text.candidates import gist_words, why_words
from raidwright.text.loss import chance_in_brief

from ..benchmarks.table import CHECKS
from .drawn import drawn, objections
from .signed import POOLS, Pool

_SHOWN = 6
_DRAWN, _SEED = 20, 1
_COLUMNS = ("pool", "place", "layout", "space", "array loss", "sector loss", "score", "signed", "gist", "why")


def rows(pool: Pool) -> Iterator[tuple[str, ...]]:
    """The pool's candidates, best first."""
    for place, one in enumerate(pool.ranking().candidates, start=1):
        prepared, name = one.prepared, layout_name(one.prepared.plan)
        yield (
            f"{pool.text} {pool.kind or ''}".strip(),
            str(place),
            name,
            decimal_size(prepared.array_bytes),
            chance_in_brief(prepared.array_loss),
            chance_in_brief(prepared.sector_loss),
            f"{one.score:.3f}",
            "yes" if name in pool.signed else "",
            gist_words(one),
            why_words(one, layout_name),
        )


def _show(found: list[tuple[str, ...]]) -> None:
    for _, place, name, space, array, sectors, score, _, gist, why in found[:_SHOWN]:
        print(f"  {place} {name}: {space}, array {array}, a sector {sectors}, {score} ({gist})\n      {why}")


def main() -> int:
    """Print the first of each pool, and keep them all."""
    CHECKS.mkdir(parents=True, exist_ok=True)
    wrong = 0
    with (CHECKS / "ranking.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(_COLUMNS)
        for pool in POOLS:
            found = list(rows(pool))
            table.writerows(found)
            signed = {row[2] for row in found[:1]} <= pool.signed
            wrong += not signed
            print(f"\n{pool.text} {pool.kind or ''}".rstrip(), "" if signed else "  ✗ nobody would sign its first")
            _show(found)
        for pool in drawn(_DRAWN, _SEED):
            found = list(rows(pool))
            table.writerows(found)
            against = list(objections(pool.ranking().candidates[0].prepared, pool.wishes))
            wrong += bool(against)
            print(f"\n{pool.text} {pool.kind or ''} {pool.wishes}", "".join(f"  ✗ {one}" for one in against))
            _show(found)
    print(f"\n{len(POOLS)} pools and {_DRAWN} drawn, {wrong} first picks that nobody would sign")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
