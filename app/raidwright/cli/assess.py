"""``raidwright assess``: plans' capacity, survival, later changes, and mdadm command."""

from __future__ import annotations

import argparse
import json
import sys

from raidwright.analysis.assessment import assess
from raidwright.cli.options.mdadm import add_mdadm_option, chosen_mdadm, refuse_for_mdadm
from raidwright.cli.options.plans import plan_texts
from raidwright.cli.options.speed import add_speed_options, chosen_host, chosen_question
from raidwright.core.errors import InputError
from raidwright.core.model.plan_json import loads_plan
from raidwright.runs.baselines import Baselines, KeptBaseline
from raidwright.text.catalogue import tr, translated


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("assess", help=tr("say what plans hold and survive, and the mdadm command"))
    parser.add_argument("plans", metavar="PLAN", nargs="+", help=tr("a plan's JSON file; - reads one plan a line"))
    parser.add_argument("--json", action="store_true", help=tr("print one JSON object a plan"))
    parser.add_argument("--years", type=float, default=5.0, metavar="Y", help=tr("the loss within Y years (5)"))
    add_speed_options(parser)
    add_mdadm_option(parser)


def run(options: argparse.Namespace) -> int:
    """Assess all plans; return 2 if any can't be read or would be refused."""
    host, question = chosen_host(options), chosen_question(options)
    status, baselines = 0, Baselines()
    for name, text in plan_texts(options.plans):
        try:
            plan, measured = baselines.filled_in(loads_plan(text))
            refuse_for_mdadm(options, plan)
            assessment = assess(plan, mdadm=chosen_mdadm(options))
        except InputError as error:
            status = error.exit_code
            refused = {"error": error.sentence, "code": error.code}  # in place of an assessment
            print(json.dumps(refused, ensure_ascii=False) if options.json else f"{name}: {translated(error.sentence)}")
            continue
        for kept in measured:
            _say_measured(kept)
        from raidwright.cli.printing import assessed  # noqa: PLC0415 -- brings numpy, which a refusal doesn't wait for

        assessed.show(name, assessment, years=options.years, json_wanted=options.json, host=host, question=question)
    return status


def _say_measured(kept: KeptBaseline) -> None:
    """Print on stderr which disks' speeds were measured, and when."""
    said = tr("{serial}: as measured on {date}", serial=kept.serial, date=f"{kept.taken.astimezone():%Y-%m-%d}")
    print(said, file=sys.stderr)
