"""An array whose members parted, and a former member with data of its own: told with dates, chosen, never mixed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QRadioButton
from pytestqt.qtbot import QtBot
from raidwright.core.md.histories import History
from raidwright.core.protocol.facts import CameBack
from raidwright.machine.array_json import array_as_json
from raidwright.machine.values import Array, Former, Lack, Named
from raidwright.operations.arrays import StartArray
from raidwright.text.array.cards import member_lines, next_words
from raidwright.text.array.condition import lack_words
from raidwright.text.array.histories import former_words, to_the_second
from raidwright.text.array.states import state_line
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.actions import ArrayAction, action_words, buttons_of
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_arrays

from .fake_session import PRACTICE, FakeSession

WHEN = 1_795_800_000


def _lacking(former: Former) -> Array:
    """Return a degraded mirror whose slot 1 had the disk ``former``, of which nothing was seen from here."""
    array = sample_arrays.running("tank", 0, 2)
    places = tuple(place for place in array.places if place.slot == 0)
    return replace(array, level="raid1", slots=2, places=places, degraded=1, lacks=(Lack(1),), former=(former,))


def _former(history: History, way: CameBack = CameBack.REBUILDS) -> Former:
    return Former(sample.disk(9).as_member(), "/dev/sdz", 1, WHEN, way, history)


def test_both_halves_are_named_with_their_dates_and_neither_is_out_of_date() -> None:
    array = sample_arrays.parted()
    line = state_line(array)
    assert line.badge == "stopped: two halves to choose from"
    for half in array.halves:
        assert to_the_second(half.updated_s) in line.sentence
    for member in array.members:
        assert member.serial in line.sentence
    assert "out of date" not in line.sentence
    assert buttons_of(array).shown == (ArrayAction.LOOK, ArrayAction.START)
    assert action_words(ArrayAction.LOOK, array) == "Look inside a half, read-only …"
    assert not array.can_start
    plain = array_as_json(array)
    assert plain["state"] == "parted"
    first = {"disks": [array.members[0].id], "events": 8, "updated_s": array.halves[0].updated_s}
    assert plain["halves"][0] == first
    assert "written to on its own" in member_lines(array, {})[1].state


@pytest.mark.parametrize("read_only", [True, False])
def test_a_half_is_started_by_choice(window: MainWindow, session: FakeSession, qtbot: QtBot, read_only: bool) -> None:
    array = sample_arrays.parted()
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=(array,)))
    window.stations.arrays.model.start(array, read_only=read_only)
    go, why = window.findChild(QPushButton, "arrays-go"), window.findChild(QLabel, "arrays-why-not")
    assert go is not None
    assert why is not None
    assert not go.isEnabled()
    assert why.text() == "Choose the half to start it of."
    half = window.findChild(QRadioButton, f"half-{array.members[1].id}")
    assert half is not None
    half.click()
    if not read_only:
        assert not go.isEnabled()
        window.stations.arrays.model.type_name("photos")
    qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    meant = StartArray(Named(array.uuid, "photos"), read_only, missing=True, half=array.members[1].id)
    assert session.record.jobs[-1].arguments[0] == meant


def test_the_former_disk_of_an_empty_slot_is_named_and_offered() -> None:
    array = _lacking(_former(History.BEHIND, CameBack.CAUGHT_UP))
    serial = array.former[0].member.serial
    assert serial in lack_words(array, array.lacks[0])
    assert "has not been seen from here" in lack_words(replace(array, former=()), array.lacks[0])
    [line] = [line for line in member_lines(array, {}) if line.serial == serial]
    assert "take it back" in line.state
    assert "only what changed since is copied" in next_words(array)
    assert action_words(ArrayAction.REPLACE, array) == "Take the disk back …"


@pytest.mark.parametrize(
    ("history", "said"),
    [(History.PARTED, "each holds what the other lacks"), (History.AHEAD, "it is the newer half")],
)
def test_a_half_with_data_of_its_own_is_not_offered_as_a_member_that_catches_up(history: History, said: str) -> None:
    array = _lacking(_former(history, CameBack.CAUGHT_UP))
    told = former_words(array, array.former[0])
    assert said in told
    assert "out of date" not in told
    assert "only what changed since" not in told
    assert "what only it holds is lost" in told
    assert said in next_words(array)
    assert action_words(ArrayAction.REPLACE, array) == "Replace …"
    assert "Its rebuild never ended" in former_words(array, _former(History.REBUILDING))
