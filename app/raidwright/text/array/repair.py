"""The note on a degraded array, shown on every station, with its remedy."""

from __future__ import annotations

from collections.abc import Callable

from raidwright.machine.states.volume import State
from raidwright.text.catalogue import ended, joined, ntr, tr
from raidwright.text.shown import Note, Offer, Severity

from . import condition as words
from .empty_slots import lacks_words, open_badge
from .sync_actions import is_first_sync


def rebuilt_words(array: State, disk: str = "") -> str:
    """Return “tank” is healthy again, or that it still lacks a disk; ``disk`` names the one that was rebuilt."""
    if words.is_degraded(array):
        return tr("A disk of “{name}” is rebuilt, and it is still degraded.", name=array.name)
    if disk:
        return tr("“{name}” is healthy again with {disk}.", name=array.name, disk=disk)
    return tr("“{name}” is healthy again.", name=array.name)


def note(array: State, open_it: Callable[[], object]) -> Note:
    """Return the note bar of the degraded ``array``."""
    lacks = lacks_words(array)
    survives = joined(words.margin_words(array), words.keep_words(array))
    if not array.running:
        stopped = tr("“{name}” doesn't run. {lacks}", name=array.name, lacks=lacks)
        return Note(Severity.BAD, tr("Stopped"), stopped, survives)
    if words.has_failed(array):
        lost = tr("“{name}” has lost more disks than it survives. {lacks}", name=array.name, lacks=lacks)
        return Note(Severity.BAD, tr("Failed"), lost, survives)
    if array.lacks and all(words.coming(array, lack) for lack in array.lacks):
        return _coming(array, lacks, survives, _follow(open_it))
    return _short(array, lacks, survives, open_it)


def _follow(open_it: Callable[[], object]) -> Offer:
    return Offer("follow", tr("See how far …"), open_it)


def _short(array: State, lacks: str, survives: str, open_it: Callable[[], object]) -> Note:
    """Return the note on an array that lacks disks, none of which is being rebuilt."""
    sentence = ntr(
        "“{name}” has lost a disk. {lacks}",
        "“{name}” has lost {count} disks. {lacks}",
        len(array.lacks) or 1,
        name=array.name,
        lacks=lacks,
    )
    if array.make:
        return Note(Severity.BAD, tr("Degraded"), sentence, joined(survives, words.make_words(array)))
    if array.has_open_slots:
        sentence = f"“{array.name}”: {open_badge(array)}."
        return Note(Severity.WARN, tr("Empty slots"), sentence, joined(lacks, survives))
    if words.is_provided(array):
        return Note(Severity.WARN, tr("Degraded"), sentence, survives, offers=(_follow(open_it),))
    way = Offer("open", tr("Replace …"), open_it, is_primary=True)
    return Note(Severity.BAD, tr("Degraded"), sentence, survives, offers=(way,))


def _coming(array: State, lacks: str, survives: str, way: Offer) -> Note:
    """Return the note on an array whose members are being rebuilt, or whose parity is written for the first time."""
    progress = ended(words.progress_words(array))
    if is_first_sync(array):
        sentence = tr("“{name}” may be used; its parity is being written for the first time.", name=array.name)
        more = joined(progress, tr("Until that is done no disk may fail."))
        return Note(Severity.INFO, tr("First sync"), sentence, more, offers=(way,))
    sentence = tr("“{name}” is not whole yet. {lacks}", name=array.name, lacks=lacks)
    return Note(Severity.WARN, tr("Rebuilding"), sentence, joined(progress, survives), offers=(way,))
