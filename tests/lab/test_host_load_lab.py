"""A practice machine whose processor others want: it says that its figures don't count."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from raidwright.lab.host_load import is_busy
from raidwright.lab.machine import Lab

from tests.kit.quiet import Quiet

pytestmark = pytest.mark.lab
_OTHERS = 4


@pytest.fixture
def crowd(lab: Lab) -> Iterator[None]:
    """Programs that take the processor which the guest's kernel is on."""
    kernel = int((lab.directory / "kernel/pid").read_text())
    places = ",".join(map(str, os.sched_getaffinity(kernel)))
    argv = ["taskset", "--cpu-list", places, sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(argv) for _ in range(_OTHERS)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@pytest.mark.usefixtures("crowd")
def test_it_waits_for_its_processor_and_says_so(lab: Lab) -> None:
    quiet = Quiet(lab)
    lab.exec(["timeout", "4", "dd", "if=/dev/zero", "of=/dev/null", "bs=1", "status=none"], check=False)
    share = quiet.waited_share()
    assert is_busy(share), share
    assert quiet.waited_share() == share  # asked again at once


def test_both_its_processes_are_counted(lab: Lab) -> None:
    load = lab.host_load()
    assert len(load.waited_s) == 2
    assert all(waited_s > 0 for waited_s in load.waited_s[:1])
