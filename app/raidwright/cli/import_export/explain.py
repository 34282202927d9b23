"""``raidwright explain``: a pasted create command, word by word, and the plan that it means."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from raidwright.analysis.findings.finding import Finding
from raidwright.analysis.findings.of_commands import findings_of_paste
from raidwright.cli.options.devices import add_device_options, disks_of_machine
from raidwright.cli.options.mdadm import add_mdadm_option, chosen_mdadm, refuse_for_mdadm
from raidwright.cli.options.plans import STANDARD_INPUT, plan_text
from raidwright.cli.printing.findings import say_findings
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.mdadm import by_id_path
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.reading.pasted import Pasted, disk_at, member_named, plans_of, read_paste, refuse_options
from raidwright.text.catalogue import tr, translated

if TYPE_CHECKING:
    from raidwright.analysis.assessment import Assessment


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("explain", help=tr("explain an mdadm --create command, and make a plan of it"))
    parser.add_argument(
        "command",
        metavar="COMMAND",
        nargs="?",
        default=STANDARD_INPUT,
        help=tr("the command in quotes, as it stands on a page; - (the default) is standard input"),
    )
    add_device_options(parser)
    add_mdadm_option(parser)
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))


@dataclass(frozen=True, slots=True)
class _Explained:
    """A pasted command, the plan that it means, and its assessment or refusal.

    ``before`` are plans of arrays that the plan needs, such as the mirror that is its journal.
    """

    pasted: Pasted
    plan: Plan | None = None
    before: tuple[Plan, ...] = ()
    assessment: Assessment | None = None
    refusal: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings on the command and on the plan, gravest first."""
        return findings_of_paste(self.pasted, self.plan, self.assessment.findings if self.assessment else ())


def run(options: argparse.Namespace) -> int:
    pasted = read_paste(plan_text(options.command) if options.command == STANDARD_INPUT else options.command)
    size_bytes = options.disk_size or 0
    disks = disks_of_machine(options)
    is_planned = bool(pasted.commands) and bool(disks or size_bytes)
    explained = _explained(pasted, disks, size_bytes, options) if is_planned else _unplanned(pasted, options)
    if options.json:
        print(json.dumps(_as_json(explained), ensure_ascii=False))
    else:
        _print(explained)
    return PlanRefused.exit_code if explained.refusal else 0


def _explained(pasted: Pasted, disks: Sequence[Disk], size_bytes: int, options: argparse.Namespace) -> _Explained:
    from raidwright.analysis.assessment import assess  # noqa: PLC0415 -- imports numpy

    mdadm = chosen_mdadm(options)
    *before, plan = map(Plan, plans_of(pasted, lambda path: disk_at(path, disks) or _of_size(path, size_bytes), mdadm))
    try:
        refuse_options(pasted, mdadm if options.mdadm else None)
        refuse_for_mdadm(options, plan)
        assessment = assess(plan, {disk.id: disk for disk in disks}, mdadm=mdadm)
        return _Explained(pasted, plan, tuple(before), assessment)
    except PlanRefused as error:
        return _Explained(pasted, plan, refusal=error.sentence)


def _unplanned(pasted: Pasted, options: argparse.Namespace) -> _Explained:
    """Return the words alone, and what mdadm refuses of them whatever the disks are."""
    try:
        refuse_options(pasted, chosen_mdadm(options) if options.mdadm else None)
    except PlanRefused as error:
        return _Explained(pasted, refusal=error.sentence)
    return _Explained(pasted)


def _of_size(path: str, size_bytes: int) -> Member:
    if not size_bytes:
        raise InputError(
            "{path} is no whole disk of that machine; give its size: --disk-size 8TB.", code="disk-size", path=path
        )
    return member_named(path, size_bytes)


def _shell(explained: _Explained) -> str:
    """Return the plans' own commands, with the pasted device names where the machine's own are unknown.

    "" where none may be run: for a recovery, which only the pasted command does.
    """
    pasted, plan = explained.pasted, explained.plan
    if plan is None or explained.assessment is None or pasted.recovery_signs:
        return ""
    named = {member_named(path, 0).id: path for command in pasted.commands for path in command.paths()}
    commands = [
        command
        for each in (*explained.before, plan)
        for command in create_commands(each.top, lambda member: named.get(member.id) or by_id_path(member))
    ]
    return " && ".join(command.shell() for command in commands)


def _as_json(explained: _Explained) -> dict[str, object]:
    plan = explained.plan
    return {
        "commands": [[asdict(word) for word in words] for words in explained.pasted.words],
        "left_alone": list(explained.pasted.others),
        "plan": plan and dump_plan(plan),
        "command": _shell(explained) or None,
        "refusal": explained.refusal or None,
        "findings": [asdict(finding) for finding in explained.findings],
    }


def _print(explained: _Explained) -> None:
    console, pasted = Console(highlight=False), explained.pasted
    for words in pasted.words:
        table = Table.grid(padding=(0, 2))
        for word in words:
            table.add_row(escape(word.text), translated(word.why))
        console.print(table)
        console.print()
    for other in pasted.others:
        console.print(tr("Left alone: {command}", command=other), markup=False, soft_wrap=True)
    if explained.assessment is not None:
        from raidwright.cli.printing.assessed import show_shape  # noqa: PLC0415 -- imports numpy

        show_shape(console, explained.assessment)
    say_findings(console, explained.findings)
    if explained.refusal:
        console.print(tr("mdadm or md would refuse it: {why}", why=translated(explained.refusal)), markup=False)
    elif shell := _shell(explained):
        console.print(tr("With everything said that mdadm would choose by itself:"))
        console.print(shell, markup=False, soft_wrap=True)
    elif pasted.commands and explained.plan is None:
        console.print(tr("For the plan, say how large the disks are (--disk-size 8TB), or whose they are (--machine)."))
