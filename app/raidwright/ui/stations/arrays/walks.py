"""The walks on which the station's arrays become bigger: one that runs, or has just ended, is shown again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.growth import GrowthKind
from raidwright.core.md.changes.values import ChangeWish
from raidwright.machine.states.volume import State

from .bigger.model import BiggerModel, BiggerStep, ground_of
from .bigger.page import BiggerPage
from .bigger.parts import Sketch
from .change.dialog import ChangeDialog
from .change.model import ChangeModel
from .model import ArraysModel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class Walks(QObject):
    """The walks of ``model``'s arrays on one ``page``. ``changed`` follows ``is_open``."""

    changed = Signal()

    def __init__(self, model: ArraysModel, sketch: Sketch, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._kept: dict[str, BiggerModel] = {}
        self.is_open = False
        self.page = BiggerPage(sketch)
        self.page.closed.connect(self.close)
        self.page.table_wanted.connect(self.show_table)
        self.page.card_wanted.connect(self._save_card)
        self.page.good_wanted.connect(self._judge)
        self.page.pause_wanted.connect(model.pause)
        self.page.limit_wanted.connect(model.limit_wanted)
        model.bigger_wanted.connect(self.open)
        model.changed.connect(self._follow)

    @Slot(object, object)
    def open(self, array: State, wanted: GrowthKind | ChangeWish | None) -> None:
        """Show the walk of ``array``, from a choice or another change on if one is ``wanted``."""
        kept = self._kept.get(array.uuid)
        if kept is None or not kept.is_running:
            self._drop(array.uuid)
            session, snapshot = self._model.seen
            kind = wanted if isinstance(wanted, GrowthKind) else None
            wish = wanted if isinstance(wanted, ChangeWish) else None
            kept = self._kept[array.uuid] = BiggerModel(session, array, snapshot, self, kind=kind, wish=wish)
        self.is_open = True
        self.page.open(kept, array)
        self.changed.emit()

    @Slot()
    def close(self) -> None:
        """Show the arrays again; what runs goes on."""
        self.is_open = False
        self.changed.emit()

    @Slot(object)
    def show_table(self, array: State) -> None:
        """Show all changes of ``array`` as a table, in a dialog."""
        session, snapshot = self._model.seen
        dialog = ChangeDialog(ChangeModel(session, array, snapshot), self.page)
        dialog.card_wanted.connect(self._save_card)
        dialog.open()

    @Slot(str)
    def _save_card(self, uuid: str) -> None:
        if (changed := self._now(uuid)) is not None:
            self._model.card_wanted.emit(changed)

    @Slot(str)
    def _judge(self, uuid: str) -> None:
        if (changed := self._now(uuid)) is not None:
            self.close()
            self._model.good_wanted.emit(changed)

    def _now(self, uuid: str) -> State | None:
        return next((one for one in self._model.arrays if one.uuid == uuid), None)

    @Slot()
    def _follow(self) -> None:
        shown = self.page.model
        if not self.is_open or shown is None:
            return
        now = self._now(shown.array.uuid)
        if now is not None and shown.step is BiggerStep.WAY and ground_of(now, self._model.seen[1]) != shown.ground:
            self.open(now, None)  # a disk was plugged in, or md is done with what it did
        elif now is not None:
            self.page.see(now)
        elif not shown.is_running and not shown.ended[0]:  # another machine, or the array has gone
            self.close()

    def _drop(self, uuid: str) -> None:
        if (old := self._kept.pop(uuid, None)) is not None:
            self.page.forget(old)
            old.deleteLater()
