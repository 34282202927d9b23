"""The place of a run: what was read or written, and which part of it, by its options.

What an imported run's options don't say is unknown: IOzone's and bonnie++'s files have a size, and fio's have one where
the job gives it. A device without a size is measured as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from raidwright.reading.fio_sizes import KB_BASES, size_bytes

from .run import BegunRun, Run, Source

_MIB = 2**20
_DEVICE = re.compile(r"/dev/(?!shm/)|\\\\\.\\|//\./")
_ELSEWHERE = ("null", "rbd", "http", "nbd", "libiscsi", "net", "rados", "gfapi", "libhdfs", "nfs", "exec", "cpuio")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)(?:%|z)")
_IOZONE_FILES = re.compile(r"(?:^|\s)-[fF]\s+(\S+)")
_BONNIE_SIZE = re.compile(r"(\d+)([KMGTkmgt]?)")
_POWERS = {"": 2, "K": 1, "M": 2, "G": 3, "T": 4}  # of bonnie++: a plain number is in MiB


@dataclass(frozen=True, slots=True)
class Place:
    """``target`` is a device, or the directory of files, "" if unknown; ``is_files`` is None if neither is known.

    ``region_mib`` is None for all of the target, and where it isn't known (``is_region_known``); ``share`` the region
    as a part of it, such as ``50%``. ``offset`` is where the region begins, "" for the start.
    """

    target: str = ""
    is_files: bool | None = None
    region_mib: float | None = None
    is_region_known: bool = False
    share: str = ""
    offset: str = ""


def place_of(run: Run) -> Place:
    """Return the place of an imported run, by the options that its file has."""
    imported = run.context.get("import")
    options = imported.get("options") if isinstance(imported, Mapping) else None
    told: Mapping[str, Any] = options if isinstance(options, Mapping) else {}
    return place_by(run.source, told, run.result.workload, run.result.command)


def place_by(source: Source, options: Mapping[str, Any], workload: str, command: str) -> Place:
    """Return the place that ``options`` of the program ``source`` say."""
    match source:
        case Source.FIO:
            return _of_fio(options)
        case Source.IOZONE:
            return _of_iozone(options, command)
        case Source.BONNIE:
            return _of_bonnie(options, workload)
    return Place()


def is_fixed_work(run: BegunRun) -> bool:
    """True if the run's amount of data is fixed, and its time follows from the speed."""
    if run.source in (Source.IOZONE, Source.BONNIE):
        return True
    imported = run.context.get("import")
    options = imported.get("options") if isinstance(imported, Mapping) else None
    if run.source is not Source.FIO or not isinstance(options, Mapping):
        return False
    return bool(options) and not {"time_based", "runtime"} & options.keys()


def _of_fio(options: Mapping[str, Any]) -> Place:
    if not options or str(options.get("ioengine", "")) in _ELSEWHERE:
        return Place()
    names = [name for name in _named(options).replace("\\:", "\0").split(":") if name]
    are_devices = [bool(_DEVICE.match(name)) for name in names]
    is_files = not all(are_devices) if names else True
    region_mib, share, is_known = _region(options, is_files=is_files, has_names=bool(names))
    offset = str(options.get("offset", "0"))
    return Place(
        target=_target(names, str(options.get("directory", "")), is_files=is_files),
        is_files=is_files,
        region_mib=region_mib,
        is_region_known=is_known,
        share=share,
        offset="" if offset in ("0", "0%") else offset,
    )


def _named(options: Mapping[str, Any]) -> str:
    """Return the job's files or devices; without any, fio takes an existing device of the job's name."""
    name = str(options.get("name", ""))
    is_of_name = not options.get("filename") and not options.get("directory") and _DEVICE.match(name)
    return name if is_of_name else str(options.get("filename", ""))


def _target(names: list[str], directory: str, *, is_files: bool) -> str:
    """Return the devices, or the directory that all files are in; "" if that isn't said."""
    if not is_files:
        return ":".join(sorted(names))
    if directory:
        return directory.rstrip("/") or "/"
    folders = {str(PurePosixPath(name.replace("\0", ":")).parent) for name in names if name.startswith("/")}
    return folders.pop() if len(folders) == 1 and all(name.startswith("/") for name in names) else ""


def _region(options: Mapping[str, Any], *, is_files: bool, has_names: bool) -> tuple[float | None, str, bool]:
    """Return the region in MiB, as a share, and whether it is known."""
    text = str(options.get("size", options.get("filesize", "")))
    if share := _SHARE.fullmatch(text):
        is_whole = float(share[1]) == 100
        return None, "" if is_whole else text, not is_files or not is_whole
    size = size_bytes(text, str(options.get("kb_base", KB_BASES[0]))) if text else None
    if size is None:
        return None, "", not is_files and not text
    jobs = str(options.get("numjobs", "1"))
    of_each_job = is_files and not has_names and jobs.isdecimal()  # such a job has files of its own
    return size * (int(jobs) if of_each_job else 1) / _MIB, "", True


def _of_iozone(options: Mapping[str, Any], command: str) -> Place:
    size_kib, processes = options.get("size_kib"), options.get("processes", 1)
    found = _IOZONE_FILES.search(command)
    folder = str(PurePosixPath(found[1]).parent) if found and found[1].startswith("/") else ""
    if not isinstance(size_kib, int) or not isinstance(processes, int):
        return Place(folder, is_files=True)
    return Place(folder, is_files=True, region_mib=size_kib * processes / 1024, is_region_known=True)


def _of_bonnie(options: Mapping[str, Any], workload: str) -> Place:
    size = _BONNIE_SIZE.match(str(options.get("size", "")))
    if "char" in workload and not str(options.get("version", "")).startswith("1.0"):
        return Place(is_files=True)  # bonnie++ 1.9 and later do these tests on a size of its own (-f), which isn't said
    if size is None or not any(name in workload for name in ("block", "char", "rewrite", "seeks")):
        return Place(is_files=True)
    copies = str(options.get("concurrency", "1"))
    size_bytes_each = int(size[1]) << (10 * _POWERS[size[2].upper()])
    count = int(copies) if copies.isdecimal() and int(copies) > 0 else 1
    return Place(is_files=True, region_mib=size_bytes_each * count / _MIB, is_region_known=True)
