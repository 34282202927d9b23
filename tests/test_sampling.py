"""The seeded sample of what lasts long: of tests that exist, the same for a seed, and each once in a row of commits."""

from __future__ import annotations

import re
from pathlib import Path

from .sampling import SECONDS, a_third, drawn, shares

LAB = Path(__file__).parent / "lab"
RUN_PARTLY = {"test_helper_lab.py"}  # each time: something is denied, built, undone and measured


def _tests_of(name: str) -> set[str]:
    text = (LAB / name).read_text(encoding="utf-8")
    return {f"{name}::{test}" for test in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}


def test_what_lasts_long_exists() -> None:
    """A file or a test that gets another name would run each time without a word."""
    files = {name.partition("::")[0] for name in SECONDS}
    there = {path.name for path in LAB.iterdir()}
    assert not files - there
    in_parts = {name.partition("::")[0] for name in SECONDS if "::" in name}
    assert not in_parts & SECONDS.keys(), "drawn whole and in parts"
    named = {name.partition("[")[0] for name in SECONDS if "::" in name}
    tests = {test for name in in_parts for test in _tests_of(name)}
    assert not named - tests
    assert not {test for test in tests - named if test.partition("::")[0] not in RUN_PARTLY}


def test_so_many_states_in_a_row_as_there_are_shares_take_each_once() -> None:
    count = len(shares())
    taken = [name for seed in range(1448, 1448 + count) for name in drawn(seed)]
    assert sorted(taken) == sorted(SECONDS)
    assert max(len(drawn(seed)) for seed in range(count)) < len(SECONDS) / 2


def test_three_states_in_a_row_open_each_page_once() -> None:
    pages = range(127)
    assert sorted(page for seed in (1448, 1449, 1450) for page in a_third(pages, seed)) == list(pages)
