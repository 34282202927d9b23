"""Every layout, cell for cell: numbered chunks are written through the array, and the members are read raw."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from raidwright.analysis.geometry.of_plan import Cells, Geometry, Role, geometry_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import RAID5_LAYOUTS, RAID6_LAYOUTS, Level
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.model.plan import MdArray, Plan
from raidwright.lab.machine import Lab

from .creations import Comparison
from .guest import Job, answers, job_for
from .guest_worker import pattern
from .plans import members_of

_OFFSET_SECTORS = 2048  # what mdadm gives members this small
_DDF = {"ddf-zero-restart", "ddf-N-restart", "ddf-N-continue"}


def layouts() -> Iterator[Plan]:
    """Yield every layout on 2 to 10 members, small enough to be filled."""
    number = 0
    for count in range(2, 11):
        for level, layout in _of(count):
            number += 1
            yield _plan(level, layout, count, f"c{number}")


def _plan(level: Level, layout: str | None, count: int, name: str) -> Plan:
    sizes = [_OFFSET_SECTORS + 8 * (3 * count + 7) + 5] * count
    if level is Level.RAID1:
        sizes = [_OFFSET_SECTORS + 4096] * count  # whole chunks of those that a mirror is drawn with
    elif level is Level.LINEAR:
        sizes = [_OFFSET_SECTORS + 8 * (20 + 7 * member) for member in range(count)]
    elif level is Level.RAID0:
        sizes = [size + 56 * member for member, size in enumerate(sizes)]  # zones
    return Plan(
        MdArray(
            level=level,
            members=members_of(sizes),
            layout=layout,
            chunk_kib=None if level in (Level.RAID1, Level.LINEAR) else 4,
            name=name,
            assume_clean=level.is_redundant,
        )
    )


def _of(count: int) -> Iterator[tuple[Level, str | None]]:
    yield from ((Level.LINEAR, None), (Level.RAID0, "original"), (Level.RAID0, "alternate"), (Level.RAID1, None))
    if count >= 3:
        yield Level.RAID4, None
        yield from ((Level.RAID5, layout) for layout in RAID5_LAYOUTS)
    if count >= 4:
        yield from ((Level.RAID6, layout) for layout in RAID6_LAYOUTS)
    yield from ((Level.RAID10, f"{kind}{copies}") for kind in "nfo" for copies in (2, 3, 4) if copies <= count)


def compare(lab: Lab, mdadm: MdadmVersion, plans: Iterable[Plan]) -> Iterator[Comparison]:
    """Compare the geometry of each cell with the bytes on the members."""
    kept = list(plans)
    jobs = (_job(plan, mdadm) for plan in kept)
    for plan, (_, answer) in zip(kept, answers(lab, jobs), strict=True):
        what = f"{plan.array.level} {plan.array.layout or ''} on {len(plan.array.members)}"
        if "cells" not in answer:
            yield Comparison(what, "an array", str(answer.get("refused") or answer.get("broken")), "differs")
            continue
        geometry = geometry_of(plan)
        wanted = _digests(plan, geometry)
        wrong = [
            f"member {member} row {row}: {role}"
            for member, row, role, digest in wanted
            # A short member has no bytes at all where a longer one still has rows.
            if answer["cells"][member][row : row + 1] != [digest]
            and not (digest == "0" and _is_beyond(answer, member, row))
        ]
        yield Comparison(what, f"{len(wanted)} cells", f"{len(wanted) - len(wrong)} as said", "; ".join(wrong[:5]))


def _is_beyond(answer: Job, member: int, row: int) -> bool:
    return row >= len(answer["cells"][member])


def _job(plan: Plan, mdadm: MdadmVersion) -> Job:
    geometry = geometry_of(plan)
    offsets = capacity_of(plan.top, mdadm).data_offset_sectors
    return job_for(replace(plan), "cells") | {
        "chunk_bytes": geometry.chunk_sectors * 512,
        "chunks": geometry.chunks,
        "offsets": offsets,
    }


def _digests(plan: Plan, geometry: Geometry) -> list[tuple[int, int, str, str]]:
    """Return (member, row, role, digest) of every cell of the geometry."""
    rows = np.arange(geometry.rows, dtype=np.int64)
    cells = geometry.cells(rows)
    found = []
    for row in range(geometry.rows):
        contents = _row(plan, cells, row, geometry.chunk_sectors * 512)
        for member, content in contents.items():
            role = Role(int(cells.role[row, member])).name
            digest = hashlib.blake2b(content, digest_size=8).hexdigest() if any(content) else "0"
            found.append((member, row, role, digest))
    return found


def _row(plan: Plan, cells: Cells, row: int, chunk_bytes: int) -> dict[int, bytes]:
    roles = {member: Role(int(role)) for member, role in enumerate(cells.role[row])}
    contents = {
        member: pattern(int(cells.chunk[row, member]), chunk_bytes) if role in (Role.DATA, Role.COPY) else b""
        for member, role in roles.items()
    }
    data = {member: contents[member] for member, role in roles.items() if role is Role.DATA}
    for member, role in roles.items():
        if role is Role.EMPTY:
            contents[member] = bytes(chunk_bytes)
        elif role is Role.P:
            contents[member] = _sum(dict.fromkeys(data, 0), data, chunk_bytes)
        elif role is Role.Q:
            contents[member] = _sum(_powers(plan, roles, member), data, chunk_bytes)
    return contents


def _powers(plan: Plan, roles: dict[int, Role], q_member: int) -> dict[int, int]:
    """Return each data member's power of the generator in Q (raid5.c ``raid6_d0``, ``raid6_idx_to_slot``)."""
    count = len(roles)
    if plan.array.layout in _DDF:
        return {member: member for member, role in roles.items() if role is Role.DATA}
    after_q = [(q_member + 1 + step) % count for step in range(count)]
    data = [member for member in after_q if roles[member] is Role.DATA]
    return {member: power for power, member in enumerate(data)}


def _sum(powers: dict[int, int], data: dict[int, bytes], chunk_bytes: int) -> bytes:
    """Σ 2^power · data over GF(2^8) with the polynomial 0x11d; powers of 0 give plain parity."""
    total = np.zeros(chunk_bytes, dtype=np.uint8)
    for member, power in powers.items():
        value: NDArray[np.uint8] = np.frombuffer(data[member], dtype=np.uint8)
        for _ in range(power):
            value = (value << np.uint8(1)) ^ ((value >> np.uint8(7)) * np.uint8(0x1D))
        total ^= value
    return total.tobytes()
