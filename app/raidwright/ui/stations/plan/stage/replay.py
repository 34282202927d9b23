"""Replay of an array's read or write on its members: the cells touched, and a sentence with the counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from raidwright.analysis.geometry.access import WRITES, Touch, TouchedCell, touched
from raidwright.analysis.geometry.cells import Geometry
from raidwright.analysis.geometry.parity_rows import ParityGeometry
from raidwright.core.messages import say
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import binary_size, joined, ntr, tr

from .picture import Touched

SMALLEST_BYTES, LARGEST_BYTES = 512, 64 << 20


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of some bytes at an offset of the array."""

    offset_bytes: int = 0
    size_bytes: int = 4096
    write: bool = False


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay's result: ``touches`` by (row, slot); ``first_row`` is the access's first row, None if it has none."""

    sentence: str
    touches: dict[tuple[int, int], Touched] = field(default_factory=dict)
    first_row: int | None = None


def replay(geometry: Geometry, access: Access, failed: Collection[int]) -> Replay:
    """Replay ``access`` on an array that runs without the ``failed`` slots."""
    cells = touched(geometry, access.offset_bytes, access.size_bytes, write=access.write, failed=failed)
    if not cells:
        end = binary_size(geometry.chunks * geometry.chunk_sectors * SECTOR_BYTES)
        return Replay(tr("The array ends at {end}; nothing lies behind that.", end=end))
    touches: dict[tuple[int, int], Touched] = {}
    for cell in cells:
        known = touches.get((cell.row, cell.member), Touched())
        writes = cell.touch in WRITES
        touches[cell.row, cell.member] = Touched(known.reads or not writes, known.writes or writes)
    wanted = next((cell for cell in cells if cell.touch in (Touch.READ, Touch.WRITE)), cells[0])
    return Replay(joined(_counted(access, cells), _reason(cells)), touches, wanted.row)


def stopped() -> Replay:
    """Return the replay of any access on an array that can't run."""
    return Replay(tr("The array has stopped: nothing can be read or written."))


def stripe_bytes(geometry: Geometry) -> int:
    """Return the data bytes of a full stripe, which is written without reading; 0 without parity."""
    return geometry.data_members * geometry.chunk_sectors * SECTOR_BYTES if isinstance(geometry, ParityGeometry) else 0


def _counted(access: Access, cells: tuple[TouchedCell, ...]) -> str:
    """Return “This 4 KiB write reads 2 blocks (8 KiB) and writes 2 blocks (8 KiB), on 2 disks.”"""
    count = len({cell.member for cell in cells})
    on = ntr("1 disk", "{count} disks", count)
    reads = [cell for cell in cells if cell.touch not in WRITES]
    if not access.write:
        text = say("Reading {size} touches {reads} on {on}.")
    elif reads:
        text = say("This {size} write reads {reads} and writes {writes}, on {on}.")
    else:
        text = say("This {size} write writes {writes} on {on}.")
    writes = [cell for cell in cells if cell.touch in WRITES]
    return tr(text, size=_size(access.size_bytes), reads=_blocks(reads), writes=_blocks(writes), on=on)


def _blocks(cells: list[TouchedCell]) -> str:
    """Return the number of chunks and of their bytes; overlapping reads count once."""
    spans: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for cell in cells:
        spans[cell.row, cell.member].append((cell.offset_bytes, cell.offset_bytes + cell.size_bytes))
    count = ntr("1 block", "{count} blocks", len(spans))
    return f"{count} ({_size(sum(_covered(parts) for parts in spans.values()))})"


def _covered(spans: list[tuple[int, int]]) -> int:
    """Return the bytes in any of the ``spans`` (start, end)."""
    total, reached = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _size(size_bytes: int) -> str:
    return binary_size(size_bytes).replace(".00 ", " ").replace(".0 ", " ")


def _reason(cells: tuple[TouchedCell, ...]) -> str:
    kinds = {cell.touch for cell in cells}
    if Touch.READ_REBUILD in kinds:
        return tr("What the failed disk held is computed from the others.")
    if Touch.READ_OLD in kinds:
        return tr("The old data and parity are read first: the new parity comes from the difference.")
    if Touch.READ_REST in kinds:
        return tr("The rest of the stripe is read to compute the parity.")
    if Touch.WRITE_PARITY in kinds:
        return tr("It fills whole stripes, so nothing has to be read first.")
    return tr("Each block is written to all of its copies.") if Touch.WRITE_COPY in kinds else ""
