"""What is said at every station of an array that lacks a member, and the way on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from raidwright.machine.values import Array
from raidwright.ui.notices import Note, Offer, Severity

from . import arrays as words


def note(array: Array, open_it: Callable[[], object]) -> Note:
    """The bar of ``array``, which is degraded."""
    lacks = " ".join(words.lack_words(array, lack) for lack in array.lacks)
    survives = f"{words.margin_words(array)} {words.keep_words(array)}".strip()
    if not array.running:
        stopped = _tr("“{name}” doesn't run. {lacks}").format(name=array.name, lacks=lacks)
        return Note(Severity.BAD, _tr("Stopped"), stopped, survives)
    margin = words.array_margin(array)
    if margin and margin.more < 0:
        lost = _tr("“{name}” has lost more disks than it survives. {lacks}").format(name=array.name, lacks=lacks)
        return Note(Severity.BAD, _tr("Failed"), lost, survives)
    if array.lacks and all(words.coming(array, lack) for lack in array.lacks):
        way = Offer("follow", _tr("See how far …"), open_it)
        more = " ".join(filter(None, (f"{words.progress_words(array)}.", _tr("Until then:"), survives)))
        sentence = _tr("“{name}” is not whole yet. {lacks}").format(name=array.name, lacks=lacks)
        return Note(Severity.WARN, _tr("Rebuilding"), sentence, more, offers=(way,))
    way = Offer("open", _tr("Replace …"), open_it, is_primary=True)
    many = len(array.lacks) > 1
    said = _tr("“{name}” has lost {n} disks. {lacks}") if many else _tr("“{name}” has lost a disk. {lacks}")
    sentence = said.format(name=array.name, n=len(array.lacks), lacks=lacks)
    return Note(Severity.BAD, _tr("Degraded"), sentence, survives, offers=(way,))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Repair", text)
