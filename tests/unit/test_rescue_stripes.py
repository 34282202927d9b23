"""Stripes that are compared: parity, Q and copies, against members that were encoded here by another way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from raidwright.analysis.geometry.copies import CopiesGeometry
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import RAID5_LAYOUTS, RAID6_LAYOUTS, Level, parse_copies
from raidwright.core.md.parity import parity_layout
from raidwright.core.md.rescue.question import StripeQuestion, read_question
from raidwright.core.md.rescue.stripes import (
    BLOCK_BYTES,
    Compared,
    Proof,
    StripeShape,
    compare,
    lost_mask,
    sampled_positions,
    with_order,
    zero_mask,
)

CHUNK = 4 * BLOCK_BYTES
ROWS = 40
MIB = 2**20


def _noise(seed: int, count: int) -> bytes:
    return np.random.default_rng(seed).bytes(count)


def _times(a: int, b: int) -> int:
    """Multiply in GF(256), bit by bit."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = (a << 1) ^ (0x11D if a & 128 else 0)
        b >>= 1
    return product


def _parity_members(level: Level, layout: str, slots: int, chance: np.random.Generator) -> list[bytes]:
    rule, members = parity_layout(level, layout), [bytearray() for _ in range(slots)]
    ddf = layout.startswith("ddf")
    for stripe in range(ROWS):
        p = int(rule.p_member(slots, stripe))
        q = int(rule.q_member(slots, stripe)) if level is Level.RAID6 else None
        short = {slot: chance.bytes(8) for slot in range(slots) if slot not in (p, q)}
        xor = bytes(np.bitwise_xor.reduce([np.frombuffer(one, np.uint8) for one in short.values()]))
        for slot, block in short.items():
            members[slot] += block * (CHUNK // 8)
        members[p] += xor * (CHUNK // 8)
        if q is not None:
            begins = 0 if ddf or rule.fixed_q else (q + 1) % slots
            turn = [(begins + step) % slots for step in range(slots)]
            powers = {
                slot: (turn.index(slot) if ddf else sum(one in short for one in turn[: turn.index(slot)]))
                for slot in short
            }
            sums = [0] * 8
            for slot, block in short.items():
                factor = 1
                for _ in range(powers[slot]):
                    factor = _times(factor, 2)
                sums = [have ^ _times(factor, byte) for have, byte in zip(sums, block, strict=True)]
            members[q] += bytes(sums) * (CHUNK // 8)
    return [bytes(one) for one in members]


def _reader(members: Sequence[bytes | None]) -> Callable[[int, int], bytes | None]:
    def read(slot: int, byte: int) -> bytes | None:
        member = members[slot]
        return None if member is None else member[byte : byte + BLOCK_BYTES]

    return read


def _found(shape: StripeShape, members: Sequence[bytes | None]) -> Compared:
    return compare(shape, _reader(members), 200)


CASES = [
    *[(Level.RAID5, layout, 4) for layout in RAID5_LAYOUTS],
    *[(Level.RAID6, layout, slots) for layout in RAID6_LAYOUTS for slots in (4, 5)],
]


@pytest.mark.parametrize(("level", "layout", "slots"), CASES)
def test_parity_tells_members_that_belong_together_from_others(level: Level, layout: str, slots: int) -> None:
    members: list[bytes | None] = list(_parity_members(level, layout, slots, np.random.default_rng(slots)))
    shape = StripeShape(level, slots, ROWS * CHUNK, CHUNK, layout)
    right = _found(shape, members)
    assert right.told == right.agreed > 30
    assert right.proof({1}) is Proof.AGREES
    blank = _found(shape, [*members[:-1], bytes(ROWS * CHUNK)])
    assert blank.blank == (slots - 1,)
    assert blank.proof({slots - 1}) is Proof.CONTRADICTS
    other = _found(shape, [_noise(1, ROWS * CHUNK), *members[1:]])
    assert other.proof({0}) is Proof.CONTRADICTS
    one_missing = _found(shape, [members[0], None, *members[2:]])
    assert one_missing.proof({0}) is (Proof.AGREES if level is Level.RAID6 else Proof.UNTOLD)
    exchanged = _found(shape, [members[1], members[0], *members[2:]])
    assert (exchanged.proof({0, 1}) is Proof.AGREES) is not shape.tells_order
    if level is Level.RAID6:
        two_missing = _found(shape, [members[0], None, None, *members[3:]])
        assert two_missing.proof({0}) is Proof.UNTOLD


@pytest.mark.parametrize(
    ("layout", "slots"), [("n2", 4), ("n2", 5), ("n3", 4), ("f2", 4), ("f2", 5), ("o2", 5), ("o3", 4)]
)
def test_copies_are_where_the_geometry_has_them(layout: str, slots: int) -> None:
    copies, rows = parse_copies(layout), 12
    shape = StripeShape(Level.RAID10, slots, rows * CHUNK, CHUNK, layout)
    chunks = shape.positions * BLOCK_BYTES // CHUNK
    member, row = CopiesGeometry(slots, rows, CHUNK // 512, chunks, copies).locate(np.arange(chunks))
    for chunk in range(chunks):
        places = {(slot, byte // CHUNK) for slot, byte in shape.places(chunk * CHUNK // BLOCK_BYTES)}
        assert places == set(zip(member[chunk].tolist(), row[chunk].tolist(), strict=True))
    whole = [bytearray(_noise(9, rows * CHUNK)) for _ in range(slots)]
    for position in range(shape.positions):
        block = _noise(position, BLOCK_BYTES)
        for slot, byte in shape.places(position):
            whole[slot][byte : byte + BLOCK_BYTES] = block
    members = [bytes(one) for one in whole]
    assert _found(shape, members).proof({0}) is Proof.AGREES
    wrong = [members[0], bytes(rows * CHUNK), *members[2:]]
    assert _found(shape, wrong).proof({1}) is Proof.CONTRADICTS


def test_a_member_whose_copies_are_all_missing_is_not_proven() -> None:
    shape = StripeShape(Level.RAID10, 4, ROWS * CHUNK, CHUNK, "n2")
    one = _noise(2, ROWS * CHUNK)
    found = _found(shape, [one, one, one, None])
    assert found.told == found.agreed > 0
    assert found.proof({1}) is Proof.AGREES
    assert found.proof({2}) is Proof.UNTOLD


def test_mirrors_and_what_has_no_copies() -> None:
    one = _noise(2, ROWS * CHUNK)
    mirror = StripeShape(Level.RAID1, 2, ROWS * CHUNK)
    assert _found(mirror, [one, one]).proof({1}) is Proof.AGREES
    assert _found(mirror, [one, one[::-1]]).proof({1}) is Proof.CONTRADICTS
    assert _found(mirror, [one, None]).proof({0}) is Proof.UNTOLD
    assert _found(mirror, [bytes(len(one))] * 2).proof({0}) is Proof.UNTOLD
    assert _found(StripeShape(Level.RAID0, 2, ROWS * CHUNK, CHUNK), [one, one]) == Compared(0, 0, 0, (0, 0), ())


def test_a_stripe_in_the_middle_of_a_write_is_borne_and_more_is_doubtful() -> None:
    assert Compared(256, 100, 99, (100,) * 3).proof({1}) is Proof.AGREES
    assert Compared(256, 100, 90, (100,) * 3).proof({1}) is Proof.DOUBTFUL
    assert Compared(256, 100, 49, (100,) * 3).proof({1}) is Proof.CONTRADICTS


def test_an_unreadable_block_takes_its_stripe_out() -> None:
    one = _noise(2, ROWS * CHUNK)

    def read(slot: int, byte: int) -> bytes:
        if slot and byte >= CHUNK:
            raise OSError
        return one[byte : byte + BLOCK_BYTES]

    found = compare(StripeShape(Level.RAID1, 2, ROWS * CHUNK), read, 100)
    assert 0 < found.looked == found.agreed < 10


def test_the_whole_length_is_looked_at_in_a_few_hundred_places() -> None:
    shape = StripeShape(Level.RAID5, 4, 20 * 10**12 // CHUNK * CHUNK, CHUNK)
    places = list(sampled_positions(shape, 256))
    assert 300 < len(places) <= 320
    assert places == sorted(set(places))
    far = [place for place in places if place * BLOCK_BYTES > 64 * MIB]
    gaps = [after - before for before, after in itertools.pairwise(far)]
    assert max(gaps) < 3 * shape.positions / 256
    small = StripeShape(Level.RAID5, 4, 10 * CHUNK, CHUNK)
    assert list(sampled_positions(small, 256)) == list(range(40))


def _sparse(slots: int, layout: str) -> list[bytes]:
    """Return members whose data blocks are often zero, as where a file system has its own data."""
    rule, members = parity_layout(Level.RAID5, layout), [bytearray() for _ in range(slots)]
    chance = np.random.default_rng(3)
    for stripe in range(ROWS):
        p = int(rule.p_member(slots, stripe))
        for _ in range(CHUNK // BLOCK_BYTES):
            data = {
                slot: _noise(int(chance.integers(1000)), BLOCK_BYTES) if chance.random() < 0.5 else bytes(BLOCK_BYTES)
                for slot in range(slots)
                if slot != p
            }
            xor = np.bitwise_xor.reduce([np.frombuffer(one, np.uint8) for one in data.values()])
            for slot in range(slots):
                members[slot] += bytes(xor) if slot == p else data[slot]
    return [bytes(one) for one in members]


def _ordered(shape: StripeShape, members: Sequence[bytes | None]) -> Compared:
    at = [place * BLOCK_BYTES for place in shape.dense]
    blocks = [[member[byte : byte + BLOCK_BYTES] for byte in at] for member in members if member is not None]
    lost = lost_mask(blocks) if None in members else 0
    masks = iter([zero_mask(some) for some in blocks])
    zero = [lost if member is None else next(masks) for member in members]
    return with_order(_found(shape, members), shape, zero)


@pytest.mark.parametrize("layout", ["left-symmetric", "right-asymmetric"])
def test_the_places_of_the_parity_tell_the_order_of_a_raid5(layout: str) -> None:
    members: list[bytes | None] = list(_sparse(4, layout))
    shape = StripeShape(Level.RAID5, 4, ROWS * CHUNK, CHUNK, layout)
    right = _ordered(shape, members)
    assert (right.misplaced, right.alike) == (0, ())
    assert right.ordered > 60
    assert right.tells_order({2, 3})
    for order in itertools.permutations(range(4)):
        wrong = _ordered(shape, [members[slot] for slot in order])
        assert (wrong.proof({2, 3}) is Proof.CONTRADICTS) is (order != (0, 1, 2, 3))
    lost = _ordered(shape, [*members[:3], None])  # a slot is missing, and XOR tells nothing
    assert lost.proof({2}) is Proof.UNTOLD
    assert lost.tells_order({2, 3})
    moved = _ordered(shape, [*members[:2], None, members[2]])
    assert moved.proof({3}) is Proof.CONTRADICTS


def test_where_all_blocks_have_data_nothing_tells_the_order() -> None:
    members = _parity_members(Level.RAID5, "left-symmetric", 4, np.random.default_rng(1))
    shape = StripeShape(Level.RAID5, 4, ROWS * CHUNK, CHUNK, "left-symmetric")
    found = _ordered(shape, members)
    assert found.ordered == 0
    assert not found.tells_order({2, 3})
    assert found.proof({2, 3}) is Proof.AGREES
    assert found.tells_order({0, 3}, told={0 * 4 + 3})  # by how the array begins, whose first chunk is in slot 0
    assert not found.tells_order({0, 2, 3}, told={0 * 4 + 2, 0 * 4 + 3})


@pytest.mark.parametrize(("layout", "slot"), [("left-symmetric", 0), ("right-asymmetric", 1), ("parity-first", 1)])
def test_an_array_begins_in_the_slot_of_its_first_chunk_of_data(layout: str, slot: int) -> None:
    assert StripeShape(Level.RAID5, 4, ROWS * CHUNK, CHUNK, layout).first_slot == slot


def test_a_question_goes_over_the_bus_and_nonsense_is_refused() -> None:
    shape = StripeShape(Level.RAID6, 4, ROWS * CHUNK, CHUNK, "left-symmetric")
    question = StripeQuestion(("a", "b", "c"), shape, 1024, (("a", None, "c", "b"), ("b", "a", "c", None)))
    told, orders = question.dumped()
    assert orders == ["0 - 2 1", "1 0 2 -"]
    assert read_question(question.disks, told, orders) == question
    for change, some in (
        ({"slots": 0}, []),
        ({"slots": 65}, []),
        ({"chunk_kib": 0}, []),
        ({"chunk_kib": 3}, []),
        ({"level": "raid7"}, []),
        ({"layout": "n2"}, []),
        ({"level": "raid10", "layout": "n5"}, []),
        ({"more": 1}, []),
        ({}, ["0 1 2"]),
        ({}, ["0 0 1 2"]),
        ({}, ["0 1 2 9"]),
        ({}, ["0 1 2 ²"]),
        ({}, ["- - - -"] * 1001),
    ):
        with pytest.raises(InputError):
            read_question(question.disks, {**told, **change}, some)
