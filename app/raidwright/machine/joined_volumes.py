"""Joined volumes: arrays under one LVM volume, seen as one array.

The arrays of the volume ``tank`` are called ``tank-0``, ``tank-1`` …; each is a physical volume of LVM, and udev links
the volume as ``/dev/tank/data``. Stopped ones are told by their names, and by slices as members. The helper looks at
device-mapper itself before it changes one.

A running volume's places are its disks, each once, though it has slices in several arrays: a lost disk is one.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from raidwright.core.lvm.whole_disks import whole_disk
from raidwright.core.md.assembly import AssemblyState
from raidwright.core.md.mdadm import inner_name
from raidwright.core.md.sync import IDLE
from raidwright.core.protocol.facts import CameBack

from .states.volume import State, Volume
from .values import Array, ArrayDevice, Former, Lack, LastSeen


def with_volumes(arrays: Iterable[Array]) -> tuple[State, ...]:
    """Return ``arrays``, with the arrays of each joined volume as one, in the place of its first array."""
    found: dict[str, list[Array]] = defaultdict(list)
    shown = tuple(arrays)
    for array in shown:
        if array.volume is not None and array.volume.device:
            found[array.volume.name].append(array)
    found = {name: _of_volume(bands) for name, bands in found.items()}
    for name, bands in _stopped_bands(shown).items():
        found.setdefault(name, bands)
    volumes = [joined for name, bands in found.items() if (joined := _joined(name, bands)) is not None]
    volumes = [replace(volume, waiting=tuple(_waiting(volume, shown))) for volume in volumes]
    firsts = {volume.uuid: volume for volume in volumes}
    hidden = {band.uuid for volume in volumes for band in (*volume.bands, *volume.waiting)}
    return tuple(firsts.get(array.uuid, array) for array in shown if array.uuid in firsts or array.uuid not in hidden)


def volume_uuids(arrays: Iterable[Array], uuid: str) -> tuple[str, ...]:
    """Return the UUIDs of the arrays of the joined volume with that UUID; of another array its own alone."""
    volume = next((array for array in with_volumes(arrays) if array.uuid == uuid), None)
    return tuple(array.uuid for array in volume.arrays) if volume is not None else (uuid,)


def _of_volume(arrays: Sequence[Array]) -> list[Array]:
    """Return the arrays up to the last that LVM's volume is on: those above were made for a growth that was cut off."""
    ordered = sorted(arrays, key=lambda array: int(array.name.rpartition("-")[2]))
    held = [place for place, array in enumerate(ordered) if _is_held(array)]
    return ordered[: held[-1] + 1] if held else ordered


def _joined(name: str, members: Sequence[Array]) -> Volume | None:
    by_name = {array.name: array for array in members}
    names = [inner_name(name, place) for place in range(len(members))]
    if set(names) != set(by_name):
        return None  # two of one name, or one of them is gone
    bands = tuple(by_name[called] for called in names)
    volume, first = bands[0].volume, bands[0]
    if volume is None or not all(band.running for band in bands) or not volume.device:
        slices = tuple(device for band in bands for device in band.member_devices)
        return Volume(name, bands, member_devices=slices)  # not all run, or LVM has yet to activate it
    busy = [band for band in bands if _is_busy(band)]
    lead = max(busy, key=lambda band: band.sync_bytes_per_s, default=first)
    places, lacks = _by_disk(bands)
    return Volume(
        name,
        bands,
        device=volume.device,
        size_bytes=volume.size_bytes,
        mounted_at=volume.mounted_at,
        member_devices=tuple(band.device for band in bands),
        degraded=max(len(lacks), *(band.degraded for band in bands)),
        slots=len({place.slot for place in places if place.slot is not None} | {lack.slot for lack in lacks}),
        places=places,
        lacks=lacks,
        former=_formers(bands),
        sync_action=lead.sync_action,
        sync_fraction=_share_done(bands) if busy else 0.0,
        sync_bytes_per_s=sum(band.sync_bytes_per_s for band in busy),
        sync_seconds_left=_seconds_left(bands, lead),
    )


def _stopped_bands(arrays: Sequence[Array]) -> dict[str, list[Array]]:
    """Return the arrays on slices that can be those of a joined volume, by its name: each runs or can be started.

    One that must be rescued first is shown for itself, and so are the others then.
    """
    inner = {device for array in arrays for device in array.member_devices}
    found: dict[str, list[Array]] = defaultdict(list)
    for array in arrays:
        name, _, slot = array.name.rpartition("-")
        is_alone = not _is_held(array) and not array.make and array.device not in inner
        if name and slot.isdecimal() and _is_on_slices(array) and is_alone:
            found[name].append(array)
    return {
        name: bands
        for name, bands in found.items()
        if len(bands) > 1
        and len({band.homehost for band in bands}) == 1
        and not all(band.running and (band.volume is None or band.facts is None) for band in bands)
        and all(band.running or _can_start(band) for band in bands)
    }


def _waiting(volume: Volume, arrays: Sequence[Array]) -> Iterator[Array]:
    """Yield the running arrays made above a running volume that LVM doesn't have yet, in their order."""
    free = {array.name: array for array in arrays if array.running and _is_on_slices(array) and not _is_held(array)}
    for place in itertools.count(len(volume.bands)):
        array = free.get(inner_name(volume.name, place)) if volume.running else None
        if array is None or array.homehost != volume.homehost:
            return
        yield array


def _is_on_slices(array: Array) -> bool:
    return bool(array.members) and all(member.partition for member in array.members)


def _can_start(array: Array) -> bool:
    """Return whether a stopped array has all that it needs, also if md gathered its members without starting it."""
    known = array.assembly
    is_gathered = array.state == "inactive" and known is not None and known.state is AssemblyState.STOPPED
    return array.state == AssemblyState.STOPPED or is_gathered


def _is_held(array: Array) -> bool:
    """Return whether something is on the array: its joined volume, or any other device.

    Of a growth that was cut off an array may be LVM's already, and not the volume's: the kernel's word counts.
    """
    return bool(array.facts.holders if array.facts else array.volume and array.volume.device)


def _by_disk(bands: Sequence[Array]) -> tuple[tuple[ArrayDevice, ...], tuple[Lack, ...]]:
    """Return the volume's disks and the lost ones; a disk that md rebuilds onto has the slot of the one it replaces."""
    slices: dict[str, list[ArrayDevice]] = defaultdict(list)
    lost: dict[str, Lack] = {}
    replaces: dict[str, str] = {}
    for band in bands:
        for place in band.places:
            slices[_unit(place)].append(place)
        for slot, unit in _lost_units(band).items():
            lost.setdefault(unit, next(lack for lack in band.lacks if lack.slot == slot))
        replaces |= {new: old for new, old in _replaced(band) if new != old}  # one that comes back keeps its slot
    kept = [unit for unit in (*slices, *lost) if unit not in replaces]
    slots = {unit: slot for slot, unit in enumerate(dict.fromkeys(kept))}
    slots |= {new: slots[old] for new, old in replaces.items() if old in slots}
    for unit in lost:
        slots.setdefault(unit, len(slots))
    lacks = (Lack(slots[unit], lack.last and _whole_last(lack.last), lack.is_here) for unit, lack in lost.items())
    return tuple(_disk(slots.get(unit), places) for unit, places in slices.items()), tuple(lacks)


def _unit(place: ArrayDevice) -> str:
    return place.member.failure_unit if place.member else place.device


def _lost_units(band: Array) -> dict[int, str]:
    """Return the lost disk of each empty slot. Disks never seen are numbered, as slots differ between the arrays."""
    unseen = [lack.slot for lack in band.lacks if lack.last is None]
    seen = {lack.slot: lack.last.member.failure_unit for lack in band.lacks if lack.last}
    return {lack.slot: seen.get(lack.slot) or f"unseen {unseen.index(lack.slot)}" for lack in band.lacks}


def _replaced(band: Array) -> Iterator[tuple[str, str]]:
    """Yield each disk that md rebuilds or copies onto, with the disk that it replaces in the array."""
    former = _lost_units(band)
    former |= {place.slot: _unit(place) for place in band.places if place.works and place.slot is not None}
    for place in band.places:
        if place.is_coming and place.slot is not None:
            yield _unit(place), former.get(place.slot, f"unseen {place.slot}")


def _disk(slot: int | None, slices: Sequence[ArrayDevice]) -> ArrayDevice:
    """Return a disk's place: failed with the first of its slices, unless it only waits to be replaced."""
    first = slices[0]
    is_copied = any(place.works and "want_replacement" in place.states for place in slices)
    if is_copied:
        worst = next(place for place in slices if place.works)
    else:
        worst = min(slices, key=lambda place: (not place.has_failed, place.works, not place.is_coming))
    member = first.member and whole_disk([place.member for place in slices if place.member])
    device = first.device.rstrip("0123456789").removesuffix("p") if first.member else first.device
    is_out = worst.slot is None
    return ArrayDevice(None if is_out else slot, device, worst.states, member, first.link)


def _formers(bands: Sequence[Array]) -> tuple[Former, ...]:
    """Return the disks that carry superblocks of the arrays and are in none of them; each is in no slot of the volume.

    One catches up where it does so in each array.
    """
    inside = {_unit(place) for band in bands for place in band.places if not place.has_failed}
    found: dict[str, list[Former]] = defaultdict(list)
    for former in (one for band in bands for one in band.former):
        if former.member.failure_unit not in inside:
            found[former.member.failure_unit].append(former)
    return tuple(map(_former, found.values()))


def _former(slices: Sequence[Former]) -> Former:
    ways, times = {one.way for one in slices}, [one.updated_s for one in slices if one.updated_s]
    way = next((way for way in (None, CameBack.REBUILDS, CameBack.SPARE) if way in ways), CameBack.CAUGHT_UP)
    first = slices[0]
    device = first.device.rstrip("0123456789").removesuffix("p")
    own = [one for one in slices if one.has_own_data]
    updated_s = max((one.updated_s or 0 for one in own), default=0) or min(times, default=None)
    history = own[0].history if own else first.history
    return Former(whole_disk([one.member for one in slices]), device, None, updated_s, way, history)


def _whole_last(last: LastSeen) -> LastSeen:
    return replace(last, member=whole_disk([last.member]))


def _share_done(bands: Sequence[Array]) -> float:
    """Return the share done of what md does, by the arrays' sizes; an idle array that takes part is done.

    A first sync is of all arrays with copies or parity, a rebuild of those that lack a member or have the new disk.
    """
    is_first = all(not band.former and all(lack.last is None for lack in band.lacks) for band in bands)
    coming = {_unit(place) for band in bands for place in band.places if place.is_coming}
    own = [
        band
        for band in bands
        if _is_busy(band)
        or (is_first and band.level not in ("raid0", "linear"))
        or (coming and (band.lacks or any(_unit(place) in coming for place in band.places)))
    ]
    whole = sum(band.size_bytes for band in own)
    left = sum(band.size_bytes * (1 - band.sync_fraction) for band in own if _is_busy(band) or band.lacks)
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
