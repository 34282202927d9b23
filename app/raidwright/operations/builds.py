"""Building the array of a plan, and undoing a build."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_member, dump_plan
from raidwright.core.protocol import verbs
from raidwright.core.protocol.facts import UNKNOWN, BuildRecord, BuildStep, ScratchRecord, SignatureNames
from raidwright.core.protocol.results import BuildResult, ScratchStopped, UndoResult
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.snapshot_conditions import brought_back, gone

from .operation import Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class CreateArray(Request[BuildResult]):
    """Build ``plan``; ends when the array runs, while its resync continues.

    ``confirmed_name``, as a person typed it, must be the plan's. ``wipe`` names, by disk, the signatures released for
    erasure (``DiskSignature.name``); any other signature is refused. A ``scratch`` array is removed when its owner
    disconnects. ``homehost`` is the array's homehost; "" is the computer that builds it. ``halved`` are the whole disks
    whose halves make up a scratch array (``core.model.halves``).
    """

    verb = verbs.CREATE_ARRAY
    plan: Plan
    confirmed_name: str
    wipe: SignatureNames = field(default_factory=dict)
    scratch: bool = False
    homehost: str = ""
    halved: tuple[Member, ...] = ()

    def arguments(self) -> tuple[object, ...]:
        options: dict[str, object] = {"confirmed_name": self.confirmed_name, "scratch": self.scratch}
        if self.wipe:
            options["wipe"] = {disk: list(names) for disk, names in self.wipe.items()}
        if self.homehost:
            options["homehost"] = self.homehost
        if self.halved:
            options["halved"] = [dump_member(disk) for disk in self.halved]
        return (dump_plan(self.plan), options)


@dataclass(frozen=True, slots=True)
class ListBuilds(Request[tuple[BuildRecord, ...]]):
    """List the caller's own builds on this machine, the latest first. Never prompts."""

    verb = verbs.LIST_BUILDS


@dataclass(frozen=True, slots=True)
class Undo(Request[UndoResult]):
    """Stop the array of a build and restore the previous content of its disks.

    Refused once anything was written to the array; an interrupted undo can be repeated.
    """

    verb = verbs.UNDO
    build_id: str

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> UndoResult:
        """As ``Operation.perform``; snapshots of the machine are withheld until the build is undone."""
        builds = await ListBuilds().perform(machine)
        uuid, steps = next(((one.uuid, one.steps) for one in builds if one.id == self.build_id), ("", ()))
        turned = brought_back(uuid) if BuildStep.DISMANTLE in steps else gone(machine.snapshot, uuid)
        async with machine.turning(turned):
            return await super(Undo, self).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class ForgetBuild(Request[None]):
    """Delete the backup of a build's disks; the build can't be undone afterwards."""

    verb = verbs.FORGET_BUILD
    build_id: str


@dataclass(frozen=True, slots=True)
class StopScratch(Request[ScratchStopped]):
    """Stop the scratch array ``uuid`` and free its disks."""

    verb = verbs.STOP_SCRATCH
    uuid: str


@dataclass(frozen=True, slots=True)
class ListScratch(Request[tuple[ScratchRecord, ...]]):
    """List the existing scratch arrays. Never prompts."""

    verb = verbs.LIST_SCRATCH


@dataclass(frozen=True, slots=True)
class BeginTrial(Request[None]):
    """Request authorisation, once, for scratch arrays on the empty ``disks`` for ``minutes``.

    On ``unknown``, by-id names, unrecognised bytes may be overwritten; on other disks they are refused.
    """

    verb = verbs.BEGIN_TRIAL
    disks: tuple[Member, ...]
    minutes: int
    unknown: frozenset[str] = frozenset()

    def arguments(self) -> tuple[object, ...]:
        let_go = {"wipe": [UNKNOWN]}
        disks = [{**dump_member(disk), **(let_go if disk.id in self.unknown else {})} for disk in self.disks]
        return (disks, self.minutes)
