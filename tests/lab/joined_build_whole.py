"""Builds of a joined volume whose helper is killed at each command, undone to the byte: under `make joined-check`."""

from __future__ import annotations

import pytest
from raidwright.lab.machine import Lab

from .test_joined_build import lab, verify_undone_after_a_kill

__all__ = ["lab"]
pytestmark = pytest.mark.lab


@pytest.mark.parametrize(
    "at", ["sfdisk *sdc", "mdadm --create?*heap-0*", "mdadm --create?*heap-1*", "systemd-run *vgcreate*"]
)
def test_a_killed_build_is_undone_to_the_byte(lab: Lab, at: str) -> None:
    verify_undone_after_a_kill(lab, at)
