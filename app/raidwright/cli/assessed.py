"""What ``raidwright assess`` prints of a plan that can be built."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.assessment_json import as_json
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.analysis.reliability.loss import loss_of
from raidwright.analysis.reshape.possibility import Possibility
from raidwright.core.units import binary_size, decimal_size
from raidwright.text.loss import chance_with_range, years_words
from raidwright.text.speed import speed_sentence
from raidwright.text.survival import survival_sentence

_CHANGES = {"more-members": "more disks", "larger-members": "larger disks", "chunk": "another chunk",
            "layout": "another layout"}  # fmt: skip
_SIGNS = {"danger": "bold red", "warning": "yellow", "note": "dim"}


def show(name: str, assessment: Assessment, *, years: float, json_wanted: bool) -> None:
    """Print the assessment of the plan called ``name``; the loss is that within ``years``."""
    if json_wanted:
        print(json.dumps(as_json(assessment, years), ensure_ascii=False))
    else:
        _print(name, assessment, years)


def _print(name: str, assessment: Assessment, years: float) -> None:
    console = Console(highlight=False)
    capacity, plan = assessment.capacity, assessment.plan
    console.print(f"[bold]{plan.level} {plan.effective_layout or ''}[/]  {name}")
    table = Table.grid(padding=(0, 2))
    table.add_row("Space", f"{decimal_size(capacity.array_bytes)} ({binary_size(capacity.array_bytes)}), exactly "
                  f"{capacity.array_sectors:,} sectors")  # fmt: skip
    table.add_row("Survives", survival_sentence(assessment.survival))
    loss = loss_of(plan, years=years, capacity=capacity).array
    table.add_row("Speed", speed_sentence(performance_of(plan)))
    table.add_row("Loss", f"{chance_with_range(loss)} within {years_words(years)}; reasons: raidwright loss")
    if capacity.smallest_replacement_sectors:
        table.add_row("Replacement", f"at least {capacity.smallest_replacement_sectors * 512:,} bytes")
    for heading, lines in _later(assessment.possibilities):
        table.add_row(heading, "\n".join(lines))
    console.print(table)
    for finding in assessment.findings:
        console.print(f"  [{_SIGNS[finding.severity]}]{finding.severity:7}[/] {finding.sentence} {finding.remedy}")
    for command in assessment.commands:
        console.print(command.shell(), markup=False, soft_wrap=True)
    console.print()


def _later(possibilities: tuple[Possibility, ...]) -> Iterator[tuple[str, list[str]]]:
    """(heading, lines) on what stays possible of an array that is whole, each with its conditions."""
    named = [(_CHANGES.get(one.change, one.change), one) for one in possibilities]
    possible = [
        ": ".join((name, " ".join(need.sentence for need in one.conditions))) if one.conditions else name
        for name, one in named
        if one.possible
    ]
    yield "Later", possible or ["nothing"]
    yield "Never", [", ".join(name for name, one in named if not one.possible and not one.loses_data) or "–"]
    if spoilt := [f"{name}: {one.reason}" for name, one in named if one.loses_data]:
        yield "Beware", spoilt
