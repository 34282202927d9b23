"""The stations of one window, made on first use, and what they tell each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.session import Session

from .desktop_notices import DesktopNotices
from .frame.leaving import Guard, Work
from .frame.notices import Notices
from .phase import Phase
from .settings.store import SettingsStore
from .station import Leftovers, Stake, Station, StationParts, load

if TYPE_CHECKING:
    from .stations.arrays.parts import ArraysParts
    from .stations.building.model import BuildModel
    from .stations.building.parts import BuildParts
    from .stations.disks.parts import DisksParts
    from .stations.measure.parts import MeasureParts
    from .stations.plan.model import PlanModel
    from .stations.plan.parts import PlanParts
    from .stations.prove.model import ProveModel
    from .stations.prove.parts import ProveParts


class WindowStations(QObject):
    """The stations on ``ground``. They know each other through this alone; none imports another.

    ``wanted(Station)`` asks for one to be shown, ``done(Station)`` says that its task is done. ``drafted(Draft)``
    follows the plan, ``phase_changed(Phase)`` the build; ``planned(PlanModel)`` says once that there is a plan's model.
    ``drafts`` is the folder of unsaved plans.
    """

    wanted = Signal(object)
    done = Signal(object)
    drafted = Signal(object)
    planned = Signal(object)
    phase_changed = Signal(object)

    def __init__(
        self, session: Session, settings: SettingsStore, notices: Notices, ground: QWidget, drafts: Path | None
    ) -> None:
        super().__init__(ground)
        self.session, self.settings, self.notices = session, settings, notices
        self.ground, self.drafts = ground, drafts
        self.phase = Phase.REVIEW
        self.guard = Guard(self.work, self._save_plan, ground.window())
        self.desktop = DesktopNotices(session, ground.window())
        self._parts: dict[Station, StationParts[Any]] = {}
        self._left: dict[Station, Leftovers] = {}

    def parts(self, station: Station) -> StationParts[Any]:
        """Return the parts of ``station``."""
        if station not in self._parts:
            self._parts[station] = load(station.kind.parts)(self)
        return self._parts[station]

    @property
    def disks(self) -> DisksParts:
        """The Disks station."""
        return cast("DisksParts", self.parts(Station.DISKS))

    @property
    def plan(self) -> PlanParts:
        """The Plan station."""
        return cast("PlanParts", self.parts(Station.PLAN))

    @property
    def prove(self) -> ProveParts:
        """The Prove station."""
        return cast("ProveParts", self.parts(Station.PROVE))

    @property
    def build(self) -> BuildParts:
        """The Build station."""
        return cast("BuildParts", self.parts(Station.BUILD))

    @property
    def measure(self) -> MeasureParts:
        """The Measure station."""
        return cast("MeasureParts", self.parts(Station.MEASURE))

    @property
    def arrays(self) -> ArraysParts:
        """The Arrays station."""
        return cast("ArraysParts", self.parts(Station.ARRAYS))

    def made(self, station: Station) -> Any:
        """Return the model of ``station`` if it has been made, else None."""
        return vars(self._parts[station]).get("model") if station in self._parts else None

    @property
    def made_plan(self) -> PlanModel | None:
        """The plan, if anything has been planned."""
        return cast("PlanModel | None", self.made(Station.PLAN))

    @property
    def made_build(self) -> BuildModel | None:
        """The build, if the station has been used."""
        return cast("BuildModel | None", self.made(Station.BUILD))

    @property
    def is_proving(self) -> bool:
        """True during a shoot-out, which uses and fails disks."""
        prove = cast("ProveModel | None", self.made(Station.PROVE))
        return prove is not None and prove.job.is_busy

    def to_plan(self) -> PlanModel:
        """Ask for the Plan station, and return its model."""
        self.wanted.emit(Station.PLAN)
        return self.plan.model

    def _save_plan(self) -> None:
        self.to_plan().saving.emit()

    @Slot(object)
    def take_phase(self, phase: Phase) -> None:
        """Follow the build."""
        self.phase = phase
        self.phase_changed.emit(phase)

    @Slot(object)
    def see(self, snapshot: Snapshot) -> None:
        """Update the notices of stations that are in use, or have something to say of ``snapshot``."""
        for station in Station:
            if station in self._parts or station.kind.minds(snapshot):
                self.parts(station).see(snapshot)

    def leftovers(self, station: Station) -> Leftovers:
        """Return what is left of ``station``, once looked for."""
        if station not in self._left:
            if not self._left:
                self.session.connection_changed.connect(self._look_on)
            self._left[station] = load(station.kind.leftovers)(self)
            self._look_on_with(self._left[station], self.session.connection)
        return self._left[station]

    @Slot()
    def look_back(self) -> None:
        """Look for what earlier runs of the program left."""
        for station in Station:
            if station.kind.leftovers:
                self.leftovers(station).look_back()

    def close(self) -> None:
        """Leave nothing behind: the window is closed on purpose."""
        for left in self._left.values():
            left.close()

    @Slot(object)
    def _look_on(self, connection: Connection) -> None:
        for left in self._left.values():
            self._look_on_with(left, connection)

    def _look_on_with(self, left: Leftovers, connection: Connection) -> None:
        if connection.state is ConnectionState.CONNECTED:
            left.take_connection(connection)

    def work(self) -> Work:
        """Return the window's present work."""
        arrays = (array.name for array in self.session.snapshot.arrays if array.running)
        return Work(tuple(self._stakes()), tuple(arrays) if self.session.has_own_practice else None)

    def _stakes(self) -> Iterator[Stake]:
        for left in self._left.values():
            yield from left.stakes()
        for station in Station:
            if station in self._parts:
                yield from self._parts[station].stakes()
