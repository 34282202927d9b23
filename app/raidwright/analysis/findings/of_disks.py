"""Findings on the disks: their properties, connections and contents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from raidwright.analysis.booting import lone_esp
from raidwright.analysis.drive_facts import family_without_error_recovery_control, shingled_family
from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say, say_count
from raidwright.core.model.disk import Disk, UseKind

from .finding import Facts, Finding, Severity, Stake, Verify, ids_of

_WORTH_A_WORD, _WORTH_A_WARNING = 100, 10  # one part in so many of the disks' capacity


def verify_sizes(facts: Facts) -> Iterator[Finding]:
    """Find larger members whose surplus stays unused."""
    lost_bytes = facts.capacity.lost.larger_members_sectors * 512
    members = [member for member in facts.plan.disks() if member not in facts.array.spares]
    smallest = min(members, key=lambda member: member.size_bytes)
    whole_bytes = sum(member.size_bytes for member in members)
    if lost_bytes * _WORTH_A_WORD > whole_bytes:
        larger = tuple(member.id for member in members if member.size_bytes * 100 > smallest.size_bytes * 101)
        yield Finding(
            Severity.WARNING if lost_bytes * _WORTH_A_WARNING > whole_bytes else Severity.NOTE,
            "unequal-sizes",
            say(
                "{lost_bytes:size} stay unused, because every member counts as much as the smallest.",
                lost_bytes=lost_bytes,
            ),
            say(
                "The smallest is {smallest} with {size_bytes:size}.",
                smallest=facts.named((smallest.id,)),
                size_bytes=smallest.size_bytes,
            ),
            say(
                "Replace the smallest, or choose joined arrays on slices of the disks (“Bands”): these use the larger "
                "disks, too."
            ),
            larger,
            at_stake=Stake.SPACE,
        )


def verify_sectors(facts: Facts) -> Iterator[Finding]:
    """Find different logical or physical sector sizes in one array."""
    logical = {disk.logical_sector_bytes for disk in facts.disks} - {None}
    physical = {disk.physical_sector_bytes for disk in facts.disks} - {None}
    if len(logical) > 1:
        large = [disk for disk in facts.disks if disk.logical_sector_bytes == 4096]
        yield Finding(
            Severity.WARNING,
            "sector-mix",
            say_count(
                "Disks with sectors of 512 and of 4096 bytes are mixed; {disks} has the larger.",
                "Disks with sectors of 512 and of 4096 bytes are mixed; {disks} have the larger.",
                len(large),
                disks=facts.named(ids_of(large)),
            ),
            say("The array takes the larger sector. A file system made before such a disk joins stops mounting."),
            say("Use disks of one kind, or set the 4Kn ones to 512e where they can be set."),
            ids_of(large),
            at_stake=Stake.ACCESS,
        )
    elif len(physical) > 1:
        yield Finding(
            Severity.NOTE,
            "physical-sector-mix",
            say("The disks' physical sectors differ (512 and 4096 bytes)."),
            say("It works, so long as partitions and file systems are aligned to 4096 bytes."),
            say("Begin partitions at a whole MiB, which is what tools do today."),
            at_stake=Stake.SPEED,
        )


def verify_boot(facts: Facts) -> Iterator[Finding]:
    """Find a running system whose root is on the array, while one of its disks alone can start the computer."""
    lone = lone_esp(facts.disks)
    if lone is None:
        return
    others = tuple(disk.id for disk in facts.disks if disk is not lone)
    yield Finding(
        Severity.WARNING,
        "one-efi-partition",
        say(
            "The system's root is on this array, and only {disk} has an EFI system partition.",
            disk=facts.named((lone.id,)),
        ),
        say("If that disk fails, the array still holds everything, but the computer no longer starts from it."),
        say(
            "Make such a partition on {disks}, copy /boot/efi onto it, register it with efibootmgr, and do so again "
            "after each update of the boot loader. Or make them members of a raid1 with metadata 1.0, which the "
            "firmware reads as it does a plain partition.",
            disks=facts.named(others),
        ),
        (lone.id,),
        at_stake=Stake.ACCESS,
    )


def verify_rotation(facts: Facts) -> Iterator[Finding]:
    """Find flash and spinning disks, or different rpm, in one array."""
    flash = [disk for disk in facts.disks if disk.rotation_rpm == 0]
    spinning = [disk for disk in facts.disks if disk.rotation_rpm]
    if flash and spinning and not _reads_from_flash(facts):
        yield Finding(
            Severity.WARNING,
            "rotation-mix",
            say("Flash ({disks}) and spinning disks are in one array.", disks=facts.named(ids_of(flash))),
            say("Writes wait for the slowest member, so the flash gains little beyond reads on mirrors."),
            say("Make an array of each, or mark the spinning mirrors write-mostly."),
            ids_of(flash),
            at_stake=Stake.SPEED,
        )
    speeds = sorted({disk.rotation_rpm for disk in spinning if disk.rotation_rpm and disk.rotation_rpm > 0})
    if len(speeds) > 1:
        yield Finding(
            Severity.NOTE,
            "rpm-mix",
            say("The disks turn at different speeds ({speeds} per minute).", speeds=speeds),
            say("A striped array is as fast as its slowest member."),
            say("Nothing to do, unless a measurement disappoints."),
            at_stake=Stake.SPEED,
        )


def _reads_from_flash(facts: Facts) -> bool:
    """Return True if one mirror has every spinning disk marked write-mostly, the best remedy."""
    pairs = zip(facts.plan.disks(), facts.disks, strict=True)
    return facts.array.level is Level.RAID1 and all(one.write_mostly for one, disk in pairs if disk.rotation_rpm)


def verify_batch(facts: Facts) -> Iterator[Finding]:
    """Find disks of one model whose serial numbers differ in at most the last three characters: a common batch."""
    batches: defaultdict[tuple[str, str], dict[str, Disk]] = defaultdict(dict)
    for disk in facts.disks:
        if disk.model and len(disk.serial) >= 6 and not _is_virtual(disk):
            batches[disk.model, disk.serial[:-3]][disk.serial] = disk
    for (model, _), disks in batches.items():
        if len(disks) > 1:
            yield Finding(
                Severity.NOTE,
                "same-batch",
                say(
                    "The serial numbers of {count} disks ({model}) are nearly consecutive: likely one batch.",
                    count=len(disks),
                    model=model,
                ),
                say("They probably come from one batch, share its faults and wear alike; failures then come in pairs."),
                say("Mix batches or makers if you can, and replace one of them early."),
                ids_of(disks.values()),
            )


def _is_virtual(disk: Disk) -> bool:
    """Return True for a virtual machine's disk, as practice machines have: no port, nor a serial of a maker's."""
    return disk.link.startswith("virtio")


def verify_link(facts: Facts) -> Iterator[Finding]:
    """Find disks behind one link, which share its bandwidth and its failure."""
    links: defaultdict[str, list[Disk]] = defaultdict(list)
    for disk in facts.disks:
        if disk.link and not _is_virtual(disk):
            links[disk.link].append(disk)
    for link, disks in links.items():
        ids = ids_of(disks)
        if len(ids) > 1:
            yield Finding(
                Severity.WARNING,
                "shared-link",
                say("{disks} share the link {link}.", disks=facts.named(ids), link=link),
                say("Together they are no faster than the link, and its fault takes them all away at once."),
                say("Give each disk a port of its own."),
                ids,
                at_stake=Stake.ACCESS,
            )


def verify_usb(facts: Facts) -> Iterator[Finding]:
    """Find USB disks, which tend to disconnect."""
    usb = ids_of(disk for disk in facts.disks if disk.bus == "usb")
    if usb:
        yield Finding(
            Severity.WARNING,
            "usb",
            say_count("{disks} is attached by USB.", "{disks} are attached by USB.", len(usb), disks=facts.named(usb)),
            say("USB bridges reset under load and hide errors; md then counts a healthy disk as failed."),
            say("Use SATA or SAS for members; a bitmap at least shortens the resync after a dropout."),
            usb,
            at_stake=Stake.ACCESS,
        )


def verify_shingled(facts: Facts) -> Iterator[Finding]:
    """Find shingled disks: known by their models, or given as such (``Baseline.kind``)."""
    said = {disk.failure_unit for disk in facts.plan.disks() if disk.baseline and disk.baseline.kind == "smr"}
    kept = facts.redundant_disks()
    shingled = [disk for disk in kept if disk.zoned or disk.id in said or shingled_family(disk.model)]
    if shingled:
        named, count = facts.named(ids_of(shingled)), len(shingled)
        shingles = say_count("{disks} is shingled (SMR).", "{disks} are shingled (SMR).", count, disks=named)
        if known := next((disk for disk in shingled if shingled_family(disk.model)), None):
            shingles = say_count(
                "{disks} ({family}, {model}) is shingled (SMR).",
                "{disks} ({family}, {model}) are shingled (SMR).",
                count,
                disks=named,
                family=shingled_family(known.model),
                model=known.model,
            )
        yield Finding(
            Severity.WARNING,
            "smr",
            shingles,
            say(
                "Once its cache is full, small writes, and those of parity, run at a tenth of the speed. "
                "A ZFS rebuild onto such a disk took nine days where another took sixteen hours (2020); md writes a "
                "rebuild in order, which such disks take better."
            ),
            say("Take disks that the maker calls CMR."),
            ids_of(shingled),
            at_stake=Stake.SPEED,
        )


def verify_error_recovery(facts: Facts) -> Iterator[Finding]:
    """Find disks that turn and retry longer than the kernel's timeout: by their own report, else by their model."""
    disks = [disk for disk in facts.redundant_disks() if disk.rotation_rpm != 0]
    silent = [disk for disk in disks if disk.health.has_error_recovery is None]
    unlimited = [
        disk for disk in disks if disk.health.has_error_recovery is not None and not disk.health.error_recovery_read_s
    ]
    if unlimited:
        sentence = say_count(
            "{disks} sets no limit to the time spent on a bad sector.",
            "{disks} set no limit to the time spent on a bad sector.",
            len(unlimited),
            disks=facts.named(ids_of(unlimited)),
        )
        yield _patient(sentence, unlimited)
    if desktop := [disk for disk in silent if family_without_error_recovery_control(disk.model)]:
        sentence = say_count(
            "{disks} is a desktop disk, which usually can't limit the time spent on a bad sector.",
            "{disks} are desktop disks, which usually can't limit the time spent on a bad sector.",
            len(desktop),
            disks=facts.named(ids_of(desktop)),
        )
        yield _patient(sentence, desktop)


def _patient(sentence: Message, disks: Iterable[Disk]) -> Finding:
    return Finding(
        Severity.WARNING,
        "no-erc",
        sentence,
        say(
            "It retries for minutes, the kernel gives up after 30 seconds, and md throws out a disk that one bad "
            "sector would not have cost."
        ),
        say(
            "Look with smartctl -l scterc. Set it to 7 seconds at every boot, or raise the kernel's "
            "/sys/block/…/device/timeout to 180."
        ),
        ids_of(disks),
    )


def verify_contents(facts: Facts) -> Iterator[Finding]:
    """Find disks that are in use, or whose contents would be lost."""
    live = ids_of(disk for disk in facts.disks if disk.is_live)
    if live:
        yield Finding(
            Severity.DANGER,
            "disk-live",
            say_count(
                "{disks} is in use right now.", "{disks} are in use right now.", len(live), disks=facts.named(live)
            ),
            say("Building would pull the disk from under what runs on it; the helper refuses it."),
            say("Choose another disk, or stop what uses this one first."),
            live,
        )
    stopped = ids_of(disk for disk in facts.disks if not disk.is_live and _stopped_arrays(disk))
    if stopped:
        arrays = sorted({name for disk in facts.disks if disk.id in stopped for name in _stopped_arrays(disk)})
        yield Finding(
            Severity.WARNING,
            "disk-of-stopped-array",
            say_count(
                "{disks} belongs to a stopped array that can be started again: {arrays}.",
                "{disks} belong to a stopped array that can be started again: {arrays}.",
                len(stopped),
                disks=facts.named(stopped),
                arrays=arrays,
            ),
            say("Building on it destroys its part of that array."),
            say("Start that array and look at what it holds; or choose another disk."),
            stopped,
        )
    held = ids_of(disk for disk in facts.disks if not (disk.is_free or disk.is_live) and disk.id not in stopped)
    if held:
        yield Finding(
            Severity.WARNING,
            "disk-not-empty",
            say_count("{disks} is not empty.", "{disks} are not empty.", len(held), disks=facts.named(held)),
            say("What it holds is overwritten when the array is built."),
            say("Look at what it is, and save it; or choose another disk."),
            held,
        )


def _stopped_arrays(disk: Disk) -> list[str]:
    return [f"“{use.detail}”" for use in disk.uses if use.kind is UseKind.STOPPED_ARRAY_MEMBER]


def verify_whole_disks(facts: Facts) -> Iterator[Finding]:
    """Find whole disks as members, which look empty to other programs."""
    whole = [member for member in facts.plan.disks() if member.partition is None and "-part" not in member.id]
    if whole:
        yield Finding(
            Severity.NOTE,
            "whole-disk",
            say("The disks get no partition table, and may look empty elsewhere."),
            say(
                "Some firmware and installers take such a disk for empty, and may offer to initialise it; that would "
                "destroy data."
            ),
            say("Keep it if the machine is yours alone; otherwise use one partition a disk."),
            at_stake=Stake.ACCESS,
        )


DISK_CHECKS: tuple[Verify, ...] = (
    verify_contents,
    verify_sizes,
    verify_sectors,
    verify_boot,
    verify_rotation,
    verify_batch,
    verify_link,
    verify_usb,
    verify_shingled,
    verify_error_recovery,
    verify_whole_disks,
)
