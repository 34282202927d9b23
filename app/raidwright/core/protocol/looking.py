"""Read-only verbs: they examine disks and arrays; declared as in ``verbs``."""

from __future__ import annotations

from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.md.rescue.stripes import Compared

from . import actions, facts
from .device_load import DeviceLoad
from .errors import Code
from .verb import Verb, args

_DISKS = args("disks:as wake:b")

# fmt: off
EXAMINE_DISKS = Verb("ExamineDisks", (), args("disks:aa{sv}"), facts.DiskFacts, (actions.EXAMINE,))
EXAMINE_SIGNATURES = Verb(
    "ExamineSignatures", _DISKS, args("signatures:a{sa(sts)}"), facts.DiskSignature, (actions.EXAMINE_SIGNATURES,),
    codes=(Code.ASLEEP,),
)
EXAMINE_HEALTH = Verb(
    "ExamineHealth", _DISKS, args("health:a{sa{sv}}"), facts.DiskHealth, (actions.EXAMINE_HEALTH,),
    codes=(Code.ASLEEP,),
)
EXAMINE_ARRAYS = Verb("ExamineArrays", (), args("arrays:aa{sv}"), facts.ArrayFacts, (actions.EXAMINE,))
EXAMINE_HOST = Verb("ExamineHost", (), args("host:a{sv}"), facts.HostFacts, (actions.EXAMINE,))
EXAMINE_LOAD = Verb("ExamineLoad", (), args("devices:aa{sv}"), DeviceLoad, (actions.EXAMINE,))
EXAMINE_ALERTS = Verb("ExamineAlerts", (), args("alerts:a{sv}"), facts.AlertFacts, (actions.EXAMINE,))
EXAMINE_CHANGE = Verb(
    "ExamineChange", args("uuid:s name:s wake:b"), args("ground:a{sv}"), facts.ChangeGround,
    (actions.EXAMINE, actions.EXAMINE_SIGNATURES), codes=(Code.ASLEEP,),
)
EXAMINE_MEMBERSHIPS = Verb(
    "ExamineMemberships", _DISKS, args("memberships:a{sa{sv}}"), facts.Membership, (actions.EXAMINE_SIGNATURES,),
    codes=(Code.ASLEEP,),
)
EXAMINE_SUPERBLOCKS = Verb(
    "ExamineSuperblocks", _DISKS, args("superblocks:a{sa{sv}}"), MemberSuperblock, (actions.EXAMINE_SIGNATURES,),
    codes=(Code.ASLEEP,),
)
EXAMINE_STRIPES = Verb(
    "ExamineStripes", (*_DISKS, *args("shape:a{sv} orders:as")), args("stripes:a{sa{sv}}"), Compared,
    (actions.EXAMINE_SIGNATURES,), codes=(Code.ASLEEP,),
)
# fmt: on
