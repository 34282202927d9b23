"""The builds that were begun: what was saved before each, how far it came, and whether there is a way back.

An array that was taken apart is kept in the same form: its superblocks are what was saved.

Each has a folder below the state directory, which only root can read:

    build.json    what was to be built and what was saved; written once, before the first disk is touched
    disk-N.bin    the bytes of one disk (``backup``)
    log           a line of JSON a step, stored safely before the step begins

So whatever stops the helper, the next one knows what may have been written. The state is read off the log and
stands nowhere else.

The bytes may be somebody's secrets (a LUKS header's key slots), so they are deleted once they are back on their disk,
when an administrator has them forgotten, and after `KEPT_DAYS` days. The record stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from raidwright.core.errors import InputError, JobFailed
from raidwright.core.model.plan import Member

from raidwright_helper.host.guards import person_name
from raidwright_helper.host.runner import to_the_end

from .backup import Extent, Saved, extents_to_save, save

_ID = re.compile(r"[0-9a-f]{32}")
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class Step(StrEnum):
    """What the log can say. A step is noted before it begins, an end once it is there."""

    WIPE = "wipe"
    CREATE = "create"
    UNDO = "undo"
    DISMANTLE = "dismantle"  # always the first: what is kept is an array taken apart
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"
    FORGOTTEN = "forgotten"  # the bytes are deleted; what the array is stays as it was


class State(StrEnum):
    """Where a build stands."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"  # the helper ended in the middle
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"


KEPT_DAYS = 30
_DAY_SECONDS = 86_400
_CLOCK_IS_SET_SECONDS = 1_704_067_200  # 2024: what has begun before that began before the clock was right
_ENDS = (Step.DONE, Step.FAILED, Step.UNDONE, Step.DISMANTLED)


@dataclass(frozen=True, slots=True)
class ToSave:
    """A member that is about to be overwritten: its open descriptor, its size, and where else it has something."""

    member: Member
    fd: int
    size_bytes: int
    marks: tuple[Extent, ...]
    names: tuple[str, ...]  # of the signatures on it


@dataclass(frozen=True, slots=True)
class SavedMember:
    """A member, the signatures that were on it, and its bytes."""

    member: Member
    names: tuple[str, ...]
    saved: Saved


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the log: when (Unix time), which step, and its fields."""

    at_s: int
    step: Step
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Build:
    """A build and its log. ``synchronises``: md's first synchronisation writes all over its members."""

    id: str
    name: str
    uid: int
    began_s: int
    synchronises: bool
    members: tuple[SavedMember, ...]
    notes: tuple[Note, ...] = ()

    def last(self, step: Step) -> Note | None:
        """The last note of ``step``."""
        return next((note for note in reversed(self.notes) if note.step is step), None)

    def state(self, *, is_running: bool) -> State:
        """Where it stands; ``is_running``: a job is at it now."""
        if is_running:
            return State.RUNNING
        ends = [note.step for note in self._told[-1:] if note.step in _ENDS]
        return State(ends[0]) if ends else State.INTERRUPTED

    @property
    def own_uuids(self) -> frozenset[str]:
        """The UUIDs of its arrays, as far as the log came; ``outer_uuid`` is the topmost's."""
        return frozenset(uuid for note in self.notes for uuid in note.fields.get("uuids", ()))

    @property
    def outer_uuid(self) -> str:
        """The UUID of the array itself, "" as long as none was given."""
        told = [note.fields["uuids"] for note in self.notes if note.fields.get("uuids")]
        return str(told[-1][-1]) if told else ""

    @property
    def has_way_back(self) -> bool:
        """Whether something of it may stand on the disks."""
        if self.last(Step.FORGOTTEN) is not None:
            return False
        return not self.notes or (self.notes[-1].step is not Step.UNDONE and not self._failed_cleanly)

    @property
    def kept_until_s(self) -> int | None:
        """When its bytes are deleted, in Unix seconds; None when there are none, or the clock was wrong as it began."""
        if not self.has_way_back or self.began_s < _CLOCK_IS_SET_SECONDS:
            return None
        return self.began_s + KEPT_DAYS * _DAY_SECONDS

    @property
    def disk_names(self) -> list[str]:
        """The disks, for people."""
        return [person_name(one.member) for one in self.members]

    def summary(self, state: State) -> Mapping[str, object]:
        """What ListBuilds tells: times in Unix seconds, ``has_way_back`` as far as can be told without looking."""
        done = self.last(Step.DONE)
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
            "has_way_back": self.has_way_back and state is not State.RUNNING,
            "synchronises": self.synchronises,
            "kept_until_s": self.kept_until_s,
        }

    @property
    def _told(self) -> tuple[Note, ...]:
        return tuple(note for note in self.notes if note.step is not Step.FORGOTTEN)

    @property
    def _failed_cleanly(self) -> bool:
        return self.notes[-1].step is Step.FAILED and not self.notes[-1].fields.get("left")


class Builds:
    """Every build that this helper, or one before it, has begun; ``folder`` is made when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: set[str] = set()

    def folder_of(self, build_id: str) -> Path:
        """Where a build's files are; raises InputError for what is no build's id."""
        if not _ID.fullmatch(build_id):
            raise InputError("A build's id is 32 hexadecimal digits, as ListBuilds gives it.", code="build-id")
        return self._folder / build_id

    @contextlib.contextmanager
    def running(self, build_id: str) -> Iterator[None]:
        """While a job is at the build; raises InputError when one is already."""
        if build_id in self._running:
            raise InputError("This build is still being worked on; wait until that ends.", code="build-running")
        self._running.add(build_id)
        try:
            yield
        finally:
            self._running.discard(build_id)

    def state_of(self, build: Build) -> State:
        """Where ``build`` stands now."""
        return build.state(is_running=build.id in self._running)

    async def begin(self, name: str, uid: int, members: Sequence[ToSave], *, synchronises: bool) -> Build:
        """Save the members' bytes and note the build; raises JobFailed, with nothing left, when that can't be done."""
        build_id = secrets.token_hex(16)
        folder = self.folder_of(build_id)
        try:
            _make_folder(folder)
            kept = []
            for index, one in enumerate(members):
                extents = extents_to_save(one.size_bytes, one.marks)
                path = folder / f"disk-{index}.bin"
                saved = await to_the_end(asyncio.to_thread(save, one.fd, extents, path, person_name(one.member)))
                kept.append(SavedMember(replace(one.member, baseline=None), one.names, saved))
            build = Build(build_id, name, uid, int(time.time()), synchronises, tuple(kept))
            _write_new(folder / "build.new", json.dumps(asdict(build)))
            (folder / "build.new").rename(folder / "build.json")  # so that it is whole or isn't there
            _sync_folder(folder)
        except BaseException as error:  # cancelled as well: a build that isn't noted leaves nothing
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise _unwritable(error) from error
            raise
        return build

    def forget(self, build_id: str) -> None:
        """Delete what was saved of the disks; raises InputError when there is nothing, or a job is at it."""
        with self.running(build_id):
            if not self.find(build_id).has_way_back:
                raise InputError("Nothing of this build is kept any more.", code="build-forgotten")
            self.note(build_id, Step.FORGOTTEN)

    def forget_old(self, now_s: float) -> None:
        """Forget every build that is older than `KEPT_DAYS`; raises JobFailed."""
        for build in self.all():
            if build.id not in self._running and (until_s := build.kept_until_s) is not None and until_s < now_s:
                self.forget(build.id)

    def note(self, build_id: str, step: Step, **fields: object) -> None:
        """Add a line to the log, safely stored on return; bytes that nobody needs any more go. Raises JobFailed."""
        line = json.dumps({"at_s": int(time.time()), "step": step, "fields": fields})
        try:
            with open(os.open(self.folder_of(build_id) / "log", _APPEND, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123  (a descriptor)
                file.write(f"{line}\n")
                file.flush()
                os.fsync(file.fileno())
            _sync_folder(self.folder_of(build_id))
            if step in (Step.UNDONE, Step.FORGOTTEN) or (step is Step.FAILED and not fields.get("left")):
                for path in self.folder_of(build_id).glob("disk-*"):
                    path.unlink()
        except OSError as error:
            raise _unwritable(error) from error

    def find(self, build_id: str) -> Build:
        """The build of this id; raises InputError when there is none."""
        folder = self.folder_of(build_id)
        try:
            data = json.loads((folder / "build.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError("There is no build of this id on this machine.", code="no-such-build") from None
        members = tuple(_saved_member(one) for one in data.pop("members"))
        return Build(**(data | {"members": members, "notes": tuple(_notes(folder / "log"))}))

    def all(self) -> tuple[Build, ...]:
        """Every build, the latest first."""
        ids = [path.parent.name for path in self._folder.glob("*/build.json")]
        return tuple(sorted(map(self.find, ids), key=lambda build: build.began_s, reverse=True))

    def forget_unbegun(self) -> None:
        """Remove what a helper that was ended while it saved has left: no disk had been touched."""
        for folder in self._folder.glob("*"):
            if folder.name not in self._running and not (folder / "build.json").exists():
                shutil.rmtree(folder, ignore_errors=True)


def _saved_member(data: Mapping[str, Any]) -> SavedMember:
    saved = data["saved"]
    extents = tuple(Extent(**extent) for extent in saved["extents"])
    return SavedMember(Member(**data["member"]), tuple(data["names"]), Saved(saved["file"], extents, saved["sha256"]))


def _notes(path: Path) -> Iterator[Note]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):  # what was cut off by a power failure had not begun either
            data = json.loads(line)
            yield Note(data["at_s"], Step(data["step"]), data["fields"])


def _make_folder(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700)
    _sync_folder(folder.parent)


def _write_new(path: Path, text: str) -> None:
    with open(os.open(path, _NEW_FILE, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123  (a descriptor)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _unwritable(error: OSError) -> JobFailed:
    return JobFailed(
        f"The build's log can't be kept ({error.strerror}); make room below /var/lib/raidwright.", code="log-failed"
    )
