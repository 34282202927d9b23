"""An array's state in a badge and a sentence with the next step, for its card and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from raidwright.core.lvm.joined import STRIPED, UNTOLD
from raidwright.core.md.assembly import RAID0_CHANGED_S, AssemblyState, MemberState, StartsOn
from raidwright.core.md.foreign_make import make_name
from raidwright.core.md.layouts import Level
from raidwright.core.md.needs import lacks_linear
from raidwright.core.md.running_state import Hold
from raidwright.core.md.sync import IDLE
from raidwright.core.messages import say
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Array
from raidwright.text.catalogue import joined, ntr, number, tr
from raidwright.text.disk.facts import disk_name
from raidwright.text.shown import StateLine
from raidwright.text.times import day

from . import condition as words
from .empty_slots import is_usual, lacks_words, open_badge, open_words
from .histories import parted_words
from .holds import hold_line, parity_alone_words
from .sync_actions import is_first_sync


def state_line(array: State) -> StateLine:
    """Return the state of ``array``, running or not."""
    if array.make or array.is_container:
        state = tr("✓ running") if array.running else tr("of another make")
        kind = make_name(array.make) if array.make else tr("external metadata")
        way = tr("Its firmware and mdmon look after it; Raidwright only looks at it.")
        return StateLine(state, "info", joined(tr("{make}.", make=kind), way))
    if isinstance(array, Volume) and array.is_growth_cut_off:
        return StateLine(tr("growth was interrupted"), "warn", _cut_off(array))
    if not array.running:
        return _stopped(array)
    line = _running(array)
    if isinstance(array, Volume) and array.other_kind:
        return replace(line, sentence=joined(line.sentence, _other_volume(array)))
    return line


def _cut_off(volume: Volume) -> str:
    """Return what a volume's growth waits for after a power cut or a crash, and the next step."""
    halted = [band.name for band in volume.bands if not band.running and band.assembly and band.assembly.reshapes]
    lost = lacks_words(volume)
    if lost:
        return joined(lost, tr("Its growth was interrupted, too; it goes on once the disk is replaced."))
    if halted:
        waits = ntr(
            "{arrays:and} waits in the middle of a reshape, and md goes on with it from where it was.",
            "{arrays:and} wait in the middle of their reshapes, and md goes on with them from where they were.",
            len(halted),
            arrays=halted,
        )
        return joined(tr("Its growth was interrupted."), waits, tr("Go on starts the volume and does what is left."))
    if not volume.running:
        return joined(tr("Its growth was interrupted."), tr("Go on starts the volume and does what is left."))
    return joined(tr("Its growth was interrupted."), tr("The volume can be used; Go on does what is left."))


def _other_volume(array: Volume) -> str:
    """Return the sentence on a volume over several arrays that isn't linear, or may not be."""
    kind = array.other_kind
    if kind == UNTOLD:
        return tr(
            "Neither LVM's backup nor device-mapper's table tells how LVM joins its arrays, so no plan is made of it "
            "and it isn't grown."
        )
    lacks = tr("It needs all of its arrays; Raidwright makes no plan of it and doesn't grow it.")
    if kind == STRIPED:
        return joined(tr("LVM stripes it over its arrays, so it isn't a joined volume as Raidwright makes one."), lacks)
    other = tr("LVM's volume over its arrays is {kind}, so it isn't a joined one as Raidwright makes it.", kind=kind)
    return joined(other, lacks)


def _running(array: State) -> StateLine:
    if words.has_failed(array):
        return StateLine(tr("✕ failed"), "bad", _failed(array))
    if array.is_misread:
        told = tr(
            "Its reshape was cut off. Until md goes on with it, a RAID 10 shows wrong content, so don't mount it yet. "
            "This lets md go on: sudo mdadm --readwrite {device}",
            device=array.device,
        )
        return StateLine(tr("✕ reshape waits"), "bad", told)
    if (held := _held(array)) is not None:
        return held
    if array.sync_action == "reshape" or (array.facts and array.facts.reshapes):
        return StateLine(tr("⟳ reshaping, {share:.0%}", share=array.sync_fraction), "info")
    if is_first_sync(array):
        return StateLine(tr("⟳ first sync {share:.0%}", share=array.sync_fraction), "info")
    return _degraded(array) if words.is_degraded(array) else _whole(array)


def _failed(array: State) -> str:
    """Return what can be done with an array that failed while it runs."""
    told = tr(
        "It still runs, but it has failed: more members are gone than it survives, so reads fail and nothing is "
        "written any more. Don't remove members or take them back now: they would lose their slots."
    )
    if isinstance(array, Volume):
        return told
    where = tr("Unmount it from {place}, then stop it.", place=array.mounted_at) if array.mounted_at else tr("Stop it.")
    way = tr(
        "Bring back the disks that dropped out; then “Rescue …” (raidwright array rescue {name}) starts it by force of "
        "the freshest members, tried on copies first.",
        name=array.name,
    )
    return joined(told, where, way)


def _held(array: State) -> StateLine | None:
    """Return the state of an array that is held back; of a degraded one that waits for a write, its own badge."""
    held, is_lost = hold_line(array), words.is_degraded(array) and not array.has_open_slots
    if held is None or not is_lost or array.hold not in (Hold.REBUILD_WAITS, Hold.READ_ONLY):
        return held
    line = _degraded(array)
    return replace(line, sentence=joined(line.sentence, held.sentence))


def _degraded(array: State) -> StateLine:
    if array.has_open_slots:
        return StateLine(open_badge(array), "info" if is_usual(array) else "warn", open_words(array))
    told = parity_alone_words(array) if isinstance(array, Array) else lacks_words(array)
    if any(place.is_coming for place in array.places):
        return StateLine(tr("⟳ rebuilding, {share:.0%}", share=array.sync_fraction), "warn", told)
    lost = len(array.lacks) or array.degraded
    return StateLine(ntr("✕ {count} disk lost", "✕ {count} disks lost", lost), "bad", told)


def _whole(array: State) -> StateLine:
    if array.sync_action not in IDLE:
        busy = {"resync": say("⟳ resync, {share:.0%}"), "check": say("⟳ check, {share:.0%}")}
        sentence = busy.get(array.sync_action)
        share = array.sync_fraction
        text = tr(sentence, share=share) if sentence else f"⟳ {array.sync_action} {number(share, '.0%')}"
        return StateLine(text, "info")
    if array.is_foreign:
        return StateLine(
            tr("✓ healthy, from elsewhere"),
            "info",
            tr(
                "It carries the name of the computer “{host}”, so here it comes up under another name after each "
                "start. Take it over, and it is this computer's own.",
                host=array.homehost,
            ),
        )
    return StateLine(tr("✓ healthy"), "good")


def _stopped(array: State) -> StateLine:
    if isinstance(array, Volume):
        return _stopped_volume(array)
    here = tr("{here} of {slots} members are here", here=array.members_here, slots=array.slots)
    return _STOPPED.get(array.state, _startable)(array, here)


def _stopped_volume(volume: Volume) -> StateLine:
    if all(band.running for band in volume.bands):
        told = tr("Its arrays run, and LVM's volume over them isn't active. Start activates it.")
        return StateLine(tr("not active"), "warn", told)
    return StateLine(tr("stopped"), "warn", tr("Its arrays are started together, and then the volume."))


def _unreadable(array: State, _here: str) -> StateLine:
    needed = array.assembly.starts_on if array.assembly else StartsOn()
    if array.host and needed.needs_newer_mdadm(array.host.mdadm):
        told = tr(
            "It is started by mdadm {needed} and later ({features:and}), and this is mdadm {mdadm}. Nothing is wrong "
            "with it: update mdadm, or start it on such a system, and don't erase its disks.",
            needed=needed.mdadm,
            features=list(needed.needs),
            mdadm=array.host.mdadm,
        )
        return StateLine(tr("needs a newer mdadm"), "bad", told)
    if array.assembly and array.assembly.level == Level.LINEAR and array.host and lacks_linear(array.host.kernel):
        told = tr(
            "Linux 6.8 to 6.13 can't run a linear array, and this is Linux {kernel}. Nothing is wrong with it: start "
            "it on an older or a newer Linux, and don't erase its disks.",
            kernel=array.host.kernel,
        )
        return StateLine(tr("needs another Linux"), "bad", told)
    told = tr(
        "It starts on Linux {needed} and later ({features:and}), and this is Linux {kernel}. Nothing is wrong with it: "
        "start it on such a system, and don't erase its disks.",
        needed=needed.linux,
        features=list(needed.needs),
        kernel=array.host.kernel if array.host else "?",
    )
    return StateLine(tr("needs a newer Linux"), "bad", told)


def _short(array: State, here: str) -> StateLine:
    told = tr("{here}, which is too few. Plug in the others; then it can be started.", here=here)
    if array.assembly and array.assembly.lacks_only_journal:
        told = tr(
            "Its write journal is missing, and md doesn't start it without: what was written last may be there alone. "
            "Plug in the disk of the journal. If that is lost, try a rescue: it finds out what can be read without it."
        )
        return StateLine(tr("can't start: the journal is missing"), "bad", told)
    return StateLine(tr("can't start: too few disks"), "bad", told)


def _parted(array: State, _here: str) -> StateLine:
    return StateLine(tr("stopped: two halves to choose from"), "warn", parted_words(array))


def _twice(array: State) -> str:
    """Return which disks say that they are one slot, and what to unplug."""
    known = array.assembly
    if known is None or not known.twice:
        return ""
    carriers = (*array.members, *(former.member for former in array.former))  # md may have gathered only some
    names = {member.id: disk_name(member) for member in carriers}
    disks = [names.get(member.id, member.id) for member in known.twice[0]]
    slot = known.twice[0][0].slot
    if known.has_twin:
        return tr(
            "Two arrays with one UUID are here: {disks:and} both say that they are slot {slot}, and aren't copies of "
            "each other. Unplug the disks of one of the two; then the other can be started.",
            disks=disks,
            slot=slot,
        )
    return ntr(
        "{disks:and} are copies of one member (slot {slot}), as dd or a cloning dock makes them, and md could take any "
        "of them. Unplug those that aren't meant; then it can be started.",
        "{disks:and} are copies of one member (slot {slot}), and of {count} slots there are copies, as dd or a cloning "
        "dock makes them: md could take any of them. Unplug those that aren't meant; then it can be started.",
        len(known.twice),
        disks=disks,
        slot=slot,
    )


def _dirty(array: State, here: str) -> StateLine:
    told = tr(
        "{here}; the missing disk was out before, so plugging it in doesn't help. It wasn't stopped cleanly (it was "
        "being written to, or in its first sync), so what that disk held isn't certain and md starts it only by force. "
        "“Rescue …” tries that on copies first.",
        here=here,
    )
    if words.dropped(array):
        told = tr(
            "{here}, and it was being written to when it stopped, so what a missing disk held can't be worked out with "
            "certainty and md refuses to start it. Plug in the missing disk: then it starts. If that disk is lost, "
            "don't force anything before it was tried on copies.",
            here=here,
        )
    return StateLine(tr("can't start: cut off while written to"), "bad", told)


def _unknown(array: State, _here: str) -> StateLine:
    level = array.assembly.level if array.assembly else ""
    if level.lstrip("-").isdigit():
        told = tr(
            "Its level, md's number {number}, isn't known here, so it is left alone. Start it on the system that made "
            "it and copy its data from there; don't erase its disks.",
            number=level,
        )
        return StateLine(tr("of another make"), "warn", told)
    return StateLine(tr("of another make"), "warn", tr("Its level isn't known here, so it is left alone."))


def _gathered(array: State, here: str) -> StateLine:
    return StateLine(tr("not started"), "warn", _inactive(array, here))


def _inactive(array: State, here: str) -> str:
    known = array.assembly
    began = tr("md gathered its disks when they appeared, but didn't start it ({here}).", here=here)
    match known.state if known else None:
        case AssemblyState.STOPPED if known and known.dropped:
            way = tr("It lacks disks that it had when it was last written to. Plug them in, or start it without them.")
        case AssemblyState.STOPPED if known and known.lacks_layout:
            way = _unlaid(array)
        case AssemblyState.STOPPED:
            way = tr("All that it needs is here: start it.")
        case AssemblyState.COPIED:
            way = _twice(array)
        case AssemblyState.PARTED:
            way = parted_words(array)
        case AssemblyState.DIRTY if known and known.dropped:
            way = tr(
                "It lost a disk and was being written to when the power went or it was cut off, so md starts it only "
                "by force. Plug in the missing disk; if that is lost, try it on copies first."
            )
        case AssemblyState.DIRTY:
            way = tr(
                "A disk was out before, and it wasn't stopped cleanly (it was being written to, or in its first sync), "
                "so md starts it only by force. “Rescue …” tries that on copies first."
            )
        case AssemblyState.BEHIND:
            way = _behind(array)
        case AssemblyState.SHORT if known and known.lacks_only_journal:
            way = _short(array, here).sentence
        case _:
            way = tr("Plug in the disks that are missing.")
    return joined(began, way)


def _behind(array: State) -> str:
    known = array.assembly
    late = [one for one in known.here_in_detail if one.state is MemberState.BEHIND] if known else []
    if known is None or not late:
        return tr("Some of its members are older than the others, and without them there are too few.")
    gap_s = max(0, known.updated_s - min(one.updated_s for one in late))
    return ntr(
        "{count} member fell {time} behind the others, and without it there are too few. md leaves such a member out; "
        "plug in one that is missing, or try on copies what starting without the last {time} gives.",
        "{count} members fell up to {time} behind the others, and without them there are too few. md leaves such "
        "members out; plug in those that are missing, or try on copies what starting without the last {time} gives.",
        len(late),
        time=span_words(gap_s),
    )


def span_words(seconds: int) -> str:
    """Return a length of time in its largest unit: “22 minutes”."""
    minutes = seconds // 60
    if minutes < 1:
        return ntr("{count} second", "{count} seconds", seconds)
    if minutes < 120:
        return ntr("{count} minute", "{count} minutes", minutes)
    hours = minutes // 60
    if hours < 48:
        return ntr("{count} hour", "{count} hours", hours)
    return ntr("{count} day", "{count} days", hours // 24)


def _unlaid(array: State) -> str:
    """Return the state of a raid0 whose superblocks don't say its layout, and the way on."""
    if array.assembly and array.assembly.layouts_agree:
        return tr(
            "It is a RAID 0 of unlike disks, and its superblocks don't say how the part beyond the smallest disk is "
            "laid out. On disks of these sizes all ways are the same, but Linux starts it only once it is told one. "
            "“Rescue …” does that."
        )
    since = array.assembly.created_s if array.assembly else 0
    told = tr(
        "It is a RAID 0 of unlike disks, and its superblocks don't say how the part beyond the smallest disk is laid "
        "out: Linux up to 3.13 did it one way (layout-original), later ones another (layout-alternate). Linux starts "
        "it only once it is told. “Rescue …” tries both on copies; compare the files before you choose."
    )
    if not since:
        return told
    likely = "layout-original" if since < RAID0_CHANGED_S else "layout-alternate"
    return joined(told, tr("It was made {day}, so {layout} is likelier.", day=day(since), layout=likely))


def _startable(array: State, here: str) -> StateLine:
    known = array.assembly
    if known is not None and known.lacks_layout:
        return StateLine(tr("can't start: its layout isn't told"), "bad", _unlaid(array))
    if known is not None and known.dropped:
        lacks = tr(
            "{here}; the others were in it when it was last written to. Plug them in if you can. Started without them "
            "it is degraded, and they have to be rebuilt later.",
            here=here,
        )
        return StateLine(tr("stopped, not whole"), "warn", lacks)
    if known is not None and known.reshapes:
        cut = tr("Its reshape was cut off. Started, md goes on with it from where it was.")
        return StateLine(tr("stopped while reshaping"), "warn", cut)
    if array.is_foreign and array.members_missing:
        told = tr(
            "All members that it needs are here and agree. It carries the name of the computer “{host}”: look inside "
            "read-only, or start it as it is.",
            host=array.homehost,
        )
        return StateLine(tr("stopped, from elsewhere"), "warn", told)
    if array.is_foreign:
        told = tr(
            "All members that it needs are here and agree. It carries the name of the computer “{host}”: look inside "
            "read-only, or take it over.",
            host=array.homehost,
        )
        return StateLine(tr("stopped, from elsewhere"), "warn", told)
    return StateLine(tr("stopped"), "warn", tr("All members that it needs are here and agree: start it."))


_STOPPED: Mapping[str, Callable[[State, str], StateLine]] = {
    "unreadable": _unreadable,
    AssemblyState.SHORT: _short,
    AssemblyState.COPIED: lambda array, _here: StateLine(tr("can't start: disks are here twice"), "bad", _twice(array)),
    AssemblyState.PARTED: _parted,
    AssemblyState.BEHIND: lambda array, _here: StateLine(tr("can't start: members fell behind"), "bad", _behind(array)),
    AssemblyState.DIRTY: _dirty,
    AssemblyState.UNKNOWN: _unknown,
    "inactive": _gathered,
}
