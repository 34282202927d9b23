"""Cell states after failures, and the cells that an access touches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.geometry.access import Touch, TouchedCell, touched
from raidwright.analysis.geometry.of_plan import all_rows, geometry_of
from raidwright.analysis.geometry.states import CellState, cell_states
from raidwright.analysis.layers.survival import survival_of
from raidwright.core.model.plan import MdArray, Plan

from .making_plans import equal, flat_plans, grouped

SIGNS = {
    CellState.EMPTY: ".",
    CellState.INTACT: "o",
    CellState.LAST: "!",
    CellState.RECONSTRUCTABLE: "r",
    CellState.LOST: "x",
}


def row_after(made: MdArray, *failed: int) -> str:
    """Return the first row's states, a sign per member."""
    geometry = geometry_of(Plan(made))
    states = cell_states(geometry, all_rows(geometry.first_row, 1), failed)
    return "".join(SIGNS[CellState(state)] for state in states[0].tolist())


AFTER = [
    (equal("raid0", 3), (), "ooo"),
    (equal("raid0", 3), (1,), "oxo"),
    (equal("raid1", 3), (0,), "roo"),
    (equal("raid1", 3), (0, 1), "rr!"),
    (equal("raid1", 2), (0, 1), "xx"),
    (equal("raid10", 4, "n2"), (0,), "r!oo"),
    (equal("raid10", 4, "n2"), (0, 1), "xxoo"),
    (equal("raid10", 4, "f2"), (1,), "!roo"),
    (equal("raid5", 4), (), "oooo"),
    (equal("raid5", 4), (2,), "!!r!"),
    (equal("raid5", 4), (0, 2), "x!x!"),
    (equal("raid6", 4), (0,), "rooo"),
    (equal("raid6", 4), (0, 1), "rr!!"),
    (grouped("raid0", "raid1", 2, 2), (0,), "r!oo"),
    (grouped("raid0", "raid5", 2, 3), (0,), "r!!ooo"),
    (grouped("raid1", "raid0", 2, 2), (0,), "ro!!"),
]


@pytest.mark.parametrize(("made", "failed", "signs"), AFTER)
def test_cells_after_failures(made: MdArray, failed: tuple[int, ...], signs: str) -> None:
    assert row_after(made, *failed) == signs


@given(flat_plans(largest_sectors=2**19).map(Plan), st.data())
def test_cells_are_lost_exactly_when_the_array_is(made: Plan, data: st.DataObject) -> None:
    geometry = geometry_of(made)
    failed = data.draw(st.sets(st.integers(0, geometry.members - 1)))
    states = cell_states(geometry, all_rows(0, geometry.rows), failed)
    assert survival_of(made.top).survives(failed) == (not (states == CellState.LOST).any())


CHUNK = 512 * 1024


def summary(cells: tuple[TouchedCell, ...]) -> dict[Touch, list[int]]:
    """Return members by the kind of access, in order."""
    result: dict[Touch, list[int]] = {}
    for cell in cells:
        result.setdefault(cell.touch, []).append(cell.member)
    return result


# raid5 and raid6 with left-symmetric: row 0 is 0 1 … P, and for raid6 Q 0 1 … P
ACCESSES = [
    (equal("raid0", 3), 0, 2 * CHUNK, False, (), {Touch.READ: [0, 1]}),
    (equal("raid10", 4, "n2"), CHUNK, 4096, False, (), {Touch.READ: [2]}),
    (equal("raid10", 4, "n2"), CHUNK, 4096, False, (2,), {Touch.READ: [3]}),
    (equal("raid10", 4, "n2"), CHUNK, 4096, False, (2, 3), {Touch.UNREADABLE: [2]}),
    (equal("raid1", 3), 0, 4096, True, (), {Touch.WRITE: [0], Touch.WRITE_COPY: [1, 2]}),
    (equal("raid5", 3), 0, 4096, True, (), {Touch.READ_REST: [1], Touch.WRITE: [0], Touch.WRITE_PARITY: [2]}),
    (equal("raid5", 4), 0, 4096, True, (), {Touch.READ_REST: [1, 2], Touch.WRITE: [0], Touch.WRITE_PARITY: [3]}),
    (equal("raid5", 5), 0, 4096, True, (), {Touch.READ_OLD: [0, 4], Touch.WRITE: [0], Touch.WRITE_PARITY: [4]}),
    (
        equal("raid6", 6),
        0,
        4096,
        True,
        (),
        {Touch.READ_REST: [2, 3, 4], Touch.WRITE: [1], Touch.WRITE_PARITY: [5, 0]},
    ),
    (equal("raid6", 7), 0, 4096, True, (), {Touch.READ_OLD: [1, 6, 0], Touch.WRITE: [1], Touch.WRITE_PARITY: [6, 0]}),
    (equal("raid5", 4), 0, 3 * CHUNK, True, (), {Touch.WRITE: [0, 1, 2], Touch.WRITE_PARITY: [3]}),
    (equal("raid5", 4), 0, 4096, False, (0,), {Touch.READ_REBUILD: [1, 2, 3]}),
    (equal("raid5", 4), 0, 4096, False, (0, 1), {Touch.UNREADABLE: [0]}),
    (equal("raid6", 5), 0, 4096, False, (1, 2), {Touch.READ_REBUILD: [3, 4, 0]}),
    (
        equal("raid5", 5),
        0,
        4096,
        True,
        (0,),
        {Touch.READ_REST: [1, 2, 3], Touch.WRITE_PARITY: [4]},
    ),
    (equal("raid5", 4), 0, 4096, True, (1,), {Touch.READ_OLD: [0, 3], Touch.WRITE: [0], Touch.WRITE_PARITY: [3]}),
    (grouped("raid0", "raid1", 2, 2), CHUNK, 4096, True, (), {Touch.WRITE: [2], Touch.WRITE_COPY: [3]}),
    (grouped("raid1", "raid0", 2, 2), 0, 4096, False, (0,), {Touch.READ: [2]}),
]


@pytest.mark.parametrize(("made", "offset", "size", "write", "failed", "wanted"), ACCESSES)
def test_what_an_access_touches(
    made: MdArray, offset: int, size: int, write: bool, failed: tuple[int, ...], wanted: dict[Touch, list[int]]
) -> None:
    assert summary(touched(geometry_of(Plan(made)), offset, size, write=write, failed=failed)) == wanted


@given(flat_plans(largest_sectors=2**19).map(Plan), st.integers(0, 2**28), st.integers(1, 2**22))
def test_what_is_asked_for_is_read_once(made: Plan, offset: int, size: int) -> None:
    geometry = geometry_of(made)
    end = geometry.chunks * geometry.chunk_sectors * 512
    cells = touched(geometry, offset, size, write=False) if geometry.chunk_sectors >= 8 else ()
    if geometry.chunk_sectors >= 8:
        assert sum(cell.size_bytes for cell in cells) == max(0, min(size, end - offset))
    shown = geometry.cells(np.array([cell.row for cell in cells], dtype=np.int64))
    for place, cell in enumerate(cells):
        start = offset - offset % (geometry.chunk_sectors * 512)
        assert start <= int(shown.chunk[place, cell.member]) * geometry.chunk_sectors * 512 < offset + size


def test_a_span_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="chunks"):
        touched(geometry_of(Plan(equal("raid0", 2))), 0, 2**50, write=False)
