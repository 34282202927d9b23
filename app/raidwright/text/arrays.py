"""How an array is that has lost members, in sentences that both the window and the command line say."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from raidwright.analysis.margin import Margin, margin_of
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import CameBack, Check, CheckState
from raidwright.core.units import decimal_size
from raidwright.machine.values import Array, Former, Lack, Place

from .survival import in_words


def disk_name(member: Member) -> str:
    """Make, model and serial, as they stand on the disk's label; its by-id name where it has none."""
    return " ".join(filter(None, (member.model, member.serial))) or member.id


def moment(unix_s: int) -> str:
    """A moment on the machine's clock, for people: ``2026-11-20 14:02``."""
    return datetime.fromtimestamp(unix_s).astimezone().strftime("%Y-%m-%d %H:%M")


def time_left(seconds: int) -> str:
    """``about 2 h 05 min left``; "" where nobody knows."""
    if seconds <= 0:
        return ""
    hours, minutes = divmod(-(-seconds // 60), 60)
    if hours:
        return f"about {hours} h {minutes:02d} min left"
    return "less than a minute left" if seconds < 60 else f"about {minutes} min left"


def progress_words(array: Array) -> str:
    """``34.2% done · 198 MB/s · about 12 min left``, of whatever md is doing."""
    rate = f"{array.sync_bytes_per_s / 1e6:.0f} MB/s" if array.sync_bytes_per_s else ""
    return " · ".join(filter(None, (f"{array.sync_fraction:.1%} done", rate, time_left(array.sync_seconds_left))))


def is_degraded(array: Array) -> bool:
    """Whether it runs with fewer working members than it should have, or doesn't run and lacks some."""
    return bool(array.lacks) or (array.running and array.degraded > 0)


def coming(array: Array, lack: Lack) -> Place | None:
    """The disk that md is rebuilding the slot onto."""
    return next((place for place in array.places if place.is_coming and place.slot == lack.slot), None)


def failed(array: Array, lack: Lack) -> Place | None:
    """The failed disk of that slot, while it is still plugged in."""
    gone = [place for place in array.places if place.has_failed and place.member]
    known = [one for one in gone if one.member and lack.last and one.member.id == lack.last.member.id]
    return next(iter(known), gone[0] if len(gone) == len(array.lacks) == 1 and lack.last is None else None)


def lack_words(array: Array, lack: Lack) -> str:
    """What is known of an empty slot: which disk failed or is gone, where it was, since when, and what md waits for."""
    return " ".join(filter(None, (_lost_words(array, lack), _waiting_words(array, lack))))


def _waiting_words(array: Array, lack: Lack) -> str:
    if coming(array, lack) or not any(place.is_spare for place in array.places):
        return ""
    waits = array.facts is not None and array.facts.starts_at_write
    return "The spare takes over as soon as anything is written to the array." if waits else ""


def _lost_words(array: Array, lack: Lack) -> str:
    if place := coming(array, lack):
        onto = disk_name(place.member) if place.member else place.device
        return f"Slot {lack.slot} is being rebuilt onto {onto}."
    if (place := failed(array, lack)) and place.member:
        return f"Slot {lack.slot}: {_described(place.member, place.link)} has failed."
    if lack.last:
        who = _described(lack.last.member, lack.last.link)
        return f"Slot {lack.slot}: {who} is gone; last seen working {moment(lack.last.seen_s)}."
    return f"Slot {lack.slot} is empty; which disk was in it has not been seen from here."


def _described(member: Member, link: str) -> str:
    where = f", on {link}" if link else ""
    return f"{disk_name(member)} ({decimal_size(member.size_bytes)}{where})"


def array_margin(array: Array) -> Margin | None:
    """What it survives now; None where nobody can tell."""
    return margin_of(array.level, array.facts.layout if array.facts else "", array.slots, array.working)


def margin_words(array: Array) -> str:
    """What it survives now."""
    if not array.running:
        return (
            "Plug back the disks that dropped out. If it then doesn't start by itself, ask somebody who knows md "
            "before anything is forced or written."
        )
    margin = array_margin(array)
    if margin is None:
        return "What else may fail can't be told from here; pull none of its disks."
    if margin.more < 0:
        return (
            "More members are gone than it survives, so what is on it can't all be read. Bring back the disks that "
            "dropped out; a new one can't help."
        )
    if margin.more == 0 and not margin.spared:
        return "No further disk may fail."
    if margin.more == 0:
        return "One more disk may fail, but not just any."
    more = "One more disk" if margin.more == 1 else f"{in_words(margin.more).capitalize()} more disks"
    return f"{more} may fail, whichever." if margin.more == 1 else f"{more} may fail, whichever they are."


def needed(array: Array) -> tuple[Place, ...]:
    """The working members that must not be pulled: without any one of them data are lost."""
    margin = array_margin(array) if array.running else None
    working = [place for place in array.places if place.works]
    return tuple(place for place in working if margin is None or place.slot in margin.needed)


def keep_words(array: Array) -> str:
    """``Do not pull WDC … (slot 0) or WDC … (slot 1).``; "" when none is needed alone."""
    names = [
        f"{disk_name(place.member) if place.member else place.device} (slot {place.slot})" for place in needed(array)
    ]
    return f"Do not pull {_listed(names)}." if names else ""


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def former_words(array: Array, former: Former) -> str:
    """“This was slot 2 of tank, out of date since …; only what changed since is copied.”"""
    where = f"slot {former.slot} of {array.name}" if former.slot is not None else f"a member of {array.name}"
    since = f", out of date since {moment(former.updated_s)}" if former.updated_s else ""
    ways = {
        CameBack.CAUGHT_UP: "Taken back, only what changed since is copied.",
        CameBack.REBUILDS: "What changed since isn't known, so all of it would be written anew.",
    }
    return f"This was {where}{since}. {ways.get(former.way or CameBack.SPARE, '')}".strip()


def check_words(check: Check) -> str:
    """What a check found, or how far it is."""
    found = "nothing differs" if not check.mismatch_sectors else f"{check.mismatch_sectors} sectors differ"
    match check.state:
        case CheckState.RUNNING:
            return "The check runs."
        case CheckState.PAUSED:
            return f"The check is paused: {found} so far."
        case CheckState.INTERRUPTED:
            return "The check was cut off, so nothing is known."
    return (
        f"The check found that {found}."
        if not check.mismatch_sectors
        else f"The check found that {found}: have a look."
    )
