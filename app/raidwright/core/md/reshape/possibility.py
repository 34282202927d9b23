"""One later change to an array: possible or not, its conditions, and the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.messages import Message, say, say_count

MIN_CHUNK_KIB = 4


class Needs(StrEnum):
    """Kinds of condition; the comment beside each gives the meaning of ``Condition.value``."""

    DISKS = "disks"  # how many more
    ARRAYS = "arrays"  # how many more arrays like those that are the members
    BACKUP_FILE = "backup-file"  # None, or the largest chunk in KiB that needs no backup file
    LAYOUT = "layout"  # the value required for --layout
    CHUNK = "chunk"  # the largest possible chunk in KiB; smaller powers of two, from 4 KiB, are possible as well
    SIZE = "size"  # the component size in KiB to set beforehand (--size)
    MDADM = "mdadm"  # the mdadm version that can't do it
    FINISH = "finish"  # the --level to request again when the reshape has ended
    RESTART = "restart"  # None; the array must be stopped and started before a disk is replaced


@dataclass(frozen=True, slots=True)
class Condition:
    """A requirement without which mdadm refuses the change or leaves it incomplete."""

    needs: Needs
    sentence: Message
    value: int | str | None = None


@dataclass(frozen=True, slots=True)
class Possibility:
    """One later change. ``change`` is ``more-members``, ``larger-members``, ``chunk``, ``layout`` or a level's name.

    ``loses_data`` marks changes that mdadm accepts but md carries out wrongly; they are never ``possible``.
    """

    change: str
    possible: bool
    reason: Message
    conditions: tuple[Condition, ...] = ()
    loses_data: bool = False


def yes(change: str, reason: Message, *conditions: Condition | None) -> Possibility:
    """Return a change that md makes under ``conditions``."""
    return Possibility(change, possible=True, reason=reason, conditions=tuple(each for each in conditions if each))


def no(change: str, reason: Message) -> Possibility:
    """Return a change that mdadm or md refuses."""
    return Possibility(change, possible=False, reason=reason)


def never(changes: tuple[str, ...], reason: Message) -> list[Possibility]:
    """Return several changes that are refused for one reason."""
    return [no(change, reason) for change in changes]


def more_disks(count: int) -> Condition:
    """Require ``count`` disks to be added with the change."""
    return Condition(Needs.DISKS, say_count("Takes {count} more disk.", "Takes {count} more disks.", count), count)


def more_arrays(count: int, level: str, width: int) -> Condition:
    """Require ``count`` arrays of ``width`` disks to be added with the change."""
    sentence = say_count(
        "Takes {count} more {level} of {width} disks, like the others.",
        "Takes {count} more {level} of {width} disks each, like the others.",
        count,
        level=level,
        width=width,
    )
    return Condition(Needs.ARRAYS, sentence, count)


def backup_file(goes_without_kib: int | None = None) -> Condition:
    """Require a backup file for the critical section; chunks up to ``goes_without_kib``, if given, need none."""
    if goes_without_kib is None:
        sentence = say("Takes a backup file: --backup-file, on a disk outside the array.")
    else:
        sentence = say(
            "Takes a backup file for a chunk above {chunk_kib} KiB: --backup-file, on a disk outside the array.",
            chunk_kib=goes_without_kib,
        )
    return Condition(Needs.BACKUP_FILE, sentence, goes_without_kib)


def finish(level: str) -> Condition:
    """Require the last step by hand: with a backup file mdadm continues in another process and forgets it."""
    return Condition(
        Needs.FINISH, say("When the reshape has ended, say --level={level} once more.", level=level), level
    )


def chunk_up_to(most_kib: int, now_kib: int, *conditions: Condition | None) -> Possibility:
    """Return a chunk change whose largest possible chunk is ``most_kib``."""
    if most_kib < MIN_CHUNK_KIB or most_kib == now_kib == MIN_CHUNK_KIB:
        return no("chunk", say("No other chunk divides what is used of each member."))
    if most_kib == MIN_CHUNK_KIB:
        sizes = say("A chunk of {least_kib} KiB, a power of two.", least_kib=MIN_CHUNK_KIB)
    else:
        sizes = say(
            "A chunk from {least_kib} to {most_kib} KiB, a power of two.", least_kib=MIN_CHUNK_KIB, most_kib=most_kib
        )
    reason = say("All data is laid out anew. The chunk must divide what is used of each member.")
    return yes(
        "chunk",
        reason,
        Condition(Needs.CHUNK, sizes, most_kib),
        *conditions,
    )
