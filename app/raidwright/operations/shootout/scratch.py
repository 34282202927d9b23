"""A scratch array for as long as a block lasts, and what can be done to it meanwhile.

The helper takes it away as well when its owner has left, when it was itself ended, and after a power cut
(``records/scratch.py`` there); here it goes as soon as it isn't needed, whatever happened to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from raidwright.core.errors import InputError, JobFailed, MachineError
from raidwright.core.md.mdadm import inner_name
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import CameBack
from raidwright.machine.values import Array, Named
from raidwright.operations.builds import BeginTrial, CreateArray, StopScratch
from raidwright.operations.ending import to_the_end
from raidwright.operations.members import FailMember, ReAddMember, RemoveMember

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_PAUSES_S = (0.0, 0.5, 1.0, 3.0, 10.0)  # the helper may have to start again, or udev be at a disk
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
        """As RunWorkload calls it."""
        return f"md:{self.named.uuid}"

    def is_rebuilding(self) -> bool:
        """Whether md writes onto a member what it lacks."""
        return any(one.sync_action == "recover" for one in self._arrays())

    async def lose(self, disk: Member, inside: Named) -> None:
        """Let ``disk`` fail, and take it out of the array that it is ``inside`` of."""
        await FailMember(inside, disk, scratch=True).perform(self.machine)
        await _tried(lambda: RemoveMember(inside, disk, scratch=True).perform(self.machine), JobFailed)

    async def take_back(self, disk: Member, inside: Named) -> CameBack | None:
        """Give it back there, and wait until md writes onto it; how it came back."""
        changed = await ReAddMember(inside, disk, scratch=True).perform(self.machine)
        await _wait_until(self.is_rebuilding)
        return changed.came_back

    async def array_with(self, disk: Member) -> Named:
        """The array that ``disk`` is in: this one, or one that it is made of, which bears a name after it."""
        name = next((name for name, inner in self._inner().items() if disk in inner.disks()), "")
        if not name:
            return self.named
        await _wait_until(lambda: name in {one.name for one in self._arrays()})
        return next((one.named for one in self._arrays() if one.name == name), self.named)

    async def seen(self) -> None:
        """Wait until the machine shows it, so that what is measured is kept with its disks."""
        await _wait_until(lambda: bool(self._arrays()))

    def _inner(self) -> dict[str, Plan]:
        members = enumerate(self.plan.members)
        return {inner_name(self.plan.name, slot): one for slot, one in members if isinstance(one, Plan)}

    def _arrays(self) -> tuple[Array, ...]:
        """It and those inside, by their names: of halves, UDisks2 may not know yet whose members they are."""
        inner = self._inner()
        return tuple(one for one in self.machine.snapshot.arrays if one.uuid == self.named.uuid or one.name in inner)


@contextlib.asynccontextmanager
async def trial(
    machine: Machine, disks: tuple[Member, ...], minutes: int, unknown: frozenset[str] = frozenset()
) -> AsyncIterator[None]:
    """Leave to make scratch arrays on these empty disks; at the end of the block the machine shows them empty again.

    On ``unknown``, by-id names, bytes that nothing recognises may be overwritten.

    UDisks2 hears of a superblock or a half that has gone a moment later, or of its coming only then: the disks are
    seen empty for a while before it is believed.
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
    """``plan`` built on empty disks, or on ``halved`` ones' halves; gone at the end of the block, cancelled or not.

    Each gets a name of its own: udev takes the last one's link away when it comes to it.
    """
    plan = replace(plan, name=f"{plan.name}-{secrets.token_hex(3)}")
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
        if error.code != "not-scratch":  # then the helper has done so already
            raise


async def _wait_until(holds: Callable[[], bool], for_s: float = 0.0) -> None:
    """Until it has held ``for_s`` long; no longer than a few seconds: it is told as it is then."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_SEEN_SECONDS):
            looks = 0
            while (looks := looks + 1 if holds() else 0) <= for_s / _LOOK_SECONDS:
                await asyncio.sleep(_LOOK_SECONDS)


async def _tried(act: Callable[[], Coroutine[Any, Any, object]], meanwhile: type[MachineError]) -> None:
    """``act``, again after a pause as long as there are any when it fails with ``meanwhile``."""
    for pause_s in _PAUSES_S:
        await asyncio.sleep(pause_s)
        try:
            await act()
        except meanwhile as error:
            failure = error
        else:
            return
    raise failure
