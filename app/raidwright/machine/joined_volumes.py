"""Joined volumes: arrays under one LVM volume, seen as one array.

The arrays of the volume ``tank`` are called ``tank-0``, ``tank-1`` …; each is a physical volume of LVM, and udev links
the volume as ``/dev/tank/data``. Stopped ones are told by their names, and by slices as members. The helper looks at
device-mapper itself before it changes one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from raidwright.core.md.assembly import AssemblyState
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import inner_name
from raidwright.core.md.sync import IDLE

from .values import Array


def with_volumes(arrays: Iterable[Array]) -> tuple[Array, ...]:
    """Return ``arrays``, with the arrays of each joined volume in one: ``level`` joined, its arrays as ``bands``.

    It has the UUID of its first array, as the helper names it, and that array's place in the order.
    """
    found: dict[str, list[Array]] = defaultdict(list)
    shown = tuple(arrays)
    for array in shown:
        if array.volume is not None:
            found[array.volume.name].append(array)
    for name, bands in _stopped_bands(shown).items():
        found.setdefault(name, bands)
    volumes = {name: joined for name, bands in found.items() if (joined := _joined(name, bands)) is not None}
    firsts = {volume.uuid: volume for volume in volumes.values()}
    hidden = {band.uuid for volume in volumes.values() for band in volume.bands}
    return tuple(firsts.get(array.uuid, array) for array in shown if array.uuid in firsts or array.uuid not in hidden)


def volume_uuids(arrays: Iterable[Array], uuid: str) -> tuple[str, ...]:
    """Return the UUIDs of the arrays of the joined volume with that UUID; of another array its own alone."""
    volume = next((array for array in with_volumes(arrays) if array.uuid == uuid), None)
    return tuple(band.uuid for band in volume.bands) if volume is not None and volume.bands else (uuid,)


def _joined(name: str, members: Sequence[Array]) -> Array | None:
    by_name = {array.name: array for array in members}
    names = [inner_name(name, place) for place in range(len(members))]
    if set(names) != set(by_name):
        return None  # two of one name, or one of them is gone
    bands = tuple(by_name[called] for called in names)
    volume, first = bands[0].volume, bands[0]
    if volume is None:
        return _stopped(name, bands)
    busy = [band for band in bands if _is_busy(band)]
    lead = max(busy, key=lambda band: band.sync_bytes_per_s, default=first)
    return replace(
        first,
        name=name,
        level=str(Level.JOINED),
        device=volume.device,
        size_bytes=volume.size_bytes,
        mounted_at=volume.mounted_at,
        chunk_kib=0,
        degraded=_lost_disks(bands),
        member_devices=tuple(band.device for band in bands),
        members=(),
        slots=len(bands),
        places=(),
        lacks=(),
        former=(),
        facts=None,
        assembly=None,
        sync_action=lead.sync_action,
        sync_fraction=_share_done(bands) if busy else 0.0,
        sync_bytes_per_s=sum(band.sync_bytes_per_s for band in busy),
        sync_seconds_left=_seconds_left(bands, lead),
        bands=bands,
    )


def _stopped(name: str, bands: tuple[Array, ...]) -> Array:
    """Return the volume of ``bands``, not all of which run."""
    return replace(
        bands[0],
        name=name,
        level=str(Level.JOINED),
        device="",
        size_bytes=0,
        chunk_kib=0,
        running=False,
        degraded=0,
        member_devices=tuple(device for band in bands for device in band.member_devices),
        members=tuple(member for band in bands for member in band.members),
        slots=0,
        places=(),
        lacks=(),
        former=(),
        facts=None,
        assembly=None,
        sync_action="idle",
        bands=bands,
    )


def _stopped_bands(arrays: Sequence[Array]) -> dict[str, list[Array]]:
    """Return the arrays on slices that can be those of a joined volume, by its name: each runs or can be started.

    One that must be rescued first is shown for itself, and so are the others then.
    """
    inner = {device for array in arrays for device in array.member_devices}
    found: dict[str, list[Array]] = defaultdict(list)
    for array in arrays:
        name, _, slot = array.name.rpartition("-")
        is_on_slices = bool(array.members) and all(member.partition for member in array.members)
        is_alone = array.volume is None and not array.make and array.device not in inner
        if name and slot.isdecimal() and is_on_slices and is_alone:
            found[name].append(array)
    return {
        name: bands
        for name, bands in found.items()
        if len(bands) > 1
        and len({band.homehost for band in bands}) == 1
        and not all(band.running for band in bands)
        and all(band.running or band.state == AssemblyState.STOPPED for band in bands)
    }


def _lost_disks(bands: Sequence[Array]) -> int:
    """Return how many disks the arrays lack: a disk with slices in several of them once, as far as it is known."""
    known = {lack.last.member.failure_unit for band in bands for lack in band.lacks if lack.last is not None}
    return max(len(known), *(max(band.degraded, len(band.lacks)) for band in bands))


def _share_done(bands: Sequence[Array]) -> float:
    """Return the share done of what md does, by the arrays' sizes; an idle array that takes part is done.

    A first sync is of all arrays with copies or parity, a rebuild of those that lack a member.
    """
    is_first = all(not band.former and all(lack.last is None for lack in band.lacks) for band in bands)
    own = [band for band in bands if _is_busy(band) or (is_first and band.level not in ("raid0", "linear"))]
    whole = sum(band.size_bytes for band in own)
    left = sum(band.size_bytes * (1 - band.sync_fraction) for band in own if _is_busy(band))
    return 1 - left / whole if whole else 0.0


def _seconds_left(bands: Sequence[Array], lead: Array) -> int:
    """Return the seconds until all are done, 0 if unknown: those on the disks of ``lead`` wait for it, at its pace."""
    own = lead.size_bytes * (1 - lead.sync_fraction)
    if not lead.sync_seconds_left or own <= 0:
        return lead.sync_seconds_left
    waiting = sum(band.size_bytes * (1 - band.sync_fraction) for band in bands if _is_busy(band) and band is not lead)
    return round(lead.sync_seconds_left * (1 + waiting / own))


def _is_busy(band: Array) -> bool:
    return band.sync_action not in IDLE
