"""``raidwright assess``: plans' capacity, survival, later changes, and mdadm command."""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.findings.of_host import findings_of_kernel
from raidwright.cli.options.mdadm import add_mdadm_option, chosen_mdadm, refuse_for_mdadm
from raidwright.cli.options.numbers import decimal
from raidwright.cli.options.plans import STANDARD_INPUT, plan_texts
from raidwright.cli.options.speed import add_speed_options, chosen_host, chosen_question
from raidwright.core.errors import InputError
from raidwright.core.md.known import Kernel
from raidwright.reading.plans import loads_plan
from raidwright.runs.baselines import Baselines, KeptBaseline
from raidwright.text.catalogue import tr, translated

if TYPE_CHECKING:
    from raidwright.analysis.performance.host import HostModel
    from raidwright.analysis.performance.question import Question

_SHARED_OUT = 32  # so many plans take longer than another process takes to start


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("assess", help=tr("say what plans hold and survive, and the mdadm command"))
    parser.add_argument("plans", metavar="PLAN", nargs="+", help=tr("a plan's JSON file; - reads one plan a line"))
    parser.add_argument("--json", action="store_true", help=tr("print one JSON object a plan"))
    parser.add_argument("--years", type=decimal, default=5.0, metavar="Y", help=tr("the loss within Y years (5)"))
    add_speed_options(parser)
    add_mdadm_option(parser)


def run(options: argparse.Namespace) -> int:
    """Assess all plans; return 2 if any can't be read or would be refused."""
    work = _Work(options, chosen_host(options), chosen_question(options), Baselines())
    texts = plan_texts(options.plans)
    if options.json and options.plans == [STANDARD_INPUT]:
        lines, processors = list(texts), len(os.sched_getaffinity(0))
        if len(lines) >= _SHARED_OUT and processors > 1:
            return _shared_out(work, lines, processors)
        texts = iter(lines)
    return max((work.assess(name, text) for name, text in texts), default=0)


@dataclass(frozen=True, slots=True)
class _Work:
    """The options and the question that apply to each plan."""

    options: argparse.Namespace
    host: HostModel
    question: Question
    baselines: Baselines

    def assess(self, name: str, text: str) -> int:
        """Print the assessment of one plan, or its refusal; return the exit code."""
        options = self.options
        try:
            plan, measured = self.baselines.filled_in(loads_plan(text))
            refuse_for_mdadm(options, plan)
            assessment = assess(plan, mdadm=chosen_mdadm(options))
            if options.kernel is not None:
                assessment = _on_kernel(assessment, (self.host.kernel[0], self.host.kernel[1]))
        except InputError as error:
            refused = {"error": error.sentence, "code": error.code}  # in place of an assessment
            print(json.dumps(refused, ensure_ascii=False) if options.json else f"{name}: {translated(error.sentence)}")
            return error.exit_code
        for kept in measured:
            _say_measured(kept)
        from raidwright.cli.printing import assessed  # noqa: PLC0415 -- brings numpy, which a refusal doesn't wait for

        assessed.show(
            name, assessment, years=options.years, json_wanted=options.json, host=self.host, question=self.question
        )
        return 0

    def captured(self, line: tuple[str, str]) -> tuple[int, str, str]:
        """Return the exit code, and what goes to stdout and to stderr, of a (name, text)."""
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            status = self.assess(*line)
        return status, out.getvalue(), err.getvalue()


def _on_kernel(assessment: Assessment, kernel: Kernel) -> Assessment:
    """Return the assessment with what is known of the Linux that was asked about."""
    found = (*assessment.findings, *findings_of_kernel(assessment.plan, kernel))
    return replace(assessment, findings=tuple(sorted(found, key=lambda finding: finding.weight)))


def _shared_out(work: _Work, lines: list[tuple[str, str]], processors: int) -> int:
    """Assess ``lines`` in a process for each processor, forked before numpy is imported; print in the lines' order."""
    status = 0
    fork = multiprocessing.get_context("fork")
    with fork.Pool(processors, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        for code, out, err in pool.imap(work.captured, lines, chunksize=_SHARED_OUT // 4):
            print(err, end="", file=sys.stderr)
            print(out, end="")
            status = max(status, code)
    return status


def _say_measured(kept: KeptBaseline) -> None:
    """Print on stderr which disks' speeds were measured, and when."""
    said = tr("{serial}: as measured on {date}", serial=kept.serial, date=f"{kept.taken.astimezone():%Y-%m-%d}")
    print(said, file=sys.stderr)
