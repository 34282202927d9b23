"""A bench of small disks for shoot-outs in a practice machine, and their commands' words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.shelf import disks_from_text

from tests.kit.shootout_bench import Bench

_SLICE_MIB = 256
OVER = ("--yes", "--overwrite-unknown", "--json")  # the bench's disks hold random bytes
WORDS = ("all", "--slice-gib", "0.25", "--suite", "buffered", "--repeats", "1", *OVER)
DEGRADED = (*WORDS, "--levels", "raid5", "--states", "degraded", "--minutes", "9")  # reached at once


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Bench(tmp_path_factory.mktemp("store"), disks_from_text("4x2GB", at_memory_speed=True), _SLICE_MIB) as made:
        yield made
