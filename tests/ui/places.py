"""The window's places for tests: every station, with its content at different times."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QPushButton
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit.pictures import compare, measure, measure_suite, plan_raid10_far, show_assumptions, stand


def press(window: MainWindow, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None
    button.click()


def settle() -> None:
    """Process all deferred events."""
    for _round in range(6):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def nothing_chosen(window: MainWindow) -> None:
    window.show_station(Station.DISKS)


def disks(window: MainWindow) -> None:
    plan_raid10_far(window)
    window.show_station(Station.DISKS)


def asking_for_practice(window: MainWindow) -> None:
    disks(window)
    window.disks.ask_for_practice()


def buying(window: MainWindow) -> None:
    disks(window)
    press(window, "disks-buying")
    press(window, "buying-add")


def plan(window: MainWindow) -> None:
    plan_raid10_far(window)
    window.show_station(Station.PLAN)


def explained(window: MainWindow) -> None:
    plan(window)
    press(window, "explain-level")


def replay(window: MainWindow) -> None:
    plan(window)
    press(window, "stage-replay")


def groups(window: MainWindow) -> None:
    plan(window)
    press(window, "nested-raid1")


def all_findings(window: MainWindow) -> None:
    plan(window)
    press(window, "plan-findings-more")


def loss(window: MainWindow) -> None:
    plan(window)
    show_assumptions(window)


def each_disk(window: MainWindow) -> None:
    loss(window)
    press(window, "loss-assumed-of-each")


def back_from_loss(window: MainWindow) -> None:
    loss(window)
    press(window, "loss-back")


def speeds(window: MainWindow) -> None:
    plan(window)
    press(window, "speed-details")


def speeds_as_table(window: MainWindow) -> None:
    speeds(window)
    press(window, "speeds-as-table")


def prove(window: MainWindow) -> None:
    plan_raid10_far(window)
    window.show_station(Station.PROVE)


def build(window: MainWindow) -> None:
    plan_raid10_far(window)
    window.stations.build.model.type_name("tank")
    window.show_station(Station.BUILD)


def built(window: MainWindow) -> None:
    plan_raid10_far(window)
    stand(window)
    window.show_station(Station.BUILD)


def measured(window: MainWindow) -> None:
    plan_raid10_far(window)
    stand(window)
    measure(window)
    window.show_station(Station.MEASURE)


def suite_measured(window: MainWindow) -> None:
    measured(window)
    measure_suite(window)


def as_table(window: MainWindow) -> None:
    measured(window)
    press(window, "measure-as-table")


def comparing(window: MainWindow) -> None:
    measured(window)
    compare(window)


def compared_as_table(window: MainWindow) -> None:
    comparing(window)
    press(window, "compare-as-table")


PLACES: tuple[Callable[[MainWindow], None], ...] = (
    nothing_chosen,
    disks,
    asking_for_practice,
    buying,
    plan,
    explained,
    replay,
    groups,
    all_findings,
    loss,
    each_disk,
    back_from_loss,
    speeds,
    speeds_as_table,
    prove,
    build,
    built,
    measured,
    suite_measured,
    as_table,
    comparing,
    compared_as_table,
)
