"""Builds begun on this host: saved bytes, progress, and whether they can be undone.

A dismantled array is recorded in the same form, with its superblocks saved.

Each has a folder below the state directory, which only root can read:

    build.json          the record (``build``, ``store``)
    disk-N.bin          the bytes of one disk (``backup``)
    disk-N.bin.found    what an undo found on it and overwrote

The record is there before the first disk is touched, and each step is noted before it begins. So whatever stops the
helper, the next one knows what may have been written. The state is derived from the steps and stored nowhere else.

The bytes may be somebody's secrets (a LUKS header's key slots), so they are deleted once they are restored, when an
administrator deletes them, and after `KEPT_DAYS` days. The record stays. What an undo overwrote stays for `KEPT_DAYS`
days after it: somebody may have put a boot loader into md's reserved space while the array was stopped.

A disk that joins a running array has a record, too, until md has taken it (``BuildStep.JOIN``, ``drop``).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildState, BuildStep

from raidwright_helper.host import system_files
from raidwright_helper.host.extents import Extent
from raidwright_helper.host.guards import person_name

from .backup import Saved, extents_to_save, keep_difference, save
from .build import BUILD_ID, Build, LogEntry, SavedMember, read_build
from .store import Store

_LOG = logging.getLogger("raidwright-helper")
_RECORD = "build.json"


@dataclass(frozen=True, slots=True)
class ToSave:
    """A member about to be overwritten: its open descriptor, its size, and its signatures' extents."""

    member: Member
    fd: int
    size_bytes: int
    marks: tuple[Extent, ...]
    names: tuple[str, ...]  # of the signatures on it


class Builds:
    """Every build begun by this helper or an earlier one; ``folder`` is created on first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store = Store(
            folder,
            "record of a build",
            name=_name,
            read=lambda data, version: read_build(data, version, folder),
            loss=self._loss,
            files=f"*/{_RECORD}",
        )
        self._running: set[str] = set()

    def folder_of(self, build_id: str) -> Path:
        """Return the folder of a build's files; raises InputError for an invalid build id."""
        if not BUILD_ID.fullmatch(build_id):
            raise InputError("A build's id is 32 hexadecimal digits, as ListBuilds gives it.", code="build-id")
        return self._folder / build_id

    @contextlib.contextmanager
    def running(self, build_id: str) -> Iterator[None]:
        """Mark the build as running; raises InputError if it is running already."""
        if build_id in self._running:
            raise InputError("This build is still being worked on; wait until that ends.", code="build-running")
        self._running.add(build_id)
        try:
            yield
        finally:
            self._running.discard(build_id)

    def state_of(self, build: Build) -> BuildState:
        """Return the present state of ``build``."""
        return build.state(is_running=build.id in self._running)

    async def begin(self, name: str, uid: int, members: Sequence[ToSave], *, synchronises: bool) -> Build:
        """Save the members' bytes and record the build; raises JobFailed, leaving nothing, if that fails."""
        build_id = secrets.token_hex(16)
        folder = self.folder_of(build_id)
        try:
            system_files.have_folder(folder)
            kept = []
            for index, one in enumerate(members):
                extents = extents_to_save(one.size_bytes, one.marks)
                path = folder / f"disk-{index}.bin"
                saved = await to_the_end(asyncio.to_thread(save, one.fd, extents, path, person_name(one.member)))
                kept.append(SavedMember(replace(one.member, baseline=None), one.names, saved))
            build = Build(build_id, name, uid, int(time.time()), synchronises, tuple(kept))
            self._store.write(build)
        except BaseException:  # cancelled as well: an unrecorded build leaves nothing
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return build

    def forget(self, build_id: str) -> None:
        """Delete the disks' saved bytes; raises InputError if there are none, or a job is running."""
        with self.running(build_id):
            if not self.find(build_id).keeps_bytes:
                raise InputError("Nothing of this build is kept any more.", code="build-forgotten")
            self.note(build_id, BuildStep.FORGOTTEN)

    def forget_old(self, now_s: float) -> None:
        """Delete the saved bytes of builds older than `KEPT_DAYS`; raises JobFailed."""
        for build in self.all():
            if build.id not in self._running and (until_s := build.kept_until_s) is not None and until_s < now_s:
                self.forget(build.id)

    def note(self, build_id: str, step: BuildStep, **fields: object) -> None:
        """Record a step, synced on return, and delete bytes no longer needed. Raises InputError, JobFailed."""
        build = self.find(build_id)
        self._store.write(replace(build, notes=(*build.notes, LogEntry(int(time.time()), step, fields))))
        folder = self.folder_of(build_id)
        if step is BuildStep.UNDONE:
            for one in build.members:
                _keep_difference(one.saved, folder)
                system_files.remove(folder / one.saved.file)
        elif step is BuildStep.FORGOTTEN or (step is BuildStep.FAILED and not fields.get("left")):
            for path in folder.glob("disk-*"):
                system_files.remove(path)

    def drop(self, build_id: str) -> None:
        """Remove a record that is no longer needed, with its saved bytes; raises JobFailed."""
        self._store.remove(f"{build_id}/{_RECORD}")
        shutil.rmtree(self.folder_of(build_id), ignore_errors=True)

    def drop_joined(self, is_member: Callable[[str, Member], bool]) -> None:
        """Drop the records of disks that md has taken; ``is_member`` checks by an array's UUID. Raises JobFailed."""
        for build in self.all():
            if build.joined and build.id not in self._running and is_member(build.joined, build.members[0].member):
                self.drop(build.id)

    def find(self, build_id: str) -> Build:
        """Return the build of this id; raises InputError if there is none, or its record is damaged."""
        folder = self.folder_of(build_id)
        name = f"{build_id}/{_RECORD}"
        if (build := self._store.get(name)) is not None:
            return build
        if self._store.has_damaged(name):
            raise InputError(
                "The record of this build is damaged, so it can't be undone safely, and nothing was done. What its "
                "disks held at their ends is kept in {folder} until you delete that.",
                code="record-damaged",
                folder=folder,
            )
        raise InputError("There is no build of this id on this machine.", code="no-such-build")

    def all(self) -> tuple[Build, ...]:
        """Return every build, the latest first."""
        return tuple(sorted(self._store.all(), key=lambda build: build.began_s, reverse=True))

    def forget_unbegun(self) -> None:
        """Remove the files of a helper that was killed while saving: no disk had been touched.

        A build with a record, even a damaged one, had begun.
        """
        for folder in self._folder.glob("*"):
            if (
                BUILD_ID.fullmatch(folder.name)
                and folder.name not in self._running
                and not any(folder.glob(f"{_RECORD}*"))
            ):
                shutil.rmtree(folder, ignore_errors=True)

    def _loss(self, name: str) -> str:
        saved = self._folder / Path(name).parent
        return f"That build has no way back any more; what was saved of its disks is in {saved} until you delete that."


def _keep_difference(saved: Saved, folder: Path) -> None:
    try:
        keep_difference(saved, folder)
    except (OSError, RaidwrightError) as error:  # no space, or a damaged file: the undo itself has succeeded
        _LOG.warning("what was found on a disk before the undo isn't kept: %s", error)
        for path in folder.glob(f"{saved.file}.*"):
            system_files.remove(path)


def _name(build: Build) -> str:
    return f"{build.id}/{_RECORD}"
