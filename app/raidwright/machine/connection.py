"""Connection state of the machine in the window."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

Role = Literal["root", "admin", "user"]  # our user on a practice machine's bus


class ConnectionState(StrEnum):
    """State of the connection to the machine."""

    NONE = "none"
    STARTING = "starting"  # the practice machine boots
    CONNECTING = "connecting"
    CONNECTED = "connected"
    FAILED = "failed"


class Connection(NamedTuple):
    """The machine shown in the window and the state of its connection; ``sentence`` is the reason of a failure.

    ``far`` is the address of a machine reached over ssh, "" for any other.
    """

    title: str = ""
    is_practice: bool = False
    state: ConnectionState = ConnectionState.NONE
    sentence: str = ""
    far: str = ""


class Held(NamedTuple):
    """Number of a practice machine's writes that wait because ``folder``, with its disks' contents, is full."""

    writes: int = 0
    folder: str = ""


class PracticeSpec(NamedTuple):
    """A practice machine to start: its disks as text (``4x8TB``), Debian's release, and our user there.

    ``pace`` seconds of the machine pass in one second of the host.
    """

    disks: str = "4x8TB"
    generation: str = "trixie"
    role: Role = "admin"
    pace: float = 1.0
