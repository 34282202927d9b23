"""What each word of a pasted command does: in the command bar's words, and in ours for what Raidwright never writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidwright.core.md.mdadm import EXPLANATIONS
from raidwright.core.messages import Message, say, sentences

from .mdadm_options import Given

_FURTHER = {
    "run": say("Don't stop to ask: mdadm goes on even where a disk seems to hold something, or sizes differ."),
    "force": say(
        "Take the devices as they are listed: a raid5 then computes all parity, where it would rebuild a member."
    ),
    "verbose": say("Say more of what is being done."),
    "quiet": say("Say less of what is being done."),
    "brief": say("Print less; it means nothing here."),
    "export": say("Print as NAME=VALUE; it means nothing here."),
    "auto": say("How to make the node below /dev; mdadm has ignored it since udev makes them."),
    "write-mostly": say("Read from the devices after it only when there is no other."),
    "failfast": say("Give up on the devices after it at the first error; for devices reached over a network."),
    "write-zeroes": say("Write zeroes over all members first, so that no synchronisation is needed."),
    "bitmap-chunk": say("How much each bit of the bitmap stands for."),
    "write-behind": say("Let writes to write-mostly devices lag behind."),
    "delay": say("How long a bit of the bitmap stays set after its last write, in seconds."),
    "readonly": say("Start the array read-only."),
    "config": say("Another file in mdadm.conf's place."),
    "nodes": say("How many computers share the array."),
    "home-cluster": say("Whose cluster the array is."),
    "logical-block-size": say("The least that can be written to the array at once, in bytes."),
    "offroot": say("mdadm has ignored it for long."),
    "prefer": say("Which of a device's names to print; it means nothing here."),
    "no-devices": say("Print less; it means nothing here."),
}
_SHARED = {
    "create": "create", "level": "level", "layout": "layout", "chunk": "chunk", "metadata": "metadata", "name": "name",
    "uuid": "uuid", "homehost": "homehost", "size": "size", "data-offset": "data-offset", "raid-devices": "count",
    "assume-clean": "assume-clean", "spare-devices": "spares", "consistency-policy": "consistency",
    "write-journal": "journal",
}  # fmt: skip
MAY_STAND = frozenset({"bitmap", *_SHARED, *_FURTHER})  # the options of a create command
_SHORT_LIVED = say("A member, in its slot's order; this name may mean another disk after the next start.")
_STABLE = ("/dev/disk/by-", "/dev/mapper/", "/dev/md")


def explained(given: Sequence[Given], count: int) -> Iterator[tuple[str, Message]]:
    """Each word with what it does; ``count`` devices are members, those after them spares."""
    devices = -1  # the first is the array
    for one in given:
        if one.options:
            yield one.text, sentences([_of_option(name, value) for name, value in one.options])
        else:
            yield one.text, _of_device(one.text, devices, count)
            devices += 1


def is_short_lived(path: str) -> bool:
    """Whether another disk may have this name after the next start (``/dev/sdb``)."""
    return not path.startswith(_STABLE)


def _of_option(name: str, value: str | None) -> Message:
    if name == "bitmap":
        return EXPLANATIONS["bitmap-none" if value == "none" else "bitmap-internal"]
    return EXPLANATIONS[_SHARED[name]] if name in _SHARED else _FURTHER[name]


def _of_device(text: str, place: int, count: int) -> Message:
    if place < 0:
        return EXPLANATIONS["create"]
    if text.lower() == "missing":
        return EXPLANATIONS["missing"]
    if text.startswith("/dev/md"):
        return EXPLANATIONS["inner"]
    if place >= count:
        return EXPLANATIONS["spare"]
    return _SHORT_LIVED if is_short_lived(text) else EXPLANATIONS["member"]
