"""What the helper can do with arrays that exist. Each is meant by its UUID and its name, which must belong together.

Every method may raise Denied, Unreachable, InputError (the two don't belong together, or the act makes no sense),
DiskRefused (in use, or data would be lost) and JobFailed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_member

from .array_steps import (
    AddMember,
    ArrayStep,
    ArrayStepResult,
    CameBack,
    Check,
    CheckState,
    Dismantled,
    Joined,
    MemberChange,
    MemberJoined,
    PauseCheck,
    ReAddMember,
    RemoveMember,
    RemoveVanished,
    ReplaceMember,
    StartCheck,
    Stop,
    Stopped,
    TakeApart,
)
from .client import Helper, OnUpdate, taken, variants


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

    async def add(
        self, uuid: str, name: str, disk: Member, *, wipe: Collection[str] = (), on_update: OnUpdate
    ) -> MemberJoined:
        """Give it a disk, in a lost member's place or as a spare; ``wipe``: what on the disk a person let go."""
        body = (uuid, name, variants(dump_member(disk)), sorted(wipe))
        return await self._helper.run_job("AddMember", "ssa{sv}as", body, on_update, _member_joined)

    async def replace(
        self, uuid: str, name: str, old: Member, disk: Member, *, wipe: Collection[str] = (), on_update: OnUpdate
    ) -> MemberJoined:
        """Put ``disk`` in the place of ``old``, which serves until the copy is whole if it works."""
        body = (uuid, name, variants(dump_member(old)), variants(dump_member(disk)), sorted(wipe))
        return await self._helper.run_job("ReplaceMember", "ssa{sv}a{sv}as", body, on_update, _member_joined)

    async def remove_vanished(self, uuid: str, name: str, *, on_update: OnUpdate) -> MemberChange:
        """Let the members go whose disks are no longer there; refused when every member is."""
        return await self._helper.run_job("RemoveVanished", "ss", (uuid, name), on_update, _member_change)

    async def stop(self, uuid: str, name: str, *, on_update: OnUpdate) -> Stopped:
        """Stop an array that nothing uses."""
        return await self._helper.run_job("StopArray", "ss", (uuid, name), on_update, lambda said: Stopped(_log(said)))

    async def dismantle(
        self,
        uuid: str,
        name: str,
        members: Sequence[Member],
        *,
        given_up: Collection[str] = (),
        with_lines: bool = False,
        on_update: OnUpdate,
    ) -> Dismantled:
        """Stop an array and free its disks, which are ``members``; the signatures on it that a person let go.

        ``with_lines``: its lines in mdadm.conf and fstab are taken out as well.
        """
        disks = [variants(dump_member(member)) for member in members]
        body = (uuid, name, disks, sorted(given_up), variants({"with_lines": with_lines}))
        return await self._helper.run_job("DismantleArray", "ssaa{sv}asa{sv}", body, on_update, _dismantled)

    async def start_check(self, uuid: str, name: str, *, on_update: OnUpdate) -> Check:
        """Have md compare all copies or parity; it goes on by itself, from where a paused check stopped."""
        return await self._helper.run_job("StartCheck", "ss", (uuid, name), on_update, _check)

    async def pause_check(self, uuid: str, name: str, *, on_update: OnUpdate) -> Check:
        """Stop the check that runs, for now."""
        return await self._helper.run_job("PauseCheck", "ss", (uuid, name), on_update, _check)

    async def checks(self) -> tuple[Check, ...]:
        """The checks that are kept, the latest first. Never prompts."""
        return tuple(map(_check, await self._helper.ask("ListChecks")))

    async def take(  # noqa: PLR0911  (one line a step)
        self, step: ArrayStep, *, on_update: OnUpdate
    ) -> ArrayStepResult:
        """Do ``step``; what it ends with."""
        uuid, name = step.array.uuid, step.array.name
        match step:
            case Stop():
                return await self.stop(uuid, name, on_update=on_update)
            case TakeApart(_, members, given_up, with_lines):
                return await self.dismantle(
                    uuid, name, members, given_up=given_up, with_lines=with_lines, on_update=on_update
                )
            case StartCheck():
                return await self.start_check(uuid, name, on_update=on_update)
            case PauseCheck():
                return await self.pause_check(uuid, name, on_update=on_update)
            case AddMember(_, disk, wipe):
                return await self.add(uuid, name, disk, wipe=wipe, on_update=on_update)
            case ReplaceMember(_, old, disk, wipe):
                return await self.replace(uuid, name, old, disk, wipe=wipe, on_update=on_update)
            case ReAddMember(_, disk):
                return await self.re_add(uuid, name, disk, on_update=on_update)
            case RemoveMember(_, disk):
                return await self.remove(uuid, name, disk, on_update=on_update)
            case RemoveVanished():
                return await self.remove_vanished(uuid, name, on_update=on_update)

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


def _member_joined(values: dict[str, Any]) -> MemberJoined:
    known = taken(["missing", "joined"], values)
    return MemberJoined(known["missing"], Joined(known["joined"]), _log(values))


def _dismantled(values: dict[str, Any]) -> Dismantled:
    return Dismantled(taken(["build_id"], values)["build_id"], _log(values))


def _check(values: dict[str, Any]) -> Check:
    known = taken(Check.__slots__, {"ended_s": None} | values)
    return Check(**(known | {"state": CheckState(known["state"])}))
