"""An array as plain values, for ``raidwright array list --json``."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from .known_faults import known_faults
from .values import Array


def array_as_json(array: Array) -> dict[str, Any]:
    """Every field of ``array`` under its own name; its state, how many members are here, and what starts it.

    ``bands`` are the arrays of a joined volume, which is one array here, and ``waiting`` those that its growth has made
    and LVM doesn't have yet; ``volume`` is the one that an array is of. ``growth_cut_off``: its growth waits.
    ``copies`` are the ids of disks that say that they are one slot, a list for each slot with more than one disk.
    ``halves`` are those of a stopped array whose members parted: the ids of each half's disks, its events, and the time
    until which it was written to (Unix time).
    ``hold`` is what holds it back (``core.md.running_state``), None if nothing does.
    ``known_faults`` are those of the machine's kernel and mdadm that concern it (``core.md.known``).
    ``events``, ``homehost``, ``updated_s`` (Unix time) and ``starts_on`` are None where no superblocks were read.
    """
    inner = {"bands": array.bands, "waiting": array.waiting}
    plain = asdict(replace(array, bands=(), waiting=()))
    plain |= {key: [array_as_json(one) for one in arrays] for key, arrays in inner.items()}
    known, host = plain.pop("assembly"), plain.pop("host")
    told = known or dict.fromkeys(("homehost", "events", "updated_s", "starts_on"))
    return plain | {
        "state": array.state,
        "growth_cut_off": array.is_growth_cut_off,
        "hold": str(array.hold) if array.hold else None,
        "members_here": array.members_here,
        "members_missing": array.members_missing,
        "copies": [[one.id for one in members] for members in array.assembly.twice] if array.assembly else [],
        "halves": [
            {"disks": list(half.members), "events": half.events, "updated_s": half.updated_s} for half in array.halves
        ],
        "known_faults": [fault.code for fault, _ in known_faults(array)],
        "is_foreign": array.is_foreign if host else None,
        **{key: told[key] for key in ("homehost", "events", "updated_s", "starts_on")},
    }
