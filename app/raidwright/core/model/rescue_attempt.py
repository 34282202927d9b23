"""One way to bring a lost array back, as it goes to the helper: which members, and by what mdadm command.

The same value is tried on overlays first and then, unchanged, done for real (``digest`` compares the two).
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields

from .plan import Bitmap, MdArray, Member, Plan
from .plan_json import dump_member, dump_plan, read_member, read_plan

MAX_ATTEMPT_MEMBERS = 64
_UUID = re.compile(r"[0-9a-f]{8}(:[0-9a-f]{8}){3}")


class RescueWay(StrEnum):
    """The mdadm command: --assemble, with --force or --update=, or --create --assume-clean."""

    ASSEMBLE = "assemble"
    FORCE = "force"
    CREATE = "create"
    ORIGINAL = "layout-original"
    ALTERNATE = "layout-alternate"

    @property
    def is_layout(self) -> bool:
        """True for a way that gives a raid0 the layout that its superblocks lack (mdadm --assemble --update=…)."""
        return self in (RescueWay.ORIGINAL, RescueWay.ALTERNATE)


@dataclass(frozen=True, slots=True)
class RescueAttempt:
    """``members`` are the disks that it uses, in no order; with CREATE ``plan`` has them in their slots."""

    way: RescueWay
    uuid: str
    name: str
    members: tuple[Member, ...]
    plan: MdArray | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the attempt in its plain form."""
        return hashlib.sha256(json.dumps(dump_attempt(self), sort_keys=True).encode()).hexdigest()


def attempt_to_create(plan: MdArray, uuid: str = "") -> RescueAttempt:
    """Return the attempt that makes the superblocks of ``plan`` anew; raises InputError for a plan that can't."""
    members = tuple(member for member in plan.members if isinstance(member, Member))
    is_plain = plan.assume_clean and plan.bitmap is Bitmap.NONE and plan.consistency is None and not plan.is_guessed
    if not is_plain or plan.is_nested or plan.journal is not None or plan.spares:
        raise InputError(
            "A rescue makes the superblocks of one array of disks anew, and nothing else; a nested array is rescued "
            "one inner array at a time.",
            code="rescue-plan",
        )
    return RescueAttempt(RescueWay.CREATE, uuid, plan.name, members, plan)


def dump_attempt(attempt: RescueAttempt) -> dict[str, object]:
    """Return the attempt as plain values; inverse of ``read_attempt``."""
    if attempt.plan is not None:
        return {"way": str(attempt.way), "uuid": attempt.uuid, "plan": dump_plan(Plan(attempt.plan))}
    return {
        "way": str(attempt.way),
        "uuid": attempt.uuid,
        "name": attempt.name,
        "members": [dump_member(member) for member in attempt.members],
    }


def read_attempt(data: object) -> RescueAttempt:
    """Return the attempt in plain values, from JSON or the bus; raises InputError."""
    fields = Fields(data, "The attempt")
    way = fields.require_choice("way", RescueWay)
    uuid = _read_uuid(fields.take("uuid", str) or "")
    if way is RescueWay.CREATE:
        attempt = attempt_to_create(read_plan(fields.require("plan", dict)).array, uuid)
    else:
        if not uuid:
            raise InputError("The attempt: “uuid” is missing.", code="plan-missing", where=fields.where)
        name = fields.text("name") or ""
        members = tuple(map(read_member, fields.items("members", MAX_ATTEMPT_MEMBERS)))
        attempt = RescueAttempt(way, uuid, name, members)
    fields.finish()
    if not 0 < len(attempt.members) <= MAX_ATTEMPT_MEMBERS:
        raise InputError("Name the array's disks, {most} at most.", code="members", most=MAX_ATTEMPT_MEMBERS)
    if len({member.id for member in attempt.members}) < len(attempt.members):
        raise InputError("The attempt has a disk in it twice; each can serve once.", code="disk-twice")
    return attempt


def _read_uuid(text: str) -> str:
    if text and not _UUID.fullmatch(text):
        raise InputError("An array's UUID looks like 0a1b2c3d:… with four such parts.", code="uuid")
    return text
