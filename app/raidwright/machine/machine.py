"""A machine with its disks: one connection, its snapshots, and its helper."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace

from raidwright.core.errors import Denied, DiskRefused, RaidwrightError, Unreachable
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.protocol import looking
from raidwright.core.protocol.device_users import UserKind
from raidwright.core.protocol.errors import UnknownMethod
from raidwright.core.protocol.facts import DiskFacts, HostFacts, Membership
from raidwright.core.protocol.names import BUS_NAME
from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.facts import NOTHING_KNOWN, HelperFacts
from raidwright.machine.udisks.followed import UDisks
from raidwright.machine.udisks.inventory import snapshot_from

from .address import parse_machine
from .background import in_background
from .bus import DAEMON, ReceivedSignal, owner_rule
from .bus_errors import connection_lost
from .late_members import has_late_members
from .local_md import local_arrays
from .mdstat import following_md
from .prompts import Nobody, Person
from .seen_members import Roll
from .snapshot_conditions import Turned
from .transport import is_far, way_to
from .values import Snapshot, members_of_arrays

_COALESCE_SECONDS = 0.05
_POLKIT = "org.freedesktop.PolicyKit1"
_CURABLE = ("no-polkit", "denied-error")  # codes of Denied that polkit's return cures
_RECONNECT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 10.0  # limit of the exponential back-off
_TURNING_SECONDS = 30.0  # UDisks2 probes each disk again, which takes a second each on a busy computer
_FACTS_SECONDS = 1.0  # between two examinations; changes come in bursts
_AGAIN_SECONDS = 10.0  # while a program has a disk open, or the helper is missing: no signal tells of the end of that
_ARRAYS_SECONDS = 120.0  # longer than an idle helper stays: it may exit in between
_MAX_FACTS_SECONDS = 20.0  # to wait for the facts of a machine whose devices go on changing
_LOG = logging.getLogger(__name__)


class Machine:
    """The machine at a bus address, connected until ``close``; all of it belongs to one asyncio loop.

    ``snapshot`` is the latest one. When the bus or UDisks2 goes away its ``problem`` says so, until the machine is
    back; reconnecting is tried after a second, and then less and less often. ``person`` answers the questions of a
    machine that is reached over ssh.
    """

    def __init__(self, address: str, roll: Roll | None = None, person: Person | None = None) -> None:
        self.address = address
        self.snapshot = Snapshot()
        self._is_here = address == parse_machine("local").bus_address
        self._person = person or Nobody()
        self._watchers: list[Callable[[Snapshot], object]] = []
        self._udisks: UDisks | None = None
        self._helper: Helper | None = None
        self._known: HelperFacts = NOTHING_KNOWN
        self._helper_problem = ""  # why the helper couldn't be asked
        self._is_denied = False  # asking again on the same connection would be denied again
        self._roll = roll or Roll()
        self._facts_due = asyncio.Event()
        self._md_moved = asyncio.Event()  # an event of md's, of which the bus tells nothing
        self._facts_asked = asyncio.Event()  # once at least
        self._facts_current = asyncio.Event()  # since the last change; set as well where no more can be had
        self._structure = 0
        self._publishing: asyncio.TimerHandle | None = None
        self._turning = 0  # number of arrays being stopped, removed or started
        self._is_told = True
        self._keeper: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, address: str, roll: Roll | None = None, person: Person | None = None) -> Machine:
        """Connect to the bus at ``address`` (``unix:path=…``, ``ssh://host``) and list its disks.

        ``roll`` remembers the members of each array; without it nothing is remembered beyond this connection. Raises
        Unreachable, and Denied if ssh can't log in.
        """
        machine = cls(address, roll, person)
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        machine._keeper = asyncio.create_task(machine._keep(opened))
        try:
            await asyncio.wait({machine._keeper, opened}, return_when=asyncio.FIRST_COMPLETED)
            if machine._keeper.done():
                await machine._keeper
        except BaseException:  # cancelled as well as failed: nothing may be left open
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
        """End the connection; no callback is called after this."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait({self._keeper})
        if self._publishing is not None:
            self._publishing.cancel()

    @property
    def helper(self) -> Helper:
        """The helper, over the current connection; raises Unreachable while there is none."""
        if self._helper is None:
            raise connection_lost()
        return self._helper

    def watch(self, callback: Callable[[Snapshot], object]) -> Callable[[], None]:
        """Call ``callback`` with each new snapshot, from the loop's thread; returns a function that ends that."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback)

    @contextlib.asynccontextmanager
    async def turning(self, turned: Turned) -> AsyncIterator[None]:
        """Withhold snapshots while the block stops, removes or starts an array, until ``turned`` is true of one.

        Its superblocks are erased one by one, and UDisks2 notices each some time later: halfway it looks like failed
        disks. After some seconds beyond the block, snapshots are published as they are.
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
        """Wait until the helper has been asked about all that is there now; returns at once if it can't answer.

        An array that comes between its examination and its listing is asked about again; its members may come later.
        """
        await self._facts_asked.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_MAX_FACTS_SECONDS):
                await self._facts_current.wait()
                while has_late_members(self.snapshot.arrays):
                    await asyncio.sleep(_COALESCE_SECONDS)

    async def looked_again(self) -> None:
        """Ask the helper about everything once more, after a change that makes no event; returns with its answer."""
        self._facts_current.clear()
        self._facts_due.set()
        await self.facts_seen()

    async def _keep(self, opened: asyncio.Future[None]) -> None:
        """Connect, stay connected, and reconnect; before the first success a failure is final."""
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
                    return  # repeated attempts would look like a brute-force attack
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(2 * wait_seconds, _LONGEST_WAIT_SECONDS)

    async def _stay(self, opened: asyncio.Future[None]) -> None:
        """Serve one connection to its end; raises Denied or Unreachable if it can't be made."""
        async with contextlib.AsyncExitStack() as stack:
            bus = await stack.enter_async_context(way_to(self.address, self._person))
            udisks, helper = UDisks(bus, self._changed), Helper(bus, afar=is_far(self.address), is_here=self._is_here)
            stack.enter_context(bus.listening(udisks.receive))
            stack.enter_context(bus.listening(self._hear_of_owners))
            await bus.subscribe(owner_rule(BUS_NAME), owner_rule(_POLKIT))
            await udisks.start()
            await self._ask_to_look(helper)  # before other examinations, which would prompt as well
            stack.enter_context(self._seen_through(udisks, helper))
            if not opened.done():
                opened.set_result(None)
            if not is_far(self.address):
                stack.enter_context(following_md(self._md_moved.set))
            async with in_background(udisks.keep_filled(), self._keep_facts(Helper(bus, is_here=self._is_here))):
                await bus.wait_closed()

    async def _ask_to_look(self, helper: Helper) -> None:
        """Let polkit prompt once for all examining verbs; without authorisation only UDisks2's data are available."""
        if is_far(self.address) and self._person.looks_on:
            with contextlib.suppress(RaidwrightError):
                await helper.do(looking.EXAMINE_DISKS)

    @contextlib.contextmanager
    def _seen_through(self, udisks: UDisks, helper: Helper) -> Iterator[None]:
        self._udisks, self._helper = udisks, helper
        self._known, self._structure = NOTHING_KNOWN, 0
        self._helper_problem, self._is_denied = "", False
        self._publish()
        try:
            yield
        finally:
            self._helper = None  # the UDisks objects stay: they are empty, with the problem

    def look_again(self) -> None:
        """Look now for what was missing: UDisks2, the helper, or polkit's permission."""
        if self._udisks is not None:
            self._udisks.look_again()
        self._is_denied = False
        self._facts_due.set()

    def _hear_of_owners(self, signal: ReceivedSignal | None) -> None:
        """Look again once the helper or polkit, which couldn't be asked, has started."""
        if signal is None or signal.sender != DAEMON or signal.member != "NameOwnerChanged":
            return
        if self._helper_problem and signal.body[0] in (BUS_NAME, _POLKIT) and signal.body[2]:
            self._facts_due.set()

    def _changed(self) -> None:
        if self._publishing is None:
            self._publishing = asyncio.get_running_loop().call_later(_COALESCE_SECONDS, self._publish)

    def _publish(self) -> None:
        """Make a snapshot of the objects, and pass it to the watchers if it differs."""
        if self._publishing is not None:
            self._publishing.cancel()
            self._publishing = None
        udisks = self._udisks
        if udisks is None:
            return
        if self._structure != udisks.structure:
            self._structure = udisks.structure
            self._facts_due.set()
            self._facts_current.clear()
        if udisks.problem is not None:  # who can't be asked any more takes no disk away
            unseen = replace(self.snapshot, problem=udisks.problem.sentence, helper_problem=self._helper_problem)
            self._tell(unseen)
            return
        seen = snapshot_from(udisks.objects, self._known, local=local_arrays() if self._is_here else None)
        # A device node may be reused by another disk; the previous disk's facts mustn't.
        known = self._known
        self._known = HelperFacts(
            {disk.device: known.disks[disk.device] for disk in seen.disks if disk.device in known.disks},
            {array.device: known.arrays[array.device] for array in seen.arrays if array.device in known.arrays},
            known.memberships,
            known.superblocks,
            known.host,
        )
        is_reading = not self._facts_asked.is_set()
        self._tell(replace(self._roll.call(seen), is_reading=is_reading, helper_problem=self._helper_problem))

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
        """Ask the helper for facts that UDisks2 lacks, after each change to the block devices or to an array."""
        while True:
            while not await self._are_facts_due():
                if not self._is_denied:
                    await self._look_at_arrays(helper)
                if self._is_here:  # md tells of these arrays without the helper, too
                    self._publish()
                await asyncio.sleep(_FACTS_SECONDS)
            self._facts_due.clear()
            try:
                if not self._is_denied:
                    await self._ask_for_facts(helper)
                    self._helper_problem = ""
            except RaidwrightError as error:
                _LOG.info("no facts of the disks: %s", error)
                self._is_denied = isinstance(error, Denied) and error.code not in _CURABLE
                is_curable = isinstance(error, Unreachable) or (isinstance(error, Denied) and not self._is_denied)
                self._helper_problem = error.sentence if is_curable else ""
            finally:
                self._facts_asked.set()
                self._publish()
                if not self._facts_due.is_set():
                    self._facts_current.set()
            await asyncio.sleep(_FACTS_SECONDS)

    async def _are_facts_due(self) -> bool:
        """Wait until facts are due; return False if only the arrays' may be: after an event of md's, and now and then.

        The removal of a member, and the first write to an array that waits for it, make no uevent (kernel ``md.c``).
        """
        passing = any(disk.claimed or disk.read_only or _is_passing(disk) for disk in self._known.disks.values())
        limit_s = _AGAIN_SECONDS if passing or self._helper_problem else _ARRAYS_SECONDS
        waits = [asyncio.ensure_future(event.wait()) for event in (self._facts_due, self._md_moved)]
        try:
            done, _ = await asyncio.wait(waits, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self._md_moved.clear()
        return self._facts_due.is_set() or (limit_s == _AGAIN_SECONDS and not done)

    async def _look_at_arrays(self, helper: Helper) -> None:
        """Ask for the arrays' facts alone, which opens no device, and for the others if an array has other members."""
        before = self._known.arrays
        if not before:
            return
        try:
            arrays = {array.device: array for array in await helper.do(looking.EXAMINE_ARRAYS)}
        except RaidwrightError as error:
            _LOG.info("no facts of the arrays: %s", error)
            return
        self._known = replace(self._known, arrays=arrays)
        if {one.device: one.members for one in before.values()} != {one.device: one.members for one in arrays.values()}:
            self._facts_due.set()
        self._publish()

    async def _ask_for_facts(self, helper: Helper) -> None:
        disks = {disk.device: disk for disk in await helper.do(looking.EXAMINE_DISKS)}
        self._known = replace(self._known, disks=disks)
        self._publish()
        arrays = {array.device: array for array in await helper.do(looking.EXAMINE_ARRAYS)}
        self._known = replace(self._known, arrays=arrays)
        self._publish()  # which disks have left their arrays
        self._known = replace(self._known, memberships=await self._memberships(helper))
        if self._known.host is None:
            self._known = replace(self._known, host=await _host_facts(helper))
        self._publish()
        self._known = replace(self._known, superblocks=await self._superblocks(helper))
        self._publish()

    async def _memberships(self, helper: Helper) -> Mapping[str, Membership]:
        """Return the memberships recorded in former members' superblocks; disks in standby aren't woken."""
        found: dict[str, Membership] = {}
        for former in (one for array in self.snapshot.arrays for one in array.former):
            try:
                found |= await helper.do(looking.EXAMINE_MEMBERSHIPS, [former.member.id], False)
            except DiskRefused as refused:
                _LOG.info("not asked of which array it was: %s", refused)
        return found

    async def _superblocks(self, helper: Helper) -> Mapping[str, MemberSuperblock]:
        """Return the superblocks of all arrays' members; of a disk in standby the one read last.

        A running array's member is read only once: the kernel reports all of its changes.
        """
        before, found = self._known.superblocks, dict[str, MemberSuperblock]()
        running = {member.id for array in self.snapshot.arrays if array.running for member in array.members}
        for member_id in members_of_arrays(self.snapshot):
            if member_id in running and member_id in before:
                found[member_id] = before[member_id]
                continue
            try:
                found |= await helper.do(looking.EXAMINE_SUPERBLOCKS, [member_id], False)
            except DiskRefused as refused:
                _LOG.info("the superblock was not read: %s", refused)
                found |= {member_id: before[member_id]} if member_id in before else {}
            except UnknownMethod:  # an older helper
                return {}
        return found


def _is_passing(disk: DiskFacts) -> bool:
    """Return whether the disk has a user whose end UDisks2 doesn't hear of."""
    return any(user.kind == UserKind.PROCESS or user.pid for user in disk.used_by)


async def _host_facts(helper: Helper) -> HostFacts:
    try:
        facts: HostFacts = await helper.do(looking.EXAMINE_HOST)
    except UnknownMethod:  # an older helper
        return HostFacts()
    return facts
