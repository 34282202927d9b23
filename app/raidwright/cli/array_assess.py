"""``raidwright array assess``: an array that exists, assessed as a plan is."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Iterator

from raidwright.analysis.advice.better import Better, better_plans
from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.assessment_json import as_json
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.question import Question
from raidwright.cli.options.array import meant_array
from raidwright.cli.printing import assessed
from raidwright.core.model.plan_json import dump_plan
from raidwright.machine.judged_plan import judged_plan
from raidwright.machine.values import Snapshot
from raidwright.runs.baselines import Baselines
from raidwright.text.catalogue import decimal_size, ntr, tr

from .candidates import layout_name


def judge(options: argparse.Namespace, snapshot: Snapshot) -> tuple[object, str]:
    """Return the object that ``raidwright assess --json`` prints, with ``better``, and the text.

    Raises InputError for an array that no plan can express, with the reason.
    """
    array = meant_array(options.array, snapshot)
    plan, _ = Baselines().filled_in(judged_plan(array, snapshot))
    disks = {disk.id: disk for disk in snapshot.disks}
    assessment = assess(plan, disks)
    better = better_plans(assessment, disks)
    if options.json:
        told = [
            {"plan": dump_plan(one.plan), "added": one.added, "array_bytes": one.array_bytes, "survives": one.survives}
            for one in better
        ]
        return as_json(assessment, options.years) | {"better": told}, ""
    return {}, "\n".join([_text(array.name, assessment, options.years), *_better_lines(better)])


def _text(name: str, assessment: Assessment, years: float) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assessed.show(name, assessment, years=years, json_wanted=False, host=HostModel(), question=Question())
    return out.getvalue().rstrip()


def _better_lines(better: tuple[Better, ...]) -> Iterator[str]:
    for one in better:
        what = tr(
            "{layout}: {size}, any {count} may fail",
            layout=layout_name(one.plan),
            size=decimal_size(one.array_bytes),
            count=one.survives,
        )
        if one.added:
            yield ntr(
                "Better with {count} more disk: {what}.",
                "Better with {count} more disks: {what}.",
                one.added,
                what=what,
            )
        else:
            yield tr("Better with the same disks: {what}.", what=what)
