"""Findings on a plan that is about to be built on a machine: what its kernel and its mdadm make of it.

Sources: as ``core.md.needs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidwright.core.md.assembly import linux_version
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.known import Kernel
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.md.needs import BLOCK_SIZE_KERNEL, needs_newest_if_made_there, refuse_needs
from raidwright.core.messages import say
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import HostFacts

from .finding import Finding, Severity, Stake


def refuse_on_host(plan: Plan, host: HostFacts) -> None:
    """Raise PlanRefused for what the machine's kernel or mdadm can't make; versions that aren't known are no reason."""
    mdadm = _mdadm(host)
    refuse_needs(plan, mdadm, kernel_of(host))
    if mdadm is not None:
        capacity_of(plan, mdadm)


def findings_of_host(plan: Plan, host: HostFacts) -> Iterator[Finding]:
    """Yield the findings on ``plan`` as this machine would make it."""
    kernel = kernel_of(host)
    if kernel is not None and kernel >= BLOCK_SIZE_KERNEL and needs_newest_if_made_there(plan):
        yield Finding(
            Severity.WARNING,
            "made-by-new-kernel",
            say(
                "This machine runs Linux {kernel}: an array that it makes starts only on Linux {least} or later.",
                kernel=host.kernel,
                least=".".join(map(str, BLOCK_SIZE_KERNEL)),
            ),
            say(
                "From {least} on, md writes the disks' logical block size into the metadata of a new array, and an "
                "older kernel refuses such metadata. That includes Debian 12 (6.1) and 13 (6.12) and most rescue "
                "disks of that time; the data aren't harmed by the attempt.",
                least=".".join(map(str, BLOCK_SIZE_KERNEL)),
            ),
            say("Keep a rescue disk that is new enough, or build the array under an older kernel."),
            at_stake=Stake.ACCESS,
        )


def kernel_of(host: HostFacts | None) -> Kernel | None:
    """Return the machine's kernel as (6, 12); None if it isn't known."""
    version = linux_version(host.kernel) if host is not None else (0, 0)
    return version if version > (0, 0) else None


def _mdadm(host: HostFacts) -> MdadmVersion | None:
    found = re.match(r"(\d+)\.(\d+)", host.mdadm)
    return MdadmVersion(int(found[1]), int(found[2])) if found else None
