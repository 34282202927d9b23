"""Reading the verbs' arguments: values of a closed form; unknown keys are refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, printable
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.model.halves import verify_halves
from raidwright.core.model.names import is_disk_id
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import read_member, read_plan
from raidwright.core.protocol import actions
from raidwright.core.protocol.actions import Action
from raidwright.core.protocol.facts import UNKNOWN, SignatureNames
from raidwright.core.protocol.results import LocateWay
from raidwright.core.protocol.signature_names import for_prompt, is_signature_name
from raidwright.core.system.baseline import DEFAULT_SECONDS, MAX_AT_ONCE, checked_seconds
from raidwright.core.system.config_files import checked_host
from raidwright.core.system.file_acts import FILES, MAX_FILES, MAX_MIB, MIN_FILES, MIN_MIB
from raidwright.core.system.filesystem import MEASURED_KINDS, checked_kind
from raidwright.core.system.locating import MAX_SECONDS, checked_locate_seconds
from raidwright.core.system.own_workload import pattern_named, workload_named
from raidwright.core.system.workload import AnyWorkload

from raidwright_helper.acts.baseline import BaselineRequest
from raidwright_helper.acts.locate import LocateRequest
from raidwright_helper.acts.measure import WorkloadRequest
from raidwright_helper.acts.measure_files import FilesRequest
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import label_of_array, label_of_disk, labels_of_disks

_Item = TypeVar("_Item")
_MAX_SECONDS = 600
_DEFAULT_SECONDS = 30
_MAX_WARM_UP_SECONDS = 60
_MAX_NAMED = 24
_MAX_EXAMINED = 64
_MAX_MINUTES = 24 * 60
_MAX_SIGNATURES = 64


@dataclass(frozen=True, slots=True)
class CreateRequest:
    """Request of CreateArray. ``wipe``: by disk, the names of the signatures that may be erased.

    ``halved``: the whole disks whose halves make up a scratch array (``core.model.halves``).
    """

    plan: Plan
    is_scratch: bool
    wipe: SignatureNames
    homehost: str = ""
    halved: tuple[Member, ...] = ()

    @property
    def disks(self) -> tuple[Member, ...]:
        """The disks used: the plan's members, or the whole disks of the halves or slices."""
        return self.halved or _overwritten(self.plan)


def _overwritten(plan: Plan) -> tuple[Member, ...]:
    return whole_disks(plan.top)


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """Request of BeginTrial. On ``unknown``, by-id names, unrecognised bytes may be overwritten."""

    disks: tuple[Member, ...]
    minutes: int
    unknown: tuple[str, ...] = ()


def create_action(arguments: Sequence[Any]) -> Action:
    """Return the action: erasing signatures and scratch arrays have their own; an unclear value is a real build."""
    options = arguments[1]
    if "wipe" in options:
        return actions.CREATE_ARRAY_WIPING
    return actions.CREATE_SCRATCH if options.get("scratch") is True else actions.CREATE_ARRAY


def create_details(host: Host, request: CreateRequest) -> Mapping[str, str]:
    """Return the prompt's values: the array, each disk by model, serial and size, and its signatures to erase.

    Of the caller's words only those of a closed form are shown, the array's name and the signatures'.
    """
    disks = {disk.id: disk for disk in request.disks}

    def removals(wiped: Sequence[str]) -> Iterable[str]:
        labels = labels_of_disks(host, [disks[disk] for disk in wiped])
        names = (", ".join(map(for_prompt, request.wipe[disk])) for disk in wiped)
        return (f"{name} from {label}" for name, label in zip(names, labels, strict=True))

    return {
        "name": request.plan.name,
        "disks": listed(disks.values(), partial(labels_of_disks, host)),
        "removed": listed(request.wipe, removals),
    }


def listed(items: Collection[_Item], words: Callable[[Sequence[_Item]], Iterable[str]]) -> str:
    """List the items in words, as many as fit a prompt; the others are only counted.

    They aren't looked up, either: a plan of hundreds of members would block the helper for a minute.
    """
    more = f" and {len(items) - _MAX_NAMED} more" if len(items) > _MAX_NAMED else ""
    return ", ".join(words(list(islice(items, _MAX_NAMED)))) + more


def read_create(arguments: Sequence[Any]) -> CreateRequest:
    """Read the request; raises InputError, also if the array's name wasn't confirmed by typing it."""
    plan = read_plan(arguments[0])
    options = Fields(arguments[1], "The options")
    confirmed = options.require("confirmed_name", str)
    scratch = options.take("scratch", bool) or False
    wipe = options.rest("wipe", _read_wipe) or {}
    homehost = options.take("homehost", str) or ""
    halved = options.rest("halved", _read_halved) or ()
    options.finish()
    if halved and not scratch:
        raise InputError("Only a scratch array is made of halves; partition the disks for another.", code="halves")
    if halved:
        verify_halves(plan.array, halved)
    if confirmed != plan.name:
        raise InputError(
            "The name that was typed, “{confirmed}”, is not the array's, “{name}”.",
            code="name-mismatch",
            confirmed=printable(confirmed),
            name=plan.name,
        )
    if scratch and any(names != (UNKNOWN,) for names in wipe.values()):
        raise InputError("A scratch array is made on empty disks; nothing is wiped for it.", code="wipe-scratch")
    if scratch and plan.volume:
        raise InputError("Joined volumes aren't tried as scratch arrays; build this one.", code="scratch-joined")
    if strangers := sorted(wipe.keys() - {disk.id for disk in halved or _overwritten(plan)}):
        raise InputError(
            "“{disk}” would be wiped but isn't in the plan.",
            code="wipe-stranger",
            disk=printable(strangers[0]),
        )
    return CreateRequest(plan, scratch, wipe, homehost and checked_host(homehost), halved)


def _read_halved(value: object) -> tuple[Member, ...]:
    if not isinstance(value, list) or not 0 < len(value) <= _MAX_EXAMINED:
        raise InputError("Name the disks that are halved, {most} at most.", code="members", most=_MAX_EXAMINED)
    return tuple(map(read_member, value))


def _read_unknown(value: object) -> bool:
    """Read whether unrecognised bytes are released; raises InputError for any signature, which can't be here."""
    if value not in ([], [UNKNOWN]):
        raise InputError(
            "Only “{unknown}” may be confirmed here; a signature is wiped first.", code="wipe", unknown=UNKNOWN
        )
    return bool(value)


def _read_wipe(value: object) -> SignatureNames:
    if not isinstance(value, Mapping) or not all(map(_is_names, value.values())):
        raise InputError(
            "What may be wiped is a list of signatures by disk, such as ext4, or 1:ext4 in its first partition.",
            code="wipe",
        )
    return {str(disk): tuple(names) for disk, names in value.items()}


def _is_names(value: object) -> bool:
    names = value if isinstance(value, list) else []
    return 0 < len(names) <= _MAX_SIGNATURES and all(
        isinstance(name, str) and is_signature_name(name) for name in names
    )


def read_signatures(names: list[str]) -> tuple[str, ...]:
    """Read the released signatures, perhaps none; raises InputError for anything else."""
    if names and not _is_names(names):
        raise InputError("What is given up is a list of signatures, such as ext4.", code="signatures")
    return tuple(names)


def read_disk_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Return by-id names without duplicates; raises InputError for anything else."""
    if len(ids) > _MAX_EXAMINED or not all(is_disk_id(one) for one in ids):
        raise InputError("Name at most {most} disks, by their by-id names.", code="target", most=_MAX_EXAMINED)
    return tuple(dict.fromkeys(ids))


def workload_action(arguments: Sequence[Any]) -> Action:
    """Return the action for reading or writing; an unknown workload counts as writing."""
    pattern = pattern_named(arguments[1])
    return actions.BENCHMARK_WRITE if pattern is None or pattern.writes else actions.BENCHMARK_READ


def baseline_action(arguments: Sequence[Any]) -> Action:
    """Return the action for reading or writing; anything unclear counts as writing."""
    return actions.BENCHMARK_READ if arguments[1].get("write", False) is False else actions.BENCHMARK_WRITE


def baseline_details(host: Host, request: BaselineRequest) -> Mapping[str, str]:
    """Return the prompt's values: the disk, by model, serial and size."""
    return {"target": label_of_disk(host, request.disk)}


def read_baseline(arguments: Sequence[Any]) -> BaselineRequest:
    """Read the request for a baseline of a whole disk; raises InputError."""
    disk, data = read_member(arguments[0]), arguments[1]
    if disk.partition is not None:
        raise InputError("A baseline is a whole disk's; leave the partition out.", code="target")
    options = Fields(data, "The options")
    seconds = checked_seconds(options.positive("seconds") or DEFAULT_SECONDS)
    write = options.take("write", bool) or False
    wake = options.take("wake", bool) or False
    over_unknown = options.rest("wipe", _read_unknown) or False
    options.finish()
    return BaselineRequest(disk, seconds, write, wake, over_unknown)


def locate_details(host: Host, request: LocateRequest) -> Mapping[str, str]:
    """Return the prompt's value: the disk, by model, serial and size."""
    return {"target": label_of_disk(host, request.disk)}


def read_locate(arguments: Sequence[Any]) -> LocateRequest:
    """Read the request to show a disk; raises InputError."""
    disk, options = read_member(arguments[0]), Fields(arguments[1], "The options")
    if disk.partition is not None:
        raise InputError("A whole disk is shown; leave the partition out.", code="target")
    way = options.choice("way", LocateWay)
    seconds = checked_locate_seconds(options.positive("seconds") or MAX_SECONDS)
    wake = options.take("wake", bool) or False
    options.finish()
    return LocateRequest(disk, way, seconds, wake)


def at_once_details(host: Host, request: Sequence[BaselineRequest]) -> Mapping[str, str]:
    """Return the prompt's values: each disk, by model, serial and size."""
    return {"target": listed([one.disk for one in request], partial(labels_of_disks, host))}


def read_at_once(arguments: Sequence[Any]) -> tuple[BaselineRequest, ...]:
    """Read the requests for whole disks read at once, two at least, each once; raises InputError."""
    disks, data = arguments
    if not 1 < len(disks) <= MAX_AT_ONCE:
        raise InputError("Name the disks, two at least and {most} at most.", code="members", most=MAX_AT_ONCE)
    if "write" in data:
        raise InputError("Several disks at once are only read.", code="target")
    requests = tuple(read_baseline((disk, data)) for disk in disks)
    if len({one.disk.id for one in requests}) < len(requests):
        raise InputError("Name each disk once.", code="members")
    return requests


def read_trial(arguments: Sequence[Any]) -> TrialRequest:
    """Read the disks and the time; raises InputError. ``wipe`` beside a disk's fields names what it releases."""
    data, minutes = arguments
    if not 0 < len(data) <= _MAX_EXAMINED:
        raise InputError("Name the disks, {most} at most.", code="members", most=_MAX_EXAMINED)
    if not 0 < minutes <= _MAX_MINUTES:
        raise InputError("A trial lasts 1 to {most} minutes.", code="minutes", most=_MAX_MINUTES)
    wiped = [{**disk} for disk in data]
    let_go = [disk.pop("wipe", None) for disk in wiped]
    disks = tuple(map(read_member, wiped))
    unknown = [disk.id for disk, names in zip(disks, let_go, strict=True) if names is not None and _read_unknown(names)]
    return TrialRequest(disks, minutes, tuple(unknown))


def trial_details(host: Host, request: TrialRequest) -> Mapping[str, str]:
    """Return the prompt's values: each disk by model, serial and size, and the time."""
    return {"disks": listed(request.disks, partial(labels_of_disks, host)), "minutes": str(request.minutes)}


def target_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, by name and UUID, or the disk, by model, serial and size."""
    target = arguments[0].removeprefix("md:")
    if target != arguments[0] or not is_disk_id(target):
        return {"target": f"the array {label_of_array(host, target)}"}
    return {"target": label_of_disk(host, Member(target, 0))}


def scratch_details(host: Host, arguments: Sequence[Any]) -> Mapping[str, str]:
    """Return the prompt's values: the array, by name and UUID."""
    return {"target": label_of_array(host, arguments[0])}


def read_workload(arguments: Sequence[Any]) -> WorkloadRequest:
    """Read the workload, its target and duration; raises InputError."""
    target, name, data = arguments
    workload = workload_named(name)
    if not target.startswith("md:") and not is_disk_id(target):
        raise InputError("The target is md: and an array's UUID, or a disk's by-id name.", code="target")
    options = Fields(data, "The options")
    seconds = options.positive("seconds") or _DEFAULT_SECONDS
    warm_up_seconds = options.positive("warm_up_seconds") or 0
    region_mib = options.positive("region_mib")
    options.finish()
    if seconds > _MAX_SECONDS:
        raise InputError("A workload runs for at most {most} seconds.", code="seconds", most=_MAX_SECONDS)
    _verify_warm_up(workload, warm_up_seconds)
    return WorkloadRequest(target, workload, seconds, region_mib, warm_up_seconds)


def read_files(arguments: Sequence[Any]) -> FilesRequest:
    """Read the request of MeasureFileSystem; raises InputError."""
    target, text, data = arguments
    if not target.startswith("md:"):
        raise InputError("Files are measured on an array: md: and its UUID.", code="target")
    if (kind := checked_kind(text)) not in MEASURED_KINDS:
        raise InputError("{known:and} are measured so.", code="filesystem", known=list(MEASURED_KINDS))
    options = Fields(data, "The options")
    aligned = options.take("aligned", bool)
    size_mib, files = options.positive("size_mib") or MIN_MIB, options.positive("files") or FILES
    options.finish()
    for name, value, least, most in (
        ("size_mib", size_mib, MIN_MIB, MAX_MIB),
        ("files", files, MIN_FILES, MAX_FILES),
    ):
        if not least <= value <= most:
            raise InputError("“{name}” is {least} to {most}.", code="size", name=name, least=least, most=most)
    return FilesRequest(target, kind, aligned is not False, size_mib, files)


def _verify_warm_up(workload: AnyWorkload, seconds: int) -> None:
    if seconds > _MAX_WARM_UP_SECONDS:
        raise InputError("A workload warms up for at most {most} seconds.", code="seconds", most=_MAX_WARM_UP_SECONDS)
    if seconds and workload.pattern.buffered:
        raise InputError(
            "What goes through the page cache is measured from its first byte to its last; leave the warm-up out.",
            code="seconds",
        )
