"""A bug report has what a maintainer needs and, unless requested, names no disk, person or machine."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from raidwright.log import last_lines
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.operations.software import Software
from raidwright.text.reports.bug import Around, bug_report

from tests.kit import sample

AROUND = Around("Qt 6.9.0, PySide6 6.9.0", "GNOME wayland", "de_DE", ("2560×1440 at 150%",))
SOFTWARE = Software("0.1.0", "6.12.1", "mdadm - v4.4", "[raid1] [raid6]")
HERE = Connection("This computer", state=ConnectionState.CONNECTED)
MACHINE = replace(sample.machine(), arrays=(sample.array(10**12, degraded=1, name="holiday-pictures"),))
SECRETS = [word for disk in MACHINE.disks for word in (disk.serial, disk.id, disk.wwn) if word]


def _report(*log: str, connection: Connection = HERE, with_serials: bool = False) -> str:
    return bug_report(AROUND, SOFTWARE, connection, MACHINE, log, with_serials=with_serials)


def test_it_has_the_versions_the_disks_the_arrays_and_the_log() -> None:
    report = _report("one line", "another")
    for said in ("helper 0.1.0", "Qt 6.9.0", "Linux 6.12.1; mdadm - v4.4", "[raid1] [raid6]", "2560×1440", "de_DE"):
        assert said in report
    assert all(disk.device in report and disk.model in report for disk in MACHINE.disks)
    assert "/dev/md127: raid10" in report
    assert "1 missing" in report
    assert report.endswith("one line\nanother\n")


def test_it_names_no_disk_unless_that_is_wanted() -> None:
    log = (f"OSError: /dev/disk/by-id/{MACHINE.disks[0].id}", "ata-WDC_GONE_WD-123456 went away", *SECRETS)
    report = _report(*log)
    assert not [word for word in (*SECRETS, "WD-123456") if word in report]
    assert "DISK-1" in report
    wanted = _report(*log, with_serials=True)
    assert all(disk.serial in wanted for disk in MACHINE.disks)
    assert "WD-123456" in wanted


def test_it_names_neither_the_person_nor_the_machine() -> None:
    far = Connection("nas.example.org", state=ConnectionState.CONNECTED, far="ssh://carol@nas.example.org:2222")
    log = (f"{Path.home()}/secret/plan.json", "nas.example.org can't be reached", "ssh carol@nas.example.org")
    report = _report(*log, connection=far, with_serials=True)
    assert not [word for word in (str(Path.home()), "nas.example", "carol", "holiday") if word in report]
    assert "~/secret" in report


_DIE = """
import logging, os, sys, threading
from raidwright import log
from raidwright.core.errors import InputError
log.begin()
logging.getLogger("raidwright.x").warning("a warning")
class Wipe: pass
try:
    with log.noted(Wipe()):
        raise InputError("{disk} is in use.", code="disk-in-use", disk="SERIAL-77")
except InputError:
    pass
def broken(): raise RuntimeError("in a thread")
thread = threading.Thread(target=broken); thread.start(); thread.join()
if sys.argv[1] == "abort":
    os.abort()
raise RuntimeError("at the end")
"""


def _die(state: Path, how: str, **environment: str) -> tuple[str, str]:
    """Return the log and the terminal's output of a program that crashed."""
    path = {"XDG_STATE_HOME": str(state), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", _DIE, how], env=path | environment, stderr=subprocess.PIPE, text=True, check=False
    )
    return "\n".join(last_lines(state / "raidwright" / "window.log")), done.stderr


def test_the_log_has_what_ended_the_program_and_nothing_that_was_filled_in(tmp_path: Path) -> None:
    log, terminal = _die(tmp_path, "raise")
    assert "Wipe failed: disk-in-use: {disk} is in use." in log
    assert "SERIAL-77" not in log
    assert log.count("RuntimeError: in a thread") == terminal.count("RuntimeError: in a thread") == 1
    assert log.count("RuntimeError: at the end") == terminal.count("RuntimeError: at the end") == 1
    assert "a warning" in log
    assert "a warning" in terminal
    assert "Wipe" not in terminal


def test_the_log_has_the_trace_of_a_crash(tmp_path: Path) -> None:
    log, _terminal = _die(tmp_path, "abort")
    assert "Fatal Python error: Aborted" in log


def test_a_log_that_grew_large_begins_anew_and_one_that_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "raidwright"
    folder.mkdir()
    (folder / "window.log").write_text("old\n" * (1 << 18))
    log, _terminal = _die(tmp_path, "raise")
    assert "old" not in log
    assert (folder / "window.log.1").stat().st_size == 1 << 20
    (tmp_path / "file").write_text("")
    log, terminal = _die(tmp_path / "file", "raise")
    assert log == ""
    assert "at the end" in terminal
