"""The state of a running array that is held back, in a badge and a sentence with the next step."""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.core.md.layouts import Level
from raidwright.core.md.running_state import Hold
from raidwright.core.messages import say
from raidwright.machine.states.volume import State
from raidwright.machine.values import Array
from raidwright.text.catalogue import decimal_size, joined, ntr, tr
from raidwright.text.shown import StateLine, Tone

_BADGES = {
    Hold.JOURNAL_FAILED: say("✕ journal failed"),
    Hold.RESHAPE_FROZEN: say("✕ reshape is frozen"),
    Hold.RESHAPE_WAITS: say("reshape waits"),
    Hold.REBUILD_WAITS: say("rebuild waits"),
    Hold.RESYNC_WAITS: say("resync waits"),
    Hold.FROZEN: say("md's work is frozen"),
    Hold.SUSPENDED: say("reads and writes are held back"),
    Hold.SHORTENED: say("made smaller for now"),
    Hold.READ_ONLY: say("✓ healthy, read-only"),
}
_TONES: Mapping[Hold, Tone] = {Hold.JOURNAL_FAILED: "bad", Hold.RESHAPE_FROZEN: "bad", Hold.READ_ONLY: "info"}
_TOLD = {
    Hold.JOURNAL_FAILED: say(
        "Its write journal has failed, so md refuses every write; what is on it can be read. Save what matters, "
        "unmount it and stop it. “Rescue …” then starts it without the journal."
    ),
    Hold.RESHAPE_FROZEN: say(
        "Its reshape stands still: somebody froze it, such as an mdadm --grow that was cut off. If no mdadm works on "
        "it any more, this lets it go on: echo idle | sudo tee /sys/block/{name}/md/sync_action"
    ),
    Hold.REBUILD_WAITS: say("The rebuild of a member is unfinished and waits until something is written to the array."),
    Hold.RESYNC_WAITS: say("Its resync is unfinished and waits until something is written to the array."),
    Hold.FROZEN: say(
        "md begins no rebuild, resync or check: somebody froze its work (sync_action), such as an mdadm that was cut "
        "off. If no mdadm works on it any more, this lets it go on: echo idle | sudo tee "
        "/sys/block/{name}/md/sync_action"
    ),
    Hold.SUSPENDED: say(
        "md holds back reads and writes to a part of it (suspend_lo to suspend_hi), so programs that use that part "
        "hang. An mdadm --grow does this for a while. If none works on it any more, this ends it: echo 0 | sudo tee "
        "/sys/block/{name}/md/suspend_lo /sys/block/{name}/md/suspend_hi"
    ),
    Hold.SHORTENED: say(
        "It was made smaller by mdadm --grow --array-size: {size}, until it is stopped; then it is as large as its "
        "members again. Don't grow its file system meanwhile. This ends it: sudo mdadm --grow {device} --array-size=max"
    ),
    Hold.READ_ONLY: say("Nothing is written to it or its disks."),
}


def hold_line(array: State) -> StateLine | None:
    """Return the state of an array that is held back, with the next step; None for any other."""
    held = next((one for one in array.arrays if one.hold), None)
    hold = held.hold if held is not None else None
    if held is None or hold is None:
        return None
    badge: str = tr(_BADGES[hold])
    if hold is Hold.RESHAPE_WAITS:
        told = _waiting_reshape(held)
    else:
        name = held.device.removeprefix("/dev/")
        told = tr(_TOLD[hold], name=name, device=held.device, size=decimal_size(held.size_bytes))
    return StateLine(badge, _TONES.get(hold, "warn"), joined(told, go_on_words(array)))


def _waiting_reshape(array: State) -> str:
    facts = array.facts
    if facts is not None and facts.slots_before and facts.slots_before != facts.slots:
        return tr("Its reshape to {count} disks is unfinished and waits.", count=facts.slots)
    return tr("Its reshape is unfinished and waits.")


def go_on_words(array: State) -> str:
    """Return the step by which md goes on with what waits; "" if nothing does."""
    if not array.waits:
        return ""
    if array.hold is Hold.READ_ONLY:
        return _writable_words(array)
    if array.is_foreign:
        return tr(
            "It carries the name of the computer “{host}”: take it over first, since going on writes to its disks.",
            host=array.homehost,
        )
    if grows_as_raid4(array):
        return tr(
            "It lacks the disk of parity alone, as a RAID 0 does while mdadm grows it: then nothing is missing. Of a "
            "RAID 4 bring that disk back first. “Go on” lets md finish it (raidwright array go-on {name}).",
            name=array.name,
        )
    if array.degraded:
        return tr(
            "Members are missing: bring them back first if you can. “Go on” goes on without them (raidwright array "
            "go-on {name}).",
            name=array.name,
        )
    return tr("“Go on” lets md finish it (raidwright array go-on {name}).", name=array.name)


def _writable_words(array: State) -> str:
    """Return the step by which an array that is only read can be written to again.

    A stop and a start don't do after a start by force: mdadm brings the events of the members up, but until md writes
    to the array the superblocks still say which of them had failed, and mdadm leaves those out again.
    """
    if array.mounted_at:
        return tr(
            "To use it, save what matters first, unmount it, and choose “Go on” (raidwright array go-on {name}), which "
            "lets md write to it.",
            name=array.name,
        )
    return tr(
        "To use it, save what matters first, and choose “Go on” (raidwright array go-on {name}), which lets md write "
        "to it.",
        name=array.name,
    )


def gone_on_words(array: State, missing: int) -> str:
    """Return what going on has come to, without ``missing`` members; ``array`` is as it was before."""
    if array.hold is Hold.READ_ONLY and isinstance(array, Array):
        return tr("“{name}” can be written to again.", name=array.name)
    if not missing or grows_as_raid4(array):
        return tr("md goes on with “{name}”; “raidwright array list” says how far it is.", name=array.name)
    return ntr(
        "md goes on with “{name}”, without {count} of its members.",
        "md goes on with “{name}”, without {count} of its members.",
        missing,
        name=array.name,
    )


def grows_as_raid4(array: State) -> bool:
    """Return whether the array is reshaped as a RAID 4 that lacks its parity alone, as mdadm grows a RAID 0."""
    if not isinstance(array, Array):
        return False
    is_reshaped = array.facts is not None and array.facts.reshapes
    has_parity = any(place.slot == array.slots - 1 for place in array.places)
    return array.level == Level.RAID4 and is_reshaped and array.degraded == 1 and not has_parity


def parity_alone_words(array: Array) -> str:
    """Return how a RAID 4 without its last disk, that of the parity, becomes the RAID 0 that it may have been."""
    if array.level != Level.RAID4 or [lack.slot for lack in array.lacks] != [array.slots - 1]:
        return ""
    return tr(
        "Only the disk of its parity is missing: a RAID 0 is like that while mdadm grows it. If that was cut off and "
        "no mdadm works on it any more, this makes it a RAID 0 again: sudo mdadm --grow {device} --level=0",
        device=array.device,
    )
