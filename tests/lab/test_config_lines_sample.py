"""Two forms of mdadm.conf's lines, with arrays assembled by a real md; ``make config-check`` tests all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .config_lines import bring_up, mirror

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with the kernel whose turn it is."""
    with start(LabSpec(disks_from_text("2x1GB", at_memory_speed=True))) as machine:
        yield machine


def test_a_name_over_comments_and_a_stale_word_bring_the_array_up(lab: Lab) -> None:
    with mirror(lab) as tank:
        bring_up(lab, tank, ("comment between", "old name"))
