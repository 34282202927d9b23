"""What the helper can do with arrays that exist. Each is meant by its UUID and its name, which must belong together.

Every method may raise Denied, Unreachable, InputError (the two don't belong together, or the act makes no sense),
DiskRefused (in use, or data would be lost) and JobFailed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol import codec, verbs
from raidwright.core.protocol.facts import Check
from raidwright.core.protocol.results import Dismantled, MemberChange, MemberJoined, Stopped
from raidwright.core.protocol.verbs import Verb

from .array_steps import (
    AddMember,
    ArrayStep,
    ArrayStepResult,
    PauseCheck,
    ReAddMember,
    RemoveMember,
    RemoveVanished,
    ReplaceMember,
    StartCheck,
    Stop,
    TakeApart,
)
from .client import Helper, OnUpdate, variants


class ArrayActs:
    """The acts on arrays of the machine that ``helper`` is on."""

    def __init__(self, helper: Helper) -> None:
        self._helper = helper

    async def fail(
        self, uuid: str, name: str, member: Member, *, scratch: bool = False, on_update: OnUpdate
    ) -> MemberChange:
        """Mark a member as failed; refused when data would be lost without it."""
        return await self._change(verbs.FAIL_MEMBER, uuid, name, member, scratch, on_update)

    async def remove(
        self, uuid: str, name: str, member: Member, *, scratch: bool = False, on_update: OnUpdate
    ) -> MemberChange:
        """Let a failed member or a spare go; refused while it works."""
        return await self._change(verbs.REMOVE_MEMBER, uuid, name, member, scratch, on_update)

    async def re_add(
        self, uuid: str, name: str, member: Member, *, scratch: bool = False, on_update: OnUpdate
    ) -> MemberChange:
        """Take a former member of this very array back; refused when it carries anything else."""
        return await self._change(verbs.RE_ADD_MEMBER, uuid, name, member, scratch, on_update)

    async def add(
        self, uuid: str, name: str, disk: Member, *, wipe: Collection[str] = (), on_update: OnUpdate
    ) -> MemberJoined:
        """Give it a disk, in a lost member's place or as a spare; ``wipe``: what on the disk a person let go."""
        new = variants(dump_member(disk))
        return await self._helper.run_job(verbs.ADD_MEMBER, uuid, name, new, sorted(wipe), on_update=on_update)

    async def replace(
        self, uuid: str, name: str, old: Member, disk: Member, *, wipe: Collection[str] = (), on_update: OnUpdate
    ) -> MemberJoined:
        """Put ``disk`` in the place of ``old``, which serves until the copy is whole if it works."""
        both = variants(dump_member(old)), variants(dump_member(disk))
        return await self._helper.run_job(verbs.REPLACE_MEMBER, uuid, name, *both, sorted(wipe), on_update=on_update)

    async def remove_vanished(self, uuid: str, name: str, *, on_update: OnUpdate) -> MemberChange:
        """Let the members go whose disks are no longer there; refused when every member is."""
        return await self._helper.run_job(verbs.REMOVE_VANISHED, uuid, name, on_update=on_update)

    async def stop(self, uuid: str, name: str, *, on_update: OnUpdate) -> Stopped:
        """Stop an array that nothing uses."""
        return await self._helper.run_job(verbs.STOP_ARRAY, uuid, name, on_update=on_update)

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
        options = variants({"with_lines": with_lines})
        return await self._helper.run_job(
            verbs.DISMANTLE_ARRAY, uuid, name, disks, sorted(given_up), options, on_update=on_update
        )

    async def start_check(self, uuid: str, name: str, *, on_update: OnUpdate) -> Check:
        """Have md compare all copies or parity; it goes on by itself, from where a paused check stopped."""
        return await self._helper.run_job(verbs.START_CHECK, uuid, name, on_update=on_update)

    async def pause_check(self, uuid: str, name: str, *, on_update: OnUpdate) -> Check:
        """Stop the check that runs, for now."""
        return await self._helper.run_job(verbs.PAUSE_CHECK, uuid, name, on_update=on_update)

    async def checks(self) -> tuple[Check, ...]:
        """The checks that are kept, the latest first. Never prompts."""
        return tuple(codec.read(Check, one) for one in await self._helper.ask(verbs.LIST_CHECKS))

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
        self, verb: Verb[MemberChange], uuid: str, name: str, member: Member, scratch: bool, on_update: OnUpdate
    ) -> MemberChange:
        disk = variants(dump_member(member))
        return await self._helper.run_job(verb, uuid, name, disk, scratch, on_update=on_update)
