"""The choice of a replacement disk: eligible disks, ineligible ones with the reason, and newly attached ones."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from raidwright.machine.joining_disks import JoiningDisk, least_disk_bytes
from raidwright.machine.states.volume import State
from raidwright.text.array import condition as words
from raidwright.text.array.histories import former_words, lost_words
from raidwright.text.catalogue import decimal_size, ended, joined, tr, translated
from raidwright.text.disk.bays import place_words
from raidwright.text.disk.facts import disk_name, holds
from raidwright.ui.removals import RemovalBoxes
from raidwright.ui.tokens import SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import Panel, button, column, label, row

from .model import RepairModel


class RepairForm(Panel):
    """The form: a disk and the array's name."""

    def __init__(self, model: RepairModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Choose the new disk"), parent=parent)
        self.setObjectName("repair-choice")
        self._model = model
        self._lines: dict[str, _Line] = {}
        self._group = QButtonGroup(self)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(SPACE_S)
        self._plug = label("", "dim", name="repair-plug", wrap=True)
        self._means = label("", name="repair-means", wrap=True)
        self._name = NameField(model, "repair-name")
        self._name.returnPressed.connect(model.confirm)
        self._go = button("", "repair-go", primary=True)
        self._go.clicked.connect(model.confirm)
        self._why_not = label("", "dim", name="repair-why-not", wrap=True)
        ways = row(self._name.label(), self._name, self._go, spacing=SPACE_S)
        ways.addWidget(self._why_not, 1)
        self.body.addLayout(self._rows)
        for part in (self._plug, RemovalBoxes(model.removals), self._means):
            self.body.addWidget(part)
        self.body.addSpacing(SPACE_XS)
        self.body.addLayout(ways)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        model, array = self._model, self._model.array
        if array is None:
            return
        self._show_lines(array)
        chosen = model.chosen
        some = any(not one.why_not for one in model.newcomers)
        least_bytes = least_disk_bytes(array, model.leaving)
        least = decimal_size(least_bytes) if least_bytes else ""
        plug = tr("Or plug another one in") if some else tr("No disk here can take its place. Plug one in")
        size = tr(", of at least {size}", size=least) if least else ""
        self._plug.setText(tr("{plug}{size}: it appears here by itself.", plug=plug, size=size))
        self._means.setText(self._what_happens(array, chosen) if chosen else "")
        self._means.setVisible(chosen is not None)
        self._go.setText(self._deed())
        self._go.setAccessibleName(self._go.text())
        self._go.setEnabled(not model.why_not)
        self._why_not.setText(model.why_not)
        self._name.show_typed(array.name)

    def _show_lines(self, array: State) -> None:
        """Update the lines in place: during the choice only added or removed disks add or remove lines."""
        newcomers = {one.disk.id: one for one in self._model.newcomers}
        for gone in self._lines.keys() - newcomers.keys():
            line = self._lines.pop(gone)
            self._group.removeButton(line.radio)
            line.hide()
            line.deleteLater()
        for place, (disk_id, one) in enumerate(newcomers.items()):
            line = self._lines.get(disk_id) or self._add_line(one)
            if self._rows.indexOf(line) != place:
                self._rows.insertWidget(place, line)
            line.show_newcomer(one, self._told(one, array))
            is_chosen = self._model.chosen is not None and self._model.chosen.disk.id == disk_id
            if line.radio.isChecked() != is_chosen:
                line.radio.setChecked(is_chosen)

    def _add_line(self, one: JoiningDisk) -> _Line:
        line = self._lines[one.disk.id] = _Line(one)
        line.radio.clicked.connect(lambda: self._model.choose(one.disk.id))
        self._group.addButton(line.radio)
        return line

    def _told(self, one: JoiningDisk, array: State) -> str:
        failing = tr("SMART overall health FAILED.") if one.disk.health.failing else ""
        return joined(self._what_it_is(one, array), failing)

    def _what_it_is(self, one: JoiningDisk, array: State) -> str:
        if one.goes_on:
            return tr("It is in part of “{name}” already; what is left is done.", name=array.name)
        if one.former:
            return former_words(array, one.former)
        if one.why_not:
            return ended(translated(one.why_not))
        return tr("Nothing recognised on it.") if one.disk.is_free else tr("Holds {what}.", what=holds(one.disk))

    def _deed(self) -> str:
        if self._model.comes_back:
            return tr("Take it back")
        leaver = self._model.leaver
        return tr("Copy onto it") if leaver and leaver.works else tr("Rebuild")

    def _what_happens(self, array: State, chosen: JoiningDisk) -> str:
        new, leaver = disk_name(chosen.disk.as_member()), self._model.leaver
        if self._model.comes_back:
            return tr("{new} goes back to its slot, and what has changed since is copied onto it.", new=new)
        if leaver and leaver.member and leaver.works:
            return tr(
                "All of {new} is overwritten. {old} goes on serving until the copy is whole, so “{name}” is never "
                "short of a disk.",
                new=new,
                old=disk_name(leaver.member),
                name=array.name,
            )
        means = tr(
            "All of {new} is overwritten with what the lost disk held. “{name}” can be used meanwhile.",
            new=new,
            name=array.name,
        )
        former = chosen.former
        lost = lost_words(array, former) if former is not None and former.has_own_data else ""
        return joined(lost, means, words.delay_words(array))


class _Line(QWidget):
    """A disk's line: its radio button and its description."""

    def __init__(self, one: JoiningDisk) -> None:
        super().__init__()
        self.radio = QRadioButton()
        self.radio.setObjectName(f"newcomer-{_key(one)}")
        self._told = label("", "dim", name=f"newcomer-{_key(one)}-told", wrap=True)
        self._told.setContentsMargins(SPACE_M * 2, 0, 0, 0)
        lines = column(self.radio, self._told, spacing=0)
        lines.setContentsMargins(0, 0, 0, 0)
        self.setLayout(lines)

    def show_newcomer(self, one: JoiningDisk, told: str) -> None:
        disk = one.disk
        where = " · ".join(filter(None, (place_words(disk), disk.device.removeprefix("/dev/"))))
        name = disk_name(disk.as_member())
        self.radio.setText(f"{name} · {decimal_size(disk.size_bytes)} · {where}")
        self.radio.setAccessibleName(f"{self.radio.text()}: {told}")
        self.radio.setEnabled(not one.why_not)
        self._told.setText(told)


def _key(one: JoiningDisk) -> str:
    return one.disk.serial or one.disk.id
