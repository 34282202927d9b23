"""The results of acts on arrays, in words."""

from __future__ import annotations

from raidwright.core.messages import say
from raidwright.core.protocol.results import Continued, Started, UndoResult
from raidwright.machine.states.volume import State
from raidwright.text.array.holds import gone_on_words
from raidwright.text.catalogue import tr

_APART = say("“{name}” is taken apart; its disks are free.")
_APART_VOLUME = say("“{name}” is taken apart; its disks keep their partitions, which are free.")
_BACK = say("The disks are as they were; the array starts again by itself.")
_BACK_ACTIVE = say("The disks are as they were, and “{name}” runs again.")
_BACK_VOLUME = say(
    "The disks are as they were, and the arrays start again by themselves. Then start the volume on its card."
)


def apart_words(name: str, *, is_volume: bool) -> str:
    """Return that the array, or the joined volume, is taken apart."""
    return tr(_APART_VOLUME if is_volume else _APART, name=name)


def undone_words(name: str, result: UndoResult, *, is_volume: bool) -> str:
    """Return what the undo of that has come to."""
    back = _BACK_ACTIVE if result.volume_active else _BACK_VOLUME
    return tr(back if is_volume else _BACK, name=name)


def running_words(name: str, result: Started | Continued, before: State | None = None) -> str:
    """Return what a start, or going on, has come to; ``before`` is the array as it was then."""
    if isinstance(result, Continued):
        return gone_on_words(before, result.missing) if before else tr("md goes on with “{name}”.", name=name)
    runs = say("“{name}” runs, and is only read: nothing is written to it or its disks.")
    return tr(runs, name=name) if result.read_only else tr("“{name}” runs.", name=name)
