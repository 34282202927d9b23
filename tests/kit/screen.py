"""A virtual X screen with a window manager, and pictures of it."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from raidwright.core.errors import RaidwrightError

_START_SECONDS = 180.0
_NO_SESSION_BUS = {"DBUS_SESSION_BUS_ADDRESS": "disabled:"}  # else libdbus starts one, which outlives a killed program
_WINDOW_RULES = Path(__file__).with_name("openbox.xml")


class VirtualScreen:
    """Xvfb with openbox on a display number of its own; ends with the ``with`` block.

    Where ``framebuffer`` names a folder, Xvfb keeps the screen's pixels there as the file ``Xvfb_screen0``.
    """

    def __init__(self, width: int = 1440, height: int = 900, framebuffer: Path | None = None) -> None:
        self._size = f"{width}x{height}x24"
        self._framebuffer = ["-fbdir", str(framebuffer)] if framebuffer else []
        self._children: list[subprocess.Popen[bytes]] = []
        self.display = ""

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment for a program on this screen."""
        wayland = {"WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
        kept = {key: value for key, value in os.environ.items() if key not in wayland}
        ours = {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb", "LIBGL_ALWAYS_SOFTWARE": "1"}
        return _NO_SESSION_BUS | kept | ours

    def __enter__(self) -> Self:
        reader, writer = os.pipe()
        try:
            self._start(
                [
                    *("Xvfb", "-displayfd", str(writer), "-nolisten", "tcp", "-noreset"),
                    *("-screen", "0", self._size, *self._framebuffer),
                ],
                pass_fds=(writer,),
            )
            number = _line_from(reader)
        finally:
            os.close(reader)
            os.close(writer)
        if not number:
            self._end()
            raise RaidwrightError("The virtual screen did not start; is Xvfb installed?", code="screen")
        self.display = f":{number}"
        self._start(["openbox", "--sm-disable", "--config-file", str(_WINDOW_RULES)])
        return self

    def _start(self, argv: list[str], pass_fds: tuple[int, ...] = ()) -> None:
        if shutil.which(argv[0]) is None:
            self._end()
            raise RaidwrightError(f"{argv[0]} is not installed; packaging/set-up does that.", code="screen")
        environment = self.environment if self.display else None
        self._children.append(
            subprocess.Popen(
                argv,
                env=environment,
                pass_fds=pass_fds,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def picture(self, path: Path) -> Path:
        """Save the whole screen as PNG under ``path``."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.run("scrot", "--overwrite", str(path))
        return path

    def run(self, *argv: str) -> str:
        """Run a small X program here and return its output; raises RaidwrightError with its error."""
        result = subprocess.run(argv, env=self.environment, capture_output=True, text=True, check=False, timeout=120)
        if result.returncode:
            raise RaidwrightError(f"{argv[0]} failed on the virtual screen: {result.stderr.strip()}", code="screen")
        return result.stdout

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        for child in reversed(self._children):
            child.terminate()
            child.wait(timeout=60)
        self._children.clear()


def _line_from(reader: int) -> str:
    """Read Xvfb's output to the end of its line: a pipe closed after the number kills it."""
    said = b""
    while not said.endswith(b"\n") and select.select([reader], [], [], _START_SECONDS)[0]:
        said += os.read(reader, 16)
    return said.decode().strip()
