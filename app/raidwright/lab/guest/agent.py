"""The lab's agent: connects the channels of the serial line to bus connections and commands.

When the line or the agent ends, its unit powers the guest off: a lab never outlives its supervisor.
"""

from __future__ import annotations

import json
import os
import pwd
import signal
import subprocess
import sys
import threading
import tty
from functools import partial
from typing import IO, cast

from raidwright.lab.guest.callers import ACCOUNTS, Callers
from raidwright.lab.guest.sasl import Opening
from raidwright.lab.relay import pump, relay
from raidwright.lab.wire import CONTROL_CHANNEL, Channel, Closed, Frame, FrameLine, FrameType, Mux

_LINE = "/dev/ttyS0"
_ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
}


def run() -> None:
    """Serve the line until it ends."""
    callers = Callers()
    fd = os.open(_LINE, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    line = FrameLine(fd, tells=True)

    def serve(channel: Channel, payload: bytes) -> None:
        request = json.loads(payload)
        try:
            if "bus" in request:
                _serve_bus(channel, callers, request["bus"])
            else:
                _serve_command(channel, request["run"])
        except Closed:
            return
        finally:
            channel.close()

    line.send(Frame(CONTROL_CHANNEL, FrameType.HELLO))
    Mux(line, serve).run()


def _serve_bus(channel: Channel, callers: Callers, role: str) -> None:
    try:
        bus, life = callers.connect(role)
    except OSError as error:
        print(f"bus as {role}: {error}", file=sys.stderr)
        return
    with life, bus:
        relay(bus, channel, Opening(pwd.getpwnam(ACCOUNTS[role]).pw_uid).rewrite)


def _serve_command(channel: Channel, argv: list[str]) -> None:
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, env=_ENVIRONMENT, cwd="/root", start_new_session=True
        )
    except OSError as error:
        channel.send(FrameType.ERROR_DATA, f"{argv[0]}: {error.strerror}\n".encode())
        channel.send_exit(127)
        return
    has_ended = threading.Event()
    threading.Thread(target=_feed, args=(channel, process, has_ended), daemon=True).start()
    errors = threading.Thread(target=_drain, args=(process.stderr, channel, FrameType.ERROR_DATA))
    errors.start()
    _drain(process.stdout, channel, FrameType.DATA)
    errors.join()
    code = process.wait()
    has_ended.set()
    channel.send_exit(code)


def _feed(channel: Channel, process: subprocess.Popen[bytes], has_ended: threading.Event) -> None:
    stdin = cast("IO[bytes]", process.stdin)
    for frame in channel.frames():
        try:
            if frame.kind is FrameType.DATA:
                stdin.write(frame.payload)
                stdin.flush()
            elif frame.kind is FrameType.EOF:
                stdin.close()
        except (BrokenPipeError, ValueError):
            continue  # the command doesn't read its input; its output and exit code still count
    if not has_ended.is_set():
        os.killpg(process.pid, signal.SIGKILL)  # the client has disconnected


def _drain(pipe: IO[bytes] | None, channel: Channel, kind: FrameType) -> None:
    with cast("IO[bytes]", pipe) as stream:
        try:
            pump(partial(os.read, stream.fileno()), channel, kind)
        except Closed:
            return  # the command is being killed
