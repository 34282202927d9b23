"""Former members and halves of arrays, in sentences: which has what the others lack, until when, and the next step."""

from __future__ import annotations

from datetime import datetime

from raidwright.core.md.histories import Branch, History
from raidwright.core.messages import Message, say
from raidwright.core.protocol.facts import CameBack
from raidwright.machine.states.volume import State
from raidwright.machine.values import Former
from raidwright.text.catalogue import joined, tr
from raidwright.text.disk.facts import disk_name
from raidwright.text.times import moment

_OWN = {
    History.PARTED: say(
        "This was {place}. It was written to on its own until {moment}, apart from the disks that run now, so each "
        "holds what the other lacks."
    ),
    History.AHEAD: say(
        "This was {place}. It was written to until {moment}, while the disks that run now were missing, so it is the "
        "newer half."
    ),
}
_WAYS: dict[History, Message] = {
    History.PARTED: say(
        "It isn't taken back, which would mix the two. To look at it, stop “{array}” and start it of this disk, "
        "read-only. As a new disk it can join, and then what only it holds is lost."
    ),
    History.AHEAD: say(
        "Stop “{array}” and start it of this disk; then take the others back. If it joins here as a new disk, what "
        "only it holds is lost."
    ),
}


def former_words(array: State, former: Former) -> str:
    """Return “This was slot 2 of tank, out of date since …; only what changed since is copied.”"""
    if former.slot is not None:
        where = tr("slot {slot} of {array}", slot=former.slot, array=array.name)
    else:
        where = tr("a member of {array}", array=array.name)
    if former.history in _OWN and former.has_own_data:
        when = moment(former.updated_s or 0)
        return joined(tr(_OWN[former.history], place=where, moment=when), tr(_WAYS[former.history], array=array.name))
    if array.running and former.slot in array.working:
        return tr(
            "It says that it is {place}, whose disk works: it is a copy of that, or was replaced. Unplug or erase it, "
            "else it may come up in that disk's place at the next start.",
            place=where,
        )
    return joined(_was(former, where), _way_back(former))


def _was(former: Former, where: str) -> str:
    if not former.updated_s:
        return tr("This was {place}.", place=where)
    if former.history in (History.SAME, History.BEHIND):
        return tr("This was {place}, out of date since {moment}.", place=where, moment=moment(former.updated_s))
    return tr("This was {place}, last written {moment}.", place=where, moment=moment(former.updated_s))


def _way_back(former: Former) -> str:
    if former.history is History.REBUILDING:
        return tr("Its rebuild never ended, so it holds nothing of its own, and all of it would be written anew.")
    match former.way:
        case CameBack.CAUGHT_UP:
            return tr("Taken back, only what changed since is copied.")
        case CameBack.REBUILDS:
            return tr("What changed since isn't known, so all of it would be written anew.")
    return ""


def lost_words(array: State, former: Former) -> str:
    """Return what is lost once a half with data of its own joins ``array`` as a new disk."""
    return tr(
        "{disk} was written to on its own until {moment}. What only it holds, and “{array}” lacks, is lost for good.",
        disk=disk_name(former.member),
        moment=moment(former.updated_s or 0),
        array=array.name,
    )


def parted_words(array: State) -> str:
    """Return the halves of a stopped array whose members parted, with their dates, and the choice; "" for others."""
    known = array.assembly
    if known is None or not known.halves:
        return ""
    halves = [_half_words(array, half) for half in known.halves]
    return tr(
        "Its members were written to without each other: {halves:and}. Each half holds what the other lacks, and "
        "together they can't run. Look at either read-only, and choose one; the other comes back to it only as a new "
        "disk, which loses what only that holds.",
        halves=halves,
    )


def half_names(array: State, half: Branch) -> list[str]:
    """Return the disks of a half, for people."""
    carriers = (*array.members, *(former.member for former in array.former))  # md may have gathered only some
    names = {member.id: disk_name(member) for member in carriers}
    return [names.get(member, member) for member in half.members]


def _half_words(array: State, half: Branch) -> str:
    return tr("{disks:and} until {moment}", disks=half_names(array, half), moment=to_the_second(half.updated_s))


def to_the_second(unix_s: int) -> str:
    """Return a time of the machine's clock with its seconds, since halves may differ by no more."""
    return datetime.fromtimestamp(unix_s).astimezone().strftime("%Y-%m-%d %H:%M:%S")
