"""Pools of disks to buy, and the best plan for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import enumerate_plans
from raidwright.analysis.advice.ranking import Candidate, Wishes, rank
from raidwright.analysis.imagined import imagined_disks, is_imagined, last_imagined
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.session import Session
from raidwright.text.catalogue import translated
from raidwright.text.reports.shopping_list import Prices

MIN_DISKS = 2
_MAX_DISKS = 24  # per pool; ranking more is slow, and nobody compares shelves disk by disk
_SIZES_GB = {  # on sale, by kind
    "": (4000, 6000, 8000, 10000, 12000, 14000, 16000, 18000, 20000, 22000, 24000),
    "smr": (2000, 4000, 6000, 8000),
    "ssd": (500, 1000, 2000, 4000, 8000),
    "nvme": (500, 1000, 2000, 4000, 8000),
}
_MAX_SUGGESTED, _MAX_SUGGESTED_DISKS = 5, 12
_COPIES_OF_3 = 4  # three failures are survived by four copies


@dataclass(frozen=True, slots=True)
class WantedPool:
    """A pool as typed. ``prices`` are pairs of a size in bytes and the price of a disk, as far as known."""

    pool: str
    kind: str = ""
    model: str = ""
    prices: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """The disks of ``wanted``, and their best plan: None while it is computed, or with the reason ``refusal``."""

    wanted: WantedPool
    disks: tuple[Disk, ...]
    best: Candidate | None = None
    refusal: str = ""

    @property
    def is_enough(self) -> bool:
        """True if there are enough disks for any array."""
        return len(self.disks) >= MIN_DISKS

    @property
    def cost(self) -> float:
        """The price of all disks to buy; 0 if one isn't known."""
        sizes = Counter(disk.size_bytes for disk in self.disks if is_imagined(disk.id))
        return Prices(dict(self.wanted.prices)).of(sizes) or 0.0

    @property
    def cost_per_tb(self) -> float:
        """The price per TB of usable space (10¹² bytes); 0 if unknown."""
        return self.cost / (self.best.prepared.array_bytes / 1e12) if self.best is not None else 0.0


class BuyingModel(QObject):
    """The pools. ``changed`` follows the pools and their results; ``wanted(Pool)`` asks to plan one as shown.

    Pools can be ``mixed`` with the chosen real disks.
    """

    changed = Signal()
    wanted = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pools: tuple[Pool, ...] = ()
        self.chosen: tuple[Disk, ...] = ()  # real ones
        self.is_mixed = False
        self.must_survive = 1
        self.wanted_bytes = 0  # of space; 0 if it doesn't matter
        self._round = 0

    def add(self, wanted: WantedPool) -> None:
        """Add ``wanted`` to the comparison, or its prices to the same disks there.

        Raises InputError if it can't be parsed or is too large.
        """
        disks = self._disks_of(wanted)
        if len(disks) > _MAX_DISKS:
            raise InputError("Up to {most} disks can be compared.", code="pool", most=_MAX_DISKS)
        place = self.place_of(wanted)
        if place is not None:
            self.pools = (*self.pools[:place], replace(self.pools[place], wanted=wanted), *self.pools[place + 1 :])
        else:
            self.pools = (*self.pools, Pool(wanted, disks))
            self._work_out(len(self.pools) - 1)
        self.changed.emit()

    def place_of(self, wanted: WantedPool) -> int | None:
        """Return the place of the same disks in the comparison, at whatever prices; None if they aren't in it."""
        priceless = [replace(pool.wanted, prices=wanted.prices) for pool in self.pools]
        return priceless.index(wanted) if wanted in priceless else None

    def remove(self, place: int) -> None:
        """Remove a pool from the comparison."""
        self._anew(tuple(pool.wanted for row, pool in enumerate(self.pools) if row != place))

    @Slot(object)
    def take_chosen(self, disks: tuple[Disk, ...]) -> None:
        """Set the disks chosen at the Disks station; the real ones among them can be mixed in."""
        real = tuple(disk for disk in disks if not is_imagined(disk.id))
        if real != self.chosen:
            self.chosen = real
            self._anew() if self.is_mixed else self.changed.emit()

    @Slot(bool)
    def mix(self, is_mixed: bool) -> None:
        """Set whether the chosen real disks are part of every pool."""
        self.is_mixed = is_mixed
        self._anew()

    def survive(self, failures: int) -> None:
        """Require plans that survive ``failures`` failures."""
        self.must_survive = failures
        self._anew()

    def want_space(self, size_bytes: int) -> None:
        """Require plans with ``size_bytes`` of usable space; 0 for any."""
        if size_bytes != self.wanted_bytes:
            self.wanted_bytes = size_bytes
            self._anew()

    def suggest(self, kind: str) -> None:
        """Add sets of disks on sale that have the required space and survive the required failures.

        Raises InputError if there are none.
        """
        if not self.wanted_bytes:
            raise InputError("Enter how much space you need.", code="space")
        found = tuple(_sets(self.wanted_bytes, self.must_survive, kind))[:_MAX_SUGGESTED]
        if not found:
            raise InputError("No set of up to {most} disks holds that much.", code="space", most=_MAX_SUGGESTED_DISKS)
        for pool in found:
            if self.place_of(WantedPool(pool, kind)) is None:
                self.add(WantedPool(pool, kind))

    def plan(self, place: int) -> None:
        """Plan the disks of a pool, with its best plan."""
        if 0 <= place < len(self.pools) and self.pools[place].is_enough:
            self.wanted.emit(self.pools[place])

    def _anew(self, wanted: tuple[WantedPool, ...] | None = None) -> None:
        self._round += 1
        wanted = tuple(pool.wanted for pool in self.pools) if wanted is None else wanted
        self.pools = tuple(Pool(one, self._disks_of(one)) for one in wanted)
        for place in range(len(self.pools)):
            self._work_out(place)
        self.changed.emit()

    def _disks_of(self, wanted: WantedPool) -> tuple[Disk, ...]:
        real = self.chosen if self.is_mixed else ()
        after = last_imagined(tuple(disk.id for disk in real))
        return (*real, *imagined_disks(wanted.pool, kind=wanted.kind, model=wanted.model, after=after))

    def _work_out(self, place: int) -> None:
        pool, now, wishes = self.pools[place], self._round, Wishes(must_survive=self.must_survive)
        wanted_bytes = self.wanted_bytes

        def take(found: tuple[Candidate | None, str]) -> None:
            if now == self._round and place < len(self.pools):
                best, refusal = found
                done = replace(self.pools[place], best=best, refusal=translated(refusal))
                self.pools = (*self.pools[:place], done, *self.pools[place + 1 :])
                self.changed.emit()

        def refuse(error: RaidwrightError) -> None:
            take((None, error.sentence))

        self._session.work_out(lambda: _best(pool.disks, wishes, wanted_bytes), done=take, failed=refuse)


def _sets(space_bytes: int, failures: int, kind: str) -> Iterator[str]:
    """Yield pools that hold ``space_bytes`` and survive ``failures``: for each number of disks the smallest ones."""
    for count in range(max(MIN_DISKS, failures + 1), _MAX_SUGGESTED_DISKS + 1):
        for gigabytes in _SIZES_GB.get(kind, _SIZES_GB[""]):
            if _disks_for_data(count, failures) * gigabytes * 1e9 >= space_bytes:
                yield f"{count}x{gigabytes // 1000}TB" if gigabytes % 1000 == 0 else f"{count}x{gigabytes}GB"
                break


def _disks_for_data(count: int, failures: int) -> float:
    """Return how many of ``count`` disks' space is left by parity, or by copies where there is no parity for it."""
    if count == failures + 1 or failures > 2:
        return count / _COPIES_OF_3 if failures > 2 else 1
    return count - failures


def _best(disks: tuple[Disk, ...], wishes: Wishes, wanted_bytes: int) -> tuple[Candidate | None, str]:
    """Return the best plan for ``disks`` with that much space, or the reason why there is none."""
    if len(disks) < MIN_DISKS:
        return None, say("An array needs two disks or more.")
    members = tuple(disk.as_member() for disk in disks)
    ranking = rank(enumerate_plans(members, {disk.id: disk for disk in disks}, joined=True), wishes)
    possible = [one for one in ranking.candidates if not one.unmet]
    first = next((one for one in possible if one.prepared.array_bytes >= wanted_bytes), None)
    if first is not None:
        return first, ""
    if not possible:
        return None, ranking.relax or say("These disks allow no array.")
    most_bytes = max(one.prepared.array_bytes for one in possible)
    return None, say("These disks hold {most_bytes:size} at most.", most_bytes=most_bytes)
