"""The seeded sample of what lasts long: of tests that exist, the same for a seed, and each once in a row of commits."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from raidwright.lab.image import Generation

from .sampling import EACH_KERNEL, SECONDS, a_third, drawn, drawn_generation, shares

TESTS = Path(__file__).parent
LAB = TESTS / "lab"
RUN_PARTLY = {"test_helper_lab.py"}  # each time: something is denied, built, undone and measured
PROOFS = {  # each with its drawn part, and what holds it
    "prove": ("test_prove_sample.py", "prove/*.py"),
    "faults": ("test_faults_sample.py", "faults/*.py"),
    "undo-check": ("test_undo_sample.py", "lab/undo_*.py"),
    "arrays-check": ("test_lost_disk.py", "lab/*s_whole.py"),
    "change-check": ("test_change_sample.py", "lab/change_*.py"),
    "rescue-check": ("test_rescue_sample.py", "lab/rescue_*.py"),
    "joined-check": ("test_joined_growth.py", "joined_check/*.py"),
    "arrays-here-check": ("test_arrays_here_sample.py", "arrays_here/*.py"),
    "config-check": ("test_config_lines_sample.py", "lab/config_*.py"),
    "attack-check": ("test_attack_sample.py", "attack_check/*.py"),
}


def _tests_of(name: str) -> set[str]:
    text = (LAB / name).read_text(encoding="utf-8")
    return {f"{name}::{test}" for test in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}


def test_what_lasts_long_exists() -> None:
    """A file or a test that gets another name would run each time without a word."""
    files = {name.partition("::")[0] for name in SECONDS}
    there = {path.name for path in LAB.iterdir()}
    gone = files - there
    assert not gone
    in_parts = {name.partition("::")[0] for name in SECONDS if "::" in name}
    drawn_twice = in_parts & SECONDS.keys()
    assert not drawn_twice
    named = {name.partition("[")[0] for name in SECONDS if "::" in name}
    tests = {test for name in in_parts for test in _tests_of(name)}
    renamed = named - tests
    assert not renamed
    unnamed = {test for test in tests - named if test.partition("::")[0] not in RUN_PARTLY}
    assert not unnamed


def test_so_many_states_in_a_row_as_there_are_shares_take_each_once() -> None:
    count = len(shares())
    taken = [name for seed in range(1448, 1448 + count) for name in drawn(seed)]
    assert sorted(taken) == sorted(SECONDS)
    assert max(len(drawn(seed)) for seed in range(count)) < len(SECONDS) / 2


def test_three_states_in_a_row_take_each_case_once() -> None:
    cases = range(127)
    assert sorted(case for seed in (1448, 1449, 1450) for case in a_third(cases, seed)) == list(cases)


def test_each_file_goes_round_the_kernels_as_its_turn_comes_again() -> None:
    count, every = len(shares()), set(Generation)
    assert {drawn_generation(seed) for seed in (1448, 1449, 1450)} == every
    for share in range(count):
        assert {drawn_generation(share + turn * count) for turn in (100, 101, 102)} == every


@pytest.mark.parametrize("proof", PROOFS)
def test_a_proof_and_its_drawn_part_run_on_the_kernel_that_is_asked_for(proof: str) -> None:
    sample, parts = PROOFS[proof]
    asked = ["make", "--print-data-base", "--dry-run", "--directory", str(TESTS.parent), proof, "KERNEL=7.2"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert re.search("^RAIDWRIGHT_GENERATION := forky$", said, re.MULTILINE)
    assert "--kernel" not in said
    assert EACH_KERNEL in (LAB / sample).read_text(encoding="utf-8")
    for part in (LAB / sample, *TESTS.glob(parts)):
        assert not re.search(r"Generation\.[A-Z]", part.read_text(encoding="utf-8")), part
