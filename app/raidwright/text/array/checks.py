"""A check of an array, and what is known of its parity, in sentences shared by the window and the command line."""

from __future__ import annotations

from raidwright.core.protocol.facts import Check, CheckState, ParityState
from raidwright.machine.states.volume import State, Volume
from raidwright.text.catalogue import ntr, tr


def check_words(check: Check) -> str:
    """Return a check's result, or its progress."""
    found = differences(check.mismatch_sectors)
    match check.state:
        case CheckState.RUNNING:
            return tr("The check runs.")
        case CheckState.PAUSED:
            return tr("The check is paused: {found} so far.", found=found)
        case CheckState.INTERRUPTED:
            return tr("The check was cut off, so nothing is known.")
    if not check.mismatch_sectors:
        return tr("The check found that {found}.", found=found)
    return tr(
        "The check found that {found}. Find the cause first (cables, memory, a disk's SMART values), and compare the "
        "files with a backup: md's repair doesn't know which copy is right, and writes the first one, or the parity, "
        "anew.",
        found=found,
    )


def differences(sectors: int) -> str:
    """Return a check's result, for the middle of a sentence."""
    if not sectors:
        return tr("nothing differs")
    return ntr("{count} sector differs", "{count} sectors differ", sectors)


def parity_words(array: State) -> str:
    """Return why a member's data might be rebuilt wrongly from parity; "" without any sign of that."""
    if isinstance(array, Volume):
        return next(filter(None, map(parity_words, array.bands)), "")
    match array.facts.parity if array.facts else None:
        case ParityState.NEVER:
            return tr(
                "Its parity was never computed, since it was built with --assume-clean, so what a lost disk held might "
                "come back wrong. Check it. If differences are found, md's repair writes the parity anew from the "
                "data as they are."
            )
        case ParityState.COPY_CUT_OFF:
            return tr(
                "This computer stopped while a member was copied onto another disk, and Linux can have left wrong "
                "parity there, so what a lost disk held might come back wrong. Check it once the copy has ended. If "
                "differences are found, md's repair writes the parity anew from the data as they are."
            )
        case ParityState.DIFFERS:
            return tr(
                "The last check found parity that differs from the data, so what a lost disk held might come back "
                "wrong. Find the cause first (cables, memory, a disk's SMART values), and compare the files with a "
                "backup. md's repair looks at neither: it writes parity anew from the data as they are."
            )
        case ParityState.UNTOLD:
            return tr(
                "Raidwright didn't build it, and nothing tells whether its parity was ever computed. A check does."
            )
    return ""
