"""The tests' schedule: the longest files first, other tests in the remaining time.

Three workers take the files in order, of which those with practice machines take longest, and often wait. A fourth
takes them from the other end, at a lower priority than the others, whose timing matters. So the last ones are neither
long nor all at one worker.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections import defaultdict
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

from .sampling import SECONDS, name_of

_FOURTH = "gw3"
_NICE = 5
_TESTS = Path(__file__).parent
_TEST_S = {"lab": 6, "ui": 0.6, "bus": 0.2, "unit": 0.1}  # about, where a test's own isn't known


def longest_first(items: list[pytest.Item]) -> None:
    """Sort ``items`` by how long their files last."""
    lasts = defaultdict[Path, float](float)
    for item in items:
        lasts[item.path] += SECONDS.get(name_of(item)) or _TEST_S.get(item.path.parent.name, 1)
    items.sort(key=lambda item: -SECONDS.get(item.path.name, lasts[item.path]))


def compile_a_part() -> None:
    """Have pytest rewrite this worker's share of the tests: in a new checkout each worker would rewrite them all."""
    worker, count = os.environ.get("PYTEST_XDIST_WORKER", ""), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if not worker or any((_TESTS / "unit").glob("__pycache__/*pytest*.pyc")):
        return
    for path in sorted(_TESTS.rglob("test_*.py"))[int(worker.removeprefix("gw")) :: count]:
        with contextlib.suppress(Exception):  # told when it is collected
            importlib.import_module(".".join(path.relative_to(_TESTS.parent).with_suffix("").parts))


class Turns(LoadFileScheduling):
    """Keeps a file's tests together and in order; the fourth worker takes files from the end."""

    def _assign_work_unit(self, node: WorkerController) -> None:  # xdist has no public interface for this
        if node.gateway.id == _FOURTH:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def step_back() -> None:
    """Lower the fourth worker's priority, and its children's."""
    if os.environ.get("PYTEST_XDIST_WORKER") == _FOURTH:
        os.nice(_NICE)
