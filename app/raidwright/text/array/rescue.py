"""A rescue, in sentences: the table of examined disks, the hypotheses, and what a trial found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.md.rescue.hypothesis import Hypothesis, RescueReason
from raidwright.core.md.rescue.stripes import Proof
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Member
from raidwright.core.model.rescue_attempt import RescueWay
from raidwright.core.protocol.results import Rescued, RescueTried, RescueVerdict
from raidwright.core.system.filesystem import folder_called
from raidwright.rescue.examined import Examined
from raidwright.rescue.table import ExaminedDisk, Standing
from raidwright.text.catalogue import joined, ntr, tr, translated
from raidwright.text.disk.facts import disk_label

_DIFFERENCES: Mapping[str, Message] = {
    "level": say("level"),
    "layout": say("layout"),
    "slots": say("number of slots"),
    "chunk": say("chunk"),
    "size": say("component size"),
    "data-offset": say("data offset"),
}
_STANDINGS: Mapping[Standing, Message] = {
    Standing.AGREES: say("agrees with the newest"),
    Standing.PARTED: say("was written to on its own, apart from those that agree"),
    Standing.COPY: say("says that it is a member that runs: it is a copy of that, or was replaced by it"),
    Standing.REBUILDING: say("was being rebuilt, so it has only a part of the data"),
    Standing.SPARE: say("is a spare, which holds no data"),
    Standing.JOURNAL: say("is the journal"),
    Standing.NO_SUPERBLOCK: say("has no superblock of md"),
}
_VERDICTS: Mapping[RescueVerdict, Message] = {
    RescueVerdict.GOOD: say("It works: the file system has no errors, and its files can be read."),
    RescueVerdict.UNPROVEN: say("The file system has no errors, and its files can be read."),
    RescueVerdict.DAMAGED: say(
        "It can be mounted, but has errors. Another of these ways may do better; if none does, save the files "
        "before anything is repaired."
    ),
    RescueVerdict.BROKEN: say("It isn't this: a file system begins there, but its files can't be reached."),
    RescueVerdict.HOLDS: say(
        "Something is there that a trial doesn't open ({holds:and}), so nobody knows yet whether all of it is right."
    ),
    RescueVerdict.NOTHING: say("It isn't this: nothing is recognised on it."),
    RescueVerdict.REFUTED: say("It isn't this: the disks' stripes don't belong together, so nothing was started."),
}
_REASONS: Mapping[RescueReason, Message] = {
    RescueReason.AGREE: say("Start it of the members that agree; no superblock has to be changed."),
    RescueReason.HALF: say(
        "Start it of these members alone: others were written to without them, and together they can't run."
    ),
    RescueReason.DIRTY: say(
        "Start it by force: a member is missing, and the array was being written to when it stopped."
    ),
    RescueReason.JOURNAL: say(
        "Start it by force, to be read alone: the members agree, but its write journal is missing."
    ),
    RescueReason.LAYOUT_ORIGINAL: say(
        "Start it with the layout of Linux up to 3.13 (layout-original): a RAID 0 of unlike disks whose superblocks "
        "don't say which it has."
    ),
    RescueReason.LAYOUT_ALTERNATE: say(
        "Start it with the layout of Linux from 3.14 on (layout-alternate): a RAID 0 of unlike disks whose superblocks "
        "don't say which it has."
    ),
    RescueReason.LAYOUT_EITHER: say(
        "Start it with a layout noted: a RAID 0 of unlike disks whose superblocks don't say which it has. On disks of "
        "these sizes both are the same."
    ),
    RescueReason.CARD: say("Make the superblocks anew, as the recovery card says."),
    RescueReason.FACTS: say("Make the superblocks anew, by the surviving members' facts."),
    RescueReason.ORDER: say("Make the superblocks anew, with the disks in this order."),
}
_MAX_NAMED = 2
_MAX_UNLIKE = 8
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))")  # the helper sends ASCII alone


def examined_words(row: ExaminedDisk) -> str:
    """Return the sentence on an examined disk: its array and slot, and whether it agrees."""
    found = row.superblock
    if found is None:
        return joined(tr("It {standing}.", standing=translated(_STANDINGS[Standing.NO_SUPERBLOCK])), *_own_words(row))
    if row.standing is Standing.OTHER_ARRAY:
        return tr(
            "It belongs to another array, “{name}” ({level}, last written {when}), and is left out.",
            name=found.label,
            level=found.level,
            when=_when(found),
        )
    parts = [_standing_words(row, found)]
    if row.differs:
        fields = [translated(_DIFFERENCES[name]) for name in row.differs]
        parts.append(tr("Its {fields:and} differ from the newest member's.", fields=fields))
    if row.same_slot:
        parts.append(
            ntr(
                "{count} other disk says that it is the same slot, as copies of a disk do.",
                "{count} other disks say that they are the same slot, as copies of a disk do.",
                len(row.same_slot),
            )
        )
    return joined(*parts)


def _own_words(row: ExaminedDisk) -> Iterator[str]:
    """Yield why a disk without a superblock isn't looked for among the members."""
    if row.own:
        yield tr(
            "It holds something of its own ({holds:and}), so it is left out. Name the disk to try it.", holds=row.own
        )
    elif row.is_zero:
        yield tr("It holds zeros where members hold data, so it is left out.")


def _standing_words(row: ExaminedDisk, found: MemberSuperblock) -> str:
    place = tr("slot {slot}", slot=found.slot) if found.slot is not None else tr("no slot")
    if row.standing is Standing.BEHIND and not row.behind:  # as a start by force leaves it
        return tr(
            "{place}: has as many events as the newest, which say that it had failed; it was last written {when}.",
            place=place,
            when=_when(found),
        )
    if row.standing is Standing.BEHIND:
        return ntr(
            "{place}: fell behind by {count} event; it was last written {when}.",
            "{place}: fell behind by {count} events; it was last written {when}.",
            row.behind,
            place=place,
            when=_when(found),
        )
    standing = translated(_STANDINGS[row.standing])
    return tr(
        "{place}: {standing} ({events} events, last written {when}).",
        place=place,
        standing=standing,
        events=found.events,
        when=_when(found),
    )


def _when(found: MemberSuperblock) -> str:
    return datetime.fromtimestamp(found.updated_s).astimezone().strftime("%Y-%m-%d %H:%M")


def hypothesis_words(hypothesis: Hypothesis, disks: Mapping[str, Member]) -> str:
    """Return what is done and why, then what may be wrong with it."""
    missing = hypothesis.slots.count(None)
    parts = [translated(_reason(hypothesis)), *_offset_words(hypothesis)]
    if missing:
        parts.append(ntr("{count} member is left out or missing.", "{count} members are left out or missing.", missing))
    out = [disk_label(disks[disk]) for disk in hypothesis.left_out if disk in disks]
    if len(out) > _MAX_NAMED:
        parts.append(ntr("{count} other disk isn't part of it.", "{count} other disks aren't part of it.", len(out)))
    elif out:
        parts.append(tr("Not used: {disks:and}.", disks=out))
    return joined(*parts, *risk_words(hypothesis))


def _offset_words(hypothesis: Hypothesis) -> Iterator[str]:
    """Yield where the members' data are taken to begin, if nothing tells that."""
    plan = hypothesis.attempt.plan
    if not hypothesis.is_offset_guessed or plan is None or not plan.data_offset_kib:
        return
    kib, kind = plan.data_offset_kib, hypothesis.begins_with
    if kind:
        yield tr("The members' data are taken to begin at {kib} KiB, where {kind} begins.", kib=kib, kind=kind)
    else:
        yield tr(
            "The members' data are taken to begin at {kib} KiB, as some version of mdadm chooses; nothing known begins "
            "there.",
            kib=kib,
        )


def _reason(hypothesis: Hypothesis) -> Message:
    if hypothesis.reason is RescueReason.BEHIND:
        if not hypothesis.behind:
            return say("Start it by force, with a member that the others say had failed.")
        if hypothesis.behind == 1:
            return say("Start it by force, with a member that fell behind by one event.")
        return say(
            "Start it by force, with members that fell behind by up to {behind} events.", behind=hypothesis.behind
        )
    return _REASONS[hypothesis.reason]


def risk_words(hypothesis: Hypothesis) -> Iterator[str]:
    """Yield what may be wrong even where the trial looks good."""
    if hypothesis.reason is RescueReason.DIRTY:
        yield tr("What was being written at that moment may be wrong: parity was not up to date there.")
    elif hypothesis.reason is RescueReason.BEHIND:
        yield tr("What was written after a member fell behind is old or wrong wherever that member is read.")
    elif hypothesis.reason is RescueReason.HALF:
        yield tr("Try each of these ways and compare the files: which one is wanted, only you can tell.")
    if hypothesis.lacks_journal:
        yield tr("What was written last may be in the journal alone: files of that time are old or damaged without it.")
    if hypothesis.way.is_layout and hypothesis.reason is not RescueReason.LAYOUT_EITHER:
        yield tr(
            "With the wrong layout files beyond the smallest disk's size are mixed up, though the rest reads well."
        )
    if hypothesis.way is RescueWay.CREATE:
        yield tr("Files may be damaged although the file system has no errors: open some of them before you trust it.")


def unlisted_words(examined: Examined) -> Iterator[str]:
    """Yield how many more ways there are, and why they aren't listed."""
    if examined.refuted:
        yield ntr(
            "{count} more way is ruled out: the disks' stripes contradict it.",
            "{count} more ways are ruled out: the disks' stripes contradict them.",
            examined.refuted,
        )
    if examined.cut:
        yield ntr(
            "The list was cut: {count} more order isn't in it. Name the array's disks alone to look at fewer.",
            "The list was cut: {count} more orders aren't in it. Name the array's disks alone to look at fewer.",
            examined.cut,
        )


def slots_words(hypothesis: Hypothesis, disks: Mapping[str, Member]) -> str:
    """Return the disks by slot, on one line."""
    names = (tr("missing") if disk is None else disk_label(disks[disk]) for disk in hypothesis.slots)
    return "  ".join(f"{slot}: {name}" for slot, name in enumerate(names))


def tried_words(tried: RescueTried) -> str:
    """Return what a trial found."""
    parts = [tr(_VERDICTS[tried.verdict], holds=list(tried.holds)), *proof_words(tried)]
    if tried.missing:
        parts.append(ntr("{count} member is missing.", "{count} members are missing.", tried.missing))
    if tried.failing:
        parts.append(
            tr("Places on {disks:and} can't be read; copy that disk first (ddrescue).", disks=list(tried.failing))
        )
    if lost := sum(line.split(" ")[1] == "!" for line in tried.files):
        parts.append(ntr("{count} file can't be read.", "{count} files can't be read.", lost))
    return joined(*parts, *_volume_words(tried), tr("No disk was written to."))


def proof_words(tried: RescueTried) -> Iterator[str]:
    """Yield what the stripes that were compared say of the members, and what they can't say."""
    if tried.contradicted:
        yield tr("{disks:and}: zeros wherever the other disks hold data.", disks=list(tried.contradicted))
    if tried.landmarks_of:
        yield ntr(
            "{agreed} of {count} fixed place of the {kind} has what belongs there.",
            "{agreed} of {count} fixed places of the {kind}, all over the disks, have what belongs there.",
            tried.stripes_told,
            agreed=tried.stripes_agreed,
            kind=tried.landmarks_of,
        )
    elif tried.stripes_told:
        yield ntr(
            "{agreed} of {count} stripe with data agrees, of {looked} that were looked at all over the disks.",
            "{agreed} of {count} stripes with data agree, of {looked} that were looked at all over the disks.",
            tried.stripes_told,
            agreed=tried.stripes_agreed,
            looked=tried.stripes_looked,
        )
    if tried.verdict is RescueVerdict.UNPROVEN:
        yield joined(_unproven_words(tried), tr("Open some of the files before you trust it."))


def _unproven_words(tried: RescueTried) -> str:
    if tried.proof is Proof.AGREES:
        return tr("The disks belong together, but nothing can tell whether their order is right.")
    if tried.missing:
        return ntr(
            "Nothing can tell whether a disk without a superblock belongs in its place: with {count} member missing, "
            "no parity or copy is left to compare.",
            "Nothing can tell whether a disk without a superblock belongs in its place: with {count} members missing, "
            "no parity or copy is left to compare.",
            tried.missing,
        )
    return tr(
        "Nothing can tell whether all of it is in its place: there is no parity or copy to compare, or only zeros."
    )


def compared_words(good: Mapping[int, RescueTried]) -> Iterator[str]:
    """Yield how many of the files that the trials read are the same in all of them, and which aren't."""
    read = [{path: digest for _, digest, path in map(file_parts, one.files) if digest != "-"} for one in good.values()]
    common = set.intersection(*map(set, read))
    if not common:
        return
    unlike = sorted(path for path in common if len({one[path] for one in read}) > 1)
    yield ntr(
        "{alike} of {count} file that was read is the same in all of them.",
        "{alike} of {count} files that were read are the same in all of them.",
        len(common),
        alike=len(common) - len(unlike),
    )
    if unlike:
        yield tr("These differ, so open them: {files:and}.", files=unlike[:_MAX_UNLIKE])


def _volume_words(tried: RescueTried) -> Iterator[str]:
    """Yield which of LVM's volumes were looked into, and why others weren't."""
    told: dict[str, list[str]] = {}
    for line in tried.volumes:
        found, _, name = line.partition(" ")
        told.setdefault("type" if found.startswith("type:") else found, []).append(name)
    opened = [name for found in ("good", "damaged", "broken") for name in told.get(found, ())]
    if opened:
        yield tr("LVM's volumes on it were looked into: {volumes:and}.", volumes=opened)
    if bad := [*told.get("damaged", ()), *told.get("broken", ())]:
        yield tr("Errors are on {volumes:and}.", volumes=bad)
    if unknown := [*told.get("holds", ()), *told.get("nothing", ())]:
        yield tr("No file system that a trial opens is on {volumes:and}.", volumes=unknown)
    if elsewhere := told.get("elsewhere"):
        yield ntr(
            "{volumes:and} can't be looked into: {count} more physical volume of the group isn't on this array.",
            "{volumes:and} can't be looked into: {count} more physical volumes of the group aren't on this array.",
            tried.stores_missing,
            volumes=elsewhere,
        )
    if kinds := told.get("type"):
        yield ntr(
            "{volumes:and} is of a kind that a trial doesn't open (thin, cached or mirrored).",
            "{volumes:and} are of a kind that a trial doesn't open (thin, cached or mirrored).",
            len(kinds),
            volumes=kinds,
        )


def rescued_words(hypothesis: Hypothesis, done: Rescued) -> str:
    """Return the state of the array that was brought back, where its files are, and the way on."""
    name, device = hypothesis.attempt.name, done.device
    parts = [tr("“{name}” runs as {device}, only to be read.", name=name, device=device)]
    if done.reshape_waits:
        parts.append(
            tr(
                "It is in the middle of a reshape, and not all of it can be read before md goes on with that, so it "
                "isn't mounted. The trial has read its files: let md go on (“Go on”: raidwright array go-on {name}), "
                "and mount it while md does. That writes to the disks, and can't be undone; if in doubt, copy them "
                "first.",
                name=name,
            )
        )
        return joined(*parts)
    if done.mounted_at:
        parts.append(
            tr(
                "Its file system is mounted at {place}, read-only and without a replay of its log: save what matters.",
                place=done.mounted_at,
            )
        )
    else:
        parts.append(
            tr(
                "Look at what is on it and save what matters; “raidwright filesystem mount {name} --at /mnt/{folder}” "
                "mounts a file system read-only, without a replay of its log.",
                name=name,
                folder=folder_called(name),
            )
        )
    if hypothesis.lacks_journal:
        parts.append(
            tr(
                "It can be written to again once it has a new journal: mdadm {device} --add-journal DISK.",
                device=device,
            )
        )
    else:
        parts.append(
            tr(
                "Once all is saved, and not before: to use it again, unmount it, let md write to it (“Go on”: "
                "raidwright array go-on {name}), and mount it. That replays the log, and can't be undone.",
                name=name,
            )
        )
    return joined(*parts)


def file_parts(line: str) -> tuple[int, str, str]:
    """Return a file's size in bytes, SHA-256 (``-`` if not read, ``!`` if unreadable) and path, from a trial's line."""
    size, digest, path = line.split(" ", 2)
    return int(size), digest, _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), path)
