"""Undoable changes to system files: the last one first, and only while the files are unchanged since.

Each has a record (``store``) below /var/lib/raidwright/configuration, which only root can read, written before the
first of the system's files is replaced.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.json_fields import Fields, printable
from raidwright.core.messages import Message, say

from raidwright_helper.host import system_files
from raidwright_helper.host.etc_files import EtcFiles, FileOrder
from raidwright_helper.host.mdadm_files import conf_paths
from raidwright_helper.host.system_files import SystemFile

from .store import Store

_MAX_MODE = 0o7777


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's content before and after; ``before`` None: it didn't exist."""

    path: str
    before: str | None
    after: str
    mode: int


class ChangeState(StrEnum):
    """Progress of a change."""

    BEGUN = "begun"  # some files may be written
    DONE = "done"
    TAKEN_BACK = "taken-back"


@dataclass(frozen=True, slots=True)
class EtcChange:
    """Edits made together for an array; ``began_s`` is Unix time, and ids sort by it."""

    id: str
    uid: int
    array: str
    began_s: int
    edits: tuple[Edit, ...]
    standing: ChangeState = ChangeState.BEGUN

    @property
    def paths(self) -> Message:
        """Its files, for a sentence."""
        return say("{paths:and}", paths=[edit.path for edit in self.edits])


def token_of(edits: Sequence[Edit]) -> str:
    """Return a hash of these edits and their contents."""
    return hashlib.sha256(json.dumps([asdict(edit) for edit in edits]).encode()).hexdigest()


class Changes:
    """The changes made on this host; ``root`` is "/", except in tests."""

    def __init__(self, folder: Path, root: Path, etc: EtcFiles) -> None:
        self._store = Store(folder, "record of a change", name=_name, read=_read, loss=_loss)
        self._root = root
        self._etc = etc

    async def make(self, uid: int, array: str, edits: Sequence[Edit]) -> EtcChange:
        """Record the present contents, then write every edit, or none. Raises JobFailed."""
        began_ns = time.time_ns()
        change = EtcChange(f"{began_ns:020}", uid, array, began_ns // 10**9, tuple(edits))
        self._store.write(change)
        written: list[Edit] = []
        try:
            for edit in change.edits:
                await self._etc.put(FileOrder(edit.path, edit.after, edit.mode))
                written.append(edit)
        except JobFailed:
            for edit in reversed(written):
                await self._put_back(edit)
            self._store.write(replace(change, standing=ChangeState.TAKEN_BACK))
            raise
        self._store.write(done := replace(change, standing=ChangeState.DONE))
        return done

    async def take_back(self) -> EtcChange:
        """Restore the last change's files. Raises InputError if there is none, DiskRefused if one was changed since."""
        change = self.last()
        states = {edit.path: self.read(edit.path).text for edit in change.edits}
        for edit in change.edits:
            # an interrupted change may or may not have written this file
            if states[edit.path] != edit.after and not (
                change.standing is ChangeState.BEGUN and states[edit.path] == edit.before
            ):
                raise DiskRefused(
                    "{path} was changed since, so nothing was put back; take the array's line out by hand.",
                    code="configuration-changed",
                    path=edit.path,
                )
        for edit in change.edits:
            await self._put_back(edit)
        self._store.write(gone := replace(change, standing=ChangeState.TAKEN_BACK))
        return gone

    def last(self) -> EtcChange:
        """Return the last change in effect; raises InputError if there is none."""
        standing = [change for change in self._store.all() if change.standing is not ChangeState.TAKEN_BACK]
        if not standing and self._store.has_damaged():
            raise InputError(
                "No change is left whose record is sound, so none can be put back; the helper's journal names the "
                "damaged ones. Take the array's lines out by hand.",
                code="record-damaged",
            )
        if not standing:
            raise InputError("Raidwright has changed no file here that could be put back.", code="no-change")
        return max(standing, key=lambda change: change.id)

    def read(self, path: str) -> SystemFile:
        """Read one of the system's files, by its absolute path; raises JobFailed."""
        return system_files.read(self._root / path.lstrip("/"))

    def read_mdadm_files(self) -> dict[str, SystemFile]:
        """Read all of mdadm's configuration files, by path, the main file first; raises JobFailed."""
        return {path: self.read(path) for path in conf_paths(self._root)}

    async def _put_back(self, edit: Edit) -> None:
        await self._etc.put(FileOrder(edit.path, edit.before, edit.mode))


def _name(change: EtcChange) -> str:
    return f"{change.id}.json"


def _loss(_name: str) -> str:
    return "That change can't be put back any more; take what it wrote out by hand."


def _read(data: object, _version: int) -> EtcChange:
    fields = Fields(data, "the record")
    change = EtcChange(
        id=fields.require("id", str),
        uid=fields.count("uid"),
        array=printable(fields.require("array", str)),
        began_s=fields.count("began_s"),
        edits=tuple(map(_read_edit, fields.require("edits", list))),
        standing=fields.require_choice("standing", ChangeState),
    )
    fields.finish()
    if not change.edits:
        raise InputError("it changed no file", code="record-empty")
    return change


def _read_edit(data: object) -> Edit:
    fields = Fields(data, "a file's change")
    path, before = fields.require("path", str), fields.take("before", str)
    edit = Edit(path, before, fields.require("after", str), fields.count("mode"))
    fields.finish()
    if edit.mode > _MAX_MODE or not path.startswith("/"):
        raise InputError("a file's path or mode is none", code="record-file")
    return edit
