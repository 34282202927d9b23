"""Pools of disks to buy, and the best plan for each."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import enumerate_plans
from raidwright.analysis.advice.ranking import Candidate, Wishes, rank
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.core.model.imagined import imagined_disks, is_imagined, last_imagined
from raidwright.session import Session
from raidwright.text.catalogue import translated

MIN_DISKS = 2
_MAX_DISKS = 24  # per pool; ranking more is slow, and nobody compares shelves disk by disk


@dataclass(frozen=True, slots=True)
class WantedPool:
    """A pool as typed. ``price`` is the price per disk, in any currency; 0 if unknown."""

    pool: str
    kind: str = ""
    model: str = ""
    price: float = 0.0


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
        """The price of all disks; 0 without a price."""
        return self.wanted.price * sum(is_imagined(disk.id) for disk in self.disks)

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
        self._round = 0

    def add(self, wanted: WantedPool) -> None:
        """Add ``wanted`` to the comparison; raise InputError if it can't be parsed or is too large."""
        disks = self._disks_of(wanted)
        if len(disks) > _MAX_DISKS:
            raise InputError("Up to {most} disks can be compared.", code="pool", most=_MAX_DISKS)
        self.pools = (*self.pools, Pool(wanted, disks))
        self._work_out(len(self.pools) - 1)
        self.changed.emit()

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

        def take(found: tuple[Candidate | None, str]) -> None:
            if now == self._round and place < len(self.pools):
                best, refusal = found
                done = Pool(pool.wanted, pool.disks, best, translated(refusal))
                self.pools = (*self.pools[:place], done, *self.pools[place + 1 :])
                self.changed.emit()

        def refuse(error: RaidwrightError) -> None:
            take((None, error.sentence))

        self._session.work_out(lambda: _best(pool.disks, wishes), done=take, failed=refuse)


def _best(disks: tuple[Disk, ...], wishes: Wishes) -> tuple[Candidate | None, str]:
    """Return the best plan for ``disks``, or the reason why there is none."""
    if len(disks) < MIN_DISKS:
        return None, say("An array needs two disks or more.")
    members = tuple(disk.as_member() for disk in disks)
    ranking = rank(enumerate_plans(members, {disk.id: disk for disk in disks}, joined=True), wishes)
    first = next((one for one in ranking.candidates if not one.unmet), None)
    return (first, "") if first is not None else (None, ranking.relax or say("These disks allow no array."))
