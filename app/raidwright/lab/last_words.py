"""Reason for the end of a practice machine's kernel, found in its console log among stacks and registers."""

from __future__ import annotations

import re
import signal

from raidwright.core.messages import Message, say, sentences

_PANIC = "Kernel panic - not syncing: "
# Output of user-mode Linux after the reason: addresses, registers, process names.
_NOISE = re.compile(r"\s*$|\s+[0-9a-f]{8}|\s*\[<|Call Trace:|Stack:|CPU: |Modules linked in|Pid: |R[A-Z0-9]{2}:|<idle>")
_NO_ROOM = say("the place of its memory has no room left")
_MEANINGS = (
    ("Bus error - the host", _NO_ROOM),
    ("ptrace set fp regs failed", say("the processor's registers are larger than the kernel knows")),
    ("must be not mounted noexec", say("the folder for its memory lets no programs run")),
    ("PTRACE_TRACEME", say("this computer or container allows no ptrace, by which the kernel runs its processes")),
    (
        "ptrace: Operation not permitted",
        say("this computer or container allows no ptrace, by which it runs its processes"),
    ),
)


def last_words(console: str, returncode: int | None) -> Message:
    """Return the reason from ``console`` for an end with ``returncode`` (negative: a signal; None: the kernel still
    runs).

    For a panic, that is the panic's own line and the line before it, which often names the cause.
    """
    lines = [line.strip() for line in console.splitlines() if not _NOISE.match(line)]
    panic = next((number for number, line in enumerate(lines) if _PANIC in line), None)
    told = lines[max(panic - 1, 0) : panic + 1] if panic is not None else lines[-2:]
    meaning = next((words for mark, words in _MEANINGS if mark in "\n".join(lines)), "")
    if meaning:
        ended = say("its kernel {end}, because {why}.", end=_end(returncode), why=meaning)
    else:
        ended = say("its kernel {end}.", end=_end(returncode))
    return sentences([ended, say("Its last words: {said}", said=" / ".join(told))]) if told else ended


def _end(returncode: int | None) -> Message:
    if returncode is None:
        return say("runs and doesn't answer")
    if returncode == -signal.SIGBUS:
        return say("ended with SIGBUS: {why}", why=_NO_ROOM)
    if returncode < 0:
        return say("ended with {signal}", signal=signal.Signals(-returncode).name)
    return say("ended with code {exit_code}", exit_code=returncode)
