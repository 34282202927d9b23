"""Sentences on survival, shared by the window and the command line."""

from __future__ import annotations

from raidwright.core.md.survival import Survival
from raidwright.core.messages import say
from raidwright.text.catalogue import ntr, number, tr, translated

_NUMBERS = (
    *(say("none"), say("one"), say("two"), say("three"), say("four"), say("five"), say("six"), say("seven")),
    *(say("eight"), say("nine"), say("ten"), say("eleven"), say("twelve")),
)
_MAX_COUNTED = 99


def in_words(count: int) -> str:
    """Return ``two`` up to twelve, digits beyond."""
    return translated(_NUMBERS[count]) if 0 <= count < len(_NUMBERS) else str(count)


def further_failures(count: int, *, has_lost: bool) -> str:
    """Return “It survives the failure of any two disks.”, of further ones if it ``has_lost`` some."""
    number = in_words(count)
    if has_lost:
        return ntr(
            "It survives the failure of any one more disk.",
            "It survives the failure of any {number} more disks.",
            count,
            number=number,
        )
    return ntr(
        "It survives the failure of any one disk.",
        "It survives the failure of any {number} disks.",
        count,
        number=number,
    )


def survival_sentence(survival: Survival) -> str:
    """Return “Any one disk may fail; of the 6 ways in which two can fail, 4 lose nothing.”"""
    most = survival.most()
    if most < 0:
        return tr("It can't start with these disks missing.")
    survived, ways = survival.counts(most + 1)
    if most == 0 and not survived:
        return tr("Any disk that fails takes data with it.")
    if most == 0:
        return ntr(
            "Of the {ways} disks, {count} may fail.", "Of the {ways} disks, {count} may fail.", survived, ways=ways
        )
    beyond = _beyond(most + 1, survived, ways)
    return ntr(
        "Any one disk may fail; {beyond}.",
        "Any {number} disks may fail; {beyond}.",
        most,
        number=in_words(most),
        beyond=beyond,
    )


def _beyond(k: int, survived: int, ways: int) -> str:
    if ways == 1:
        return ntr("both together lose everything", "all {number} together lose everything", k - 1, number=in_words(k))
    if survived == 0:
        return tr("any {number} at once lose data", number=in_words(k))
    return ntr(
        "of the {ways:,} ways in which {number} can fail, {count:,} loses nothing",
        "of the {ways:,} ways in which {number} can fail, {count:,} lose nothing",
        survived,
        number=in_words(k),
        ways=ways,
    )


def share(survived: int, ways: int) -> str:
    """Return “4 of 6”, or for many “78%”, rounded down: 100% means all and 0% none."""
    if ways <= _MAX_COUNTED:
        return tr("{survived} of {ways}", survived=survived, ways=ways)
    if 0 < survived * 100 < ways:
        return tr("< 1%")
    return number(survived * 100 // ways / 100, ".0%")
