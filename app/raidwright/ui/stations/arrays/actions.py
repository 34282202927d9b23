"""The buttons that apply to an array in its state: those on its card, and those in its menu “More”."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from raidwright.core.md.assembly import AssemblyState
from raidwright.core.md.member_superblock import waits_at_start
from raidwright.core.md.running_state import Hold
from raidwright.core.md.sync import IDLE, PAUSABLE
from raidwright.core.messages import say
from raidwright.core.model.plan import Metadata
from raidwright.machine.states.volume import State, Volume, is_growth_cut_off
from raidwright.machine.values import Array
from raidwright.text.array import condition as words
from raidwright.text.array.bad_blocks import bad_sectors
from raidwright.text.catalogue import tr

_STARTABLE = (None, AssemblyState.STOPPED, AssemblyState.PARTED)
_RESCUABLE = (AssemblyState.COPIED, AssemblyState.DIRTY, AssemblyState.BEHIND, AssemblyState.SHORT, "inactive")


class ArrayAction(StrEnum):
    """The actions; the values are parts of the buttons' names."""

    START = "start"
    GO_ON = "go-on"  # with a growth that was cut off, or with what md waits with
    LOOK = "look"  # start, only to be read
    RESCUE = "rescue"
    TAKE_OVER = "take-over"
    RENAME = "rename"
    FORGET = "forget-bad-blocks"
    SET_UP = "set-up"
    CHECK = "check"
    REPLACE = "replace"
    CHANGE = "change"
    PAUSE = "pause"  # md's work, or let it go on
    LIMIT = "limit"
    MEASURE = "measure"
    JUDGE = "judge"
    CARD = "card"
    UNMOUNT = "unmount"
    STOP = "stop"
    TAKE_APART = "apart"


_OF_HALVES = {
    ArrayAction.LOOK: say("Look inside a half, read-only …"),
    ArrayAction.START: say("Start of one half …"),
}


class Buttons(NamedTuple):
    """The actions on the card and in its menu. ``is_due``: the first one is what the array's state asks for."""

    shown: tuple[ArrayAction, ...] = ()
    more: tuple[ArrayAction, ...] = ()
    is_due: bool = False


_BY_PLAN = (ArrayAction.CHANGE, ArrayAction.JUDGE, ArrayAction.CARD)


def buttons_of(array: State) -> Buttons:
    """Return the actions that make sense for ``array`` now."""
    if array.make or array.is_container:
        return Buttons((ArrayAction.MEASURE,) if array.running and not array.is_container else ())
    if isinstance(array, Volume) and not array.running:
        if array.is_growth_cut_off:
            return Buttons((ArrayAction.GO_ON,), (ArrayAction.START,), is_due=True)
        return Buttons((ArrayAction.START,), is_due=True)
    return _of_running(array) if array.running else _of_stopped(array)


def _of_running(array: State) -> Buttons:
    has_copies = all(band.level not in ("raid0", "linear") for band in array.arrays)
    is_lost = words.has_failed(array)
    may_go_on = array.waits and (array.hold is Hold.READ_ONLY or not array.is_foreign)
    waits = (ArrayAction.GO_ON,) if may_go_on and not is_lost else ()
    rest = (ArrayAction.UNMOUNT,) if array.mounted_at else ()
    rest = (*((ArrayAction.RENAME,) if may_rename(array) else ()), *rest)
    rest = (*((ArrayAction.FORGET,) if may_forget(array) else ()), *rest)
    if is_lost and isinstance(array, Array):
        first = (ArrayAction.UNMOUNT,) if array.mounted_at else ()
        return Buttons((*first, ArrayAction.STOP), (ArrayAction.MEASURE, *_by_plan(array)), is_due=True)
    rest = (*_by_plan(array), ArrayAction.SET_UP, *rest, ArrayAction.STOP, ArrayAction.TAKE_APART)
    if has_copies and words.is_degraded(array) and not array.has_open_slots:
        can_replace = not words.is_provided(array) and not is_lost and not waits
        shown = (*waits, *((ArrayAction.REPLACE,) if can_replace else ()))
        return Buttons(shown, (ArrayAction.MEASURE, *rest), bool(shown))
    usual = (ArrayAction.CHECK, ArrayAction.REPLACE) if has_copies else ()
    if is_growth_cut_off(array) or waits:
        return Buttons((ArrayAction.GO_ON,), (*usual, ArrayAction.MEASURE, *rest), is_due=True)
    if isinstance(array, Array) and may_take_over(array):
        return Buttons((ArrayAction.TAKE_OVER, *usual), (ArrayAction.MEASURE, *rest), is_due=True)
    return Buttons((*usual, ArrayAction.MEASURE), rest)


def _by_plan(array: State) -> tuple[ArrayAction, ...]:
    """Return the actions on a running array that take its plan, and the pace of md's work."""
    if isinstance(array, Volume):
        return () if array.other_kind else _BY_PLAN
    return (*_paced(array), *_BY_PLAN)


def _paced(array: State) -> tuple[ArrayAction, ...]:
    return (ArrayAction.PAUSE, ArrayAction.LIMIT) if array.sync_action in PAUSABLE else ()


def _of_stopped(array: State) -> Buttons:
    known = array.assembly
    state = known.state if known else None
    if array.is_unreadable or state not in _STARTABLE or (known is None and not array.can_start):
        rescue = (ArrayAction.RESCUE,) if array.state in _RESCUABLE else ()
        judge = (ArrayAction.JUDGE,) if known is not None and known.is_sound else ()
        return Buttons((*rescue, *judge), is_due=bool(rescue))
    if known is not None and known.lacks_layout:
        return Buttons((ArrayAction.RESCUE,), (ArrayAction.JUDGE,), is_due=True)
    if known is not None and not known.may_be_looked_into:
        taken = (
            (ArrayAction.TAKE_OVER,)
            if waits_at_start(known.level, known.geometry.features) and may_take_over(array)
            else ()
        )
        return Buttons((ArrayAction.START, *taken), (ArrayAction.JUDGE,), is_due=True)
    looks = (ArrayAction.LOOK, ArrayAction.START)
    if array.halves:
        return Buttons(looks, (ArrayAction.RESCUE, ArrayAction.JUDGE), is_due=True)
    starts: tuple[ArrayAction, ...] = looks if array.is_foreign or (known and known.dropped) else looks[::-1]
    if may_take_over(array):
        starts = (*starts, ArrayAction.TAKE_OVER)
    judge = (ArrayAction.JUDGE,) if known is not None else ()
    return Buttons(starts, (*judge, ArrayAction.TAKE_APART), is_due=True)


def may_take_over(array: State) -> bool:
    """Return whether ``array`` is another computer's and whole, so that it can become this one's own."""
    return array.is_foreign and _can_be_named(array)


def may_rename(array: State) -> bool:
    """Return whether ``array`` is this computer's own, whole and not in use, so that it can be stopped and renamed."""
    is_idle = not array.mounted_at and not (array.facts and array.facts.holders)
    is_own = array.host is not None and array.facts is not None and not array.is_foreign
    return is_own and is_idle and _can_be_named(array)


def may_forget(array: State) -> bool:
    """Return whether ``array`` isn't in use and a member has a list of bad blocks, which a new disk may fail by."""
    is_idle = not array.mounted_at and not (array.facts and array.facts.holders)
    return is_idle and isinstance(array, Array) and array.sync_action in IDLE and bad_sectors(array) > 0


def _can_be_named(array: State) -> bool:
    known = array.assembly
    is_whole = not array.members_missing and not array.lacks
    metadata = known.metadata if known else array.facts.metadata if array.facts else ""
    return is_whole and metadata != Metadata.V0_90 and array.sync_action != "reshape"


def action_words(action: ArrayAction, array: State) -> str:
    """Return the words on the button of ``action``."""
    if action is ArrayAction.CHECK and array.sync_action == "check":
        return tr("Pause the check")
    if array.halves and action in _OF_HALVES:
        return tr(_OF_HALVES[action])
    if action is ArrayAction.REPLACE and isinstance(array, Array) and any(map(array.takes_back, array.lacks)):
        return tr("Take the disk back …")
    if action is ArrayAction.START and words.dropped(array):
        return tr("Start with disks missing …")
    if action is ArrayAction.PAUSE:
        return tr("Let it go on") if array.facts is not None and array.facts.is_paused else tr("Pause")
    return {
        ArrayAction.START: tr("Start"),
        ArrayAction.GO_ON: tr("Go on"),
        ArrayAction.LOOK: tr("Look inside, read-only"),
        ArrayAction.RESCUE: tr("Rescue …"),
        ArrayAction.TAKE_OVER: tr("Take over …"),
        ArrayAction.RENAME: tr("Rename …"),
        ArrayAction.FORGET: tr("Forget its bad blocks …"),
        ArrayAction.SET_UP: tr("Set up for each start …"),
        ArrayAction.CHECK: tr("Check now"),
        ArrayAction.REPLACE: tr("Replace …"),
        ArrayAction.CHANGE: tr("Change …"),
        ArrayAction.LIMIT: tr("Limit its speed …"),
        ArrayAction.MEASURE: tr("Measure"),
        ArrayAction.JUDGE: tr("Judge this array"),
        ArrayAction.CARD: tr("Save the recovery card …"),
        ArrayAction.UNMOUNT: tr("Unmount"),
        ArrayAction.STOP: tr("Stop …"),
        ArrayAction.TAKE_APART: tr("Take apart …"),
    }[action]


def is_open(action: ArrayAction, array: State) -> bool:
    """Return whether ``action`` can be done while md does what it does now."""
    if action is ArrayAction.CHECK:
        return array.sync_action == "check" or (array.sync_action in IDLE and not array.degraded)
    return True
