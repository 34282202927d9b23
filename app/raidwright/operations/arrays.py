"""Operations on an existing array: stop, dismantle, check."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.core.errors import InputError, JobFailed, RaidwrightError
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol import verbs
from raidwright.core.protocol.facts import Check
from raidwright.core.protocol.results import Continued, Dismantled, Started, Stopped, TakenOver
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.joined_volumes import volume_uuids, with_volumes
from raidwright.machine.snapshot_conditions import gone, running, stopped
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Named

from .operation import Operation, Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_VOLUME_SECONDS = 15.0
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class StopArray(Request[Stopped]):
    """Stop an array that is not in use."""

    verb = verbs.STOP_ARRAY
    array: Named

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Stopped:
        """As ``Operation.perform``; snapshots of the machine are withheld until the array has stopped."""
        uuids = volume_uuids(machine.snapshot.arrays, self.array.uuid)
        async with machine.turning(stopped(machine.snapshot, *uuids)):
            return await super(StopArray, self).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class StartArray(Request[Started]):
    """Start an array that doesn't run, of the members that are here and agree; nothing is forced.

    ``missing``: it may lack members that it had when it was last written to. ``read_only``: nothing is written to it.
    ``half`` is a disk, by its by-id name, of the half that is meant of an array whose members parted ("" for none).
    ``forget_bad_blocks``: the number of sectors in its lists of bad blocks, which are forgotten; refused with the
    sectors' names for any other number.
    """

    verb = verbs.START_ARRAY
    array: Named
    read_only: bool = False
    missing: bool = False
    half: str = ""
    forget_bad_blocks: int | None = None

    def arguments(self) -> tuple[object, ...]:
        options: dict[str, object] = {"read_only": self.read_only, "missing": self.missing}
        if self.half:
            options["half"] = self.half
        if self.forget_bad_blocks is not None:
            options["forget_bad_blocks"] = self.forget_bad_blocks
        return (*self.array, options)

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Started:
        """As ``Operation.perform`` says; what is seen of the machine meanwhile is told once it is done."""
        async with machine.turning(running(self.array.uuid)):
            return await super(StartArray, self).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class ContinueArray(Request[Continued]):
    """Let md go on with a reshape, a rebuild or a resync that waits; ``missing``: also without members that are gone.

    Raises InputError with ``array-waits-not`` if nothing waits.
    """

    verb = verbs.CONTINUE_ARRAY
    array: Named
    missing: bool = False

    def arguments(self) -> tuple[object, ...]:
        return (*self.array, {"missing": self.missing})

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Continued:
        """As ``Operation.perform``; md's going on makes no event that UDisks2 hears of, so it is looked at again."""
        done = await super(ContinueArray, self).perform(machine, on_update)
        await machine.looked_again()
        return done


@dataclass(frozen=True, slots=True)
class ContinueVolume(Operation[Continued]):
    """Let md go on with what waits in ``bands``, arrays of a joined volume; as ``ContinueArray``."""

    bands: tuple[Named, ...]
    missing: bool = False

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Continued:
        """Raise what ``ContinueArray`` does."""
        done = [await ContinueArray(band, self.missing).perform(machine, on_update) for band in self.bands]
        return replace(
            done[-1], missing=max(one.missing for one in done), log=tuple(line for one in done for line in one.log)
        )


def going_on(array: State, *, missing: bool = False) -> ContinueArray | ContinueVolume:
    """Return the operation that lets md go on with what waits in ``array``, or in the arrays of a joined volume."""
    waiting = tuple(band.named for band in array.arrays if band.waits)
    is_volume = isinstance(array, Volume) and waiting
    return ContinueVolume(waiting, missing) if is_volume else ContinueArray(array.named, missing)


@dataclass(frozen=True, slots=True)
class StartVolume(Operation[Started]):
    """Start the ``bands`` of a joined volume, which may run already; the helper activates it with the last of them.

    Where all of them run it is named itself, and activated.
    """

    array: Named
    bands: tuple[Named, ...]
    missing: bool = False

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Started:
        """Raise what ``StartArray`` does, and JobFailed if the volume doesn't appear."""
        lacks, log = 0, list[str]()
        run_already = {array.uuid for array in machine.snapshot.arrays if array.running}
        if run_already >= {band.uuid for band in self.bands}:
            log += (await StartArray(self.array).perform(machine, on_update)).log
        for band in (band for band in self.bands if band.uuid not in run_already):
            try:
                started = await StartArray(band, missing=self.missing).perform(machine, on_update)
            except InputError as error:
                if error.code != "array-runs":  # somebody else may have started it
                    raise
                continue
            lacks, log = max(lacks, started.missing), [*log, *started.log]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_VOLUME_SECONDS):
                while (volume := self._running(machine)) is None:
                    await asyncio.sleep(_LOOK_SECONDS)
                return Started(self.array.uuid, volume.device, lacks, read_only=False, log=tuple(log))
        raise JobFailed(
            "The arrays of “{name}” run, but its volume did not appear: LVM may miss another array of it. “vgs” and "
            "“pvs” say more.",
            code="no-device",
            name=self.array.name,
        )

    def _running(self, machine: Machine) -> State | None:
        found = (array for array in with_volumes(machine.snapshot.arrays) if array.uuid == self.array.uuid)
        return next((array for array in found if isinstance(array, Volume) and array.running), None)


def start_of(volume: Volume, *, missing: bool = False) -> StartVolume:
    """Return the start of a joined volume; ``missing`` as for ``StartArray``."""
    return StartVolume(volume.named, tuple(band.named for band in volume.bands), missing)


@dataclass(frozen=True, slots=True)
class TakeOverArray(Request[TakenOver]):
    """Make a stopped, whole array this machine's own, under ``new_name``, and start it."""

    verb = verbs.TAKE_OVER_ARRAY
    array: Named
    new_name: str

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> TakenOver:
        """As ``Operation.perform``; snapshots of the machine are withheld until the array runs."""
        async with machine.turning(running(self.array.uuid)):
            return await super(TakeOverArray, self).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class TakeOver(Operation[TakenOver]):
    """As ``TakeOverArray``, of an array that runs as well: it is stopped first, and left running if that is refused."""

    array: Named
    new_name: str

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> TakenOver:
        """Raise what ``StopArray`` and ``TakeOverArray`` do."""
        was_running = any(one.uuid == self.array.uuid and one.running for one in machine.snapshot.arrays)
        if was_running:
            await StopArray(self.array).perform(machine, on_update)
        try:
            return await TakeOverArray(self.array, self.new_name).perform(machine, on_update)
        except RaidwrightError:
            if was_running:
                with contextlib.suppress(RaidwrightError):
                    await StartArray(self.array).perform(machine)
            raise


@dataclass(frozen=True, slots=True)
class ForgetBadBlocks(Operation[Started]):
    """Stop an array, and start it with its lists of bad blocks forgotten, which have so many ``sectors``.

    Where that is refused, it is started as it was.
    """

    array: Named
    sectors: int

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Started:
        """Raise what ``StopArray`` and ``StartArray`` do."""
        await StopArray(self.array).perform(machine, on_update)
        try:
            return await StartArray(self.array, forget_bad_blocks=self.sectors).perform(machine, on_update)
        except RaidwrightError:
            with contextlib.suppress(RaidwrightError):
                await StartArray(self.array).perform(machine)
            raise


@dataclass(frozen=True, slots=True)
class DismantleArray(Request[Dismantled]):
    """Stop an array and free its disks, which are ``members``. ``given_up``: signatures on it released for erasure.

    ``with_lines``: its lines in mdadm.conf and fstab are removed as well. Raises DiskRefused with ``Code.HOLDS`` and
    ``Code.CONFIGURED``.
    """

    verb = verbs.DISMANTLE_ARRAY
    array: Named
    members: tuple[Member, ...]
    given_up: tuple[str, ...] = ()
    with_lines: bool = False

    def arguments(self) -> tuple[object, ...]:
        options = {"with_lines": self.with_lines}
        return (*self.array, [dump_member(one) for one in self.members], list(self.given_up), options)

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Dismantled:
        """As ``Operation.perform``; snapshots of the machine are withheld until the array is gone."""
        uuids = volume_uuids(machine.snapshot.arrays, self.array.uuid)
        async with machine.turning(gone(machine.snapshot, *uuids)):
            return await super(DismantleArray, self).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class DismantleStopped(Operation[Dismantled]):
    """Free the disks of a stopped array, as ``DismantleArray``: it is started only to be read, and looked into first.

    Where that is refused, it is stopped again.
    """

    array: Named
    members: tuple[Member, ...]
    given_up: tuple[str, ...] = ()
    with_lines: bool = False

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Dismantled:
        """Raise what ``StartArray`` and ``DismantleArray`` do."""
        await StartArray(self.array, read_only=True, missing=True).perform(machine, on_update)
        whole = DismantleArray(self.array, self.members, self.given_up, self.with_lines)
        try:
            return await whole.perform(machine, on_update)
        except RaidwrightError:
            with contextlib.suppress(RaidwrightError):
                await StopArray(self.array).perform(machine)
            raise


@dataclass(frozen=True, slots=True)
class StartCheck(Request[Check]):
    """Start md's check of all copies or parity; ends once it runs. Continues where a paused check stopped."""

    verb = verbs.START_CHECK
    array: Named


@dataclass(frozen=True, slots=True)
class PauseCheck(Request[Check]):
    """Pause the running check."""

    verb = verbs.PAUSE_CHECK
    array: Named


@dataclass(frozen=True, slots=True)
class ListChecks(Request[tuple[Check, ...]]):
    """List the recorded checks, the latest first. Never prompts."""

    verb = verbs.LIST_CHECKS
