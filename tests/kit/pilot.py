"""Driver of the real window: finds widgets by name through the locator, acts by X events only."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from raidwright.core.errors import RaidwrightError

from .screen import VirtualScreen

_ROOT = Path(__file__).parents[2]  # the kit's location
_STEP_SECONDS = 0.05
_END_SECONDS = 5.0
_CLOSE_SECONDS, _ASK_AGAIN_SECONDS = 90.0, 5.0
_WAIT_SECONDS = 180.0  # a busy computer may take its time; immediate results aren't waited for


@dataclass(frozen=True, slots=True)
class Sight:
    """A widget (or a part of it) on the screen, in pixels."""

    x: int
    y: int
    width: int
    height: int
    enabled: bool
    checked: bool
    text: str
    shown: bool
    active: bool  # in the window that has the keyboard


def _python_path() -> str:
    """Return the kit's path, before those that may contain the program (Debian's package has its own)."""
    return os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))


class Pilot:
    """The program running on a screen. Leaving the ``with`` block closes its window and checks its exit."""

    def __init__(self, screen: VirtualScreen, arguments: list[str], environment: dict[str, str]) -> None:
        self.screen = screen
        self._arguments = arguments
        self._environment = environment
        self._line: socket.socket | None = None
        self._replies: TextIO
        self.clicks = 0  # of the pointer
        self._is_killed = False
        self.log = ""  # what it said on stderr
        self.told = ""  # its own log

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="raidwright-pilot-")
        path = Path(self._folder.name) / "locator"
        settings = Path(self._folder.name) / "raidwright" / "window.ini"  # of an experienced user
        settings.parent.mkdir()
        settings.write_text("[General]\ngreeted=yes\nwalked=yes\n")
        self._errors = tempfile.TemporaryFile()
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.kit.window", *self._arguments],
            env=self.screen.environment
            | {"XDG_CONFIG_HOME": self._folder.name, "XDG_STATE_HOME": f"{self._folder.name}/state"}
            | {"RAIDWRIGHT_LOCATOR": str(path)}
            | self._environment
            | {"PYTHONPATH": _python_path()},
            stdin=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,
        )
        self._path = path
        self._listen_to(path)
        return self

    def _listen_to(self, path: Path) -> None:
        self._hang_up()
        self._line = self._connect(path)
        self._replies = self._line.makefile("r", encoding="utf-8")

    def _hang_up(self) -> None:
        if self._line is not None:
            self._replies.close()
            self._line.close()
            self._line = None

    def turn_to_second(self) -> None:
        """Switch to the second window beside this one, once it is there; the caller that opens it closes it."""
        self._listen_to(self._path.with_name(f"{self._path.name}.2"))

    def turn_back(self) -> None:
        """Switch back to the first window."""
        self._listen_to(self._path)

    def _connect(self, path: Path, seconds: float = 120.0) -> socket.socket:
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._program.poll() is None:
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(str(path))
            except OSError:
                line.close()
                time.sleep(_STEP_SECONDS)
            else:
                return line
        self._stop()
        raise RaidwrightError(f"The window did not open:\n{self.log}", code="journey")

    def look(self, name: str, part: str | None = None) -> Sight | None:
        """Return the visible widget ``name`` (in a table or list, the cell that holds ``part``), or None."""
        if self._line is None:
            raise RaidwrightError("The window is not open.", code="journey")
        reply = self._reply(name, part)
        if not reply:
            with contextlib.suppress(subprocess.TimeoutExpired):  # its socket is closed somewhat earlier
                self._program.wait(_END_SECONDS)
            ended = self._program.poll()
            self._stop()
            raise RaidwrightError(f"The window went away ({ended=}):\n{self.log}\n{self.told}", code="journey")
        data = json.loads(reply)
        return Sight(**data) if data else None

    def _reply(self, name: str, part: str | None) -> str:
        """Return the locator's reply, "" once it is gone."""
        assert self._line is not None
        try:
            self._line.sendall(json.dumps({"name": name, "part": part}).encode() + b"\n")
            return self._replies.readline()
        except OSError:
            return ""

    def wait(
        self,
        name: str,
        until: Callable[[Sight], bool] = lambda _: True,
        *,
        part: str | None = None,
        seconds: float = _WAIT_SECONDS,
    ) -> Sight:
        """Return the widget once it is visible and ``until`` holds; raises with its last state."""
        end = time.monotonic() + seconds
        while True:
            sight = self.look(name, part)
            if sight is not None and until(sight):
                return sight
            if time.monotonic() > end:
                label = f"{name} ({part})" if part else name
                raise RaidwrightError(f"Waited {seconds:g} s for “{label}”; last seen: {sight}.", code="journey")
            time.sleep(_STEP_SECONDS)

    def click(self, name: str, part: str | None = None, *, across: float = 0.5, seconds: float = _WAIT_SECONDS) -> None:
        """Click a widget once it is enabled, with the real pointer: halfway down, ``across`` its width."""
        sight = self._still(name, part, seconds)
        x, y = round(sight.x + sight.width * across), sight.y + sight.height // 2
        self.screen.run("xdotool", "mousemove", "--sync", str(x), str(y), "click", "1")
        self.clicks += 1

    def _still(self, name: str, part: str | None, seconds: float) -> Sight:
        """Return the widget once it is enabled and no longer moves: a window that has just opened moves."""
        end = time.monotonic() + seconds
        sight = self.wait(name, lambda seen: seen.enabled and seen.shown, part=part, seconds=seconds)
        while time.monotonic() < end:
            time.sleep(2 * _STEP_SECONDS)
            again = self.wait(name, lambda seen: seen.enabled and seen.shown, part=part, seconds=seconds)
            if again == sight:
                break
            sight = again
        return sight

    def key(self, *keys: str) -> None:
        """Press keys by their X names (``Tab``, ``ctrl+a``)."""
        self.screen.run("xdotool", "key", "--clearmodifiers", *keys)

    def write(self, text: str) -> None:
        """Type text into the focused widget."""
        self.screen.run("xdotool", "type", "--clearmodifiers", text)

    def kill(self) -> None:
        """Kill the program (SIGKILL), which is then no failure."""
        self._stop()
        self._is_killed = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._program.poll() is None and error is None:
            self._close()
        self._stop()
        if error is None and not self._is_killed and (self._program.returncode or self.log):
            raise RaidwrightError(
                f"The window ended with {self._program.returncode} and said:\n{self.log}", code="journey"
            )

    def _close(self) -> None:
        """Close the window, whatever it asks."""
        end = time.monotonic() + _CLOSE_SECONDS
        asked = 0.0
        while self._program.poll() is None:
            if time.monotonic() > end:
                self._stop()
                raise RaidwrightError(f"The window did not close:\n{self.log}", code="journey")
            if time.monotonic() > asked + _ASK_AGAIN_SECONDS:  # the keyboard may have been another window's
                self.key("ctrl+q")
                asked = time.monotonic()
            if self._reply("leaving-go", None) not in ("", "{}\n"):
                self.click("leaving-go")
            time.sleep(_STEP_SECONDS)

    def _stop(self) -> None:
        self._hang_up()
        if self._program.poll() is None:
            os.killpg(self._program.pid, signal.SIGKILL)
            self._program.wait()
        if not self._errors.closed:
            self._errors.seek(0)
            self.log = self._errors.read().decode(errors="replace")
            self._errors.close()
            own = Path(self._folder.name) / "state" / "raidwright" / "window.log"
            self.told = own.read_text(errors="replace") if own.exists() else ""
            self._folder.cleanup()
