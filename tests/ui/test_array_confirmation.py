"""The question before an array is stopped or taken apart: its keyboard, and its reason where md wouldn't start it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.values import Array, Lack
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.acts import Act
from raidwright.ui.stations.arrays.model import ArraysModel
from raidwright.ui.window import MainWindow

from .fake_session import PRACTICE, FakeSession
from .test_arrays import TANK, _have

_DEGRADED = replace(TANK, level="raid6", degraded=1, lacks=(Lack(1),), sync_action="resync", slots=4)


def _asked(window: MainWindow, session: FakeSession, array: Array, act: Act) -> ArraysModel:
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    _have(session, array)
    window.stations.arrays.model.open(array, act)
    return window.stations.arrays.model


def test_each_question_gets_the_keyboard_also_in_the_place_of_another(window: MainWindow, session: FakeSession) -> None:
    model = _asked(window, session, TANK, Act.TAKE_APART)
    name, other = window.findChild(QLineEdit, "arrays-name"), window.findChild(QPushButton, "arrays-leave")
    assert name is not None
    assert other is not None
    assert name.hasFocus()
    other.setFocus()
    model.type_name("ta")
    assert other.hasFocus()  # not while the same question stands
    model.open(TANK, Act.STOP)
    assert name.hasFocus()
    assert not name.text()


@pytest.mark.parametrize("stays", [True, False])
def test_what_md_would_not_start_again_can_not_be_stopped(
    window: MainWindow, session: FakeSession, stays: bool
) -> None:
    array = replace(_DEGRADED, facts=ArrayFacts(stays_stopped=stays))
    model = _asked(window, session, array, Act.STOP)
    model.type_name("tank")
    go, why = window.findChild(QPushButton, "arrays-go"), window.findChild(QLabel, "arrays-why-not")
    assert go is not None
    assert why is not None
    assert go.isEnabled() != stays
    assert ("Leave the computer on until the resync has ended" in why.text()) == stays
