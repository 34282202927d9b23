"""Geometry against worked examples, the kernel's own procedure for raid10, and invariants of every plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.geometry.copies import CopiesGeometry
from raidwright.analysis.geometry.of_plan import Geometry, Role, all_rows, geometry_of
from raidwright.analysis.geometry.parity_rows import ParityGeometry
from raidwright.analysis.geometry.zones import striped
from raidwright.cli.geometry import members_cells
from raidwright.core.errors import PlanRefused
from raidwright.core.md.layouts import Copies, parse_copies
from raidwright.core.model.plan import MdArray, Plan

from .making_plans import equal, flat_plans, grouped, member


def by_row(made: MdArray, rows: int) -> list[str]:
    """Return each row as the columns of a drawing, like ``0 1 2 P``."""
    geometry = geometry_of(Plan(made))
    cells = members_cells(geometry.cells(all_rows(geometry.first_row, rows)))
    return [" ".join("." if cell is None else str(cell) for cell in row) for row in zip(*cells, strict=True)]


DRAWN = [
    (equal("raid5", 4, "left-symmetric"), ["0 1 2 P", "4 5 P 3", "8 P 6 7", "P 9 10 11"]),
    (equal("raid5", 3, "left-asymmetric"), ["0 1 P", "2 P 3", "P 4 5"]),
    (equal("raid5", 3, "right-symmetric"), ["P 0 1", "3 P 2", "4 5 P"]),
    (equal("raid5", 3, "parity-first"), ["P 0 1", "P 2 3"]),
    (equal("raid4", 3), ["0 1 P", "2 3 P"]),
    (equal("raid6", 4, "left-symmetric"), ["Q 0 1 P", "2 3 P Q", "5 P Q 4", "P Q 6 7"]),
    (equal("raid6", 4, "left-asymmetric"), ["Q 0 1 P", "2 3 P Q", "4 P Q 5", "P Q 6 7"]),
    (equal("raid6", 5, "ddf-N-continue"), ["0 1 2 Q P", "4 5 Q P 3", "8 Q P 6 7"]),
    (equal("raid6", 5, "left-symmetric-6"), ["0 1 2 P Q", "4 5 P 3 Q", "8 P 6 7 Q"]),
    (equal("raid10", 4, "n2"), ["0 0 1 1", "2 2 3 3"]),
    (equal("raid10", 3, "n2"), ["0 0 1", "1 2 2", "3 3 4"]),
    (equal("raid10", 4, "o2"), ["0 1 2 3", "3 0 1 2", "4 5 6 7", "7 4 5 6"]),
    (equal("raid1", 2), ["0 0", "1 1"]),
    (grouped("raid0", "raid1", 2, 2), ["0 0 1 1", "2 2 3 3"]),
    (grouped("raid0", "raid5", 2, 3), ["0 2 P 1 3 P", "6 P 4 7 P 5"]),
]


@pytest.mark.parametrize(("made", "drawing"), DRAWN)
def test_drawn_layouts(made: MdArray, drawing: list[str]) -> None:
    assert by_row(made, len(drawing)) == drawing


def test_far_copies_lie_half_a_disk_further_on() -> None:
    geometry = geometry_of(Plan(equal("raid10", 4, "f2", sectors=15628053168)))
    assert isinstance(geometry, CopiesGeometry)
    band = geometry.band_rows
    assert band == geometry.rows // 2 == 7630756
    cells = geometry.cells(np.array([0, band, 2 * band - 1]))
    assert cells.chunk[0].tolist() == [0, 1, 2, 3]
    assert cells.chunk[1].tolist() == [3, 0, 1, 2]
    assert set(cells.chunk[2].tolist()) == set(range(geometry.chunks - 4, geometry.chunks))
    assert cells.role[1].tolist() == [Role.COPY] * 4


def test_raid0_zones_count_on_or_anew() -> None:
    # members of 7, 19, 19 and 31 chunks: chunk 28 is the first of the second zone
    for alternate, on_member in ((False, 2), (True, 1)):
        member_of, row = striped((7, 19, 19, 31), 8, 76, alternate=alternate).locate(np.array([28]))
        assert (member_of.item(), row.item()) == (on_member, 7)


def kernels_places(members: int, rows: int, copies: Copies, chunk: int) -> list[tuple[int, int]]:
    """Return (member, row) of each copy, step by step as ``raid10.c __raid10_find_phys``."""
    stride = 1 if copies.offset else rows // copies.far
    row, device = divmod(chunk * copies.near, members)
    if copies.offset:
        row *= copies.far
    places = []
    for _ in range(copies.near):
        far_device, far_row = device, row
        places.append((far_device, far_row))
        for _ in range(copies.far - 1):
            far_device, far_row = (far_device + copies.near) % members, far_row + stride
            places.append((far_device, far_row))
        device += 1
        if device == members:
            device, row = 0, row + 1
    return places


@given(
    members=st.integers(2, 10),
    layout=st.sampled_from(["n2", "n3", "n4", "f2", "f3", "f4", "o2", "o3", "o4", "n2f2", "n2f3", "n3f2", "n2o2"]),
    sectors=st.integers(2**17, 2**35),
    data=st.data(),
)
def test_raid10_lies_where_the_kernel_puts_it(members: int, layout: str, sectors: int, data: st.DataObject) -> None:
    copies = parse_copies(layout)
    if copies.total > members or (copies.offset and members % copies.near):
        return
    geometry = geometry_of(Plan(equal("raid10", members, layout, sectors)))
    chunk = data.draw(st.integers(0, geometry.chunks - 1))
    member_of, row = geometry.locate(np.array([chunk]))
    places = list(zip(member_of[0].tolist(), row[0].tolist(), strict=True))
    assert places == kernels_places(members, geometry.rows, copies, chunk)
    assert all(at < geometry.rows for _, at in places)


def test_near_and_offset_copies_that_overwrite_each_other_are_refused() -> None:
    with pytest.raises(PlanRefused):
        geometry_of(Plan(equal("raid10", 5, "n2o2")))


def _shared_rows(geometry: Geometry, data: st.DataObject) -> list[int]:
    edges = [0, 1, geometry.rows // 2, geometry.rows - 2, geometry.rows - 1]
    drawn = data.draw(st.lists(st.integers(0, geometry.rows - 1), min_size=1, max_size=20))
    return sorted({row for row in (*edges, *drawn) if 0 <= row < geometry.rows})


def _cells_and_places_agree(geometry: Geometry, rows: list[int]) -> None:
    cells = geometry.cells(np.array(rows))
    for place, row in enumerate(rows):
        for on in range(geometry.members):
            if cells.role[place, on] in (Role.DATA, Role.COPY):
                member_of, at = geometry.locate(cells.chunk[place, on].reshape(1))
                copy = cells.copy[place, on]
                assert (member_of[0, copy], at[0, copy]) == (on, row)


@given(flat_plans(), st.data())
def test_cells_and_places_are_inverse(made: MdArray, data: st.DataObject) -> None:
    geometry = geometry_of(Plan(made))
    _cells_and_places_agree(geometry, _shared_rows(geometry, data))


NESTED = [
    grouped("raid0", "raid1", 3, 2),
    grouped("raid1", "raid0", 2, 3),
    grouped("raid0", "raid6", 2, 4),
    grouped("raid5", "raid1", 3, 2),
    grouped("raid10", "raid0", 4, 2),
    grouped("linear", "raid10", 2, 3),
    replace(grouped("raid0", "raid5", 2, 3), chunk_kib=64),
    MdArray(equal("raid0", 2).level, (equal("raid1", 2), member("alone"))),
]


@pytest.mark.parametrize("made", NESTED)
@given(data=st.data())
def test_nested_cells_and_places_are_inverse(made: MdArray, data: st.DataObject) -> None:
    geometry = geometry_of(Plan(made))
    _cells_and_places_agree(geometry, _shared_rows(geometry, data))


@given(flat_plans(), st.data())
def test_copies_of_a_chunk_are_on_different_members(made: MdArray, data: st.DataObject) -> None:
    geometry = geometry_of(Plan(made))
    chunks = np.array(data.draw(st.lists(st.integers(0, geometry.chunks - 1), min_size=1, max_size=20)))
    member_of, _ = geometry.locate(chunks)
    assert all(len(set(row)) == member_of.shape[1] for row in member_of.tolist())


@given(flat_plans(), st.data())
def test_parity_is_never_on_a_data_cell(made: MdArray, data: st.DataObject) -> None:
    geometry = geometry_of(Plan(made))
    if not isinstance(geometry, ParityGeometry):
        return
    rows = np.array(_shared_rows(geometry, data))
    roles = geometry.cells(rows).role
    p, q = geometry.parity(rows)
    assert (roles[np.arange(len(rows)), p] == Role.P).all()
    assert (np.count_nonzero(roles == Role.DATA, axis=1) == geometry.data_members).all()
    member_of, _ = geometry.locate(np.arange(rows[0] * geometry.data_members, (rows[0] + 1) * geometry.data_members))
    assert not {p[0], q[0]} & set(member_of.ravel().tolist())
