"""Reading the verbs' arguments: values of a closed form, unknown keys refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, printable
from raidwright.core.plan import Plan
from raidwright.core.plan_json import read_plan
from raidwright.core.units import decimal_size
from raidwright.core.workload import Workload

from .wire import ACTIONS

_DISK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+=-]{0,127}")
_MOST_SECONDS = 600
_DEFAULT_SECONDS = 30
_MOST_NAMED = 24


def create_action(arguments: Sequence[Any]) -> str:
    """Scratch arrays have an action of their own; whatever isn't plainly one is asked about as the real thing."""
    is_scratch = arguments[1].get("scratch") is True
    return f"{ACTIONS}.create-scratch" if is_scratch else f"{ACTIONS}.create-array"


def create_details(arguments: Sequence[Any]) -> Mapping[str, str]:
    """What the prompt names: the array, and each disk by model, serial and size."""
    try:
        plan = read_plan(arguments[0])
    except InputError:
        return {"name": "?", "disks": "?"}  # refused once polkit has answered
    disks = [f"{disk.model or disk.id} {disk.serial} ({decimal_size(disk.size_bytes)})" for disk in plan.disks()]
    more = f" and {len(disks) - _MOST_NAMED} more" if len(disks) > _MOST_NAMED else ""
    return {"name": plan.name, "disks": ", ".join(disks[:_MOST_NAMED]) + more}


def read_create(arguments: Sequence[Any]) -> tuple[Plan, bool]:
    """The plan and whether it is for scratch; raises InputError when its name wasn't confirmed by typing it."""
    plan = read_plan(arguments[0])
    options = Fields(arguments[1], "The options")
    confirmed = options.require("confirmed_name", str)
    scratch = options.take("scratch", bool) or False
    options.finish()
    if confirmed != plan.name:
        raise InputError(
            f"The name that was typed, “{printable(confirmed)}”, is not the array's, “{plan.name}”.",
            code="name-mismatch",
        )
    return plan, scratch


def workload_action(arguments: Sequence[Any]) -> str:
    """Reading and writing are two actions; an unknown workload is asked about as writing."""
    reads = any(arguments[1] == workload and not workload.writes for workload in Workload)
    return f"{ACTIONS}.benchmark-read" if reads else f"{ACTIONS}.benchmark-write"


def target_details(arguments: Sequence[Any]) -> Mapping[str, str]:
    """What the prompt names: the array's UUID or the disk's by-id name (which has model and serial in it)."""
    return {"target": printable(arguments[0])}


def read_workload(arguments: Sequence[Any]) -> tuple[str, Workload, int, int | None]:
    """Target, workload, seconds and the region in MiB (None: all of it); raises InputError."""
    target, name, data = arguments
    try:
        workload = Workload(name)
    except ValueError:
        known = ", ".join(Workload)
        raise InputError(f"“{printable(name)}” is no workload; there are {known}.", code="workload") from None
    if not target.startswith("md:") and not _DISK_ID.fullmatch(target):
        raise InputError("The target is md: and an array's UUID, or a disk's by-id name.", code="target")
    options = Fields(data, "The options")
    seconds = options.positive("seconds") or _DEFAULT_SECONDS
    region_mib = options.positive("region_mib")
    options.finish()
    if seconds > _MOST_SECONDS:
        raise InputError(f"A workload runs for at most {_MOST_SECONDS} seconds.", code="seconds")
    return target, workload, seconds, region_mib
