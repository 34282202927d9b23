"""Explanation of each word of a pasted command: the command bar's, and more for options Raidwright never writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import EXPLANATIONS
from raidwright.core.messages import Message, say, sentences

from .mdadm_options import Given
from .values import LEVELS, meaning

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
    "write-zeroes": say("Write zeroes over all members first, so that no synchronisation is needed."),
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
    "symlinks": say("Whether links below /dev/md are made. mdadm before 4.3 alone has it."),
}
MODES = {
    "create": say("Make a new array."),
    "assemble": say("Start an array from the members that it already has."),
    "build": say("Put an array together that has no superblocks, so nothing on the disks says what they belong to."),
    "grow": say("Change the shape of an array that runs, or what belongs to it."),
    "manage": say("Change the members of an array that runs."),
    "misc": say("Look at devices, or do something to them."),
    "incremental": say("Add this device to the array that it belongs to, and start that when enough are there."),
    "follow": say("Watch arrays, and tell somebody when a member fails."),
    "detail": say("Print what a running array is."),
    "examine": say("Print what the superblock on a device says. Nothing is changed."),
    "examine-bitmap": say("Print what the bitmap on a device says. Nothing is changed."),
    "query": say("Print whether a device is an array, or a member of one. Nothing is changed."),
    "auto-detect": say("Have the kernel look for members with metadata 0.90."),
}
_ELSEWHERE = {  # options of the modes that don't create
    "scan": say("Find out what is meant from mdadm.conf, and from the devices themselves."),
    "add": say("Give this device to the array: as a member that is missing, which is rebuilt on it, or as a spare."),
    "re-add": say("Take a former member back; with a bitmap only what it missed is synchronised."),
    "add-spare": say("Give this device to the array as a spare alone."),
    "add-journal": say("Give the array this device for its journal."),
    "remove": say("Take this device, which must have failed or be a spare, out of the array."),
    "fail": say("Tell md that this device has failed. From then on it is used no more."),
    "replace": say("Rebuild this member on a spare while it still works, then let it go."),
    "with": say("Which spare takes the place."),
    "stop": say("Stop the array. What is on the disks stays."),
    "readwrite": say("Let the array be written to again."),
    "zero-superblock": say("Erase the superblock, so that nothing knows any more what the device belongs to."),
    "no-degraded": say("Don't start the array unless all members are there."),
    "nofailfast": say("Let the devices after it take their time with errors."),
    "update": say("Write this into each member's superblock while the array is assembled."),
    "super-minor": say("Only members of the array that had this number; metadata 0.90 alone has it."),
    "backup-file": say("Where a part of the data is kept while it is moved; on another disk than the array's."),
    "invalid-backup": say("Go on although the backup file is lost; what was being moved can be lost with it."),
    "continue": say("Go on with a reshape that stands still."),
    "freeze-reshape": say(
        "Start the array without going on with its reshape, as an initramfs does. mdadm before 4.5 alone has it."
    ),
    "symlinks": say("Whether links below /dev/md are made. mdadm before 4.3 alone has it."),
    "array-size": say("How large the array shows itself, until it is stopped."),
    "action": say("Let md do this to the array: check, repair, idle (end it) or frozen."),
    "wait": say("Wait until no synchronisation or reshape runs any more."),
    "wait-clean": say("Wait until the array is marked clean."),
    "test": say("Say by the exit code how the array is."),
    "mail": say("Who is told."),
    "daemonise": say("Go on in the background."),
    "oneshot": say("Look once, and end."),
    "dump": say("Copy the superblocks to files in this folder."),
    "restore": say("Write the superblocks that were copied to files back."),
}
_NOT_EXPLAINED = say("An option of mdadm's that isn't explained here; see mdadm(8).")
_NODE = say("Where the array appears; its name is taken from here, unless --name gives one.")
_THE_ARRAY = say("The array.")
_A_DEVICE = say("A device; this name may mean another disk after the next start.")
_A_STABLE_DEVICE = say("A device.")
_SHARED = {
    "create": "create", "level": "level", "layout": "layout", "chunk": "chunk", "metadata": "metadata", "name": "name",
    "uuid": "uuid", "homehost": "homehost", "size": "size", "data-offset": "data-offset", "raid-devices": "count",
    "assume-clean": "assume-clean", "spare-devices": "spares", "consistency-policy": "consistency",
    "write-journal": "journal", "write-mostly": "write-mostly", "failfast": "failfast", "bitmap-chunk": "bitmap-chunk",
}  # fmt: skip
_CREATING = {name: EXPLANATIONS[why] for name, why in _SHARED.items()} | {"bitmap": EXPLANATIONS["bitmap-internal"]}
_IN_MODE = {  # options with another meaning than in a create command
    ("create", "create"): EXPLANATIONS["create"],
    ("assemble", "force"): say(
        "Take members whose data are older than the others', or that are recorded as failed, as if they were good."
    ),
    ("assemble", "run"): say("Start the array although members are missing that were there when it last ran."),
    ("assemble", "uuid"): say("Only members of the array with this UUID."),
    ("assemble", "name"): say("Only members of the array with this name."),
    ("grow", "raid-devices"): say("How many members the array shall have; the data are moved so that all have some."),
    ("grow", "level"): say("The level that the array shall have."),
    ("grow", "chunk"): say("The chunk that the array shall have; all data are moved."),
    ("grow", "layout"): say("The layout that the array shall have; all data are moved."),
    ("grow", "size"): say("How much of each member the array shall use."),
    ("grow", "bitmap"): say("Give the array a write-intent bitmap, or take it away."),
    ("grow", "force"): say("Go on where mdadm would refuse."),
    ("manage", "run"): say("Start the array that was put together and not started."),
    ("misc", "run"): say("Start the array that was put together and not started."),
    ("incremental", "run"): say("Start the array as soon as it can run, although members are missing."),
    ("incremental", "force"): say("Take the device, which is gone, out of its array; its name is the kernel's (sdb1)."),
    ("misc", "force"): say("Go on where mdadm would refuse."),
}
MAY_STAND = frozenset({"bitmap", *_SHARED, *_FURTHER})  # the options of a create command
_SHORT_LIVED = say("A member, in its slot's order; this name may mean another disk after the next start.")
_FILE = say("A file, which mdadm refuses: it takes block devices alone. Attach it first by losetup.")
_GROUPS = {  # mdadm's own words in place of a device, in manage mode
    "failed": say("Every device of the array that has failed."),
    "faulty": say("Every device of the array that has failed."),
    "detached": say("Every device of the array that is gone from the computer."),
    "missing": say("Every device that the array has lost and that is there again."),
}
_ROUNDING = say("To what each member's part of a linear array is rounded down.")
_COPIES = re.compile(r"set-[A-Z]")
_OF_COPIES = say("Every device of one set of copies, of a raid10.")
_STABLE = ("/dev/disk/by-", "/dev/mapper/", "/dev/md")
_IN_FOLDER = re.compile(r"/dev/(?!(?:cciss|ida|rd|i2o|ide|scsi|ataraid|loop|nbd|block)/)[\w.+-]+/\S+")  # LVM's, ZFS's
_NAMELESS = re.compile(r"/dev/(?:loop|ram|zram|nbd|dm-|rbd|zd|drbd)\d+(?:p\d+)?")


def explained(given: Sequence[Given], count: int) -> Iterator[tuple[str, Message]]:
    """Yield each word of a create command with its explanation; ``count`` devices are members, later ones spares."""
    devices = -1  # the first is the array
    values = _values(given)
    for one in given:
        if one.options:
            yield one.text, _of_options(one, values)
        else:
            yield one.text, _of_device(one.text, devices, count)
            devices += 1


def explained_in_mode(given: Sequence[Given], mode: str) -> Iterator[tuple[str, Message]]:
    """Yield each word of any other command with its explanation; ``mode`` is a key of MODES."""
    values, is_array = _values(given), mode in ("assemble", "build", "grow", "manage")
    for one in given:
        if one.options:
            yield one.text, _of_options(one, values, mode)
        elif is_array or one.text.startswith("/dev/md"):
            yield one.text, _THE_ARRAY
            is_array = False
        elif mode == "manage" and one.text in _GROUPS:
            yield one.text, _GROUPS[one.text]
        elif mode == "manage" and _COPIES.fullmatch(one.text):
            yield one.text, _OF_COPIES
        elif is_file(one.text):
            yield one.text, _FILE
        else:
            yield one.text, _A_DEVICE if is_short_lived(one.text) else _A_STABLE_DEVICE


def _values(given: Sequence[Given]) -> dict[str, str]:
    return {name: value or "" for one in given for name, value in one.options}


def is_short_lived(path: str) -> bool:
    """True if the name isn't stable: it can be another disk after a reboot (``/dev/sdb``).

    A name in a folder of its own, as LVM's and ZFS's volumes have, is as stable as theirs.
    """
    return not path.startswith(_STABLE) and not is_file(path) and not _IN_FOLDER.fullmatch(path)


def is_nameless(path: str) -> bool:
    """True for a device without a serial number, so that nothing below /dev/disk/by-id names it."""
    return _NAMELESS.fullmatch(path) is not None


def is_file(path: str) -> bool:
    """True for an absolute path outside /dev: a file, and no block device."""
    return path.startswith("/") and not path.startswith("/dev/")


def is_group(word: str) -> bool:
    """True for mdadm's own word for several devices, in manage mode."""
    return word in _GROUPS or _COPIES.fullmatch(word) is not None


def _of_options(one: Given, values: dict[str, str], mode: str = "create") -> Message:
    """Return the explanation of a word's options, each with the meaning of its value."""
    said: list[Message | None] = []
    for name, value in one.options:
        is_rounding = name == "chunk" and LEVELS.get(values.get("level", "")) is Level.LINEAR
        said += [_ROUNDING if is_rounding else _of_option(name, value, mode), meaning(name, value, values)]
    return sentences([text for text in said if text is not None])


def _of_option(name: str, value: str | None, mode: str) -> Message:
    if mode == "create" and name == "bitmap":
        return EXPLANATIONS["bitmap-none" if value == "none" else "bitmap-internal"]
    if (mode, name) in _IN_MODE:
        return _IN_MODE[mode, name]
    tables = (_FURTHER, _CREATING) if mode == "create" else (MODES, _ELSEWHERE, _FURTHER, _CREATING)
    return next((table[name] for table in tables if name in table), _NOT_EXPLAINED)


def _of_device(text: str, place: int, count: int) -> Message:
    if place < 0:
        return _NODE
    if text.lower() == "missing":
        return EXPLANATIONS["missing"]
    if text.startswith("/dev/md"):
        return EXPLANATIONS["inner"]
    if place >= count and not is_file(text):
        return EXPLANATIONS["spare"]
    if is_file(text):
        return _FILE
    return _SHORT_LIVED if is_short_lived(text) else EXPLANATIONS["member"]
