"""``raidwright build PLAN``: build a plan's array through the helper, after its name is typed."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from dataclasses import asdict

from rich.console import Console

from raidwright.analysis.findings.of_host import findings_of_host, refuse_on_host
from raidwright.cli.options.machine import add_machine_options, chosen_machine, connected
from raidwright.cli.options.plans import plan_text
from raidwright.cli.options.progress import say_progress
from raidwright.cli.options.remove import add_remove_option, removals
from raidwright.cli.options.terminal import read_line
from raidwright.cli.printing.findings import say_findings
from raidwright.core.errors import Denied, DiskRefused, InputError
from raidwright.core.lvm.joined import volume_path
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.model.disk import LIVE_USES, Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import BACKUPS, KEPT_DAYS, HostFacts, SignatureNames
from raidwright.core.protocol.results import BuildResult
from raidwright.core.protocol.signature_names import array_of, half_of
from raidwright.core.sizes import decimal_size
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.reading.plans import loads_plan
from raidwright.text.catalogue import tr, with_semicolons
from raidwright.text.disk.facts import in_use_words

from .disks import disks_of
from .printing.uses import describe_use


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("build", help=tr("build a plan's array through the helper"))
    parser.add_argument("plan", metavar="PLAN", help=tr("a file, or - for standard input"))
    parser.add_argument("--yes-name", metavar="NAME", help=tr("the array's name, to confirm without being asked"))
    add_remove_option(parser, tr("what may be removed from a disk"))
    parser.add_argument(
        "--homehost", metavar="HOST", default="", help=tr("whose array it is (mdadm takes this computer)")
    )
    add_machine_options(parser)
    parser.add_argument("--json", action="store_true", help=tr("print the result as JSON"))


def run(options: argparse.Namespace) -> int:
    plan = loads_plan(plan_text(options.plan))
    result = asyncio.run(_build(options, plan))
    if options.json:
        print(json.dumps(asdict(result), indent=2, ensure_ascii=False))
    else:
        print(
            tr(
                "{device} runs: {array_bytes:size}, UUID {uuid}.",
                device=volume_path(plan.name) if plan.volume else result.device,
                array_bytes=result.array_sectors * 512,
                uuid=result.uuid,
            )
        )
        print(
            tr(
                "As long as it holds nothing, “raidwright builds --undo {build_id}” takes it back.",
                build_id=result.build_id,
            )
        )
        print(
            tr(
                "What was on both ends of the disks is kept for that in {backups} for {kept_days} days, old keys of "
                "encrypted disks too; “raidwright builds --forget {build_id}” deletes it.",
                backups=BACKUPS,
                kept_days=KEPT_DAYS,
                build_id=result.build_id,
            )
        )
    return 0


async def _build(options: argparse.Namespace, plan: Plan) -> BuildResult:
    removed = removals(options, plan)
    async with connected(chosen_machine(options)) as machine:
        disks = await disks_of(machine)
        host = machine.snapshot.host or HostFacts()
        refuse_on_host(plan, host)
        _refuse_in_use(plan, disks)
        _say_what_it_means(plan, disks)
        say_findings(Console(stderr=True, highlight=False), tuple(findings_of_host(plan, host, disks)))
        _confirm_removals(await _carried(plan, disks, machine), removed)
        name = options.yes_name if options.yes_name is not None else await _ask_name(plan)
        _confirm(plan, name)
        return await CreateArray(plan, name, removed, homehost=options.homehost).perform(machine, say_progress)


def _refuse_in_use(plan: Plan, disks: tuple[Disk, ...]) -> None:
    """Raise DiskRefused, with what uses it, if a disk of the plan is in use."""
    by_name = _by_name(disks)
    found = (by_name.get(member.failure_unit) for member in _overwritten(plan))
    if sentence := in_use_words(disk for disk in found if disk is not None):
        raise DiskRefused(sentence, code="disk-in-use")


async def _carried(plan: Plan, disks: tuple[Disk, ...], machine: Machine) -> SignatureNames:
    """Return the signatures of the plan's disks, by id, except disks in use, which the helper refuses with a reason."""
    by_name = _by_name(disks)
    found = ((member.id, by_name.get(member.failure_unit)) for member in _overwritten(plan))
    ids = [member_id for member_id, disk in found if disk and not any(use.kind in LIVE_USES for use in disk.uses)]
    try:
        carried = await ExamineSignatures(tuple(ids), wake=True).perform(machine)
    except Denied:  # the build itself asks for a password, and refuses unconfirmed signatures
        return {}
    return all_of(carried)


def _confirm_removals(carried: SignatureNames, removed: SignatureNames) -> None:
    wanting = {disk: names for disk, names in carried.items() if removed.get(disk) != names}
    if wanting:
        arrays = sorted({f"“{name}”" for names in wanting.values() for word in names if (name := array_of(word))})
        options = " ".join(shlex.join(("--remove", f"{disk}={','.join(names)}")) for disk, names in wanting.items())
        if halves := [half for names in wanting.values() for half in map(half_of, names) if half]:
            raise InputError(
                "A disk is a half of “{array}” that was written to on its own until {when}. Building on it destroys "
                "what only it holds. If that is unwanted, say so by name, with {options}. Nothing was done.",
                code="not-confirmed",
                array=halves[0][0],
                when=halves[0][1],
                options=options,
            )
        if arrays:
            raise InputError(
                "Some of these disks belong to stopped arrays that can be started again: {arrays}. Building destroys "
                "their part of those arrays. If that is unwanted, say so by name, with {options}. Nothing was done.",
                code="not-confirmed",
                arrays=arrays,
                options=options,
            )
        raise InputError(
            "These disks carry something. If nothing of it is wanted, say so with {options}. Nothing was done.",
            code="not-confirmed",
            options=options,
        )


def _confirm(plan: Plan, name: str) -> None:
    if name != plan.name:
        raise InputError(
            "The name given is “{given}”, the plan's is “{name}”. Nothing was done.",
            code="not-confirmed",
            given=name,
            name=plan.name,
        )


def _say_what_it_means(plan: Plan, disks: tuple[Disk, ...]) -> None:
    """Print on stderr each disk that would be overwritten, and its content."""
    by_name = _by_name(disks)
    print(
        tr("To build “{name}” ({level}), everything on these disks is given up:", name=plan.name, level=plan.word),
        file=sys.stderr,
    )
    for member in _overwritten(plan):
        disk = by_name.get(member.failure_unit)
        if disk is None:
            absent = tr("{id}: not on this machine", id=member.id)
            print(f"  {absent}", file=sys.stderr)
        else:
            uses = with_semicolons(*map(describe_use, disk.uses)) or tr("free")
            size = decimal_size(disk.size_bytes)
            print(f"  {disk.device}  {disk.model}  {disk.serial}  {size}  {uses}", file=sys.stderr)


def _overwritten(plan: Plan) -> tuple[Member, ...]:
    """Return what is given up for the plan: its disks, whole ones if it is a joined volume."""
    return whole_disks(plan.top)


def _by_name(disks: tuple[Disk, ...]) -> dict[str, Disk]:
    return {name: disk for disk in disks for name in (disk.id, *disk.by_id)}


async def _ask_name(plan: Plan) -> str:
    if not sys.stdin.isatty():
        raise InputError("To confirm, give the array's name: --yes-name {name}.", code="not-confirmed", name=plan.name)
    return (await read_line(tr("Type the array's name, {name}, to go on: ", name=plan.name))).strip()
