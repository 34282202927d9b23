"""A plan as one page of HTML, to keep and to send: what it holds and survives, what was assumed, where everything lies.

The page needs nothing beside it: its style and the picture are in it, and it runs no script.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.analysis.performance.prediction import Prediction
from raidwright.analysis.reliability.assumptions import DISTRIBUTIONS, Assumptions
from raidwright.analysis.reliability.loss import loss_of
from raidwright.analysis.reliability.loss_json import assumptions_of
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import tr, translated
from raidwright.text.how_fast import rebuild_sentence, with_one_lost
from raidwright.text.loss import assumed_words, loss_sentences, range_meaning
from raidwright.text.measurements import workload
from raidwright.text.plans import short_name
from raidwright.text.speed import figure_with_range
from raidwright.text.survival import survival_sentence
from raidwright.ui.tokens import LIGHT

from .stage_svg import stage_svg

_YEARS = 5.0
_STYLE = f"""\
body {{ font: 15px/1.5 system-ui, sans-serif; color: {LIGHT.text}; max-width: 60rem; margin: 2rem auto }}
h1 {{ font-size: 1.6rem }} h2 {{ font-size: 1.15rem; margin-top: 2rem }}
table {{ border-collapse: collapse }} th, td {{ text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top }}
th {{ color: {LIGHT.dim}; font-weight: normal }} tr {{ border-bottom: 1px solid {LIGHT.line} }}
pre {{ background: {LIGHT.sunken}; padding: .8rem; white-space: pre-wrap; overflow-wrap: anywhere }}
.stage {{ overflow-x: auto }} .dim {{ color: {LIGHT.dim} }}
.danger {{ color: {LIGHT.red} }} .warning {{ color: {LIGHT.amber} }}"""


def report(plan: Plan) -> str:
    """The page; raises PlanRefused for what mdadm or md would refuse."""
    assessment = assess(plan)
    title = tr("The array “{name}”: {what}", name=plan.name, what=short_name(plan))
    parts = (
        _space(assessment),
        _disks(plan),
        _stage(plan),
        _findings(assessment),
        _loss(assessment),
        _speed(plan),
        _command(assessment),
    )
    body = "\n".join(line for part in parts for line in part)
    return (
        f'<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def _table(*rows: tuple[str, ...], heads: tuple[str, ...] = ()) -> Iterator[str]:
    yield "<table>"
    if heads:
        yield "<tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</table>"


def _space(assessment: Assessment) -> Iterator[str]:
    capacity = assessment.capacity
    yield _heading(tr("What you get"))
    space = tr(
        "{array_bytes:size} ({array_bytes:binary}), exactly {sectors:,} sectors",
        array_bytes=capacity.array_bytes,
        sectors=capacity.array_sectors,
    )
    rows = [(tr("Space"), space), (tr("Survives"), survival_sentence(assessment.survival))]
    if capacity.smallest_replacement_sectors:
        least_bytes = capacity.smallest_replacement_sectors * 512
        rows.append((tr("Replacement"), tr("at least {least_bytes:,} bytes", least_bytes=least_bytes)))
    yield from _table(*rows)


def _disks(plan: Plan) -> Iterator[str]:
    yield _heading(tr("Its disks"))
    rows = [
        (disk.model, disk.serial, tr("{size_bytes:size}", size_bytes=disk.size_bytes), disk.id) for disk in plan.disks()
    ]
    yield from _table(*rows, heads=(tr("Model"), tr("Serial"), tr("Size"), tr("Name")))


def _stage(plan: Plan) -> Iterator[str]:
    yield _heading(tr("Where the first chunks lie"))
    yield f'<div class="stage">{stage_svg(plan)}</div>'


def _findings(assessment: Assessment) -> Iterator[str]:
    yield _heading(tr("What to know before building"))
    for finding in assessment.findings:
        said = " ".join(translated(part) for part in (finding.sentence, finding.reason, finding.remedy))
        yield _paragraph(said, str(finding.severity))


def _loss(assessment: Assessment) -> Iterator[str]:
    plan = assessment.plan
    loss = loss_of(plan, Assumptions.of(plan), _YEARS, capacity=assessment.capacity)
    yield _heading(tr("How likely a loss is"))
    yield from (_paragraph(sentence) for sentence in loss_sentences(loss))
    yield _paragraph(range_meaning(), "dim")
    yield _heading(tr("What was assumed of it"))
    yield "<ul>"
    yield from (f"<li>{escape(assumed_words(name, unit, one))}</li>" for name, unit, one in assumptions_of(loss))
    yield "</ul>"
    yield _paragraph(translated(DISTRIBUTIONS), "dim")


def _speed(plan: Plan) -> Iterator[str]:
    performance = performance_of(plan)
    yield _heading(tr("How fast it will be"))
    yield _paragraph(tr("Predicted, not measured; 90 of 100 lie within the range."), "dim")
    rows = (
        (workload(kind), _figure(speeds.normal), _figure(speeds.degraded))
        for kind, speeds in performance.speeds.items()
    )
    yield from _table(*rows, heads=(tr("Workload"), tr("Whole"), tr("One disk lost")))
    for sentence in (with_one_lost(plan, performance), rebuild_sentence(performance)):
        if sentence:
            yield _paragraph(sentence)
    if performance.assumes:
        assumed = "; ".join(translated(one) for one in performance.assumes)
        yield _paragraph(tr("Assumed: {assumed}.", assumed=assumed), "dim")


def _figure(one: Prediction | None) -> str:
    return figure_with_range(one) if one else "–"


def _command(assessment: Assessment) -> Iterator[str]:
    yield _heading(tr("The command"))
    yield f"<pre>{escape(chr(10).join(command.shell() for command in assessment.commands))}</pre>"
