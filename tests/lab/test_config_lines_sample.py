"""Two forms of mdadm.conf's lines, with arrays assembled by a real md; ``make config-check`` tests all."""

from __future__ import annotations

import pytest
from raidwright.lab.machine import Lab

from .config_lines import bring_up, mirror

pytestmark = pytest.mark.lab


def test_a_name_over_comments_and_a_stale_word_bring_the_array_up(lab: Lab) -> None:
    with mirror(lab) as tank:
        bring_up(lab, tank, ("comment between", "old name"))
