"""Which machine is looked at and how far the way to it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

Role = Literal["root", "admin", "user"]  # as whom we speak on a practice machine's bus


class State(StrEnum):
    """How far the way to the machine is."""

    NONE = "none"
    STARTING = "starting"  # the practice machine boots
    CONNECTING = "connecting"
    CONNECTED = "connected"
    FAILED = "failed"


class Connection(NamedTuple):
    """Which machine the window looks at and how far the way there is; ``sentence`` says why it failed.

    ``far`` is the address of one that ssh reaches, "" for any other.
    """

    title: str = ""
    is_practice: bool = False
    state: State = State.NONE
    sentence: str = ""
    far: str = ""


class Held(NamedTuple):
    """How many writes of a practice machine wait because ``folder``, where its disks' contents lie, has no room."""

    writes: int = 0
    folder: str = ""


class PracticeSpec(NamedTuple):
    """A practice machine to start: its disks as text (``4x8TB``), Debian's generation, and who we are there.

    ``pace`` seconds pass in it in one of ours.
    """

    disks: str = "4x8TB"
    generation: str = "bookworm"
    role: Role = "admin"
    pace: float = 1.0
