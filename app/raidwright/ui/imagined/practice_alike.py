"""A practice machine with disks like the planned ones, and the plan's move to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.imagined import is_imagined, kind_of, pool_text
from raidwright.core.errors import InputError
from raidwright.core.model.disk import Disk
from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.operations.practice import practice_room
from raidwright.session import Session
from raidwright.text.catalogue import translated
from raidwright.ui.stations.disks.model import DisksModel


class PracticeAlike(QObject):
    """Starts a practice machine with disks like the chosen ones, which then take their places in the plan.

    ``confirm(go)`` calls ``go``, after a question if work on the present machine would be lost. ``list_wanted`` asks
    for the shopping list; ``changed`` follows the state.
    """

    changed = Signal()
    list_wanted = Signal()

    def __init__(
        self, session: Session, disks: DisksModel, confirm: Callable[[Callable[[], object]], object], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._disks, self._confirm = session, disks, confirm
        self._moving: tuple[Disk, ...] = ()  # the planned disks, while the machine starts
        self.failure = ""
        disks.chosen_changed.connect(self._chosen)
        session.connection_changed.connect(self._follow)
        session.snapshot_changed.connect(self._look)

    @property
    def imagined(self) -> tuple[Disk, ...]:
        """The chosen disks that are imagined."""
        return tuple(disk for disk in self._disks.chosen if is_imagined(disk.id))

    @property
    def is_starting(self) -> bool:
        """True while the plan waits for the practice machine's disks."""
        return bool(self._moving)

    @Slot()
    def begin(self) -> None:
        """Start the machine, unless no practice machine can have such disks."""
        disks = self._disks.chosen
        spec = PracticeSpec(pool_text(disks).replace("-plp", ""))  # practice disks flush as SSDs without protection
        try:
            practice_room().check(spec)
        except InputError as error:
            self.failure = translated(error.sentence)
            self.changed.emit()
        else:
            self._confirm(lambda: self._start(disks, spec))

    def _start(self, disks: tuple[Disk, ...], spec: PracticeSpec) -> None:
        self._moving, self.failure, self._disks.is_moving = disks, "", True
        self._session.start_practice(spec)
        self.changed.emit()

    @Slot(object)
    def _follow(self, connection: Connection) -> None:
        """Stop waiting if the start failed, or if the user turned to another machine."""
        if not self._moving:
            return
        if connection.state is ConnectionState.FAILED or not connection.is_practice:
            self.failure = translated(connection.sentence)
            self._end()

    @Slot(object)
    def _look(self, snapshot: Snapshot) -> None:
        """Move the plan once every disk of the new machine is there."""
        free = sorted(
            (disk for disk in snapshot.disks if disk.is_free), key=lambda disk: (len(disk.device), disk.device)
        )
        connection = self._session.connection
        is_here = connection.is_practice and connection.state is ConnectionState.CONNECTED
        if self._moving and is_here and len(free) >= len(self._moving):
            places = _places(self._moving, free)
            self._end()
            self._disks.move(places)

    @Slot()
    def _chosen(self) -> None:
        self.failure = ""
        self.changed.emit()

    def _end(self) -> None:
        self._moving, self._disks.is_moving = (), False
        self.changed.emit()


def _places(planned: tuple[Disk, ...], free: list[Disk]) -> tuple[tuple[Disk, Disk], ...]:
    """Return each planned disk with the free one nearest to it in size and kind."""
    left, pairs = list(free), []
    for disk in planned:
        nearest = min(left, key=lambda one: (abs(one.size_bytes - disk.size_bytes), kind_of(one) != kind_of(disk)))
        left.remove(nearest)
        pairs.append((disk, nearest))
    return tuple(pairs)
