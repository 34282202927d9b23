"""fio's command lines as pages give them, read as the job files that they stand for.

Source: fio's ``init.c`` ``parse_cmd_line``: options ahead of the first ``--name`` count for all jobs, and each
``--name`` begins a job of its own, which runs beside the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable

from .fio_options import set_option
from .paste import commands_in
from .shell_words import ShellWord

_COMMAND = re.compile(r"^[ \t]*(?:[^#;\[\n=]*[ \t])?(?:\S*/)?fio[ \t]+-", re.MULTILINE)
_OF_FIO = frozenset({  # options of the program, no job's
    "output", "output-format", "append-terse", "minimal", "terse-version", "eta", "eta-newline", "eta-interval",
    "status-interval", "latency-log", "bandwidth-log", "readonly", "warnings-fatal", "max-jobs", "alloc-size",
    "idle-prof", "inflate-log", "aux-path", "debug", "parse-only", "merge-blktrace-only", "trigger-timeout", "help",
})  # fmt: skip
_WITHOUT_VALUE = frozenset({"minimal", "append-terse", "latency-log", "bandwidth-log", "readonly", "parse-only", "help",
                            "warnings-fatal", "merge-blktrace-only"})  # fmt: skip
_FLAGS = frozenset({  # a job's options that take no word after them (FIO_OPT_STR_SET)
    "time_based", "group_reporting", "thread", "norandommap", "refill_buffers", "zero_buffers", "stonewall", "exitall",
    "new_group", "wait_for_previous", "verify_only", "bs_unaligned", "blocksize_unaligned", "exitall_on_error",
    "rate_ignore_thinktime", "experimental_verify", "softrandommap", "create_only",
})  # fmt: skip
_NEVER_ASKED = frozenset({"filename", "directory", "output"})  # what a variable in these stands for matters to nobody


def is_fio_command(text: str) -> bool:
    """True if a line of ``text`` runs fio with options, and none begins a section of a job file."""
    return bool(_COMMAND.search(text)) and not re.search(r"^\s*\[[^\]\n]+\]\s*$", text, re.MULTILINE)


def jobs_of_commands(text: str) -> Mapping[str, Mapping[str, str]]:
    """Return each job's options under their primary names; commands follow one another. Raises InputError."""
    jobs: dict[str, dict[str, str]] = {}
    for simple in commands_in(text):
        words = [word.text for word in simple.words]
        start = next((at for at, word in enumerate(words) if PurePosixPath(word).name == "fio"), None)
        if start is None:
            continue
        for name, options in _jobs(simple.words[start + 1 :]).items():
            if name in jobs:
                raise InputError(
                    "Two jobs are called “{name}”; call one of them otherwise.", code="job", name=printable(name)
                )
            jobs[name] = options
    return jobs


def _jobs(words: Sequence[ShellWord]) -> dict[str, dict[str, str]]:
    """Return the jobs of one command, the first of them behind those of the commands before."""
    shared, jobs = dict[str, str](), dict[str, dict[str, str]]()
    section, rest = shared, list(words)
    while rest:
        word = rest.pop(0)
        if not word.text.startswith("-"):
            raise InputError(
                "“{word}” is a job file that the command runs; give that file.", code="job", word=printable(word.text)
            )
        name, equals, value = word.text.lstrip("-").partition("=")
        if not equals and name not in (_FLAGS | _WITHOUT_VALUE) and rest and not rest[0].text.startswith("-"):
            word = rest.pop(0)
            value = word.text
        if word.unknown and name not in _NEVER_ASKED:
            raise InputError(
                "What “{unknown}” stands for can't be known here; write it out.",
                code="paste-unknown",
                unknown=word.unknown,
            )
        if name == "name":
            section = jobs.setdefault(value, dict(shared))
        elif name not in _OF_FIO:
            set_option(section, name, value)
    for options in list(jobs.values())[:1]:
        options["stonewall"] = "1"
    return jobs or ({"job": shared} if shared else {})
