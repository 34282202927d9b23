"""An array as plain values, for ``raidwright array list --json``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from raidwright.core.model.plan import JOINED

from .known_faults import known_faults
from .states.volume import State, Volume
from .values import Array


def array_as_json(state: State) -> dict[str, Any]:
    """Every field of an array under its own name; its state, how many members are here, and what starts it.

    ``bands`` are the arrays of a joined volume, which is one array here, and ``waiting`` those that its growth has made
    and LVM doesn't have yet; ``volume`` is the one that an array is of. ``growth_cut_off``: its growth waits.
    ``copies`` are the ids of disks that say that they are one slot, a list for each slot with more than one disk.
    ``halves`` are those of a stopped array whose members parted: the ids of each half's disks, its events, and the time
    until which it was written to (Unix time).
    ``hold`` is what holds it back (``core.md.running_state``), None if nothing does.
    ``known_faults`` are those of the machine's kernel and mdadm that concern it (``core.md.known``).
    ``events``, ``homehost``, ``updated_s`` (Unix time) and ``starts_on`` are None where no superblocks were read.
    """
    shown = _in_an_arrays_fields(state) if isinstance(state, Volume) else state
    made = (state.bands, state.waiting) if isinstance(state, Volume) else ((), ())
    plain = asdict(shown)
    link, known, host = plain.pop("link"), plain.pop("assembly"), plain.pop("host")
    told = known or dict.fromkeys(("homehost", "events", "updated_s", "starts_on"))
    return plain | {
        **{key: list(map(array_as_json, arrays)) for key, arrays in zip(("bands", "waiting"), made, strict=True)},
        "link": link,
        "state": state.state,
        "growth_cut_off": isinstance(state, Volume) and state.is_growth_cut_off,
        "hold": str(state.hold) if state.hold else None,
        "members_here": state.members_here,
        "members_missing": state.members_missing,
        "copies": [[one.id for one in members] for members in shown.assembly.twice] if shown.assembly else [],
        "halves": [
            {"disks": list(half.members), "events": half.events, "updated_s": half.updated_s} for half in shown.halves
        ],
        "known_faults": [fault.code for fault, _ in known_faults(state)],
        "is_foreign": state.is_foreign if host else None,
        **{key: told[key] for key in ("homehost", "events", "updated_s", "starts_on")},
    }


def _in_an_arrays_fields(volume: Volume) -> Array:
    """Return the volume as the list has had it from the first: an array of level joined, without chunk and facts."""
    own = {name: getattr(volume, name) for name in Array.__slots__ if hasattr(Volume, name)}
    return Array(level=JOINED, chunk_kib=0, volume=volume.bands[0].volume, **own)
