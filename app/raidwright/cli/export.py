"""``raidwright export PLAN --as …``: a plan as text for other places: a recovery card, a script, mdadm's file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from ..core.capacity import capacity_of
from ..core.mdadm import array_path, create_commands
from ..core.plan import Plan
from ..core.plan_json import loads_plan
from ..core.recovery_card import BuiltArray, recovery_card
from .plans import plan_text

_UUID = re.compile(r"[0-9a-fA-F]{8}(:[0-9a-fA-F]{8}){3}")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("export", help="write a plan as a recovery card, a script or mdadm's file")
    parser.add_argument("plan", metavar="PLAN", help="a file, or - for standard input")
    parser.add_argument("--as", dest="form", choices=_FORMS, default="card", help="%(default)s, unless told otherwise")
    parser.add_argument("--uuid", type=_uuid, help="the array's UUID, once it is built")


def _uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise argparse.ArgumentTypeError("must be as mdadm --detail shows it: four times eight hexadecimal digits")
    return text


def run(options: argparse.Namespace) -> int:
    plan = loads_plan(plan_text(options.plan))
    print(_FORMS[options.form](plan, options.uuid or ""), end="")
    return 0


def _card(plan: Plan, uuid: str) -> str:
    return recovery_card(plan, BuiltArray(uuid) if uuid else None)


def _script(plan: Plan, _uuid: str) -> str:
    capacity_of(plan)  # refuses what mdadm would refuse
    commands = "\n".join(command.shell() for command in create_commands(plan))
    return f"#!/bin/sh\n# Makes the array {plan.name}. What is on its disks is lost.\nset -eu\n{commands}\n"


def _mdadm_conf(plan: Plan, uuid: str) -> str:
    identity = f"UUID={uuid}" if uuid else f"name={plan.name}"
    return f"ARRAY {array_path(plan.name)} metadata={plan.metadata} {identity}\n"


_FORMS: dict[str, Callable[[Plan, str], str]] = {"card": _card, "script": _script, "mdadm.conf": _mdadm_conf}
