"""TryRescue: a rescue's attempt on overlays: started, checked, mounted read-only, looked at, and taken down again.

The disks themselves are only read: the kernel opens them so (``overlays``), and the sectors that it counts as written
to each are compared before and after. A file system's check never repairs (``-n``), and its log isn't replayed. Where
LVM is on the array, its volumes are looked into, of this array alone.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from raidwright.core.ending import to_the_end
from raidwright.core.errors import JobFailed, RaidwrightError
from raidwright.core.json_fields import printable
from raidwright.core.md.rescue.stripes import BLOCK_BYTES, Proof
from raidwright.core.protocol.results import FileSystemCheck, RescueTried, RescueVerdict
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.filesystem import options_without_replay

from raidwright_helper.host import lvm, md
from raidwright_helper.host.guards import person_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import MEASURED_AT, SYSTEMCTL, measuring_argv
from raidwright_helper.host.overlays import Overlays
from raidwright_helper.host.runner import ProgramResult, run
from raidwright_helper.host.signatures import found_within
from raidwright_helper.host.trial_volumes import TrialGroup, group_on
from raidwright_helper.jobs.jobs import Job

from .rescue_disks import HeldAttempt, start_on, started, stop_halves
from .rescue_proof import Proven, is_refuted, prove
from .rescue_reshape import hold_where_readable

_CHECK_SECONDS = 2 * 3600.0
_LOOK_SECONDS = 60.0
LIMIT_SECONDS = _CHECK_SECONDS + 900.0
_CHECKS = {  # nothing is repaired
    "ext2": ("/usr/sbin/e2fsck", "-n", "-f"),
    "ext3": ("/usr/sbin/e2fsck", "-n", "-f"),
    "ext4": ("/usr/sbin/e2fsck", "-n", "-f"),
    "xfs": ("/usr/sbin/xfs_repair", "-n"),
    "btrfs": ("/usr/bin/btrfs", "check", "--readonly"),
}
_FIND = ("/usr/bin/find", MEASURED_AT, "-xdev", "-maxdepth", "4", "-type", "f", "-printf", "%s %P\\0")
_SHA256 = ("/usr/bin/sha256sum", "--")
_READABLE = re.compile(r"[\w .,+@=()\[\]/-]+", re.ASCII)  # systemd-run expands $ and %
_MAX_FILES = 100
_MAX_READ = 24
_MAX_READ_BYTES = 64 * 2**20  # together
_MAX_COMPARED_BYTES = 2**30  # where two ways may read alike but for the files beyond the smallest disk's size
_COMPARE_SECONDS = 600.0
_MAX_LINES = 6
_FROM_WORST = (RescueVerdict.BROKEN, RescueVerdict.DAMAGED, RescueVerdict.GOOD)


@dataclass(frozen=True, slots=True)
class _Content:
    """A device to look into, and its file system's kind; "" if none is known. ``volume`` is LVM's GROUP/NAME or ""."""

    node: str = ""
    kind: str = ""
    volume: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    """Contents of the array: signature names, what can be looked into, and LVM's volumes that can't (RescueTried).

    ``begins``: the array's first block has one of the signatures.
    """

    holds: tuple[str, ...]
    begins: bool
    contents: tuple[_Content, ...] = ()
    closed: tuple[str, ...] = ()
    stores_missing: int = 0


@dataclass(frozen=True, slots=True)
class _Looked:
    """A content that was looked into: its verdict, the last lines of its check, and its files."""

    content: _Content
    verdict: RescueVerdict
    check: FileSystemCheck
    checked: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


async def try_on_overlays(host: Host, overlays: Overlays, held: HeldAttempt, job: Job) -> RescueTried:
    """Try the attempt and take the overlays down; raises DiskRefused, JobFailed."""
    log = job.record.commands
    job.progress(JobStep.STRIPES, 0.0)
    proven = await prove(host, held)
    if is_refuted(held, proven):
        return _with_proof(
            RescueTried(RescueVerdict.REFUTED, _missing(held), 0, tells_order=proven.tells_order), proven
        )
    written = [host.written_sectors(device.number) for device in held.devices]
    errors = _error_counts(host, held)
    if overlays.are_left:  # of a helper that was killed
        await overlays.take_down(log)
    await stop_halves(host, held, log)
    try:
        job.progress(JobStep.OVERLAY, 0.1)
        nodes = await overlays.set_up(held.devices, log)
        job.progress(JobStep.START, 0.2)
        result = await _try(host, overlays, held, nodes, job, proven)
    finally:
        job.progress(JobStep.STOP, 0.95)
        await to_the_end(overlays.take_down(log))
    for device, before in zip(held.devices, written, strict=True):
        if host.written_sectors(device.number) != before:
            raise JobFailed(
                "{node} was written to while the overlays were there, by something else on this computer. Look what it "
                "was before you go on.",
                code="rescue-written",
                node=device.node,
            )
    failing = [
        person_name(member)
        for member, before, now in zip(held.attempt.members, errors, _error_counts(host, held), strict=True)
        if before != now or person_name(member) in result.failing
    ]
    return _with_proof(replace(result, failing=tuple(failing)), proven)


def _missing(held: HeldAttempt) -> int:
    plan = held.attempt.plan
    return len(plan.members) - len(held.attempt.members) if plan else 0


def _with_proof(result: RescueTried, proven: Proven) -> RescueTried:
    """Return the result with what the stripes say: a sound file system alone proves no member's data."""
    verdict = result.verdict
    if verdict is RescueVerdict.GOOD and proven.is_needed:
        if proven.proof is Proof.DOUBTFUL:
            verdict = RescueVerdict.DAMAGED
        elif proven.proof is Proof.UNTOLD or not result.tells_order:
            verdict = RescueVerdict.UNPROVEN
    return replace(
        result,
        verdict=verdict,
        proof=proven.proof,
        stripes_looked=proven.found.looked,
        stripes_told=proven.found.told,
        stripes_agreed=proven.found.agreed,
        landmarks_of=proven.found.by_content if proven.found.told else "",
        contradicted=proven.contradicted,
    )


def _error_counts(host: Host, held: HeldAttempt) -> list[str]:
    """Return how many commands the kernel has seen fail on each disk (SCSI and SATA; "" for others).

    md counts only what it has corrected, which it does on no array that is read-only (``raid5.c handle_stripe``).
    """
    return [host.attribute(host.whole(device.number), "device/ioerr_cnt") for device in held.devices]


async def _try(
    host: Host, overlays: Overlays, held: HeldAttempt, nodes: Sequence[str], job: Job, proven: Proven
) -> RescueTried:
    log = job.record.commands
    uuid = held.attempt.uuid or md.new_uuid()
    node = overlays.free_node()
    parts = [number for number in map(host.number_of, nodes) if number is not None]
    number = await started(host, node, await start_on(held, nodes, node, uuid, log), parts, uuid)
    await hold_where_readable(host, number, log)
    found = await _found(host, overlays, number, log)
    most_bytes = _MAX_COMPARED_BYTES if held.attempt.way.is_layout else _MAX_READ_BYTES
    looked = [await _looked(content, most_bytes, job) for content in found.contents]
    worst = min(looked, key=lambda one: _FROM_WORST.index(one.verdict), default=None)
    return RescueTried(
        verdict=worst.verdict if worst else RescueVerdict.HOLDS if found.holds else RescueVerdict.NOTHING,
        missing=int(host.attribute(number, "md/degraded") or 0),
        size_bytes=host.size_bytes(number),
        holds=found.holds,
        checked=worst.checked if worst else (),
        check=worst.check if worst else FileSystemCheck.NONE,
        files=tuple(line for one in looked for line in one.files),
        failing=tuple(_failing(host, number, held, nodes)),
        log=job.record.log,
        volumes=(*(f"{one.verdict} {one.content.volume}" for one in looked if one.content.volume), *found.closed),
        stores_missing=found.stores_missing,
        tells_order=proven.tells_order or (found.begins and proven.tells_order_by_start),
    )


async def _found(host: Host, overlays: Overlays, number: int, log: list[str]) -> _Found:
    signatures = await found_within(host, number)
    holds = tuple(dict.fromkeys(one.name for one in signatures))
    begins = any(one.partition is None and one.offset_bytes < BLOCK_BYTES for one in signatures)
    found = _Found(holds, begins)
    parts = {host.partition(part): part for part in host.partitions(number)} | {None: number}
    for one in signatures:
        node = host.node(parts[one.partition]) if one.partition in parts else ""
        if one.kind in _CHECKS and node:
            return replace(found, contents=(_Content(node, one.kind),))
        if one.kind == lvm.SIGNATURE and node and (group := await group_on(host, node, log)) is not None:
            return await _in_volumes(host, overlays, group, found, log)
    return found


async def _in_volumes(host: Host, overlays: Overlays, group: TrialGroup, found: _Found, log: list[str]) -> _Found:
    """Map the group's volumes that lie on this array alone, and return what is on them."""
    mapped = [volume for volume in group.volumes if volume.table]
    nodes = await overlays.map_volumes([volume.table for volume in mapped], log) if mapped else ()
    contents, closed = list[_Content](), list[str]()
    for volume, node in zip(mapped, nodes, strict=True):
        named = f"{group.name}/{volume.name}"
        number = host.number_of(node)
        signatures = await found_within(host, number) if number is not None else ()
        kinds = [one.kind for one in signatures if one.kind in _CHECKS and one.partition is None]
        if kinds:
            contents.append(_Content(node, kinds[0], named))
        else:
            closed.append(f"{RescueVerdict.HOLDS if signatures else RescueVerdict.NOTHING} {named}")
    for volume in group.volumes:
        if not volume.table:
            closed.append(f"{f'type:{volume.why}' if volume.why else 'elsewhere'} {group.name}/{volume.name}")
    return replace(found, contents=tuple(contents), closed=tuple(closed), stores_missing=group.missing)


async def _looked(content: _Content, most_bytes: int, job: Job) -> _Looked:
    log = job.record.commands
    job.progress(JobStep.FSCK, 0.3)
    checked = await run((*_CHECKS[content.kind], content.node), limit_s=_CHECK_SECONDS, accept=range(-64, 256))
    log.append(checked.command)
    job.progress(JobStep.LOOK, 0.8)
    files = await _look(content, most_bytes, log)
    within = content.volume.rpartition("/")[2]
    check = FileSystemCheck.ERRORS if checked.code else FileSystemCheck.CLEAN
    return _Looked(content, _verdict(checked, files), check, _last_lines(checked), tuple(_named(files or (), within)))


def _named(files: Sequence[str], volume: str) -> Iterator[str]:
    """Yield the files' lines, with the volume's name before each path."""
    for line in files:
        size, digest, path = line.split(" ", 2)
        yield f"{size} {digest} {volume}/{path}" if volume else line


def _verdict(checked: ProgramResult, files: tuple[str, ...] | None) -> RescueVerdict:
    if files is None:
        return RescueVerdict.BROKEN
    is_sound = not checked.code and not any(line.split(" ")[1] == "!" for line in files)
    return RescueVerdict.GOOD if is_sound else RescueVerdict.DAMAGED


def _last_lines(checked: ProgramResult) -> tuple[str, ...]:
    lines = [printable(line) for line in (checked.output + checked.errors).splitlines() if line.strip()]
    return tuple(lines[-_MAX_LINES:])


async def _look(content: _Content, most_bytes: int, log: list[str]) -> tuple[str, ...] | None:
    """Return some of the files, as in ``RescueTried``; None if the file system can't be mounted."""
    listed = await _mounted(_FIND, content, log)
    if listed is None or (listed.code and not listed.output):
        return None
    entries = [entry.split(" ", 1) for entry in listed.output.split("\0") if " " in entry]
    apart = max(1, len(entries) // _MAX_FILES)  # from all over it, not from the first folder alone
    sizes = {name: int(size) for size, name in entries[::apart][:_MAX_FILES] if size.isdigit()}
    read, left_bytes = list[str](), most_bytes
    for name in list(sizes)[:: max(1, len(sizes) // _MAX_READ)]:
        if len(read) < _MAX_READ and (size := sizes[name]) <= left_bytes and _READABLE.fullmatch(name):
            read.append(name)
            left_bytes -= size
    digests: dict[str, str] = {}
    if read:
        argv = (*_SHA256, *(f"{MEASURED_AT}/{name}" for name in read))
        done = await _mounted(argv, content, log, _COMPARE_SECONDS if most_bytes > _MAX_READ_BYTES else _LOOK_SECONDS)
        lines = done.output.splitlines() if done else []
        digests = {
            path.removeprefix(f"{MEASURED_AT}/"): digest for digest, _, path in (line.partition("  ") for line in lines)
        }
        digests = {name: digests.get(name, "!") for name in read}
    return tuple(f"{size} {digests.get(name, '-')} {printable(name)}" for name, size in sizes.items())


async def _mounted(
    argv: Sequence[str], content: _Content, log: list[str], limit_s: float = _LOOK_SECONDS
) -> ProgramResult | None:
    """Run ``argv`` in a unit that alone mounts the file system, read-only; None if it takes too long."""
    unit = f"raidwright-rescue-{secrets.token_hex(4)}"
    options = f",{options_without_replay(content.kind)}"
    command = measuring_argv(argv, content.node, options, name=unit, limit_s=limit_s)
    log.append(f"mount -o nodev,nosuid,noexec{options} {content.node} {MEASURED_AT}")
    try:
        return await run(command, limit_s=limit_s, accept=range(256))
    except (RaidwrightError, asyncio.CancelledError) as error:
        await to_the_end(run((SYSTEMCTL, "stop", "--", f"{unit}.service"), limit_s=_LOOK_SECONDS, accept=range(256)))
        if isinstance(error, JobFailed) and error.code == "command-timeout":
            return None
        raise


def _failing(host: Host, number: int, held: HeldAttempt, nodes: Sequence[str]) -> list[str]:
    """Return the disks with read errors: corrected by md from others' data (``errors``), or the member failed."""
    failing = []
    for member, node in zip(held.attempt.members, nodes, strict=True):
        folder = f"md/dev-{node.removeprefix('/dev/')}"
        errors = host.attribute(number, f"{folder}/errors")
        if errors not in ("", "0") or "faulty" in host.attribute(number, f"{folder}/state").split(","):
            failing.append(person_name(member))
    return failing
