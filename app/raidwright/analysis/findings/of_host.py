"""Findings on a plan that is about to be built on a machine: what its kernel and its mdadm make of it.

Sources: as ``core.md.needs`` and ``core.md.known``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.assembly import linux_version
from raidwright.core.md.known import Kernel, Traits, faults_of, is_over_iscsi
from raidwright.core.md.mdadm_versions import MdadmVersion, mdadm_of
from raidwright.core.md.needs import BLOCK_SIZE_KERNEL, needs_newest_if_made_there, refuse_needs
from raidwright.core.messages import Message, say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import HostFacts

from .finding import Finding, Severity, Stake


def refuse_on_host(plan: Plan, host: HostFacts) -> None:
    """Raise PlanRefused for what the machine's kernel or mdadm can't make; versions that aren't known are no reason."""
    mdadm = mdadm_of(host.mdadm)
    refuse_needs(plan.top, mdadm, kernel_of(host))
    if mdadm is not None:
        capacity_of(plan.top, mdadm)


def findings_of_host(plan: Plan, host: HostFacts, disks: Iterable[Disk] = ()) -> Iterator[Finding]:
    """Yield the findings on ``plan`` as this machine would make it, of its ``disks``."""
    kernel, least = kernel_of(host), ".".join(map(str, BLOCK_SIZE_KERNEL))
    runs = say(
        "This machine runs Linux {kernel}: an array that it makes starts only on Linux {least} or later.",
        kernel=host.kernel,
        least=least,
    )
    yield from _of_versions(plan, host.kernel, kernel, mdadm_of(host.mdadm), runs, disks)


def findings_of_kernel(plan: Plan, kernel: Kernel, mdadm: MdadmVersion | None = None) -> Iterator[Finding]:
    """Yield the findings on ``plan`` as a machine with such a Linux would make it."""
    release, least = ".".join(map(str, kernel)), ".".join(map(str, BLOCK_SIZE_KERNEL))
    runs = say("Linux {kernel} makes it so that it starts only on Linux {least} or later.", kernel=release, least=least)
    yield from _of_versions(plan, release, kernel, mdadm, runs)


def _of_versions(
    plan: Plan,
    release: str,
    kernel: Kernel | None,
    mdadm: MdadmVersion | None,
    runs: Message,
    disks: Iterable[Disk] = (),
) -> Iterator[Finding]:
    if kernel is not None and kernel >= BLOCK_SIZE_KERNEL and needs_newest_if_made_there(plan.top):
        yield Finding(
            Severity.WARNING,
            "made-by-new-kernel",
            runs,
            say(
                "From {least} on, md writes the disks' logical block size into the metadata of a new array, and an "
                "older kernel refuses such metadata. That includes Debian 12 (6.1) and 13 (6.12) and most rescue "
                "disks of that time; the data aren't harmed by the attempt.",
                least=".".join(map(str, BLOCK_SIZE_KERNEL)),
            ),
            say("Keep a rescue disk that is new enough, or build the array under an older kernel."),
            at_stake=Stake.ACCESS,
        )
    told = {
        fault.code: (fault, source) for one in _traits(plan, disks) for fault, source in faults_of(one, kernel, mdadm)
    }
    for fault, source in told.values():
        why = say("It is known of md in Linux {kernel}. Source: {source}.", kernel=release, source=source)
        yield Finding(Severity.WARNING, fault.code, fault.sentence, why, fault.remedy, at_stake=Stake.ACCESS)


def _traits(plan: Plan, disks: Iterable[Disk]) -> Iterator[Traits]:
    """Yield the traits of each of the plan's arrays."""
    known = {disk.id: disk for disk in disks}
    for array in plan.top.md_arrays():
        members = [member for member in array.members if isinstance(member, Member)]
        used = [known[member.failure_unit] for member in members if member.failure_unit in known]
        yield Traits(
            array.level,
            has_write_mostly=any(member.write_mostly for member in members),
            is_over_iscsi=any(is_over_iscsi(disk.path) for disk in used),
            fails_to_read=any(disk.health.unread_errors or disk.health.bad_sectors for disk in used),
        )


def kernel_of(host: HostFacts | None) -> Kernel | None:
    """Return the machine's kernel as (6, 12); None if it isn't known."""
    version = linux_version(host.kernel) if host is not None else (0, 0)
    return version if version > (0, 0) else None
