"""The pages of the walk as values: a question, and the cards to choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import cycle

from raidwright.analysis.advice.figures import Predictions
from raidwright.analysis.advice.speeds import predictions_of
from raidwright.analysis.advice.walk import FailureChoice, Pick, PickReason, Purpose, one_disk
from raidwright.analysis.layers.equivalent import as_array
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.of_plan import one_lost
from raidwright.analysis.performance.prediction import Prediction, Predictor
from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB
from raidwright.core.model.plan import LinearVolume, Member, Plan
from raidwright.core.system.workload import Workload
from raidwright.text.catalogue import decimal_size, joined, ntr, tr, translated
from raidwright.text.glossary.terms import GLOSSARY
from raidwright.text.plan import walk as words
from raidwright.text.plan.loss import chance_in_words
from raidwright.text.plan.names import chunk_words, long_name
from raidwright.text.plan.speed import figure, figure_with_range
from raidwright.ui.stations.plan.chunks import with_chunk
from raidwright.ui.stations.plan.stage.replay import Access

from .model import WalkModel, WalkStep

_KIB = 1024


@dataclass(frozen=True, slots=True)
class Rate:
    """A speed to draw: its title, prediction, one disk's prediction, and the end of the scale in MB/s."""

    title: str
    prediction: Prediction
    alone_mb_s: float
    most_mb_s: float


@dataclass(frozen=True, slots=True)
class CardContent:
    """A choice: ``figures`` are pairs of a title and a value, ``plan`` is pictured with ``failures`` failures."""

    key: str
    title: str
    text: str
    choose: Callable[[], None]
    button: str
    kind: str = ""
    subtitle: str = ""
    lines: tuple[str, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    rates: tuple[Rate, ...] = ()
    plan: Plan | None = None
    failures: int = 0
    access: Access | None = None
    is_advised: bool = False
    is_chosen: bool = False
    why_not: str = ""

    @property
    def said_aloud(self) -> str:
        """All of its content, for screen readers."""
        figures = [f"{name}: {value}" for name, value in self.figures]
        rates = [f"{one.title}: {figure_with_range(one.prediction)}" for one in self.rates]
        advised = tr("recommended") if self.is_advised else ""
        return ". ".join(filter(None, (advised, self.subtitle, *self.lines, *figures, *rates, self.text)))


@dataclass(frozen=True, slots=True)
class PageContent:
    """A page: its question, a sentence below it, a longer explanation, its cards, and words beside Back."""

    question: str
    hint: str
    meaning: str
    cards: tuple[CardContent, ...]
    foot: str = ""


TITLES: dict[WalkStep, Callable[[], str]] = {
    WalkStep.FAILURES: lambda: tr("Disks that may fail"),
    WalkStep.PURPOSE: lambda: tr("What it is for"),
    WalkStep.GROWTH: lambda: tr("Growing"),
    WalkStep.PICKS: lambda: tr("Picks"),
    WalkStep.CHUNK: lambda: tr("Layout and chunk"),
}


def content_of(model: WalkModel) -> PageContent:
    """Return the page of the walk's present step."""
    return _MAKERS[model.step](model)


def _failures(model: WalkModel) -> PageContent:
    pool = model.ranking.pool
    pool_bytes = sum(disk.size_bytes for disk in pool)

    def card(one: FailureChoice) -> CardContent:
        title = words.failures_title(one.failures)
        return CardContent(
            key=str(one.failures),
            title=title,
            text=words.failures_means(one.failures),
            choose=lambda: model.choose_failures(one.failures),
            button=tr("Choose: {what}", what=title.lower()),
            lines=(words.keeps_words(one, pool_bytes),),
            figures=((tr("Everything lost within 5 years"), chance_in_words(one.best.array_loss)),),
            plan=one.best.plan,
            failures=one.failures,
            is_advised=one.is_advised,
            is_chosen=model.is_answered and model.wishes.must_survive == one.failures,
        )

    count = len(pool)
    return PageContent(
        ntr(
            "May your {count} disk fail without losing anything?",
            "How many of your {count} disks may fail without losing anything?",
            count,
        ),
        tr("{disks}. The odds rest on failure rates of disks like these.", disks=words.disks_words(pool)),
        tr(
            "Copies or parity keep your files when disks fail, and take space for it. The more disks may fail, the "
            "less it matters if another one fails before the first is replaced. An array is no backup: fire, theft or "
            "a wrong command takes all disks at once."
        ),
        tuple(card(one) for one in model.failures),
        tr("You can change everything later; nothing is written until you type the array's name."),
    )


# chunks read at once: a file's; 0 for a small access
_CHUNKS_READ = {Purpose.FILES: 6.0, Purpose.MACHINES: 0.0, Purpose.MIXED: 2.0}


def _purpose(model: WalkModel) -> PageContent:
    chunk_kib = (as_array(model.plan.top).effective_chunk_kib if model.plan else 0) or DEFAULT_CHUNK_KIB

    def card(purpose: Purpose) -> CardContent:
        title, text = map(translated, words.PURPOSES[purpose])
        return CardContent(
            key=purpose,
            title=title,
            text=text,
            choose=lambda: model.choose_purpose(purpose),
            button=tr("Choose this"),
            plan=_first_array(model.pictured),
            access=Access(size_bytes=max(4, int(_CHUNKS_READ[purpose] * chunk_kib)) * _KIB),
            is_chosen=model.is_answered and model.purpose is purpose,
        )

    return PageContent(
        tr("What is it for?"),
        tr("The pictures show what one read touches: large files keep all disks busy, small accesses one each."),
        tr(
            "It decides what counts when layouts are compared: parity is cheap for large files and slow for small "
            "writes, since each of them first reads what was there; copies cost half the space and don't."
        ),
        tuple(card(one) for one in Purpose),
    )


def _first_array(plan: Plan | None) -> Plan | None:
    """Return a joined plan's lowest array, to show an access to it; any other plan as it is."""
    return plan.on(plan.top.arrays[0]) if plan is not None and isinstance(plan.top, LinearVolume) else plan


def _growth(model: WalkModel) -> PageContent:
    asked = model.wishes.must_survive
    fitting = [one.prepared for one in model.ranking.ranking.candidates if one.prepared.survives >= asked]
    growing = [one for one in fitting if one.can_grow]

    def card(will_grow: bool) -> CardContent:
        left_over = growing if will_grow else fitting
        count, first = len(left_over), next((one.plan for one in left_over if not one.plan.top.is_nested), None)
        left = ntr("{count} layout is left to choose from", "{count} layouts are left to choose from", count)
        return CardContent(
            key="yes" if will_grow else "no",
            title=tr("Yes, perhaps") if will_grow else tr("No"),
            text=tr("Only layouts that md can reshape onto more disks.")
            if will_grow
            else tr("Layouts that can't take another disk later are offered, too."),
            choose=lambda: model.choose_growth(will_grow),
            button=tr("It may grow") if will_grow else tr("It stays as it is"),
            lines=(left,),
            plan=_of_size(first, _FEW + will_grow),
            is_chosen=model.is_answered and model.wishes.will_grow is will_grow,
            why_not="" if count else tr("No layout of these disks that meets what you asked for can take more disks."),
        )

    return PageContent(
        tr("Will you add disks one day?"),
        tr("With most layouts, larger disks can take the place of these one day, one after the other."),
        tr(
            "md can spread raid5, raid6, raid1 and raid10 near over more disks while they are in use. Far copies, and "
            "arrays in arrays, stay as they were built."
        ),
        (card(True), card(False)),
    )


_FEW = 4  # disks in a picture


def _of_size(plan: Plan | None, disks: int) -> Plan | None:
    """Return ``plan``, which isn't nested, on ``disks`` disks, its first ones repeated if it has fewer."""
    if plan is None:
        return None
    known = cycle(member for member in plan.array.members if isinstance(member, Member))
    members = tuple(replace(member, id=f"disk-{place}") for place, member in zip(range(disks), known, strict=False))
    return plan.on(replace(plan.array, members=members, spares=()))


def _picks(model: WalkModel) -> PageContent:
    picks = model.picks
    small = model.purpose is Purpose.MACHINES
    titles = (tr("Small reads"), tr("Small writes")) if small else (tr("Reading files"), tr("Writing files"))

    def of(found: Predictions) -> tuple[Prediction | None, Prediction | None]:
        return (found.random_read, found.random_write) if small else (found.read, found.write)

    alone = [one.mb_s if one else 0.0 for one in of(one_disk(model.ranking.pool))] if picks else [0.0, 0.0]
    all_rates = [one.high_mb_s for pick in picks for one in of(pick.prepared.predictions) if one]
    most = max([*all_rates, *alone], default=1.0)

    def card(pick: Pick) -> CardContent:
        plan = pick.prepared.plan
        name, loss = long_name(plan.top), chance_in_words(pick.prepared.array_loss)
        found = zip(titles, of(pick.prepared.predictions), alone, strict=True)
        return CardContent(
            key=pick.kind,
            title=name,
            text=words.pick_reason(pick),
            choose=lambda: model.choose_pick(pick),
            button=tr("Take the joined arrays") if plan.volume else tr("Take {layout}", layout=name),
            kind=translated(words.KINDS[pick.kind]),
            subtitle=words.may_fail(pick.prepared),
            figures=(
                (tr("Space"), decimal_size(pick.prepared.array_bytes)),
                (tr("All lost in 5 years"), loss),
            ),
            rates=tuple(Rate(title, one, one_mb_s, most) for title, one, one_mb_s in found if one),
            plan=pick.prepared.plan,
            failures=max(0, pick.prepared.survives),
            is_advised=pick.kind is PickReason.OURS,
            is_chosen=model.is_answered and model.is_picked(pick),
        )

    count = len(model.ranking.ranking.candidates)
    return PageContent(
        tr("Which layout shall it be?") if picks else tr("Nothing fits all of that"),
        joined(tr("Speeds are predicted for these disks; the line is one disk alone."), words.lacking_picks(picks))
        if picks
        else translated(model.ranking.ranking.relax),
        tr(
            "Our pick is the best for your answers; more safety than you asked for counts only where it costs nothing. "
            "The others give up something for more space or speed. "
            "The shade of a bar is where 90 of 100 such arrays lie."
        ),
        tuple(card(one) for one in picks),
        ntr("{count} layout is possible with these disks.", "{count} layouts are possible with these disks.", count),
    )


def _chunk(model: WalkModel) -> PageContent:
    plan, advice = model.plan, model.chunk
    if plan is None or advice is None:
        return PageContent("", "", "", ())
    if model.pictured is None:
        return PageContent(tr("Your plan: {layout}", layout=long_name(plan.top)), model.refusal, "", ())
    sizes = [advice.chunk_kib, *sorted(advice.others_kib)]
    now = as_array(plan.top).effective_chunk_kib

    def card(chunk_kib: int | None) -> CardContent:
        size = chunk_words(chunk_kib) if chunk_kib else tr("No chunks")
        is_advised = chunk_kib == advice.chunk_kib
        return CardContent(
            key=str(chunk_kib or "none"),
            title=size,
            text=words.chunk_reason(advice) if is_advised else words.other_chunk(chunk_kib),
            choose=lambda: model.choose_chunk(chunk_kib),
            button=tr("Take it, and show the plan"),
            figures=_chunk_figures(with_chunk(plan, chunk_kib)),
            plan=with_chunk(plan, chunk_kib) if is_advised else None,
            is_advised=is_advised,
            is_chosen=chunk_kib is not None and chunk_kib == now,
        )

    term = GLOSSARY["chunk"]
    return PageContent(
        tr("Your plan: {layout}", layout=long_name(plan.top)),
        joined(words.layout_words(plan.top), tr("How large shall a chunk be?") if advice.chunk_kib else ""),
        joined(translated(term.meaning), translated(term.experts)),
        tuple(card(size) for size in sizes),
        tr("The chunk can be changed later, but that rewrites the whole array."),
    )


def _chunk_figures(plan: Plan) -> tuple[tuple[str, str], ...]:
    """Return the predicted speeds that depend on the chunk: files read, also with a disk lost, and small writes."""
    predictor = Predictor(plan, HostModel())
    lost = one_lost(plan, predictor)
    wanted = (
        (tr("Reading files"), predictor.predict(Workload.BUFFERED_READ)),
        (tr("… with a disk lost"), predictor.predict(Workload.BUFFERED_READ, lost) if lost is not None else None),
        (tr("Small writes"), predictions_of(plan).random_write),
    )
    return tuple((title, words.rate(one, figure(one))) for title, one in wanted if one is not None)


_MAKERS: dict[WalkStep, Callable[[WalkModel], PageContent]] = {
    WalkStep.FAILURES: _failures,
    WalkStep.PURPOSE: _purpose,
    WalkStep.GROWTH: _growth,
    WalkStep.PICKS: _picks,
    WalkStep.CHUNK: _chunk,
}
