"""polkit actions: each with the details of its prompt, and when it requires a password."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .names import ACTIONS


class Asked(StrEnum):
    """When a password is required, in polkit's words."""

    NEVER = "yes"
    NOW_AND_THEN = "auth_admin_keep"  # the authorisation is kept for a few minutes
    EACH_TIME = "auth_admin"


@dataclass(frozen=True, slots=True)
class Action:
    """``details``: the details that the helper sends, for the placeholders of the policy's message.

    ``afar``: the same for all other sessions. An authorisation kept there covers every action ``NEVER`` asked for here.
    """

    name: str
    details: tuple[str, ...] = ()
    asked: Asked = Asked.EACH_TIME
    afar: Asked = Asked.EACH_TIME

    @property
    def id(self) -> str:
        """polkit's action id."""
        return f"{ACTIONS}.{self.name}"


EXAMINE = Action("examine", asked=Asked.NEVER, afar=Asked.NOW_AND_THEN)
EXAMINE_SIGNATURES = Action("examine-signatures", asked=Asked.NEVER)
EXAMINE_HEALTH = Action("examine-health", asked=Asked.NEVER)
LIST_BUILDS = Action("list-builds", asked=Asked.NEVER)
LIST_CHECKS = Action("list-checks", asked=Asked.NEVER)

BENCHMARK_READ = Action("benchmark-read", ("target",), Asked.NOW_AND_THEN)
LOCATE_DISK = Action("locate-disk", ("target",), Asked.NOW_AND_THEN)
START_CHECK = Action("start-check", ("array",), Asked.NOW_AND_THEN)
PAUSE_CHECK = Action("pause-check", ("array",), Asked.NOW_AND_THEN)
PACE_CHANGE = Action("pace-change", ("array",), Asked.NOW_AND_THEN)
PACE_REBUILD = Action("pace-rebuild", ("array",))
SEND_TEST_ALERT = Action("send-test-alert", ("channel",), Asked.NOW_AND_THEN)
PREVIEW_CONFIGURATION = Action("preview-configuration", ("array", "values"), Asked.NOW_AND_THEN)

TRY_RESCUE = Action("try-rescue", ("array", "disks", "how"), Asked.NOW_AND_THEN)

BENCHMARK_WRITE = Action("benchmark-write", ("target",))
CREATE_ARRAY = Action("create-array", ("name", "disks"))
CREATE_ARRAY_WIPING = Action("create-array-wiping", ("name", "disks", "removed"))
CREATE_SCRATCH = Action("create-scratch", ("name", "disks"))
BEGIN_TRIAL = Action("begin-trial", ("disks", "minutes"))
BEGIN_SWEEP = Action("begin-sweep", ("array", "values", "minutes"))
STOP_SCRATCH = Action("stop-scratch", ("target",))
UNDO_BUILD = Action("undo-build", ("name", "disks"))
FORGET_BUILD = Action("forget-build", ("name", "disks"))

FAIL_MEMBER = Action("fail-member", ("array", "disk"))
REMOVE_MEMBER = Action("remove-member", ("array", "disk"))
RE_ADD_MEMBER = Action("re-add-member", ("array", "disk"))
CHANGE_SCRATCH_MEMBER = Action("change-scratch-member", ("array", "disk"))
ADD_MEMBER = Action("add-member", ("array", "disk"))
ADD_MEMBER_WIPING = Action("add-member-wiping", ("array", "disk", "removed"))
REPLACE_MEMBER = Action("replace-member", ("array", "old", "disk"))
REPLACE_MEMBER_WIPING = Action("replace-member-wiping", ("array", "old", "disk", "removed"))
REMOVE_VANISHED = Action("remove-vanished", ("array",))
CHANGE_ARRAY = Action("change-array", ("array", "change", "disks"))
CHANGE_ARRAY_WIPING = Action("change-array-wiping", ("array", "change", "disks", "removed"))
STOP_ARRAY = Action("stop-array", ("array",))
START_ARRAY = Action("start-array", ("array", "how"))
TAKE_OVER_ARRAY = Action("take-over-array", ("array", "how"))
RESCUE_ARRAY = Action("rescue-array", ("array", "disks", "how"))
DISMANTLE_ARRAY = Action("dismantle-array", ("array", "disks", "lines"))
DISMANTLE_ARRAY_HOLDING = Action("dismantle-array-holding", ("array", "disks", "lines", "removed"))

MAKE_FILESYSTEM = Action("make-filesystem", ("array", "kind"))
MOUNT = Action("mount", ("array", "place"))
UNMOUNT = Action("unmount", ("array",))
TUNE = Action("tune", ("array", "values"))
WRITE_CONFIGURATION = Action("write-configuration", ("array", "values"))
RESTORE_CONFIGURATION = Action("restore-configuration", ("array", "files"))
SET_WEBHOOK = Action("set-webhook", ("place",))
