"""The verbs: what each takes and gives, what polkit may be asked for it, and what its job tells.

A verb that starts a job gives the job's path; the job tells of its ``steps``, ends with ``value``, and speaks to its
owner alone. A verb that answers at once gives a ``value`` or several: facts of the present are an ``a{sv}`` each.
Types are D-Bus's. Any verb may answer with Denied, NoPolkit or Busy; with InputError for what makes no sense,
DiskRefused for what is in the way, JobFailed for what went wrong; ``codes`` are those of its errors from which a
caller knows how to go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from . import actions, facts, results
from .actions import Action, Asked
from .errors import Code
from .steps import JobStep

_Value = TypeVar("_Value")


class Argument(NamedTuple):
    """One argument of a method or signal."""

    name: str
    type: str


def _args(text: str) -> tuple[Argument, ...]:
    """Of ``name:type`` each."""
    return tuple(Argument(*one.split(":")) for one in text.split())


@dataclass(frozen=True, slots=True)
class Verb(Generic[_Value]):
    """A method of the helper. No ``actions``: only a job's owner, who was asked when it began, can do it."""

    name: str
    takes: tuple[Argument, ...]
    gives: tuple[Argument, ...]
    value: type[_Value]
    actions: tuple[Action, ...]
    steps: tuple[JobStep, ...] = ()
    codes: tuple[Code, ...] = ()

    @property
    def signature(self) -> str:
        """The types that it takes."""
        return "".join(one.type for one in self.takes)

    @property
    def starts_job(self) -> bool:
        """Whether it gives a job's path."""
        return self.gives == _JOB

    @property
    def prompts(self) -> bool:
        """Whether somebody at the computer may be asked for a password."""
        return any(action.asked is not Asked.NEVER for action in self.actions)


class Signal(NamedTuple):
    """A signal of a job."""

    name: str
    tells: tuple[Argument, ...]

    @property
    def signature(self) -> str:
        """Its types."""
        return "".join(one.type for one in self.tells)


PROGRESS = Signal("Progress", _args("step:s fraction:d"))  # 0 … 1 of the whole job
SAMPLE = Signal("Sample", _args("sample:a{sv}"))
ENDED = Signal("Ended", _args("result:a{sv}"))
FAILED = Signal("Failed", _args("code:s sentence:s fields:a{sv}"))
SIGNALS = (PROGRESS, SAMPLE, ENDED, FAILED)

_NOTHING = type(None)
_JOB = _args("job:o")
_DISKS = _args("disks:as wake:b")
_ARRAY = _args("uuid:s name:s")
_NAMED = _args("array:s name:s")
_MEMBER = _args("uuid:s name:s member:a{sv} scratch:b")

# fmt: off
EXAMINE_DISKS = Verb("ExamineDisks", (), _args("disks:aa{sv}"), facts.DiskFacts, (actions.EXAMINE,))
EXAMINE_SIGNATURES = Verb(
    "ExamineSignatures", _DISKS, _args("signatures:a{sa(sts)}"), facts.DiskSignature, (actions.EXAMINE_SIGNATURES,),
    codes=(Code.ASLEEP,),
)
EXAMINE_HEALTH = Verb(
    "ExamineHealth", _DISKS, _args("health:a{sa{sv}}"), facts.DiskHealth, (actions.EXAMINE_HEALTH,),
    codes=(Code.ASLEEP,),
)
EXAMINE_ARRAYS = Verb("ExamineArrays", (), _args("arrays:aa{sv}"), facts.ArrayFacts, (actions.EXAMINE,))
EXAMINE_MEMBERSHIPS = Verb(
    "ExamineMemberships", _DISKS, _args("memberships:a{sa{sv}}"), facts.Membership, (actions.EXAMINE_SIGNATURES,),
    codes=(Code.ASLEEP,),
)

CREATE_ARRAY = Verb(
    "CreateArray", _args("plan:a{sv} options:a{sv}"), _JOB, results.BuildResult,
    (actions.CREATE_ARRAY, actions.CREATE_ARRAY_WIPING, actions.CREATE_SCRATCH),
    (JobStep.SAVE, JobStep.WIPE, JobStep.CREATE, JobStep.SETTLE, JobStep.READ_BACK),
    (Code.SIGNATURE,),
)
LIST_BUILDS = Verb("ListBuilds", (), _args("builds:aa{sv}"), facts.BuildRecord, (actions.LIST_BUILDS,))
UNDO = Verb("Undo", _args("build:s"), _JOB, results.UndoResult, (actions.UNDO_BUILD,), (JobStep.UNDO,), (Code.HOLDS,))
FORGET_BUILD = Verb("ForgetBuild", _args("build:s"), (), _NOTHING, (actions.FORGET_BUILD,))
STOP_SCRATCH = Verb(
    "StopScratch", _args("uuid:s"), _JOB, results.ScratchStopped, (actions.STOP_SCRATCH,), (JobStep.STOP,)
)
BEGIN_TRIAL = Verb(
    "BeginTrial", _args("disks:aa{sv} minutes:u"), (), _NOTHING, (actions.BEGIN_TRIAL,), codes=(Code.SIGNATURE,)
)
LIST_SCRATCH = Verb("ListScratch", (), _args("scratch:aa{sv}"), facts.ScratchRecord, (actions.EXAMINE,))
RUN_WORKLOAD = Verb(
    "RunWorkload", _args("target:s workload:s options:a{sv}"), _JOB, results.WorkloadResult,
    (actions.BENCHMARK_READ, actions.BENCHMARK_WRITE), (JobStep.MEASURE,),
)
MEASURE_FILE_SYSTEM = Verb(
    "MeasureFileSystem", _args("target:s kind:s options:a{sv}"), _JOB, results.FileSystemMeasured,
    (actions.BENCHMARK_WRITE,), (JobStep.MKFS, JobStep.READ_BACK, JobStep.MEASURE, JobStep.WIPE),
)
TAKE_BASELINE = Verb(
    "TakeBaseline", _args("disk:a{sv} options:a{sv}"), _JOB, results.BaselineResult,
    (actions.BENCHMARK_READ, actions.BENCHMARK_WRITE), (JobStep.MEASURE,), (Code.ASLEEP, Code.SIGNATURE),
)
MEASURE_AT_ONCE = Verb(
    "MeasureAtOnce", _args("disks:aa{sv} options:a{sv}"), _JOB, results.AtOnceResult,
    (actions.BENCHMARK_READ,), (JobStep.MEASURE,), (Code.ASLEEP,),
)

FAIL_MEMBER = Verb(
    "FailMember", _MEMBER, _JOB, results.MemberChange,
    (actions.FAIL_MEMBER, actions.CHANGE_SCRATCH_MEMBER), (JobStep.CHANGE,),
)
REMOVE_MEMBER = Verb(
    "RemoveMember", _MEMBER, _JOB, results.MemberChange,
    (actions.REMOVE_MEMBER, actions.CHANGE_SCRATCH_MEMBER), (JobStep.CHANGE,),
)
RE_ADD_MEMBER = Verb(
    "ReAddMember", _MEMBER, _JOB, results.MemberChange,
    (actions.RE_ADD_MEMBER, actions.CHANGE_SCRATCH_MEMBER), (JobStep.CHANGE,),
)
ADD_MEMBER = Verb(
    "AddMember", (*_ARRAY, *_args("disk:a{sv} wipe:as")), _JOB, results.MemberJoined,
    (actions.ADD_MEMBER, actions.ADD_MEMBER_WIPING), (JobStep.CHANGE,), (Code.SIGNATURE,),
)
REPLACE_MEMBER = Verb(
    "ReplaceMember", (*_ARRAY, *_args("old:a{sv} disk:a{sv} wipe:as")), _JOB, results.MemberJoined,
    (actions.REPLACE_MEMBER, actions.REPLACE_MEMBER_WIPING), (JobStep.CHANGE,), (Code.SIGNATURE,),
)
REMOVE_VANISHED = Verb(
    "RemoveVanished", _ARRAY, _JOB, results.MemberChange, (actions.REMOVE_VANISHED,), (JobStep.CHANGE,)
)
STOP_ARRAY = Verb("StopArray", _ARRAY, _JOB, results.Stopped, (actions.STOP_ARRAY,), (JobStep.STOP,))
DISMANTLE_ARRAY = Verb(
    "DismantleArray", (*_ARRAY, *_args("members:aa{sv} given_up:as options:a{sv}")), _JOB, results.Dismantled,
    (actions.DISMANTLE_ARRAY, actions.DISMANTLE_ARRAY_HOLDING),
    (JobStep.STOP, JobStep.SAVE, JobStep.FREE, JobStep.INITRAMFS), (Code.HOLDS, Code.CONFIGURED),
)
START_CHECK = Verb("StartCheck", _ARRAY, _JOB, facts.Check, (actions.START_CHECK,))
PAUSE_CHECK = Verb("PauseCheck", _ARRAY, _JOB, facts.Check, (actions.PAUSE_CHECK,))
LIST_CHECKS = Verb("ListChecks", (), _args("checks:aa{sv}"), facts.Check, (actions.LIST_CHECKS,))

MAKE_FILESYSTEM = Verb(
    "MakeFileSystem", (*_NAMED, *_args("kind:s options:a{sv}")), _JOB, results.MadeFileSystem,
    (actions.MAKE_FILESYSTEM,), (JobStep.MKFS, JobStep.READ_BACK),
)
MOUNT = Verb("Mount", (*_NAMED, *_args("place:s")), _JOB, results.Mounted, (actions.MOUNT,), (JobStep.MOUNT,))
UNMOUNT = Verb("Unmount", _NAMED, _JOB, results.Unmounted, (actions.UNMOUNT,), (JobStep.UNMOUNT,))
EXAMINE_SETTINGS = Verb("ExamineSettings", _NAMED, _args("settings:a{sv}"), results.Settings, (actions.EXAMINE,))
TUNE = Verb("Tune", (*_NAMED, *_args("settings:a{sv}")), _JOB, results.Settings, (actions.TUNE,), (JobStep.TUNE,))
BEGIN_SWEEP = Verb(
    "BeginSweep", (*_NAMED, *_args("settings:as minutes:u")), (), _NOTHING, (actions.BEGIN_SWEEP,)
)
PREVIEW_CONFIGURATION = Verb(
    "PreviewConfiguration", (*_NAMED, *_args("options:a{sv}")), _args("preview:a{sv}"), results.Preview,
    (actions.PREVIEW_CONFIGURATION,),
)
WRITE_CONFIGURATION = Verb(
    "WriteConfiguration", (*_NAMED, *_args("options:a{sv} token:s")), _JOB, results.Configured,
    (actions.WRITE_CONFIGURATION,), (JobStep.CONFIGURE, JobStep.INITRAMFS),
)
RESTORE_CONFIGURATION = Verb(
    "RestoreConfiguration", (), _JOB, results.Configured,
    (actions.RESTORE_CONFIGURATION,), (JobStep.CONFIGURE, JobStep.INITRAMFS),
)
CANCEL = Verb("Cancel", _JOB, (), _NOTHING, ())
# fmt: on

# Whatever is declared above is a verb, so that none can be left out.
VERBS: tuple[Verb[Any], ...] = tuple(one for one in tuple(globals().values()) if isinstance(one, Verb))
