"""Operations on the members of an existing array. A ``disk`` is identified by all fields of a plan's member."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.model.plan import Member
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import MemberChange, MemberJoined
from raidwright.machine.values import Named

from .operation import Request


@dataclass(frozen=True, slots=True)
class _MemberRequest(Request[MemberChange]):
    """``scratch``: the array is the caller's own scratch array, for which another polkit action applies."""

    array: Named
    disk: Member
    scratch: bool = False


@dataclass(frozen=True, slots=True)
class FailMember(_MemberRequest):
    """Mark a member as failed; refused if data would be lost without it."""

    verb = verbs.FAIL_MEMBER


@dataclass(frozen=True, slots=True)
class RemoveMember(_MemberRequest):
    """Remove a failed member or a spare; refused while it works."""

    verb = verbs.REMOVE_MEMBER


@dataclass(frozen=True, slots=True)
class ReAddMember(_MemberRequest):
    """Re-add a former member of this very array; refused if it carries anything else."""

    verb = verbs.RE_ADD_MEMBER


@dataclass(frozen=True, slots=True)
class AddMember(Request[MemberJoined]):
    """Add a disk, in place of a lost member or as a spare. ``wipe``: signatures on it released for erasure.

    Raises DiskRefused with ``Code.SIGNATURE`` for any other.
    """

    verb = verbs.ADD_MEMBER
    array: Named
    disk: Member
    wipe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceMember(Request[MemberJoined]):
    """Replace ``old`` by ``disk``; ``old``, if working, is used until the copy is complete. ``wipe``: see AddMember."""

    verb = verbs.REPLACE_MEMBER
    array: Named
    old: Member
    disk: Member
    wipe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoveVanished(Request[MemberChange]):
    """Remove the members whose disks are gone; refused if all of them are."""

    verb = verbs.REMOVE_VANISHED
    array: Named
