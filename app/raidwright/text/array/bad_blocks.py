"""md's lists of bad blocks on an array's members, counted and in words."""

from __future__ import annotations

from raidwright.machine.states.volume import State
from raidwright.text.catalogue import ntr, with_commas


def bad_sectors(array: State) -> int:
    """Return the number of sectors in md's bad block lists of all members."""
    return sum(count for _, count in array.facts.bad_sectors) if array.facts else 0


def bad_sectors_words(array: State) -> str:
    """Return the number of sectors in md's bad block list of each member that has one."""
    listed = array.facts.bad_sectors if array.facts else ()
    each = (ntr("{count} sector of {disk}", "{count} sectors of {disk}", count, disk=disk) for disk, count in listed)
    return with_commas(*each)
