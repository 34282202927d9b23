"""A disk in words: its kind, health, content, and why it can't be used."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raidwright.core.md.foreign_make import MEMBER_SIGNATURES, make_name
from raidwright.core.messages import Message, say
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.machine.connection import Held
from raidwright.text.catalogue import tr, with_commas
from raidwright.text.shown import Cell, Note, Severity

from .bays import place_words
from .health import counts, is_good, warnings
from .memberships import member_words

_HOURS_A_YEAR = 8766
_LONGEST_MODEL = 28


def held_note(held: Held) -> Note | None:
    """Return the note shown while the practice machine's writes wait for disk space; None if none do."""
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
    """Return the model, truncated if it would hide the disk's content; in full on hover."""
    name = disk.model or "–"
    shown = name if len(name) <= _LONGEST_MODEL else f"{name[: _LONGEST_MODEL - 1].rstrip()}…"
    return Cell(shown, hint=f"{disk.model}\n{disk.id}".strip())


def kind(disk: Disk) -> str:
    """Return “7200 rpm”, “SSD”, “NVMe”, with what is said of its protection, or a dash if unknown."""
    if disk.rotation_rpm == 0:
        name = tr("NVMe") if disk.bus == "nvme" else tr("SSD")
        return tr("{kind}, data-centre", kind=name) if disk.power_loss_protection else name
    if disk.rotation_rpm is None:
        return "–"
    return tr("{rpm} rpm", rpm=disk.rotation_rpm) if disk.rotation_rpm > 0 else tr("Rotating")


def sectors(disk: Disk) -> str:
    """Return the sector format: 512n, 512e or 4Kn."""
    logical, physical = disk.logical_sector_bytes, disk.physical_sector_bytes
    if logical is None or physical is None:
        return "–"
    names = {(512, 512): "512n", (512, 4096): "512e", (4096, 4096): "4Kn"}
    return names.get((logical, physical), f"{logical}/{physical}")


def link(disk: Disk) -> str:
    """Return the port or bus, as far as known."""
    return place_words(disk) or disk.bus.upper() or "–"


def health(disk: Disk) -> Cell:
    """Return the disk's SMART data, with a badge only if it is bad."""
    said = disk.health
    warned = list(warnings(said))
    parts = [*warned, *counts(said)]
    if said.power_on_hours is not None:
        parts.append(tr("{years:.1f} y", years=said.power_on_hours / _HOURS_A_YEAR))
    if said.temperature_celsius is not None:
        parts.append(tr("{degrees:.0f} °C", degrees=said.temperature_celsius))
    if said.failing:
        return Cell(
            " · ".join(parts),
            badge=tr("failing"),
            tone="bad",
            hint=tr("SMART overall health FAILED: the disk expects to fail."),
        )
    if is_good(said):
        parts.insert(0, tr("good"))
    return Cell(" · ".join(parts) or "–")


def reads(disk: Disk) -> Cell:
    """Return the measured sequential read rate, with more on hover; a dash if not measured."""
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
    """Return ``holds`` for use beside ``standing``, which names a stopped array already."""
    is_short = disk.is_takeable and bool(_stopped(disk))
    return with_commas(*(use_words(use, is_short=is_short) for use in disk.uses)) if is_short else holds(disk)


def holds(disk: Disk, seen: Collection[str] | None = None) -> str:
    """Return all uses, in the order of its partitions, or that nothing is recognised on it.

    ``seen`` are the names of the helper's findings: without root an empty disk can't be told from unknown bytes.
    """
    if uses := with_commas(*map(use_words, disk.uses)):
        return uses
    if seen is None:
        return tr("nothing recognised")
    return unknown_words() if UNKNOWN in seen else with_commas(*seen) or tr("empty")


def unknown_words() -> str:
    """Return the words for unrecognised bytes, as on an encrypted or damaged disk."""
    return tr("bytes that nothing here recognises")


_USES = {
    UseKind.SYSTEM: say("this system"),
    UseKind.MOUNTED: say("mounted at {what}"),
    UseKind.SWAP: say("swap"),
    UseKind.HELD: say("held by {what}"),
    UseKind.LOOP: say("below loop device {what}"),
    UseKind.LOG: say("log of what is mounted at {what}"),
    UseKind.EXPORT: say("exported by {what}"),
    UseKind.PROCESS: say("open for writing by {what} (process {pid})"),
    UseKind.READER: say("open for reading by {what} (process {pid})"),
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
    """Return the kind of a member of an array with external metadata; "" for any other use."""
    make = MEMBER_SIGNATURES.get(use.detail) if use.kind is UseKind.SIGNATURE else None
    return tr("member of {make}", make=make_name(make)) if make else ""


def live_words(use: Use, template: Message) -> str:
    """Return a use by its ``template``, with the device that it goes through, and whose mount it is."""
    if use.kind is UseKind.HELD and not use.detail:
        return tr("claimed by something that the kernel doesn't name")
    if use.kind is UseKind.SIGNATURE and use.detail == UNKNOWN:
        return unknown_words()
    words = tr(template, what=use.detail, pid=use.pid)
    if use.through:
        words = tr("{use} through {device}", use=words, device=use.through)
    if use.pid and use.kind in (UseKind.MOUNTED, UseKind.LOG, UseKind.SYSTEM):
        words = tr("{use}, in the mount namespace of process {pid}", use=words, pid=use.pid)
    return words


def use_words(use: Use, *, is_short: bool = False) -> str:
    """Return a use, with its partition unless it is the whole disk."""
    said = member_words(use, is_short=is_short) if use.kind in _MEMBERS else live_words(use, _USES[use.kind])
    words = foreign_words(use) or " ".join(said.split())
    return tr("{words} (partition {number})", words=words, number=use.partition) if use.partition else words


def name(disk: Disk) -> str:
    """Return model and serial as on its label; the by-id name of a disk without them."""
    return f"{disk.model} {disk.serial}".strip() or disk.id


def disk_name(member: Member) -> str:
    """Return vendor, model and serial as on the disk's label; its by-id name if it has none."""
    return " ".join(filter(None, (member.model, member.serial))) or member.id


def disk_label(member: Member) -> str:
    """Return the disk's model, serial and partition, or its by-id name."""
    named = disk_name(member)
    return tr("{disk}, partition {number}", disk=named, number=member.partition) if member.partition else named


def vanished() -> str:
    """Return why a chosen disk that has vanished can't be used."""
    return tr("It isn't there any more. Plug it in again, leave it out, or choose another in its place.")


def gone() -> str:
    """Return the same in a word."""
    return tr("gone")


def why_not(disk: Disk) -> str:
    """Return why an array can't use ``disk``, with the remedy; "" if it can."""
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


def in_use_words(disks: Iterable[Disk]) -> str:
    """Return why nothing can be done with a plan that has ``disks``, those in use among them named; "" for none."""
    used = [tr("{disk} ({why})", disk=name(disk), why=holds(disk)) for disk in disks if disk.is_live]
    return tr("In use now: {disks}. Nothing is built or written there.", disks=used) if used else ""


def mind(disk: Disk) -> str:
    """Return the warning before using ``disk``, or why it can't be used; "" for an empty one."""
    if disk.is_free and disk.uses:
        return tr("Another program reads from it: {what}. That hinders nothing.", what=holds(disk))
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
    """Return the stopped arrays that need the disk."""
    return [f"“{use.detail}”" for use in disk.uses if use.kind is UseKind.STOPPED_ARRAY_MEMBER]


def standing(disk: Disk) -> str:
    """Return the disk's state in a word or two; "" for an empty one."""
    if disk.is_free:
        return tr("being read") if disk.uses else ""
    if disk.is_takeable and _stopped(disk):
        return tr("stopped array")
    return tr("holds something") if disk.is_takeable else tr("in use") if disk.is_live else tr("can't be told")


def by_model(disks: Iterable[Member]) -> str:
    """Return “WDC WD80EFZX: VK0ABCD0, VK0ABCD1”, each model once, one below the other."""
    serials: dict[str, list[str]] = {}
    for disk in disks:
        serials.setdefault(disk.model, []).append(disk.serial or disk.id)
    return "\n".join(f"{model}: {', '.join(names)}" if model else ", ".join(names) for model, names in serials.items())
