"""The program of mdadm's monitor: its mail, the disk's description, and arguments that it rejects."""

from __future__ import annotations

import asyncio
import email
import email.policy
import errno
import io
import json
import os
from email.message import EmailMessage
from pathlib import Path

import pytest
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.protocol.facts import CheckState
from raidwright.core.sizes import decimal_size
from raidwright_helper.acts import event
from raidwright_helper.acts.alerts import plain
from raidwright_helper.acts.event import Monitored, handle
from raidwright_helper.host import etc_files
from raidwright_helper.host.host import Host
from raidwright_helper.records.checks import Checks

from .helper_house import put_device, put_text

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
ARRAY = "/dev/md/tank"
NUMBER = os.makedev(9, 127)


@pytest.fixture
def monitored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Monitored:
    """A mirror called tank of sda and sdb, mail for root, and a sendmail that stores its input."""
    root = tmp_path / "host"
    put_device(root, "md127", 9, 127, {"size": "2048", "md/level": "raid1", "md/raid_disks": "2", "md/uuid": UUID})
    put_text(root / "run/udev/data/b9:127", f"E:MD_NAME=practice:tank\nE:MD_UUID={UUID}\n")
    for slot, name in enumerate(("sda", "sdb")):
        put_device(root, name, 8, 16 * slot, {"size": "15628053168", "device/x": ""})
        put_text(root / f"run/udev/data/b8:{16 * slot}", f"E:ID_MODEL=WD80EFZX\nE:ID_SERIAL_SHORT=ZHZ{slot}\n")
        _put_member(root, name, slot, "in_sync")
    put_text(root / "etc/mdadm/mdadm.conf", "MAILADDR root\n")
    numbers = {ARRAY: NUMBER, "/dev/sda": os.makedev(8, 0), "/dev/sdb": os.makedev(8, 16)}
    monkeypatch.setattr(Host, "number_of", lambda _host, path: numbers.get(path))
    sendmail = tmp_path / "sendmail"
    put_text(sendmail, f'#!/bin/sh\n[ "$*" = "-t -oi" ] && cat >>{tmp_path}/mail\n')
    sendmail.chmod(0o755)
    return Monitored(Host(root), tmp_path / "state", str(sendmail))


def _put_member(root: Path, name: str, slot: int, state: str) -> None:
    array = root / "sys/block/md127"
    put_text(array / f"md/dev-{name}/slot", str(slot))
    put_text(array / f"md/dev-{name}/state", state)
    (array / "slaves").mkdir(exist_ok=True)
    if not (array / "slaves" / name).exists():
        (array / "slaves" / name).symlink_to(root / "sys/block" / name)


def _lose(monitored: Monitored, name: str) -> None:
    (monitored.host.root / "sys/block/md127/slaves" / name).unlink()


def _tell(monitored: Monitored, *words: str) -> None:
    asyncio.run(handle(monitored, *words))


def _mail(monitored: Monitored) -> EmailMessage | None:
    path = monitored.state.parent / "mail"
    if not path.exists():
        return None
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def test_a_disk_that_is_gone_is_told_by_slot_and_serial(monitored: Monitored) -> None:
    _tell(monitored, "NewArray", ARRAY)
    assert _mail(monitored) is None
    _lose(monitored, "sdb")
    _tell(monitored, "Fail", ARRAY, "/dev/sdb")
    mail = _mail(monitored)
    assert mail is not None
    assert mail["To"] == "root"
    assert mail["Subject"] == f"tank on {os.uname().nodename}: a disk has failed (slot 1: WD80EFZX ZHZ1)"
    text = mail.get_content()
    assert f"Slot 1: WD80EFZX, serial ZHZ1, {decimal_size(15628053168 * 512)} (was /dev/sdb)" in text
    assert "1 of 2 slots has no working disk." in text
    assert UUID in text


@pytest.mark.parametrize(
    ("position", "policy", "stays"), [("4096", "resync", True), ("none", "resync", False), ("4096", "ppl", False)]
)
def test_nobody_is_sent_to_switch_off_an_array_that_would_not_come_back(
    monitored: Monitored, position: str, policy: str, stays: bool
) -> None:
    md = monitored.host.root / "sys/block/md127/md"
    state = {
        "level": "raid6",
        "raid_disks": "4",
        "degraded": "1",
        "resync_start": position,
        "consistency_policy": policy,
    }
    for name, text in state.items():
        put_text(md / name, f"{text}\n")
    for slot, name in ((2, "sdc"), (3, "sdd")):
        put_device(monitored.host.root, name, 8, 16 * slot, {"size": "15628053168", "device/x": ""})
        _put_member(monitored.host.root, name, slot, "in_sync")
    _tell(monitored, "NewArray", ARRAY)
    _lose(monitored, "sdb")
    _tell(monitored, "Fail", ARRAY, "/dev/sdb")
    mail = _mail(monitored)
    assert mail is not None
    assert ("Leave the computer on" in mail.get_content()) == stays


def test_slots_that_never_had_a_disk_are_told_as_such(monitored: Monitored) -> None:
    """The system array of a NAS with a slot for each bay, in a computer that has never seen it whole."""
    put_text(monitored.host.root / "sys/block/md127/md/raid_disks", "32\n")
    _tell(monitored, "DegradedArray", ARRAY)
    mail = _mail(monitored)
    assert mail is not None
    assert mail["Subject"].endswith("some of its slots are empty")
    assert "30 of 32 slots have no working disk." in mail.get_content()
    assert "Makers of NAS keep a slot for each bay" in mail.get_content()
    _lose(monitored, "sdb")
    _tell(monitored, "DegradedArray", ARRAY)
    assert "a disk is missing (slot 1: WD80EFZX ZHZ1)" in (monitored.state.parent / "mail").read_text()


def test_a_disk_lost_while_the_computer_was_off_is_still_known(monitored: Monitored) -> None:
    _tell(monitored, "RebuildFinished", ARRAY)
    _lose(monitored, "sda")
    _tell(monitored, "DegradedArray", ARRAY)
    mail = _mail(monitored)
    assert mail is not None
    assert "a disk is missing (slot 0: WD80EFZX ZHZ0)" in mail["Subject"]


def test_a_disk_that_is_lost_to_two_arrays_of_a_volume_is_told_once(
    monitored: Monitored, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other, volume = monitored.host.root, os.makedev(9, 126), os.makedev(253, 0)
    upper = UUID.replace("0a1b2c3d", "1a1b2c3d")
    put_device(root, "md126", 9, 126, {"size": "2048", "md/level": "raid1", "md/raid_disks": "2", "md/uuid": upper})
    put_text(root / "run/udev/data/b9:126", f"E:MD_NAME=practice:heap-1\nE:MD_UUID={upper}\n")
    put_text(root / "run/udev/data/b9:127", f"E:MD_NAME=practice:heap-0\nE:MD_UUID={UUID}\n")
    array, slaves = root / "sys/block/md126", root / "sys/block/dm-0/slaves"
    for slot, name in enumerate(("sda", "sdb")):
        put_text(array / f"md/dev-{name}/slot", str(slot))
        put_text(array / f"md/dev-{name}/state", "in_sync")
        (array / "slaves").mkdir(exist_ok=True)
        (array / "slaves" / name).symlink_to(root / "sys/block" / name)
    put_device(root, "dm-0", 253, 0, {"size": "4096"})
    slaves.mkdir()
    for name in ("md126", "md127"):
        (slaves / name).symlink_to(root / "sys/block" / name)
    numbers = {"/dev/md/heap-0": NUMBER, "/dev/md/heap-1": other}
    monkeypatch.setattr(Host, "number_of", lambda _host, path: numbers.get(path))
    monkeypatch.setattr(event, "joined_over", lambda *_: (volume, "heap"))
    sent = monitored.state.parent / "mail"

    def lose_and_tell() -> str:
        for which in ("md127", "md126"):  # one after the other, as the arrays notice it
            (root / f"sys/block/{which}/slaves/sdb").unlink()
            _tell(monitored, "Fail", "/dev/md/heap-0" if which == "md127" else "/dev/md/heap-1", "/dev/sdb1")
        told = sent.read_text()
        sent.unlink()
        return told

    _tell(monitored, "NewArray", "/dev/md/heap-0")
    told = lose_and_tell()
    assert told.count("Subject:") == 1
    assert f"heap on {os.uname().nodename}: a disk has failed (WD80EFZX ZHZ1)" in " ".join(told.split())
    assert f"The array heap ({UUID})" in told
    _tell(monitored, "DegradedArray", "/dev/md/heap-1")
    assert not sent.exists()
    for which in ("md127", "md126"):
        (root / f"sys/block/{which}/slaves/sdb").symlink_to(root / "sys/block/sdb")
    _tell(monitored, "SpareActive", "/dev/md/heap-1")
    assert lose_and_tell().count("Subject:") == 1  # another event


def test_what_rebuilds_is_not_yet_who_was_there(monitored: Monitored) -> None:
    """A spare that takes over at once has the slot by the time of the mail."""
    _tell(monitored, "NewArray", ARRAY)
    _lose(monitored, "sdb")
    root = monitored.host.root
    put_device(root, "sdc", 8, 32, {"size": "15628053168", "device/x": ""})
    put_text(root / "run/udev/data/b8:32", "E:ID_SERIAL_SHORT=NEW\n")
    _put_member(root, "sdc", 1, "spare")
    _tell(monitored, "Fail", ARRAY, "/dev/sdb")
    mail = _mail(monitored)
    assert mail is not None
    assert "ZHZ1" in mail["Subject"]
    _put_member(root, "sdc", 1, "in_sync")
    _tell(monitored, "SpareActive", ARRAY, "/dev/sdc")
    [note] = (monitored.state / "members").iterdir()
    assert [one["serial"] for one in json.loads(note.read_text())["occupants"]] == ["ZHZ0", "NEW"]


def test_what_a_disk_says_of_itself_gets_into_no_other_line(monitored: Monitored) -> None:
    put_text(
        monitored.host.root / "run/udev/data/b8:16",
        "E:ID_MODEL_ENC=x\\x0aBcc:\\x20evil@example.org\\x0d\\x0a\\x0aClick\nE:ID_SERIAL_SHORT=\x1b[2J$(id)`id`\n",
    )
    put_text(monitored.host.root / "run/udev/data/b9:127", f"E:MD_NAME=h:tank\x07\rTo: you\nE:MD_UUID={UUID}\n")
    _tell(monitored, "NewArray", ARRAY)
    _lose(monitored, "sdb")
    _tell(monitored, "Fail", ARRAY)
    mail = _mail(monitored)
    assert mail is not None
    assert set(mail.keys()) <= {
        "To", "From", "Subject", "Auto-Submitted", "Content-Type", "Content-Transfer-Encoding", "MIME-Version",
    }  # fmt: skip
    assert mail.get_all("To") == ["root"]
    raw = (monitored.state.parent / "mail").read_bytes()
    assert b"\x1b" not in raw
    assert b"\nBcc" not in raw
    assert b"\nClick" not in raw


@pytest.mark.parametrize("words", [("Fail", "/dev/sda"), ("Fail", "/etc/passwd"), ("Fail", "../md127"), ("Fail", "")])
def test_what_is_no_array_is_refused(monitored: Monitored, words: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="no array"):
        _tell(monitored, *words)
    assert _mail(monitored) is None


def test_events_that_ask_for_nothing_are_passed_over(monitored: Monitored) -> None:
    for name in ("Rebuild20", "DeviceDisappeared", "MoveSpare", "$(reboot)", ""):
        _tell(monitored, name, "/dev/none")
    assert not monitored.state.exists()


@pytest.mark.parametrize("conf", ["", "MAILADDR\n", "# MAILADDR root\n"])
def test_nobody_is_written_to_who_was_not_named(monitored: Monitored, conf: str) -> None:
    put_text(monitored.host.root / "etc/mdadm/mdadm.conf", conf)
    _tell(monitored, "TestMessage", ARRAY)
    assert _mail(monitored) is None


def test_an_address_in_a_further_file_is_written_to(monitored: Monitored) -> None:
    root = monitored.host.root
    put_text(root / "etc/mdadm/mdadm.conf", "# nobody\n")
    put_text(root / "etc/mdadm/mdadm.conf.d/mail.conf", "MAILADDR root\n")
    _tell(monitored, "TestMessage", ARRAY)
    assert _mail(monitored) is not None


def test_an_address_that_is_none_is_refused(monitored: Monitored) -> None:
    put_text(monitored.host.root / "etc/mdadm/mdadm.conf", "MAILADDR -bp\n")
    with pytest.raises(InputError, match="address"):
        _tell(monitored, "TestMessage", ARRAY)


def test_a_mail_that_can_not_be_sent_is_an_error_and_the_note_is_made(monitored: Monitored) -> None:
    without = Monitored(monitored.host, monitored.state, "/nowhere/sendmail")
    with pytest.raises(JobFailed):
        _tell(without, "TestMessage", ARRAY)
    assert list((monitored.state / "members").iterdir())


def test_a_check_that_somebody_else_began_is_kept_with_what_it_found(monitored: Monitored) -> None:
    md = monitored.host.root / "sys/block/md127/md"
    checks = Checks(monitored.host, monitored.state / "checks")
    put_text(md / "sync_action", "check\n")
    put_text(md / "last_sync_action", "check\n")
    put_text(md / "sync_min", "0\n")
    _tell(monitored, "RebuildStarted", ARRAY)
    _tell(monitored, "RebuildStarted", ARRAY)
    [check] = checks.all()
    assert (check.state, check.name) == (CheckState.RUNNING, "tank")
    put_text(md / "sync_action", "idle\n")
    put_text(md / "sync_min", "1024\n")  # six hours have passed
    put_text(md / "mismatch_cnt", "8\n")
    _tell(monitored, "RebuildFinished", ARRAY)
    assert [one.state for one in checks.all()] == [CheckState.PAUSED]
    assert _mail(monitored) is None
    put_text(md / "sync_action", "check\n")  # the next night it continues
    _tell(monitored, "RebuildStarted", ARRAY)
    put_text(md / "sync_action", "idle\n")
    put_text(md / "sync_min", "0\n")
    put_text(md / "mismatch_cnt", "16\n")
    _tell(monitored, "RebuildFinished", ARRAY)
    [check] = checks.all()
    assert (check.state, check.mismatch_sectors) == (CheckState.DONE, 24)
    mail = _mail(monitored)
    assert mail is not None
    assert "its check found differences" in mail["Subject"]
    assert str(24 * 512) in mail.get_content()
    (monitored.state.parent / "mail").unlink()
    put_text(md / "last_sync_action", "recover\n")  # the check's result is outdated by then
    _tell(monitored, "RebuildFinished", ARRAY)
    assert _mail(monitored) is None


def test_a_rebuild_is_no_check(monitored: Monitored) -> None:
    md = monitored.host.root / "sys/block/md127/md"
    put_text(md / "sync_action", "recover\n")
    _tell(monitored, "RebuildStarted", ARRAY)
    assert not Checks(monitored.host, monitored.state / "checks").all()


@pytest.mark.parametrize("name", ["=?utf-8?q?hi?=", "==??utf-8?b?aGk=?=", "=?utf-8?q?hi=0AX-Evil:_1?="])
def test_nothing_in_a_subject_is_decoded(name: str) -> None:
    mail = EmailMessage()
    mail["Subject"] = plain(f"{name} on nas: a disk has failed")
    assert "=?" not in str(mail["Subject"])
    assert "=?" not in bytes(mail).decode()
    assert len(mail.keys()) == 1


def test_whoever_may_not_read_the_records_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(event, "handle", refuse)
    assert event.main(("Fail", "/dev/md0")) == 2
    assert "mdadm's monitor runs this as root" in capsys.readouterr().err


@pytest.mark.parametrize(
    "order", ["{}", "", "[]", '{"path": 1, "text": "", "mode": 1}', '{"path": "/x", "more": 1}', "x"]
)
def test_an_order_that_is_none_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], order: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(order))
    assert etc_files.main() == 2
    assert "the helper runs this" in capsys.readouterr().err


def test_the_program_says_how_it_is_used_and_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert event.main([]) == 2
    assert event.main(["Fail", "/etc/passwd"]) == 1
    assert "no array" in capsys.readouterr().err


def test_a_check_that_a_lost_disk_has_ended_is_none_that_goes_on(monitored: Monitored) -> None:
    md = monitored.host.root / "sys/block/md127/md"
    checks = Checks(monitored.host, monitored.state / "checks")
    for name, text in (("sync_action", "check"), ("last_sync_action", "check"), ("sync_min", "0"), ("degraded", "0")):
        put_text(md / name, f"{text}\n")
    _tell(monitored, "RebuildStarted", ARRAY)
    for name, text in (("sync_action", "idle"), ("sync_min", "1024"), ("degraded", "1")):
        put_text(md / name, f"{text}\n")
    _tell(monitored, "RebuildFinished", ARRAY)
    put_text(md / "sync_action", "check\n")
    _tell(monitored, "RebuildStarted", ARRAY)
    assert [check.state for check in checks.all()] == [CheckState.RUNNING, CheckState.INTERRUPTED]
