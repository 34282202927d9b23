"""A shoot-out from the named disks to its findings; progress on standard error."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence

from raidwright.cli.options.disks import confirm_overwriting, meant_disks, say_way_over_unknown
from raidwright.cli.options.machine import connected
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.core.protocol.measured import Sample
from raidwright.machine.address import MachineAddress
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.operations.shootout.contest import Contest
from raidwright.operations.shootout.results import Findings
from raidwright.operations.shootout.shootout import Shootout, Standing
from raidwright.operations.shootout.studies import Study
from raidwright.runs.baselines import Baselines
from raidwright.text.catalogue import tr
from raidwright.text.run.shootout import standing_words

from .cleaning import say_what_is_left


async def hold(
    options: argparse.Namespace,
    address: MachineAddress,
    contest_of: Callable[[tuple[Member, ...], tuple[Member, ...]], Contest],
) -> Findings:
    """Hold the contest on the disks in ``options``, once a person has released them for overwriting.

    ``contest_of`` gets them, and those that take part as they are (``--beside``).
    """
    async with connected(address) as machine:
        await machine.facts_seen()
        await say_what_is_left(machine)
        named: Sequence[str] = getattr(options, "beside", None) or ()
        beside = _empty_disks(named, machine.snapshot.disks) if named else ()
        ids = {disk.id for disk in beside}
        seen = tuple(disk for disk in machine.snapshot.disks if disk.id not in ids)
        disks = _empty_disks(options.disks, seen)
        contest = contest_of(*(tuple(disk.as_member() for disk in some) for some in (disks, beside)))
        disks = (*disks, *beside)
        _say_what_comes(contest)
        await _confirm(options, disks)
        unknown = frozenset(disk.id for disk in disks) if options.overwrite_unknown else frozenset()
        keep = not options.no_save
        shootout = Shootout(contest, address.title, address.is_practice, keep=keep, unknown=unknown)
        try:
            return await shootout.perform(machine, _say)
        except DiskRefused as error:
            say_way_over_unknown(error)
            raise


async def let_overwrite(options: argparse.Namespace, machine: Machine) -> tuple[Disk, ...]:
    """Return the empty disks in ``options``, once a person has released them for overwriting."""
    disks = _empty_disks(options.disks, machine.snapshot.disks)
    await _confirm(options, disks)
    return disks


async def _confirm(options: argparse.Namespace, disks: tuple[Disk, ...]) -> None:
    if options.yes:
        return
    what = tr("The first {gib:g} GiB of these disks is written over:", gib=options.slice_gib)
    if options.cross_paired or getattr(options, "study", None) == Study.MIRRORS:
        what = tr(
            "The first {gib:g} GiB of these disks is written over, half of it in their middle for two of them:",
            gib=options.slice_gib,
        )
    await asyncio.to_thread(confirm_overwriting, disks, what)


def _empty_disks(texts: Sequence[str], seen: tuple[Disk, ...]) -> tuple[Disk, ...]:
    """Return the disks in ``texts``, with their baselines; ``all`` are the empty ones. Raises InputError."""
    if list(texts) == ["all"]:
        seen = tuple(disk for disk in seen if disk.is_free)
    disks = meant_disks(texts, seen)
    if busy := [disk.device for disk in disks if not disk.is_free]:
        raise InputError(
            "A shoot-out is held on empty disks alone; {busy} hold something or are in use.", code="busy", busy=busy
        )
    if not disks:
        raise InputError(
            "No disk of that machine is empty; raidwright disks says what each is in use for.", code="busy"
        )
    return tuple(map(Baselines().with_measured, disks))


def _say_what_comes(contest: Contest) -> None:
    said = tr(
        "{count} candidates and one disk alone, {seconds} s a measurement, about {minutes:.0f} minutes in all.",
        count=len(contest.contestants) - 1,
        seconds=contest.seconds,
        minutes=contest.total_s / 60,
    )
    print(said, file=sys.stderr)


def _say(update: JobProgress | Sample) -> None:
    if isinstance(update, Standing):
        print(standing_words(update), file=sys.stderr)
