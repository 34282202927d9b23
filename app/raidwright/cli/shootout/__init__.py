"""``raidwright shootout``: candidates built on a slice of each disk, measured, compared, and removed."""

from __future__ import annotations

import argparse
import asyncio
import json
from functools import partial
from pathlib import Path

from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.analysis.advice.ranking import Wishes, candidates_for
from raidwright.cli.options.machine import add_machine_options, chosen_machine
from raidwright.cli.options.numbers import counts
from raidwright.cli.options.report import add_report_options, check_over, overlay_of, write_report
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Bitmap, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.filesystem import ALIGNED_KINDS, MEASURED_KINDS, FileSystemKind, checked_kind
from raidwright.core.units import parse_decimal
from raidwright.operations.job_file import read_job_file
from raidwright.operations.shootout.contest import Contest, Others, contest_of
from raidwright.operations.shootout.studies import STUDIES, Question, Study
from raidwright.reading.fio_job import own_suite
from raidwright.runs.files import write_file
from raidwright.runs.run import ArrayState
from raidwright.suites import REPEATS, AnySuite, Suite, read_suite
from raidwright.text.catalogue import tr
from raidwright.text.reports.of_shootout import report_of

from .cleaning import clean
from .holding import hold
from .output import as_json, print_curves, print_findings

_GIB = 2**30
_DEFAULT_SLICE_GIB = 4.0
_DEFAULT_MINUTES = 30.0
_TOP = 4


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "shootout", help=tr("build candidates on a slice of empty disks, measure them, take them away")
    )
    parser.add_argument(
        "disks",
        metavar="DISK",
        nargs="*",
        help=tr("a disk's serial number, by-id name or device; all: every empty one"),
    )
    _add_candidates(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--suite", type=read_suite, metavar="NAME",
        help=tr("what is measured: {suites} (default: {default})", suites=list(Suite), default=Suite.QUICK),
    )  # fmt: skip
    what.add_argument("--job", type=Path, metavar="FILE", help=tr("one's own: a fio job that names no file or program"))
    parser.add_argument(
        "--file-systems", type=_file_systems, metavar="KINDS",
        help=tr("of the suite of files: {kinds} (default: the first two)", kinds=list(MEASURED_KINDS)),
    )  # fmt: skip
    parser.add_argument(
        "--states", type=_states, metavar="STATES",
        help=tr("in which states: {states} (default: the first two)", states=list(ArrayState)),
    )  # fmt: skip
    parser.add_argument(
        "--slice-gib", type=_positive, default=_DEFAULT_SLICE_GIB, metavar="GIB",
        help=tr("on so much of each disk, from its beginning (default: %(default)s)"),
    )  # fmt: skip
    parser.add_argument(
        "--minutes", type=_positive, default=_DEFAULT_MINUTES, help=tr("how long it may take (default: %(default)s)")
    )
    parser.add_argument(
        "--repeats", type=int, choices=range(1, 11), default=REPEATS, metavar="N",
        help=tr("how often what counts is measured (1 to 10, default: %(default)s)"),
    )  # fmt: skip
    add_report_options(parser)
    parser.add_argument("--clean", action="store_true", help=tr("take away what earlier ones have left, and no more"))
    parser.add_argument("--plan", type=Path, metavar="FILE", help=tr("write the winner's plan there"))
    parser.add_argument("--yes", action="store_true", help=tr("don't ask for each disk's serial number"))
    parser.add_argument(
        "--overwrite-unknown", action="store_true",
        help=tr("also over bytes that nothing recognises, as an encrypted disk has them"),
    )  # fmt: skip
    parser.add_argument("--no-save", action="store_true", help=tr("don't keep the runs"))
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON instead of tables"))


def _add_candidates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study", type=Study, choices=list(Study), metavar="NAME",
        help=tr("the layouts, chunks and suite of a published question: {studies}", studies=list(Study)),
    )  # fmt: skip
    parser.add_argument(
        "--levels", metavar="LEVELS",
        help=tr("which: raid0,raid5:all,raid10:f2,raid5@3 (default: the first {count} that are advised)", count=_TOP),
    )  # fmt: skip
    parser.add_argument("--chunks", type=counts, default=(None,), metavar="KIB", help=tr("with chunks of: 64,512"))
    parser.add_argument("--members", type=counts, default=(), metavar="N", help=tr("of so many disks: 3,4"))
    parser.add_argument(
        "--cross-paired", action="store_true", help=tr("two mirrors across the halves of the first two disks, striped")
    )
    parser.add_argument(
        "--beside", action="append", metavar="DISK",
        help=tr("an empty disk that takes part as it is, such as a hardware controller's volume"),
    )  # fmt: skip
    parser.add_argument("--no-bitmap", action="store_true", help=tr("with --levels: without a write-intent bitmap"))


def _states(text: str) -> tuple[ArrayState, ...]:
    wanted = [word.strip() for word in text.split(",")]
    if unknown := sorted(set(wanted) - set(ArrayState)):
        raise argparse.ArgumentTypeError(tr("knows no {unknown}; there are {known}", unknown=unknown,
                                            known=list(ArrayState)))  # fmt: skip
    return tuple(state for state in ArrayState if state in wanted)  # in the only order in which they can be reached


def _file_systems(text: str) -> tuple[FileSystemKind, ...]:
    return tuple(dict.fromkeys(checked_kind(word.strip()) for word in text.split(",")))


def _positive(text: str) -> float:
    try:
        value = parse_decimal(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(tr("must be a number above 0"))
    return value


def run(options: argparse.Namespace) -> int:
    """Run the shoot-out; return 1 if --clean couldn't remove everything."""
    if options.clean:
        return asyncio.run(clean(chosen_machine(options)))
    if not options.disks:
        raise InputError("Name the disks, or say all; raidwright disks lists them.", code="usage")
    check_over(options)
    if options.study and (options.levels or options.members or options.cross_paired):
        raise InputError("A study says which layouts take part; leave out --levels and the like.", code="usage")
    findings = asyncio.run(hold(options, chosen_machine(options), partial(_contest, options)))
    slice_bytes, overlay = int(options.slice_gib * _GIB), overlay_of(options, findings)
    if options.plan is not None and findings.winner is not None:
        wanted = findings.contest.contestants[findings.winner].wanted
        write_file(options.plan, json.dumps(dump_plan(wanted), indent=2, ensure_ascii=False) + "\n", "file")
    if options.report is not None:
        write_report(options.report, report_of(findings, slice_bytes, overlay))
    if options.json:
        print(json.dumps(as_json(findings, slice_bytes), indent=2, ensure_ascii=False))
    else:
        print_findings(findings, slice_bytes)
        print_curves(findings, overlay)
    return 0


def _contest(options: argparse.Namespace, members: tuple[Member, ...], beside: tuple[Member, ...]) -> Contest:
    slice_bytes = int(options.slice_gib * _GIB)
    question = STUDIES[options.study] if options.study else None
    plans = _plans(options, members, question)
    pair = members[:2] if options.cross_paired or (question and question.cross_paired) else ()
    if len(pair) == 1:
        raise InputError("Cross-paired mirrors take two disks.", code="members")
    suite: AnySuite = options.suite or (question.suite if question else Suite.QUICK)
    if options.job is not None:
        suite = own_suite(read_job_file(options.job))
    states = options.states or (question.states if question else (ArrayState.HEALTHY, ArrayState.DEGRADED))
    kinds = options.file_systems or (question.kinds if question else ALIGNED_KINDS)
    others = Others(tuple(pair), beside, kinds)
    return contest_of(plans, slice_bytes, suite, states, options.minutes, options.repeats, others)


def _plans(options: argparse.Namespace, members: tuple[Member, ...], question: Question | None) -> tuple[Plan, ...]:
    if question is not None:
        return question.plans(members)
    if options.levels:
        bitmap = Bitmap.NONE if options.no_bitmap else Bitmap.INTERNAL
        return matrix(members, read_shapes(options.levels), options.chunks, options.members, bitmap)
    if options.cross_paired:
        return ()
    ranked = candidates_for(members, Wishes()).candidates
    single = [one.prepared.plan for one in ranked if not one.prepared.plan.volume]  # it measures single arrays
    return tuple(single[:_TOP])
