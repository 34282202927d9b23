"""Sentences on changes of an array: steps, times, refusals, results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.values import AnyStep, AnyWay, VolumeStep
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.changes.exchange import exchanged, under_way
from raidwright.core.md.changes.transitions import shaped
from raidwright.core.md.changes.values import ChangeKind, ChangeStep, ChangeWish
from raidwright.core.messages import say
from raidwright.core.model.plan import JOINED, Consistency, Layer, LinearVolume, Member
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.sizes import decimal_size
from raidwright.machine.array_plan import plan_of
from raidwright.machine.states.volume import State, Volume
from raidwright.text.catalogue import joined, ntr, tr, translated, with_commas
from raidwright.text.plan.names import chunk_words, level_name, shape_name
from raidwright.text.plan.survival import in_words

_TITLES = {
    ChangeKind.CONFIGURE: say("Take out of mdadm.conf what would keep the changed array from starting: {words}"),
    ChangeKind.CHECK: say("Have md compare all copies or parity, which goes on by itself"),
    ChangeKind.DROP_LOG: say("Switch the partial parity log off: md reshapes no array that has one"),
    ChangeKind.DROP_BITMAP: say("Switch the write-intent bitmap off"),
    ChangeKind.TRUNCATE: say("Hide the end of the array, to see that nothing needs it"),
    ChangeKind.RESIZE: say("Use the members to their end"),
    ChangeKind.PUT_LOG_BACK: say("Switch the partial parity log on"),
    ChangeKind.PUT_BITMAP: say("Switch the write-intent bitmap on"),
    ChangeKind.GROW_CONTENT: say("Grow what is on the array to its new end"),
    ChangeKind.EXTEND: say("Have LVM's volume take all that is new"),
}
_CHANGES = {"more-members": say("more disks"), "larger-members": say("larger disks"), "chunk": say("another chunk"),
            "layout": say("another layout")}  # fmt: skip


_KEEPS_CARD = (ChangeKind.CONFIGURE, ChangeKind.GROW_CONTENT, ChangeKind.CHECK)
_POLICIES = {
    Consistency.RESYNC: say("resync all of it"),
    Consistency.BITMAP: say("resync what a bitmap names"),
    Consistency.PPL: say("repair by a partial parity log"),
}


def wish_words(wish: ChangeWish) -> str:
    """Return what a wish for one property asks for: “64 KiB”, “left-symmetric”, “3 disks”, “resync all of it”."""
    if wish.chunk_kib is not None:
        return chunk_words(wish.chunk_kib)
    if wish.slots is not None:
        return ntr("{count} disk", "{count} disks", wish.slots)
    return wish.layout or (translated(_POLICIES[wish.consistency]) if wish.consistency in _POLICIES else "")


def shape_words(layer: Layer) -> str:
    """Return “RAID 5 · 4 disks · 24.0 TB”."""
    size = decimal_size(capacity_of(layer).array_bytes)
    if isinstance(layer, LinearVolume):
        count = len(whole_disks(layer))
        return ntr("{count} disk joined, {size}", "{count} disks joined, {size}", count, count=count, size=size)
    return f"{shape_name(layer)} · {size}"


def becomes_words(way: AnyWay) -> str:
    """Return “RAID 5 · 4 disks · 64 KiB”: the shape afterwards, and what else was wished for."""
    wish = way.wish
    alone = (
        ChangeWish(chunk_kib=wish.chunk_kib),
        ChangeWish(layout=wish.layout),
        ChangeWish(consistency=wish.consistency),
    )
    shape = shape_name(way.after)
    said = (words for words in map(wish_words, alone) if words and words not in shape)
    return " · ".join(filter(None, (shape, *said, _larger_words(way))))


def _larger_words(way: AnyWay) -> str:
    """Return “2 of 4 on larger disks” for a way that exchanges members, or uses what they have more."""
    if not way.wish.larger or isinstance(way.before, LinearVolume):
        return ""
    done = exchanged(way.after)
    if not done.is_under_way:
        return tr("all on larger disks")
    return tr("{count} of {members} on larger disks", count=done.count, members=done.members)


def larger_disks_words(array: State) -> str:
    """Return how many members of a running array are larger than it can use yet; "" for none, and for all."""
    if isinstance(array, Volume) or len({member.size_bytes for member in array.members}) < 2:
        return ""
    try:
        plan = shaped(plan_of(array).array)
    except InputError:  # no plan describes it
        return ""
    is_told = plan.level.is_redundant and exchanged(plan).is_under_way
    return translated(under_way(plan)) if is_told else ""


def step_title(step: AnyStep) -> str:
    """Return the step in a few words."""
    if title := _TITLES.get(step.kind):
        return tr(title, words=with_commas(*step.options))
    match step.kind:
        case ChangeKind.ADD:
            names = with_commas(*(disk.serial or disk.id for disk in step.disks))
            return ntr("Add the disk {names}", "Add the disks {names}", len(step.disks), names=names)
        case ChangeKind.PARTITION:
            return tr("Make the slices of {disk}", disk=step.disks[0].serial or step.disks[0].failure_unit)
        case ChangeKind.CREATE:
            return tr("Make a new array above the others: {after}", after=shape_words(step.after))
    if isinstance(step, VolumeStep):
        return shape_words(step.after)
    return _exchange_title(step) if step.kind is ChangeKind.EXCHANGE else _shape_title(step)


def _exchange_title(step: ChangeStep) -> str:
    """Return “Copy Z0 onto X1, which takes its place (2 of 4)”: it is the second member that is exchanged."""
    [new], old = step.disks, step.before.members[step.slot or 0]
    return tr(
        "Copy {old} onto {new}, which takes its place ({count} of {members})",
        old=(old.serial or old.id) if isinstance(old, Member) else "?",
        new=new.serial or new.id,
        count=exchanged(step.after).count,
        members=len(step.after.members),
    )


def _shape_title(step: ChangeStep) -> str:
    before, after = step.before, step.after
    if after.level is not before.level:
        return tr("Change the level: {before} becomes {after}", before=shape_words(before), after=shape_words(after))
    if len(after.members) != len(before.members):
        return tr("Change the members: {before} becomes {after}", before=shape_words(before), after=shape_words(after))
    if after.chunk_kib != before.chunk_kib:
        return tr(
            "Change the chunk from {old} to {new} KiB", old=before.effective_chunk_kib, new=after.effective_chunk_kib
        )
    return tr("Change the layout to {layout}", layout=after.layout or "")


def survives_words(step: AnyStep) -> str:
    """Return how many disks may fail while the step runs."""
    if not step.survives:
        return tr("Meanwhile any disk that fails takes data with it.")
    return ntr(
        "Meanwhile any one disk may fail.",
        "Meanwhile any {number} disks may fail.",
        step.survives,
        number=in_words(step.survives),
    )


def forecloses_words(step: AnyStep) -> str:
    """Return the changes that won't be possible any more; "" for none."""
    if not step.forecloses:
        return ""
    names = [translated(_CHANGES.get(rule.change, rule.change)) for rule in step.forecloses]
    return tr("Afterwards no longer possible directly: {names}.", names=with_commas(*names))


def moved_words(step: AnyStep) -> str:
    """Return the bytes that the step reads and writes; "" where nothing moves."""
    if not step.moves_data:
        return ""
    return tr("Reads {read:size} and writes {written:size}.", read=step.read_bytes, written=step.written_bytes)


@dataclass(frozen=True, slots=True)
class StepWords:
    """A step for people: its title, its time ("" if none is known), its commands, and its consequences."""

    title: str
    time: str
    commands: tuple[str, ...]
    said: tuple[str, ...]


def steps_in_words(way: AnyWay, commands: Iterable[Sequence[str]], times: Sequence[str] = ()) -> tuple[StepWords, ...]:
    """Return each step of ``way`` with its ``commands`` and its time in words."""
    took = times or [""] * len(way.steps)
    return tuple(
        StepWords(step_title(step), time, tuple(argvs), _consequences(step))
        for step, argvs, time in zip(way.steps, commands, took, strict=True)
    )


def _consequences(step: AnyStep) -> tuple[str, ...]:
    power = tr("Power cut: {what}", what=translated(step.power_cut))
    undo = tr("Undo: {what}", what=translated(step.way_back))
    said = (joined(survives_words(step), moved_words(step)), power, undo, forecloses_words(step))
    return (*filter(None, said), *(translated(need.sentence) for need in step.needs))


def rest_in_words(way: AnyWay, *, timed: bool) -> tuple[str, ...]:
    """Return what is said below the steps: the new recovery card, and how far to trust the times."""
    trust = tr("The times are estimates: on practice disks reshapes took 0.4 to 3.1 times the first figure.")
    card = tr("Print or save a new recovery card afterwards; the one of before describes another array.")
    has_card = any(step.kind not in _KEEPS_CARD for step in way.steps)
    return (*((card,) if has_card else ()), *((trust,) if timed else ()))


def becomes_sentence(way: AnyWay) -> str:
    """Return “RAID 5 · 3 disks · 16.0 TB becomes RAID 5 · 4 disks · 24.0 TB.”, and what is left out."""
    becomes = tr("{before} becomes {after}.", before=shape_words(way.before), after=shape_words(way.after))
    return joined(becomes, *map(translated, way.left_out))


def way_text(way: AnyWay, commands: Iterable[Sequence[str]], times: Sequence[str] = ()) -> str:
    """Return the way as numbered steps, each with its time in words, its commands and consequences."""
    lines = [becomes_sentence(way)]
    for number, step in enumerate(steps_in_words(way, commands, times), 1):
        took = f"  ({step.time})" if step.time else ""
        lines.append(f"{number}. {step.title}{took}")
        lines += [f"     {command}" for command in step.commands]
        lines += [f"   {said}" for said in step.said]
    return "\n".join([*lines, *rest_in_words(way, timed=bool(times))])


def refused_text(way: AnyWay) -> str:
    """Return why there is no way."""
    return "\n".join([tr("This can't be done:"), *(f"  {translated(reason)}" for reason in way.refusals)])


def changed_text(name: str, done: ArrayChanged, card_at: str = "") -> str:
    """Return the result of a change; ``card_at`` is the file of its new recovery card, "" for none."""
    size = done.array_sectors * 512
    if done.level == JOINED:
        shape = tr("“{name}” is on {count} disks now, {size:size}.", name=name, count=done.slots, size=size)
    else:
        shape = tr(
            "“{name}” is {level} on {count} disks now, {size:size}.",
            name=name,
            level=level_name(done.level),
            count=done.slots,
            size=size,
        )
    grown = tr("{kind} on it has grown with it.", kind=done.content) if done.content else ""
    checks = tr("md compares its copies or parity now; “raidwright array checks” says what it found.")
    card = tr("The recovery card of before is out of date: “raidwright array card {name}” prints a new one.", name=name)
    if card_at:
        card = tr("Its recovery card is in {path}; keep it away from this computer.", path=card_at)
    return joined(shape, grown, checks if done.checks else "", card)
