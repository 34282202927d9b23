"""The note on a degraded array, shown on every station, with its remedy."""

from __future__ import annotations

from collections.abc import Callable

from raidwright.machine.values import Array

from . import arrays as words
from .catalogue import ended, joined, ntr, tr
from .shown import Note, Offer, Severity
from .sync_actions import is_first_sync


def note(array: Array, open_it: Callable[[], object]) -> Note:
    """Return the note bar of the degraded ``array``."""
    lacks = joined(*(words.lack_words(array, lack) for lack in array.lacks))
    survives = joined(words.margin_words(array), words.keep_words(array))
    if not array.running:
        stopped = tr("“{name}” doesn't run. {lacks}", name=array.name, lacks=lacks)
        return Note(Severity.BAD, tr("Stopped"), stopped, survives)
    margin = words.array_margin(array)
    if margin and margin.more < 0:
        lost = tr("“{name}” has lost more disks than it survives. {lacks}", name=array.name, lacks=lacks)
        return Note(Severity.BAD, tr("Failed"), lost, survives)
    way = Offer("follow", tr("See how far …"), open_it)
    if array.lacks and all(words.coming(array, lack) for lack in array.lacks):
        return _coming(array, lacks, survives, way)
    sentence = ntr(
        "“{name}” has lost a disk. {lacks}",
        "“{name}” has lost {count} disks. {lacks}",
        len(array.lacks) or 1,
        name=array.name,
        lacks=lacks,
    )
    if array.make:
        return Note(Severity.BAD, tr("Degraded"), sentence, joined(survives, words.make_words(array)))
    if words.is_provided(array):
        return Note(Severity.WARN, tr("Degraded"), sentence, survives, offers=(way,))
    way = Offer("open", tr("Replace …"), open_it, is_primary=True)
    return Note(Severity.BAD, tr("Degraded"), sentence, survives, offers=(way,))


def _coming(array: Array, lacks: str, survives: str, way: Offer) -> Note:
    """Return the note on an array whose members are being rebuilt, or whose parity is written for the first time."""
    progress = ended(words.progress_words(array))
    if is_first_sync(array):
        sentence = tr("“{name}” may be used; its parity is being written for the first time.", name=array.name)
        more = joined(progress, tr("Until that is done no disk may fail."))
        return Note(Severity.INFO, tr("First sync"), sentence, more, offers=(way,))
    sentence = tr("“{name}” is not whole yet. {lacks}", name=array.name, lacks=lacks)
    return Note(Severity.WARN, tr("Rebuilding"), sentence, joined(progress, survives), offers=(way,))
