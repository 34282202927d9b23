"""A practice machine whose processor others want: it says that its figures don't count."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab.host_load import is_busy
from raidwright.lab.machine import Lab

from tests.kit.quiet import Quiet

pytestmark = pytest.mark.lab
_OTHERS = 4


@pytest.fixture
def crowd(lab: Lab) -> Iterator[None]:
    """Programs that take the one processor which the guest, and they, may be on."""
    kernel = int((lab.directory / "kernel/pid").read_text())
    places = os.sched_getaffinity(kernel)
    _keep_on(kernel, {min(places)})
    argv = ["taskset", "--cpu-list", str(min(places)), sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(argv) for _ in range(_OTHERS)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
        _keep_on(kernel, places)


def _keep_on(kernel: int, places: set[int]) -> None:
    for pid in (kernel, *map(int, Path(f"/proc/{kernel}/task/{kernel}/children").read_text().split())):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(pid, places)


@pytest.mark.usefixtures("crowd")
def test_it_waits_for_its_processor_and_says_so(lab: Lab) -> None:
    quiet = Quiet(lab.host_load)
    before = lab.host_load()
    lab.exec(["sh", "-c", "dd if=/dev/zero of=/dev/null bs=1 >/dev/null 2>&1 </dev/null & sleep 4"])
    share = quiet.waited_share()
    assert is_busy(share), share
    lab.exec(["pkill", "dd"])
    now = lab.host_load()
    assert now.waited_s[0] > before.waited_s[0]  # what dd waited is still counted
    assert all(sum_s >= former_s for sum_s, former_s in zip(now.waited_s, before.waited_s, strict=True))
