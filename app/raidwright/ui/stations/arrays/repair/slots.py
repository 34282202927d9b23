"""The array's slots, a line each: members, missing ones, and those that must not be pulled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QPushButton, QRadioButton, QWidget

from raidwright.core.messages import say
from raidwright.core.model.plan import Member
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import ArrayDevice
from raidwright.text.array import condition as words
from raidwright.text.array.empty_slots import slots_label
from raidwright.text.array.sync_actions import is_first_sync
from raidwright.text.catalogue import decimal_size, ntr, tr
from raidwright.text.disk.bays import place_words
from raidwright.text.disk.facts import disk_name
from raidwright.text.shown import Tone
from raidwright.ui.tokens import SPACE_L, SPACE_S, SPACE_XS
from raidwright.ui.widgets.panel import badge, button, clear, label, row

from .model import RepairModel, RepairStage


class _Line(NamedTuple):
    """A slot's line. ``leaver`` is set for a member that can be chosen for replacement."""

    place: str
    disk: str
    link: str
    states: tuple[tuple[str, Tone], ...]
    leaver: Member | None = None
    shown: Member | None = None  # the disk that can be shown, if it is plugged in


class Slots(QWidget):
    """The slots of ``model.array``; while none is missing a member can be chosen for replacement."""

    def __init__(self, model: RepairModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("repair-slots")
        self._model = model
        self._shown: tuple[_Line, ...] = ()
        self._group = QButtonGroup(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(SPACE_XS)
        self._grid.setColumnStretch(4, 1)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        array = self._model.array
        if array is None:
            return
        lines = tuple(self._lines(array))
        if lines != self._shown:
            self._shown = lines
            clear(self._grid)
            for number, line in enumerate(lines):
                self._add(number, line)
        for choice in self._group.buttons():
            chosen = self._model.leaver
            is_chosen = bool(chosen and chosen.member and choice.objectName() == f"leaver-{_key(chosen.member)}")
            if choice.isChecked() != is_chosen:
                choice.setChecked(is_chosen)

    def _add(self, number: int, line: _Line) -> None:
        first = self._choice(line, line.leaver) if line.leaver else label(line.place, "dim")
        states = row(*(badge(text, tone) for text, tone in line.states), spacing=SPACE_S)
        states.addStretch(1)
        self._grid.addWidget(first, number, 0)
        self._grid.addWidget(label(line.disk, name=f"slot-{number}-disk"), number, 1)
        self._grid.addWidget(label(line.link, "dim"), number, 2)
        if line.shown is not None:
            states.insertWidget(states.count() - 1, self._way_to_show(line, line.shown))
        self._grid.addLayout(states, number, 3, 1, 2)

    def _way_to_show(self, line: _Line, member: Member) -> QPushButton:
        show = button(tr("Show it"), f"locate-{_key(member)}", hint=tr("By its bay's light, or by reads"))
        show.setAccessibleName(tr("Show {disk}", disk=line.disk))
        show.clicked.connect(lambda: self._model.locating.show(member.disk or member.id))
        return show

    def _choice(self, line: _Line, leaver: Member) -> QRadioButton:
        choice = QRadioButton(line.place)
        choice.setObjectName(f"leaver-{_key(leaver)}")
        choice.setAccessibleName(tr("Replace {disk}", disk=line.disk))
        choice.clicked.connect(lambda: self._model.let_go(leaver.id))
        self._group.addButton(choice)
        return choice

    def _lines(self, array: State) -> Iterator[_Line]:
        lost = {lack.slot: lack for lack in array.lacks}
        may_go = not lost and self._model.stage is RepairStage.CHOOSE
        for slot in range(array.slots):
            here = [place for place in array.places if place.slot == slot and not place.has_failed]
            place = tr("disk {n}", n=slot + 1) if isinstance(array, Volume) else tr("slot {n}", n=slot)
            for one in here:
                leaver = one.member if may_go and one.works else None
                yield _Line(
                    place, _disk(one), _where(one), tuple(self._states(array, one)), leaver, self._here(one.member)
                )
            if slot in lost and not here and not array.has_open_slots:
                last = lost[slot].last
                is_there = words.failed(array, lost[slot])
                who = _named(last.member) if last else tr("not seen since this window opened")
                how = tr("failed: pull this one") if is_there else tr("gone")
                shown = self._here(last.member) if last and is_there else None
                link = place_words(last) if last else ""
                yield _Line(place, who, link, ((f"✕ {how}", "bad"),), shown=shown)
        if array.has_open_slots:
            unseen = tr("not seen since this window opened")
            yield _Line(slots_label(lost), unseen, "", ((tr("empty"), "info"),))
        awaited = {place.device: slot for slot, place in words.awaited(array).items()}
        known = {lack.last.member.id for lack in array.lacks if lack.last}
        for one in array.places:
            if one.has_failed and not (one.member and one.member.id in known):
                yield _Line(tr("out"), _disk(one), _where(one), ((tr("✕ failed: can be pulled"), "bad"),))
            elif one.is_spare:
                next_slot = awaited.get(one.device)
                how = tr("spare, waiting") if next_slot is None else tr("takes slot {slot} next", slot=next_slot)
                yield _Line(tr("spare"), _disk(one), _where(one), ((how, "info"),))

    def _here(self, member: Member | None) -> Member | None:
        """Return the member if its disk is plugged in."""
        return member if member and self._model.locating.disk_of(member.disk or member.id) else None

    def _states(self, array: State, place: ArrayDevice) -> Iterator[tuple[str, Tone]]:
        if place.is_coming:
            if is_first_sync(array):
                yield tr("⟳ parity is written, {share:.0%}", share=array.sync_fraction), "info"
                return
            replaces = "replacement" in place.states
            text = say("⟳ copied onto, {share:.0%}") if replaces else say("⟳ rebuilt, {share:.0%}")
            yield tr(text, share=array.sync_fraction), "warn"
            return
        yield tr("✓ works"), "good"
        if "want_replacement" in place.states:
            yield tr("is being replaced"), "info"
        if sectors := words.unreadable_sectors(array, place):
            yield ntr("{count} unreadable sector", "{count} unreadable sectors", sectors), "bad"
        if words.is_degraded(array) and place in words.needed(array):
            yield tr("do not pull"), "bad"


def _key(member: Member) -> str:
    return member.serial or member.id


def _named(member: Member) -> str:
    return f"{disk_name(member)} · {decimal_size(member.size_bytes)}"


def _disk(place: ArrayDevice) -> str:
    return _named(place.member) if place.member else place.device


def _where(place: ArrayDevice) -> str:
    return " · ".join(filter(None, (place_words(place), place.device.removeprefix("/dev/"))))
