"""Each station is whole by itself: a folder with its value, its parts and page, and a page of the guide."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from raidwright.lazy import Lazy
from raidwright.machine.values import Snapshot
from raidwright.resources import document
from raidwright.text.catalogue import translated
from raidwright.ui.frame.leaving import LeavingWay, Work
from raidwright.ui.help.documents import OF_STATION
from raidwright.ui.station import Loss, Stake, Station, StationKind, StationParts, load
from raidwright.ui.window import MainWindow

FOLDER = Path(__file__).parents[2] / "app/raidwright/ui/stations"
MAX_OWN_MODULES = (
    167  # of 1,000 or so; it may only fall: the window's frame, the Disks station, and what reads a machine
)


def test_each_folder_is_a_station() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/__init__.py")}
    without_folder = {station for station in Station if station.folder not in folders}
    assert not without_folder
    assert not folders - {station.folder for station in Station}, "which no Station names"


@pytest.mark.parametrize("station", Station)
def test_a_station_lacks_nothing(station: Station) -> None:
    assert (FOLDER / station.folder / "station.py").is_file(), "says what the window has to know of it"
    kind, lacks = station.kind, set[str]()
    assert isinstance(kind, StationKind)
    if kind.icon().boundingRect().isEmpty() or not QRectF(0, 0, 20, 20).contains(kind.icon().boundingRect()):
        lacks.add("an icon within 20 × 20")
    if not document(OF_STATION[station]).is_file():
        lacks.add(f"its page of the guide, {OF_STATION[station]}")
    parts = load(kind.parts)
    if not issubclass(parts, StationParts) or not isinstance(vars(parts).get("model"), Lazy):
        lacks.add("parts with a model")
    assert kind.parts.startswith(own := f"raidwright.ui.stations.{station.folder}.")
    assert kind.leftovers.startswith(own if kind.leftovers else "")
    if kind.leftovers and not callable(load(kind.leftovers)):
        lacks.add("its leftovers")
    assert not lacks
    assert kind.minds(Snapshot()) is False, "on a machine without anything it has no notice"


def test_no_two_stations_look_alike() -> None:
    assert len({translated(station.kind.title) for station in Station}) == len(Station)
    assert len({station.kind.icon().toFillPolygon().boundingRect().center().toTuple() for station in Station}) > 1


@pytest.mark.parametrize("station", Station)
def test_a_station_opens_and_has_nothing_at_stake(window: MainWindow, station: Station) -> None:
    window.show_station(station)
    page = window.stations.parts(station).page
    assert page.isVisible()
    assert page.objectName() == f"{station}-station"
    assert not list(window.stations.parts(station).stakes())
    assert window.stations.made(station) is not None
    assert window.close()


def test_what_stations_have_at_stake_is_told_once_and_in_order() -> None:
    stakes = (Stake(Loss.CHANGE, "1 is built"), Stake(Loss.PLAN, "2."), Stake(Loss.CHANGE, "3 is done"))
    there, practice = Work(stakes, None), Work(stakes, ())
    assert [said[:10] for said in there.lost_by(LeavingWay.CLOSE).values()] == ["2.", "1 is built"]
    assert list(practice.lost_by(LeavingWay.TURN)) == [Loss.CHANGE]
    assert list(there.lost_by(LeavingWay.OPEN).values()) == ["2."]


_START = """import sys
from PySide6.QtWidgets import QApplication
app = QApplication(["raidwright", "-platform", "offscreen"])
from raidwright.loop_thread import LoopThread
from raidwright.ui import application
from raidwright.ui.window import MainWindow
window = MainWindow(application.session_on(LoopThread()))
window.show()
app.processEvents()
print(*(name for name in sys.modules if name.startswith("raidwright") or name in ("numpy", "pyqtgraph")))
window.close()
"""


def test_the_start_loads_the_first_station_alone() -> None:
    argv = [sys.executable, "-c", _START]
    modules = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    others = tuple(f"raidwright.ui.stations.{station.folder}." for station in Station if station is not Station.DISKS)
    values = {f"{folder}station" for folder in others}
    assert not {name for name in modules if name.startswith(others)} - values
    assert not {"numpy", "pyqtgraph"}.intersection(modules)
    assert len(modules) <= MAX_OWN_MODULES
