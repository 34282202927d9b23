"""The seeded sample of long files: of files that exist, the same for a seed, and all of them over some commits."""

from __future__ import annotations

from pathlib import Path

from .sampling import SECONDS, a_third, drawn

LAB = Path(__file__).parent / "lab"
COMMITS = 200


def test_every_long_file_exists() -> None:
    """A file that gets another name would run each time without a word."""
    assert not [name for name in SECONDS if not (LAB / name).exists()]


def test_each_file_gets_its_turn() -> None:
    samples = [list(drawn(seed)) for seed in range(COMMITS)]
    assert samples == [list(drawn(seed)) for seed in range(COMMITS)]
    assert set().union(*samples) == SECONDS.keys()
    assert all(0 < len(sample) < len(SECONDS) / 2 for sample in samples)


def test_three_states_in_a_row_open_each_page_once() -> None:
    pages = range(127)
    assert sorted(page for seed in (1448, 1449, 1450) for page in a_third(pages, seed)) == list(pages)
