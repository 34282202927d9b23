"""Show which disk is meant, for a minute at most: by its bay's locate light, or by reads in bursts on that disk alone.

The light is switched by ledctl, as a unit of its own: enclosures take their commands through other devices. It goes out
with the job, and by a timer of systemd's if this service doesn't live to see that. The reads are fio's, with
``--readonly``.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.messages import say
from raidwright.core.model.plan import Member
from raidwright.core.protocol.results import DiskLocated, LocateWay, NoLight
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.locating import LEDCTL, burst_argv, light_argv

from raidwright_helper.host.guards import Pinned, person_name, pinned, verify_identity
from raidwright_helper.host.host import Host
from raidwright_helper.host.outside import SYSTEMCTL, later_argv, unit_argv
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.runner import run
from raidwright_helper.jobs.claims import LOCATING, Claims
from raidwright_helper.jobs.jobs import Job

from .measure import verify_fio

_SAFETY = "raidwright-locate-off"
_CAPABILITIES = "CAP_SYS_RAWIO CAP_SYS_ADMIN"
_LED_SECONDS = 30.0
_GRACE_SECONDS = 40
_ANY_CODE = range(256)
_WHY = {
    NoLight.NO_PROGRAM: say("ledctl isn't installed (package ledmon)"),
    NoLight.NO_BAY: say("ledctl knows no light of its bay"),
}


@dataclass(frozen=True, slots=True)
class LocateRequest:
    """Request of LocateDisk. ``way`` None: the light if there is one, else reads, for which it may be woken."""

    disk: Member
    way: LocateWay | None
    seconds: int
    wake: bool = False


@dataclass(frozen=True, slots=True)
class PreparedLocate:
    """A checked disk, and the way in which it is shown. ``no_light``: why not by its light."""

    disk: Member
    device: Pinned
    way: LocateWay
    seconds: int
    no_light: NoLight = NoLight.NOTHING

    @property
    def label(self) -> str:
        """Label in the journal."""
        return f"{self.device.node.removeprefix('/dev/')}: {person_name(self.disk)}"

    @property
    def limit_s(self) -> float:
        """Time limit of the job."""
        return self.seconds + 2 * _GRACE_SECONDS


async def prepare(
    host: Host, claims: Claims, power: PowerStates, request: LocateRequest, until: contextlib.ExitStack
) -> PreparedLocate:
    """Check the disk and switch its light on, or make sure that it can be read, until ``until`` closes.

    Raises DiskRefused (``Code.ASLEEP`` for reads on a disk in standby unless ``wake``; no light, where that alone is
    asked for), Busy, and JobFailed when fio isn't there or too old.
    """
    disk, who = request.disk, person_name(request.disk)
    path = f"/dev/disk/by-id/{disk.id}"
    until.enter_context(claims.hold({LOCATING}))
    if (number := host.number_of(path)) is not None and not host.is_disk(host.whole(number)):
        raise DiskRefused("{disk} is not a whole disk of hardware.", code="disk-kind", disk=who)
    no_light = NoLight.NOTHING
    if request.way is not LocateWay.READS:
        device = until.enter_context(pinned(host, path, who=who))  # which sends the disk nothing
        verify_identity(host, device.number, disk)
        no_light = await _switched_on(device.node)
        if no_light is NoLight.NOTHING:
            return PreparedLocate(disk, device, LocateWay.LIGHT, request.seconds)
        if request.way is LocateWay.LIGHT:
            raise DiskRefused("{disk} can't be shown by a light: {why}.", code="no-light", disk=who, why=_WHY[no_light])
    if not request.wake and number is not None:  # before anything is read
        await power.verify_awake(host, host.whole(number), disk.id)
    device = until.enter_context(pinned(host, path, who=who))
    verify_identity(host, device.number, disk)
    until.enter_context(claims.hold({host.whole(device.number)}))
    await verify_fio()
    return PreparedLocate(disk, device, LocateWay.READS, request.seconds, no_light)


async def locate(disk: PreparedLocate, job: Job) -> DiskLocated:
    """Show the disk until its time is over or the job is cancelled; raises JobFailed."""
    if disk.way is LocateWay.LIGHT:
        job.progress(JobStep.LIGHT, 0.1)
        try:
            await asyncio.sleep(disk.seconds)
        finally:
            await to_the_end(_switch_off(disk.device.node, job.record.commands))
        return DiskLocated(disk.way, log=job.record.log)
    job.progress(JobStep.BLINK, 0.1)
    finished = await run(
        burst_argv(disk.device.node, seconds=disk.seconds), limit_s=disk.seconds + _GRACE_SECONDS, accept=_ANY_CODE
    )
    job.record.commands.append(finished.command)
    return DiskLocated(disk.way, disk.no_light, job.record.log)


async def _switched_on(node: str) -> NoLight:
    """Switch the light of ``node`` on; return why there is none."""
    if not Path(LEDCTL).exists():
        return NoLight.NO_PROGRAM
    off = light_argv(node, is_on=False)
    await _stop_safety()
    await run(later_argv(off, _CAPABILITIES, name=_SAFETY, after_s=_GRACE_SECONDS + 60), limit_s=_LED_SECONDS)
    argv = unit_argv(light_argv(node, is_on=True), capabilities=_CAPABILITIES)
    try:
        finished = await run(argv, limit_s=_LED_SECONDS, accept=_ANY_CODE)
    except JobFailed:
        finished = None
    if finished is not None and finished.code == 0 and "not supported" not in finished.errors:
        return NoLight.NOTHING
    await _stop_safety()
    return NoLight.NO_BAY


async def _switch_off(node: str, log: list[str]) -> None:
    argv = unit_argv(light_argv(node, is_on=False), capabilities=_CAPABILITIES)
    log.append((await run(argv, limit_s=_LED_SECONDS)).command)
    await _stop_safety()


async def _stop_safety() -> None:
    await run((SYSTEMCTL, "stop", f"{_SAFETY}.timer"), limit_s=_LED_SECONDS, accept=_ANY_CODE)
