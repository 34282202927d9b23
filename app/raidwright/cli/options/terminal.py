"""Questions on the controlling terminal, answered line by line."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
from collections.abc import Iterator

from raidwright.machine.prompts import PromptRequest
from raidwright.text.catalogue import tr

_LOCAL_MODES = 3  # termios: where tcgetattr has them
_MAX_BYTES = 4096
_TERMINAL = "/dev/tty"


class Terminal:
    """The person at the terminal. Input is read by the event loop, so that other tasks continue."""

    looks_on = False  # a command asks only for its own purpose

    @property
    def has_terminal(self) -> bool:
        """True if this process has a terminal: standard input may be a file nevertheless."""
        try:
            os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY))
        except OSError:
            return False
        return True

    async def answer(self, question: PromptRequest) -> str | None:
        """Ask on the terminal; None without a terminal, and for an empty line."""
        if not self.has_terminal:
            print(
                tr(
                    "{machine} wants {user}'s password, and there is no terminal to ask on.",
                    machine=question.machine,
                    user=question.user,
                ),
                file=sys.stderr,
            )
            return None
        complaint = f"{question.complaint}\n" if question.complaint else f"{question.what}\n"
        asked = tr(
            "{user} on {machine}: {prompt} ", user=question.user, machine=question.machine, prompt=question.prompt
        )
        return await read_line(complaint + asked, is_shown=not question.is_secret) or None


async def read_line(prompt: str, *, is_shown: bool = True) -> str:
    """Read a line from the terminal after ``prompt``, without its end; "" at the end of input."""
    fd = os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY)
    typed: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def take() -> None:
        if not typed.done():
            typed.set_result(os.read(fd, _MAX_BYTES))  # a whole line: the terminal returns no less

    try:
        with contextlib.nullcontext() if is_shown else _hidden(fd):
            os.write(fd, prompt.encode())
            asyncio.get_running_loop().add_reader(fd, take)
            return (await typed).decode(errors="surrogateescape").rstrip("\r\n")
    finally:
        asyncio.get_running_loop().remove_reader(fd)
        os.close(fd)


@contextlib.contextmanager
def _hidden(fd: int) -> Iterator[None]:
    before = termios.tcgetattr(fd)
    silent = before[:]
    silent[_LOCAL_MODES] = before[_LOCAL_MODES] & ~termios.ECHO
    termios.tcsetattr(fd, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(fd, termios.TCSAFLUSH, before)
        os.write(fd, b"\n")
