"""``raidwright import``: what mdadm prints of an array, or the command that made it, as a plan."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from raidwright.cli.options.devices import add_device_options, disks_of_machine
from raidwright.cli.options.plans import STANDARD_INPUT, plan_text
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.reading.mdadm_reports import read_report
from raidwright.core.reading.pasted import disk_at
from raidwright.text.catalogue import tr, translated


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("import", help=tr("make a plan of what mdadm prints of an array"))
    parser.add_argument(
        "report",
        metavar="FILE",
        nargs="?",
        default=STANDARD_INPUT,
        help=tr(
            "what mdadm --detail, mdadm --detail --export, or mdadm --examine of its members printed; - (the default) "
            "is standard input"
        ),
    )
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    disks = disks_of_machine(options)
    report = read_report(plan_text(options.report), lambda path: _size(path, disks, options.disk_size))
    plan = report.plan.each_disk(lambda member: _known(member, disks))
    for sentence in report.unsaid:
        print(tr("Not in the report: {what}", what=translated(sentence)), file=sys.stderr)
    print(json.dumps(dump_plan(plan), indent=2, ensure_ascii=False))
    return 0


def _size(path: str, disks: Sequence[Disk], size_bytes: int | None) -> int | None:
    known = disk_at(path, disks)
    return known.size_bytes if known else size_bytes


def _known(member: Member, disks: Sequence[Disk]) -> Member:
    """The machine's disk in the place of a name, where it has that."""
    return disk_at(f"/dev/{member.id}", disks) or disk_at(f"/dev/disk/by-id/{member.id}", disks) or member
