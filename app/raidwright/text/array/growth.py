"""Words for the three ways in which an array becomes bigger or safer: cards, what happens, and the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.advice.growth import GrowthChoice, GrowthKind
from raidwright.analysis.advice.shapes import ShapeFigures
from raidwright.analysis.performance.change_time import ChangeTime
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.values import AnyStep, AnyWay
from raidwright.core.md.changes.values import ChangeKind, ChangeWay
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Layer, MdArray, Member
from raidwright.core.protocol.results import ArrayChanged
from raidwright.text.catalogue import decimal_size, joined, ntr, tr, translated, with_commas
from raidwright.text.plan.loss import chance_in_brief
from raidwright.text.plan.names import level_name, shape_name
from raidwright.text.plan.speed import figure_with_unit
from raidwright.text.plan.survival import in_words
from raidwright.text.shown import Tone

from .change_times import brief_time
from .changes import step_title, survives_words

TITLES = {
    GrowthKind.MORE: say("A disk more"),
    GrowthKind.LARGER: say("Larger disks"),
    GrowthKind.SAFER: say("Safer instead"),
}
_LONGEST_NAME = 24
_SLOWER = 0.95  # a ratio of speeds worth a word
Named = Callable[[Member], str]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a card: its name, the figure itself, and what is said in small below it."""

    name: str
    value: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence for or against, with its tone."""

    tone: Tone
    text: str


def question_words(name: str) -> str:
    """Return the question above the cards."""
    return tr("How shall {name} become bigger?", name=name)


def today_words(top: Layer, used_bytes: int = 0, size_bytes: int = 0) -> str:
    """Return the shape today, how full it is, and that nothing begins yet."""
    size = decimal_size(capacity_of(top).array_bytes)
    shape = shape_name(top)
    if used_bytes:
        today = tr("Today: {shape}, {used} of {size} used.", shape=shape, used=decimal_size(used_bytes),
                   size=decimal_size(size_bytes))  # fmt: skip
    else:
        today = tr("Today: {shape}, {size}.", shape=shape, size=size)
    return joined(today, tr("It stays in use all the time; nothing begins on this page."))


def figures_in_words(
    choice: GrowthChoice, before: ShapeFigures, after: ShapeFigures, time: ChangeTime | None, named: Named
) -> tuple[Figure, ...]:
    """Return a card's four figures: space, failures, time and needs."""
    return (
        _space(before, after),
        Figure(tr("May fail then"), fails_words(after.survival.most()),
               tr("meanwhile: {number}", number=fails_words(choice.way.survives))),
        Figure(tr("Takes"), tr("about {time}", time=brief_time(time)) if time else "–", _copies(choice.way)),
        Figure(tr("Needs"), *needs_words(choice, named)),
    )  # fmt: skip


def _space(before: ShapeFigures, after: ShapeFigures) -> Figure:
    was, becomes = decimal_size(before.array_bytes), decimal_size(after.array_bytes)
    if was == becomes:
        return Figure(tr("Space"), becomes, tr("as today"))
    amount, unit = was.rsplit(" ", 1)
    shown = amount if becomes.endswith(unit) else was
    more = tr("+{size}", size=decimal_size(after.array_bytes - before.array_bytes))
    return Figure(tr("Space"), f"{shown} → {becomes}", more)


def fails_words(count: int) -> str:
    """Return “any one”, “none”."""
    return tr("any {number}", number=in_words(count)) if count > 0 else tr("none")


def _copies(way: AnyWay) -> str:
    count = sum(step.kind is ChangeKind.EXCHANGE for step in way.steps)
    return ntr("{count} disk copied", "{count} disks copied, one by one", count) if count else tr("in use meanwhile")


def needs_words(choice: GrowthChoice, named: Named) -> tuple[str, str]:
    """Return what a choice needs, and in small where that is, or what has to be bought."""
    here, lacking = choice.here, choice.lacking
    if not lacking:
        if not here:
            return tr("nothing"), tr("its own disks have the room")
        if len(here) == 1:
            return _short(named(here[0])), tr("{size}, here and free", size=decimal_size(here[0].size_bytes))
        size = decimal_size(min(disk.size_bytes for disk in here))
        return ntr("{count} disk of {size}", "{count} disks of {size}", len(here), size=size), tr("here and free")
    size = decimal_size(lacking[0].size_bytes)
    bought = ntr("{count} disk of {size}", "{count} disks of {size}", len(lacking), size=size)
    return bought, ntr("to buy; {count} is here", "to buy; {count} are here", len(here)) if here else tr("to buy")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def remarks(
    choice: GrowthChoice, before: ShapeFigures, after: ShapeFigures, *, is_quickest: bool
) -> tuple[Remark, Remark]:
    """Return a sentence for the choice and one against it."""
    was, becomes = chance_in_brief(before.array_loss), chance_in_brief(after.array_loss)
    odds = {"was": was, "becomes": becomes, "years": LOSS_YEARS}
    if choice.kind is GrowthKind.SAFER:
        good = tr("All is lost in {years:g} years: {becomes} instead of {was}.", **odds)
        return Remark("good", good), Remark("warn", _price_of_safety(before, after))
    if choice.kind is GrowthKind.LARGER:
        good = tr("No more bays, and no more disks that may fail.")
        bad = tr("The space comes after the last disk; until then nothing is gained.")
        if not choice.here and not choice.lacking:
            good, bad = tr("Nothing to buy: the disks have the room already."), _dearer(odds)
        return Remark("good", good), Remark("warn", bad)
    good = tr("No disk has to leave, and all keep their data.")
    if is_quickest:
        good = tr("The quickest of the three.")
    if choice.begin is not None:
        good = tr("Quickest, and nothing to buy.") if is_quickest else tr("Nothing to buy.")
    return Remark("good", good), Remark("warn", _dearer(odds))


def _dearer(odds: dict[str, object]) -> str:
    if odds["was"] == odds["becomes"]:
        return tr("It makes the array no safer: all is lost in {years:g} years: {becomes}, as today.", **odds)
    return tr("All is lost in {years:g} years: {becomes} instead of {was}.", **odds)


def _price_of_safety(before: ShapeFigures, after: ShapeFigures) -> str:
    was, becomes = (figures.predictions.random_write for figures in (before, after))
    if was is not None and becomes is not None and becomes.mb_s < _SLOWER * was.mb_s:
        ratio = becomes.mb_s / was.mb_s
        return tr("No more space; small writes at {ratio:.1f}× of today.", ratio=ratio)
    return tr("The disk adds no space.")


def why_not_words(choice: GrowthChoice) -> str:
    """Return why md can't make the change, and for a disk that lacks what would make it possible; "" if it can."""
    if choice.way.refusals:
        return joined(*map(translated, choice.way.refusals))
    if choice.begin is None:
        return buy_words(choice)
    return ""


def buy_words(choice: GrowthChoice) -> str:
    """Return “Plug in a disk of at least 8.00 TB, and it can begin.”"""
    size = decimal_size(min(disk.size_bytes for disk in choice.lacking))
    return ntr(
        "Plug in a disk of at least {size}, and it can begin here.",
        "Plug in {count} disks of at least {size}, or one after the other, and it can begin here.",
        len(choice.lacking),
        size=size,
    )


def button_words(choice: GrowthChoice, named: Named) -> str:
    """Return the words on a card's button; "" for a choice that can't begin."""
    if choice.begin is None:
        return ""
    here = choice.begin.wish.new
    if choice.kind is GrowthKind.SAFER:
        shapes = (choice.way.before, choice.way.after)
        was, becomes = (layer.level if isinstance(layer, MdArray) else "" for layer in shapes)
        return tr("Add a copy …") if was == becomes else tr("Make it {level} …", level=level_name(becomes))
    if choice.kind is GrowthKind.LARGER and choice.lacking:
        return ntr("Begin with the one here …", "Begin with the {count} here …", len(here))
    if choice.kind is GrowthKind.LARGER:
        return tr("Exchange the disks …") if here else tr("Use their room …")
    return tr("Add {disk} …", disk=_short(named(here[0]))) if here else tr("Use the spare …")


def happens_title(name: str, way: AnyWay, named: Named) -> str:
    """Return the title of what happens: the disks that are added, or what the array becomes."""
    new = way.wish.new
    if isinstance(way, ChangeWay) and way.after.level is not way.before.level:
        return tr("{name} becomes {shape}", name=name, shape=shape_name(way.after))
    if isinstance(way, ChangeWay) and way.wish.exchange:
        return ntr("Exchange a disk of {name}", "Exchange {count} disks of {name}", len(new), name=name)
    if len(new) == 1:
        return tr("Add {disk} to {name}", disk=named(new[0]), name=name)
    if new:
        return ntr("Add {count} disk to {name}", "Add {count} disks to {name}", len(new), name=name)
    return tr("Change {name}", name=name)


def brief_step(step: AnyStep, content: str = "") -> str:
    """Return a step in a few words: “Spread the data over 5 disks”."""
    if step.kind is ChangeKind.ADD:
        names = with_commas(*(disk.serial or disk.id for disk in step.disks))
        return tr("Add {names}", names=names)
    if step.kind is ChangeKind.GROW_CONTENT:
        return tr("{kind} takes the new space", kind=_kind(content))
    if step.kind is ChangeKind.CHECK:
        return tr("md compares all of it, by itself")
    return _brief_shape(step.before, step.after) or step_title(step) if step.moves_data else step_title(step)


def _kind(content: str) -> str:
    """Return the name of a file system, or of whatever else is on the array."""
    return {"xfs": "XFS", "LVM2_member": "LVM", "": tr("What is on it")}.get(content, content)


def _brief_shape(before: Layer, after: Layer) -> str:
    """Return what a reshape does with the data; "" for none that has a short name."""
    if not isinstance(before, MdArray) or not isinstance(after, MdArray):
        return ""
    if after.level is not before.level:
        return tr("Lay the data out as {shape}", shape=shape_name(after))
    count = len(after.members)
    is_wider = count != len(before.members) and after.level is not Level.RAID1
    return ntr("Spread the data over {count} disk", "Spread the data over {count} disks", count) if is_wider else ""


def dangers(way: AnyWay, longest: AnyStep) -> tuple[Remark, ...]:
    """Return what a failing disk and a power cut mean while the change runs, and how it is undone."""
    least = min(way.steps, key=lambda step: step.survives)
    said = [Remark("good" if least.survives else "warn", survives_words(least))]
    if longest.power_cut:
        tone: Tone = "warn" if longest.kind is ChangeKind.RESHAPE else "good"
        said.append(Remark(tone, tr("Power cut: {what}", what=translated(longest.power_cut))))
    if longest.way_back:
        said.append(Remark("info", tr("Undo: {what}", what=translated(longest.way_back))))
    if longest.kind is ChangeKind.RESHAPE:
        said.append(Remark("warn", tr("Every stripe is written anew: have a copy of your data elsewhere.")))
    again = tr("It goes on when this window is closed. After a crash, ask for it once more: what is left is done.")
    return (*said, Remark("good", again))


def erased_words(new: Sequence[Member]) -> str:
    """Return the disks that are overwritten."""
    if not new:
        return tr("No disk is erased.")
    return tr("This erases {names:and}, and no other disk.", names=[f"{disk.label} ({decimal_size(disk.size_bytes)})"
              for disk in new])  # fmt: skip


def speed_words(one: Prediction | None) -> str:
    """Return “620 MB/s”; a dash where nothing is known."""
    return figure_with_unit(one) if one is not None else "–"


def going_words(name: str, way: AnyWay) -> str:
    """Return the title while the change runs."""
    return tr("{name} becomes {shape}", name=name, shape=shape_name(way.after))


def done_words(name: str, before: Layer, done: ArrayChanged) -> tuple[str, str]:
    """Return the title of the last page, “media is bigger: 32.0 TB”, and what has grown with it."""
    size, was = done.array_sectors * 512, capacity_of(before).array_bytes
    if size > was:
        title = tr("{name} is bigger: {size:size}", name=name, size=size)
        more = tr("It has {more:size} more than before.", more=size - was)
    else:
        title, more = tr("{name} is changed: {size:size}", name=name, size=size), ""
    grown = tr("{kind} on it has grown with it.", kind=_kind(done.content)) if done.content else ""
    checks = tr("md compares its copies or parity now; its card says what comes of it.") if done.checks else ""
    return title, joined(more, grown, checks)
