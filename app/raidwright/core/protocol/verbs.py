"""Table of verbs: arguments, results, polkit actions, and the steps of their jobs.

A verb that starts a job returns the job's path; the job reports its ``steps``, ends with ``value``, and signals its
owner only. Other verbs return one or several values: current facts are an ``a{sv}`` each.
Types are D-Bus's. Any verb may fail with Denied, NoPolkit or Busy; with InputError for invalid arguments,
DiskRefused for an obstacle, JobFailed for a failure; ``codes`` are those of the errors that a caller
handles.
"""

from __future__ import annotations

from typing import Any

from . import actions, facts, looking, measured, results, verb
from .errors import Code
from .steps import JobStep
from .verb import JOB, Verb, args

_NOTHING = type(None)
_ARRAY = args("uuid:s name:s")
_NAMED = args("array:s name:s")
_MEMBER = args("uuid:s name:s member:a{sv} scratch:b")

# fmt: off
CREATE_ARRAY = Verb(
    "CreateArray", args("plan:a{sv} options:a{sv}"), JOB, results.BuildResult,
    (actions.CREATE_ARRAY, actions.CREATE_ARRAY_WIPING, actions.CREATE_SCRATCH),
    (
        JobStep.SAVE, JobStep.WIPE, JobStep.PARTITION, JobStep.CREATE, JobStep.SETTLE, JobStep.VOLUME,
        JobStep.READ_BACK,
    ),
    (Code.SIGNATURE,),
)
LIST_BUILDS = Verb("ListBuilds", (), args("builds:aa{sv}"), facts.BuildRecord, (actions.LIST_BUILDS,))
UNDO = Verb("Undo", args("build:s"), JOB, results.UndoResult, (actions.UNDO_BUILD,), (JobStep.UNDO,), (Code.HOLDS,))
FORGET_BUILD = Verb("ForgetBuild", args("build:s"), (), _NOTHING, (actions.FORGET_BUILD,))
STOP_SCRATCH = Verb(
    "StopScratch", args("uuid:s"), JOB, results.ScratchStopped, (actions.STOP_SCRATCH,), (JobStep.STOP,)
)
BEGIN_TRIAL = Verb(
    "BeginTrial", args("disks:aa{sv} minutes:u"), (), _NOTHING, (actions.BEGIN_TRIAL,), codes=(Code.SIGNATURE,)
)
LIST_SCRATCH = Verb("ListScratch", (), args("scratch:aa{sv}"), facts.ScratchRecord, (actions.EXAMINE,))
RUN_WORKLOAD = Verb(
    "RunWorkload", args("target:s workload:s options:a{sv}"), JOB, measured.WorkloadResult,
    (actions.BENCHMARK_READ, actions.BENCHMARK_WRITE), (JobStep.MEASURE,),
)
MEASURE_FILE_SYSTEM = Verb(
    "MeasureFileSystem", args("target:s kind:s options:a{sv}"), JOB, results.FileSystemMeasured,
    (actions.BENCHMARK_WRITE,), (JobStep.MKFS, JobStep.READ_BACK, JobStep.MEASURE, JobStep.WIPE),
)
TAKE_BASELINE = Verb(
    "TakeBaseline", args("disk:a{sv} options:a{sv}"), JOB, measured.BaselineResult,
    (actions.BENCHMARK_READ, actions.BENCHMARK_WRITE), (JobStep.MEASURE,), (Code.ASLEEP, Code.SIGNATURE),
)
MEASURE_AT_ONCE = Verb(
    "MeasureAtOnce", args("disks:aa{sv} options:a{sv}"), JOB, results.AtOnceResult,
    (actions.BENCHMARK_READ,), (JobStep.MEASURE,), (Code.ASLEEP,),
)
LOCATE_DISK = Verb(
    "LocateDisk", args("disk:a{sv} options:a{sv}"), JOB, results.DiskLocated,
    (actions.LOCATE_DISK,), (JobStep.LIGHT, JobStep.BLINK), (Code.ASLEEP,),
)

FAIL_MEMBER = Verb(
    "FailMember", _MEMBER, JOB, results.MemberChange,
    (actions.FAIL_MEMBER, actions.CHANGE_SCRATCH_MEMBER), (JobStep.CHANGE,),
)
REMOVE_MEMBER = Verb(
    "RemoveMember", _MEMBER, JOB, results.MemberChange,
    (actions.REMOVE_MEMBER, actions.CHANGE_SCRATCH_MEMBER), (JobStep.CHANGE,),
)
RE_ADD_MEMBER = Verb(
    "ReAddMember", _MEMBER, JOB, results.MemberChange,
    (actions.RE_ADD_MEMBER, actions.CHANGE_SCRATCH_MEMBER), (JobStep.CHANGE,),
)
ADD_MEMBER = Verb(
    "AddMember", (*_ARRAY, *args("disk:a{sv} wipe:as")), JOB, results.MemberJoined,
    (actions.ADD_MEMBER, actions.ADD_MEMBER_WIPING), (JobStep.CHANGE,), (Code.SIGNATURE,),
)
REPLACE_MEMBER = Verb(
    "ReplaceMember", (*_ARRAY, *args("old:a{sv} disk:a{sv} wipe:as")), JOB, results.MemberJoined,
    (actions.REPLACE_MEMBER, actions.REPLACE_MEMBER_WIPING), (JobStep.CHANGE,), (Code.SIGNATURE,),
)
REMOVE_VANISHED = Verb(
    "RemoveVanished", _ARRAY, JOB, results.MemberChange, (actions.REMOVE_VANISHED,), (JobStep.CHANGE,)
)
CHANGE_ARRAY = Verb(
    "ChangeArray", (*_ARRAY, *args("goal:a{sv} disks:aa{sv}")), JOB, results.ArrayChanged,
    (actions.CHANGE_ARRAY, actions.CHANGE_ARRAY_WIPING),
    (
        JobStep.CHANGE, JobStep.CONFIGURE, JobStep.INITRAMFS, JobStep.COPY, JobStep.RESHAPE, JobStep.GROW,
        JobStep.PARTITION, JobStep.CREATE, JobStep.SETTLE, JobStep.VOLUME,
    ),
    (Code.SIGNATURE,),
)
PACE_CHANGE = Verb(
    "PaceChange", (*_ARRAY, *args("kib_per_s:u")), (), _NOTHING, (actions.PACE_CHANGE, actions.PACE_REBUILD)
)
STOP_ARRAY = Verb("StopArray", _ARRAY, JOB, results.Stopped, (actions.STOP_ARRAY,), (JobStep.STOP,))
START_ARRAY = Verb(
    "StartArray", (*_ARRAY, *args("options:a{sv}")), JOB, results.Started, (actions.START_ARRAY,), (JobStep.START,)
)
CONTINUE_ARRAY = Verb(
    "ContinueArray", (*_ARRAY, *args("options:a{sv}")), JOB, results.Continued, (actions.START_ARRAY,),
    (JobStep.START,),
)
TAKE_OVER_ARRAY = Verb(
    "TakeOverArray", (*_ARRAY, *args("new_name:s")), JOB, results.TakenOver, (actions.TAKE_OVER_ARRAY,),
    (JobStep.START,),
)
TRY_RESCUE = Verb(
    "TryRescue", args("attempt:a{sv}"), JOB, results.RescueTried, (actions.TRY_RESCUE,),
    (JobStep.STRIPES, JobStep.OVERLAY, JobStep.START, JobStep.FSCK, JobStep.LOOK, JobStep.STOP),
)
RESCUE_ARRAY = Verb(
    "RescueArray", args("attempt:a{sv} name:s"), JOB, results.Rescued, (actions.RESCUE_ARRAY,),
    (JobStep.SAVE, JobStep.START, JobStep.MOUNT),
)
DISMANTLE_ARRAY = Verb(
    "DismantleArray", (*_ARRAY, *args("members:aa{sv} given_up:as options:a{sv}")), JOB, results.Dismantled,
    (actions.DISMANTLE_ARRAY, actions.DISMANTLE_ARRAY_HOLDING),
    (JobStep.STOP, JobStep.SAVE, JobStep.FREE, JobStep.INITRAMFS), (Code.HOLDS, Code.CONFIGURED),
)
START_CHECK = Verb("StartCheck", _ARRAY, JOB, facts.Check, (actions.START_CHECK,))
PAUSE_CHECK = Verb("PauseCheck", _ARRAY, JOB, facts.Check, (actions.PAUSE_CHECK,))
LIST_CHECKS = Verb("ListChecks", (), args("checks:aa{sv}"), facts.Check, (actions.LIST_CHECKS,))

MAKE_FILESYSTEM = Verb(
    "MakeFileSystem", (*_NAMED, *args("kind:s options:a{sv}")), JOB, results.MadeFileSystem,
    (actions.MAKE_FILESYSTEM,), (JobStep.MKFS, JobStep.READ_BACK),
)
MOUNT = Verb("Mount", (*_NAMED, *args("place:s")), JOB, results.Mounted, (actions.MOUNT,), (JobStep.MOUNT,))
UNMOUNT = Verb("Unmount", _NAMED, JOB, results.Unmounted, (actions.UNMOUNT,), (JobStep.UNMOUNT,))
EXAMINE_SETTINGS = Verb("ExamineSettings", _NAMED, args("settings:a{sv}"), results.ArraySettings, (actions.EXAMINE,))
TUNE = Verb("Tune", (*_NAMED, *args("settings:a{sv}")), JOB, results.ArraySettings, (actions.TUNE,), (JobStep.TUNE,))
BEGIN_SWEEP = Verb(
    "BeginSweep", (*_NAMED, *args("settings:as minutes:u")), (), _NOTHING, (actions.BEGIN_SWEEP,)
)
PREVIEW_CONFIGURATION = Verb(
    "PreviewConfiguration", (*_NAMED, *args("options:a{sv}")), args("preview:a{sv}"), results.Preview,
    (actions.PREVIEW_CONFIGURATION,),
)
WRITE_CONFIGURATION = Verb(
    "WriteConfiguration", (*_NAMED, *args("options:a{sv} token:s")), JOB, results.Configured,
    (actions.WRITE_CONFIGURATION,), (JobStep.CONFIGURE, JobStep.INITRAMFS),
)
RESTORE_CONFIGURATION = Verb(
    "RestoreConfiguration", (), JOB, results.Configured,
    (actions.RESTORE_CONFIGURATION,), (JobStep.CONFIGURE, JobStep.INITRAMFS),
)
SET_WEBHOOK = Verb(
    "SetWebhook", args("kind:s url:s token:s"), JOB, results.WebhookSet, (actions.SET_WEBHOOK,), (JobStep.CONFIGURE,)
)
SEND_TEST_ALERT = Verb(
    "SendTestAlert", args("channel:s"), JOB, results.AlertSent, (actions.SEND_TEST_ALERT,), (JobStep.SEND,)
)
# fmt: on

# Every declaration is a verb, so that none can be omitted.
_DECLARED = (*vars(looking).values(), *globals().values(), *vars(verb).values())
VERBS: tuple[Verb[Any], ...] = tuple(one for one in _DECLARED if isinstance(one, Verb))
