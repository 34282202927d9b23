"""Rankings of example and random pools with their reasons, and whether an expert would approve each first pick.

build/checks/ranking.csv has all rows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from raidwright.cli.candidates import layout_name
from raidwright.core.sizes import decimal_size
from raidwright.text.plan.candidates import gist_words, why_words
from raidwright.text.plan.loss import chance_in_brief

from ..kit import check
from .drawn import drawn, objections
from .signed import POOLS, Pool

_SHOWN = 6
_DRAWN, _SEED = 20, 1
_COLUMNS = ("pool", "place", "layout", "space", "array loss", "sector loss", "score", "signed", "gist", "why")


def rows(pool: Pool) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the pool's candidates, best first."""
    for place, candidate in enumerate(pool.ranking().candidates, start=1):
        prepared, name = candidate.prepared, layout_name(candidate.prepared.plan.top)
        yield (
            f"{pool.text} {pool.kind or ''}".strip(),
            str(place),
            name,
            decimal_size(prepared.array_bytes),
            chance_in_brief(prepared.array_loss),
            chance_in_brief(prepared.sector_loss),
            f"{candidate.score:.3f}",
            "yes" if name in pool.signed else "",
            gist_words(candidate),
            why_words(candidate, layout_name),
        )


def main() -> int:
    """Rank every pool; return 1 when a first pick wouldn't be approved."""
    check.parser("ranking-check", __doc__).parse_args()
    with check.table("ranking", _COLUMNS) as table:
        for pool in POOLS:
            found = list(rows(pool))
            signed = {row[2] for row in found[:1]} <= pool.signed
            print(f"\n{pool.text} {pool.kind or ''}".rstrip(), "" if signed else "  ✗ nobody would sign its first")
            _show(table, found, signed)
        for pool in drawn(_DRAWN, _SEED):
            against = list(objections(pool.ranking().candidates[0].prepared, pool.wishes))
            print(f"\n{pool.text} {pool.kind or ''} {pool.wishes}", "".join(f"  ✗ {reason}" for reason in against))
            _show(table, list(rows(pool)), not against)
    return table.verdict(f"\n{len(POOLS)} pools and {_DRAWN} drawn, {table.wrong} first picks that nobody would sign")


def _show(table: check.Table, found: list[tuple[str, ...]], signed: bool) -> None:
    table.wrong += not signed
    for row in found:
        table.add(row)
    for _, place, name, space, array, sectors, score, _, gist, why in found[:_SHOWN]:
        print(f"  {place} {name}: {space}, array {array}, a sector {sectors}, {score} ({gist})\n      {why}")


if __name__ == "__main__":
    sys.exit(main())
