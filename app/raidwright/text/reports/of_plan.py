"""A plan as one page of HTML: capacity, survival, assumptions, predicted speed, measurements and layout.

The page is self-contained: its style and the picture are in it, and it runs no script. ``ui/printing.py`` prints the
same, so its body is limited to Qt's rich text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape

from raidwright import __version__
from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.performance.of_plan import Performance, performance_of
from raidwright.analysis.performance.prediction import Prediction
from raidwright.analysis.reliability.assumptions import DISTRIBUTIONS, Assumptions
from raidwright.analysis.reliability.loss import Loss, loss_of
from raidwright.analysis.reliability.loss_json import assumptions_of
from raidwright.colours import LIGHT
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.known import Kernel
from raidwright.core.messages import say
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.system.workload import Workload
from raidwright.export.needs import starts_on
from raidwright.runs.run import Run
from raidwright.text.catalogue import joined, language, ntr, tr, translated, with_semicolons
from raidwright.text.plan.how_fast import by_place_words, rebuild_sentence, rests_on, with_one_lost_and_cure
from raidwright.text.plan.joined import band_name, free_words
from raidwright.text.plan.loss import assumed_words, chance_in_words, loss_sentences, range_meaning, years_words
from raidwright.text.plan.names import short_name
from raidwright.text.plan.speed import figure, figure_with_range
from raidwright.text.plan.survival import survival_sentence
from raidwright.text.run.measurements import workload

from .measured import measured_part
from .stage_svg import stage_bands
from .tags import figures_row, heading, listed, paragraph, table

_YEARS = 5.0
_STYLE = f"""\
body {{ font: 15px/1.5 system-ui, sans-serif; color: {LIGHT.text} }}
body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.6rem }} h2 {{ font-size: 1.15rem; margin-top: 2rem }}
table {{ border-collapse: collapse }} th, td {{ text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }}
th[align=right], td[align=right] {{ text-align: right }}
th {{ color: {LIGHT.dim}; font-weight: normal }} tr {{ border-bottom: 1px solid {LIGHT.line} }}
pre {{ background: {LIGHT.sunken}; padding: .8rem; white-space: pre-wrap; overflow-wrap: anywhere }}
.stage {{ overflow-x: auto }} .dim {{ color: {LIGHT.dim} }} .figure {{ font-size: 1.6rem; font-weight: 600 }}
.figures tr {{ border: none }} .figures td {{ padding-right: 2.5rem }}
.danger b {{ color: {LIGHT.red} }} .warning b {{ color: {LIGHT.amber} }}
@media print {{ body {{ margin: 0 }} h2 {{ break-after: avoid }} svg, tr {{ break-inside: avoid }} }}"""
_WEIGHTS = {"danger": say("Danger"), "warning": say("Warning"), "note": say("Note")}


def report(plan: Plan, runs: Sequence[Run] = (), made_by: Kernel | None = None) -> str:
    """Return the page; ``runs`` of its array, newest first, ``made_by`` the Linux that made it, None if unknown.

    Raises PlanRefused if mdadm or md would refuse the plan.
    """
    title = _title(plan)
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{_body(plan, runs, made_by)}\n</body>\n</html>\n"
    )


def _title(plan: Plan) -> str:
    """Return “The array “tank”: raid6 of 4 disks”."""
    return tr("The array “{name}”: {what}", name=plan.name, what=short_name(plan.top))


def _body(plan: Plan, runs: Sequence[Run] = (), made_by: Kernel | None = None) -> str:
    """Return the page's body, without its style; raises PlanRefused."""
    assessment = assess(plan)
    loss = loss_of(plan, Assumptions.of(plan), _YEARS, capacity=assessment.capacity)
    performance = performance_of(plan)
    parts = (
        _head(assessment, loss, performance),
        _stage(plan),
        _space(assessment, made_by),
        _disks(plan),
        _findings(assessment),
        _loss(loss),
        _speed(plan, performance),
        measured_part(runs),
        _command(assessment),
    )
    return "\n".join(line for part in parts for line in part)


def _head(assessment: Assessment, loss: Loss, performance: Performance) -> Iterator[str]:
    yield f"<h1>{escape(_title(assessment.plan))}</h1>"
    most = max(0, assessment.survival.most())
    made = f"{datetime.now().astimezone():%Y-%m-%d}"
    yield paragraph(tr("Written by Raidwright {version} on {date}", version=__version__, date=made), "dim")
    figures = [
        (tr("{array_bytes:size}", array_bytes=assessment.capacity.array_bytes), tr("usable")),
        (str(most), ntr("disk may fail, whichever it is", "disks may fail, whichever they are", most)),
        (chance_in_words(loss.array.probability), tr("lost within {years}", years=years_words(_YEARS))),
    ]
    if (reads := performance.speeds[Workload.BUFFERED_READ].normal) is not None:
        figures.append((tr("{likely} MB/s", likely=figure(reads)), tr("reading files, as predicted")))
    yield figures_row(figures)


def _space(assessment: Assessment, made_by: Kernel | None) -> Iterator[str]:
    capacity = assessment.capacity
    yield heading(tr("What you get"))
    space = tr(
        "{array_bytes:size} ({array_bytes:binary}), exactly {sectors:,} sectors",
        array_bytes=capacity.array_bytes,
        sectors=capacity.array_sectors,
    )
    rows = [(tr("Space"), space), (tr("Survives"), survival_sentence(assessment.survival))]
    if capacity.smallest_replacement_sectors:
        least_bytes = capacity.smallest_replacement_sectors * 512
        rows.append((tr("Replacement"), tr("at least {least_bytes:,} bytes", least_bytes=least_bytes)))
    if free := free_words(assessment.plan):
        rows.append((tr("Stays free"), free))
    rows.append((tr("Starts on"), starts_on(assessment.plan.top, made_by)))
    yield from table(*rows)


def _disks(plan: Plan) -> Iterator[str]:
    yield heading(tr("Its disks"))
    disks = whole_disks(plan.top)
    columns = [
        (tr("Model"), [disk.model for disk in disks]),
        (tr("Serial"), [disk.serial for disk in disks]),
        (tr("Size"), [tr("{size_bytes:size}", size_bytes=disk.size_bytes) for disk in disks]),
        (tr("Name"), [_marked(disk) for disk in disks]),
    ]
    told = [(head, cells) for head, cells in columns if any(cells)]  # imagined disks have no model or serial
    yield from table(*zip(*(cells for _, cells in told), strict=True), heads=tuple(head for head, _ in told))


def _marked(disk: Member) -> str:
    """Return the disk's name and flags."""
    if not disk.flags:
        return disk.id
    return tr("{disk}, marked {flags:and}", disk=disk.id, flags=list(disk.flags))


def _stage(plan: Plan) -> Iterator[str]:
    yield heading(tr("Where the first chunks lie"))
    for array in (plan.top,) if isinstance(plan.top, MdArray) else plan.top.arrays:
        if plan.volume:
            yield paragraph(band_name(array))
        yield from (f'<div class="stage">{picture}</div>' for picture in stage_bands(Plan(array)))


def _findings(assessment: Assessment) -> Iterator[str]:
    yield heading(tr("What to know before building"))
    for finding in assessment.findings:
        said = joined(*map(translated, (finding.sentence, finding.reason, finding.remedy)))
        weight = translated(_WEIGHTS[finding.severity])
        yield f'<p class="{finding.severity}"><b>{escape(weight)}:</b> {escape(said)}</p>'


def _loss(loss: Loss) -> Iterator[str]:
    yield heading(tr("How likely a loss is"))
    yield from (paragraph(sentence) for sentence in loss_sentences(loss))
    yield paragraph(range_meaning(), "dim")
    yield heading(tr("What was assumed of it"))
    yield from listed(assumed_words(_purpose(name), unit, one) for name, unit, one in assumptions_of(loss))
    yield paragraph(translated(DISTRIBUTIONS), "dim")


def _purpose(name: str) -> str:
    """Return an assumption's subject; a failure rate names it already."""
    said = translated(ASSUMED[name].purpose if name in ASSUMED else name)
    return said[:1].upper() + said[1:]


def _speed(plan: Plan, performance: Performance) -> Iterator[str]:
    yield heading(tr("How fast it will be"))
    yield paragraph(joined(rests_on(plan.disks()), tr("90 of 100 lie within the range.")), "dim")
    rows = (
        (workload(kind), _figure(speeds.normal), _figure(speeds.degraded))
        for kind, speeds in performance.speeds.items()
    )
    yield from table(*rows, heads=(tr("Workload"), tr("Healthy"), tr("One disk lost")))
    for sentence in (by_place_words(plan), with_one_lost_and_cure(plan, performance), rebuild_sentence(performance)):
        if sentence:
            yield paragraph(sentence)
    if performance.assumes:
        assumed = with_semicolons(*map(translated, performance.assumes))
        yield paragraph(tr("Assumed: {assumed}.", assumed=assumed), "dim")


def _figure(one: Prediction | None) -> str:
    return figure_with_range(one) if one else "–"


def _command(assessment: Assessment) -> Iterator[str]:
    yield heading(tr("The command"))
    yield f"<pre>{escape(chr(10).join(command.shell() for command in assessment.commands))}</pre>"
