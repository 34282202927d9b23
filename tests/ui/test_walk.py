"""The walk: a first visit to Plan leads to a plan, by clicks as by keys, and nothing that was chosen is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot
from raidwright.analysis.advice.walk import Purpose, with_purpose
from raidwright.analysis.assessment import assess
from raidwright.analysis.imagined import imagined_disks
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.walk.card import ChoiceCard
from raidwright.ui.stations.plan.walk.content import content_of
from raidwright.ui.stations.plan.walk.model import WalkModel
from raidwright.ui.stations.plan.walk.page import WalkPage
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession
from .places import settle

_MAX_CLICKS = 5  # from the disks to a chosen plan


@pytest.fixture
def settings(tmp_path: Path) -> SettingsStore:
    return SettingsStore(QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def window(session: FakeSession, settings: SettingsStore, qtbot: QtBot) -> MainWindow:
    """The window of somebody who has been welcomed, and sees Plan for the first time."""
    settings.greeted()
    window = MainWindow(session, settings)
    qtbot.addWidget(window)
    window.show()
    session.reach(PRACTICE)
    session.show(sample.machine())
    with qtbot.waitActive(window):
        window.activateWindow()
    return window


def _seen(window: MainWindow, name: str) -> QWidget | None:
    settle()
    return next((one for one in window.findChildren(QWidget, name) if one.isVisible()), None)


def _click(window: MainWindow, qtbot: QtBot, name: str) -> None:
    part = _seen(window, name)
    assert part is not None, name
    qtbot.mouseClick(part, Qt.MouseButton.LeftButton)


def _question(window: MainWindow) -> str:
    label = _seen(window, "walk-question")
    return label.text() if isinstance(label, QLabel) else ""


def _focused(window: MainWindow) -> str:
    settle()
    focus = QApplication.focusWidget()
    return focus.objectName() if focus is not None else ""


def _press_key(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> None:
    settle()
    focus = QApplication.focusWidget()
    assert focus is not None
    qtbot.keyClick(focus, key)


def _plan(window: MainWindow) -> Plan:
    plan = window.plan.draft.plan
    assert plan is not None
    return plan


def test_five_clicks_lead_from_the_disks_to_a_chosen_plan(
    window: MainWindow, settings: SettingsStore, qtbot: QtBot
) -> None:
    ways = (
        "disks-next",  # all free disks, as none is chosen
        "walk-choice-2",
        "walk-choice-files",
        "walk-choice-yes",
        "walk-choice-ours",
    )
    assert len(ways) == _MAX_CLICKS
    for name in ways:
        _click(window, qtbot, name)
    assert _plan(window).array.level is Level.RAID6
    assert _question(window) == "Your plan: RAID 6"
    assert settings.wants_walk  # until it ends
    _click(window, qtbot, "walk-choice-128")
    assert _seen(window, "walk-page") is None
    assert _plan(window).array.chunk_kib == 128
    assert not settings.wants_walk
    assert _focused(window) == "plan-next"


def test_the_cockpit_has_what_the_walk_was_told(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    for name in ("2", "machines", "yes", "ours", "64"):
        _click(window, qtbot, f"walk-choice-{name}")
    wishes = window.plan.wishes
    assert wishes is not None
    assert with_purpose(wishes, Purpose.MACHINES) == wishes
    survive = _seen(window, "must-survive-2")
    assert isinstance(survive, QPushButton)
    assert survive.isChecked()
    grow = _seen(window, "wish-will_grow")
    assert isinstance(grow, QCheckBox)
    assert grow.isChecked()
    random = _seen(window, "wish-random")
    assert isinstance(random, QSlider)
    assert random.value() == wishes.random == 90
    random.setValue(10)
    settle()
    _click(window, qtbot, "plan-walk")  # and the other way round
    assert _focused(window) == "walk-choice-2"
    assert window.plan.wishes is not None
    assert window.plan.wishes.random == 10
    window.plan.undo()
    _click(window, qtbot, "walk-skip")
    assert _plan(window).array.chunk_kib == 512  # the pick and its chunk are one step


def test_keys_alone_lead_to_a_plan(window: MainWindow, settings: SettingsStore, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    assert _focused(window) == "walk-choice-2"  # what is recommended
    _press_key(window, qtbot, Qt.Key.Key_Left)
    assert _focused(window) == "walk-choice-1"
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right):
        _press_key(window, qtbot, key)
    assert _focused(window) == "walk-choice-0"  # around
    _press_key(window, qtbot, Qt.Key.Key_Left)
    _press_key(window, qtbot, Qt.Key.Key_Left)
    _press_key(window, qtbot, Qt.Key.Key_Return)
    assert _question(window) == "What is it for?"
    assert _focused(window) == "walk-choice-files"
    _press_key(window, qtbot, Qt.Key.Key_Space)
    assert _focused(window) == "walk-choice-yes"
    _press_key(window, qtbot, Qt.Key.Key_Right)
    for key in (Qt.Key.Key_Enter, Qt.Key.Key_Return, Qt.Key.Key_Return):
        _press_key(window, qtbot, key)
    assert _plan(window).array.level is Level.RAID6
    assert not settings.wants_walk
    assert _focused(window) == "plan-next"


def test_back_keeps_what_was_chosen(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    for name in ("1", "mixed", "no"):
        _click(window, qtbot, f"walk-choice-{name}")
    for name, question in (("no", "Will you add disks one day?"), ("mixed", "What is it for?"), ("1", "How many")):
        _click(window, qtbot, "walk-back")
        assert _question(window).startswith(question)
        assert _focused(window) == f"walk-choice-{name}"
        card = _seen(window, f"walk-card-{name}")
        assert isinstance(card, ChoiceCard)
        assert card.property("card") == "chosen"
    _click(window, qtbot, "walk-back")
    assert _seen(window, "disks-table") is not None
    window.show_station(Station.PLAN)
    assert _focused(window) == "walk-choice-1"


def test_whoever_skips_isnt_led_again_but_may_ask(
    window: MainWindow, settings: SettingsStore, session: FakeSession, qtbot: QtBot
) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    _click(window, qtbot, "walk-skip")
    assert _seen(window, "candidates-table") is not None
    assert not settings.wants_walk
    again = MainWindow(session, settings)
    qtbot.addWidget(again)
    again.show()
    session.show(sample.machine())
    again.disks.choose_all()
    again.show_station(Station.PLAN)
    assert _seen(again, "walk-page") is None
    _click(again, qtbot, "plan-walk")
    assert _question(again).startswith("How many")
    assert _focused(again).startswith("walk-choice-")


def test_what_a_choice_means_is_said_and_heard(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    assert _seen(window, "walk-meaning") is None
    _click(window, qtbot, "walk-ask")
    meaning = _seen(window, "walk-meaning")
    assert isinstance(meaning, QLabel)
    assert "An array is no backup" in meaning.text()
    choice = _seen(window, "walk-choice-2")
    assert choice is not None
    assert choice.accessibleName() == "Any two: Choose: any two"
    said = choice.accessibleDescription()
    assert said.startswith("recommended. Keeps 16.0 TB of 32.0 TB. Everything lost within 5 years: under 1 in ")
    page = _seen(window, "walk-page")
    assert page is not None
    assert page.accessibleName() == _question(window)


def test_what_may_grow_is_pictured_by_a_layout_that_can(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.edit(lambda plan: plan.on(replace(plan.array, level=Level.RAID10, layout="f2")))  # no layout to grow
    for name in ("1", "machines"):
        _click(window, qtbot, f"walk-choice-{name}")
    model = window.findChild(WalkModel)
    assert isinstance(model, WalkModel)
    grown, still = (card.plan for card in content_of(model).cards)
    assert grown is not None
    assert still is not None
    assert [one.possible for one in assess(grown).possibilities if one.change == "more-members"] == [True]
    assert len(grown.array.members) == len(still.array.members) + 1


def test_all_of_a_card_is_its_button(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    _click(window, qtbot, "walk-card-1")
    assert _question(window) == "What is it for?"
    assert window.plan.wishes is not None
    assert window.plan.wishes.must_survive == 1


@pytest.mark.parametrize(
    ("pool", "choices", "picks"),
    [("2x4TB", 2, 2), ("24x8TB", 4, 2), ("2x8TB+1x12TB", 3, 3), ("4x8TB", 4, 3)],
)
@pytest.mark.parametrize("size", [(1024, 700), (1440, 900)])
def test_imagined_disks_are_led_too_and_every_button_is_in_sight(
    window: MainWindow, qtbot: QtBot, pool: str, choices: int, picks: int, size: tuple[int, int]
) -> None:
    window.resize(*size)
    window.disks.imagine(imagined_disks(pool))
    window.show_station(Station.PLAN)
    for name, count in (("", choices), ("1", 3), ("files", 2), ("no", picks), ("ours", None)):
        if name:
            _click(window, qtbot, f"walk-choice-{name}")
        settle()
        cards = [card for card in window.findChildren(ChoiceCard) if card.isVisible()]
        assert count is None or len(cards) == count
        page = window.findChild(WalkPage)
        assert page is not None
        for card in cards:
            foot = card.choose.mapTo(page, card.choose.rect().bottomRight())
            back = _seen(window, "walk-back")
            assert back is not None
            assert foot.y() <= back.y(), card.objectName()
            assert foot.x() <= page.width()


def test_a_plan_that_is_opened_is_shown_without_questions(
    window: MainWindow, settings: SettingsStore, qtbot: QtBot
) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    assert _seen(window, "walk-page") is not None
    window.plan.open(_plan(window), is_anew=False)
    assert _seen(window, "walk-page") is None
    assert _seen(window, "plan-next") is not None
    assert settings.wants_walk  # for the next array


def test_what_no_layout_meets_is_said_with_the_way_on(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.imagine(imagined_disks("2x4TB"))
    window.show_station(Station.PLAN)
    for name in ("1", "files", "yes"):
        _click(window, qtbot, f"walk-choice-{name}")
    window.stations.plan.model.wishes = None
    station = _seen(window, "plan-station")
    assert station is not None
    ranking = station._ranking  # type: ignore[attr-defined]
    ranking.wish(must_survive=3)
    assert _question(window) == "Nothing fits all of that"
    hint = _seen(window, "walk-hint")
    assert isinstance(hint, QLabel)
    assert hint.text()
    assert _seen(window, "walk-back") is not None
    assert _seen(window, "walk-skip") is not None
