"""Jobs: long work as objects on the bus that belong to their caller.

A job has a random path, signals its progress to its owner alone, and only its owner can cancel it. It ends with exactly
one of the signals Ended and Failed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable

from dbus_fast import Message, MessageType
from raidwright.core.errors import JobFailed, RaidwrightError
from raidwright.core.protocol.errors import NoSuchJob, failure_of
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.names import JOB_INTERFACE, JOBS_PATH
from raidwright.core.protocol.steps import JobStep
from raidwright.core.protocol.verb import ENDED, FAILED, PROGRESS, SAMPLE, JobSignal

from .bus_values import ascii_text, to_wire, told
from .journal import Record

_LOG = logging.getLogger("raidwright-helper")
_END_SECONDS = 20.0  # most of a cancelled job's: its child processes are killed after less
Work = Callable[["Job"], Awaitable[object]]  # its result is the argument of Ended
Send = Callable[[Message], object]


class Job:
    """A job for ``owner``, a unique bus name ("" is the helper itself)."""

    def __init__(self, owner: str, record: Record, send: Send) -> None:
        self.path = f"{JOBS_PATH}/{secrets.token_hex(16)}"
        self.owner = owner
        self.record = record
        self._send = send
        self._begin, self._share = 0.0, 1.0

    def part(self, begin: float, share: float) -> Job:
        """Return this job for an act that is ``share`` of it, from the fraction ``begin`` on."""
        part = Job(self.owner, self.record, self._send)
        part.path, part._begin, part._share = self.path, begin, share
        return part

    def progress(self, step: JobStep, fraction: float) -> None:
        """Signal the step that has begun and the fraction of the whole that is done (0 … 1) to the owner."""
        self._signal(PROGRESS, str(step), self._begin + self._share * fraction)

    def sample(self, sample: Sample) -> None:
        """Signal a sample of a workload to the owner."""
        self._signal(SAMPLE, told(sample))

    def ended(self, result: object) -> None:
        """Signal the end of a successful job."""
        self.record.write("done")
        self._signal(ENDED, told(result))

    def failed(self, error: RaidwrightError) -> None:
        """Signal the failure of a job."""
        self.record.write(error.code)
        code, sentence, fields = failure_of(error)
        self._signal(FAILED, code, ascii_text(sentence), to_wire(fields))

    def _signal(self, signal: JobSignal, *body: object) -> None:
        if not self.owner:
            return
        self._send(
            Message(
                message_type=MessageType.SIGNAL,
                destination=self.owner,  # unicast: nobody else receives it
                path=self.path,
                interface=JOB_INTERFACE,
                member=signal.name,
                signature=signal.signature,
                body=list(body),
            )
        )


class Jobs:
    """The running jobs."""

    def __init__(self, send: Send, on_idle: Callable[[], object]) -> None:
        self._send = send
        self._on_idle = on_idle
        self._running: dict[str, tuple[Job, asyncio.Task[None]]] = {}
        self._mortal: set[str] = set()  # jobs that end with their owner
        self._cancelled: set[asyncio.Task[None]] = set()  # and haven't ended

    def __len__(self) -> int:
        return len(self._running)

    def has_job_of(self, owner: str) -> bool:
        """Return whether a job of ``owner``, a unique bus name, runs."""
        return any(job.owner == owner for job, _ in self._running.values())

    def start(
        self,
        owner: str,
        record: Record,
        work: Work,
        *,
        limit_s: float,
        until: contextlib.ExitStack,
        ends_with_owner: bool,
    ) -> str:
        """Start ``work`` and return its path. ``until`` (claims, descriptors) is closed when the work has ended."""
        job = Job(owner, record, self._send)
        task = asyncio.create_task(self._run(job, work, limit_s, until))
        self._running[job.path] = (job, task)
        if ends_with_owner:
            self._mortal.add(job.path)

        def forget(_task: asyncio.Task[None]) -> None:
            until.close()  # again: a task that is cancelled before its first step runs nothing at all
            del self._running[job.path]
            self._mortal.discard(job.path)
            self._cancelled.discard(task)
            self._on_idle()

        task.add_done_callback(forget)
        return job.path

    async def _run(self, job: Job, work: Work, limit_s: float, until: contextlib.ExitStack) -> None:
        try:
            with until:
                async with asyncio.timeout(limit_s):
                    result = await work(job)
            job.ended(result)
        except RaidwrightError as error:
            job.failed(error)
        except asyncio.CancelledError:
            job.failed(JobFailed("The job was cancelled.", code="cancelled"))
        except TimeoutError:
            job.failed(
                JobFailed(
                    "The job took longer than {limit_s:.0f} s and was ended.", code="job-timeout", limit_s=limit_s
                )
            )
        except Exception:  # noqa: BLE001  # the boundary: a bug must end the job for its owner, and be seen in the journal
            _LOG.exception("a job broke")
            job.failed(JobFailed("The helper itself broke; its journal says where.", code="bug"))

    def cancel(self, path: str, sender: str) -> None:
        """Cancel the job; Failed (“cancelled”) follows. Raises NoSuchJob if ``sender`` owns none at ``path``."""
        job, task = self._running.get(path, (None, None))
        if job is None or task is None or job.owner != sender:
            raise NoSuchJob("You have no running job of this name; it may have ended.", code="no-such-job")
        self._cancel(task)

    def _cancel(self, task: asyncio.Task[None]) -> None:
        self._cancelled.add(task)
        task.cancel()

    async def have_ended(self) -> bool:
        """Wait for the jobs that were cancelled; return False if there are none, or if they don't end for long."""
        if not self._cancelled:
            return False
        _ended, left = await asyncio.wait(self._cancelled, timeout=_END_SECONDS)
        return not left

    async def owner_vanished(self, owner: str) -> None:
        """Cancel the jobs that don't outlive their owner, and wait for them."""
        await self._end(path for path in self._mortal if self._running[path][0].owner == owner)

    async def shut_down(self) -> None:
        """Cancel the jobs that can be cancelled, and let the rest (real builds) finish."""
        await self._end(self._mortal)
        await asyncio.gather(*(task for _, task in self._running.values()), return_exceptions=True)

    async def _end(self, paths: Iterable[str]) -> None:
        tasks = [self._running[path][1] for path in paths]
        for task in tasks:
            self._cancel(task)
        await asyncio.gather(*tasks, return_exceptions=True)  # their owner has their results already
