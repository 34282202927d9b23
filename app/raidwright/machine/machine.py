"""A machine with its disks: one connection, what is seen through it, and what may be asked of it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import replace

from raidwright.core.errors import Denied, DiskRefused, RaidwrightError
from raidwright.core.protocol import looking
from raidwright.core.protocol.facts import Membership
from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.facts import NOTHING_KNOWN, Known
from raidwright.machine.udisks.followed import UDisks
from raidwright.machine.udisks.inventory import snapshot_from

from .bus_errors import connection_lost
from .person import Nobody, Person
from .roll import Roll
from .turned import Turned
from .values import Snapshot
from .way import is_far, way_to

_COALESCE_SECONDS = 0.05
_RECONNECT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 10.0  # a host that is down is not knocked at each second
_TURNING_SECONDS = 30.0  # UDisks2 looks at each disk anew, which takes a second where a computer is busy
_FACTS_SECONDS = 1.0  # between two questions; changes come in flurries
_LOG = logging.getLogger(__name__)


class Machine:
    """The machine at a bus address, connected until ``close``; all of it belongs to one asyncio loop.

    ``snapshot`` is what was seen last. When the bus or UDisks2 goes away its ``problem`` says so, until
    the machine is back; reconnecting is tried after a second, and then less and less often. ``person`` is asked for
    what a machine that is reached over ssh wants to know.
    """

    def __init__(self, address: str, roll: Roll | None = None, person: Person | None = None) -> None:
        self.address = address
        self.snapshot = Snapshot()
        self._person = person or Nobody()
        self._watchers: list[Callable[[Snapshot], object]] = []
        self._udisks: UDisks | None = None
        self._helper: Helper | None = None
        self._known: Known = NOTHING_KNOWN
        self._roll = roll or Roll()
        self._facts_due = asyncio.Event()
        self._facts_asked = asyncio.Event()
        self._structure = 0
        self._publishing: asyncio.TimerHandle | None = None
        self._turning = 0  # how many arrays are ended or brought back just now
        self._is_told = True
        self._keeper: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, address: str, roll: Roll | None = None, person: Person | None = None) -> Machine:
        """Connect to the bus at ``address`` (``unix:path=…``, ``ssh://host``) and see its disks.

        ``roll`` remembers who was in which array; without one nothing is remembered beyond this connection.
        Raises Unreachable, and Denied where ssh isn't let in.
        """
        machine = cls(address, roll, person)
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        machine._keeper = asyncio.create_task(machine._keep(opened))
        try:
            await asyncio.wait({machine._keeper, opened}, return_when=asyncio.FIRST_COMPLETED)
            if machine._keeper.done():
                await machine._keeper
        except BaseException:  # cancelled as well as failed: nothing may stay behind
            await machine.close()
            raise
        return machine

    @classmethod
    @contextlib.asynccontextmanager
    async def connect(
        cls, address: str, roll: Roll | None = None, person: Person | None = None
    ) -> AsyncIterator[Machine]:
        """``open``, and ``close`` at the end of the block."""
        machine = await cls.open(address, roll, person)
        try:
            yield machine
        finally:
            await machine.close()

    async def close(self) -> None:
        """End the connection; nothing is called back after this."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait({self._keeper})
        if self._publishing is not None:
            self._publishing.cancel()

    @property
    def helper(self) -> Helper:
        """The helper, over the connection of this moment; raises Unreachable while there is none."""
        if self._helper is None:
            raise connection_lost()
        return self._helper

    def watch(self, callback: Callable[[Snapshot], object]) -> Callable[[], None]:
        """Have ``callback`` called with each new snapshot, from the loop's thread; returns how to end that."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback)

    @contextlib.asynccontextmanager
    async def turning(self, turned: Turned) -> AsyncIterator[None]:
        """Tell no watcher what is seen while the block ends an array, or brings it back, until it has ``turned`` whole.

        Its superblocks go one by one, and UDisks2 hears of each some time later: half of that looks like lost disks.
        What isn't seen within seconds after the block is told as it is.
        """
        self._turning += 1
        try:
            yield
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TURNING_SECONDS):
                    while not turned(self.snapshot):
                        await asyncio.sleep(_COALESCE_SECONDS)
        finally:
            self._turning -= 1
            self._hand_round()

    async def facts_seen(self) -> None:
        """Wait for the helper's answer on the disks; at once where it has none to give."""
        await self._facts_asked.wait()

    async def _keep(self, opened: asyncio.Future[None]) -> None:
        """Connect, stay, and connect again; before the first success a failure is final."""
        wait_seconds = _RECONNECT_SECONDS
        while True:
            try:
                await self._stay(opened)
                wait_seconds = _RECONNECT_SECONDS
            except RaidwrightError as error:
                if not opened.done():
                    raise
                _LOG.info("%s", error)
                self._tell(replace(self.snapshot, problem=error.sentence))
                if isinstance(error, Denied):
                    return  # who knocks on is taken for somebody who tries keys
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(2 * wait_seconds, _LONGEST_WAIT_SECONDS)

    async def _stay(self, opened: asyncio.Future[None]) -> None:
        """Serve one connection to its end; raises Denied or Unreachable when it can't be made."""
        async with contextlib.AsyncExitStack() as stack:
            bus = await stack.enter_async_context(way_to(self.address, self._person))
            udisks, helper = UDisks(bus, self._changed), Helper(bus, afar=is_far(self.address))
            stack.enter_context(bus.listening(udisks.receive))
            await udisks.start()
            await self._ask_to_look(helper)  # before anybody looks, who would be asked as well
            stack.enter_context(self._seen_through(udisks, helper))
            if not opened.done():
                opened.set_result(None)
            async with _in_background(udisks.keep_filled(), self._keep_facts(Helper(bus))):
                await bus.wait_closed()

    async def _ask_to_look(self, helper: Helper) -> None:
        """Have polkit ask once, for all that only looks; without leave UDisks2 tells what there is."""
        if is_far(self.address) and self._person.looks_on:
            with contextlib.suppress(RaidwrightError):
                await helper.do(looking.EXAMINE_DISKS)

    @contextlib.contextmanager
    def _seen_through(self, udisks: UDisks, helper: Helper) -> Iterator[None]:
        self._udisks, self._helper = udisks, helper
        self._known, self._structure = NOTHING_KNOWN, 0
        self._publish()
        try:
            yield
        finally:
            self._helper = None  # the last objects stay: they are empty, with the problem

    def _changed(self) -> None:
        if self._publishing is None:
            self._publishing = asyncio.get_running_loop().call_later(_COALESCE_SECONDS, self._publish)

    def _publish(self) -> None:
        """Make a snapshot of the objects, and hand it round if it says anything new."""
        if self._publishing is not None:
            self._publishing.cancel()
            self._publishing = None
        udisks = self._udisks
        if udisks is None:
            return
        if self._structure != udisks.structure:
            self._structure = udisks.structure
            self._facts_due.set()
        problem = udisks.problem.sentence if udisks.problem else ""
        seen = snapshot_from(udisks.objects, self._known, problem)
        # A node's name may go to another disk; what was known of the one before must not.
        known = self._known
        self._known = Known(
            {disk.device: known.disks[disk.device] for disk in seen.disks if disk.device in known.disks},
            {array.device: known.arrays[array.device] for array in seen.arrays if array.device in known.arrays},
            known.memberships,
        )
        self._tell(self._roll.call(seen))

    def _tell(self, snapshot: Snapshot) -> None:
        if snapshot != self.snapshot:
            self.snapshot, self._is_told = snapshot, False
        self._hand_round()

    def _hand_round(self) -> None:
        if self._is_told or (self._turning and not self.snapshot.problem):
            return
        self._is_told = True
        for callback in tuple(self._watchers):
            callback(self.snapshot)

    async def _keep_facts(self, helper: Helper) -> None:
        """Ask the helper for what UDisks2 doesn't know, after each change to the block devices or to an array."""
        while await self._facts_due.wait():
            self._facts_due.clear()
            try:
                disks = {disk.device: disk for disk in await helper.do(looking.EXAMINE_DISKS)}
                self._known = replace(self._known, disks=disks)
                self._publish()
                arrays = {array.device: array for array in await helper.do(looking.EXAMINE_ARRAYS)}
                self._known = replace(self._known, arrays=arrays, memberships=await self._memberships(helper))
                self._publish()
            except RaidwrightError as error:
                _LOG.info("no facts of the disks: %s", error)
                if isinstance(error, Denied):
                    return  # asking again on the same connection would be denied again
            finally:
                self._facts_asked.set()
            await asyncio.sleep(_FACTS_SECONDS)

    async def _memberships(self, helper: Helper) -> Mapping[str, Membership]:
        """What the superblocks of former members say; a disk that sleeps is left alone."""
        found: dict[str, Membership] = {}
        for former in (one for array in self.snapshot.arrays for one in array.former):
            try:
                found |= await helper.do(looking.EXAMINE_MEMBERSHIPS, [former.member.id], False)
            except DiskRefused as refused:
                _LOG.info("not asked of which array it was: %s", refused)
        return found


@contextlib.asynccontextmanager
async def _in_background(*coroutines: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run ``coroutines`` beside the block, and cancel them at its end."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for error in results:
            if isinstance(error, Exception):
                _LOG.error("following the machine broke", exc_info=error)
