"""Findings as lines: their severity, what they say, and the remedy."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from raidwright.analysis.findings.finding import Finding
from raidwright.core.messages import say
from raidwright.text.catalogue import joined, tr, translated

_SEVERITIES = {"danger": say("danger"), "warning": say("warning"), "note": say("note")}
_SIGNS = {"danger": "bold red", "warning": "yellow", "note": "dim"}


def say_findings(console: Console, findings: Sequence[Finding]) -> None:
    """Print each finding with its severity and its remedy."""
    for finding in findings:
        said = joined(translated(finding.sentence), translated(finding.remedy))
        if change := finding.change:
            said = joined(said, tr("In the plan: “{key}”: {value}.", key=change.key, value=str(change.value)))
        console.print(f"  [{_SIGNS[finding.severity]}]{translated(_SEVERITIES[finding.severity]):7}[/] {said}")
