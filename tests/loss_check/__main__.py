"""Loss model against published figures, Markov chains and simulation; all rows go to build/checks/loss.csv."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..kit import check
from . import agreement, coverage, headline, published, spares
from .comparison import Comparison


def comparisons(plans: int, arrays: int, draws: int, seed: int) -> Iterator[Comparison]:
    """Yield every comparison, row by row."""
    yield from published.published()
    yield from published.reference()
    yield from published.unreadable()
    yield from published.elerath()
    yield from spares.spares()
    yield from coverage.coverage(draws, seed)
    yield from headline.headlines(seed)
    yield from agreement.ideal(plans, arrays, seed)
    yield from agreement.refined(plans // 4, arrays, seed)


def main() -> int:
    """Compare; return 1 when anything doesn't hold."""
    parser = check.parser("loss-check", __doc__, seed=True)
    parser.add_argument("--plans", type=int, default=200, help="random plans, solver against simulation")
    parser.add_argument("--arrays", type=int, default=20_000, help="simulated of each plan")
    parser.add_argument("--draws", type=int, default=1_000, help="of the assumptions, for the coverage of each range")
    options = parser.parse_args()
    with check.table("loss", ("proof", "what", "said", "found", "away", "allowed", "holds")) as table:
        for row in comparisons(options.plans, options.arrays, options.draws, options.seed):
            line = f"{row.proof:16} {row.said:<14.9g} {row.found:<14.9g} {row.away:8.1e}  {row.what}"
            cells = (row.proof, row.what, row.said, row.found, row.away, row.allowed, row.holds)
            table.add(cells, line, holds=row.holds)
    return table.verdict(f"{table.rows} comparisons, {table.wrong} that don't hold")


if __name__ == "__main__":
    sys.exit(main())
