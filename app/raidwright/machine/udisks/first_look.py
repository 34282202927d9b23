"""The first snapshot of a machine, asked for by ``busctl`` while this process still imports what a window needs.

``busctl`` is part of systemd and on the bus within milliseconds; a bus library for Python takes a tenth of a second
to import. Where there is no ``busctl`` nothing is seen at first, and the connection that follows shows all.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from raidwright.machine.address import parse_machine

from .objects import MANAGER, ROOT, UDISKS_NAME, Objects

if TYPE_CHECKING:
    from raidwright.machine.values import Snapshot

_ASK = (
    *("busctl", "--json=short", "--timeout=10"),
    *("call", UDISKS_NAME, ROOT, MANAGER, "GetManagedObjects"),
)


class FirstLook:
    """Under way from the moment that it is made; ``take`` it once, or ``end`` it. Raises InputError, as parse_machine.

    ``fd`` is readable once there is something to take.
    """

    def __init__(self, machine: str, role: str) -> None:
        self.machine = machine
        self.role = role
        self.meant = parse_machine(machine, role=role)
        self.fd, writer = os.pipe()
        self._pid = 0
        with suppress(OSError):  # no busctl here
            self._pid = os.posix_spawnp(
                _ASK[0],
                (*_ASK, f"--address={self.meant.bus_address}"),
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, writer, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
        os.close(writer)

    @property
    def is_ready(self) -> bool:
        """Whether ``take`` won't wait for the machine."""
        return bool(select.select([self.fd], [], [], 0)[0])

    def take(self) -> Snapshot | None:
        """What was seen; None when the machine couldn't be asked: connecting to it will say why."""
        with os.fdopen(self.fd, "rb") as pipe:
            told = pipe.read()
        self.fd = -1
        if not self._pid:
            return None
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        if status:
            return None
        import json  # noqa: PLC0415 -- the question is on its way before anything is imported

        from .inventory import snapshot_from  # noqa: PLC0415

        return snapshot_from(objects_from(json.loads(told)))

    def end(self) -> None:
        """Ask no more."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        if self._pid:
            os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
            self._pid = 0


def objects_from(reply: Any) -> Objects:
    """UDisks2's objects out of what ``busctl --json=short`` prints of GetManagedObjects, its variants unpacked."""
    objects: Objects = _plain(reply["data"][0])
    return objects


def _plain(told: Any) -> Any:
    match told:
        case {"type": "ay", "data": data}:
            return _text(data)
        case {"type": "aay", "data": data}:
            return [_text(each) for each in data]
        case {"type": str(), "data": data}:
            return _plain(data)
        case dict():
            return {key: _plain(value) for key, value in told.items()}
        case list():
            return [_plain(value) for value in told]
    return told


def _text(data: list[int]) -> str:
    return bytes(data).rstrip(b"\0").decode(errors="replace")
