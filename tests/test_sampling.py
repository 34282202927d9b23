"""The seeded sample of long files: of files that exist, the same for a seed, and all of them over some commits."""

from __future__ import annotations

from pathlib import Path

from .sampling import SECONDS, drawn

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
