"""A private, unprivileged dbus-daemon, isolated from the host."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
  {more}
</busconfig>
"""


class PrivateBus:
    """A bus at one address, which can be stopped and started again."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self._socket = folder / "socket"
        self._config = folder / "bus.conf"
        self._config.write_text(_CONFIG.format(socket=self._socket, more=more), encoding="utf-8")
        self._daemon: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """The bus address."""
        return f"unix:path={self._socket}"

    def start(self) -> None:
        """Start the daemon; it accepts connections on return."""
        self._socket.unlink(missing_ok=True)
        self._daemon = subprocess.Popen(
            ["/usr/bin/dbus-daemon", f"--config-file={self._config}", "--nofork", "--nopidfile", "--print-address=1"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._daemon.stdout
        assert self._daemon.stdout.readline(), "dbus-daemon did not start"

    @property
    def used_s(self) -> float:
        """Return the daemon's CPU time since its start (proc(5), schedstat)."""
        assert self._daemon
        return int(Path(f"/proc/{self._daemon.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the daemon's reading until the end of the block."""
        assert self._daemon
        self._daemon.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._daemon.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End the daemon, and with it every connection."""
        if self._daemon is not None:
            with self._daemon as daemon:
                daemon.terminate()
            self._daemon = None


@contextlib.contextmanager
def private_bus(more: str = "") -> Iterator[PrivateBus]:
    """Run a bus, its configuration with ``more`` in it; its daemon and folder are gone after the block."""
    with tempfile.TemporaryDirectory(prefix="bus-") as folder:
        bus = PrivateBus(Path(folder), more)
        bus.start()
        try:
            yield bus
        finally:
            bus.stop()
