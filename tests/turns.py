"""How the tests share a computer: practice machines come first, whatever needs none fills the time that they leave.

Three workers take the files in their order, of which those with practice machines take longest, and often wait. A
fourth takes them from the other end, and steps back for the others, whose clocks somebody reads.
"""

from __future__ import annotations

import os

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

_FOURTH = "gw3"
_NICE = 5


class Turns(LoadFileScheduling):
    """A file's tests stay together and in their order; the fourth worker takes files from the end."""

    def _assign_work_unit(self, node: WorkerController) -> None:  # xdist has no public way to choose
        if node.gateway.id == _FOURTH:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def step_back() -> None:
    """In the fourth worker: with less of the processor, as its children."""
    if os.environ.get("PYTEST_XDIST_WORKER") == _FOURTH:
        os.nice(_NICE)
