"""Output of a change's dry run: steps with commands and times, and the array before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.advice.shapes import figures_of_shape
from raidwright.analysis.assessment import assess
from raidwright.analysis.assessment_json import as_json as assessment_as_json
from raidwright.analysis.performance.change_time import ChangeTime, times_of
from raidwright.core.lvm.values import AnyStep, AnyWay, VolumeStep
from raidwright.core.model.plan import Plan
from raidwright.runs.baselines import Baselines
from raidwright.text.array import changes as words
from raidwright.text.array.change_times import time_words
from raidwright.text.catalogue import decimal_size, tr
from raidwright.text.plan.loss import chance_in_brief
from raidwright.text.plan.names import survives
from raidwright.text.plan.speed import figure


def as_json(plan: Plan, way: AnyWay, commands: Sequence[Sequence[str]]) -> Mapping[str, object]:
    """Return the object that ``raidwright array change --dry-run --json`` prints, of a ``plan``'s layer.

    ``before`` and ``after`` are those of ``raidwright assess``; ``command`` is a list of shell commands.
    """
    times = _times(plan, way)
    return {
        "possible": True,
        "reasons": [],
        "steps": [_step(*parts) for parts in zip(way.steps, commands, times, strict=True)],
        "survives_meanwhile": way.survives,
        "takes_backup_file": way.takes_backup,
        "left_out": [str(one) for one in way.left_out],
        "before": assessment_as_json(assess(plan.on(way.before))),
        "after": assessment_as_json(assess(plan.on(way.after))),
    }


def _step(step: AnyStep, commands: Sequence[str], time: ChangeTime) -> dict[str, object]:
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


def as_text(plan: Plan, way: AnyWay, commands: Sequence[Sequence[str]]) -> str:
    """Return the dry run on a ``plan``'s layer as text, then the whole time, and the array before and after."""
    times = _times(plan, way)
    lines = [words.way_text(way, commands, tuple(map(time_words, times)))]
    if times:
        lines.append(tr("All of it: {time}.", time=time_words(sum(times[1:], times[0]))))
    lines.append(tr("Today: {figures}.", figures=_figures(plan.on(way.before))))
    lines.append(tr("Afterwards: {figures}.", figures=_figures(plan.on(way.after))))
    return "\n".join(lines)


def _figures(plan: Plan) -> str:
    shape = figures_of_shape(_measured(plan))
    read, write, *_small = shape.predictions
    return tr(
        "{space}; may fail: {survival}; lost in {years:g} years: {odds}; reads {read} MB/s, writes {write} MB/s "
        "(predicted)",
        space=decimal_size(shape.array_bytes),
        survival=survives(shape.survival).text,
        years=LOSS_YEARS,
        odds=chance_in_brief(shape.array_loss),
        read=figure(read) if read else "–",
        write=figure(write) if write else "–",
    )


def _times(plan: Plan, way: AnyWay) -> tuple[ChangeTime, ...]:
    """Return the times, by the disks' measured speeds where there are any."""
    return times_of([_with_measured(step) for step in way.steps], plan.links)


def _with_measured(step: AnyStep) -> AnyStep:
    if isinstance(step, VolumeStep):
        return step
    return replace(step, before=_measured(Plan(step.before)).array, after=_measured(Plan(step.after)).array)


def _measured(plan: Plan) -> Plan:
    return Baselines().filled_in(plan)[0]
