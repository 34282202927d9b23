"""A session that records the window's requests; tests answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.operations.alerts import ExamineAlerts
from raidwright.operations.arrays import ListChecks
from raidwright.operations.builds import ListBuilds, ListScratch
from raidwright.operations.operation import Operation
from raidwright.session import Session
from raidwright.tasks import Task

from tests.kit.pictures import IdleThread


@dataclass
class Asked:
    """A job requested by the window, an operation by its name, with the callbacks that answer it."""

    what: str
    arguments: tuple[object, ...]
    task: Task
    update: Callable[[Any], object] | None = None
    done: Callable[[Any], object] | None = None
    failed: Callable[[Any], object] | None = None


@dataclass
class Record:
    """All requests, in order; besides them, each look at leftovers, checks or messages, and each notification."""

    jobs: list[Asked] = field(default_factory=list)
    looks_back: list[Asked] = field(default_factory=list)
    checks: list[Asked] = field(default_factory=list)
    scratch: list[Asked] = field(default_factory=list)
    alerts: list[Asked] = field(default_factory=list)
    last_runs: list[Asked] = field(default_factory=list)
    notices: list[tuple[str, str]] = field(default_factory=list)


class FakeSession(Session):
    """Records requests; tests answer."""

    def __init__(self) -> None:
        super().__init__(IdleThread())
        self.record = Record()
        self.works_at_once = True

    def connect_to(self, address: str, *, role: str = "admin", opened: object = None) -> None:  # noqa: ARG002
        self.record.jobs.append(Asked("connect", (address, role), Task(self)))

    def answer(self, text: str | None) -> None:
        self.record.jobs.append(Asked("answer", (text,), Task(self)))

    def start_practice(self, spec: PracticeSpec) -> None:
        self.record.jobs.append(Asked("practise", (spec,), Task(self)))

    def perform(self, operation: Operation[Any], **slots: Any) -> Task:
        lists = {
            ListBuilds: self.record.looks_back,
            ListChecks: self.record.checks,
            ListScratch: self.record.scratch,
            ExamineAlerts: self.record.alerts,
        }
        asked = Asked(type(operation).__name__, (operation,), Task(self), **slots)
        lists.get(type(operation), self.record.jobs).append(asked)
        return asked.task

    def notify(self, title: str, text: str) -> None:
        self.record.notices.append((title, text))

    def load_runs(self, **slots: Any) -> Task:
        self.record.jobs.append(Asked("runs", (), Task(self), **slots))
        return self.record.jobs[-1].task

    def last_runs(self, uuids: Sequence[str], **slots: Any) -> Task:
        self.record.last_runs.append(Asked("last_runs", (tuple(uuids),), Task(self), **slots))
        return self.record.last_runs[-1].task

    def load_run(self, run_id: str, **slots: Any) -> Task:
        self.record.jobs.append(Asked("run", (run_id,), Task(self), **slots))
        return self.record.jobs[-1].task

    def work_out(self, make: Callable[[], Any], **slots: Any) -> Task:
        asked = Asked("work_out", (make,), Task(self), **slots)
        if self.works_at_once and asked.done is not None:
            asked.done(make())
        else:
            self.record.jobs.append(asked)
        return asked.task

    def compare(self, first: Sequence[str], second: Sequence[str], **slots: Any) -> Task:
        self.record.jobs.append(Asked("compare", (tuple(first), tuple(second)), Task(self), **slots))
        return self.record.jobs[-1].task

    def show(self, snapshot: Snapshot) -> None:
        """Set the machine's present snapshot."""
        self.snapshot = snapshot
        self.snapshot_changed.emit(snapshot)

    def reach(self, connection: Connection) -> None:
        """Set the state of the connection."""
        self.connection = connection
        self.connection_changed.emit(connection)


PRACTICE = Connection("Practice machine", is_practice=True, state=ConnectionState.CONNECTED)
