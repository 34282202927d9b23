"""Output of ``raidwright assess`` on a valid plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

from rich.console import Console
from rich.table import Table

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.assessment_json import as_json
from raidwright.analysis.layers.equivalent import as_array
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.of_plan import Performance, performance_of
from raidwright.analysis.performance.question import Question
from raidwright.analysis.reliability.loss import loss_of
from raidwright.core.md.reshape.possibility import Possibility
from raidwright.core.messages import say
from raidwright.text.catalogue import joined, tr, translated, with_commas, with_semicolons
from raidwright.text.plan.how_fast import with_one_lost_and_cure
from raidwright.text.plan.loss import chance_with_range, duration, years_words
from raidwright.text.plan.speed import figure_with_range, speed_sentence
from raidwright.text.plan.survival import survival_sentence

from .findings import say_findings

_CHANGES = {"more-members": say("more disks"), "larger-members": say("larger disks"), "chunk": say("another chunk"),
            "layout": say("another layout")}  # fmt: skip


def show(
    name: str, assessment: Assessment, *, years: float, json_wanted: bool, host: HostModel, question: Question
) -> None:
    """Print the assessment of the plan ``name``, with the loss within ``years`` and the requested speeds."""
    if json_wanted:
        print(json.dumps(as_json(assessment, years, host, question), ensure_ascii=False))
    else:
        _print(name, assessment, years, performance_of(assessment.plan, host, question))


def _print(name: str, assessment: Assessment, years: float, performance: Performance) -> None:
    console = Console(highlight=False)
    plan = assessment.plan
    console.print(f"[bold]{plan.word} {as_array(plan.top).effective_layout or ''}[/]  {name}")
    show_shape(console, assessment, years, performance)
    show_own(console, performance)
    say_findings(console, assessment.findings)
    for command in assessment.commands:
        console.print(command.shell(), markup=False, soft_wrap=True)
    console.print()


def show_shape(
    console: Console, assessment: Assessment, years: float = 5.0, performance: Performance | None = None
) -> None:
    """Print the plan's capacity, survival and possible changes, and the loss within ``years``."""
    capacity, plan = assessment.capacity, assessment.plan
    table = Table.grid(padding=(0, 2))
    space = tr(
        "{array_bytes:size} ({array_bytes:binary}), exactly {sectors:,} sectors",
        array_bytes=capacity.array_bytes,
        sectors=capacity.array_sectors,
    )
    table.add_row(tr("Space"), space)
    table.add_row(tr("Survives"), survival_sentence(assessment.survival))
    loss = loss_of(plan, years=years, capacity=capacity).array
    predicted = performance or performance_of(plan)
    table.add_row(tr("Speed"), speed_sentence(predicted))
    table.add_row("", with_one_lost_and_cure(plan, predicted))
    table.add_row(
        tr("Loss"),
        tr(
            "{chance} within {years}; reasons: raidwright loss",
            chance=chance_with_range(loss),
            years=years_words(years),
        ),
    )
    if capacity.smallest_replacement_sectors:
        least_bytes = capacity.smallest_replacement_sectors * 512
        table.add_row(tr("Replacement"), tr("at least {least_bytes:,} bytes", least_bytes=least_bytes))
    for heading, lines in _later(assessment.possibilities):
        table.add_row(heading, "\n".join(lines))
    console.print(table)


def show_own(console: Console, performance: Performance) -> None:
    """Print a line per state for each requested workload."""
    for name, speeds in performance.own.items():
        states = [
            (tr("normal"), speeds.normal),
            (tr("degraded"), speeds.degraded),
            (tr("rebuilding"), speeds.rebuilding),
            (tr("syncing"), speeds.syncing),
        ]
        console.print(name, markup=False)
        table = Table.grid(padding=(0, 2))
        for state, found in states:
            if found is not None:
                table.add_row(f"  {state}", figure_with_range(found), translated(found.limited_by))
        console.print(table)
        if speeds.sync is not None:
            said = tr(
                "beside it the sync gets {mb_s:.0f} MB/s of each member, {time} for all of it",
                mb_s=speeds.sync.mb_s,
                time=duration(speeds.sync.hours),
            )
            console.print(f"  {said}", markup=False)
        assumes = (one.assumes for one in (speeds.normal, speeds.syncing) if one is not None)
        if assumed := with_semicolons(*map(translated, dict.fromkeys(chain.from_iterable(assumes)))):
            console.print("  " + tr("assumed: {assumed}", assumed=assumed), markup=False)


def _later(possibilities: tuple[Possibility, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield (heading, lines) on possible changes of a complete array, each with its conditions."""
    named = [(translated(_CHANGES.get(one.change, one.change)), one) for one in possibilities]
    possible = [
        f"{name}: {joined(*(translated(need.sentence) for need in one.conditions))}" if one.conditions else name
        for name, one in named
        if one.possible
    ]
    yield tr("Later"), possible or [tr("nothing")]
    yield tr("Never"), [with_commas(*(name for name, one in named if not one.possible and not one.loses_data)) or "–"]
    if spoilt := [f"{name}: {translated(one.reason)}" for name, one in named if one.loses_data]:
        yield tr("Beware"), spoilt
