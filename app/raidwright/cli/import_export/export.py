"""``raidwright export``: a plan, or a running array, as text for other programs (``text.plan.exports``)."""

from __future__ import annotations

import argparse
import asyncio
import re
from dataclasses import fields
from pathlib import Path

from raidwright.cli.options.array import meant_array
from raidwright.cli.options.drawing import drawing
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.mdadm import add_mdadm_option, chosen_mdadm, refuse_for_mdadm
from raidwright.cli.options.plans import plan_text
from raidwright.cli.options.remove import add_remove_option, removals
from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.md.known import Kernel
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Plan
from raidwright.core.system.config_files import checked_mail
from raidwright.core.system.filesystem import FileSystemKind, checked_kind, checked_place
from raidwright.core.system.tuning import Tuning, read_tuning
from raidwright.core.units import marketing_bytes, parse_decimal, parse_size
from raidwright.export.surroundings import Surroundings
from raidwright.machine.array_plan import inner_uuids, plan_of
from raidwright.reading.plans import loads_plan
from raidwright.runs.baselines import Baselines
from raidwright.runs.files import write_file
from raidwright.runs.of_array import runs_of
from raidwright.runs.run import Run
from raidwright.text.catalogue import tr
from raidwright.text.plan.exports import FORMS, ExportRequest
from raidwright.text.reports.shopping_list import Prices

_UUID = re.compile(r"[0-9a-fA-F]{8}(:[0-9a-fA-F]{8}){3}")
_BUILDING = ("script", "mdadm", "ansible", "cloud-init")
_BOUGHT = ("shopping-list", "shopping-pdf")
_MAX_PRICE = 1e9
_TUNED = ("read_ahead_kib", "stripe_cache_size")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export",
        help=tr("write a plan as a script, a playbook, a recovery card, a report …"),
    )
    parser.add_argument("plan", metavar="PLAN", nargs="?", help=tr("a file, or - for standard input"))
    parser.add_argument("--array", metavar="ARRAY", help=tr("in a plan's place, an array of the machine as it runs"))
    parser.add_argument(
        "--as", dest="form", choices=FORMS, default="card", help=tr("%(default)s, unless told otherwise")
    )
    parser.add_argument("--uuid", type=_uuid, help=tr("the array's UUID, once it is built"))
    parser.add_argument(
        "--filesystem-uuid", type=_filesystem_uuid, metavar="UUID", help=tr("the file system's, for fstab")
    )
    kinds = [*FileSystemKind, "none"]
    parser.add_argument("--filesystem", default="ext4", metavar="KIND", help=tr("{kinds} (default: ext4)", kinds=kinds))
    parser.add_argument(
        "--mount", default="", metavar="FOLDER", help=tr("where it is mounted (/srv and the array's name)")
    )
    parser.add_argument("--mail", default="root", metavar="ADDRESS", help=tr("whom md tells when a disk fails (root)"))
    for name in _TUNED:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=tr("set at each start by udev"))
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help=tr("where to (default: standard output; a PDF needs a file)")
    )
    parser.add_argument(
        "--price", action="append", default=[], type=_price, metavar="SIZE=PRICE",
        help=tr("of one disk of that size, for a shopping list: 8TB=160; may be repeated"),
    )  # fmt: skip
    parser.add_argument("--currency", default="", help=tr("of the prices, such as EUR"))
    add_remove_option(parser, tr("what a script removes from a disk first"))
    add_mdadm_option(parser)
    add_machine_options(parser)


def _price(text: str) -> tuple[int, float]:
    size, _, price = text.partition("=")
    try:
        size_bytes, amount = marketing_bytes(parse_size(size)), parse_decimal(price)
    except (InputError, ValueError) as error:
        raise argparse.ArgumentTypeError(tr("must be a disk's size and price, such as 8TB=160")) from error
    if not 0 < amount < _MAX_PRICE:
        raise argparse.ArgumentTypeError(tr("must be a price above 0"))
    return size_bytes, amount


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise argparse.ArgumentTypeError(tr("must be as mdadm --detail shows it: four times eight hexadecimal digits"))
    return text


def _filesystem_uuid(text: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F-]{8,36}", text):
        raise argparse.ArgumentTypeError(tr("must be as blkid shows it"))
    return text


def run(options: argparse.Namespace) -> int:
    if bool(options.plan) == bool(options.array):
        raise InputError("Name a plan's file, or an array with --array.", code="usage")
    if options.array and options.form in _BUILDING:
        raise InputError(
            "{array} exists, and what builds it would overwrite it. --as card has how to start it, and the last "
            "resort.",
            code="usage",
            array=options.array,
        )
    if options.array:
        plan, uuid, inner, made_by = asyncio.run(_running(options))
    else:
        plan, uuid, inner, made_by = loads_plan(plan_text(options.plan)), options.uuid or "", (), None
    if options.remove and options.form not in _BUILDING:
        raise InputError("--remove goes with --as script and its like; nothing else removes anything.", code="usage")
    if (options.price or options.currency) and options.form not in _BOUGHT:
        raise InputError("Prices and a currency go with --as shopping-list and shopping-pdf.", code="usage")
    refuse_for_mdadm(options, plan)
    form = FORMS[options.form]
    if form.is_printed and options.output is None:
        raise InputError("A PDF needs a file: -o FILE.pdf.", code="usage")
    runs: tuple[Run, ...] = ()
    if form.tells_runs:
        plan, _measured = Baselines().filled_in(plan)
        runs = runs_of(plan, uuid)
    wanted = ExportRequest(
        plan,
        _around(options, plan),
        uuid,
        options.filesystem_uuid or "",
        runs,
        inner,
        chosen_mdadm(options),
        made_by,
        Prices(dict(options.price), options.currency),
    )
    text = form.text(wanted)
    if options.output is None:
        print(text, end="")
    else:
        write_file(options.output, _on_paper(text) if form.is_printed else text, "export-file")
    return 0


def _on_paper(page: str) -> bytes:
    content: bytes = drawing("raidwright.ui.printing").pdf_of(page)
    return content


def _around(options: argparse.Namespace, plan: Plan) -> Surroundings:
    given = {field.name: getattr(options, field.name) if field.name in _TUNED else None for field in fields(Tuning)}
    return Surroundings(
        kind=None if options.filesystem == "none" else checked_kind(options.filesystem),
        place=options.mount and checked_place(options.mount),
        mail=checked_mail(options.mail),
        tuning=read_tuning(Fields(given, tr("The settings"))),
        removed=removals(options, plan),
    )


async def _running(options: argparse.Namespace) -> tuple[Plan, str, tuple[str, ...], Kernel | None]:
    """Return the array as a plan, its UUID, those of its inner arrays, and the Linux that made it."""
    async with connected(chosen_machine(options)) as machine:
        await machine.facts_seen()
        array = meant_array(options.array, machine.snapshot)
        arrays = machine.snapshot.arrays
        return plan_of(array, arrays), array_uuid(array.uuid), inner_uuids(array, arrays), array.made_by
