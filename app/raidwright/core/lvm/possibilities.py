"""Later changes of a volume over arrays, each with its reason."""

from __future__ import annotations

from raidwright.core.md.reshape.possibility import Possibility, never, yes
from raidwright.core.messages import say


def volume_possibilities() -> tuple[Possibility, ...]:
    """Return every change that could or couldn't be made to a volume, each with its reason."""
    return (
        yes(
            "more-members",
            say("Each array up to the size of the new disk takes a slice of it, and LVM adds the space to the volume."),
        ),
        yes("larger-members", say("What a larger disk has more can be used once enough others are as large.")),
        *never(("chunk", "layout"), say("Each of the joined arrays has its own.")),
        *never(
            ("raid0", "raid1", "raid4", "raid5", "raid6", "raid10"),
            say("Joined arrays can't be made into a single one."),
        ),
    )
