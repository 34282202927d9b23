"""What the helper can do with arrays that exist. Each is meant by its UUID and its name, which must belong together.

Every method may raise Denied, Unreachable, InputError (the two don't belong together, or the act makes no sense),
DiskRefused (in use, or data would be lost) and JobFailed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..core.plan import Member
from ..core.plan_json import dump_member
from .helper import Helper, OnUpdate, taken, variants


class CameBack(StrEnum):
    """How md took a former member back."""

    CAUGHT_UP = "caught-up"  # what it had missed is known and brought up to date
    REBUILDS = "rebuilds"  # as a new disk: all of it is written anew
    SPARE = "spare"  # nothing was missing; it stands by


class CheckState(StrEnum):
    """Where a check stands."""

    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A member failed, removed or taken back. ``missing``: how many places lack a working member now."""

    missing: int
    came_back: CameBack | None
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dismantled:
    """An array taken apart; ``Helper.undo`` with ``build_id`` puts its superblocks back."""

    build_id: str
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of an array, in Unix seconds. ``mismatch_sectors``: how much differed, so far or in all."""

    uuid: str
    name: str
    state: CheckState
    began_s: int
    ended_s: int | None
    mismatch_sectors: int


class ArrayActs:
    """The acts on arrays of the machine that ``helper`` is on."""

    def __init__(self, helper: Helper) -> None:
        self._helper = helper

    async def fail(
        self, uuid: str, name: str, member: Member, *, scratch: bool = False, on_update: OnUpdate
    ) -> MemberChange:
        """Mark a member as failed; refused when data would be lost without it."""
        return await self._change("FailMember", uuid, name, member, scratch, on_update)

    async def remove(
        self, uuid: str, name: str, member: Member, *, scratch: bool = False, on_update: OnUpdate
    ) -> MemberChange:
        """Let a failed member or a spare go; refused while it works."""
        return await self._change("RemoveMember", uuid, name, member, scratch, on_update)

    async def re_add(
        self, uuid: str, name: str, member: Member, *, scratch: bool = False, on_update: OnUpdate
    ) -> MemberChange:
        """Take a former member of this very array back; refused when it carries anything else."""
        return await self._change("ReAddMember", uuid, name, member, scratch, on_update)

    async def stop(self, uuid: str, name: str, *, on_update: OnUpdate) -> tuple[str, ...]:
        """Stop an array that nothing uses; the log."""
        return await self._helper.run_job("StopArray", "ss", (uuid, name), on_update, _log)

    async def dismantle(
        self, uuid: str, name: str, members: Sequence[Member], *, given_up: Collection[str] = (), on_update: OnUpdate
    ) -> Dismantled:
        """Stop an array and free its disks, which are ``members``; the signatures on it that a person let go."""
        disks = [variants(dump_member(member)) for member in members]
        body = (uuid, name, disks, sorted(given_up))
        return await self._helper.run_job("DismantleArray", "ssaa{sv}as", body, on_update, _dismantled)

    async def start_check(self, uuid: str, name: str, *, on_update: OnUpdate) -> Check:
        """Have md compare all copies or parity; it goes on by itself, from where a paused check stopped."""
        return await self._helper.run_job("StartCheck", "ss", (uuid, name), on_update, _check)

    async def pause_check(self, uuid: str, name: str, *, on_update: OnUpdate) -> Check:
        """Stop the check that runs, for now."""
        return await self._helper.run_job("PauseCheck", "ss", (uuid, name), on_update, _check)

    async def checks(self) -> tuple[Check, ...]:
        """The checks that are kept, the latest first. Never prompts."""
        return tuple(map(_check, await self._helper.ask("ListChecks")))

    async def _change(
        self, verb: str, uuid: str, name: str, member: Member, scratch: bool, on_update: OnUpdate
    ) -> MemberChange:
        body = (uuid, name, variants(dump_member(member)), scratch)
        return await self._helper.run_job(verb, "ssa{sv}b", body, on_update, _member_change)


def _log(values: dict[str, Any]) -> tuple[str, ...]:
    return tuple(values.get("log", ()))


def _member_change(values: dict[str, Any]) -> MemberChange:
    came_back = values.get("came_back")
    return MemberChange(taken(["missing"], values)["missing"], CameBack(came_back) if came_back else None, _log(values))


def _dismantled(values: dict[str, Any]) -> Dismantled:
    return Dismantled(taken(["build_id"], values)["build_id"], _log(values))


def _check(values: dict[str, Any]) -> Check:
    known = taken(Check.__slots__, {"ended_s": None} | values)
    return Check(**(known | {"state": CheckState(known["state"])}))
