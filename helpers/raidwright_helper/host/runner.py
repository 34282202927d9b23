"""The only place that starts other programs: by absolute path, argv, a fixed environment.

The result of a finished process is `Finished`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.ending import to_the_end
from raidwright.core.errors import JobFailed
from raidwright.core.json_fields import printable
from raidwright.core.messages import say

_ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
_TELLS_WHY = re.compile(r"fail|error|can(no|')t|unable|invalid|refus|no such|not enough|busy", re.IGNORECASE)
_POLITE_SECONDS = 2.0
_MAX_OUTPUT_BYTES = 2**20
_LONGEST_LINE_BYTES = 2**16


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The result of a program: its argv, exit code and output (cut at 1 MiB)."""

    argv: tuple[str, ...]
    code: int
    output: str
    errors: str

    @property
    def command(self) -> str:
        """The command, ready to paste into a shell."""
        return shlex.join(self.argv)

    def failure(self) -> JobFailed:
        """Return the program's failure as an error, quoting its last lines."""
        said = [printable(line) for line in self.errors.splitlines() if line.strip()]
        telling = [line for line in said if _TELLS_WHY.search(line)]  # advice may follow it
        if self.code > 0:  # the output of a killed program isn't the reason
            telling = telling or said
        end = (
            say("was ended by {signal}", signal=signal.Signals(-self.code).name)
            if self.code < 0
            else say("ended with code {exit_code}", exit_code=self.code)
        )
        program = Path(self.argv[0]).name
        if telling:
            why = telling[-1].rstrip(".")
            sentence = say("{program} {end}: {why}.", program=program, end=end, why=why)
        else:
            sentence = say("{program} {end}.", program=program, end=end)
        return JobFailed(sentence, code="command-failed", command=self.command, exit_code=self.code, said=said[-8:])


async def run(
    argv: Sequence[str], *, limit_s: float, accept: Sequence[int] = (0,), given: bytes | None = None
) -> ProgramResult:
    """Run ``argv`` to its end; raises JobFailed on an exit code outside ``accept`` or past ``limit_s``.

    ``given`` is its standard input, empty by default.

    Cancelling ends the program and all of its children.
    """
    async with _running(argv, limit_s, given=given is not None) as process:
        _, output, errors = await asyncio.gather(
            _give(process.stdin, given or b""), _text(process.stdout), _text(process.stderr)
        )
        code = await process.wait()
    return _accepted(ProgramResult(tuple(argv), code, output, errors), accept)


async def stream(argv: Sequence[str], on_line: Callable[[str], object], *, limit_s: float) -> ProgramResult:
    """Run as ``run``, but pass each line of standard output to ``on_line`` as it comes, without storing it."""
    async with _running(argv, limit_s) as process:
        _, errors = await asyncio.gather(_lines(process.stdout, on_line), _text(process.stderr))
        code = await process.wait()
    return _accepted(ProgramResult(tuple(argv), code, "", errors), (0,))


def _accepted(finished: ProgramResult, accept: Sequence[int]) -> ProgramResult:
    if finished.code not in accept:
        raise finished.failure()
    return finished


@contextlib.asynccontextmanager
async def _running(
    argv: Sequence[str], limit_s: float, *, given: bool = False
) -> AsyncIterator[asyncio.subprocess.Process]:
    starting = asyncio.create_task(_start(argv, given=given))  # a cancelled await would lose the new process
    try:
        await asyncio.wait({starting})
        async with asyncio.timeout(limit_s):
            yield starting.result()
    except TimeoutError:
        raise JobFailed(
            "{program} took longer than {limit_s:.0f} s and was ended.",
            code="command-timeout",
            program=Path(argv[0]).name,
            limit_s=limit_s,
        ) from None
    finally:
        await to_the_end(_end(starting))


async def _start(argv: Sequence[str], *, given: bool) -> asyncio.subprocess.Process:
    if not Path(argv[0]).is_absolute():
        raise ValueError(f"{argv[0]} is not an absolute path")
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_ENVIRONMENT,
            cwd="/",
            start_new_session=True,  # so that a cancel reaches all of its children
            limit=_LONGEST_LINE_BYTES,
        )
    except OSError as error:
        raise JobFailed(
            "{program} can't be started: {why}. Install the package that it belongs to.",
            code="command-missing",
            program=argv[0],
            why=error.strerror,
        ) from None


async def _give(pipe: asyncio.StreamWriter | None, content: bytes) -> None:
    if pipe is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # ended without reading; see its exit code
        pipe.write(content)
        await pipe.drain()
    pipe.close()


async def _lines(pipe: asyncio.StreamReader | None, on_line: Callable[[str], object]) -> None:
    """Read whole blocks: reading line by line takes longer than parsing the lines.

    Only the beginning of an overlong line is kept.
    """
    rest = b""
    while pipe is not None and (block := await pipe.read(_LONGEST_LINE_BYTES)):
        *lines, rest = (line[:_LONGEST_LINE_BYTES] for line in (rest + block).split(b"\n"))
        for line in lines:
            on_line(f"{line.decode(errors='replace')}\n")
    if rest:
        on_line(rest.decode(errors="replace"))


async def _text(pipe: asyncio.StreamReader | None) -> str:
    kept = bytearray()
    while pipe is not None and (block := await pipe.read(_LONGEST_LINE_BYTES)):
        kept += block[: _MAX_OUTPUT_BYTES - len(kept)]
    return kept.decode(errors="replace")


async def _end(starting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    """End the program and its children once it has started: first by SIGTERM, then by SIGKILL."""
    await asyncio.wait({starting})
    if starting.exception():
        return
    process = starting.result()
    for number, patience_s in ((signal.SIGTERM, _POLITE_SECONDS), (signal.SIGKILL, None)):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
            os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), patience_s)
