"""The meaning of an option's value: ``--chunk=64`` is 64 KiB, ``--layout=f2`` two copies far apart.

Sources: mdadm(8), md(4); mdadm ``util.c`` ``parse_size``, ``bitmap.h``, ``super0.c``, ``super1.c``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say, say_count

from .mdadm_rules import BUILD_CHUNK_KIB, CREATE_CHUNK_KIB, LINEAR_ROUNDING_KIB

_SIZE = re.compile(r"(\d+)([KMGTs]?)")
_BYTES = {"": 1 << 10, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "s": 512}
_LEVELS = {str(level): level for level in Level} | {str(level).removeprefix("raid"): level for level in Level}
LEVELS = _LEVELS | {"stripe": Level.RAID0, "mirror": Level.RAID1}  # the values of mdadm's --level that plans support
_OF_LEVEL = {
    Level.LINEAR: say("linear: one member after the other; a failed one takes its part."),
    Level.RAID0: say("raid0: chunks go to all members in turn; one that fails takes all."),
    Level.RAID1: say("raid1: every member holds all data; one must be left."),
    Level.RAID4: say("raid4: all parity is on one member; any one may fail."),
    Level.RAID5: say("raid5: one chunk of parity in each stripe, spread over all; any one member may fail."),
    Level.RAID6: say("raid6: two chunks of parity in each stripe; any two members may fail."),
    Level.RAID10: say("raid10: chunks in copies, spread over all members."),
}
_METADATA = {
    "0.90": say("0.90 is the old format, at the end: no name, few members, and none above 2 TiB before Linux 3.1."),
    "1.0": say("1.0 is at the end, so a mirror's member reads as the file system alone: for boot partitions."),
    "1.1": say("1.1 is at the very beginning of each member."),
    "1.2": say("1.2 is 4 KiB from the beginning, and mdadm's own choice."),
}
_METADATA |= {"0": _METADATA["0.90"], "1": _METADATA["1.2"], "default": _METADATA["1.2"]}
_BITMAPS = {
    "none": say("none: no bitmap."),
    "internal": say("internal: on every member, beside the superblock."),
    "lockless": say(
        "lockless: a new kind, of Linux 6.18 and mdadm 4.6, which calls it experimental; only at creation."
    ),
    "clustered": say("clustered: one for each computer of a cluster that shares the disks."),
}
_BITMAP_FILE = say("In a file of its own, which mdadm 4.4 and later refuse.")
_POLICIES = {
    "resync": say("resync: after a crash all of it is synchronised."),
    "bitmap": say("bitmap: after a crash what the bitmap marks is synchronised."),
    "journal": say("journal: what was cut off is replayed from the journal."),
    "ppl": say("ppl: a partial parity log on the members, of raid5 alone; it makes writes slower."),
}
_PARITY_LAYOUTS = {
    "left-symmetric": say("left-symmetric: parity moves on by one with each stripe, and data follow it; mdadm's own."),
    "left-asymmetric": say("left-asymmetric: parity moves on by one with each stripe; data keep their order."),
    "right-symmetric": say("right-symmetric: parity moves from the first member to the last, and data follow it."),
    "right-asymmetric": say("right-asymmetric: parity moves from the first member to the last; data keep their order."),
    "parity-first": say("parity-first: all parity on the first member."),
    "parity-last": say("parity-last: all parity on the last member."),
}
_PARITY_SHORT = {"ls": "left-symmetric", "la": "left-asymmetric", "rs": "right-symmetric", "ra": "right-asymmetric"}
_PARITY_SHORT |= {"default": "left-symmetric", "parity-0": "parity-first", "parity-n": "parity-last"}
_RAID0_LAYOUTS = {
    "original": say("original: as before Linux 3.14, and mdadm's own; for members of unlike sizes."),
    "alternate": say("alternate: as since Linux 3.14; for members of unlike sizes."),
    "dangerous": say("dangerous: left to the kernel that runs, which since 5.4 refuses members of unlike sizes."),
}
_HOME_HOSTS = {  # mdadm's own words (mdadm.c)
    "any": say("any: nobody's in particular; every computer gives it its plain name."),
    "none": say("none: no computer's."),
    "<none>": say("<none>: no home host is written or asked for."),
    "<ignore>": say("<ignore>: every array counts as this computer's own."),
    "<system>": say("<system>: this computer's own name, which is mdadm's own choice."),
}
_UPDATES = {
    "name": say("name: gives the array another name."),
    "homehost": say("homehost: makes it this computer's."),
    "uuid": say("uuid: gives the array another UUID."),
    "resync": say("resync: has all copies and parity synchronised."),
    "devicesize": say("devicesize: looks anew how large each member is."),
    "no-bitmap": say("no-bitmap: starts without the bitmap."),
    "bbl": say("bbl: reserves room for a log of bad blocks."),
    "no-bbl": say("no-bbl: takes the log of bad blocks away, if it is empty."),
    "force-no-bbl": say(
        "force-no-bbl: takes the log of bad blocks away, whatever is in it; those sectors read as good."
    ),
    "ppl": say("ppl: switches the partial parity log on."),
    "no-ppl": say("no-ppl: switches the partial parity log off."),
    "metadata": say("metadata: turns 0.90 into 1.0."),
    "revert-reshape": say("revert-reshape: turns a reshape round that stands still."),
    "layout-original": say("layout-original: says of a raid0 that it was written before Linux 3.14."),
    "layout-alternate": say("layout-alternate: says of a raid0 that it was written since Linux 3.14."),
}


def size_bytes(text: str) -> int | None:
    """Return the bytes of a size in mdadm's syntax, KiB unless it has a suffix; None for invalid text."""
    match = _SIZE.fullmatch(text)
    return int(match[1]) * _BYTES[match[2]] if match else None


def meaning(name: str, value: str | None, values: Mapping[str, str]) -> Message | None:
    """Return the meaning of ``value`` for the option ``name``, None if the option is clear by itself.

    ``values`` are the command's other options with theirs: a stripe depends on level and members.
    """
    if not value or name not in _MEANINGS:
        return None
    return _MEANINGS[name](value, values)


def _chunk(value: str, values: Mapping[str, str]) -> Message | None:
    chunk_bytes = size_bytes(value)
    if not chunk_bytes:
        return None
    level = LEVELS.get(values.get("level", ""))
    own_kib = BUILD_CHUNK_KIB if "build" in values else CREATE_CHUNK_KIB
    own_kib = LINEAR_ROUNDING_KIB if level is Level.LINEAR and "build" not in values else own_kib
    count = values.get("raid-devices", "")
    is_striped = level is Level.RAID0 or (level is not None and level.parity_disks > 0)
    data = int(count) - level.parity_disks if level is not None and is_striped and count.isdecimal() else 0
    if data < 1:
        return say("{chunk_bytes:binary}; mdadm's own choice is {own} KiB.", chunk_bytes=chunk_bytes, own=own_kib)
    return say(
        "{chunk_bytes:binary}, so {stripe_bytes:binary} of data in a stripe; mdadm's own choice is {own} KiB.",
        chunk_bytes=chunk_bytes,
        stripe_bytes=data * chunk_bytes,
        own=own_kib,
    )


def _layout(value: str, values: Mapping[str, str]) -> Message | None:
    level = LEVELS.get(values.get("level", ""))
    if level is Level.RAID0:
        return _RAID0_LAYOUTS.get({"1": "original", "2": "alternate"}.get(value, value))
    if level is not Level.RAID10:
        return _PARITY_LAYOUTS.get(_PARITY_SHORT.get(value, value))
    match = re.fullmatch(r"([nfo])([1-9]\d?)", value)
    if match is None:
        return None
    count = int(match[2])
    if match[1] == "n":
        return say_count(
            "{count} copy, near: on members beside each other, at the same place.",
            "{count} copies, near: on members beside each other, at the same place.",
            count,
        )
    if match[1] == "f":
        return say_count(
            "{count} copy, far: far apart on the disks, so that reads stream as from raid0 and writes seek more.",
            "{count} copies, far: far apart on the disks, so that reads stream as from raid0 and writes seek more.",
            count,
        )
    return say_count(
        "{count} copy, offset: in the next row, one member further on.",
        "{count} copies, offset: in the next row, one member further on.",
        count,
    )


def _bitmap(value: str, _: Mapping[str, str]) -> Message | None:
    return _BITMAP_FILE if "/" in value else _BITMAPS.get(value)


def _sized(template: str) -> Callable[[str, Mapping[str, str]], Message | None]:
    def told(value: str, _: Mapping[str, str]) -> Message | None:
        found = size_bytes(value)
        return say(template, size_bytes=found) if found else None

    return told


def _size(value: str, values: Mapping[str, str]) -> Message | None:
    if value == "max":
        return say("max: as much as the smallest has.")
    return _sized("{size_bytes:binary} of each; what is beyond stays unused.")(value, values)


def _name(value: str, _: Mapping[str, str]) -> Message | None:
    host, colon, name = value.partition(":")
    return say("“{name}”, of the computer “{host}”.", name=name[:40], host=host[:40]) if colon else None


def _homehost(value: str, _: Mapping[str, str]) -> Message | None:
    return _HOME_HOSTS.get(value.lower())


def _logical_block(value: str, _: Mapping[str, str]) -> Message | None:
    if not value.isdecimal():
        return None
    return say(
        "{count} bytes; it needs mdadm 4.5 and Linux 6.19, and no older Linux starts such an array.", count=value
    )


def _metadata(value: str, _: Mapping[str, str]) -> Message | None:
    return _METADATA.get(value) or _METADATA.get(value.lstrip("0"))


def _level(value: str, _: Mapping[str, str]) -> Message | None:
    level = LEVELS.get(value)
    return _OF_LEVEL[level] if level else None


_MEANINGS: dict[str, Callable[[str, Mapping[str, str]], Message | None]] = {
    "level": _level,
    "chunk": _chunk,
    "layout": _layout,
    "metadata": _metadata,
    "bitmap": _bitmap,
    "bitmap-chunk": _sized("{size_bytes:binary} to a bit."),
    "consistency-policy": lambda value, _: _POLICIES.get(value),
    "size": _size,
    "data-offset": _sized("The first {size_bytes:binary} are superblock, bitmap and room."),
    "array-size": _sized("{size_bytes:binary}, until the array is stopped."),
    "name": _name,
    "homehost": _homehost,
    "logical-block-size": _logical_block,
    "update": lambda value, _: _UPDATES.get(value),
}
