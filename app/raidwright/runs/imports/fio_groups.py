"""Grouping of the jobs in fio's output: clones of one job, and jobs that ran at once.

fio prints an entry per thread, or with --group_reporting an entry per group. A stonewall and ``new_group`` both begin
another group, and fio prints neither. Source: fio's ``init.c`` (add_job), ``stat.c`` (__show_run_stats); fio 3.33.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.messages import say

from .fio_options import Counts, directions_of, merged, workload_name
from .foreign import ForeignFile


@dataclass(frozen=True)
class FioClones:
    """Clones: entries of one job with the same ``options``, run at once; their counts are added up."""

    options: Mapping[str, str]
    entries: tuple[Mapping[str, Any], ...]

    @property
    def name(self) -> str:
        """The job's name."""
        return str(self.entries[0].get("jobname", ""))

    @property
    def jobs(self) -> int:
        """The number of clones in the counts: with ``group_reporting`` one entry has all of them."""
        return max(len(self.entries), int(self.options.get("numjobs", "1")))


@dataclass(frozen=True)
class Done:
    """The sum of a group's ``entries`` in one ``direction``."""

    direction: str
    counts: Counts
    seconds: float
    entries: tuple[Mapping[str, Any], ...]


@contextmanager
def as_fio_writes(file: ForeignFile, job_name: str) -> Iterator[None]:
    """Raise InputError, which names the job, for anything that differs from fio's format."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = error.args[0] if isinstance(error, ValueError) else say("{what} is missing, or no number", what=error)
        raise InputError(
            "{file}: the job “{name}” is not as fio writes one: {why}. Nothing of the file is kept.",
            code="import-fio",
            file=file.name,
            name=job_name,
            why=why,
        ) from error


def entries_of(output: Mapping[str, Any]) -> list[Any]:
    """Return the jobs, or ``fio --client``'s equivalent; its sum over all clients is left out.

    Clients run the groups of their jobs side by side, so that those of all clients follow each other by group.
    """
    for key in ("jobs", "client_stats"):
        found = output.get(key)
        if isinstance(found, list) and found:
            entries = [one for one in found if key == "jobs" or not _is_sum_of_clients(one)]
            return entries if key == "jobs" else sorted(entries, key=_group_of)
    return []


def _group_of(entry: Any) -> int:
    group = entry.get("groupid") if isinstance(entry, Mapping) else None
    return group if isinstance(group, int) else 0


def _is_sum_of_clients(entry: Any) -> bool:
    return isinstance(entry, Mapping) and entry.get("jobname") == "All clients"


def groups_at_once(output: Mapping[str, Any], entries: Sequence[Any], file: ForeignFile) -> Iterator[list[FioClones]]:
    """Yield the jobs in their order, those that ran at once together. Raises InputError for a job that failed."""
    at_once: list[FioClones] = []
    before: Any = None
    with as_fio_writes(file, ""):
        overlapped = _overlapped(entries)
    for entry in entries:
        with as_fio_writes(file, str(entry.get("jobname", "")) if isinstance(entry, Mapping) else ""):
            if entry.get("error"):
                raise ValueError(say("it ended with error {error}", error=str(entry["error"])))
            options = merged(output.get("global options") or {}, entry.get("job options") or {})
            is_clone = bool(at_once) and _is_clone(at_once[-1], entry, options)
            if at_once and not is_clone and not overlapped and entry.get("groupid") != before.get("groupid"):
                yield at_once
                at_once = []
            if is_clone:
                at_once[-1] = replace(at_once[-1], entries=(*at_once[-1].entries, entry))
            else:
                at_once.append(FioClones(options, (entry,)))
            before = entry
    if at_once:
        yield at_once


def _is_clone(group: FioClones, entry: Mapping[str, Any], options: Mapping[str, str]) -> bool:
    last = group.entries[-1]
    same = all(entry.get(key) == last.get(key) for key in ("jobname", "groupid", "hostname", "port"))
    return same and options == group.options and len(group.entries) < int(options.get("numjobs", "1"))


def _overlapped(entries: Sequence[Any]) -> bool:
    """Return True if groups of jobs ran at once: their run times add up to more than the elapsed seconds."""
    longest_s: dict[Any, float] = {}
    for entry in entries:
        if isinstance(entry, Mapping):
            told = [entry[key].get("runtime", 0) for key in ("read", "write") if isinstance(entry.get(key), Mapping)]
            group = entry.get("groupid")
            longest_s[group] = max(longest_s.get(group, 0.0), *(float(one) / 1000 for one in told), 0.0)
    elapsed_s = max((float(one.get("elapsed") or 0) for one in entries if isinstance(one, Mapping)), default=0.0)
    return 0 < elapsed_s < sum(longest_s.values())


def done_by(group: FioClones) -> list[Done]:
    """Return each direction in which ``group`` did I/O."""
    found: list[Done] = []
    for direction in ("read", "write", "trim", "mixed"):
        if direction == "mixed" and found:  # the sum of the directions above
            break
        _refuse_trimmed(group, direction)
        entries = tuple(one for one in group.entries if one.get(direction, {}).get("total_ios"))
        if entries:
            told = [entry[direction] for entry in entries]
            counts = Counts(sum(int(one["io_bytes"]) for one in told), sum(int(one["total_ios"]) for one in told))
            found.append(Done(direction, counts, max(one["runtime"] for one in told) / 1000, entries))
    for direction in ("read", "write"):
        if not any(direction in one or "mixed" in one for one in group.entries):
            raise KeyError(direction)
    return found


def _refuse_trimmed(group: FioClones, direction: str) -> None:
    """Raise KeyError for counts that somebody left out: fio prints them with each rate."""
    for entry in group.entries:
        counted = entry.get(direction, {})
        has_rate = any(counted.get(name) for name in ("io_bytes", "bw_bytes", "bw", "iops"))
        if has_rate and (missing := [name for name in ("io_bytes", "total_ios", "runtime") if name not in counted]):
            raise KeyError(missing[0])


def name_of(group: FioClones, done: Done) -> str:
    """Return the name of the workload of ``group``, from its options where the counts agree."""
    counted = {one.direction for one in done_by(group)}
    # fio prints the last job's options with the first one's name and the counts of all.
    own = (group.entries[0].get("job options") or {}).get("name", group.name)  # [global] may have a name as well
    is_mingled = own != group.name or not counted <= set(directions_of(group.options))
    return workload_name(group.options, done.direction, done.counts, group.jobs, is_mingled=is_mingled)
