"""fio's own JSON, of fio 3.0 and later. Source: fio's ``stat.c`` (show_thread_status_json), fio(1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.system.workload import Flushes, flushes_of
from raidwright.reading.line_prefixes import without_prefixes
from raidwright.runs.run import RunResult, Source

from .fio_groups import Done, FioClones, as_fio_writes, done_by, entries_of, groups_at_once, name_of
from .foreign import ForeignFile, ParsedFigure, unreadable

_NS_PER_MS = 1e6
_VERSION = re.compile(r"fio-(\d+)\.\S*")
_SIGN = re.compile(r'"fio version\\*"')  # within a string of JSON its quotes are escaped
_OBJECT = re.compile(  # also as Ansible prints it, ok: [nas] => {, and in a program: const sample = `{
    r"""^(?:[^{}"\n]*(?:=>|=|\())?[ \t]*(?:r?["'`]{1,3})?[ \t]*\{""", re.MULTILINE
)
_MAX_NESTED = 8  # levels of other JSON around fio's
_SAME_START_S = 3.0  # both of fio's figures are whole seconds
_MAX_BESIDE = 3  # most names of other jobs in a name


def looks_like(text: str) -> bool:
    """Return True if ``text`` may be fio's, also within other JSON."""
    return _SIGN.search(text) is not None


def told_by(file: ForeignFile) -> Iterator[ParsedFigure]:
    """Yield each job with I/O, reads and writes separately, clones as one. Raises InputError."""
    file = replace(file, text=without_prefixes(file.text))
    for output in _outputs(file):
        yield from _of_output(output, file)


def _of_output(output: Mapping[str, Any], file: ForeignFile) -> Iterator[ParsedFigure]:
    version = str(output.get("fio version", ""))
    match = _VERSION.match(version)
    if match is None or int(match[1]) < 3:
        raise InputError(
            "{file} is of {version}; Raidwright reads what fio 3.0 and later print.",
            code="import-fio",
            file=file.name,
            version=version or say("an unknown fio"),
        )
    entries = entries_of(output)
    if not entries:
        raise InputError("{file} holds no jobs of fio's.", code="import-fio", file=file.name)
    for at_once in groups_at_once(output, entries, file):
        names: list[str] = []
        for group in at_once:
            with as_fio_writes(file, group.name):
                names += [name_of(group, done) for done in done_by(group)]
        for group in at_once:
            with as_fio_writes(file, group.name):
                yield from _of_group(output, group, version.removeprefix("fio-"), file, names)


def _outputs(file: ForeignFile) -> list[Mapping[str, Any]]:
    """Return the output of each run of fio: several may be in one file, and fio's warnings between them.

    With ``--status-interval`` a run prints several; its last has the totals.
    """
    found = [one for outer in _objects(file) for one in _within(outer)]
    if not found:
        raise InputError("{file} holds no JSON of fio's.", code="import-fio", file=file.name)
    return [one for one, after in zip_longest(found, found[1:]) if after is None or not _is_same_run(one, after)]


def _within(told: Any, level: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield fio's objects in ``told``: kubestr and Ansible have them inside their own, as JSON or as a text."""
    if level > _MAX_NESTED:
        return
    if isinstance(told, dict) and "fio version" in told:
        yield told
    elif isinstance(told, dict | list):
        for one in told.values() if isinstance(told, dict) else told:
            yield from _within(one, level + 1)
    elif isinstance(told, str) and looks_like(told):
        with suppress(ValueError, RecursionError):
            yield from _within(json.loads(told[told.index("{") :]), level + 1)


def _objects(file: ForeignFile) -> Iterator[Any]:
    if file.text.lstrip().startswith("["):  # jq -s, for example
        with suppress(ValueError, RecursionError):
            yield from json.loads(file.text)
            return
    decoder, place = json.JSONDecoder(), _next_brace(file.text, 0)
    while place >= 0:
        try:
            found, end = decoder.raw_decode(file.text, place)
        except (ValueError, RecursionError) as error:
            raise _broken(file, error) from error
        yield found
        place = _next_brace(file.text, end)


def _is_same_run(one: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    if _jobs(one) != _jobs(after):
        return False
    starts = [_began(output) for output in (one, after)]
    return None in starts or abs(starts[0] - starts[1]) <= _SAME_START_S  # type: ignore[operator]


def _jobs(output: Mapping[str, Any]) -> list[Any]:
    jobs = (one for one in entries_of(output) if isinstance(one, dict))
    return [output.get("global options"), *((one.get("jobname"), one.get("job options")) for one in jobs)]


def _began(output: Mapping[str, Any]) -> float | None:
    """Return the second at which the run began, by its timestamp and the elapsed seconds; None if it isn't said."""
    told = [one.get("elapsed") for one in entries_of(output) if isinstance(one, dict)]
    elapsed_s = max((one for one in told if isinstance(one, int | float)), default=None)
    ended_s = output.get("timestamp")
    return ended_s - elapsed_s if isinstance(ended_s, int | float) and elapsed_s is not None else None


def _broken(file: ForeignFile, error: Exception) -> InputError:
    """Return the refusal of what isn't JSON, or breaks off."""
    if not isinstance(error, json.JSONDecodeError):
        return unreadable(file, 1, str(error))
    is_at_end = error.pos >= len(file.text.rstrip()) or error.msg.startswith("Unterminated string")
    return unreadable(file, error.lineno, say("the output breaks off here") if is_at_end else error.msg)


def _next_brace(text: str, start: int) -> int:
    """Return the position of the next line that begins an object, -1 if there is none."""
    match = _OBJECT.search(text, start)
    return match.end() - 1 if match else -1


def _of_group(
    output: Mapping[str, Any], group: FioClones, version: str, file: ForeignFile, names: Sequence[str]
) -> Iterator[ParsedFigure]:
    """Yield each direction of ``group``; ``names`` are those of all jobs run at once, this group's included."""
    own = [name_of(group, done) for done in done_by(group)]
    others = list(names)
    for name in own:
        others.remove(name)
    beside = "".join(f"_beside_{name.removeprefix('fio_')}" for name in others[:_MAX_BESIDE])
    for name, done in zip(own, done_by(group), strict=True):
        if done.seconds <= 0:
            raise ValueError(say("it ran for no time at all"))
        first = group.entries[0]
        yield ParsedFigure(
            result=RunResult(
                workload=(name if name.startswith("fio_") else f"fio_{name}") + beside if beside else name,
                seconds=done.seconds,
                mb_s=sum(_rate(entry, done.direction) for entry in done.entries) / 1e6,
                iops=sum(_rate(entry, done.direction, "total_ios") for entry in done.entries),
                latency_ms=_latency_ms(done, group.options),
                latency_p99_ms=_p99_ms(done, group.options),
                command=_command(group.options),
            ),
            source=Source.FIO,
            target=str(group.options.get("filename") or group.options.get("directory") or group.name),
            started=_started(output, done.seconds) or file.made,
            machine=str(first.get("hostname", "")),
            options=group.options,
            surroundings={"fio": version},
            fio_json=json.dumps({**output, "jobs": list(group.entries)}, ensure_ascii=False),
        )


def _rate(entry: Mapping[str, Any], direction: str, what: str = "io_bytes") -> float:
    """Return bytes, or requests, per second of one entry; clones have run times of their own."""
    counted = entry[direction]
    return int(counted[what]) / (float(counted["runtime"]) / 1000)


def _latency_ms(done: Done, options: Mapping[str, str]) -> float | None:
    """Return the mean over all clones, weighted by their requests; fio before 3.18 prints no N beside a mean.

    A flush after a write is part of it.
    """
    told = [(entry[done.direction].get("clat_ns", {}), entry[done.direction]) for entry in done.entries]
    means = [(float(one.get("mean") or 0), int(one.get("N") or counts["total_ios"])) for one, counts in told]
    count = sum(requests for mean, requests in means if mean)
    sum_ns = sum(mean * requests for mean, requests in means if mean) + _flushes_ns(done, options)
    return sum_ns / count / _NS_PER_MS if count else None


def _flushes_ns(done: Done, options: Mapping[str, str]) -> float:
    return sum(flushes_of(entry, options).sum_ns for entry in done.entries) if done.direction == "write" else 0.0


def _p99_ms(done: Done, options: Mapping[str, str]) -> float | None:
    """Return the 99th percentile; None for clones, and writes of which some have flushes: these can't be combined."""
    flushes = flushes_of(done.entries[0], options) if done.direction == "write" else Flushes()
    if len(done.entries) > 1 or (flushes.sum_ns and options.get("fsync") != "1"):
        return None
    share = done.entries[0][done.direction].get("clat_ns", {}).get("percentile", {}).get("99.000000")
    return None if share is None else (float(share) + flushes.p99_ns) / _NS_PER_MS


def _started(output: Mapping[str, Any], seconds: float) -> datetime | None:
    """Return the start time; fio's timestamp is the end's."""
    ended_s = output.get("timestamp_ms", 0) / 1000 or output.get("timestamp", 0)
    return datetime.fromtimestamp(ended_s - seconds, UTC) if ended_s else None


def _command(options: Mapping[str, str]) -> str:
    return " ".join(("fio", *(f"--{name}={value}" if value else f"--{name}" for name, value in options.items())))
