"""ssh connection, held open: it forwards the machine's system bus to a socket in a private folder.

Keys, agent, config and known hosts are the person's own; the options here only set what ssh is run for. Without a
terminal it must not prompt (``BatchMode``), and a failure is explained in a sentence. The bus there sees the user's
sshd process, with that user's rights. A second program on the same connection (``run``) needs no second login.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

from raidwright.core.errors import MachineError
from raidwright.machine.prompts import Person

from .failures import failure, no_bus, no_ssh
from .host import SshHost

_BUS = "/run/dbus/system_bus_socket"
_THROUGH = b"raidwright: through"
_SAID = "said"
_LOGIN_SECONDS = 60.0  # without a terminal to type a password
_END_SECONDS = 1.0
# Ctrl+C at the terminal is for us: the cancellation that it causes is sent through this ssh.
_DEAF = ("env", "--ignore-signal=INT")
_OPTIONS = (
    "-T", "-a", "-x",
    "-o", "RemoteCommand=none",
    "-o", "ControlPersist=no",
    "-o", "ExitOnForwardFailure=no",  # of a forwarding in the person's config
    "-o", "ConnectTimeout=15",
    "-o", "ServerAliveInterval=2",  # a broken link is detected within six seconds
    "-o", "ServerAliveCountMax=3",
)  # fmt: skip


class Tunnel:
    """A logged-in ssh to ``host``; ``bus_address`` leads to the bus there."""

    def __init__(self, host: SshHost, folder: Path, ssh: Process) -> None:
        self.host = host
        self.bus_address = f"unix:path={folder / 'bus'}"
        self._control = folder / "control"
        self._said = folder / _SAID
        self._ssh = ssh

    async def log_in(self, limit_seconds: float | None) -> None:
        """Wait until ssh is logged in; raises Denied or Unreachable with the reason of a failure."""
        assert self._ssh.stdout is not None  # noqa: S101 -- narrows the type
        heard: list[str] = []
        with contextlib.suppress(TimeoutError, ValueError):
            async with asyncio.timeout(limit_seconds):
                async for line in self._ssh.stdout:  # output of the user's shell start-up files comes first
                    if line.strip() == _THROUGH:
                        return
                    heard.append(line.decode(errors="replace").strip())
        raise failure(self.host, (*heard, *self._said_lines()))

    def no_bus(self) -> MachineError:
        """Return the exception for a bus that doesn't answer through the tunnel."""
        return no_bus(self.host, self._said_lines())

    def _said_lines(self) -> list[str]:
        return self._said.read_text(encoding="utf-8", errors="replace").splitlines()

    async def run(self, script: str) -> Process:
        """Run ``script`` (for ``sh``, without single quotes) there, on this connection; its streams are pipes."""
        # Without the master connection ssh would open another one, and prompt: ProxyCommand=false prevents that.
        way = ("-T", "-S", str(self._control), "-o", "ControlMaster=no", "-o", "ProxyCommand=false")
        argv = ("ssh", *way, *self.host.words, f"sh -c '{script}'")
        return await asyncio.create_subprocess_exec(*_DEAF, *argv, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)

    async def close(self) -> None:
        """End ssh, and wait until it has ended."""
        await end(self._ssh)


async def end(ssh: Process) -> None:
    """End an ssh and wait for it: by closing its input, else by SIGTERM, then SIGKILL."""
    assert ssh.stdin is not None  # noqa: S101 -- narrows the type
    ssh.stdin.close()
    for force in (ssh.terminate, ssh.kill):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await ssh.wait()
                return
        force()
    await ssh.wait()


@contextlib.asynccontextmanager
async def tunnel(host: SshHost, person: Person) -> AsyncIterator[Tunnel]:
    """Open a logged-in ssh to ``host`` for the block; raises Denied or Unreachable."""
    with tempfile.TemporaryDirectory(prefix="raidwright-", dir=_short_place(), ignore_cleanup_errors=True) as folder:
        way = Tunnel(host, Path(folder), await _start(host, Path(folder), asks=person.has_terminal))
        try:
            await way.log_in(None if person.has_terminal else _LOGIN_SECONDS)
            yield way
        finally:
            await asyncio.shield(way.close())


def _short_place() -> str | None:
    """Return a private folder with a short path for sockets (``unix(7)``: 107 bytes); None for /tmp."""
    place = os.environ.get("XDG_RUNTIME_DIR", "")
    return place if os.access(place, os.W_OK | os.X_OK) else None


async def _start(host: SshHost, folder: Path, *, asks: bool) -> Process:
    ours = ("-v", "-M", "-S", str(folder / "control"), "-L", f"{folder / 'bus'}:{_BUS}", *_OPTIONS)
    quiet = () if asks else ("-o", "BatchMode=yes")
    # It ends when its input closes, and so with this process, however that ends.
    argv = ("ssh", *ours, *quiet, *host.words, f"echo {_THROUGH.decode()}; exec cat")
    if shutil.which("ssh") is None:
        raise no_ssh()
    with (folder / _SAID).open("xb") as said:  # not a pipe: ssh's children may hold it open for longer
        return await asyncio.create_subprocess_exec(
            *_DEAF, *argv, stdin=PIPE, stdout=PIPE, stderr=said, start_new_session=not asks
        )
