"""Every dialog of the program, each with its longest text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QLineEdit, QMenu, QPlainTextEdit, QPushButton
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.protocol.results import RescueVerdict
from raidwright.core.system.workload import Workload
from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.prompts import Asking
from raidwright.machine.prompts import PromptRequest as AskedFor
from raidwright.machine.values import Snapshot
from raidwright.operations.file_sizes import ACTS, FileSizes, FileSizesFound, SizePoint
from raidwright.operations.load import WatchedLoad
from raidwright.operations.software import Software
from raidwright.operations.sweep import Point, SweepProgress, Swept
from raidwright.runs.run import RunResult
from raidwright.ui.alerts.dialog import AlertsDialog
from raidwright.ui.frame.leaving import LeavingQuestion
from raidwright.ui.help.bug_report import BugReportDialog
from raidwright.ui.help.reader import HelpReader
from raidwright.ui.remote.address import AddressDialog
from raidwright.ui.remote.password import PasswordDialog
from raidwright.ui.settings.dialog import SettingsDialog
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.change.dialog import ChangeDialog
from raidwright.ui.stations.arrays.limit import LimitDialog
from raidwright.ui.stations.arrays.rescue.dialog import RescueDialog
from raidwright.ui.stations.disks.bay_name import BayNameDialog
from raidwright.ui.stations.disks.buying.shopping_dialog import ShoppingDialog
from raidwright.ui.stations.measure.file_sizes import FileSizesDialog
from raidwright.ui.stations.measure.scaling import ScalingDialog
from raidwright.ui.stations.measure.sweep import SweepDialog
from raidwright.ui.stations.measure.watching import WatchDialog
from raidwright.ui.stations.plan.paste import PasteDialog
from raidwright.ui.stations.prove.matrix import MatrixDialog
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout
from tests.ui import places, test_alerts, test_change, test_locating, test_rescue, test_scaling
from tests.ui.places import press, settle

from .reaching import asked, find, session_of, trigger


def pasting(window: MainWindow) -> None:
    """A command explained."""
    places.plan(window)
    press(window, "plan-paste")
    text = window.findChild(QPlainTextEdit, "paste-text")
    assert text is not None
    text.setPlainText("mdadm --create /dev/md/media --level=5 -c128 --raid-devices=3 /dev/sda1 /dev/sdb1 /dev/sdc1")
    settle()


def paste_refused(window: MainWindow) -> None:
    """A paste that isn't a command."""
    pasting(window)
    text = window.findChild(QPlainTextEdit, "paste-text")
    assert text is not None
    text.setPlainText("rm -rf /")
    settle()


def sweeping(window: MainWindow) -> None:
    """A sweep that has ended."""
    session_of(window).show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    trigger(window, "measure-more-sweep")
    press(window, "sweep-go")
    done = asked(window, "Sweep").done
    assert done is not None
    rates = {128: 301.0, 256: 402.0, 512: 598.0, 1024: 611.0, 2048: 610.0, 4096: 604.0}
    points = tuple(
        Point(value, tuple(RunResult("buffered_read", 8.0, rate + off, 1.0, 1.0) for off in (-2, 0, 2)))
        for value, rate in rates.items()
    )
    alone = (RunResult("buffered_read", 8.0, 210.0, 1.0, 1.0),)
    done(Swept("read_ahead_kib", Workload.BUFFERED_READ, points, before=128, alone=alone))


def sweep_as_table(window: MainWindow) -> None:
    """The same as a table."""
    sweeping(window)
    press(window, "sweep-as-table")


def file_sizes(window: MainWindow) -> None:
    """Files by size, measured."""
    session_of(window).show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    trigger(window, "measure-more-file-sizes")
    press(window, "file-sizes-go")
    job = asked(window, "FileSizes")
    [order] = job.arguments
    assert isinstance(order, FileSizes)
    assert job.done is not None
    rates = {1: (3, 18), 4: (11, 55), 16: (40, 120), 64: (96, 240), 256: (170, 330), 1024: (190, 350)}
    job.done(FileSizesFound(order.setup, tuple(_sized(size, *both, 410) for size, both in rates.items())))


def _sized(size_mib: int, *rates: int) -> SizePoint:
    results = {act: RunResult(str(act), 1.0, rate, rate) for act, rate in zip(ACTS, rates, strict=True)}
    return SizePoint(size_mib, (results,))


def watching(window: MainWindow) -> None:
    """The load of an array, as a workload."""
    session_of(window).reach(Connection("", state=ConnectionState.CONNECTED))
    session_of(window).show(replace(sample.machine(), arrays=(sample_shootout.array_of(sample.plan()),)))
    window.show_station(Station.MEASURE)
    trigger(window, "measure-more-watch")
    press(window, "watching-go")
    done = asked(window, "WatchLoad").done
    assert done is not None
    done(WatchedLoad(300.0, 31_000, 124_000, 31_000 * 16384, 124_000 * 16384, 140.0, 610.0, 910.0))


def sweep_stopped(window: MainWindow) -> None:
    """A sweep that was ended by closing its dialog, opened again."""
    session_of(window).show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    trigger(window, "measure-more-sweep")
    press(window, "sweep-go")
    job = asked(window, "Sweep")
    assert job.update is not None
    measured = Point(128, (RunResult("buffered_read", 8.0, 301.0, 301.0, 1.0),))
    job.update(SweepProgress("measure", 0.2, 256, (measured, Point(256), Point(512))))
    press(window, "sweep-close")
    job.task.cancelled.emit()
    settle()
    trigger(window, "measure-more-sweep")


def scaling(window: MainWindow) -> None:
    """A scaling that has ended, beside its prediction."""
    _scaling(window)
    press(window, "scaling-go")
    job = asked(window, "Scaling")
    assert job.done is not None
    job.done(test_scaling.scaled(window))


def scaling_planned(window: MainWindow) -> None:
    """A scaling before it begins, with its prediction."""
    _scaling(window)


def _scaling(window: MainWindow) -> None:
    test_scaling.show_array(window, session_of(window))
    trigger(window, "measure-more-scaling")


def shopping(window: MainWindow) -> None:
    """The shopping list of two sizes, without prices."""
    window.disks.forget_imagined()
    press(window, "disks-buying")
    pool = find(window, "buying-pool")
    assert isinstance(pool, QLineEdit)
    pool.setText("4x8TB+2x12TB")
    press(window, "buying-add")
    press(window, "buying-plan")
    window.show_station(Station.BUILD)
    press(window, "ways-on-list")


def matrix(window: MainWindow) -> None:
    """Candidates are made by hand, for many disks."""
    session_of(window).show(sample.many_disks())
    window.disks.choose_all()
    places.prove(window)
    press(window, "prove-more")


def settings(window: MainWindow) -> None:
    """Settings."""
    trigger(window, "menu-settings")


def about(window: MainWindow) -> None:
    """About."""
    trigger(window, "help-about")


def reader(window: MainWindow) -> None:
    """A document."""
    trigger(window, "help-docs/guide/index.md")


def address(window: MainWindow) -> None:
    """Another machine, refused."""
    menu = window.findChild(QMenu, "machine-menu")
    assert menu is not None
    menu.aboutToShow.emit()
    trigger(window, "machine-another")
    field = find(window, "far-address-field")
    assert isinstance(field, QLineEdit)
    field.setText("-oProxyCommand=x")
    press(window, "far-address-go")


def password(window: MainWindow) -> None:
    """A password is asked for, for the second time."""
    question = AskedFor("server", "Authentication is needed to build “tank”.", "carol", "Password:")
    session_of(window).asking_changed.emit(Asking(question._replace(complaint=say("That was not right."))))


def leaving(window: MainWindow) -> None:
    """Leaving with unsaved work."""
    _with_much_to_lose(window)
    window.close()


def leaving_the_machine(window: MainWindow) -> None:
    """Another practice machine instead."""
    _with_much_to_lose(window)
    window.disks.practise(PracticeSpec())


def opening_another(window: MainWindow) -> None:
    """Another plan instead of one that no file has."""
    window.disks.choose_all()
    window.plan.edit_fields(chunk_kib=64)
    planned = window.plan.draft.plan
    assert planned is not None
    window.plan.opening.emit(
        planned.on(replace(planned.array, members=planned.array.members[:2], level=Level.RAID1, chunk_kib=None))
    )


def _with_much_to_lose(window: MainWindow) -> None:
    window.disks.choose_all()
    window.plan.edit_fields(chunk_kib=64)
    session_of(window).has_own_practice = True
    session_of(window).show(replace(sample.machine(), arrays=(sample.array(10**12),)))


def bug_report(window: MainWindow) -> None:
    """A bug report, and the note that it was copied."""
    trigger(window, "help-report")
    done = asked(window, "LookAtSoftware").done
    assert done is not None
    done(Software(helper="0.1.0"))
    press(window, "bug-report-copy")


# What each opens; None where it is Qt's own.
def rescuing(window: MainWindow) -> None:
    """An array whose members fell behind, tried on overlays."""
    session = session_of(window)
    session.show(replace(sample.machine(), arrays=(test_rescue.TANK,)))
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "array-rescue")
    damaged = replace(test_rescue.TRIED, verdict=RescueVerdict.DAMAGED)  # one of its files can't be read
    for answer in (test_rescue.BEHIND, damaged):
        done = session.record.jobs[-1].done
        assert done is not None
        done(answer)
        settle()
        dialog = window.findChild(RescueDialog)
        assert dialog is not None
        attempt = dialog.findChild(QPushButton, "rescue-try")
        assert attempt is not None
        if answer is test_rescue.BEHIND:
            attempt.click()


def rescuing_lost(window: MainWindow) -> None:
    """An array without superblocks, beside others: every order of the disks that are ticked."""
    session = session_of(window)
    session.show(replace(sample.machine(), arrays=(test_rescue.TANK,)))
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "arrays-lost")
    orders = test_rescue.orders({member.id: member for member in test_rescue.MEMBERS[1:]}, test_rescue.REMEMBERED)
    for answer in (test_rescue.LOST, orders):
        done = session.record.jobs[-1].done
        assert done is not None
        done(answer)
        settle()
        if answer is test_rescue.LOST:
            dialog = window.findChild(RescueDialog)
            assert dialog is not None
            asked = dialog.findChild(QPushButton, "rescue-orders")
            assert asked is not None
            asked.click()


def changing(window: MainWindow) -> None:
    """The ways of a raid5 with a free disk beside it."""
    session = session_of(window)
    session.show(Snapshot((test_change.DISKS[3],), (test_change.known_array(),)))
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "array-bigger")
    press(window, "bigger-table")
    done = session.record.jobs[-1].done
    assert done is not None
    done(test_change.GROUND)
    settle()
    dialog = window.findChild(ChangeDialog)
    assert dialog is not None
    box = dialog.findChild(QCheckBox, "change-disk")
    assert box is not None
    box.setChecked(True)
    asked = dialog.findChild(QComboBox, "change-consistency")
    assert asked is not None
    asked.setCurrentIndex(1)
    settle()


def limiting(window: MainWindow) -> None:
    """The limit on a reshape."""
    session = session_of(window)
    reshaped = replace(test_change.known_array(), sync_action="reshape")
    session.show(Snapshot((), (reshaped,)))
    window.show_station(Station.ARRAYS)
    settle()
    trigger(window, "array-limit")


def alerting(window: MainWindow) -> None:
    """The receivers of messages: mail and a webhook that refuses the last message, and another being entered."""
    session = session_of(window)
    session.show(replace(sample.machine(), arrays=(sample.array(10**12),)))
    window.show_station(Station.ARRAYS)
    settle()
    done = session.record.alerts[-1].done
    assert done is not None
    done(replace(test_alerts.BOTH, webhook_failure="The message didn't reach https://ntfy.sh: no answer within 20 s."))
    press(window, "arrays-messages")
    settle()
    dialog = window.findChild(AlertsDialog)
    assert dialog is not None
    url = dialog.findChild(QLineEdit, "alerts-url")
    assert url is not None
    url.setText("https://gotify.example.org/?x=ü")
    url.textEdited.emit(url.text())
    settle()


def naming_a_bay(window: MainWindow) -> None:
    """A bay's name."""
    maker = test_locating.entry(window, "row-bay")
    maker.trigger()
    settle()


DIALOGS: dict[Callable[[MainWindow], None], type[QDialog] | None] = {
    pasting: PasteDialog,
    paste_refused: PasteDialog,
    matrix: MatrixDialog,
    settings: SettingsDialog,
    shopping: ShoppingDialog,
    sweeping: SweepDialog,
    sweep_as_table: SweepDialog,
    sweep_stopped: SweepDialog,
    watching: WatchDialog,
    file_sizes: FileSizesDialog,
    scaling: ScalingDialog,
    scaling_planned: ScalingDialog,
    about: None,
    reader: HelpReader,
    address: AddressDialog,
    password: PasswordDialog,
    leaving: LeavingQuestion,
    leaving_the_machine: LeavingQuestion,
    opening_another: LeavingQuestion,
    bug_report: BugReportDialog,
    rescuing: RescueDialog,
    rescuing_lost: RescueDialog,
    changing: ChangeDialog,
    limiting: LimitDialog,
    alerting: AlertsDialog,
    naming_a_bay: BayNameDialog,
}
