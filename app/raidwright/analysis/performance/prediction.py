"""Prediction of a plan under a workload: a figure with its band, its bottleneck, and its assumptions.

Bands contain 90 of 100 results: the spreads of the model and of each missing input, as log deviations, added in
quadrature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, hypot, log

from raidwright.core.lvm.joined import begins_of, slices_of
from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import Pattern, Workload

from .array import ModelledArray, array_of
from .asked import of_pattern, of_state
from .at_random.rate import computer_s, random_rate
from .bands import of_bands, slice_drive
from .bounds import Bound, least
from .ceilings import ceilings_of
from .constants import A_FIFTH, A_HALF, ALIKE, BOTTLENECK_SHARE, DEEP, MINUTE_S, NINETY, SMALL_BYTES
from .drive import Drive
from .flushed import flushed_rate
from .host import HostModel
from .own_error import own_spread
from .question import Sync
from .rebuild import round_of, share_left
from .several import SEEKS, at_members, left_of_seeks, outstanding, streams
from .syncing import CHECKING, REBUILDING, RESYNCING, left_beside, spread_beside
from .typical import AssumedFigure, KnownDrive, drive_of, has_unknown_flushes, without_name


@dataclass(frozen=True, slots=True)
class PredictedState:
    """Members or whole disks that are ``lost``, by id; whether one is being rebuilt, or the whole array is synced."""

    lost: frozenset[str] = frozenset()
    rebuilding: bool = False
    sync: Sync | None = None

    @property
    def beside(self) -> Message | None:
        """md's concurrent background action; None for none."""
        if self.sync is not None:
            return CHECKING if self.sync is Sync.CHECK else RESYNCING
        return REBUILDING if self.rebuilding else None


HEALTHY = PredictedState()


@dataclass(frozen=True, slots=True)
class Prediction:
    """MB/s (decimal) with its 90% band, in blocks of ``block_bytes``; ``limited_by`` names the bottleneck.

    Where nothing tells whether the flash is protected against power loss, and it matters, the figure is that of flash
    without, ``protected`` that of flash with it, and the band holds both.
    """

    mb_s: float
    low_mb_s: float
    high_mb_s: float
    block_bytes: int
    limited_by: Message
    assumes: tuple[Message, ...] = ()
    protected: Prediction | None = None

    @property
    def iops(self) -> float:
        """Blocks per second."""
        return self.mb_s * 1e6 / self.block_bytes


def predict(
    plan: Plan,
    workload: Workload | Pattern,
    state: PredictedState = HEALTHY,
    *,
    baselines: Mapping[str, Baseline] | None = None,
    host: HostModel | None = None,
    span: float = 1.0,
) -> Prediction | None:
    """Predict ``plan`` under ``workload``; None if the array has lost its data.

    ``baselines`` by member id override the members' own. Random I/O falls within the first ``span`` of the array (a
    share); streams begin at its start.
    """
    if baselines:
        plan = plan.each_disk(lambda disk: replace(disk, baseline=baselines.get(disk.id, disk.baseline)))
    return Predictor(plan, host or HostModel()).predict(workload, state, span)


class Predictor:
    """A plan prepared for predictions under many workloads and states, with cached intermediate results."""

    def __init__(self, plan: Plan, host: HostModel, *, protected: bool = False) -> None:
        self._plan = plan
        self.host = host
        self._protected = protected
        self._known: dict[Member, KnownDrive] = {}
        self._arrays: dict[tuple[frozenset[str], float], ModelledArray | None] = {}
        self._inner: dict[tuple[Plan, tuple[Drive | None, ...], float], Drive] = {}
        self._bounds: dict[tuple[frozenset[str], Pattern, float, float], Bound] = {}
        self._begins: dict[str, int] = {}
        self._lacking: dict[Pattern, tuple[AssumedFigure, ...]] = {}

    def predict(
        self,
        workload: Workload | Pattern,
        state: PredictedState = HEALTHY,
        span: float = 1.0,
        seconds: float = MINUTE_S,
    ) -> Prediction | None:
        """Predict the mean of the first ``seconds`` (it matters with a bitmap), as the function ``predict`` does."""
        pattern = workload.pattern if isinstance(workload, Workload) else workload
        found = self._predict(pattern, state, span, seconds)
        if found is None or self._with_protection is None or not self._flushes(pattern):
            return found
        return _either(found, self._with_protection.predict(pattern, state, span, seconds))

    def _flushes(self, pattern: Pattern) -> bool:
        """Return whether the disks are flushed, by whoever writes or for the bitmap's bits."""
        return pattern.writes and (
            pattern.flushed or any(array.bitmap is not Bitmap.NONE for array in self._plan.top.md_arrays())
        )

    @cached_property
    def _with_protection(self) -> Predictor | None:
        """The plan over flash that is protected against power loss; None if it is known whether it is."""
        if self._protected or not any(map(has_unknown_flushes, self._plan.disks())):
            return None
        return Predictor(self._plan, self.host, protected=True)

    def _predict(self, pattern: Pattern, state: PredictedState, span: float, seconds: float) -> Prediction | None:
        array = self.array(state, span)
        if array is None:
            return None
        bound = alone = self._bound(array, state.lost, pattern, span, seconds)
        if (
            state.rebuilding and (whole := self.array(span=span)) is not None
        ):  # the member being rebuilt is written, too
            bound = least((bound, self._bound(whole, frozenset(), pattern, span, seconds)))
        left, of_sync = _left(array, pattern, bound.b_s, state)
        if pattern not in self._lacking:
            self._lacking[pattern] = tuple(self.assumed(pattern))
        of_this_state = of_state(array, pattern, lost=bool(state.lost or array.lost), beside=state.beside)
        assumed = (*self._lacking[pattern], *of_this_state)
        own = own_spread(array, pattern, beside=state.beside is not None)
        spread = hypot(own, bound.spread, -log(left) / 2, of_sync, *(one.spread for one in assumed))
        factor = exp(NINETY * spread)
        mb_s = bound.b_s * left / 1e6
        reason = state.beside if state.beside and bound.b_s * left < BOTTLENECK_SHARE * alone.b_s else bound.reason
        return Prediction(
            mb_s, mb_s / factor, mb_s * factor, pattern.block_bytes, reason, tuple(a.sentence for a in assumed)
        )

    def _bound(
        self, array: ModelledArray, lost: frozenset[str], pattern: Pattern, span: float, seconds: float
    ) -> Bound:
        key = (lost, pattern, span, seconds)
        if key not in self._bounds:
            bound = rate_of(array, pattern, span, seconds)
            if lost and not pattern.writes and (whole := self.array(span=span)) is not None:
                # Whoever reads less of each stripe isn't quicker for it: pieces of large requests only lie differently.
                bound = min(bound, self._bound(whole, frozenset(), pattern, span, seconds), key=lambda one: one.b_s)
            self._bounds[key] = bound
        return self._bounds[key]

    def of_each_band(self, workload: Workload) -> tuple[float, ...]:
        """Return the MB/s of each array of a joined plan, in the order of the volume; () for other plans."""
        array = self.array()
        bands = array.bands if array is not None else ()
        return tuple(rate_of(band, workload.pattern).b_s / 1e6 for band in bands)

    def array(self, state: PredictedState = HEALTHY, span: float = 1.0) -> ModelledArray | None:
        """Return the array in ``state``, for accesses within the first ``span`` of it; None if its data are lost."""
        if not self._plan.top.is_nested:
            span = 1.0  # arrays within arrays alone are drives by what they do there
        key = state.lost, span
        if key not in self._arrays:

            def inner_drive(inner: ModelledArray) -> Drive:
                return self._as_drive(inner, span)

            self._arrays[key] = array_of(self._plan, self.drive, inner_drive, state.lost, self.host)
        return self._arrays[key]

    def _as_drive(self, inner: ModelledArray, span: float) -> Drive:
        """Return an inner array as a drive; worked out once for inner arrays that differ only in their disks' names."""
        if inner.plan.top.is_nested:
            return as_drive(inner, span)
        nameless = inner.plan.each_disk(without_name)
        key = nameless.on(replace(nameless.array, name="")), inner.drives, span
        if key not in self._inner:
            self._inner[key] = as_drive(inner, span)
        return self._inner[key]

    def drive(self, member: Member) -> Drive:
        """Return the drive model of one disk."""
        if member not in self._known:
            known = drive_of(member, protected=self._protected)
            sliced = self._sliced(known.drive, member)
            self._known[member] = known if sliced is known.drive else replace(known, drive=sliced)
        return self._known[member].drive

    def _sliced(self, drive: Drive, member: Member) -> Drive:
        """Return the drive of a joined plan's slice, which begins where the disk's slices before it end."""
        volume = self._plan.volume
        if volume is None or not member.disk_size_bytes:
            return drive
        if not self._begins:
            for slices in slices_of(volume).values():
                self._begins |= dict(zip((one.id for one in slices), begins_of(slices), strict=True))
        return slice_drive(drive, self._begins[member.id], member.disk_size_bytes)

    def assumed(self, pattern: Pattern) -> Iterator[AssumedFigure]:
        """Yield the assumptions made for inputs of ``pattern`` that the members lack, each sentence once."""
        needed = {"access"} if pattern.is_random else {"stream"}
        if pattern.is_random and (pattern.depth > 1 or any(one.drive.cached_writes for one in self._known.values())):
            needed.add("queue")
        if pattern.is_random and pattern.block_bytes > 16 * SMALL_BYTES:
            needed |= {"stream", "large"}
        if pattern.writes:
            needed.add("cliff")
            whole = self.array()
            if whole is not None and whole.parities and not whole.slowest.spins:
                needed |= {"access", "large"}  # some stripes are read for, and meanwhile each piece is written alone
            if pattern.flushed:
                needed.add("access")
        found: dict[str, AssumedFigure] = {}
        for known in self._known.values():
            for name in sorted(needed):
                one: AssumedFigure | None = getattr(known, name)
                if one is not None:
                    found.setdefault(one.sentence, one)
        yield from found.values()
        if (whole := self.array()) is not None:
            yield from of_pattern(whole, pattern)
        yield from self._one_for_all()
        yield from self._unknown_links()
        yield from self._of_options(pattern)

    def _of_options(self, pattern: Pattern) -> Iterator[AssumedFigure]:
        """Yield the assumptions on what the plan's own options change."""
        if pattern.writes and any(array.bitmap is Bitmap.LOCKLESS for array in self._plan.top.md_arrays()):
            yield AssumedFigure(
                say("a lockless bitmap costs what an internal one does, which nobody measured here"), A_HALF
            )
        if any(array.level is Level.RAID1 and _is_marked(array) for array in self._plan.top.md_arrays()):
            yield AssumedFigure(say("reads leave write-mostly members alone, and writes wait for them"), 0.0)

    def _one_for_all(self) -> Iterator[AssumedFigure]:
        """Yield an assumption if all disks have identical figures: probably only one disk was measured."""
        known = list(self._plan.disks())
        streams = {disk.baseline.sequential_read_mb_s if disk.baseline else None for disk in known}
        if len(known) > 1 and len(streams) == 1 and None not in streams:
            yield AssumedFigure(
                say("one disk's figures stand for all; disks of one make differ, and so do ways to measure them"),
                A_FIFTH,
            )

    def _unknown_links(self) -> Iterator[AssumedFigure]:
        links = Counter(one.baseline.link for one in self._known if one.baseline and one.baseline.link)
        rated = ceilings_of(self._plan)
        for link, sharing in links.items():
            if sharing > 1 and not rated.get(link):
                yield AssumedFigure(
                    say("the link {link} passes all that its {count} disks do", link=link, count=sharing),
                    A_FIFTH,
                )


def _either(without: Prediction, protected: Prediction | None) -> Prediction:
    """Return the figure of flash without protection against power loss beside that with it, where they differ."""
    if protected is None or protected.mb_s < ALIKE * without.mb_s:
        return without
    told = say("flash without protection against power loss; with it, as data-centre SSDs have, writes are faster")
    return replace(
        without,
        low_mb_s=min(without.low_mb_s, protected.low_mb_s),
        high_mb_s=max(without.high_mb_s, protected.high_mb_s),
        assumes=(*without.assumes, told),
        protected=protected,
    )


def _left(array: ModelledArray, pattern: Pattern, alone_b_s: float, state: PredictedState) -> tuple[float, float]:
    """(the share of ``alone_b_s`` that a rebuild or a sync leaves, how far that may be off beyond a rebuild's)."""
    if state.sync is not None:
        whole = array.bands[0] if array.bands else array
        left = left_beside(whole, round_of(whole, at_members(pattern), alone_b_s))
        return left, spread_beside(left)
    if not state.rebuilding:
        return 1.0, 0.0
    if array.bands:
        return of_bands(array, 1.0, lambda band, _: _beside_rebuild(band, pattern)).b_s / alone_b_s, 0.0
    return share_left(array, at_members(pattern), alone_b_s), 0.0


def _beside_rebuild(band: ModelledArray, pattern: Pattern) -> Bound:
    """Return the rate of a joined plan's array while it is rebuilt: md rebuilds those that share a disk in turn."""
    alone = rate_of(band, pattern)
    return replace(alone, b_s=alone.b_s * share_left(band, at_members(pattern), alone.b_s))


def _is_marked(array: MdArray) -> bool:
    return any(isinstance(member, Member) and member.write_mostly for member in array.members)


def rate_of(array: ModelledArray, pattern: Pattern, span: float = 1.0, seconds: float = MINUTE_S) -> Bound:
    """Return user bytes per second, and their bottleneck."""
    if array.bands:
        return of_bands(array, span, lambda band, share: rate_of(band, pattern, share, seconds))
    if pattern.read_percent is not None:
        return _mixed(array, pattern, span, seconds)
    if not pattern.writes:
        array = array.for_reading
    if pattern.flushed:
        return _flushed(array, pattern, span, seconds)
    if pattern.is_random:
        return random_rate(array, outstanding(pattern), span, seconds)
    return streams(array, pattern, span)


def _flushed(array: ModelledArray, pattern: Pattern, span: float, seconds: float) -> Bound:
    """Return the rate of one write per job at a time, whatever their depth, and never more than without flushes."""
    ahead = replace(pattern, flushed=False, buffered=False, depth=1)
    flushes = flushed_rate(array, pattern.block_bytes, pattern.jobs, span, seconds, at_random=pattern.is_random)
    return least((flushes, rate_of(array, ahead, span, seconds)))


def _mixed(array: ModelledArray, pattern: Pattern, span: float, seconds: float) -> Bound:
    """Return the rate of alternating reads and writes, each at its own rate; their interference isn't modelled."""
    kind = "rand" if pattern.is_random else ""
    reads = replace(pattern, direction=f"{kind}read", read_percent=None, flushed=False)
    writes = replace(pattern, direction=f"{kind}write", read_percent=None)
    if pattern.read_percent in (0, 100):
        return rate_of(array, reads if pattern.read_percent else writes, span, seconds)
    reading, writing = (rate_of(array, one, span, seconds) for one in (reads, writes))
    share = (pattern.read_percent or 0) / 100
    read_s, write_s = share / reading.b_s, (1 - share) / writing.b_s
    slower = reading if read_s > write_s else writing
    left = 1.0 if pattern.is_random else _left_of_both(array, reads, span)
    reason = SEEKS if left < BOTTLENECK_SHARE else slower.reason
    return Bound(left / (read_s + write_s), reason, hypot(slower.spread, A_HALF, -log(left) / 2))


def _left_of_both(array: ModelledArray, reads: Pattern, span: float) -> float:
    """Return the share left when each job is two streams, one read and one written, relative to one stream alone."""
    return left_of_seeks(array, reads, span, written=reads.jobs) / left_of_seeks(array, reads, span)


_STREAMS = {write: Pattern("write" if write else "read", 1024, 8) for write in (False, True)}
_ACCESSES = {
    (write, depth): Pattern("randwrite" if write else "randread", 4, depth)
    for write in (False, True)
    for depth in (1, DEEP)
}
_LARGE = {write: Pattern("randwrite" if write else "randread", 1024, 1) for write in (False, True)}


def as_drive(array: ModelledArray, span: float = 1.0) -> Drive:
    """Turn an array that is a member of another into a drive, by its own predicted rates within ``span``."""
    bounds = {key: rate_of(array, pattern, span) for key, pattern in _ACCESSES.items()}
    rates = {key: bound.b_s / SMALL_BYTES for key, bound in bounds.items()}
    large = {
        key: ((float(one.block_bytes), one.block_bytes / rate_of(array, one, span).b_s),) for key, one in _LARGE.items()
    }
    first = array.slowest
    drive = replace(
        first,
        size_bytes=array.user_bytes,
        read_b_s=rate_of(array, _STREAMS[False]).b_s,
        write_b_s=rate_of(array, _STREAMS[True]).b_s,
        read_access_s=1 / rates[False, 1],
        write_access_s=1 / rates[True, 1],
        read_gain=_gain(rates[False, 1], rates[False, DEEP]),
        write_gain=_gain(rates[True, 1], rates[True, DEEP]),
        larger_reads=large[False],
        larger_writes=large[True],
        max_sorted=DEEP * len(array.working),
        read_computer_s=computer_s(array, _ACCESSES[False, 1]),
        write_computer_s=computer_s(array, _ACCESSES[True, 1]),
        writes_spread=max(bounds[True, depth].spread for depth in (1, DEEP)),
    )
    return drive.known_within(span)


def _gain(shallow: float, deep: float) -> float:
    return max(0.0, min(1.0, log(deep / shallow) / log(DEEP)))
