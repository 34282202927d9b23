"""``raidwright import``: a report of an array, as mdadm or the kernel prints it, parsed into a plan."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from raidwright.cli.options.devices import add_device_options, disks_of_machine
from raidwright.cli.options.plans import STANDARD_INPUT, plan_text
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.reading.mdadm_reports import read_report
from raidwright.reading.pasted import disk_at
from raidwright.text.catalogue import tr, translated


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("import", help=tr("make a plan of what mdadm prints of an array"))
    parser.add_argument(
        "report",
        metavar="FILE",
        nargs="?",
        default=STANDARD_INPUT,
        help=tr(
            "what mdadm --detail, mdadm --detail --export, mdadm --examine of its members or /proc/mdstat printed; - "
            "(the default) is standard input"
        ),
    )
    parser.add_argument(
        "--array", metavar="ARRAY", default="", help=tr("the array that is meant where FILE is of several: md2, tank")
    )
    add_device_options(parser)


def run(options: argparse.Namespace) -> int:
    disks = disks_of_machine(options)
    report = read_report(plan_text(options.report), lambda path: _size(path, disks, options.disk_size), options.array)
    array = report.plan.each_disk(lambda member: _known(member, disks))
    for sentence in report.unsaid:
        print(tr("Not in the report: {what}", what=translated(sentence)), file=sys.stderr)
    for sentence in report.unplanned:
        print(tr("Not in the plan: {what}", what=translated(sentence)), file=sys.stderr)
    print(json.dumps(dump_plan(Plan(array)), indent=2, ensure_ascii=False))
    return 0


def _size(path: str, disks: Sequence[Disk], size_bytes: int | None) -> int | None:
    known = disk_at(path, disks)
    return known.size_bytes if known else size_bytes


def _known(member: Member, disks: Sequence[Disk]) -> Member:
    """Return the machine's disk, or a partition of it, in place of a device name, if it exists."""
    if whole := disk_at(f"/dev/{member.id}", disks) or disk_at(f"/dev/disk/by-id/{member.id}", disks):
        return whole
    if member.disk is None:
        return member
    whole = disk_at(f"/dev/{member.disk}", disks) or disk_at(f"/dev/disk/by-id/{member.disk}", disks)
    if whole is None:
        return member
    return replace(
        member,
        id=f"{whole.id}-part{member.partition}",
        disk=whole.id,
        model=whole.model,
        serial=whole.serial,
        baseline=whole.baseline,
    )
