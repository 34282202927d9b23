"""The way from an array as it is to a requested change: its steps in order, or the reasons why there is none.

The steps are computed from the array's present state alone, so that whoever resumes a change after a crash computes
again what is left. The cheapest sequence of moves is searched for (``transitions``); a move that lays the data out anew
costs more than any number of those that don't.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.reshape.changes import possibilities
from raidwright.core.md.reshape.possibility import Needs
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Consistency, MdArray, Member

from .exchange import exchange_refusals, exchanged, exchanges, under_way
from .frame import framed
from .policy import policy_at_end, policy_refusal, policy_steps
from .refusals import content_refusal, cut_off_refusal, standing_refusals, unreachable
from .steps import add_step, content_step, larger_step, log_step, reshape_step, truncate_step, ungrown
from .transitions import Target, Transition, fewer, largest, shaped, transitions, without_log
from .values import ArrayStanding, ChangeKind, ChangeStep, ChangeWay, ChangeWish

_RESTRIPE_COST = 100
# raid0.c: each takeover sets the members' sectors to the component size, which their superblocks keep
_NO_RAID0 = say(
    "md could, but a RAID 0 that comes of a change uses only what its disks had in the array before, for good, and no "
    "plan says so. Build it anew instead."
)
NOT_FEWER = say(
    "Raidwright takes members out of raid4, raid5 and raid6 alone, down to the fewest that the level has; remove a "
    "member of a mirror by “raidwright array fail” and “remove”."
)
_MAX_PLANS = 400  # a search through one array's few levels, chunks and counts ends long before


def way_to(plan: MdArray, wish: ChangeWish, standing: ArrayStanding | None = None) -> ChangeWay:
    """Return ``way_of_shape``, with what comes before and after md's own steps (``ending``)."""
    return framed(way_of_shape(plan, wish, standing), shaped(plan), standing.conf_words if standing else ())


def way_of_shape(plan: MdArray, wish: ChangeWish, standing: ArrayStanding | None = None) -> ChangeWay:
    """Return the way from ``plan``, an array as it is, to ``wish``. Raises PlanRefused for a plan that md refuses.

    Disks of ``wish.add`` that are members or spares already count as added. A way without steps and refusals is one
    whose end has been reached.
    """
    standing = standing or ArrayStanding()
    start = shaped(plan)
    refusals = [*standing_refusals(plan, standing, wish)]
    path: list[Transition] | Message
    if wish.exchange:
        return _exchanging(start, wish, standing, refusals)
    if wish.slots is not None and wish.slots < len(start.members) and wish.level in (None, start.level):
        return _shrinking(start, wish, standing, refusals)
    path = _path(start, wish)
    if isinstance(path, Message):
        return ChangeWay(wish, plan, plan, (), (*refusals, path))
    refusals += _refused_moves(path, standing)
    end = path[-1].after if path else start
    why = policy_refusal(start, end, wish, standing)
    if path and end.level is Level.RAID0:
        why = why or _NO_RAID0
    steps = [] if why else [*_steps(start, wish, path, standing)]
    if why := why or cut_off_refusal(steps, standing):
        return ChangeWay(wish, plan, plan, (), (*refusals, why))
    under = (under_way(start),) if wish.larger and exchanged(start).is_under_way else ()
    left_out = (*under, *_ungrown(start, steps, standing))
    return ChangeWay(wish, plan, steps[-1].after if steps else start, tuple(steps), tuple(refusals), left_out)


def shrunk_sectors(plan: MdArray, wish: ChangeWish) -> int | None:
    """Return the sectors that ``plan`` has once it is shrunk to the members of ``wish``; None if it isn't shrunk."""
    start = without_log(shaped(plan))
    if wish.slots is None or wish.slots >= len(start.members) or wish.level not in (None, start.level):
        return None
    move = fewer(start, wish.slots)
    return None if move is None else capacity_of(move.after).array_sectors


def goal_of(way: ChangeWay) -> ChangeWish:
    """Return the wish with its end written out, so that it means the same after any of its steps."""
    policy = policy_at_end(way.before, way.after.level, way.wish)
    return replace(way.wish, level=way.after.level, slots=len(way.after.members), consistency=policy)


def _path(start: MdArray, wish: ChangeWish) -> list[Transition] | Message:
    """Return the cheapest moves, or the reason why there are none."""
    here = {disk.id for disk in start.disks()}
    new = tuple(disk for disk in wish.add if disk.id not in here)
    base = without_log(start)
    target = Target(wish.level or base.level, wish.layout, wish.chunk_kib)
    order = itertools.count()
    queue = [(0, next(order), _with_spares(base, new), new, list[Transition]())]
    seen: set[tuple[object, ...]] = set()
    while queue and len(seen) < _MAX_PLANS:
        cost, _, plan, waiting, path = heapq.heappop(queue)
        if _is_reached(plan, wish, target):
            return path
        key = (plan.level, len(plan.members), plan.layout, plan.chunk_kib)
        if key in seen:
            continue
        seen.add(key)
        for move in transitions(plan, possibilities(plan), target, waiting):
            if move.after.level is Level.RAID0 is not target.level:  # nothing is left without redundancy on the way
                continue
            left = tuple(disk for disk in waiting if disk not in move.disks)
            after = _with_spares(move.after, left)
            heapq.heappush(queue, (cost + _price(plan, move, target), next(order), after, left, [*path, move]))
    return unreachable(start, wish, possibilities(base))


def _with_spares(plan: MdArray, new: tuple[Member, ...]) -> MdArray:
    """Return the plan with those ``new`` disks as spares that aren't in it, if its level has spares."""
    here = {disk.id for disk in plan.disks()}
    more = tuple(disk for disk in new if disk.id not in here)
    return replace(plan, spares=(*plan.spares, *more)) if plan.level.is_redundant else plan


def _price(plan: MdArray, move: Transition, target: Target) -> int:
    """Return the cost of a move; the level comes first, so that a safer one protects the rest."""
    price = _RESTRIPE_COST if move.restripes else 1
    price += _RESTRIPE_COST // 2 if move.takes_backup else 0
    return price + (move.possibility.change == "more-members" and plan.level is not target.level)


def _is_reached(plan: MdArray, wish: ChangeWish, target: Target) -> bool:
    if plan.level is not target.level:
        return False
    if wish.layout is not None and plan.layout != wish.layout:
        return False
    if wish.chunk_kib is not None and plan.chunk_kib != wish.chunk_kib:
        return False
    if wish.slots is not None:
        return len(plan.members) == wish.slots
    members = {member.id for member in plan.members if isinstance(member, Member)}
    return all(disk.id in members for disk in wish.add)


def _steps(start: MdArray, wish: ChangeWish, path: list[Transition], standing: ArrayStanding) -> Iterator[ChangeStep]:
    """Yield the steps of ``path``, with what must happen before, between and after its moves."""
    plan = start
    moves = any(move.restripes for move in path) or (wish.larger and _can_grow(path[-1].after if path else start))
    if plan.consistency is Consistency.PPL and moves:
        step = log_step(plan, without_log(plan), ChangeKind.DROP_LOG)
        yield step
        plan = step.after
    for move in path:
        if added := _unadded(plan, wish):
            step = add_step(plan, added)
            yield step
            plan = step.after
        step = reshape_step(plan, replace(move, after=_with_spares(move.after, plan.spares)))
        yield step
        plan = step.after
    if added := _unadded(plan, wish):
        step = add_step(plan, added)
        yield step
        plan = step.after
    if wish.larger and _can_grow(plan):
        step = larger_step(plan, largest(plan))
        yield step
        plan = step.after
    for step in policy_steps(plan, policy_at_end(start, plan.level, wish)):
        yield step
        plan = step.after
    if step_above := content_step(start, plan, standing.content):
        yield step_above


def _ungrown(start: MdArray, steps: list[ChangeStep], standing: ArrayStanding) -> Iterator[Message]:
    """Yield what stays as it is above an array that has grown, now or before."""
    before, after = (capacity_of(plan).array_sectors for plan in (start, steps[-1].after if steps else start))
    if after > before or (standing.content is not None and standing.content.sectors):
        yield from ungrown(standing.content, after)


def _can_grow(plan: MdArray) -> bool:
    return largest(plan).component_size_kib != plan.component_size_kib


def _exchanging(start: MdArray, wish: ChangeWish, standing: ArrayStanding, refusals: list[Message]) -> ChangeWay:
    """Return the way to larger disks in members' places, and, once all members are larger, to their space."""
    refusals += exchange_refusals(start, wish)
    if refusals:
        return ChangeWay(wish, start, start, (), tuple(refusals))
    steps = [*exchanges(start, wish.exchange)]
    held = steps[-1].after if steps else start
    under = (under_way(held),) if exchanged(held).is_under_way else ()
    steps += _steps(held, wish, [], standing)
    left_out = (*under, *_ungrown(start, steps, standing))
    return ChangeWay(wish, start, steps[-1].after if steps else start, tuple(steps), (), left_out)


def _unadded(plan: MdArray, wish: ChangeWish) -> tuple[Member, ...]:
    """Return the disks to add that aren't in the array yet; none to a level that takes them with a move alone."""
    here = {disk.id for disk in plan.disks()}
    return tuple(disk for disk in wish.add if disk.id not in here) if plan.level.is_redundant else ()


def _refused_moves(path: list[Transition], standing: ArrayStanding) -> Iterator[Message]:
    for move in path:
        for need in move.possibility.conditions:
            if need.needs is Needs.MDADM and str(need.value) == str(standing.mdadm):
                yield need.sentence
            if need.needs is Needs.RESTART:
                yield say(
                    "The array would have to be stopped right afterwards, with everything on it; Raidwright doesn't do "
                    "this change. {why}",
                    why=need.sentence,
                )
        if move.takes_backup and standing.shares_backup:
            yield say(
                "It takes a backup file, and the folder for that lies on this very array: a power cut would leave both "
                "unreadable."
            )
        elif move.restripes and standing.shares_backup and move.after.level is Level.RAID10:
            yield say(
                "The running system lies on it. After a power cut within the reshape of a RAID 10, Linux reads it "
                "wrongly until md goes on with that, and the system would be read before. Do it from a live system."
            )


def _shrinking(start: MdArray, wish: ChangeWish, standing: ArrayStanding, refusals: list[Message]) -> ChangeWay:
    """Return the way to fewer members: truncated first, so that a mistake can still be seen and reverted."""
    plan = without_log(start)
    move = fewer(plan, wish.slots or 0)
    if wish.add or wish.layout or wish.chunk_kib or wish.larger:
        refusals.append(say("Fewer members and another change at once: do one after the other."))
    if move is None:
        refusals.append(NOT_FEWER)
        return ChangeWay(wish, start, start, (), tuple(refusals))
    try:
        sectors = capacity_of(move.after).array_sectors
    except InputError as error:
        return ChangeWay(wish, start, start, (), (*refusals, error.sentence))
    if why := content_refusal(standing.content, sectors):
        refusals.append(why)
    refusals += _refused_moves([move], standing)
    if why := policy_refusal(start, move.after, wish, standing):
        return ChangeWay(wish, start, start, (), (*refusals, why))
    steps = [log_step(start, plan, ChangeKind.DROP_LOG)] if start.consistency is Consistency.PPL else []
    is_hidden = 0 < standing.size_sectors <= sectors
    steps += [reshape_step(plan, move)] if is_hidden else [truncate_step(plan, sectors), reshape_step(plan, move)]
    steps += policy_steps(move.after, policy_at_end(start, move.after.level, wish))
    return ChangeWay(wish, start, steps[-1].after, tuple(steps), tuple(refusals))
