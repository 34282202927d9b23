"""Plausible makes and models for the practice machine's disks, by size or by kind."""

from __future__ import annotations

from collections.abc import Iterable

from raidwright.core.errors import InputError
from raidwright.lab.disks.disk import DiskUse, LabDisk
from raidwright.lab.disks.kinds import kind_of, kinds, link_mb_s
from raidwright.lab.disks.timing import Spinning
from raidwright.reading.pool import PoolGroup, parse_pool

# (largest label in GB, vendor, model, serial prefix, rotates): the first that is large enough is used.
_SHELF = (
    (250, "Samsung", "SSD 860 EVO", "S3Y9NB0K", False),
    (500, "Samsung", "SSD 870 EVO", "S6PYNM0R", False),
    (1000, "WDC", "WD10EZEX", "WCC6Y", True),
    (2000, "Seagate", "ST2000DM008", "WFL2", True),
    (4000, "WDC", "WD40EFZX", "WCC7K", True),
    (6000, "TOSHIBA", "HDWG460", "Y1Q0", True),
    (8000, "WDC", "WD80EFZX", "VK0", True),
    (10000, "Seagate", "ST10000VN0008", "ZA2", True),
    (12000, "WDC", "WD120EFBX", "5QG", True),
    (16000, "TOSHIBA", "MG08ACA16TE", "Z0N0", True),
    (20000, "Seagate", "ST20000NM007D", "ZVT", True),
)
MEMORY = "memory"  # instead of a kind: no timing of its own
_LARGEST_BYTES = 24_000 * 1_010_000_000  # labelled 24 TB


def disks_from_text(text: str, *, first_number: int = 1, at_memory_speed: bool = False) -> tuple[LabDisk, ...]:
    """Return the disks that ``4x8TB:hdd7200+2TB:ext4+2x4TB:hdd5400:gpt@usb3`` specifies, numbered from
    ``first_number``.

    After colons come a kind (``kinds``) and a disk's content, both optional; after @ the link shared by all disks with
    the same word. Without a kind a disk is an hdd7200, small ones an ssd; ``8TB:memory``, and with ``at_memory_speed``
    every disk without a kind, is as fast as the host's memory. Raises InputError.
    """
    wanted = [group for group in parse_pool(text) for _ in range(group.count)]
    return tuple(_take(group, n, at_memory_speed) for n, group in enumerate(wanted, start=first_number))


def next_number(serials: Iterable[str]) -> int:
    """Return a number that none of our ``serials`` ends in."""
    return max((int(serial[-4:], 16) for serial in serials), default=0) + 1


def _take(group: PoolGroup, number: int, at_memory_speed: bool) -> LabDisk:
    size_bytes = group.size_bytes
    if size_bytes > _LARGEST_BYTES:
        raise InputError("A practice disk can be 24 TB at most.", code="size", size_bytes=size_bytes)
    words, _, link = group.said.partition("@")
    kind, use = _kind_and_use([word for word in words.split(":") if word])
    if not kind:
        if link:
            raise InputError("Disks that share a link need a kind: 2x4TB:hdd5400@usb3.", code="link", link=link)
        kind = MEMORY if at_memory_speed else _usual_kind(size_bytes)
    if kind == MEMORY:
        if link:
            raise InputError("A practice disk at memory speed shares no link.", code="link", link=link)
        return _at_memory_speed(size_bytes, use, number)
    made = kind_of(kind)
    return LabDisk(
        made.vendor,
        made.model,
        f"{made.serial}{number:04X}",
        size_bytes,
        isinstance(made.timing, Spinning),
        use=use,
        timing=made.timing,
        link=link,
        link_mb_s=link_mb_s(link) if link else 0.0,
    )


def names_of_kinds() -> tuple[str, ...]:
    """Return the kinds of disks that can be specified."""
    return tuple(kinds())


def _kind_and_use(words: list[str]) -> tuple[str, DiskUse]:
    kind, use = "", DiskUse.NOTHING
    for word in words:
        if word in (*kinds(), MEMORY) and not kind:
            kind = word
        elif word in list(DiskUse) and not use:
            use = DiskUse(word)
        else:
            raise InputError(
                "A practice disk can't be or hold “{use}”; it can be {kinds}, and hold {known}.",
                code="use",
                use=word,
                kinds=(*names_of_kinds(), MEMORY),
                known=tuple(str(known) for known in DiskUse if known),
            )
    return kind, use


def _usual_kind(size_bytes: int) -> str:
    """Return the kind of a disk for which none was asked."""
    return "hdd7200" if _on_shelf(size_bytes)[-1] else "ssd"


def _on_shelf(size_bytes: int) -> tuple[int, str, str, str, bool]:
    # A disk holds a little more than its label says.
    fitting = (row for row in _SHELF if size_bytes <= row[0] * 1_010_000_000)
    return next(fitting, _SHELF[-1])


def _at_memory_speed(size_bytes: int, use: DiskUse, number: int) -> LabDisk:
    _, vendor, model, prefix, rotates = _on_shelf(size_bytes)
    return LabDisk(vendor, model, f"{prefix}{number:04X}", size_bytes, rotates, use=use)
