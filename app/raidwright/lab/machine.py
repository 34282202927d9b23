"""Host side of the practice machine: start one, find it, run commands in it, plug and unplug disks, stop it."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO, Self, cast

from raidwright.core.errors import InputError, MachineError, Unreachable
from raidwright.core.messages import Message, say, unpacked
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.server import DiskPower, Fault, StoreState
from raidwright.lab.disks.store import STATE_DEVICE
from raidwright.resources import PACKAGE

from .conversation import ask_to_stop, converse
from .host_load import HostLoad
from .image import Generation, GuestSystem, generation_unasked, guest_system
from .paths import LabPaths, living, living_called
from .supervisor import DETACH, ROLES, Role, SupervisorOrder
from .wire import Closed, Frame, FrameType

__all__ = ["DEFAULT_MEMORY_MIB", "ROLES", "Completed", "Lab", "LabSpec", "Role", "find", "list_labs", "start"]

DEFAULT_MEMORY_MIB = 1024
SLOWEST_PACE, FASTEST_PACE = 1 / 64, 16.0  # beyond, systemd's start timeouts expire before its units have started
_DISKS = ("python3", "-S", "-E", "/usr/lib/raidwright-lab", "disks")
_STOP_SECONDS = 20
_FAREWELL_SECONDS = 3.0  # a supervisor waits for two for its kernel's end


@dataclass(frozen=True, slots=True)
class LabSpec:
    """Specification of a practice machine: its disks, its Debian, its memory.

    With ``store``, a folder, the disks' contents persist there (see ``store``). If it ``lasts``, so does its root file
    system, and it also starts the services of an installed Debian: fstab's mounts, md's timers. ``pace`` seconds of the
    machine pass in one second of the host: below 1 is slow motion, so that a single processor isn't the bottleneck,
    above 1 time lapse. Neither is noticeable from within.
    """

    disks: tuple[LabDisk, ...] = ()
    generation: Generation = field(default_factory=generation_unasked)
    memory_mib: int = DEFAULT_MEMORY_MIB
    store: Path | None = None
    pace: float = 1.0
    lasts: bool = False

    def __post_init__(self) -> None:
        if not SLOWEST_PACE <= self.pace <= FASTEST_PACE:
            raise InputError(
                "A practice machine's pace can be {slowest:g} to {fastest:g}, not {pace:g}.",
                code="pace",
                slowest=SLOWEST_PACE,
                fastest=FASTEST_PACE,
                pace=self.pace,
            )


@dataclass(frozen=True, slots=True)
class Completed:
    """Result of a command in the guest: its exit code (negative: the signal) and its output."""

    returncode: int
    stdout: bytes
    stderr: bytes


def _say_on_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def start(
    spec: LabSpec, *, name: str | None = None, detach: bool = False, say: Callable[[str], None] = _say_on_stderr
) -> Lab:
    """Start a practice machine, with its disks prepared and UDisks2 on its bus.

    It ends with this process, however that ends, unless ``detach`` is true; then it runs until it is stopped. The first
    start of a generation builds its image, with progress reported to ``say``. Raises MachineError.
    """
    system = guest_system(spec.generation, say)
    store = str(spec.store.resolve()) if spec.store else ""
    name = name or f"lab-{secrets.token_hex(4)}"
    order = SupervisorOrder(name, str(system.folder), spec.memory_mib, spec.disks, store, spec.pace, spec.lasts)
    supervisor = subprocess.Popen(
        [sys.executable, "-m", "raidwright.lab.supervisor"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if detach else None,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        start_new_session=True,
        text=True,
    )
    lab = Lab(LabPaths(order.name), supervisor)
    try:
        lab._bring_line_up(order)  # noqa: SLF001  # of this module
        if spec.store and not spec.lasts:
            lab.exec([*_DISKS, "keep", STATE_DEVICE])
        lab._prepare(spec.disks)  # noqa: SLF001
        lab.exec(["systemctl", "start", "udisks2.service"])
        if detach:
            lab._detach()  # noqa: SLF001
    except BaseException:
        lab.stop()
        raise
    return lab


def find(name: str) -> Lab:
    """Return the running lab called ``name``; raises InputError."""
    return Lab(living_called(name))


def list_labs() -> tuple[Lab, ...]:
    """Return this user's running labs, by name."""
    return tuple(Lab(paths) for paths in living())


class Lab:
    """A running practice machine. Leaving its ``with`` block stops it."""

    def __init__(self, paths: LabPaths, supervisor: subprocess.Popen[str] | None = None) -> None:
        self._paths = paths
        self._supervisor = supervisor
        self._is_detached = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def name(self) -> str:
        """Its name, which is also its directory's."""
        return self._paths.name

    @property
    def directory(self) -> Path:
        """Directory of its sockets and its console log."""
        return self._paths.run

    @property
    def system(self) -> GuestSystem | None:
        """The Debian and the kernel that it runs; None while it starts, or if an older version started it."""
        return GuestSystem(self._paths.system.readlink()) if self._paths.system.is_symlink() else None

    def bus_address(self, role: Role = "admin") -> str:
        """Return the D-Bus address of its system bus for a role: root, admin (alice, in sudo) or user (bob)."""
        return f"unix:path={self._paths.bus(role)}"

    def exec(
        self,
        argv: list[str],
        stdin: bytes = b"",
        *,
        check: bool = True,
        timeout_seconds: float | None = None,
    ) -> Completed:
        """Run a command as root in the guest and wait for it.

        Raises MachineError if the command fails and ``check`` is true, Unreachable if the lab ends or the command is
        silent for ``timeout_seconds``.
        """
        out, err = bytearray(), bytearray()
        code = -1
        for frame in self._converse({"run": argv}, (stdin,), timeout_seconds):
            match frame.kind:
                case FrameType.DATA:
                    out += frame.payload
                case FrameType.ERROR_DATA:
                    err += frame.payload
                case FrameType.EXIT:
                    code = frame.number
        if check and code != 0:
            said = (err or out).decode(errors="replace").strip()
            raise MachineError(
                "“{command}” failed in the practice machine ({exit_code}): {said}",
                code="exec",
                argv=argv,
                command=" ".join(argv),
                exit_code=code,
                said=said,
            )
        return Completed(code, bytes(out), bytes(err))

    def exec_through(self, argv: list[str], stdin: BinaryIO | None, stdout: BinaryIO, stderr: BinaryIO) -> int:
        """Run a command as root in the guest, passing its streams through; return its exit code. Raises Unreachable."""
        incoming = iter(lambda: os.read(stdin.fileno(), 65536), b"") if stdin else ()
        for frame in self._converse({"run": argv}, incoming):
            if frame.kind is FrameType.EXIT:
                return frame.number
            stream = stdout if frame.kind is FrameType.DATA else stderr
            stream.write(frame.payload)
            stream.flush()
        raise self.ended()  # unreachable: the conversation ends with EXIT or raises

    def disks(self) -> tuple[str, ...]:
        """Return the serials of the disks that are plugged in."""
        return tuple(self._order({"list": "plugged in"}))

    def pulled_disks(self) -> tuple[str, ...]:
        """Return the serials of the pulled disks, which can be plugged in again."""
        return tuple(self._order({"list": "pulled"}))

    def add_disk(self, disk: LabDisk) -> None:
        """Plug a new disk in; it appears on the bus within a moment. Raises MachineError."""
        self.add_disks((disk,))

    def add_disks(self, disks: tuple[LabDisk, ...]) -> None:
        """Plug new disks in, and prepare each for its use. Raises MachineError."""
        for disk in disks:
            self._order({"add": asdict(disk)})
        self._prepare(disks)

    def pull_disk(self, serial: str) -> None:
        """Unplug a disk, even if it is in use. Raises MachineError."""
        self._order({"pull": serial})
        self.exec([*_DISKS, "gone", serial])

    def cut_disk(self, serial: str) -> None:
        """Cut a disk's power, even if it is in use; its write cache is lost. Raises MachineError."""
        self._order({"cut": serial})
        self.exec([*_DISKS, "gone", serial])

    def plug_disk(self, serial: str) -> None:
        """Plug a pulled disk in again, with its content. Raises MachineError."""
        self._order({"plug": serial})
        self.exec([*_DISKS, "there", serial])

    def fault_disk(self, serial: str, fault: Fault) -> None:
        """Make a disk's reads and writes fail, be slow, hang, or work again. Raises MachineError."""
        self._order({"fault": fault, "serial": serial})

    def spoil_disk(self, serial: str, first_byte: int, end_byte: int) -> None:
        """Make these bytes of a disk unreadable until they are rewritten. Raises MachineError."""
        self._order({"spoil": serial, "first_byte": first_byte, "end_byte": end_byte})

    def put_to_sleep(self, serial: str) -> None:
        """Put a disk into standby, as its own timer does. Raises MachineError."""
        self._order({"sleep": serial})

    def power(self, serial: str) -> DiskPower:
        """Return whether a disk sleeps, and how often it has spun up. Raises MachineError."""
        return DiskPower(**self._order({"power": serial}))

    def store(self) -> StoreState:
        """Return the space used and left for the disks' contents. Raises MachineError."""
        return StoreState(**self._order({"store": True}))

    def limit_store(self, size_bytes: int) -> None:
        """Make writes wait once the contents take ``size_bytes``; 0: only when the disk fills. Raises MachineError."""
        self._order({"limit": size_bytes})

    def host_load(self) -> HostLoad:
        """Return how long the host has kept the machine waiting so far. Raises MachineError."""
        told = self._ask({"load": True})
        return HostLoad(told["at_s"], tuple(told["waited_s"]), told["stolen_s"])

    def _prepare(self, disks: tuple[LabDisk, ...]) -> None:
        if disks:
            self.exec([*_DISKS, "prepare"], json.dumps([asdict(disk) for disk in disks]).encode())

    def _order(self, order: dict[str, object]) -> Any:
        """Send a disk command to the supervisor and return its answer; raises MachineError."""
        return self._ask({"disks": order})

    def _ask(self, request: dict[str, object]) -> Any:
        answer = b""
        for frame in self._converse(request, ()):
            if frame.kind is FrameType.ERROR_DATA:
                raise MachineError(unpacked(json.loads(frame.payload)), code="disks")
            if frame.kind is FrameType.DATA:
                answer += frame.payload
        return json.loads(answer)

    def shut_down(self) -> None:
        """Shut the guest down cleanly, and wait until its processes and files are gone."""
        with suppress(Unreachable):  # raised when the machine ends
            self.exec(["systemctl", "poweroff"])
            while True:
                self.exec(["sleep", "60"])
        self.stop()

    def stop(self) -> None:
        """Cut the machine's power and wait until its processes and files are gone; harmless if it has ended.

        Raises MachineError.
        """
        supervisor = self._supervisor
        if supervisor is None or self._is_detached:
            self._ask_to_stop()
        if supervisor is not None:
            with supervisor:  # closes the life line and waits
                self._supervisor = None

    def _ask_to_stop(self) -> None:
        if not self._paths.is_alive():
            return
        try:
            ask_to_stop(self._paths.control, _STOP_SECONDS)
        except TimeoutError as error:
            raise MachineError("The practice machine {name} doesn't end.", code="stop", name=self.name) from error

    def _bring_line_up(self, order: SupervisorOrder) -> None:
        answer = self._tell(json.dumps(asdict(order)) + "\n")
        if "error" in answer:
            raise MachineError(unpacked(answer["error"]), code=answer["code"])

    def _detach(self) -> None:
        self._tell(DETACH)
        self._is_detached = True

    def _tell(self, text: str) -> dict[str, Any]:
        """Write a line on the life line, and read the supervisor's answer."""
        supervisor = cast("subprocess.Popen[str]", self._supervisor)
        try:
            cast("IO[str]", supervisor.stdin).write(text)
            cast("IO[str]", supervisor.stdin).flush()
            answer: dict[str, Any] = json.loads(cast("IO[str]", supervisor.stdout).readline())
        except (BrokenPipeError, json.JSONDecodeError) as error:
            raise MachineError("The process that holds the practice machine has died.", code="supervisor") from error
        return answer

    def _converse(
        self, request: dict[str, object], stdin: Iterable[bytes], silence_seconds: float | None = None
    ) -> Iterator[Frame]:
        """Yield the frames that answer ``request``, the last being an EXIT; raises Unreachable."""
        try:
            yield from converse(self._paths.control, request, stdin, silence_seconds)
        except Closed as error:
            raise self.ended() from error

    def is_alive(self) -> bool:
        """True while it runs."""
        return self._paths.is_alive()

    def ended(self) -> Unreachable:
        """Return the exception for a machine that is gone, with the reason if it ended by itself.

        Its connections end a moment before its supervisor has said why.
        """
        until = time.monotonic() + _FAREWELL_SECONDS
        while self.is_alive() and time.monotonic() < until:
            time.sleep(0.02)
        said = Message(self._paths.farewell) or say("The practice machine {name} has ended.", name=self.name)
        return Unreachable(said, code="lab", name=self.name)
