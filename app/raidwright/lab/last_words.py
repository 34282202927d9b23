"""Why a practice machine's kernel ended: the line of its console that says so, found among stacks and registers."""

from __future__ import annotations

import re
import signal

_PANIC = "Kernel panic - not syncing: "
# What a kernel in user space prints after the reason: addresses, registers, the processes' names.
_NOISE = re.compile(r"\s*$|\s+[0-9a-f]{8}|\s*\[<|Call Trace:|Stack:|CPU: |Modules linked in|Pid: |R[A-Z0-9]{2}:|<idle>")
_NO_ROOM = "the place of its memory has no room left"
_MEANINGS = (
    ("Bus error - the host", _NO_ROOM),
    ("ptrace set fp regs failed", "the processor's registers are larger than the kernel knows"),
    ("must be not mounted noexec", "the folder for its memory lets no programs run"),
    ("PTRACE_TRACEME", "this computer or container allows no ptrace, by which the kernel runs its processes"),
    ("ptrace: Operation not permitted", "this computer or container allows no ptrace, by which it runs its processes"),
)


def last_words(console: str, returncode: int | None) -> str:
    """The reason in ``console`` for an end with ``returncode`` (negative: a signal; None: the kernel still runs).

    With a panic, that is the panic's own line after the one before it, which often names the cause.
    """
    lines = [line.strip() for line in console.splitlines() if not _NOISE.match(line)]
    panic = next((number for number, line in enumerate(lines) if _PANIC in line), None)
    told = lines[max(panic - 1, 0) : panic + 1] if panic is not None else lines[-2:]
    meaning = next((words for mark, words in _MEANINGS if mark in "\n".join(lines)), "")
    ended = f"its kernel {_end(returncode)}" + (f", because {meaning}" if meaning else "")
    return f"{ended}. Its last words: {' / '.join(told)}" if told else f"{ended}."


def _end(returncode: int | None) -> str:
    if returncode is None:
        return "runs and doesn't answer"
    if returncode == -signal.SIGBUS:
        return f"ended with SIGBUS: {_NO_ROOM}"
    return f"ended with {signal.Signals(-returncode).name}" if returncode < 0 else f"ended with code {returncode}"
