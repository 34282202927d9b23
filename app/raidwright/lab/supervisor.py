"""Supervisor process of a lab: starts its kernel, joins its line to unix sockets, and leaves nothing behind.

Reads one JSON object from standard input, which stays open as its life line: when that ends, so does the lab, unless
``detach`` was written to it. Writes one JSON object to standard output: that the line is up, or the error.

A control connection carries ``wire``'s frames: OPEN with ``{"run": argv}`` then stdin one way, stdout, stderr and exit
code the other; OPEN with ``{"disks": {…}}`` (see ``disks.orders``), answered by JSON and an exit code; or OPEN with
``{"stop": true}``.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from raidwright.core.errors import MachineError, RaidwrightError
from raidwright.core.messages import Message, packed, say
from raidwright.lab.disks.disk import LabDisk, disk_from_json
from raidwright.lab.disks.orders import ask_for_room, obey
from raidwright.lab.disks.server import DiskServer
from raidwright.lab.disks.store import state_image

from .compiled import clock_library, idle_library, xstate_library
from .host_load import HostWaits
from .image import INIT, GuestSystem
from .last_words import last_words
from .overlay import write_overlay
from .paths import LabPaths
from .relay import hang_up, relay
from .wire import CONTROL_CHANNEL, TTY_AHEAD_BYTES, Channel, Closed, Frame, FrameLine, FrameType, Mux, numbered

Role = Literal["root", "admin", "user"]
ROLES: tuple[Role, ...] = get_args(Role)
DETACH = "detach\n"
_BOOT_SECONDS = 90.0
_DYING_SECONDS = 2.0  # between the end of its line and the end of a kernel
_PROCESSOR = 36  # among /proc/PID/stat's fields after the name (proc(5), field 39)
_SCSI = 8  # virtio device id (linux/virtio_ids.h)
_SPARED_BYTES = 512 * 2**20  # left free by writes to the disks on their file system
_KEPT_FREE = 1 / 16  # of its memory


@dataclass(frozen=True, slots=True)
class SupervisorOrder:
    """Start order for the supervisor."""

    name: str
    system: str  # folder of the guest's image and kernel
    memory_mib: int
    disks: tuple[LabDisk, ...] = ()
    store: str = ""  # the persistent folder; "" for none
    pace: float = 1.0  # guest seconds per host second
    lasts: bool = False  # its root file system is in the store, too, and starts an installed system's services

    @classmethod
    def from_json(cls, text: str) -> SupervisorOrder:
        """Parse the JSON form of ``asdict``."""
        fields = json.loads(text)
        return cls(**{**fields, "disks": tuple(map(disk_from_json, fields["disks"]))})


def main() -> int:
    """Run a lab until it ends; return 0 if it had started."""
    order = SupervisorOrder.from_json(sys.stdin.readline())
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    try:
        paths = LabPaths(order.name)
        with paths.occupied(order.memory_mib * 2**20):
            _hold(order, paths, stop)
    except RaidwrightError as error:
        _say({"error": packed(error.sentence), "code": error.code})
        return 1
    return 0


def _say(message: dict[str, Any]) -> None:
    try:
        print(json.dumps(message), flush=True)
    except BrokenPipeError:
        return  # the starting process is gone; the life line will end as well


def _hold(order: SupervisorOrder, paths: LabPaths, stop: threading.Event) -> None:
    system = GuestSystem(Path(order.system))
    built_with = {f"boot/config-{system.kernel.version}": system.kernel.config()}
    write_overlay(paths.scratch / "overlay.tar", built_with, starts_all=order.lasts)
    paths.system.symlink_to(system.folder)
    store = Path(order.store) if order.store else paths.store.resolve()
    zero_pages = system.kernel.zero_pages()
    disks = DiskServer(store, paths.disks, _reserve_bytes(order, paths, store), order.pace, zero_pages)
    ours, theirs = socket.socketpair()
    with closing(disks), ours:
        ask_for_room(disks)
        for disk in order.disks:
            disks.add(disk)
        with theirs:
            kernel = _start_kernel(order, system, paths, theirs)
        try:
            line = FrameLine(ours.fileno(), ahead_bytes=TTY_AHEAD_BYTES)
            farewell = _serve(line, paths, disks, stop, kernel)
        finally:
            with suppress(ProcessLookupError):  # powered off from within, and already reaped
                os.killpg(kernel.pid, signal.SIGKILL)
            kernel.wait()
        paths.say_farewell(farewell)


def _reserve_bytes(order: SupervisorOrder, paths: LabPaths, store: Path) -> int:
    """Return the space that disk writes must leave on their file system: a margin, plus the kernel's memory there."""
    shares_place = store.stat().st_dev == paths.scratch.stat().st_dev
    return _SPARED_BYTES + (order.memory_mib * 2**20 if shares_place else 0)


def _start_kernel(
    order: SupervisorOrder, system: GuestSystem, paths: LabPaths, line: socket.socket
) -> subprocess.Popen[bytes]:
    changed = Path(order.store) if order.lasts else paths.scratch
    argv = [
        system.kernel.argv0,
        f"mem={order.memory_mib}M",
        f"ubd0={changed / 'root.cow'},{system.image}",
        f"ubd1={paths.scratch / 'overlay.tar'}",
        *([f"ubd2={state_image(Path(order.store))}"] if order.store and not order.lasts else []),
        f"virtio_uml.device={paths.disks}:{_SCSI}",
        "root=/dev/ubda",
        "rw",
        f"init={INIT}",
        f"ssl0=fd:{line.fileno()}",
        "ssl=null",
        "con=null",
        "con0=null,fd:1",
        f"uml_dir={paths.run}/",
        "umid=kernel",
        "pty.legacy_count=0",  # 512 fewer devices for udev to process
        "udev.children_max=2",  # on one processor, more workers only cost forks
        # With the kernel's default, 4 MiB of 1 GiB, a mirror's long buffered stream switches between disks, with this
        # it doesn't (measured). Presumably bios that wait for memory are submitted out of order (``block/bio.c``
        # punt_bios_to_rescuer).
        f"sysctl.vm.min_free_kbytes={order.memory_mib * 1024 * _KEPT_FREE:.0f}",
        "quiet",
        "systemd.show_status=0",
    ]
    with paths.console.open("wb") as console:
        kernel = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=console,
            cwd=system.kernel.folder,
            pass_fds=[line.fileno()],
            env={
                "PATH": os.defpath,
                "HOME": str(paths.run),
                "TMPDIR": str(paths.scratch),
                "LD_PRELOAD": ":".join(_preloaded(order)),
                "RAIDWRIGHT_PACE": str(order.pace),
                **system.kernel.environment,
            },
            start_new_session=True,
        )
    _keep_where_it_is(kernel.pid)
    return kernel


def _keep_where_it_is(pid: int) -> None:
    """Pin a kernel and its future children to the processor it was started on, which the host had found most idle.

    A guest's processes are host processes, which alternate with the kernel's at each system call and page fault
    (ptrace(2)); waking the next one on another processor costs several times as much as the call itself.
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    os.sched_setaffinity(pid, {int(fields[_PROCESSOR])})


def _preloaded(order: SupervisorOrder) -> list[str]:
    """Return the LD_PRELOAD list: this lab's libraries, then those already set (tests/lab/large_registers.c)."""
    clock = [str(clock_library())] if order.pace != 1 else []
    return [str(xstate_library()), str(idle_library()), *clock, *os.environ.get("LD_PRELOAD", "").split()]


def _serve(
    line: FrameLine, paths: LabPaths, disks: DiskServer, stop: threading.Event, kernel: subprocess.Popen[bytes]
) -> str:
    """Serve until told to stop; return the reason if the lab ended by itself, else ""."""
    mux = Mux(line)
    line_has_ended = threading.Event()
    disks_ended: list[str] = []

    def run_line() -> None:
        mux.run()
        line_has_ended.set()
        stop.set()
        mux.greeted.set()  # no HELLO will come; wake those who wait for it

    def watch_disks() -> None:
        if why := disks.failure():
            disks_ended.append(why)
            stop.set()
            mux.greeted.set()

    _thread(run_line)
    _thread(watch_disks)
    _thread(_watch_life_line, stop)
    greeted = mux.greeted.wait(_BOOT_SECONDS)
    if disks_ended:
        raise MachineError(_without_disks(paths, disks_ended[0]), code="disks")
    if not greeted or stop.is_set():
        raise MachineError(
            "The practice machine didn't come up: {last_words}", code="boot", last_words=_last_words(paths, kernel)
        )
    for role in ROLES:
        _listen(paths.bus(role), _serve_bus, mux, role)
    _listen(paths.control, _serve_control, mux, disks, stop, HostWaits((kernel.pid, disks.pid)))
    _say({"ready": True})
    stop.wait()
    if disks_ended:
        return _without_disks(paths, disks_ended[0])
    if not line_has_ended.is_set():
        return ""
    return f"The practice machine {paths.name} has ended: {_last_words(paths, kernel)}"


def _without_disks(paths: LabPaths, why: str) -> Message:
    return say("The practice machine {name} has ended, because its disks have: {why}", name=paths.name, why=why)


def _last_words(paths: LabPaths, kernel: subprocess.Popen[bytes]) -> str:
    with suppress(subprocess.TimeoutExpired):
        kernel.wait(_DYING_SECONDS)
    return last_words(paths.console.read_text(errors="replace"), kernel.poll())


def _watch_life_line(stop: threading.Event) -> None:
    if sys.stdin.readline() == DETACH:
        _say({"detached": True})
    else:
        stop.set()


def _listen(path: Path, serve: Callable[..., None], *arguments: object) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)

    def accept() -> None:
        while True:
            client, _ = listener.accept()
            _thread(serve, client, *arguments)

    _thread(accept)


def _thread(run: Callable[..., None], *arguments: object) -> threading.Thread:
    def until_closed() -> None:
        try:
            run(*arguments)
        except Closed:
            return  # the line is closed, and the lab is ending

    thread = threading.Thread(target=until_closed, daemon=True)
    thread.start()
    return thread


def _serve_bus(client: socket.socket, mux: Mux, role: str) -> None:
    with client:
        relay(client, mux.open(json.dumps({"bus": role}).encode()))


def _serve_control(client: socket.socket, mux: Mux, disks: DiskServer, stop: threading.Event, waits: HostWaits) -> None:
    with client:
        line = FrameLine(client.fileno())
        frames = line.frames()
        request = next(frames, None)
        if request is None or request.kind is not FrameType.OPEN:
            return
        wanted = json.loads(request.payload)
        if wanted.get("stop"):
            stop.set()
            threading.Event().wait()  # the connection ends when this process does
        if "disks" in wanted or "load" in wanted:
            if "disks" in wanted:
                _answer_order(line, disks, wanted["disks"])
            else:
                _tell(line, asdict(waits.load()))
            for _ in frames:  # until the client hangs up: closing with unread input may lose the answer
                pass
            return
        channel = mux.open(request.payload)
        answering = _thread(_answer, client, line, channel)
        try:
            for frame in frames:
                channel.send(frame.kind, frame.payload)
        finally:
            channel.close()
            answering.join()


def _answer_order(line: FrameLine, disks: DiskServer, order: dict[str, Any]) -> None:
    try:
        _tell(line, obey(disks, order))
    except RaidwrightError as error:
        line.send(Frame(CONTROL_CHANNEL, FrameType.ERROR_DATA, json.dumps(packed(error.sentence)).encode()))
        line.send(numbered(CONTROL_CHANNEL, FrameType.EXIT, 1))


def _tell(line: FrameLine, answer: Any) -> None:
    line.send(Frame(CONTROL_CHANNEL, FrameType.DATA, json.dumps(answer).encode()))
    line.send(numbered(CONTROL_CHANNEL, FrameType.EXIT, 0))


def _answer(client: socket.socket, line: FrameLine, channel: Channel) -> None:
    try:
        for frame in channel.frames():
            line.send(frame)
    finally:
        channel.close()
        hang_up(client)


if __name__ == "__main__":
    sys.exit(main())
