"""Stored baselines of single disks, by serial number and date: one JSON file per measurement.

The files are in ``$XDG_DATA_HOME/raidwright/baselines`` and never change once written; the newest of each disk counts.
A disk is identified by its serial, size and model, on whatever machine it is.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from raidwright import __version__
from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Baseline, Member, Plan
from raidwright.core.model.plan_json import dump_baseline, read_baseline
from raidwright.core.protocol.measured import BaselineResult, Figures
from raidwright.core.system.baseline import baseline_of

from .files import data_folder, load_json, read_time, write_whole

VERSION = 1
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_NAME = re.compile(r"\d{8}T\d{6}(?:\.\d{6})?Z-(.+)-[0-9a-f]{6}")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptBaseline:
    """Baseline of the disk with this ``serial``, measured on ``machine`` at ``taken`` (in UTC).

    ``known`` holds the disk's facts at that time: kind, rpm and link. ``in_use``: other programs may have used it, too.
    """

    serial: str
    model: str
    size_bytes: int
    taken: datetime
    machine: str
    known: Baseline
    result: BaselineResult
    in_use: bool = False
    program_version: str = __version__

    @property
    def baseline(self) -> Baseline:
        """The baseline for a plan's member."""
        return baseline_of(self.known, self.result.figures)

    def is_of(self, disk: Disk | Member) -> bool:
        """Return True if serial, size and model match ``disk``; a slice of a disk is smaller than the disk."""
        same_model = not (self.model and disk.model) or self.model == disk.model
        is_slice = isinstance(disk, Member) and bool(disk.disk)
        same_size = disk.size_bytes <= self.size_bytes if is_slice else disk.size_bytes == self.size_bytes
        return self.serial == disk.serial and same_size and same_model


def baselines_folder() -> Path:
    """Return the folder of the baselines."""
    return data_folder() / "baselines"


def save_baseline(kept: KeptBaseline, folder: Path | None = None) -> Path:
    """Write ``kept`` atomically and return its file. Raises InputError if the folder isn't writable."""
    name = f"{kept.taken.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}-{_key(kept.serial)}-{secrets.token_hex(3)}.json"
    times = {"taken": kept.taken.astimezone(UTC).isoformat()}
    data = {"version": VERSION} | asdict(kept) | times | {"known": dump_baseline(kept.known)}
    path = (folder or baselines_folder()) / name
    write_whole(path, data)
    return path


def load_baseline(path: Path) -> KeptBaseline:
    """Read the baseline in the file at ``path``; raises InputError with the reason if it is invalid."""
    fields = Fields(load_json(path), path.name)
    version = fields.require("version", int)
    if version != VERSION:
        raise InputError(
            "{where} is of version {version}; a newer program may read it.",
            code="baseline-version",
            where=fields.where,
            version=version,
        )
    kept = KeptBaseline(
        serial=fields.require("serial", str),
        model=fields.require("model", str),
        size_bytes=fields.count("size_bytes"),
        taken=read_time(fields, "taken"),
        machine=fields.require("machine", str),
        known=read_baseline(fields.require("known", dict), f"{fields.where}, known"),
        result=_read_result(Fields(fields.require("result", dict), f"{fields.where}, result")),
        in_use=fields.require("in_use", bool),
        program_version=fields.require("program_version", str),
    )
    fields.finish()
    return kept


def _read_result(fields: Fields) -> BaselineResult:
    figures = fields.require("figures", dict)
    result = BaselineResult(
        figures={name: _read_figures(Fields(told, f"{fields.where}, {name}")) for name, told in figures.items()},
        size_bytes=fields.count("size_bytes"),
        seconds=fields.count("seconds"),
        began_s=fields.count("began_s"),
        fio=fields.require("fio", str),
        log=tuple(fields.texts("log")),
    )
    fields.finish()
    return result


def _read_figures(fields: Fields) -> Figures:
    figures = Figures(**{name: fields.require(name, float) for name in Figures.__slots__})
    fields.finish()
    return figures


def _key(serial: str) -> str:
    return _UNSAFE.sub("_", serial)


class Baselines:
    """The newest stored baseline of each disk; read again when the folder has changed."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or baselines_folder()
        self._changed_ns = -1
        self._newest: Mapping[str, KeptBaseline] = {}

    def of(self, disk: Disk | Member) -> KeptBaseline | None:
        """Return the newest baseline of ``disk``; None if it was never measured."""
        kept = self._by_serial().get(disk.serial) if disk.serial else None
        return kept if kept is not None and kept.is_of(disk) else None

    def with_measured(self, disk: Disk) -> Disk:
        """Return ``disk`` with its measured figures; kind and link are the current ones where known."""
        kept = self.of(disk)
        if kept is None:
            return disk
        return replace(disk, baseline=baseline_of(known_of(disk, kept.known), kept.result.figures))

    def filled_in(self, plan: Plan) -> tuple[Plan, tuple[KeptBaseline, ...]]:
        """Return ``plan`` with measured figures for disks without any, and the baselines used."""
        used = [kept for disk in plan.disks() if not has_figure(disk.baseline) and (kept := self.of(disk))]
        by_serial = {kept.serial: kept for kept in used}

        def filled(member: Member) -> Member:
            kept = None if has_figure(member.baseline) else by_serial.get(member.serial)
            return member if kept is None else replace(member, baseline=kept.baseline)

        return plan.each_disk(filled), tuple(by_serial.values())

    def _by_serial(self) -> Mapping[str, KeptBaseline]:
        try:
            changed_ns = self._folder.stat().st_mtime_ns
        except OSError:
            return {}
        if changed_ns != self._changed_ns:
            self._newest, self._changed_ns = self._read(), changed_ns
        return self._newest

    def _read(self) -> Mapping[str, KeptBaseline]:
        newest: dict[str, KeptBaseline] = {}
        seen: set[str] = set()
        for path in sorted(self._folder.glob("*.json"), reverse=True):
            name = _NAME.fullmatch(path.stem)
            if name is None or name[1] in seen:
                continue
            try:
                kept = load_baseline(path)
            except InputError as error:
                _LOG.warning("%s is left alone: %s", path, error)
                continue
            seen.add(name[1])
            newest[kept.serial] = kept
        return newest


def known_of(disk: Disk, before: Baseline | None = None) -> Baseline:
    """Return the facts about the disk's speed: kind, rpm and link; missing ones as ``before``.

    Bottlenecks measured ``before`` are kept, the link's only if the link is the same.
    """
    known = replace(disk.of_kind() or before or Baseline(), link=disk.link or None)
    if before is None:
        return known
    return replace(
        known,
        link_read_mb_s=before.link_read_mb_s if before.link == known.link else None,
        computer_read_mb_s=before.computer_read_mb_s,
        computer_read_4k_iops=before.computer_read_4k_iops,
    )


def has_figure(baseline: Baseline | None) -> bool:
    """Return True if ``baseline`` has a measured figure beside the disk's kind, rpm and link."""
    return baseline is not None and replace(baseline, kind=None, rpm=None, link=None) != Baseline()
