"""A disk in words: what kind it is, how it feels, what it holds, and why it can't be taken."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raidwright.core.md.foreign_make import MEMBER_SIGNATURES, make_name
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.machine.connection import Held

from .arrays import member_words
from .catalogue import ntr, tr, with_commas
from .shown import Cell, Note, Severity

_HOURS_A_YEAR = 8766
_LONGEST_MODEL = 28


def held_note(held: Held) -> Note | None:
    """What stands in the window while the practice machine's writes wait for room; None for nothing."""
    if not held.writes:
        return None
    return Note(
        Severity.WARN,
        tr("Waiting"),
        tr("The practice machine's writes wait: there is no room left on this computer for what its disks hold."),
        tr(
            "No disk has failed and nothing is lost. Delete something you don't need on the disk where {folder} lies, "
            "and writing goes on by itself; or start a new practice machine.",
            folder=held.folder,
        ),
    )


def model(disk: Disk) -> Cell:
    """The model, cut where it would push what the disk holds out of sight; all of it on hover."""
    name = disk.model or "–"
    shown = name if len(name) <= _LONGEST_MODEL else f"{name[: _LONGEST_MODEL - 1].rstrip()}…"
    return Cell(shown, hint=f"{disk.model}\n{disk.id}".strip())


def kind(disk: Disk) -> str:
    """“7200 rpm”, “Flash”, “NVMe”, or a dash where nobody knows."""
    if disk.rotation_rpm == 0:
        return tr("NVMe") if disk.bus == "nvme" else tr("Flash")
    if disk.rotation_rpm is None:
        return "–"
    return tr("{rpm} rpm", rpm=disk.rotation_rpm) if disk.rotation_rpm > 0 else tr("Rotating")


def sectors(disk: Disk) -> str:
    """The sector format as the trade calls it: 512n, 512e or 4Kn."""
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if logical is None or physical is None:
        return "–"
    names = {(512, 512): "512n", (512, 4096): "512e", (4096, 4096): "4Kn"}
    return names.get((logical, physical), f"{logical}/{physical}")


def link(disk: Disk) -> str:
    """The port or bus, as far as it is known."""
    return disk.link or disk.bus.upper() or "–"


def health(disk: Disk) -> Cell:
    """What the disk says of itself, with a badge only where it is bad."""
    said = disk.health
    parts = []
    if said.bad_sectors:
        parts.append(ntr("{count} bad sectors", "{count} bad sectors", said.bad_sectors))
    if said.wear_percent is not None:
        parts.append(tr("{percent}% worn", percent=said.wear_percent))
    if said.power_on_hours is not None:
        parts.append(tr("{years:.1f} y", years=said.power_on_hours / _HOURS_A_YEAR))
    if said.temperature_celsius is not None:
        parts.append(tr("{degrees:.0f} °C", degrees=said.temperature_celsius))
    if said.failing:
        return Cell(" · ".join(parts), badge=tr("failing"), tone="bad", hint=tr("This disk says that it is failing."))
    if said.failing is False:
        parts.insert(0, tr("good"))
    return Cell(" · ".join(parts) or "–")


def reads(disk: Disk) -> Cell:
    """What was measured of a stream at its beginning, and more of it on hover; a dash where nothing was."""
    known = disk.baseline
    if known is None or known.sequential_read_mb_s is None:
        return Cell("–", hint=tr("Not measured. Choose the disk and press “Measure how fast they are”."))
    lines = [tr("One stream at its beginning: {rate:,.0f} MB/s", rate=known.sequential_read_mb_s)]
    if known.random_read_4k_iops:
        lines.append(tr("4 KiB all over it, one at a time: {rate:,.0f} a second", rate=known.random_read_4k_iops))
    if known.random_read_4k_q32_iops:
        lines.append(tr("4 KiB, 32 at once: {rate:,.0f} a second", rate=known.random_read_4k_q32_iops))
    return Cell(tr("{rate:,.0f} MB/s", rate=known.sequential_read_mb_s), hint="\n".join(lines))


def holds_beside(disk: Disk) -> str:
    """As ``holds``, beside ``standing``, which names a stopped array already."""
    is_short = disk.is_takeable and bool(_stopped(disk))
    return with_commas(*(use_words(use, is_short=is_short) for use in disk.uses)) if is_short else holds(disk)


def holds(disk: Disk, seen: Collection[str] | None = None) -> str:
    """All that it is in use for, in the order of its partitions, or that nothing is recognised on it.

    ``seen`` are the names of what the helper found on it: without root nobody knows that a disk is empty.
    """
    if uses := with_commas(*map(use_words, disk.uses)):
        return uses
    if seen is None:
        return tr("nothing recognised")
    return unknown_words() if UNKNOWN in seen else with_commas(*seen) or tr("empty")


def unknown_words() -> str:
    """What lies on a disk and has no name, as an encrypted or a damaged disk has it."""
    return tr("bytes that nothing here recognises")


_USES = {
    UseKind.SYSTEM: say("this system"),
    UseKind.MOUNTED: say("mounted at {what}"),
    UseKind.SWAP: say("swap"),
    UseKind.HELD: say("held by {what}"),
    UseKind.ARRAY_MEMBER: say("member of array {what}"),
    UseKind.LVM: say("LVM {what}"),
    UseKind.ENCRYPTED: say("encrypted {what}"),
    UseKind.FILESYSTEM: say("{what} file system"),
    UseKind.PARTITION_TABLE: say("partition table {what}"),
    UseKind.SIGNATURE: say("{what} signature"),
    UseKind.READ_ONLY: say("read-only"),
    UseKind.NAMELESS: say("no name of its own"),
}


_MEMBERS = (UseKind.STOPPED_ARRAY_MEMBER, UseKind.STALE_ARRAY_MEMBER)


def foreign_words(use: Use) -> str:
    """Of a member of an array of foreign make what it is; "" for any other use."""
    make = MEMBER_SIGNATURES.get(use.detail) if use.kind is UseKind.SIGNATURE else None
    return tr("member of {make}", make=make_name(make)) if make else ""


def use_words(use: Use, *, is_short: bool = False) -> str:
    """One use, with its partition where it isn't the whole disk."""
    said = member_words(use, is_short=is_short) if use.kind in _MEMBERS else tr(_USES[use.kind], what=use.detail)
    words = foreign_words(use) or " ".join(said.split())
    return tr("{words} (partition {number})", words=words, number=use.partition) if use.partition else words


def name(disk: Disk) -> str:
    """Model and serial, as they stand on its label; the by-id name of a disk that has neither."""
    return f"{disk.model} {disk.serial}".strip() or disk.id


def vanished() -> str:
    """Why a chosen disk that is nowhere can't be taken."""
    return tr("It isn't there any more. Plug it in again, leave it out, or choose another in its place.")


def gone() -> str:
    """The same in a word."""
    return tr("gone")


def why_not(disk: Disk) -> str:
    """Why an array can't take ``disk``, with the way out; "" when it can."""
    if disk.is_takeable:
        return ""
    what = holds(disk)
    if any(use.kind is UseKind.SYSTEM for use in disk.uses):
        return tr("This computer runs from it.")
    if any(use.kind is UseKind.READ_ONLY for use in disk.uses):
        return tr("It can't be written to.")
    if any(use.kind is UseKind.NAMELESS for use in disk.uses):
        return tr("It has no serial number or WWN of its own, so another disk could be taken for it.")
    return tr("In use now: {what}. Unmount or stop that first.", what=what)


def mind(disk: Disk) -> str:
    """What to know before taking ``disk``, or why it can't be taken; "" for an empty one."""
    if disk.is_free or not disk.is_takeable:
        return why_not(disk)
    if stopped := _stopped(disk):
        return tr(
            "The stopped array {arrays} can be started again. Building on this disk destroys its part of that array; "
            "you are asked for the array's name first.",
            arrays=stopped,
        )
    return tr("It may hold data: {what}. Before anything is built you are asked whether that may go.", what=holds(disk))


def _stopped(disk: Disk) -> list[str]:
    """The stopped arrays that need the disk."""
    return [f"“{use.detail}”" for use in disk.uses if use.kind is UseKind.STOPPED_ARRAY_MEMBER]


def standing(disk: Disk) -> str:
    """How it stands, in a word or two; "" for an empty one."""
    if disk.is_free:
        return ""
    if disk.is_takeable and _stopped(disk):
        return tr("stopped array")
    return tr("holds something") if disk.is_takeable else tr("in use") if disk.is_live else tr("can't be told")


def by_model(disks: Iterable[Member]) -> str:
    """“WDC WD80EFZX: VK0ABCD0, VK0ABCD1”, each model once, one below the other."""
    serials: dict[str, list[str]] = {}
    for disk in disks:
        serials.setdefault(disk.model, []).append(disk.serial or disk.id)
    return "\n".join(f"{model}: {', '.join(names)}" if model else ", ".join(names) for model, names in serials.items())
