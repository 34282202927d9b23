"""Empty slots in words: each lost member by itself, and slots in which no disk was ever seen, together."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raidwright.machine.states.volume import State, Volume
from raidwright.text.catalogue import joined, ntr, tr, with_commas

from . import condition as words


def lacks_words(array: State) -> str:
    """Return what became of each lost member; several slots in which none was seen from here in one sentence."""
    if array.has_open_slots:
        return open_words(array)
    unseen = _unseen(array)
    if len(unseen) < 2:
        return joined(*dict.fromkeys(words.lack_words(array, lack) for lack in array.lacks))
    told = (words.lack_words(array, lack) for lack in array.lacks if lack.slot not in unseen)
    empty = tr("Slots {slots} are empty; which disks were in them has not been seen from here.", slots=spans(unseen))
    return joined(*told, empty)


def _unseen(array: State) -> frozenset[int]:
    if isinstance(array, Volume):
        return frozenset()
    quiet = (lack for lack in array.lacks if lack.last is None and not words.waiting_words(array, lack))
    return frozenset(lack.slot for lack in quiet if not words.coming(array, lack) and not words.failed(array, lack))


def is_usual(array: State) -> bool:
    """Return whether a mirror that ``has_open_slots`` has as many empty as filled: bays that wait for disks."""
    return array.has_open_slots and len(array.lacks) >= len(array.working)


def slots_label(slots: Collection[int]) -> str:
    """Return ``slot 2`` or ``slots 2, 4 to 31``."""
    return ntr("slot {slots}", "slots {slots}", len(slots), slots=spans(slots))


def open_badge(array: State) -> str:
    """Return the state of a mirror that ``has_open_slots``."""
    count = len(array.lacks)
    return ntr("{count} of {slots} slots is empty", "{count} of {slots} slots are empty", count, slots=array.slots)


def open_words(array: State) -> str:
    """Return which slots of a mirror that ``has_open_slots`` are empty, and why that need be no loss."""
    return ntr(
        "Slot {slots} is empty; no disk was ever seen in it from here. Makers of NAS keep a slot for each bay in the "
        "arrays of their system; if a disk was in it, it is lost.",
        "Slots {slots} are empty; no disk was ever seen in them from here. Makers of NAS keep a slot for each bay in "
        "the arrays of their system; if a disk was in one, it is lost.",
        len(array.lacks),
        slots=spans(lack.slot for lack in array.lacks),
    )


def spans(slots: Iterable[int]) -> str:
    """Return ``2, 4 to 31``."""
    found: list[list[int]] = []
    for slot in sorted(slots):
        if found and slot == found[-1][-1] + 1:
            found[-1] = [found[-1][0], slot]
        else:
            found.append([slot])
    return with_commas(
        *(str(one[0]) if len(one) == 1 else tr("{first} to {last}", first=one[0], last=one[-1]) for one in found)
    )
