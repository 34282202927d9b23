"""The seeded sample of long files: of files that exist, the same for a seed, and each once in a row of commits."""

from __future__ import annotations

from pathlib import Path

from .sampling import SECONDS, a_third, drawn, shares

LAB = Path(__file__).parent / "lab"


def test_every_long_file_exists() -> None:
    """A file that gets another name would run each time without a word."""
    assert not [name for name in SECONDS if not (LAB / name).exists()]


def test_so_many_states_in_a_row_as_there_are_shares_take_each_file_once() -> None:
    count = len(shares())
    taken = [name for seed in range(1448, 1448 + count) for name in drawn(seed)]
    assert sorted(taken) == sorted(SECONDS)
    assert max(len(drawn(seed)) for seed in range(count)) < len(SECONDS) / 2


def test_three_states_in_a_row_open_each_page_once() -> None:
    pages = range(127)
    assert sorted(page for seed in (1448, 1449, 1450) for page in a_third(pages, seed)) == list(pages)
