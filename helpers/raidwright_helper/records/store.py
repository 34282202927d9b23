"""The store of the helper's records: one JSON file each, written atomically and validated when read.

After a power cut a record is the old one or the new one: it is written beside the old one, synced, and renamed. It is
read only if root alone owns it, and it is no link, not too large, of a known version and of the shape that its reader
requires. Any other is damaged: it is renamed aside, never to be read again, the journal gets a line, and everything
else continues.
"""

from __future__ import annotations

import glob
import itertools
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from raidwright.core.errors import InputError, JobFailed, RaidwrightError
from raidwright.core.json_fields import loads_strictly, printable

from raidwright_helper.host import system_files

_LOG = logging.getLogger("raidwright-helper")
VERSION = 2  # 1, without a version field: written by helpers before this store
_MAX_BYTES = 8 * 2**20  # two of the system's files, before and after


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


_RECORD = TypeVar("_RECORD", bound=_Dataclass)


class Store(Generic[_RECORD]):
    """The records of one kind below ``folder``, which is created on first use.

    ``kind`` is their name in the journal, ``files`` a pattern of their names. ``name`` returns a record's path,
    ``read`` makes a record of plain values and their version or raises InputError, and ``loss`` returns the
    consequence, for the journal, of losing the record of this name.
    """

    def __init__(
        self,
        folder: Path,
        kind: str,
        *,
        name: Callable[[_RECORD], str],
        read: Callable[[object, int], _RECORD],
        loss: Callable[[str], str],
        files: str = "*.json",
    ) -> None:
        self._folder = folder
        self._kind = kind
        self._name = name
        self._read = read
        self._loss = loss
        self._files = files
        self._told: set[Path] = set()  # damaged, but couldn't be renamed aside

    def write(self, record: _RECORD) -> None:
        """Store ``record`` in place of the one of its name; synced on return. Raises JobFailed."""
        path = self._folder / self._name(record)
        text = json.dumps({"version": VERSION, **asdict(record)})
        try:
            self._parsed(path, text)
        except InputError as error:  # better now, while everything can still be undone
            raise JobFailed(
                "{path} could not be read again: {why}.", code="record-unreadable", path=path, why=_why(error)
            ) from error
        system_files.have_folder(path.parent)
        system_files.replace(path, text, mode=0o600)

    def remove(self, name: str) -> None:
        """Remove the record of this name, if there is one; raises JobFailed."""
        if self._folder.is_dir():
            system_files.remove(self._folder / name)

    def all(self) -> Iterator[_RECORD]:
        """Return every valid record, by name."""
        names = glob.glob(self._files, root_dir=self._folder)  # noqa: PTH207  (Path's own leaves out broken links)
        return (record for name in sorted(names) if (record := self.get(name)) is not None)

    def get(self, name: str) -> _RECORD | None:
        """Return the record of this name; None if there is none, or a damaged one, which is renamed aside."""
        path = self._folder / name
        try:
            with system_files.own_folder(path.parent) as folder:
                try:
                    return self._sound(path, folder)
                except RaidwrightError as error:
                    self._set_aside(path, folder, _why(error))
        except FileNotFoundError:
            return None
        except (OSError, RaidwrightError) as error:  # not the record's fault: it may be readable another time
            self._leave(path, _why(error), "and is passed over")
        return None

    def has_damaged(self, name: str = "*") -> bool:
        """Return whether there is, or was, a damaged record of this name (or any); call ``get`` first."""
        is_left = any(path.match(name) for path in self._told)
        return is_left or any(self._folder.glob(f"{name}.damaged-*"))

    def _sound(self, path: Path, folder: int) -> _RECORD | None:
        text = system_files.read_within(folder, path, most_bytes=_MAX_BYTES).text
        return None if text is None else self._parsed(path, text)

    def _parsed(self, path: Path, text: str) -> _RECORD:
        if len(text) > _MAX_BYTES:
            raise InputError("it is too large", code="record-large")
        data, version = loads_strictly(text, "it"), 1
        if isinstance(data, dict) and "version" in data:
            version = data.pop("version")
        if type(version) is not int or not 1 <= version <= VERSION:
            raise InputError(
                "it is of a version that this helper doesn't know, which is {version} at most",
                code="version",
                version=VERSION,
            )
        record = self._read(data, version)
        if path != self._folder / self._name(record):
            raise InputError("it says that it is another", code="record-name")
        return record

    def _set_aside(self, path: Path, folder: int, why: str) -> None:
        loss = self._loss(str(path.relative_to(self._folder)))
        try:
            taken = set(os.listdir(folder))
            names = (f"{path.name}.damaged-{number}" for number in itertools.count(1))
            aside = next(name for name in names if name not in taken)
            os.rename(path.name, aside, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        except OSError as error:
            self._leave(path, why, f"and can't be set aside ({error.strerror}). {loss}")
        else:
            self._tell(path, why, f"and is kept as {aside}, which is never read. {loss}")

    def _leave(self, path: Path, why: str, outcome: str) -> None:
        if path not in self._told:  # once is enough: every listing meets it
            self._told.add(path)
            self._tell(path, why, outcome)

    def _tell(self, path: Path, why: str, outcome: str) -> None:
        _LOG.warning("the %s %r can't be used (%s) %s", self._kind, str(path), why, outcome)


def _why(error: OSError | RaidwrightError) -> str:
    if isinstance(error, OSError):
        said: object = error.strerror
    else:
        said = error.fields["why"] if error.code == "file-unusable" else error.sentence
    return printable(str(said)).rstrip(".")
