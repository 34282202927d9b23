"""Output of a change's dry run: steps with commands and times, and the array before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from raidwright.analysis.assessment import assess
from raidwright.analysis.assessment_json import as_json as assessment_as_json
from raidwright.analysis.performance.change_time import ChangeTime, times_of
from raidwright.core.md.changes.values import ChangeStep, ChangeWay
from raidwright.core.model.plan import Plan
from raidwright.runs.baselines import Baselines
from raidwright.text import changes as words
from raidwright.text.catalogue import tr
from raidwright.text.change_times import time_words


def as_json(way: ChangeWay, commands: Sequence[Sequence[str]]) -> Mapping[str, object]:
    """Return the object that ``raidwright array change --dry-run --json`` prints.

    ``before`` and ``after`` are those of ``raidwright assess``; ``command`` is a list of shell commands.
    """
    times = _times(way)
    return {
        "possible": True,
        "reasons": [],
        "steps": [_step(*parts) for parts in zip(way.steps, commands, times, strict=True)],
        "survives_meanwhile": way.survives,
        "takes_backup_file": way.takes_backup,
        "left_out": [str(one) for one in way.left_out],
        "before": assessment_as_json(assess(way.before)),
        "after": assessment_as_json(assess(way.after)),
    }


def _step(step: ChangeStep, commands: Sequence[str], time: ChangeTime) -> dict[str, object]:
    return {
        "step": str(step.kind),
        "title": words.step_title(step),
        "command": list(commands),
        "time": {
            "low_hours": time.low_hours,
            "likely_hours": time.likely_hours,
            "high_hours": time.high_hours,
            "limited_by": str(time.limited_by),
            "assumes": list(map(str, time.assumes)),
        },
        "survives_meanwhile": step.survives,
        "power_cut": str(step.power_cut),
        "way_back": str(step.way_back),
        "forecloses": [asdict(rule) for rule in step.forecloses],
        "needs": [str(need.sentence) for need in step.needs],
        "read_bytes": step.read_bytes,
        "written_bytes": step.written_bytes,
        "takes_backup_file": step.takes_backup,
    }


def as_text(way: ChangeWay, commands: Sequence[Sequence[str]]) -> str:
    """Return the dry run as text, the whole time last."""
    times = _times(way)
    text = words.way_text(way, commands, tuple(map(time_words, times)))
    if not times:
        return text
    whole = tr("All of it: {time}.", time=time_words(sum(times[1:], times[0])))
    return f"{text}\n{whole}"


def _times(way: ChangeWay) -> tuple[ChangeTime, ...]:
    """Return the times, by the disks' measured speeds where there are any."""
    baselines = Baselines()

    def measured(plan: Plan) -> Plan:
        return baselines.filled_in(plan)[0]

    return times_of(
        tuple(replace(step, before=measured(step.before), after=measured(step.after)) for step in way.steps)
    )
