"""The place at which a reshape of a parity level has stopped, and the next one at which all of the array can be read.

While a reshape doesn't run, a read of a stripe of the old shape that has been moved in part never ends: md waits for
the reshape to pass (kernel ``raid5.c``, stripe_ahead_of_reshape). Where the reshape has stopped at the end of a stripe
of the old shape, there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeldPlace:
    """A reshape that goes forwards and has got to ``position``, in the array's sectors (md.rst, reshape_position).

    ``old_data`` and ``new_data`` are the data disks of a stripe before and after, the chunks their sectors.
    """

    position: int
    old_data: int
    new_data: int
    old_chunk: int
    new_chunk: int

    @property
    def is_readable(self) -> bool:
        """True if no stripe of the old shape has been moved in part."""
        return self.position % (self.old_data * self.old_chunk) == 0

    @property
    def next_readable(self) -> int:
        """The next place that is, from here on, at which md can be held: along each member, in sectors (sync_max)."""
        step = math.lcm(self.old_data * self.old_chunk, self.new_data * max(self.old_chunk, self.new_chunk))
        return -(-self.position // step) * step // self.new_data
