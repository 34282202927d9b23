"""md's present action on an array in words; the first sync of a new raid5 is told from a rebuild."""

from __future__ import annotations

from raidwright.core.md.layouts import Level
from raidwright.core.md.sync import IDLE
from raidwright.core.messages import say
from raidwright.core.protocol.facts import ParityState
from raidwright.machine.states.volume import State, Volume
from raidwright.text.catalogue import ntr, tr, translated
from raidwright.text.plan.survival import in_words

from .condition import coming


def is_first_sync(array: State) -> bool:
    """Return whether md writes parity onto the last member of a new raid4 or raid5 array.

    mdadm creates these with the last member as a spare, so md reports a recovery (md(4), Create.c). It is taken for one
    only if Raidwright built the array (the helper knows of its parity), and that slot never had another disk.

    Of a joined volume, all arrays that md writes to are at their first sync.
    """
    if isinstance(array, Volume):
        busy = [band for band in array.bands if band.sync_action not in IDLE]
        return bool(busy) and all(band.sync_action == "resync" or is_first_sync(band) for band in busy)
    if array.level not in (Level.RAID4, Level.RAID5) or array.sync_action != "recover" or len(array.lacks) != 1:
        return False
    lack, is_own = array.lacks[0], array.facts is not None and array.facts.parity is ParityState.SOUND
    is_last = lack.slot == array.slots - 1 and lack.last is None
    return is_own and is_last and not array.former and coming(array, lack) is not None


_ACTIONS = {
    "resync": say("First sync"),
    "recover": say("Rebuild"),
    "check": say("Check"),
    "repair": say("Repair"),
    "reshape": say("Reshape"),
}


def action_words(array: State) -> str:
    """Return md's present action, to begin a line with; a newer kernel's by its own name."""
    if not is_first_sync(array):
        return translated(_ACTIONS.get(array.sync_action, array.sync_action))
    if isinstance(array, Volume):
        return ntr(
            "First sync of the array",
            "First sync of all {number} arrays",
            len(array.bands),
            number=in_words(len(array.bands)),
        )
    return tr("First sync (parity is being written)")
