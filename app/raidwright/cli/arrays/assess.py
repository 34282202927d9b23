"""``raidwright array assess``: an array that exists, assessed as a plan is."""

from __future__ import annotations

import argparse
import contextlib
import io
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from raidwright.analysis.advice.better import Better, better_plans
from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.assessment_json import as_json
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.question import Question
from raidwright.cli.candidates import layout_name
from raidwright.cli.options.array import meant_array
from raidwright.cli.printing import assessed
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.facts import Check, ParityState
from raidwright.machine.judged_plan import judged_disks, judged_plan
from raidwright.machine.states.volume import State
from raidwright.machine.values import Snapshot
from raidwright.runs.baselines import Baselines
from raidwright.text.catalogue import decimal_size, ntr, tr


def judge(options: argparse.Namespace, snapshot: Snapshot, checks: Iterable[Check] = ()) -> tuple[object, str]:
    """Return the object that ``raidwright assess --json`` prints, with ``better``, and the text.

    It has the command that starts the array in place of one that would make it anew, over its data, and
    ``mismatch_sectors`` of its last check among ``checks``. Raises InputError for an array that no plan can express,
    with the reason.
    """
    array = meant_array(options.array, snapshot)
    plan, _ = Baselines().filled_in(judged_plan(array, snapshot))
    disks = judged_disks(snapshot)
    assessment = assess(plan, disks)
    better = better_plans(assessment, disks)
    check = next((one for one in checks if array_uuid(one.uuid) == array_uuid(array.uuid)), None)
    mismatches = check.mismatch_sectors if check is not None else 0
    if options.json:
        told = [
            {"plan": dump_plan(one.plan), "added": one.added, "array_bytes": one.array_bytes, "survives": one.survives}
            for one in better
        ]
        own = {"command": _start(array), "mismatch_sectors": mismatches, "better": told}
        return as_json(assessment, options.years) | own, ""
    lines = [_text(array.name, assessment, options.years), *_state_lines(array, mismatches), *_better_lines(better)]
    return {}, "\n".join((*lines, tr("It is started by: {command}", command=_start(array))))


def _start(array: State) -> str:
    node = array.link or f"/dev/md/{array.name}"
    return shlex.join(("mdadm", "--assemble", node, f"--uuid={array_uuid(array.uuid)}"))


def _state_lines(array: State, mismatches: int) -> Iterator[str]:
    """Yield what is wrong with the array now."""
    if array.degraded or array.lacks:
        yield tr(
            "It runs without some of its members. Replace them first: raidwright array replace {name}", name=array.name
        )
    if mismatches:
        yield tr(
            "Its last check found differences: {sectors:,} sectors don't read alike, or don't agree with the parity. "
            "Look at the disks' health, and check again: raidwright array check {name}",
            sectors=mismatches,
            name=array.name,
        )
    elif array.facts is not None and array.facts.parity is ParityState.DIFFERS:
        yield tr("Its last check found differences between its members.")


def _text(name: str, assessment: Assessment, years: float) -> str:
    shown = replace(assessment, commands=())
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assessed.show(name, shown, years=years, json_wanted=False, host=HostModel(), question=Question())
    return out.getvalue().rstrip()


def _better_lines(better: tuple[Better, ...]) -> Iterator[str]:
    for one in better:
        what = tr(
            "{layout}: {size}, any {count} may fail",
            layout=layout_name(one.plan.top),
            size=decimal_size(one.array_bytes),
            count=one.survives,
        )
        if one.added:
            yield ntr(
                "With {count} more disk it can become {what} (raidwright array change).",
                "With {count} more disks it can become {what} (raidwright array change).",
                one.added,
                what=what,
            )
        else:
            yield tr("With the same disks it can become {what} (raidwright array change).", what=what)
