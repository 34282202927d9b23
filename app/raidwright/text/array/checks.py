"""A check of an array, in sentences shared by the window and the command line."""

from __future__ import annotations

from raidwright.core.protocol.facts import Check, CheckState
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
