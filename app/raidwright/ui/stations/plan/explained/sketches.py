"""Small pictures for the explanations: about four disks, a few rows, made and painted like the stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from raidwright.analysis.geometry.cells import Cells, Role
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.analysis.geometry.states import CellState
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.text.catalogue import tr
from raidwright.ui.stations.plan.stage.layout import StageLayout, height_of
from raidwright.ui.stations.plan.stage.picture import SlotColumn, StagePicture, Touched
from raidwright.ui.stations.plan.stage.replay import Access, replay
from raidwright.ui.stations.plan.stage.scene import Band, scene_of, states_of

WIDTH = 164
_DISK_BYTES = 4 * 10**12
_ROWS, _ROWS_OF_BAND = 4, 2  # with far copies, rows of each of two bands
_KIB = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A picture ``WIDTH`` wide and the caption below it."""

    picture: StagePicture
    caption: str


def sketches_of(key: str) -> tuple[Sketch, ...]:
    """Return the pictures of a glossary term, for comparison; () for most."""
    return _MAKERS[key]() if key in _MAKERS else ()


def _plan(level: str, disks: int = 4, layout: str | None = None, chunk_kib: int | None = None) -> Plan:
    members = tuple(Member(f"disk-{number}", _DISK_BYTES) for number in range(disks))
    return Plan(MdArray(Level(level), members, layout=layout, chunk_kib=chunk_kib))


def _sketch(caption: str, plan: Plan, *, failed: frozenset[int] = frozenset(), access: Access | None = None) -> Sketch:
    geometry = geometry_of(plan)
    scene = scene_of(geometry, 0, _ROWS)
    if len(scene.bands) > 1:
        scene = scene_of(geometry, 0, _ROWS_OF_BAND)
    rows = tuple(len(band.rows) for band in scene.bands)
    layout = StageLayout(WIDTH, height_of(max(rows), len(rows)), geometry.members, rows)
    touches = replay(geometry, access, failed).touches if access else None
    columns = tuple(_column(str(slot)) for slot in range(geometry.members))
    picture = StagePicture(scene, columns, layout, states_of(geometry, scene, failed), failed, touches)
    return Sketch(picture, caption)


def _column(slot: str) -> SlotColumn:
    return SlotColumn(slot, slot, "", "", 0, "")


def _levels() -> tuple[Sketch, ...]:
    return (
        _sketch(tr("raid10: each chunk twice"), _plan("raid10", layout="n2")),
        _sketch(tr("raid5: one parity (P) a stripe"), _plan("raid5")),
        _sketch(tr("raid6: two, P and Q"), _plan("raid6")),
    )


def _bands() -> tuple[Sketch, ...]:
    return (
        _sketch(tr("the lowest band: raid5, on all four disks"), _plan("raid5")),
        _sketch(tr("the band above: raid1, on the two that are larger"), _plan("raid1", 2)),
    )


def _nested() -> tuple[Sketch, ...]:
    disks = tuple(Member(f"disk-{number}", _DISK_BYTES) for number in range(6))
    inner = (MdArray(Level.RAID5, disks[:3]), MdArray(Level.RAID5, disks[3:]))
    return (
        _sketch(tr("raid5 over six disks"), _plan("raid5", 6)),
        _sketch(tr("raid50: a stripe over two raid5"), Plan(MdArray(Level.RAID0, inner))),
    )


def _copies() -> tuple[Sketch, ...]:
    return (
        _sketch(tr("two copies"), _plan("raid10", layout="n2")),
        _sketch(tr("three copies"), _plan("raid10", layout="n3")),
    )


def _arrangements() -> tuple[Sketch, ...]:
    return (
        _sketch(tr("near: side by side"), _plan("raid10", layout="n2")),
        _sketch(tr("offset: one row below"), _plan("raid10", layout="o2")),
        _sketch(tr("far: in another part of the disks"), _plan("raid10", layout="f2")),
    )


def _parity_layouts() -> tuple[Sketch, ...]:
    return (
        _sketch(tr("left-symmetric: goes around"), _plan("raid5", layout="left-symmetric")),
        _sketch(tr("left-asymmetric: data begin at slot 0"), _plan("raid5", layout="left-asymmetric")),
        _sketch(tr("parity-last: on one disk"), _plan("raid5", layout="parity-last")),
    )


def _chunks() -> tuple[Sketch, ...]:
    read = Access(size_bytes=512 * _KIB)
    return (
        _sketch(tr("512 KiB read, chunk 512 KiB: one disk"), _plan("raid0", chunk_kib=512), access=read),
        _sketch(tr("512 KiB read, chunk 128 KiB: four disks"), _plan("raid0", chunk_kib=128), access=read),
    )


def _bitmaps() -> tuple[Sketch, ...]:
    return (
        _rewritten(_sketch(tr("with a bitmap: what was being written"), _plan("raid5")), {1}),
        _rewritten(_sketch(tr("without: all of it"), _plan("raid5")), set(range(_ROWS))),
    )


def _journals() -> tuple[Sketch, ...]:
    write = Access(size_bytes=1536 * _KIB, write=True)
    written = _sketch(tr("a write: in the journal first, then on the disks"), _plan("raid5"), access=write)
    repeated = _rewritten(_sketch(tr("after a crash: repeated from the journal"), _plan("raid5")), {1})
    return _beside(written), _beside(repeated)


def _beside(sketch: Sketch) -> Sketch:
    """Return the sketch with a journal's column."""
    picture = sketch.picture
    aside = SlotColumn(tr("J"), tr("journal"), "", "", 0, "")
    return replace(sketch, picture=replace(picture, asides=(aside,), layout=replace(picture.layout, asides=1)))


def _rewritten(sketch: Sketch, rows: set[int]) -> Sketch:
    """Return the sketch with the parity of ``rows`` recomputed from their data."""
    roles = sketch.picture.scene.bands[0].cells.role.tolist()
    touches = {
        (row, slot): Touched(reads=role != Role.P, writes=role == Role.P)
        for row in rows
        for slot, role in enumerate(roles[row])
    }
    return replace(sketch, picture=replace(sketch.picture, touches=touches))


def _spares() -> tuple[Sketch, ...]:
    whole, failed = _plan("raid5", 3), frozenset({1})
    return (
        _with_spare(_sketch(tr("the spare stands by"), whole), stands_in=False),
        _with_spare(_sketch(tr("a disk failed: the spare takes its place"), whole, failed=failed), stands_in=True),
    )


def _with_spare(sketch: Sketch, *, stands_in: bool) -> Sketch:
    """Return the sketch with one more column: empty, or with the content of slot 1."""
    picture = sketch.picture
    (band,), (states,) = picture.scene.bands, picture.states
    like = slice(1, 2)
    role = band.cells.role[:, like] if stands_in else np.full_like(band.cells.role[:, like], Role.EMPTY)
    cells = Cells(
        np.hstack((band.cells.role, role)),
        np.hstack((band.cells.chunk, band.cells.chunk[:, like])),
        np.hstack((band.cells.copy, band.cells.copy[:, like])),
    )
    wider = Band(band.rows, cells, np.hstack((band.colour, band.colour[:, like])))
    whole_again = np.where(states == CellState.LAST, CellState.INTACT, states)
    filled = np.full_like(states[:, like], CellState.INTACT)
    return replace(
        sketch,
        picture=replace(
            picture,
            scene=replace(picture.scene, members=4, bands=(wider,)),
            columns=(*picture.columns, _column(tr("spare"))),
            layout=replace(picture.layout, slots=4),
            states=(np.hstack((whole_again, filled)).astype(np.uint8),),
        ),
    )


def _missing() -> tuple[Sketch, ...]:
    return (
        _sketch(tr("whole"), _plan("raid5")),
        _sketch(tr("slot 3 left empty: nothing more may fail"), _plan("raid5"), failed=frozenset({3})),
    )


def _read_ahead() -> tuple[Sketch, ...]:
    plan = _plan("raid0", chunk_kib=128)
    return (
        _sketch(tr("what was asked for: one disk works"), plan, access=Access(size_bytes=128 * _KIB)),
        _sketch(tr("and two stripes on: all do"), plan, access=Access(size_bytes=8 * 128 * _KIB)),
    )


def _assume_clean() -> tuple[Sketch, ...]:
    failed = _sketch(tr("synchronised: computed back from the others"), _plan("raid5"), failed=frozenset({1}))
    (states,) = failed.picture.states
    garbage = states.copy()
    garbage[:, 1] = CellState.LOST
    skipped = replace(failed.picture, states=(garbage,))
    return failed, Sketch(skipped, tr("skipped: garbage where parity was never computed"))


_MAKERS: Mapping[str, Callable[[], tuple[Sketch, ...]]] = {
    "level": _levels,
    "bands": _bands,
    "nested": _nested,
    "copies": _copies,
    "arrangement": _arrangements,
    "layout": _parity_layouts,
    "chunk": _chunks,
    "bitmap": _bitmaps,
    "journal": _journals,
    "spares": _spares,
    "missing": _missing,
    "read-ahead": _read_ahead,
    "assume-clean": _assume_clean,
}
