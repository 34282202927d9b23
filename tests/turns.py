"""The tests' schedule: practice machines first, other tests in the remaining time.

Three workers take the files in order, of which those with practice machines take longest, and often wait. A fourth
takes them from the other end, at a lower priority than the others, whose timing matters.
"""

from __future__ import annotations

import os

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

_FOURTH = "gw3"
_NICE = 5


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
