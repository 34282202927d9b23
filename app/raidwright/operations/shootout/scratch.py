"""Scratch array for the duration of a block, and the operations on it meanwhile.

The helper removes it as well when its owner disconnects, when the helper itself was stopped, and after a power cut
(``records/scratch.py`` there); here it is removed as soon as it isn't needed, whatever its state.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError, JobFailed, MachineError
from raidwright.core.md.mdadm import inner_name
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol.facts import CameBack
from raidwright.machine.states.volume import State
from raidwright.machine.values import Named
from raidwright.operations.builds import BeginTrial, CreateArray, StopScratch
from raidwright.operations.members import FailMember, ReAddMember, RemoveMember

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_PAUSES_S = (0.0, 0.5, 1.0, 3.0, 10.0)  # the helper may have to restart, or udev may hold a disk open
_SEEN_SECONDS = 10.0
_LOOK_SECONDS = 0.05
_STILL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class ScratchArray:
    """A scratch array of ``plan`` that runs on ``machine``."""

    machine: Machine
    plan: Plan
    named: Named

    @property
    def target(self) -> str:
        """The array as RunWorkload's target."""
        return f"md:{self.named.uuid}"

    def is_rebuilding(self) -> bool:
        """True while md rebuilds a member (sync_action recover)."""
        return any(one.sync_action == "recover" for one in self._arrays())

    async def lose(self, disk: Member, inside: Named) -> None:
        """Fail ``disk`` and remove it from the array ``inside``."""
        await FailMember(inside, disk, scratch=True).perform(self.machine)
        await _tried(lambda: RemoveMember(inside, disk, scratch=True).perform(self.machine), JobFailed)

    async def take_back(self, disk: Member, inside: Named) -> CameBack | None:
        """Re-add the disk to ``inside``, and wait until md rebuilds it; return how md took it back."""
        changed = await ReAddMember(inside, disk, scratch=True).perform(self.machine)
        await _wait_until(self.is_rebuilding)
        return changed.came_back

    async def array_with(self, disk: Member) -> Named:
        """Return the array that contains ``disk``: this one, or an inner array, named after this one."""
        name = next((name for name, inner in self._inner().items() if disk in inner.disks()), "")
        if not name:
            return self.named
        await _wait_until(lambda: name in {one.name for one in self._arrays()})
        return next((one.named for one in self._arrays() if one.name == name), self.named)

    async def seen(self) -> None:
        """Wait until the snapshot shows the array, so that its disks are stored with the runs."""
        await _wait_until(lambda: bool(self._arrays()))

    def _inner(self) -> dict[str, MdArray]:
        members = enumerate(self.plan.array.members)
        return {inner_name(self.plan.name, slot): one for slot, one in members if isinstance(one, MdArray)}

    def _arrays(self) -> tuple[State, ...]:
        """This array and its inner ones, by name: for halves, UDisks2 may not know yet whose members they are."""
        inner = self._inner()
        return tuple(one for one in self.machine.snapshot.arrays if one.uuid == self.named.uuid or one.name in inner)


@contextlib.asynccontextmanager
async def trial(
    machine: Machine, disks: tuple[Member, ...], minutes: int, unknown: frozenset[str] = frozenset()
) -> AsyncIterator[None]:
    """Authorise scratch arrays on these empty disks; at the end of the block wait until they are shown empty again.

    On ``unknown``, by-id names, unrecognised bytes may be overwritten.

    UDisks2 reports the end of a superblock or a partition a moment later, and may report its appearance only then: the
    disks must be shown empty for a while.
    """
    await BeginTrial(disks, minutes, unknown).perform(machine)
    ids = {disk.id for disk in disks}
    try:
        yield
    finally:
        await _wait_until(
            lambda: all(disk.is_free for disk in machine.snapshot.disks if disk.id in ids), for_s=_STILL_SECONDS
        )


@contextlib.asynccontextmanager
async def scratch_array(machine: Machine, plan: Plan, halved: tuple[Member, ...] = ()) -> AsyncIterator[ScratchArray]:
    """Build ``plan`` on empty disks, or on halves of ``halved``; the array is removed at the end, cancelled or not.

    Each gets a unique name: udev may still remove the previous array's link.
    """
    plan = plan.on(replace(plan.array, name=f"{plan.name}-{secrets.token_hex(3)}"))
    built = await CreateArray(plan, plan.name, scratch=True, halved=halved).perform(machine)
    array = ScratchArray(machine, plan, Named(built.uuid, plan.name))
    try:
        await array.seen()
        yield array
    finally:
        await to_the_end(_take_away(machine, built.uuid))


async def _take_away(machine: Machine, uuid: str) -> None:
    try:
        await _tried(lambda: StopScratch(uuid).perform(machine), MachineError)
    except InputError as error:
        if error.code != "not-scratch":  # removed by the helper already
            raise


async def _wait_until(holds: Callable[[], bool], for_s: float = 0.0) -> None:
    """Wait until ``holds`` has been true for ``for_s``; at most some seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SEEN_SECONDS):
            looks = 0
            while (looks := looks + 1 if holds() else 0) <= for_s / _LOOK_SECONDS:
                await asyncio.sleep(_LOOK_SECONDS)


async def _tried(act: Callable[[], Coroutine[Any, Any, object]], meanwhile: type[MachineError]) -> None:
    """Run ``act``, and retry it after each pause if it fails with ``meanwhile``."""
    for pause_s in _PAUSES_S:
        await asyncio.sleep(pause_s)
        try:
            await act()
        except meanwhile as error:
            failure = error
        else:
            return
    raise failure
