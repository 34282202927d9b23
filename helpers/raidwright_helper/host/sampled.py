"""Blocks all over some disks, read for their stripes to be compared; nothing is written, and few are read."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from raidwright.core.md.layouts import Level
from raidwright.core.md.rescue.landmarks import HEADS, compare_content, head_of, place_of
from raidwright.core.md.rescue.question import StripeQuestion
from raidwright.core.md.rescue.search import Order
from raidwright.core.md.rescue.stripes import (
    BLOCK_BYTES,
    Compared,
    StripeShape,
    compare,
    is_zero,
    lost_mask,
    sampled_positions,
    with_order,
    zero_mask,
)

from .extents import bytes_at, expect_random_reads
from .host import Host
from .looking import pinned_to_look
from .power import PowerStates

_COUNTS = (256, 1024)  # positions; the second where the first meets little but zeros
_FEW = 32
_DOUBTED = 8  # stripes, half of which differ
_MAX_SECONDS = 20.0  # a disk; one that turns reads eighty places a second
_MAX_FAILURES = 4  # a failing disk takes half a minute for each
_RUN_BLOCKS = 64  # read at once where they follow one another

Blocks = Mapping[int, bytes]  # by their byte on the disk


@dataclass(frozen=True, slots=True)
class Part:
    """A member to read: its open device, and the byte at which its data begin."""

    fd: int
    begins: int


async def compared(shape: StripeShape, parts: Mapping[int, Part]) -> Compared:
    """Compare the stripes of the members ``parts``, by slot; those without one are missing."""
    found = Compared()
    for count in _COUNTS:
        places = sorted(_places(shape, count))
        reading = (
            asyncio.to_thread(blocks_at, one.fd, [one.begins + byte for byte in places]) for one in parts.values()
        )
        read = dict(zip(parts, await asyncio.gather(*reading), strict=True))
        members = [_Member(parts[slot].begins, read[slot]) if slot in read else None for slot in range(shape.slots)]
        found = await asyncio.to_thread(_compared, shape, members, count)
        if found.told >= _FEW or count >= shape.positions:
            break
    return found if found.told else await _told_by_content(shape, parts, found)


async def _told_by_content(shape: StripeShape, parts: Mapping[int, Part], found: Compared) -> Compared:
    """Return what the content's landmarks say; of a level with copies or parity only if they speak against it."""
    here = [parts.get(slot) for slot in range(shape.slots)]
    content = await asyncio.to_thread(compare_content, shape, _content_reader(here, {}))
    return found if _is_old_perhaps(shape, content) else _with_content(found, content)


@dataclass(frozen=True, slots=True)
class _Member:
    begins: int
    blocks: Blocks

    def block(self, byte: int) -> bytes:
        if (found := self.blocks.get(self.begins + byte)) is None:
            raise OSError
        return found


def _places(shape: StripeShape, count: int) -> set[int]:
    """Return the bytes on a member, from where its data begin, that may have to be read for ``count`` stripes."""
    if not shape.positions:  # of a level without copies, some all over it
        mirror = StripeShape(Level.RAID1, shape.slots, shape.component_bytes)
        return {position * BLOCK_BYTES for position in sampled_positions(mirror, count)}
    spread = {byte for position in sampled_positions(shape, count) for _, byte in shape.places(position)}
    return spread | {position * BLOCK_BYTES for position in shape.dense}


def _compared(shape: StripeShape, members: list[_Member | None], count: int) -> Compared:
    return _with_order(compare(shape, _reader(members), count), shape, members, {})


def _reader(members: list[_Member | None]) -> Callable[[int, int], bytes | None]:
    def block(slot: int, byte: int) -> bytes | None:
        member = members[slot]
        return None if member is None else member.block(byte)

    return block


def _with_order(
    found: Compared, shape: StripeShape, members: list[_Member | None], lost: dict[frozenset[int], int]
) -> Compared:
    """Add what the places of the parity say; ``lost`` keeps the masks of missing members, by the others."""
    places = [position * BLOCK_BYTES for position in shape.dense]
    here = [member for member in members if member is not None]
    if not places or len(here) < len(members) - 1:
        return found
    try:
        blocks = {id(member): [member.block(place) for place in places] for member in here}
    except OSError:
        return found
    missing = 0
    if len(here) < len(members):
        key = frozenset(id(member.blocks) for member in here)
        if key not in lost:
            lost[key] = lost_mask(list(blocks.values()))
        missing = lost[key]
    masks = {key: zero_mask(some) for key, some in blocks.items()}
    return with_order(found, shape, [missing if member is None else masks[id(member)] for member in members])


async def examine_stripes(
    host: Host, power: PowerStates, question: StripeQuestion, *, wake: bool
) -> Mapping[str, Compared]:
    """Answer the question, by the keys of its orders and by disk.

    Raises DiskRefused for anything but a disk, and for a disk in standby (``Code.ASLEEP``) unless ``wake``.
    """
    begins = question.begins_kib * 1024
    wanted = [begins + byte for byte in sorted(_places(question.shape, _COUNTS[0]))]
    async with contextlib.AsyncExitStack() as until:
        looking = [pinned_to_look(host, power, one, wake=wake) for one in question.disks]
        fds = [(await until.enter_async_context(one)).fd for one in looking]
        read = await asyncio.gather(*(asyncio.to_thread(blocks_at, fd, wanted) for fd in fds))
        heads = await asyncio.gather(*(asyncio.to_thread(_heads, fd, question.heads_kib) for fd in fds))
        parts = {disk: Part(fd, begins) for disk, fd in zip(question.disks, fds, strict=True)}
        by_content = await asyncio.to_thread(_by_content, question, parts)
    members = {disk: _Member(begins, one) for disk, one in zip(question.disks, read, strict=True)}
    answers = await asyncio.to_thread(_answers, question, members)
    answers |= {key: _with_content(answers[key], one) for key, one in by_content.items()}
    return answers | {
        disk: replace(answers[disk], heads=one) for disk, one in zip(question.disks, heads, strict=True) if one
    }


def _with_content(found: Compared, content: Compared) -> Compared:
    """Return ``found`` with what the content says in place of stripes that tell nothing."""
    if found.told or not content.told:
        return found
    return replace(content, blank=found.blank, ordered=found.ordered, misplaced=found.misplaced, alike=found.alike)


def _by_content(question: StripeQuestion, parts: Mapping[str, Part]) -> dict[str, Compared]:
    """Return what the content's landmarks say of the orders, by key, while the disks are open.

    An order without anything known at its beginning is doubted where another order has that.
    """
    is_whole = question.shape.level.is_redundant and not any(None in order for order in question.orders)
    if is_whole or not question.by_place:
        return {}
    known: dict[tuple[int, int], bytes] = {}
    found = {
        question.key(order): compare_content(
            question.shape, _content_reader([None if disk is None else parts[disk] for disk in order], known)
        )
        for order in question.orders
    }
    begins = place_of(question.shape, 0)[0]
    known_heads = {key for key, one in found.items() if one.told}
    headless = {question.key(order) for order in question.orders if order[begins] is not None} - known_heads
    doubted = Compared(_DOUBTED, _DOUBTED, _DOUBTED // 2, (1,) * question.shape.slots)
    told = {key: found[key] for key in known_heads if not _is_old_perhaps(question.shape, found[key])}
    return told | (dict.fromkeys(headless, doubted) if known_heads else {})


def _is_old_perhaps(shape: StripeShape, content: Compared) -> bool:
    """Return whether members that dropped out long ago would read so, too: only stripes tell that they are old."""
    return shape.level.is_redundant and content.agreed == content.told


def _content_reader(
    members: Sequence[Part | None], known: dict[tuple[int, int], bytes]
) -> Callable[[int, int], bytes | None]:
    """Return a reader of single blocks on the open members, which are read once each."""

    def block(slot: int, byte: int) -> bytes | None:
        part = members[slot]
        if part is None:
            return None
        key = (part.fd, part.begins + byte)
        if key not in known:
            known[key] = bytes_at(part.fd, part.begins + byte, BLOCK_BYTES)
        return known[key]

    return block


def _heads(fd: int, places_kib: Sequence[int]) -> tuple[str, ...]:
    """Return where something that is known begins on the open disk, of ``places_kib`` (``head_of``)."""
    found = []
    for kib in places_kib:
        with contextlib.suppress(OSError):
            first, second = (bytes_at(fd, kib * 1024 + byte, BLOCK_BYTES) for byte in HEADS)
            found.append(head_of(kib, first, second))
    return tuple(filter(None, found))


def _answers(question: StripeQuestion, members: Mapping[str, _Member]) -> dict[str, Compared]:
    shape = question.shape
    answers = {
        disk: Compared(len(member.blocks), sum(not is_zero(block) for block in member.blocks.values()))
        for disk, member in members.items()
    }
    lost: dict[frozenset[int], int] = {}
    by_set: dict[Order, Compared] = {}
    for order in question.orders:
        placed = [None if disk is None else members[disk] for disk in order]
        key = order if shape.tells_order else tuple(sorted(order, key=lambda disk: disk or ""))
        if key not in by_set:
            by_set[key] = compare(shape, _reader(placed), _COUNTS[0])
        answers[question.key(order)] = _with_order(by_set[key], shape, placed, lost)
    return answers


def blocks_at(fd: int, places: Iterable[int]) -> dict[int, bytes]:
    """Return the blocks at ``places`` that can be read within some seconds; the disk itself is asked, not its cache."""
    found: dict[int, bytes] = {}
    ends_at, failures = time.monotonic() + _MAX_SECONDS, 0
    expect_random_reads(fd)
    for place, count in _runs(places):
        try:
            read = bytes_at(fd, place, count * BLOCK_BYTES)
        except OSError:
            failures += 1
        else:
            for at in range(0, len(read) - BLOCK_BYTES + 1, BLOCK_BYTES):
                found[place + at] = read[at : at + BLOCK_BYTES]
        if failures >= _MAX_FAILURES or time.monotonic() > ends_at:
            break
    return found


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the places that follow one another as one, with their number of blocks."""
    begins, count = 0, 0
    for place in places:
        if count and place == begins + count * BLOCK_BYTES and count < _RUN_BLOCKS:
            count += 1
            continue
        if count:
            yield begins, count
        begins, count = place, 1
    if count:
        yield begins, count
