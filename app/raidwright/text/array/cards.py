"""An array's card in words: its facts, its members by slot, the next event, and what it survives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from raidwright.analysis.booting import boot_risk
from raidwright.analysis.margin import margin_of
from raidwright.core.lvm.joined import STRIPED, UNTOLD
from raidwright.core.md.assembly import AssemblyState, MemberHere, MemberState
from raidwright.core.md.sync import IDLE, PAUSABLE
from raidwright.core.messages import Message, say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import Check, CheckState, ParityState
from raidwright.machine.known_faults import known_faults
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Array, ArrayDevice, Former
from raidwright.text.catalogue import decimal_size, joined, ntr, tr, translated, with_commas
from raidwright.text.disk.bays import place_words
from raidwright.text.disk.facts import disk_name
from raidwright.text.shown import Tone
from raidwright.text.times import moment

from . import condition as words
from .checks import differences, parity_words
from .empty_slots import slots_label
from .histories import former_words
from .states import span_words, state_line
from .sync_actions import is_first_sync

_LEVELS: Mapping[str, Message | str] = {
    "linear": say("linear, nothing protected"),
    "raid0": say("RAID 0, nothing protected"),
    "raid1": say("RAID 1, mirror"),
    "raid4": say("RAID 4, single parity"),
    "raid5": say("RAID 5, single parity"),
    "raid6": say("RAID 6, double parity"),
    "raid10": say("RAID 10, striped copies"),
    "container": say("container"),
}
_ENDS = {  # of md's action, without and with the time that it takes
    "resync": (
        say("The resync ends by itself; the array can be used meanwhile."),
        say("The resync ends by itself ({left}); the array can be used meanwhile."),
    ),
    "check": (
        say("The check ends by itself; the disks are busier meanwhile."),
        say("The check ends by itself ({left}); the disks are busier meanwhile."),
    ),
    "repair": (
        say("The repair of differences ends by itself."),
        say("The repair of differences ends by itself ({left})."),
    ),
    "reshape": (
        say("The reshape ends by itself, also after a restart of the computer."),
        say("The reshape ends by itself ({left}), also after a restart of the computer."),
    ),
}
_REBUILT = (
    say("{disk} takes over slot {slot} when the rebuild ends."),
    say("{disk} takes over slot {slot} when the rebuild ends ({left})."),
)
_CHECKED = {
    CheckState.RUNNING: say("check begun {when}"),
    CheckState.PAUSED: say("check of {when} paused: {found} so far"),
    CheckState.DONE: say("checked {when}: {found}"),
    CheckState.INTERRUPTED: say("the check of {when} was cut off"),
}


@dataclass(frozen=True, slots=True)
class MemberLine:
    """A member on the card: its slot and place, its serial number, and its state. ``hint`` has the whole name."""

    place: str
    serial: str
    state: str
    tone: Tone
    hint: str = ""


def level_words(level: str) -> str:
    """Return a level for people; md's own word for one that isn't known."""
    known = _LEVELS.get(level)
    return tr(known) if known else level


def fact_words(array: State, disks: int) -> str:
    """Return ``RAID 6, double parity · 16.0 TB · 4 disks · 61% full · /srv/tank``."""
    facts = array.facts
    parts = [level_words(array.level) if isinstance(array, Array) else _of_bands(array)]
    if array.size_bytes:
        parts.append(decimal_size(array.size_bytes))
    if not array.running and array.slots:
        parts.append(tr("{here} of {slots} disks here", here=array.members_here, slots=array.slots))
    elif disks:
        parts.append(ntr("{count} disk", "{count} disks", disks))
    if facts and facts.file_system_bytes:
        share = facts.used_bytes / facts.file_system_bytes
        parts.append(tr("{share:.0%} of {size} full", share=share, size=decimal_size(facts.file_system_bytes)))
    if array.running and facts and facts.holders and not array.mounted_at:
        parts.append(tr("carries {names:and}", names=list(facts.holders)))
    elif array.running:
        parts.append(array.mounted_at or tr("not mounted"))
    return " · ".join(parts)


def _of_bands(array: Volume) -> str:
    """Return “joined, of 2 arrays”, or what LVM makes of the arrays if that isn't one after the other."""
    count, kind = len(array.bands), array.other_kind
    if kind == STRIPED:
        return ntr("striped by LVM over {count} array", "striped by LVM over {count} arrays", count)
    if kind and kind != UNTOLD:
        return ntr("LVM's {kind} over {count} array", "LVM's {kind} over {count} arrays", count, kind=kind)
    return ntr("joined, of {count} array", "joined, of {count} arrays", count)


def past_words(array: State, check: Check | None) -> str:
    """Return the last check of a running array, or the last write of a stopped one and what starts it."""
    known, parts = array.assembly, list[str]()
    if array.homehost and (array.is_foreign or (array.host is None and not array.running)):
        parts.append(tr("from the computer “{host}”", host=array.homehost))
    if not array.running and known is not None:
        if known.updated_s:
            parts.append(tr("last written {when}", when=moment(known.updated_s)))
        parts.append(tr("clean") if known.is_clean else tr("not clean"))
    elif array.running and _has_copies(array) and not array.make:
        parts.append(_check_words(check))
    if known is not None:
        parts.append(starts_on_words(array))
    return " · ".join(parts)


def _has_copies(array: State) -> bool:
    """Return whether md can compare copies or parity, of a joined volume in any of its arrays."""
    return any(one.level not in ("raid0", "linear", "container") for one in array.arrays)


def starts_on_words(array: State) -> str:
    """Return the kernels and the mdadm that start the array, and the features that need them."""
    if array.assembly is None:
        return ""
    needed = array.assembly.starts_on
    if not needed.needs:
        return tr("starts on any Linux from {version} and mdadm from {mdadm}", version=needed.linux, mdadm=needed.mdadm)
    return tr(
        "starts on Linux {version} and mdadm {mdadm} and later ({features:and})",
        version=needed.linux,
        mdadm=needed.mdadm,
        features=list(needed.needs),
    )


def _check_words(check: Check | None) -> str:
    if check is None:
        return tr("never checked with Raidwright")
    found = differences(check.mismatch_sectors)
    return tr(_CHECKED[check.state], when=moment(check.began_s), found=found)


def survives_words(array: State) -> str:
    """Return what else may fail now; of a stopped array, once it is started. "" where that can't be told."""
    if array.is_container:
        return ""
    if array.running:
        return joined(words.margin_words(array), words.keep_words(array) if words.is_degraded(array) else "")
    known = array.assembly
    if known is None or known.state is not AssemblyState.STOPPED:
        return ""
    margin = margin_of(known.level, "", known.slots, known.present)
    if margin is None or margin.more < 0:
        return ""
    if margin.more == 0:
        return tr("Once it runs, no disk may fail.")
    return ntr("Once it runs, any one disk may fail.", "Once it runs, any {count} disks may fail.", margin.more)


def known_fault_words(array: State) -> str:
    """Return what is known to go wrong with such an array on this machine's kernel and mdadm; "" for nothing."""
    kernel = array.host.kernel if array.host else ""
    is_cut_off = any(one.facts and one.facts.parity is ParityState.COPY_CUT_OFF for one in array.arrays)
    return joined(
        parity_words(array) if is_cut_off else "",
        *(
            tr(
                "Known of Linux {kernel}: {fault} {remedy} ({source})",
                kernel=kernel,
                fault=translated(fault.sentence),
                remedy=translated(fault.remedy),
                source=source,
            )
            for fault, source in known_faults(array)
        ),
    )


_BOOT = {  # by whether the disk is in the array
    True: say(
        "The system's root is on it, and only {disk} has an EFI system partition: without that disk the computer "
        "doesn't start. Make such a partition on {others:and}, copy /boot/efi onto it, and register it with "
        "efibootmgr; copy it again after each update of the boot loader."
    ),
    False: say(
        "The system's root is on it, but the computer starts from {disk} alone, which isn't in it: without that disk "
        "it doesn't start. Make an EFI system partition on {others:and}, copy /boot/efi onto it, and register it with "
        "efibootmgr; copy it again after each update of the boot loader."
    ),
}


def boot_words(array: State, disks: Mapping[str, Disk]) -> str:
    """Return which disk alone can start the computer, if the system's root is on this array; "" if several can."""
    own = [disks[one.disk or one.id] for one in array.members if (one.disk or one.id) in disks]
    risk = boot_risk(own, disks.values(), is_efi=array.host.efi if array.host else None) if array.running else None
    if risk is None:
        return ""
    others = [disk_name(disk.as_member()) for disk in own if disk is not risk.disk]
    if risk.disk is None:
        return tr(
            "The system's root is on it, and no disk here has an EFI system partition any more: the computer runs, but "
            "doesn't start again. Make such a partition on {others:and}, mount it at /boot/efi, and run grub-install "
            "before you switch it off.",
            others=others,
        )
    return tr(_BOOT[risk.is_member], disk=disk_name(risk.disk.as_member()), others=others)


def next_words(array: State) -> str:
    """Return the next event of a running array; "" if nothing is due."""
    if array.facts is not None and array.facts.is_paused and array.sync_action in PAUSABLE:
        return tr("md's work is paused; it goes on when you say so.")
    if array.is_delayed:
        return tr("md begins once it is done with another array on these disks.")
    return _next(array) if array.running else ""


def _next(array: State) -> str:
    left = words.time_left(array.sync_seconds_left)
    rebuilt = [place for place in array.places if place.is_coming]
    action = "resync" if is_first_sync(array) else array.sync_action
    if action == "recover" and rebuilt:
        place = rebuilt[0]
        with_time = _REBUILT[1] if left else _REBUILT[0]
        disk = (place.member.serial or disk_name(place.member)) if place.member else place.device
        return tr(with_time, disk=disk, slot=place.slot, left=left)
    if waits := joined(*(words.waiting_words(array, lack) for lack in array.lacks)):
        return waits
    if isinstance(array, Array) and action in IDLE and (backs := _come_back(array)):
        return backs
    if (ends := _ENDS.get(action)) is not None:
        return tr(ends[1], left=left) if left else tr(ends[0])
    is_told = array.make or array.is_misread or array.waits
    if array.facts is not None and array.facts.starts_at_write and not is_told:
        return tr("md waits with any resync until something is written to it.")
    return ""


def _come_back(array: Array) -> str:
    """Return the sentences on the disks that are here and say that they were in the array's empty slots."""
    lost = [array.former_in(lack.slot) for lack in array.lacks]
    return joined(*(former_words(array, former) for former in lost if former is not None))


def member_lines(array: State, disks: Mapping[str, Disk]) -> tuple[MemberLine, ...]:
    """Return the members of ``array`` in slot order, then spares; ``disks`` are the machine's, by id.

    Of a joined volume they are its arrays.
    """
    if isinstance(array, Volume):
        return tuple(_of_band(band) for band in array.bands)
    return tuple(_of_running(array, disks) if array.running else _of_stopped(array, disks))


def _of_band(band: Array) -> MemberLine:
    """Return the line of an array of a joined volume: its name, its level, its state, and its disks as the hint."""
    state = state_line(band)
    names = [disk_name(member) for member in band.members]
    return MemberLine(band.name, level_words(band.level), state.badge, state.tone, with_commas(*names))


def _of_running(array: Array, disks: Mapping[str, Disk]) -> Iterator[MemberLine]:
    lost = {} if array.has_open_slots else {lack.slot: lack for lack in array.lacks}
    needed = words.needed(array) if words.is_degraded(array) else ()
    for slot in range(array.slots):
        here = [place for place in array.places if place.slot == slot and not place.has_failed]
        for place in here:
            yield _line(slot, place, disks, *_state_of(array, place, is_needed=place in needed))
        if slot in lost and not here:
            last = lost[slot].last
            how = tr("failed: pull this one") if words.failed(array, lost[slot]) else tr("gone")
            who = (last.member.serial or last.member.id) if last else tr("unknown")
            if (former := array.former_in(slot)) is not None and not words.failed(array, lost[slot]):
                yield _former_line(slot, former, disks)
                continue
            yield MemberLine(_place(slot, place_words(last) if last else ""), who, f"✕ {how}", "bad")
    if array.has_open_slots:
        yield _empty_line([lack.slot for lack in array.lacks])
    takes = {place.device: slot for slot, place in words.awaited(array).items()}
    for place in array.places:
        if place.is_spare:
            taken = takes.get(place.device)
            how = tr("spare") if taken is None else tr("takes slot {slot}", slot=taken)
            yield _line(None, place, disks, how, "info")
        elif place.slot is None and not place.has_failed:
            yield _line(None, place, disks, tr("journal"), "info")


def _former_line(slot: int, former: Former, disks: Mapping[str, Disk]) -> MemberLine:
    """Return the line of an empty slot whose former member is here."""
    if former.has_own_data:
        how = tr("✕ out: written to on its own until {moment}", moment=moment(former.updated_s or 0))
    else:
        how = tr("✕ out, but here: take it back")
    return _of_member(slot, former.member, former.device, disks, how, "bad")


def _empty_line(slots: Sequence[int]) -> MemberLine:
    """Return the one line of all empty slots, of which there may be many (a NAS's bays)."""
    return MemberLine(slots_label(slots), "—", tr("empty"), "info")


def _state_of(array: State, place: ArrayDevice, *, is_needed: bool) -> tuple[str, Tone]:
    if place.is_coming:
        return tr("⟳ {share:.0%}", share=array.sync_fraction), "warn"
    if sectors := words.unreadable_sectors(array, place):
        return ntr("{count} unreadable sector", "{count} unreadable sectors", sectors), "bad"
    return (tr("in sync: do not pull"), "warn") if is_needed else (tr("in sync"), "good")


def _line(slot: int | None, place: ArrayDevice, disks: Mapping[str, Disk], state: str, tone: Tone) -> MemberLine:
    member = place.member
    if member is None:
        return MemberLine(_place(slot, ""), place.device.removeprefix("/dev/"), state, tone)
    return _of_member(slot, member, place.device, disks, state, tone)


def _of_member(
    slot: int | None, member: Member, device: str, disks: Mapping[str, Disk], state: str, tone: Tone
) -> MemberLine:
    disk = disks.get(member.disk or member.id)
    where = " · ".join(filter(None, (place_words(disk) if disk else "", device.removeprefix("/dev/"))))
    if disk is not None and disk.health.failing:
        state, tone = tr("SMART: FAILED"), "bad"
    hint = f"{disk_name(member)}, {decimal_size(member.size_bytes)}"
    return MemberLine(_place(slot, where), member.serial or member.id, state, tone, hint)


def _place(slot: int | None, where: str) -> str:
    at = tr("spare") if slot is None else tr("slot {n}", n=slot)
    return " · ".join(filter(None, (at, where)))


def _of_stopped(array: State, disks: Mapping[str, Disk]) -> Iterator[MemberLine]:
    known, members = array.assembly, {member.id: member for member in array.members}
    if known is None:
        for member in array.members:
            yield _of_member(None, member, _device(member, disks), disks, tr("here"), "good")
        return
    by_slot = {one.slot: one for one in known.here_in_detail if one.slot is not None}
    empty = [slot for slot in range(known.slots) if slot not in by_slot and slot not in known.dropped]
    for slot in range(known.slots):
        found = [one for one in known.here_in_detail if one.slot == slot]
        for one in found:
            yield _stopped_line(slot, one, members, disks, known.updated_s)
        if slot in known.dropped:
            yield MemberLine(_place(slot, ""), "—", tr("✕ missing"), "bad")
    if empty:
        yield replace(_empty_line(empty), state=tr("empty before"), tone="warn")
    for one in known.here_in_detail:
        if one.slot is None or one.slot >= known.slots:
            yield _stopped_line(None, one, members, disks, known.updated_s)


def _device(member: Member, disks: Mapping[str, Disk]) -> str:
    disk = disks.get(member.disk or member.id)
    return f"{disk.device}{member.partition or ''}" if disk else ""


def _stopped_line(
    slot: int | None, one: MemberHere, members: Mapping[str, Member], disks: Mapping[str, Disk], newest_s: int
) -> MemberLine:
    member = members.get(one.id) or Member(one.id, 0)
    state: str
    tone: Tone
    match one.state:
        case MemberState.AGREES:
            state, tone = tr("here"), "good"
        case MemberState.PARTED:
            state, tone = tr("written to on its own until {moment}", moment=moment(one.updated_s)), "warn"
        case MemberState.BEHIND:
            late = max(0, newest_s - one.updated_s)
            state, tone = tr("fell {time} behind", time=span_words(late)), "warn"
        case MemberState.REBUILDING:
            state, tone = tr("was being rebuilt"), "warn"
        case MemberState.JOURNAL:
            return _of_member(None, member, _device(member, disks), disks, tr("journal"), "info")
        case _:
            state, tone = tr("spare"), "info"
    return _of_member(slot, member, _device(member, disks), disks, state, tone)
