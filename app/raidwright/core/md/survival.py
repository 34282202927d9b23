"""Failure sets that lose no data: counted exactly, never sampled and never enumerated.

The disks are processed one by one, keeping only the state that still matters: how many members of a parity array have
failed, or which failed neighbours of a raid10 could still complete a whole window of copies.
Failure sets with the same state are counted together, so 64 disks take milliseconds; nested arrays, and disks
that are members of several, need no special case.

Failure is md's view: raid10 follows the kernel's ``raid10.c _enough``, and a failed inner array is a failed member
of the outer array.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from raidwright.core.errors import InputError
from raidwright.core.model.plan import MdArray, Member

from .layouts import Level, copy_windows

_DEAD = -1
_SAFE = -2
_MAX_STATES = 20_000


@dataclass(frozen=True, slots=True)
class _Threshold:
    """An array that survives at most ``most`` failed members. Its state is the number of failed members."""

    members: int
    most: int

    def after(self, state: int, mark: _Mark, failed: bool) -> int:
        state += failed
        if state > self.most:
            return _DEAD
        unseen = self.members - mark.seen.bit_count()
        return _SAFE if state + unseen <= self.most else state


@dataclass(frozen=True, slots=True)
class _Windows:
    """A raid10: failed once all of a window (a bit mask of slots) has. Its state: failed slots that still matter."""

    members: int
    windows: tuple[int, ...]

    def after(self, state: int, mark: _Mark, failed: bool) -> int:
        state |= failed << mark.slot
        matter = 0
        for window in self.windows:
            if window & mark.seen & ~state == 0:  # none of its members seen so far works
                if window & ~mark.seen == 0:
                    return _DEAD
                matter |= window
        return state & matter if matter else _SAFE


@dataclass(frozen=True, slots=True)
class _Mark:
    """One step of the count: ``slot`` of ``array`` is processed; ``seen`` (a bit mask) are those processed so far.

    It has failed if its unit has, or, for an inner array's slot, if the array ``inner`` has.
    """

    array: int
    slot: int
    seen: int
    inner: int | None = None


@dataclass(frozen=True, slots=True)
class Survival:
    """A plan's fault tolerance. Failures are indices into ``units``, the disks in order of first appearance."""

    units: tuple[str, ...]
    _arrays: tuple[_Threshold | _Windows, ...]
    _start: tuple[int, ...]
    _marks: tuple[tuple[_Mark, ...], ...]  # one tuple per unit
    _survivors: int  # a polynomial: the sets of k that survive, in the k-th run of len(units) + 1 bits

    def counts(self, k: int) -> tuple[int, int]:
        """Return (sets of ``k`` failures that lose no data, all sets of ``k``)."""
        width = len(self.units) + 1
        return self._survivors >> k * width & (1 << width) - 1, comb(len(self.units), k)

    def weighed(self, weights: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """For each k, over the sets of k failures that lose no data: their weights' total, and that of weight × sum.

        A unit weighs ``weights[unit]``; a set weighs the product of its units' weights (all 1: the counts) and sums
        up to their sum.
        """
        if set(weights) == {1}:
            counts = [self.counts(k)[0] for k in range(len(weights) + 1)]
            return tuple((count, k * count) for k, count in enumerate(counts))
        ways: dict[tuple[int, ...], tuple[tuple[int, int], ...]] = {self._start: ((1, 0),)}
        for marks, weight in zip(self._marks, weights, strict=True):
            following: dict[tuple[int, ...], tuple[tuple[int, int], ...]] = {}
            for states, sums in ways.items():
                with_unit = ((0, 0), *((weight * a, weight * (b + weight * a)) for a, b in sums))
                for failed, gained in ((False, (*sums, (0, 0))), (True, with_unit)):
                    after = _after(self._arrays, states, marks, failed)
                    if after[0] != _DEAD:
                        known = following.get(after, ((0, 0),) * len(gained))
                        following[after] = tuple((a + c, b + d) for (a, b), (c, d) in zip(known, gained, strict=True))
            ways = following
        return tuple((sum(a for a, _ in level), sum(b for _, b in level)) for level in zip(*ways.values(), strict=True))

    def survives(self, failed: Collection[int]) -> bool:
        """True if the array still runs with all its data when these units have failed."""
        states = self._start
        for unit, marks in enumerate(self._marks):
            states = _after(self._arrays, states, marks, unit in failed)
        return states[0] != _DEAD

    def most(self) -> int:
        """Return the largest k for which no set of k failures loses data (-1: it can't even start)."""
        k = 0
        while k <= len(self.units) and self.counts(k)[0] == self.counts(k)[1]:
            k += 1
        return k - 1

    def fatal_pairs(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs of units whose joint failure loses data."""
        return tuple(pair for pair in combinations(range(len(self.units)), 2) if not self.survives(pair))


def survival_of(array: MdArray) -> Survival:
    """Return the array's fault tolerance; ``missing`` members count as failed.

    Raises InputError if slices couple so many arrays that only enumeration could count them.
    """
    return _survival(_array(array), array.members)


def survival_of_all(arrays: Sequence[MdArray]) -> Survival:
    """Return the fault tolerance of data that need each of ``arrays``; raises InputError as ``survival_of`` does."""
    return _survival(_Threshold(len(arrays), 0), arrays)


def _survival(outermost: _Threshold | _Windows, members: Sequence[Member | MdArray | None]) -> Survival:
    trace = _Trace.of(outermost, members)
    start = tuple(0 for _ in trace.arrays)
    start = _after(trace.arrays, start, trace.missing, failed=True)
    marks = tuple(trace.marks.values())
    return Survival(
        units=tuple(trace.marks),
        _arrays=trace.arrays,
        _start=start,
        _marks=marks,
        _survivors=_count(trace.arrays, start, marks),
    )


def _count(
    arrays: tuple[_Threshold | _Windows, ...], start: tuple[int, ...], marks: tuple[tuple[_Mark, ...], ...]
) -> int:
    width = len(marks) + 1
    ways = {} if start[0] == _DEAD else {start: 1}
    for unit in marks:
        following: defaultdict[tuple[int, ...], int] = defaultdict(int)
        for states, count in ways.items():
            for failed in (False, True):
                after = _after(arrays, states, unit, failed)
                if after[0] != _DEAD:
                    following[after] += count << width * failed
        if len(following) > _MAX_STATES:
            raise InputError(
                "The slices of these disks tie the arrays together in too many ways to count what they survive; "
                "give each array disks of its own.",
                code="too-entangled",
            )
        ways = following
    return sum(ways.values())


def _after(
    arrays: tuple[_Threshold | _Windows, ...], states: tuple[int, ...], marks: tuple[_Mark, ...], failed: bool
) -> tuple[int, ...]:
    after = list(states)
    for mark in marks:
        fails = failed
        if mark.inner is not None:
            fails = after[mark.inner] == _DEAD
            after[mark.inner] = _SAFE  # its result is in the outer array's state
        if after[mark.array] >= 0:
            after[mark.array] = arrays[mark.array].after(after[mark.array], mark, fails)
    return tuple(after)


@dataclass(frozen=True, slots=True)
class _Trace:
    """A plan's arrays, outermost first, and the marks of each unit and of the missing members."""

    arrays: tuple[_Threshold | _Windows, ...]
    marks: dict[str, tuple[_Mark, ...]]
    missing: tuple[_Mark, ...]

    @classmethod
    def of(cls, outermost: _Threshold | _Windows, members: Sequence[Member | MdArray | None]) -> _Trace:
        arrays = [outermost, *(_array(member) for member in members if isinstance(member, MdArray))]
        seen = [0] * len(arrays)
        slots: defaultdict[str | None, list[tuple[int, int, int]]] = defaultdict(list)
        for unit, *place in _places(members):
            slots[unit].append((place[0], place[1], place[2]))

        def mark(array: int, slot: int, outer_slot: int) -> Iterator[_Mark]:
            seen[array] |= 1 << slot
            yield _Mark(array, slot, seen[array])
            if array and seen[array].bit_count() == arrays[array].members:
                seen[0] |= 1 << outer_slot
                yield _Mark(0, outer_slot, seen[0], inner=array)

        missing = tuple(step for place in slots.pop(None, ()) for step in mark(*place))
        return cls(
            arrays=tuple(arrays),
            marks={
                str(unit): tuple(step for place in places for step in mark(*place)) for unit, places in slots.items()
            },
            missing=missing,
        )


def _places(members: Sequence[Member | MdArray | None]) -> Iterator[tuple[str | None, int, int, int]]:
    """Yield (unit, array, slot, slot of that array in the outer one) of every member; unit None for a missing one."""
    array = 0
    for slot, member in enumerate(members):
        if isinstance(member, MdArray):
            array += 1
            for inner_slot, leaf in enumerate(member.members):
                assert not isinstance(leaf, MdArray)  # noqa: S101
                yield _unit(leaf), array, inner_slot, slot
        else:
            yield _unit(member), 0, slot, 0


def _unit(member: Member | None) -> str | None:
    return None if member is None else member.failure_unit


def _array(plan: MdArray) -> _Threshold | _Windows:
    members = len(plan.members)
    if plan.level is Level.RAID10:
        windows = copy_windows(plan.copies, members)
        return _Windows(members, tuple(sum(1 << slot for slot in window) for window in windows))
    most = members - 1 if plan.level is Level.RAID1 else plan.level.parity_disks
    return _Threshold(members, most)
