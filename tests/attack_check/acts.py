"""Acts of an administrator on tank and on the disks beside it, with no word that any data may be lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.model.rescue_attempt import RescueAttempt, RescueWay, attempt_to_create
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Tuning
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, PauseCheck, StartArray, StartCheck, StopArray, TakeOverArray
from raidwright.operations.baselines import TakeBaseline
from raidwright.operations.builds import CreateArray
from raidwright.operations.changing import ChangeArray, PaceChange
from raidwright.operations.members import (
    AddMember,
    FailMember,
    ReAddMember,
    RemoveMember,
    RemoveVanished,
    ReplaceMember,
)
from raidwright.operations.operation import Operation
from raidwright.operations.rescue import RescueArray, TryRescue
from raidwright.operations.system import MakeFileSystem, Mount, Tune, Unmount

from .states import MEMBERS

Act = tuple[str, Operation[Any]]


def acts(array: Named, disks: Sequence[Member], level: Level) -> tuple[Act, ...]:
    """Return all acts; ``disks`` in the order of ``states``."""
    members, others = (
        disks[:MEMBERS],
        dict(zip(("foreign", "written", "looped", "blank"), disks[MEMBERS:], strict=True)),
    )
    return (
        *_of_array(array, members),
        *_of_members(array, members, others),
        *_of_change(array, level, others),
        *_of_rescue(array, members),
        *_of_disks(members, others),
    )


def _of_array(array: Named, members: Sequence[Member]) -> Iterator[Act]:
    yield "stop", StopArray(array)
    yield "start", StartArray(array)
    yield "start read-only", StartArray(array, read_only=True)
    yield "start without missing", StartArray(array, missing=True)
    yield "take over", TakeOverArray(array, "other")
    yield "dismantle", DismantleArray(array, tuple(members), with_lines=True)
    yield "check", StartCheck(array)
    yield "pause check", PauseCheck(array)
    yield "make file system", MakeFileSystem(array, FileSystemKind.EXT4)
    yield "mount", Mount(array, "/srv/tank")
    yield "unmount", Unmount(array)
    yield "tune", Tune(array, Tuning(read_ahead_kib=512))


def _of_members(array: Named, members: Sequence[Member], others: dict[str, Member]) -> Iterator[Act]:
    yield "remove vanished", RemoveVanished(array)
    for number, disk in enumerate(members):
        yield f"fail {number}", FailMember(array, disk)
        yield f"remove {number}", RemoveMember(array, disk)
        yield f"re-add {number}", ReAddMember(array, disk)
        yield f"add {number}", AddMember(array, disk)
        yield f"replace {number}", ReplaceMember(array, disk, others["blank"])
    for name, disk in others.items():
        yield f"add {name}", AddMember(array, disk)
        yield f"re-add {name}", ReAddMember(array, disk)
        yield f"replace by {name}", ReplaceMember(array, members[1], disk)


def _of_change(array: Named, level: Level, others: dict[str, Member]) -> Iterator[Act]:
    for slots in (2, 3):
        yield f"change to {slots}", ChangeArray(array, ChangeWish(level=level, slots=slots))
    yield "change chunk", ChangeArray(array, ChangeWish(level=level, slots=MEMBERS, chunk_kib=64))
    yield (
        "change to raid6",
        ChangeArray(array, ChangeWish(level=Level.RAID6, slots=MEMBERS + 1, add=(others["blank"],))),
    )
    for name, disk in others.items():
        yield f"grow by {name}", ChangeArray(array, ChangeWish(level=level, slots=MEMBERS + 1, add=(disk,)))
    yield "pace", PaceChange(array, 1000)


def _of_rescue(array: Named, members: Sequence[Member]) -> Iterator[Act]:
    for way in (RescueWay.ASSEMBLE, RescueWay.FORCE):
        attempt = RescueAttempt(way, array.uuid, array.name, tuple(members))
        yield f"try to {way}", TryRescue(attempt)
        yield f"rescue by {way}", RescueArray(attempt, array.name)
    plan = Plan(MdArray(Level.RAID5, tuple(reversed(members)), name=array.name, bitmap=Bitmap.NONE, assume_clean=True))
    yield "try to create", TryRescue(attempt_to_create(plan.array, array.uuid))
    yield "rescue by create", RescueArray(attempt_to_create(plan.array, array.uuid), array.name)


def _of_disks(members: Sequence[Member], others: dict[str, Member]) -> Iterator[Act]:
    pairs = {
        "foreign, written": (others["foreign"], others["written"]),
        "looped, blank": (others["looped"], others["blank"]),
        "members": (members[0], members[3]),
    }
    for name, pair in pairs.items():
        yield f"create of {name}", CreateArray(Plan(MdArray(Level.RAID1, pair, name="other")), "other")
    for name, disk in others.items():
        yield f"measure {name}", TakeBaseline(disk, seconds=1, write=name != "blank")
