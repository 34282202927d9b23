"""The state of a degraded array, in sentences shared by the window and the command line."""

from __future__ import annotations

from raidwright.analysis.margin import Margin, margin_of
from raidwright.core.md.assembly import AssemblyState
from raidwright.core.md.foreign_make import make_name
from raidwright.core.md.sync import IDLE
from raidwright.core.messages import say
from raidwright.core.model.plan import Member
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Array, ArrayDevice, Lack
from raidwright.text.catalogue import joined, ntr, tr
from raidwright.text.disk.bays import place_words
from raidwright.text.disk.facts import disk_name
from raidwright.text.plan.survival import further_failures
from raidwright.text.times import moment

_TAKES = {  # md's present action first: without, and with the time that it takes
    "resync": (
        say("{spare} takes slot {slot} as soon as the resync is done. There is nothing to do."),
        say("{spare} takes slot {slot} as soon as the resync is done ({left}). There is nothing to do."),
    ),
    "recover": (
        say("{spare} takes slot {slot} as soon as the present rebuild is done. There is nothing to do."),
        say("{spare} takes slot {slot} as soon as the present rebuild is done ({left}). There is nothing to do."),
    ),
    "check": (
        say("{spare} takes slot {slot} as soon as the check is done or paused."),
        say("{spare} takes slot {slot} as soon as the check is done ({left}) or paused."),
    ),
    "repair": (
        say("{spare} takes slot {slot} as soon as the repair is done. There is nothing to do."),
        say("{spare} takes slot {slot} as soon as the repair is done ({left}). There is nothing to do."),
    ),
    "reshape": (
        say("{spare} takes slot {slot} as soon as the reshape is done. There is nothing to do."),
        say("{spare} takes slot {slot} as soon as the reshape is done ({left}). There is nothing to do."),
    ),
}


_NOT_RUNNING = {
    AssemblyState.STOPPED: say("stopped"),
    AssemblyState.COPIED: say("can't start: disks are here twice"),
    AssemblyState.PARTED: say("stopped, in two halves"),
    AssemblyState.DIRTY: say("stopped while it was being written to"),
    AssemblyState.BEHIND: say("can't start: members fell behind"),
    AssemblyState.SHORT: say("can't start: disks are missing"),
    AssemblyState.UNKNOWN: say("of another make"),
    "inactive": say("not started by md"),
    "unreadable": say("needs a newer system"),
}


def state_words(array: State) -> str:
    """Return the state of a stopped array: ``stopped · 3 of 3 disks here``."""
    how = tr(_NOT_RUNNING[array.state])
    if not array.slots:
        return how
    here = tr("{here} of {slots} disks here", here=array.members_here, slots=array.slots)
    return " · ".join((how, here))


def history_words(array: State) -> str:
    """Return the array's homehost, last write, and the Linux version that it needs, as far as known."""
    known = array.assembly
    if known is None or array.running:
        return ""
    parts = [tr("from the computer “{host}”", host=known.homehost)] if known.homehost else []
    if known.updated_s:
        parts.append(tr("last written {when}", when=moment(known.updated_s)))
    needed = known.starts_on
    if needed.needs:
        told = tr("starts on Linux {version} and mdadm {mdadm} and later", version=needed.linux, mdadm=needed.mdadm)
        parts.append(told)
    return " · ".join(parts)


def dropped(array: State) -> int:
    """Return how many members a stopped array, or the arrays of a joined volume, had at the last write and lack now."""
    return sum(len(band.assembly.dropped) for band in array.arrays if band.assembly and not band.running)


def time_left(seconds: int) -> str:
    """Return ``about 2 h 05 min left``, rounded to what is known of it; "" if unknown."""
    if seconds <= 0:
        return ""
    hours, minutes = divmod(-(-seconds // 60), 60)
    if hours >= 10:
        days, whole = round(seconds / 86400), round(seconds / 3600)
        return tr("about {days} days left", days=days) if hours >= 48 else tr("about {hours} h left", hours=whole)
    rest = tr("less than a minute left") if seconds < 60 else tr("about {minutes} min left", minutes=minutes)
    return tr("about {hours} h {minutes:02d} min left", hours=hours, minutes=minutes // 5 * 5) if hours else rest


def progress_words(array: State) -> str:
    """Return md's progress: ``34.2% done · 198 MB/s · about 12 min left``."""
    if array.is_delayed:
        return tr("waits until md is done with another array on these disks")
    rate = tr("{mb_s:.0f} MB/s", mb_s=array.sync_bytes_per_s / 1e6) if array.sync_bytes_per_s else ""
    done = tr("{fraction:.1%} done", fraction=array.sync_fraction)
    return " · ".join(filter(None, (done, rate, time_left(array.sync_seconds_left))))


def is_degraded(array: State) -> bool:
    """Return whether it runs with too few working members, or is stopped and lacks some."""
    return bool(array.lacks) or (array.running and array.degraded > 0)


def coming(array: State, lack: Lack) -> ArrayDevice | None:
    """Return the disk that md is rebuilding the slot onto."""
    return next((place for place in array.places if place.is_coming and place.slot == lack.slot), None)


def failed(array: State, lack: Lack) -> ArrayDevice | None:
    """Return the failed disk of that slot, while it is still plugged in."""
    gone = [place for place in array.places if place.has_failed and place.member]
    known = [one for one in gone if one.member and lack.last and one.member.id == lack.last.member.id]
    return next(iter(known), gone[0] if len(gone) == len(array.lacks) == 1 and lack.last is None else None)


def lack_words(array: State, lack: Lack) -> str:
    """Return an empty slot's history: the failed or missing disk, its place, since when, and what md waits for."""
    return joined(_lost_words(array, lack), waiting_words(array, lack))


def awaited(array: State) -> dict[int, ArrayDevice]:
    """Return the spares that take over automatically, by slot, once md's precondition is met.

    md gives spares the empty slots from the lowest on, but never while it resyncs, checks, rebuilds or reshapes; and
    none to an array that hasn't been written to since it was started.
    """
    margin = array_margin(array)
    if not array.running or not (_starts_at_write(array) or _is_syncing(array)) or (margin and margin.more < 0):
        return {}
    empty = sorted(lack.slot for lack in array.lacks if not coming(array, lack))
    if isinstance(array, Volume):
        return {}  # md gives spares to its arrays
    return dict(zip(empty, (place for place in array.places if place.is_spare), strict=False))


def is_provided(array: State) -> bool:
    """Return whether each empty slot has a disk already: one being rebuilt, or a spare that md takes automatically."""
    if isinstance(array, Volume):
        lacking = [band for band in array.bands if band.lacks]
        return bool(lacking) and all(map(is_provided, lacking))
    spares = awaited(array)
    return bool(array.lacks) and all(coming(array, lack) or lack.slot in spares for lack in array.lacks)


def _starts_at_write(array: State) -> bool:
    return array.facts is not None and array.facts.starts_at_write


def _is_syncing(array: State) -> bool:
    return array.sync_action not in IDLE


def waiting_words(array: State, lack: Lack) -> str:
    """Return which spare takes the slot, and when; "" if none does automatically."""
    if isinstance(array, Volume):
        of_bands = (waiting_words(band, one) for band in array.bands for one in band.lacks)
        return next(filter(None, of_bands), "")
    place = awaited(array).get(lack.slot)
    if place is None:
        return ""
    is_only = sum(1 for one in array.places if one.is_spare) == 1
    spare = _place_name(place) if is_only else tr("A spare")
    if _starts_at_write(array):
        return tr("{spare} takes slot {slot} as soon as anything is written to the array.", spare=spare, slot=lack.slot)
    sentence = _TAKES.get(array.sync_action, _TAKES["resync"])
    if left := time_left(array.sync_seconds_left):
        return tr(sentence[1], spare=spare, slot=lack.slot, left=left)
    return tr(sentence[0], spare=spare, slot=lack.slot)


def delay_words(array: State) -> str:
    """Return why a disk added now isn't rebuilt onto at once; "" if it is."""
    if not _is_syncing(array):
        return ""
    if left := time_left(array.sync_seconds_left):
        return tr("The rebuild begins once what md does with the array now is done ({left}).", left=left)
    return tr("The rebuild begins once what md does with the array now is done.")


def _place_name(place: ArrayDevice) -> str:
    return disk_name(place.member) if place.member else place.device


def _lost_words(array: State, lack: Lack) -> str:
    if isinstance(array, Volume):
        return _lost_disk_words(array, lack)
    if place := coming(array, lack):
        onto = disk_name(place.member) if place.member else place.device
        return tr("Slot {slot} is being rebuilt onto {disk}.", slot=lack.slot, disk=onto)
    if (place := failed(array, lack)) and place.member:
        who = _described(place.member, place_words(place))
        return tr("Slot {slot}: {disk} has failed.", slot=lack.slot, disk=who)
    if lack.last:
        who, when = _described(lack.last.member, place_words(lack.last)), moment(lack.last.seen_s)
        if lack.is_here:
            return tr(
                "Slot {slot}: {disk} is here, but no member any more; last seen working {moment}.",
                slot=lack.slot,
                disk=who,
                moment=when,
            )
        return tr("Slot {slot}: {disk} is gone; last seen working {moment}.", slot=lack.slot, disk=who, moment=when)
    return _unseen_words(array, lack.slot)


def _unseen_words(array: Array, slot: int) -> str:
    if (former := array.former_in(slot)) is None:
        return tr("Slot {slot} is empty; which disk was in it has not been seen from here.", slot=slot)
    who = disk_name(former.member)
    return tr("Slot {slot} is empty; {disk}, which is here, says that it was in it.", slot=slot, disk=who)


def _lost_disk_words(volume: Volume, lack: Lack) -> str:
    """Return what became of a joined volume's disk, whichever of its arrays lack it."""
    if place := coming(volume, lack):
        return tr("What the lost disk held is being rebuilt onto {disk}.", disk=_place_name(place))
    if (place := failed(volume, lack)) and place.member:
        return tr("{disk} has failed.", disk=_described(place.member, place.link))
    if not lack.last and len(volume.former) == 1:
        who = disk_name(volume.former[0].member)
        return tr("A disk is missing; {disk}, which is here, says that it was in it.", disk=who)
    if not lack.last:
        return tr("A disk is missing; which one it was has not been seen from here.")
    who, when = _described(lack.last.member, lack.last.link), moment(lack.last.seen_s)
    if lack.is_here:
        return tr("{disk} is here, but no member any more; last seen working {moment}.", disk=who, moment=when)
    return tr("{disk} is gone; last seen working {moment}.", disk=who, moment=when)


def _described(member: Member, link: str) -> str:
    name, size_bytes = disk_name(member), member.size_bytes
    if link:
        return tr("{disk} ({size_bytes:size}, on {link})", disk=name, size_bytes=size_bytes, link=link)
    return tr("{disk} ({size_bytes:size})", disk=name, size_bytes=size_bytes)


def array_margin(array: State) -> Margin | None:
    """Return the failures that it survives now; None if unknown. A joined volume needs all of its arrays."""
    if isinstance(array, Volume):
        margins = [margin for band in array.bands if (margin := array_margin(band)) is not None]
        return min(margins, key=lambda margin: margin.more) if len(margins) == len(array.bands) else None
    return margin_of(array.level, array.facts.layout if array.facts else "", array.slots, array.working)


def has_failed(array: State) -> bool:
    """Return whether a running array has lost more members than it survives."""
    margin = array_margin(array)
    is_told = any(band.facts is not None and band.facts.has_failed for band in array.arrays)
    return array.running and (is_told or (margin is not None and margin.more < 0))


def margin_words(array: State) -> str:
    """Return the sentences on the failures that it survives now, and on a restart that it doesn't."""
    if not array.running:
        return _stopped_words(array)
    return joined(_running_margin_words(array), stays_stopped_words() if array.would_stay_stopped else "")


def stays_stopped_words() -> str:
    """Return why an array that ``would_stay_stopped`` must be left running."""
    return tr(
        "Leave the computer on until the resync has ended: if the array stops earlier, md starts it again only by "
        "force (a disk is missing, and its parity isn't finished)."
    )


def _running_margin_words(array: State) -> str:
    margin = array_margin(array)
    if has_failed(array):
        return tr(
            "More members are gone than it survives, so what is on it can't all be read. Bring back the disks that "
            "dropped out; a new one can't help."
        )
    if margin is None:
        return tr("What else may fail can't be told from here; pull none of its disks.")
    if margin.more == 0 and not margin.spared:
        return tr("No further disk may fail.")
    if margin.more == 0:
        return tr("It survives the failure of one more disk, but not just any.")
    return further_failures(margin.more, has_lost=is_degraded(array))


def _stopped_words(array: State) -> str:
    known, rescue = array.assembly, tr("“Rescue …” at Arrays tries what brings it back, without writing to a disk.")
    if known is not None and known.state is AssemblyState.STOPPED:
        return tr("It can be started, at Arrays.")
    if all(lack.is_here for lack in array.lacks) or (known is not None and not known.dropped):
        return rescue
    return joined(tr("Plug back the disks that dropped out. If it then doesn't start by itself:"), rescue)


def needed(array: State) -> tuple[ArrayDevice, ...]:
    """Return the working members that must not be pulled: without any one of them data are lost."""
    working = [place for place in array.places if place.works]
    if isinstance(array, Volume):
        units = {one.member.failure_unit for band in array.bands for one in needed(band) if one.member}
        return tuple(place for place in working if place.member and place.member.failure_unit in units)
    margin = array_margin(array) if array.running else None
    return tuple(place for place in working if margin is None or place.slot in margin.needed)


def keep_words(array: State) -> str:
    """Return ``Do not pull WDC … (slot 0) or WDC … (slot 1).``; "" if none is needed alone."""
    if isinstance(array, Volume):
        disks = [disk_name(place.member) for place in needed(array) if place.member]
        return tr("Do not pull {disks:or}.", disks=disks) if disks else ""
    names = [
        tr("{disk} (slot {slot})", disk=disk_name(place.member) if place.member else place.device, slot=place.slot)
        for place in needed(array)
    ]
    return tr("Do not pull {disks:or}.", disks=names) if names else ""


def make_words(array: State) -> str:
    """Return the kind of an array with external metadata, and its manager; "" for native md."""
    if not array.make:
        return ""
    make = make_name(array.make)
    if array.is_container:
        what = tr("The container of {make}, which has no slots of its own.", make=make)
    else:
        container = array.facts.container if array.facts else ""
        what = tr("A volume of {make} in the container {container}.", make=make, container=container or "?")
    return joined(what, tr("The firmware and mdmon look after it; Raidwright only looks at it."))


def unreadable_words(array: State) -> str:
    """Return the number of md's bad blocks, by member; "" for none."""
    if isinstance(array, Volume):
        return joined(*map(unreadable_words, array.bands))
    return joined(*(_unreadable(place, unreadable_sectors(array, place)) for place in array.places))


def unreadable_sectors(array: State, place: ArrayDevice) -> int:
    """Return the number of that member's sectors in md's bad block list."""
    return dict(array.facts.bad_sectors).get(place.device.removeprefix("/dev/"), 0) if array.facts else 0


def _unreadable(place: ArrayDevice, sectors: int) -> str:
    if not sectors:
        return ""
    return ntr(
        "{count} sector of {disk} can't be read (md's list of bad blocks); what was on it comes from the others.",
        "{count} sectors of {disk} can't be read (md's list of bad blocks); what was on them comes from the others.",
        sectors,
        disk=_place_name(place),
    )
