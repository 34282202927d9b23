"""``make test`` takes some of the practice machine's files that last long, by a seed; ``make test WHOLE=1`` takes all.

Together they last three quarters of an hour, and a push may wait for a few minutes of them. The seed is the number of
commits: a state is tested by the same files again, the next one by others. Likewise a third of the cases of a test that
opens each page of the window (the mark ``each_page``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import pytest

Case = TypeVar("Case")
OPTION = "--sample"
EACH_PAGE = "each_page"
_TURN_S = 300
_THIRD = 3
SECONDS = {  # each file's own, on two cores that four workers share
    "test_alerts_lab.py": 80,
    "test_arrays_here_sample.py": 110,
    "test_arrays_in_use.py": 70,
    "test_attack_sample.py": 200,
    "test_attacks_again.py": 320,
    "test_bad_blocks_lab.py": 150,
    "test_baseline_lab.py": 100,
    "test_boot_sample.py": 110,
    "test_cards_lab.py": 110,
    "test_cards_of_more_lab.py": 70,
    "test_change_attacks.py": 180,
    "test_change_cuts.py": 160,
    "test_change_exchange.py": 230,
    "test_change_hidden_end.py": 90,
    "test_change_sample.py": 290,
    "test_config_lines_sample.py": 60,
    "test_damaged_records.py": 50,
    "test_disk_kinds.py": 110,
    "test_disks_in_use.py": 80,
    "test_export_lab.py": 320,
    "test_facts_lab.py": 260,
    "test_failing_lab.py": 90,
    "test_faults_sample.py": 210,
    "test_foreign_make_lab.py": 80,
    "test_fuzz_sample.py": 60,
    "test_joined_build.py": 510,
    "test_joined_care.py": 110,
    "test_joined_growth.py": 160,
    "test_joined_journey.py": 180,
    "test_joined_lab.py": 120,
    "test_joined_power_cut.py": 310,
    "test_joined_remnants.py": 240,
    "test_joined_replace.py": 110,
    "test_lab_kernels.py": 60,
    "test_layers_lab.py": 260,
    "test_locate_lab.py": 50,
    "test_lost_disk.py": 70,
    "test_lost_journal.py": 260,
    "test_moved_array.py": 190,
    "test_newer_debian.py": 70,
    "test_parted_halves.py": 200,
    "test_predict_sample.py": 150,
    "test_prove_sample.py": 110,
    "test_rescue_evidence.py": 200,
    "test_rescue_own_devices.py": 240,
    "test_rescue_lvm.py": 80,
    "test_rescue_sample.py": 110,
    "test_shootout_sample.py": 330,
    "test_sleeping_disks.py": 70,
    "test_ssh_lab.py": 50,
    "test_stopped_arrays.py": 160,
    "test_suites_and_sweeps.py": 110,
    "test_tour_lab.py": 70,
    "test_undo_sample.py": 110,
    "test_waiting_arrays.py": 220,
    "test_what_is_beside.py": 50,
}


def add_option(parser: pytest.Parser) -> None:
    """Add the option that takes the seed; without it all files are taken."""
    parser.addoption(OPTION, type=int, metavar="SEED", help="take some of the files that last long, not all")


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Return True for a long file that isn't drawn."""
    return path.name in SECONDS and path.name not in _taken(config)


def leave_out_pages(items: list[pytest.Item], config: pytest.Config) -> None:
    """Take two of three cases out of ``items`` where they open each page, if a sample is wanted."""
    seed = config.getoption(OPTION)
    if seed is None:
        return
    cases = [item for item in items if item.get_closest_marker(EACH_PAGE)]
    out = set(cases) - set(a_third(cases, seed))
    config.hook.pytest_deselected(items=list(out))
    items[:] = [item for item in items if item not in out]


def a_third(cases: Sequence[Case], seed: int) -> Sequence[Case]:
    """Return every third of ``cases``; three seeds in a row take all."""
    return cases[seed % _THIRD :: _THIRD]


def said(config: pytest.Config) -> str:
    """Return the long files that are taken, as a line for the head of the output."""
    seed, taken = config.getoption(OPTION), sorted(_taken(config))
    which = f"{len(taken)} by seed {seed}" if seed is not None else "all"
    return f"files that last long: {which} of {len(SECONDS)}: {', '.join(taken)}"


def _taken(config: pytest.Config) -> set[str]:
    seed = config.getoption(OPTION)
    return set(SECONDS) if seed is None else set(drawn(seed))


def drawn(seed: int) -> Sequence[str]:
    """Return the files of one of ``shares``; so many seeds in a row take all."""
    parts = shares()
    return parts[seed % len(parts)]


def shares() -> list[list[str]]:
    """Return the files in lists that fit a turn; a file that lasts longer has one of its own."""
    parts: list[list[str]] = []
    for name in sorted(SECONDS, key=lambda name: (-SECONDS[name], name)):
        fitting = (part for part in parts if sum(map(SECONDS.__getitem__, part)) + SECONDS[name] <= _TURN_S)
        part = next(fitting, None)
        if part is None:
            parts.append(part := [])
        part.append(name)
    return parts
