"""``raidwright export PLAN --as …``: a plan as text for other places: a recovery card, a script, mdadm's file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from raidwright.cli.options.plans import plan_text
from raidwright.cli.options.remove import add_remove_option, removals
from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.mdadm import array_path, create_commands
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import loads_plan
from raidwright.core.protocol.facts import SignatureNames
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.export.removal import removal_commands
from raidwright.text.catalogue import tr

_UUID = re.compile(r"[0-9a-fA-F]{8}(:[0-9a-fA-F]{8}){3}")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("export", help=tr("write a plan as a recovery card, a script or mdadm's file"))
    parser.add_argument("plan", metavar="PLAN", help=tr("a file, or - for standard input"))
    parser.add_argument(
        "--as", dest="form", choices=_FORMS, default="card", help=tr("%(default)s, unless told otherwise")
    )
    parser.add_argument("--uuid", type=_uuid, help=tr("the array's UUID, once it is built"))
    add_remove_option(parser, tr("what a script removes from a disk first"))


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise argparse.ArgumentTypeError(tr("must be as mdadm --detail shows it: four times eight hexadecimal digits"))
    return text


def run(options: argparse.Namespace) -> int:
    plan = loads_plan(plan_text(options.plan))
    if options.remove and options.form != "script":
        raise InputError("--remove goes with --as script; nothing else removes anything.", code="usage")
    print(_FORMS[options.form](plan, options.uuid or "", removals(options, plan)), end="")
    return 0


def _card(plan: Plan, uuid: str, _removed: SignatureNames) -> str:
    return recovery_card(plan, BuiltArray(uuid) if uuid else None)


def _script(plan: Plan, _uuid: str, removed: SignatureNames) -> str:
    capacity_of(plan)  # refuses what mdadm would refuse
    whole = (*removal_commands(plan, {}, removed), *create_commands(plan))
    commands = "\n".join(command.shell() for command in whole)
    return f"#!/bin/sh\n# Makes the array {plan.name}. What is on its disks is lost.\nset -eu\n{commands}\n"


def _mdadm_conf(plan: Plan, uuid: str, _removed: SignatureNames) -> str:
    identity = f"UUID={uuid}" if uuid else f"name={plan.name}"
    return f"ARRAY {array_path(plan.name)} metadata={plan.metadata} {identity}\n"


_FORMS: dict[str, Callable[[Plan, str, SignatureNames], str]] = {
    "card": _card,
    "script": _script,
    "mdadm.conf": _mdadm_conf,
}
