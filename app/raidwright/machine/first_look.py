"""The first snapshot of a machine, fetched by a child process while this one makes its window.

Python runs one thread at a time, so asking the bus in a thread would hold up the window by all that it takes to
import a bus library. The child is forked before there are threads, says what it saw, and ends.
"""

from __future__ import annotations

import os
import pickle
import select

from .connection import Connection, State
from .values import Snapshot


class FirstLook:
    """Under way from the moment that it is made. Make it before any thread runs; ``take`` it once."""

    def __init__(self, machine: str, role: str) -> None:
        self.machine = machine
        self.role = role
        self.fd, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _look(machine, role, writer)
        os.close(writer)

    @property
    def is_ready(self) -> bool:
        """Whether ``take`` won't wait."""
        return bool(select.select([self.fd], [], [], 0)[0])

    def take(self) -> tuple[Connection, Snapshot] | None:
        """What was seen; None when the machine couldn't be reached: asking it again will say why."""
        with os.fdopen(self.fd, "rb") as pipe:
            said = pipe.read()
        os.waitpid(self._pid, 0)
        if not said:
            return None
        seen: tuple[Connection, Snapshot] = pickle.loads(said)  # noqa: S301 -- from our own child, over our own pipe
        return seen


def _look(machine: str, role: str, writer: int) -> None:
    """In the child: look, tell, and end at once, without what Python does at the end of a program."""
    import asyncio  # noqa: PLC0415 -- in the child alone

    code = 1
    try:
        said = pickle.dumps(asyncio.run(_seen(machine, role)))
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(said)
        code = 0
    finally:
        os._exit(code)


async def _seen(machine: str, role: str) -> tuple[Connection, Snapshot]:
    from .address import parse_machine  # noqa: PLC0415 -- in the child alone
    from .machine import Machine  # noqa: PLC0415

    meant = parse_machine(machine, role=role)
    async with Machine.connect(meant.bus_address) as opened:
        return Connection(meant.title, meant.is_practice, State.CONNECTING), opened.snapshot
