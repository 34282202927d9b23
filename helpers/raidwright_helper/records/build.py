"""The record of a build: its plan, the saved bytes, and the steps that were begun."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, loads_strictly, printable
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import read_member
from raidwright.core.protocol.facts import KEPT_DAYS, BuildState, BuildStep

from raidwright_helper.host import md, system_files
from raidwright_helper.host.extents import Extent
from raidwright_helper.host.guards import person_name

from .backup import Saved

BUILD_ID = re.compile(r"[0-9a-f]{32}")
_FILE = re.compile(r"disk-[0-9]+\.bin")
_SHA256 = re.compile(r"[0-9a-f]{64}")


_DAY_SECONDS = 86_400
_CLOCK_IS_SET_SECONDS = 1_704_067_200  # 2024: an earlier time means that the clock wasn't set yet
_NEEDED = {  # to check whether undo is possible
    BuildStep.DONE: {"uuid", "fingerprint"},
    BuildStep.DISMANTLED: {"uuid", "left_as"},
    BuildStep.RESCUED: {"uuid", "left_as"},
    BuildStep.JOIN: {"uuid"},
    BuildStep.PARTITION: {"tables"},
}
_ENDS = (BuildStep.DONE, BuildStep.FAILED, BuildStep.UNDONE, BuildStep.DISMANTLED, BuildStep.RESCUED)


@dataclass(frozen=True, slots=True)
class SavedMember:
    """A member, its former signatures, and its saved bytes."""

    member: Member
    names: tuple[str, ...]
    saved: Saved


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A log entry: time (Unix seconds), step, and its fields."""

    at_s: int
    step: BuildStep
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Build:
    """A build and its steps. ``synchronises``: md's first resync overwrites its members."""

    id: str
    name: str
    uid: int
    began_s: int
    synchronises: bool
    members: tuple[SavedMember, ...]
    notes: tuple[LogEntry, ...] = ()

    def last(self, step: BuildStep) -> LogEntry | None:
        """Return the last note of ``step``."""
        return next((note for note in reversed(self.notes) if note.step is step), None)

    def state(self, *, is_running: bool) -> BuildState:
        """Return the build's state; ``is_running``: a job is working on it."""
        if is_running:
            return BuildState.RUNNING
        ends = [note.step for note in self._told[-1:] if note.step in _ENDS]
        return BuildState(ends[0]) if ends else BuildState.INTERRUPTED

    @property
    def own_uuids(self) -> frozenset[str]:
        """The UUIDs of its arrays, as far as recorded; ``outer_uuid`` is the topmost's."""
        return frozenset(uuid for note in self.notes for uuid in note.fields.get("uuids", ()))

    @property
    def outer_uuid(self) -> str:
        """The UUID of the array itself, "" before it has one."""
        told = [note.fields["uuids"] for note in self.notes if note.fields.get("uuids")]
        return str(told[-1][-1]) if told else ""

    @property
    def tables(self) -> Mapping[str, str]:
        """The GUIDs of the partition tables written for a joined volume, by disk; {} for any other build."""
        note = self.last(BuildStep.PARTITION)
        return note.fields["tables"] if note is not None else {}

    @property
    def has_way_back(self) -> bool:
        """True if the build can be undone: something of it may be on the disks."""
        if self.last(BuildStep.FORGOTTEN) is not None:
            return False
        return not self.notes or (self.notes[-1].step is not BuildStep.UNDONE and not self._failed_cleanly)

    @property
    def keeps_bytes(self) -> bool:
        """True if bytes of its disks may be stored: their former content, or what its undo overwrote."""
        if self.last(BuildStep.FORGOTTEN) is not None:
            return False
        return self.has_way_back or self.last(BuildStep.UNDONE) is not None

    @property
    def kept_until_s(self) -> int | None:
        """Expiry of its saved bytes, in Unix seconds; None if there are none, or its clock was wrong."""
        undone = self.last(BuildStep.UNDONE)
        from_s = undone.at_s if undone is not None and not self.has_way_back else self.began_s
        if not self.keeps_bytes or from_s < _CLOCK_IS_SET_SECONDS:
            return None
        return from_s + KEPT_DAYS * _DAY_SECONDS

    @property
    def joined(self) -> str:
        """The UUID of the array that its disk joined; "" if it created or dismantled an array itself."""
        note = self.last(BuildStep.JOIN)
        return str(note.fields["uuid"]) if note is not None else ""

    @property
    def disk_names(self) -> list[str]:
        """The disks' names for people."""
        return [person_name(one.member) for one in self.members]

    def summary(self, state: BuildState) -> Mapping[str, object]:
        """Return ListBuilds' fields: times in Unix seconds, ``has_way_back`` as far as known without disk reads."""
        done = self.last(BuildStep.DONE)
        return {
            "id": self.id,
            "name": self.name,
            "state": str(state),
            "began_s": self.began_s,
            "uuid": str(done.fields["uuid"]) if done else "",
            "disks": self.disk_names,
            "steps": [str(note.step) for note in self.notes],
            "removed": [
                f"{', '.join(dict.fromkeys(one.names))}: {person_name(one.member)}" for one in self.members if one.names
            ],
            "has_way_back": self.has_way_back and state is not BuildState.RUNNING,
            "synchronises": self.synchronises,
            "kept_until_s": self.kept_until_s,
        }

    @property
    def _told(self) -> tuple[LogEntry, ...]:
        return tuple(note for note in self.notes if note.step is not BuildStep.FORGOTTEN)

    @property
    def _failed_cleanly(self) -> bool:
        return self.notes[-1].step is BuildStep.FAILED and not self.notes[-1].fields.get("left")


def read_build(data: object, version: int, folder: Path) -> Build:
    """Read the build of a record (``store``) in ``folder``; raises InputError, JobFailed."""
    build = _read_build(data)
    if version == 1:  # its steps are in a file of their own, one per line
        if build.notes:
            raise InputError("it says no version", code="version")
        build = replace(build, notes=tuple(_read_log(folder / build.id / "log")))
    if any(len(note.fields.get("left_as", build.members)) != len(build.members) for note in build.notes):
        raise InputError("a step tells of other disks", code="record-step")
    return build


def _read_build(data: object) -> Build:
    fields = Fields(data, "the record")
    build = Build(
        id=fields.require("id", str),
        name=printable(fields.require("name", str)),
        uid=fields.count("uid"),
        began_s=fields.count("began_s"),
        synchronises=fields.require("synchronises", bool),
        members=tuple(map(_read_saved_member, fields.require("members", list))),
        notes=tuple(map(_read_note, fields.require("notes", list))),
    )
    fields.finish()
    if not BUILD_ID.fullmatch(build.id):
        raise InputError("its id is none", code="record-id")
    return build


def _read_saved_member(data: object) -> SavedMember:
    fields = Fields(data, "a member")
    member, names = read_member(fields.require("member", dict)), tuple(fields.texts("names"))
    saved = Fields(fields.require("saved", dict), "what was saved")
    file, sha256 = saved.require("file", str), saved.require("sha256", str)
    extents = tuple(map(_read_extent, saved.require("extents", list)))
    saved.finish()
    fields.finish()
    if not (_FILE.fullmatch(file) and _SHA256.fullmatch(sha256)):
        raise InputError("what was saved has a file or a checksum that is none", code="record-saved")
    return SavedMember(member, names, Saved(file, extents, sha256))


def _read_extent(data: object) -> Extent:
    fields = Fields(data, "an extent")
    extent = Extent(fields.count("offset_bytes"), fields.count("length_bytes"))
    fields.finish()
    return extent


def _read_log(path: Path) -> Iterator[LogEntry]:
    for line in system_files.read(path).content.splitlines(keepends=True):
        if line.endswith("\n"):  # a line cut off by a power failure hadn't begun either
            yield _read_note(loads_strictly(line, "a line of the log"))


def _read_note(data: object) -> LogEntry:
    fields = Fields(data, "a step")
    at_s, step = fields.count("at_s"), fields.require_choice("step", BuildStep)
    told = fields.require("fields", dict)
    fields.finish()
    if not _NEEDED.get(step, set()) <= told.keys():
        raise InputError("the step “{step}” lacks what it has to tell", code="record-step", step=step)
    rest = Fields(told, f"the step “{step}”")
    note = LogEntry(at_s, step, {name: _READ_TOLD[name](rest, name) for name in _READ_TOLD if name in told})
    rest.finish()
    return note


def _uuid(fields: Fields, key: str) -> str:
    return md.checked_uuid(fields.require(key, str))


def _uuids(fields: Fields, key: str) -> list[str]:
    return [md.checked_uuid(uuid) for uuid in fields.texts(key)]


def _digests(fields: Fields, key: str) -> dict[str, str]:
    places = fields.require(key, dict)
    digests = Fields(places, f"“{key}”")
    return {place: digests.require(place, str) for place in places}


_READ_TOLD: Mapping[str, Callable[[Fields, str], object]] = {
    "uuid": _uuid,
    "uuids": _uuids,
    "fingerprint": _digests,
    "tables": _digests,
    "disk": Fields.text,
    "signatures": Fields.texts,
    "left": Fields.texts,
    "left_as": Fields.texts,
}
