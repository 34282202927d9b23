"""What the bus sees: names, errors, introspection, and plain values as variants."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from dbus_fast import Variant
from dbus_fast.aio import MessageBus
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed, MachineError, RaidwrightError

BUS_NAME = "org.raidwright.Helper1"
PATH = "/org/raidwright/Helper1"
JOBS_PATH = f"{PATH}/jobs"
INTERFACE = "org.raidwright.Helper1"
JOB_INTERFACE = "org.raidwright.Helper1.Job"
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
PEER = "org.freedesktop.DBus.Peer"
ACTIONS = "org.raidwright.helper1"


class Busy(MachineError):
    """Another job has the disk, or the caller asks for too much at once."""


class NoSuchJob(InputError):
    """No job of this name belongs to the caller."""


class NoPolkit(Denied):
    """polkit isn't there to be asked; nothing is done without it."""


class UnknownMethod(InputError):
    """Not in the dispatcher's table."""


class WrongSignature(InputError):
    """In the table, with other types."""


class TooLong(InputError):
    """Longer than any call is."""


# The first that fits names the error; so the narrow ones stand first.
_ERROR_NAMES: tuple[tuple[type[RaidwrightError], str], ...] = (
    (UnknownMethod, "org.freedesktop.DBus.Error.UnknownMethod"),
    (WrongSignature, "org.freedesktop.DBus.Error.InvalidArgs"),
    (TooLong, "org.freedesktop.DBus.Error.LimitsExceeded"),
    (NoPolkit, f"{INTERFACE}.Error.NoPolkit"),
    (Denied, f"{INTERFACE}.Error.Denied"),
    (NoSuchJob, f"{INTERFACE}.Error.NoSuchJob"),
    (InputError, f"{INTERFACE}.Error.BadInput"),
    (DiskRefused, f"{INTERFACE}.Error.DiskRefused"),
    (Busy, f"{INTERFACE}.Error.Busy"),
    (JobFailed, f"{INTERFACE}.Error.JobFailed"),
)


_MOST_LETTERS = 2**14
_PLAIN = str.maketrans({"“": '"', "”": '"', "’": "'", "–": "-", "—": "-", "−": "-", "×": "x", "…": "..."})


def error_name(error: RaidwrightError) -> str:
    """The D-Bus name of ``error``; its body is sentence, code and fields (``ssa{sv}``)."""
    return next((name for kind, name in _ERROR_NAMES if isinstance(error, kind)), f"{INTERFACE}.Error.JobFailed")


def ascii_text(text: str) -> str:
    """``text`` as everything sent must be: typographic signs made plain, other letters escaped, nothing else.

    Control characters become spaces, and what is longer than any text of ours is cut. Letters are escaped since
    dbus-fast 1.84, which Debian 12 has, writes a string's length in letters instead of bytes; the bus then throws
    the sender out. So a caller could end the helper with one umlaut. Gone in 2.44; drop that with Debian 12.
    """
    plain = text.translate(_PLAIN).encode("ascii", "backslashreplace").decode()
    return "".join(char if char.isprintable() else " " for char in plain[:_MOST_LETTERS])


class PatientSocket:
    """A socket that doesn't block, whose ``send`` says that nothing was sent while there is no room.

    dbus-fast takes the error that Python raises then for the end of its connection: whoever makes the bus slow
    enough could end the helper. A partial send it takes rightly, and goes on when there is room.
    """

    def __init__(self, plain: socket.socket) -> None:
        self._plain = plain

    def send(self, data: memoryview) -> int:
        """As ``socket.send``; 0 without room."""
        try:
            return self._plain.send(data)
        except BlockingIOError:
            return 0

    def sendmsg(self, buffers: list[memoryview], ancillary: list[tuple[int, int, object]]) -> int:
        """As ``socket.sendmsg``; 0 without room."""
        try:
            return self._plain.sendmsg(buffers, ancillary)  # type: ignore[arg-type]
        except BlockingIOError:
            return 0


class InOrder(deque[Any]):
    """A queue whose ``pop`` takes what has waited longest: dbus-fast 1.84 would send the newest first."""

    pop = deque.popleft


def wait_for_room(bus: MessageBus) -> None:
    """Have ``bus``, which is connected, wait while the socket is full, and then send in order."""
    writer: Any = bus._writer  # noqa: SLF001  (it has no other door)
    writer.sock = PatientSocket(writer.sock)
    writer.messages = InOrder(writer.messages)


def to_wire(values: Mapping[str, object]) -> dict[str, Variant]:
    """``a{sv}`` of plain values: texts, booleans, whole numbers (``t``, below zero ``x``), floats, lists of text."""
    return {key: _variant(value) for key, value in values.items() if value is not None}


def _variant(value: object) -> Variant:
    if isinstance(value, bool):
        return Variant("b", value)
    if isinstance(value, int):
        return Variant("t" if value >= 0 else "x", value)
    if isinstance(value, float):
        return Variant("d", value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return Variant("as", [ascii_text(str(item)) for item in value])
    return Variant("s", ascii_text(str(value)))


_METHODS = """
  <interface name="org.raidwright.Helper1">
    <method name="ExamineDisks"><arg direction="out" type="aa{sv}" name="disks"/></method>
    <method name="ExamineSignatures">
      <arg direction="in" type="as" name="disks"/><arg direction="in" type="b" name="wake"/>
      <arg direction="out" type="a{sa(sts)}" name="signatures"/>
    </method>
    <method name="ExamineHealth">
      <arg direction="in" type="as" name="disks"/><arg direction="in" type="b" name="wake"/>
      <arg direction="out" type="a{sa{sv}}" name="health"/>
    </method>
    <method name="ListBuilds"><arg direction="out" type="aa{sv}" name="builds"/></method>
    <method name="Undo">
      <arg direction="in" type="s" name="build"/><arg direction="out" type="o" name="job"/>
    </method>
    <method name="ForgetBuild"><arg direction="in" type="s" name="build"/></method>
    <method name="CreateArray">
      <arg direction="in" type="a{sv}" name="plan"/><arg direction="in" type="a{sv}" name="options"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="StopScratch">
      <arg direction="in" type="s" name="uuid"/><arg direction="out" type="o" name="job"/>
    </method>
    <method name="RunWorkload">
      <arg direction="in" type="s" name="target"/><arg direction="in" type="s" name="workload"/>
      <arg direction="in" type="a{sv}" name="options"/><arg direction="out" type="o" name="job"/>
    </method>
    <method name="FailMember">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="member"/><arg direction="in" type="b" name="scratch"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="RemoveMember">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="member"/><arg direction="in" type="b" name="scratch"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="ReAddMember">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="member"/><arg direction="in" type="b" name="scratch"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="StopArray">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="DismantleArray">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="aa{sv}" name="members"/><arg direction="in" type="as" name="given_up"/>
      <arg direction="in" type="a{sv}" name="options"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="StartCheck">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="PauseCheck">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="ListChecks"><arg direction="out" type="aa{sv}" name="checks"/></method>
    <method name="ExamineArrays"><arg direction="out" type="aa{sv}" name="arrays"/></method>
    <method name="ExamineMemberships">
      <arg direction="in" type="as" name="disks"/><arg direction="in" type="b" name="wake"/>
      <arg direction="out" type="a{sa{sv}}" name="memberships"/>
    </method>
    <method name="AddMember">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="disk"/><arg direction="in" type="as" name="wipe"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="ReplaceMember">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="old"/><arg direction="in" type="a{sv}" name="disk"/>
      <arg direction="in" type="as" name="wipe"/><arg direction="out" type="o" name="job"/>
    </method>
    <method name="RemoveVanished">
      <arg direction="in" type="s" name="uuid"/><arg direction="in" type="s" name="name"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="MakeFileSystem">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="s" name="kind"/><arg direction="in" type="a{sv}" name="options"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="Mount">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="s" name="place"/><arg direction="out" type="o" name="job"/>
    </method>
    <method name="Unmount">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="ExamineSettings">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="out" type="a{sv}" name="settings"/>
    </method>
    <method name="Tune">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="settings"/><arg direction="out" type="o" name="job"/>
    </method>
    <method name="PreviewConfiguration">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="options"/><arg direction="out" type="a{sv}" name="preview"/>
    </method>
    <method name="WriteConfiguration">
      <arg direction="in" type="s" name="array"/><arg direction="in" type="s" name="name"/>
      <arg direction="in" type="a{sv}" name="options"/><arg direction="in" type="s" name="token"/>
      <arg direction="out" type="o" name="job"/>
    </method>
    <method name="RestoreConfiguration"><arg direction="out" type="o" name="job"/></method>
    <method name="Cancel"><arg direction="in" type="o" name="job"/></method>
  </interface>"""
_JOB_METHODS = """
  <interface name="org.raidwright.Helper1.Job">
    <method name="Cancel"/>
    <signal name="Progress"><arg type="s" name="step"/><arg type="d" name="fraction"/></signal>
    <signal name="Sample"><arg type="a{sv}" name="sample"/></signal>
    <signal name="Ended"><arg type="a{sv}" name="result"/></signal>
    <signal name="Failed">
      <arg type="s" name="code"/><arg type="s" name="sentence"/><arg type="a{sv}" name="fields"/>
    </signal>
  </interface>"""
_HEAD = '<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"\n'
_DTD = f'{_HEAD} "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">'


def introspection(path: str) -> str:
    """The XML for any ``path``: the service's methods, a job's (whether it exists or not), or the way down."""
    if path == PATH:
        return f'{_DTD}\n<node>{_METHODS}\n  <node name="jobs"/>\n</node>\n'
    if path.startswith(f"{JOBS_PATH}/"):
        return f"{_DTD}\n<node>{_JOB_METHODS}\n</node>\n"
    below = PATH.removeprefix(path.rstrip("/")).strip("/").split("/")[0] if PATH.startswith(path) else ""
    return f"{_DTD}\n<node>" + (f'<node name="{below}"/>' if below else "") + "</node>\n"
