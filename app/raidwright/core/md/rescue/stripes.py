"""Parity and copies of a few blocks, compared: whether disks belong together in an array, in that order and shape.

A position is a block of `BLOCK_BYTES`: of parity and raid1 the same place on each member, of raid10 one block of the
array with all its copies. raid0 and linear have neither, so nothing can tell there.

XOR is the same in any order of the members. But where some blocks of a stripe are zero and others aren't, its parity
isn't zero, unless two are alike: so a zero block where an order has its parity speaks against that order. Such stripes
are many where a file system has its own data, at the beginning. Sources: kernel ``raid5.c``
(``raid5_compute_sector``, ``set_syndrome_sources``: the order of Q's data), ``raid10.c`` (``__raid10_find_phys``,
``setup_geo``), ``lib/raid6`` (Q: powers of 2 in GF(256) by 0x11d).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

from raidwright.core.md.layouts import Copies, Level, parse_copies
from raidwright.core.md.parity import ParityLayout, parity_layout

BLOCK_BYTES = 4096
_SPREAD = 2654435761  # Knuth's multiplier: places within a step, so that no chunk's same part is looked at each time
_NEAR_STEP = 64  # blocks: the first places, where a file system has its own data
_TOLERATED = 50  # one stripe in so many may differ: what was being written when the power went
_TOLERATED_PLACES = 20  # blocks that are alike, whose parity is zero
_DENSE = 1024
_RUNS, _RUN = 64, 64
_MANY = 16  # stripes with data on the others
_ZERO = bytes(BLOCK_BYTES)
_DDF = frozenset({"ddf-zero-restart", "ddf-N-restart", "ddf-N-continue"})


@dataclass(frozen=True, slots=True)
class StripeShape:
    """The shape of the array whose blocks are compared. ``component_bytes`` is the part of each member that it uses."""

    level: Level
    slots: int
    component_bytes: int
    chunk_bytes: int = 0
    layout: str | None = None

    @property
    def positions(self) -> int:
        """Number of positions."""
        blocks = self.component_bytes // BLOCK_BYTES
        if self.level is Level.RAID10:
            chunks = _stride(self.copies, self) * self.slots // self.copies.near
            return chunks * (self.chunk_bytes // BLOCK_BYTES)
        return blocks if self.level.is_redundant else 0

    @property
    def copies(self) -> Copies:
        """raid10's copies."""
        return parse_copies(self.layout)

    @property
    def tells_order(self) -> bool:
        """True if the comparison fails with two members exchanged: XOR and a mirror are the same in any order."""
        return self.level in (Level.RAID6, Level.RAID10)

    @property
    def has_places(self) -> bool:
        """True if members in other slots are another array."""
        return self.level is not Level.RAID1

    @property
    def first_slot(self) -> int:
        """The slot of the first chunk of data."""
        if not self.level.parity_disks:
            return 0
        return int(parity_layout(self.level, self.layout).data_member(self.slots, 0, 0))

    @property
    def dense(self) -> tuple[int, ...]:
        """The positions at which the parity's place is looked at: the first ones, and some runs all over."""
        return _dense(self.positions if self.level in (Level.RAID4, Level.RAID5) else 0)

    def places(self, position: int) -> tuple[tuple[int, int], ...]:
        """Return the blocks to compare at a position: slot, and byte from where the member's data begin."""
        if self.level is Level.RAID10:
            return tuple(_copies_of(self, position * BLOCK_BYTES))
        return tuple((slot, position * BLOCK_BYTES) for slot in range(self.slots))

    def agrees(self, position: int, blocks: Sequence[bytes | None]) -> bool | None:
        """Return whether the blocks of ``places`` agree; None where too many are missing (None) to tell."""
        present = [block for block in blocks if block is not None]
        if self.level in (Level.RAID1, Level.RAID10):
            return all(block == present[0] for block in present) if len(present) > 1 else None
        missing = [slot for slot, block in enumerate(blocks) if block is None]
        if len(missing) >= self.level.parity_disks:
            return None
        if self.level is not Level.RAID6:
            return not _xor(present)
        stripe = position * BLOCK_BYTES // self.chunk_bytes
        return _has_parities(parity_layout(self.level, self.layout), stripe, blocks, is_ddf=self.layout in _DDF)


class Proof(StrEnum):
    """Verdict of the compared stripes. The values are part of ``raidwright array rescue --json``."""

    AGREES = "agrees"
    DOUBTFUL = "doubtful"  # too many differ for what was being written, and too few for other disks
    CONTRADICTS = "contradicts"
    UNTOLD = "untold"  # there is nothing to compare: too few members, no parity, or zeros everywhere


@dataclass(frozen=True, slots=True)
class Compared:
    """The stripes that were compared: ``looked`` at, of these ``told`` with data and something to compare them with.

    ``agreed`` of these agree. ``of_slot`` are those in which each slot took part; ``blank`` are the slots that are zero
    wherever the others hold data. ``ordered`` are stripes in which some blocks are zero; in ``misplaced`` of these it
    is the parity. ``alike`` are the pairs of slots, i × slots + j, that could be exchanged and nothing would tell.
    ``by_content`` is what begins there, where parity and copies can't tell; then these are its ``landmarks``.
    ``heads`` are the places asked about at which something begins: KiB, what, its UUID.
    """

    looked: int = 0
    told: int = 0
    agreed: int = 0
    of_slot: tuple[int, ...] = ()
    blank: tuple[int, ...] = ()
    ordered: int = 0
    misplaced: int = 0
    alike: tuple[int, ...] = ()
    by_content: str = ""
    heads: tuple[str, ...] = ()

    def tells_order(self, doubtful: Collection[int], told: Collection[int] = ()) -> bool:
        """Return whether the parity's places say that the disks in these slots aren't in each other's.

        Of the pairs ``told``, something else says it already.
        """
        if self.by_content:  # each is where it must be
            return all(self.of_slot[slot] for slot in doubtful)
        if self.is_misplaced or not self.of_slot:
            return False
        slots = len(self.of_slot)
        pairs = (first * slots + second for first, second in combinations(sorted(doubtful), 2))
        alike = self.alike if self.ordered else range(slots * slots)
        return not any(pair in alike and pair not in told for pair in pairs)

    @property
    def is_misplaced(self) -> bool:
        """True if the parity's places say that the order is wrong."""
        return _is_misplaced(self.ordered, self.misplaced)

    def proof(self, doubtful: Collection[int]) -> Proof:
        """Return what that says of an array whose members in the slots ``doubtful`` have no superblock of it."""
        differ = self.told - self.agreed
        is_wrong = differ * 2 > self.told or (self.is_misplaced and bool(doubtful))
        if set(self.blank) & set(doubtful) or is_wrong:
            return Proof.CONTRADICTS
        if differ > max(1, self.told // _TOLERATED):
            return Proof.DOUBTFUL
        if not self.told or any(not self.of_slot[slot] for slot in doubtful):
            return Proof.UNTOLD
        return Proof.AGREES


def _is_misplaced(ordered: int, misplaced: int) -> bool:
    return misplaced > max(2, ordered // _TOLERATED_PLACES)


def compare(shape: StripeShape, read: Callable[[int, int], bytes | None], count: int) -> Compared:
    """Compare about ``count`` stripes. ``read`` returns the block of a slot, by its byte; None if it has no disk.

    An unreadable block raises OSError, and its stripe isn't counted.
    """
    looked = told = agreed = 0
    filled, zero, parts = Counter[int](), Counter[int](), Counter[int]()
    for position in sampled_positions(shape, count):
        places = shape.places(position)
        try:
            blocks = [read(slot, byte) for slot, byte in places]
        except OSError:
            continue
        looked += 1
        if all(block is None or is_zero(block) for block in blocks):
            continue
        held = [(slot, block) for (slot, _), block in zip(places, blocks, strict=True) if block is not None]
        for slot, block in held:
            (zero if is_zero(block) else filled)[slot] += 1
        verdict = shape.agrees(position, blocks)
        if verdict is not None:
            told, agreed = told + 1, agreed + verdict
            parts.update(slot for slot, _ in held)
    blank = tuple(slot for slot in range(shape.slots) if zero[slot] >= _MANY and not filled[slot])
    return Compared(looked, told, agreed, tuple(parts[slot] for slot in range(shape.slots)), blank)


def zero_mask(blocks: Iterable[bytes]) -> int:
    """Return a bit for each block: 1 for zeros."""
    return sum(1 << at for at, block in enumerate(blocks) if is_zero(block))


def lost_mask(members: Sequence[Sequence[bytes]]) -> int:
    """Return the ``zero_mask`` of the one missing member, by the XOR of the others' blocks."""
    return sum(1 << at for at, blocks in enumerate(zip(*members, strict=True)) if not _xor(blocks))


def with_order(found: Compared, shape: StripeShape, zero: Sequence[int]) -> Compared:
    """Return ``found`` with what the parity's places say; ``zero`` are the members' masks of ``dense``, by slot."""
    everywhere, somewhere, places = -1, 0, _parity_places(shape)
    for mask in zero:
        everywhere, somewhere = everywhere & mask, somewhere | mask
    mixed = somewhere & ~everywhere
    ordered = mixed.bit_count()

    def misplaced(masks: Sequence[int]) -> int:
        return sum((mask & place & mixed).bit_count() for mask, place in zip(masks, places, strict=True))

    alike = []
    for first, second in combinations(range(shape.slots), 2):
        masks = list(zero)
        masks[first], masks[second] = zero[second], zero[first]
        if not _is_misplaced(ordered, misplaced(masks)):
            alike.append(first * shape.slots + second)
    return replace(found, ordered=ordered, misplaced=misplaced(zero), alike=tuple(alike))


@lru_cache(maxsize=8)
def _parity_places(shape: StripeShape) -> tuple[int, ...]:
    """Return for each slot a bit for each position of ``dense`` that has its parity there."""
    rule, masks = parity_layout(shape.level, shape.layout), [0] * shape.slots
    for at, position in enumerate(shape.dense):
        masks[int(rule.p_member(shape.slots, position * BLOCK_BYTES // shape.chunk_bytes))] |= 1 << at
    return tuple(masks)


@lru_cache(maxsize=8)
def _dense(positions: int) -> tuple[int, ...]:
    runs = [positions * at // _RUNS for at in range(1, _RUNS)]
    near = range(min(_DENSE, positions))
    far = (begins + step for begins in runs for step in range(min(_RUN, positions - begins)))
    return tuple(sorted({*near, *far}))


def sampled_positions(shape: StripeShape, count: int) -> Iterator[int]:
    """Yield about ``count`` positions over the whole length, and some more near the beginning, each once."""
    total, seen = shape.positions, set[int]()
    near = min(count // 4, total // _NEAR_STEP)
    for at in range(near):
        seen.add(at * _NEAR_STEP + at * _SPREAD % _NEAR_STEP)
    step = max(1, total // count)
    for at in range(min(count, total)):
        seen.add(min(at * step + at * _SPREAD % step, total - 1))
    yield from sorted(seen)


def is_zero(block: bytes) -> bool:
    """True for a block of zeros."""
    return block == _ZERO


def _xor(blocks: Sequence[bytes]) -> int:
    result = 0
    for block in blocks:
        result ^= int.from_bytes(block, "little")
    return result


def _has_parities(layout: ParityLayout, stripe: int, blocks: Sequence[bytes | None], *, is_ddf: bool) -> bool:
    """Return whether P and Q of a stripe are right; of a stripe without one member, what is left to compare."""
    slots = len(blocks)
    p, q = int(layout.p_member(slots, stripe)), int(layout.q_member(slots, stripe))
    first = 0 if is_ddf or layout.fixed_q else (q + 1) % slots
    order = [(first + step) % slots for step in range(slots)]
    data = [slot for slot in order if slot not in (p, q)]
    power = {slot: order.index(slot) if is_ddf else at for at, slot in enumerate(data)}
    missing = next((slot for slot, block in enumerate(blocks) if block is None), None)
    known = [block or _ZERO for block in blocks]
    if missing == q:
        return not _xor(known)
    whole = {slot: known[slot] for slot in data}
    if missing in whole:
        lost = _xor([known[slot] for slot in (*data, p)])
        whole[missing] = lost.to_bytes(BLOCK_BYTES, "little")
    elif missing is None and _xor([known[slot] for slot in (*data, p)]):
        return False
    found = 0
    for slot, block in whole.items():
        found ^= int.from_bytes(block.translate(_table(power[slot])), "little")
    return found == int.from_bytes(known[q], "little")


def _times_two(value: int) -> int:
    return (value << 1) ^ 0x11D if value & 128 else value << 1


def _tables() -> list[bytes]:
    """Return the products of each byte with 2^0 … 2^254 in GF(256), as tables for ``bytes.translate``."""
    tables = [bytes(range(256))]
    for _ in range(254):
        tables.append(bytes(_times_two(value) for value in tables[-1]))
    return tables


_PRODUCTS: list[bytes] = []


def _table(power: int) -> bytes:
    if not _PRODUCTS:
        _PRODUCTS.extend(_tables())
    return _PRODUCTS[power % 255]


def _stride(copies: Copies, shape: StripeShape) -> int:
    """Return the chunks of a member that one far copy takes."""
    return shape.component_bytes // shape.chunk_bytes // copies.far


def _copies_of(shape: StripeShape, byte: int) -> Iterator[tuple[int, int]]:
    copies = shape.copies
    chunk, within = divmod(byte, shape.chunk_bytes)
    for near in range(copies.near):
        row, slot = divmod(chunk * copies.near + near, shape.slots)
        for far in range(copies.far):
            at = row * copies.far + far if copies.offset else row + far * _stride(copies, shape)
            yield (slot + copies.near * far) % shape.slots, at * shape.chunk_bytes + within
