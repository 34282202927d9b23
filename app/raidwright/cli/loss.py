"""``raidwright loss``: a plan's probability of losing the array, or a sector, over the years, and its drivers."""

from __future__ import annotations

import argparse
import json
import math
from functools import partial

from rich.console import Console
from rich.table import Table

from raidwright.analysis.reliability.assumptions import DISTRIBUTIONS, Assumptions
from raidwright.analysis.reliability.drivers import tornado, what_it_buys
from raidwright.analysis.reliability.loss import Loss, ideal_loss, loss_of
from raidwright.analysis.reliability.loss_json import assumptions_of, bought_as_json, loss_as_json, simulated_as_json
from raidwright.analysis.reliability.simulation import simulate, story_of
from raidwright.cli.options.numbers import decimal
from raidwright.cli.options.plans import plan_text
from raidwright.core.errors import InputError
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.plan import Plan
from raidwright.reading.plans import loads_plan
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.loss import (
    assumed_words,
    bought_sentence,
    chance_in_words,
    driver_name,
    loss_sentences,
    range_in_words,
    range_meaning,
)

_MAX_ARRAYS = 100_000_000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("loss", help=tr("say how likely a plan loses data over the years, and why"))
    parser.add_argument("plan", metavar="PLAN", help=tr("a plan's JSON file; - reads standard input"))
    parser.add_argument("--years", type=decimal, default=5.0, metavar="Y", help=tr("over so many years (5)"))
    parser.add_argument("--json", action="store_true", help=tr("print one JSON object"))
    for name, one in ASSUMED.items():
        purpose = translated(one.purpose).replace("%", "%%")
        if name == "failure_rate":
            parser.add_argument("--afr", type=_rate, metavar="A", help=purpose)
        else:
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, dest=name, type=partial(_assumed, name), metavar="X", help=purpose)
    parser.add_argument(
        "--simulate", type=partial(_count, least=1), metavar="N", help=tr("also play N arrays event by event")
    )
    parser.add_argument("--seed", type=_count, default=1, help=tr("of the simulation (1)"))
    parser.add_argument(
        "--ideal",
        action="store_true",
        help=tr(
            "switch every refinement off: constant rate, repairs of all failed disks at once, each exponential; "
            "needs --afr and --repair-hours"
        ),
    )
    parser.add_argument(
        "--repair-hours", type=decimal, metavar="H", help=tr("with --ideal: the mean repair; inf: none")
    )


def _count(text: str, least: int = 0) -> int:
    if not (text.isdecimal() and least <= int(text) <= _MAX_ARRAYS):
        raise argparse.ArgumentTypeError(
            tr(
                "“{text}” must be a whole number from {least} to {most:,}",
                text=text,
                least=least,
                most=_MAX_ARRAYS,
            )
        )
    return int(text)


def _assumed(name: str, text: str) -> float:
    value = decimal(text)
    if wrong := ASSUMED[name].refusal(value):
        raise argparse.ArgumentTypeError(tr("it {wrong}", wrong=wrong))
    return value


def _rate(text: str) -> float:
    return decimal(text[:-1]) / 100 if text.endswith("%") else decimal(text)


def run(options: argparse.Namespace) -> int:
    plan = loads_plan(plan_text(options.plan))
    if options.ideal:
        return _ideal(options, plan)
    if options.repair_hours is not None:
        raise InputError(
            "--repair-hours goes with --ideal; without it give --replacement-hours and --rebuild-mb-s.", code="usage"
        )
    assumptions = _assumptions(options, plan)
    loss = loss_of(plan, assumptions, options.years)
    bought = what_it_buys(plan, assumptions, options.years)
    played = None
    if options.simulate:
        played = simulate(plan, story_of(plan, assumptions), options.years, options.simulate, options.seed)
    if options.json:
        answer = loss_as_json(loss) | {"what_it_buys": [bought_as_json(one) for one in bought]}
        print(json.dumps(answer | ({"simulation": simulated_as_json(played)} if played else {}), ensure_ascii=False))
        return 0
    _print(loss)
    for one in bought:
        print(f"  {bought_sentence(one)}")
    if played:
        seen = range_in_words(*played.interval(played.lost))
        print(
            tr(
                "Simulated {arrays:,} arrays: {lost:,} lost, which means {seen} (with 95% confidence).",
                arrays=played.arrays,
                lost=played.lost,
                seen=seen,
            )
        )
    return 0


def _assumptions(options: argparse.Namespace, plan: Plan) -> Assumptions:
    """Return the plan's assumptions, overridden by the options."""
    if options.afr is not None and (wrong := ASSUMED["failure_rate"].refusal(options.afr)):
        raise InputError("--afr {wrong}.", code="assumption", name="failure_rate", wrong=wrong)
    given = {"failure_rate": options.afr} | {name: getattr(options, name) for name in ASSUMED if name in options}
    return Assumptions.of(plan, ((name, value) for name, value in given.items() if value is not None))


def _ideal(options: argparse.Namespace, plan: Plan) -> int:
    if options.afr is None or options.repair_hours is None:
        raise InputError("--ideal needs --afr and --repair-hours.", code="usage")
    ideal = ideal_loss(plan, options.afr, options.repair_hours, options.years)
    mean = ideal.mttdl_hours if math.isfinite(ideal.mttdl_hours) else None
    if options.json:
        print(
            json.dumps(
                {
                    "years": options.years,
                    "p_loss": ideal.p_loss,
                    "mttdl_hours": mean,
                    "exact": ideal.exact,
                    "assumptions": {
                        "afr": options.afr,
                        "failures_per_hour": options.afr / 8760,
                        "hours_a_year": 8760,
                        "repair_hours": options.repair_hours if math.isfinite(options.repair_hours) else None,
                        "model": "constant failure rate of afr/8760 an hour; all failed disks are repaired at once, "
                        "each in an exponential time; no latent errors, no batch",
                    },
                }
            )
        )
    else:
        print(tr("P(loss in {years:g} years) = {p_loss:.16g}", years=options.years, p_loss=ideal.p_loss))
        print(
            tr("Mean time to data loss: never")
            if mean is None
            else tr("Mean time to data loss: {mean:.16g} hours", mean=mean)
        )
    return 0


def _print(loss: Loss) -> None:
    console = Console(highlight=False)
    for sentence in loss_sentences(loss):
        console.print(sentence)
    console.print(range_meaning(), style="dim")
    table = Table(
        tr("What matters, each alone"), tr("if it goes well"), tr("if it goes badly"), box=None, pad_edge=False
    )
    for title, swings in ((tr("array"), tornado(loss)), (tr("sector"), tornado(loss, sectors=True))):
        for swing in swings[:3]:
            table.add_row(
                f"{driver_name(swing.driver)} ({title})", chance_in_words(swing.safer), chance_in_words(swing.worse)
            )
    console.print(table)
    console.print(tr("Assumed, each with its likely value, its range and how it is distributed there:"), style="bold")
    for name, unit, one in assumptions_of(loss):
        console.print(f"  {assumed_words(name, unit, one)}", style="dim")
    console.print(translated(DISTRIBUTIONS), style="dim")
