"""A station as one value, of which the window makes its button, page, notices and question before leaving."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QWidget

from raidwright.core.messages import Message
from raidwright.lazy import Lazy
from raidwright.machine.connection import Connection
from raidwright.machine.values import Snapshot
from raidwright.text.catalogue import tr

if TYPE_CHECKING:
    from .job import RunningOperation
    from .window_stations import WindowStations

Page = TypeVar("Page", bound=QWidget)


class Station(StrEnum):
    """The stations in the rail's order; the ``station.py`` in the folder of each has its StationKind as ``STATION``."""

    folder: str

    def __new__(cls, key: str, folder: str = "") -> Station:
        """Python: make a station; its folder is called as it is, unless another name is given."""
        station = str.__new__(cls, key)
        station._value_ = key
        station.folder = folder or key
        return station

    DISKS = "disks"
    PLAN = "plan"
    PROVE = "prove"
    BUILD = "build", "building"  # archivers and linters skip folders that are called build
    MEASURE = "measure"
    ARRAYS = "arrays"

    @property
    def kind(self) -> StationKind:
        """The station as a value."""
        kind: StationKind = importlib.import_module(f"raidwright.ui.stations.{self.folder}.station").STATION
        return kind


@dataclass(frozen=True, slots=True)
class StationKind:
    """A station. ``parts`` and ``leftovers`` are import paths (``module:name``), loaded on first use.

    ``parts`` is its StationParts. ``leftovers`` is a function of the window's stations that returns Leftovers, called
    soon after the window is shown. ``minds`` tells of a snapshot whether the station has a notice on it, though nobody
    has opened the station yet.
    """

    title: Message
    icon: Callable[[], QPainterPath]
    parts: str
    leftovers: str = ""
    minds: Callable[[Snapshot], bool] = lambda _snapshot: False
    shows_command: bool = True  # the bar with the plan's command is visible
    says_planning_only: bool = False  # the notice that the helper is missing is shown


def load(path: str) -> Any:
    """Return what the import path ``module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


class Loss(Enum):
    """The kinds of work that leaving loses, or leaves alone, in the order in which they are told."""

    PLAN = auto()
    MEASUREMENT = auto()
    SHOOTOUT = auto()
    CHANGE = auto()  # goes on in the helper; its words have no full stop
    REQUEST = auto()  # to the helper, not granted yet
    PRACTICE = auto()


class Stake(NamedTuple):
    """Work at stake, in words."""

    loss: Loss
    words: str


def stake_of_measuring(job: RunningOperation) -> Iterator[Stake]:
    """Yield what leaving means for a measurement that runs as ``job``."""
    if job.is_busy:
        yield Stake(Loss.MEASUREMENT, tr("A measurement runs. It is stopped, and nothing of it is kept."))


class StationParts(ABC, Generic[Page]):
    """A station's model and page in one window, each made on first use and joined to the other stations there."""

    def __init__(self, stations: WindowStations) -> None:
        self.stations = stations

    @Lazy
    def page(self) -> Page:
        """The station's page in the window's stack."""
        return self.make_page()

    @abstractmethod
    def make_page(self) -> Page:
        """Make the page; it is asked for once."""

    def stakes(self) -> Iterable[Stake]:
        """Return the work that leaving would lose."""
        return ()

    def see(self, snapshot: Snapshot) -> None:
        """Update the station's notices at other stations."""


class Leftovers(QObject):
    """Remains of a station's work from an earlier run of the program, with a notice on them."""

    def look_back(self) -> None:
        """Look for what is on this computer; the window is shown."""

    def take_connection(self, connection: Connection) -> None:
        """Look for what is on the machine that is connected now."""

    def stakes(self) -> Iterable[Stake]:
        """Return the work that leaving would lose."""
        return ()

    def close(self) -> None:
        """Leave nothing: the window is closed on purpose."""
