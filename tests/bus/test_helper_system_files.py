"""System files: replaced atomically, never through a link, and restored only while unchanged."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright_helper.host import system_files
from raidwright_helper.host.etc_files import Below, FileOrder
from raidwright_helper.host.mdadm_files import ONE_OF_THEM
from raidwright_helper.host.system_files import read, remove, replace
from raidwright_helper.records.changes import Changes, ChangeState, Edit, token_of

FSTAB, CONF = "/etc/fstab", "/etc/mdadm/mdadm.conf"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host with an fstab (of mode 0640) and a mdadm.conf."""
    (tmp_path / "etc/mdadm").mkdir(parents=True)
    (tmp_path / "etc/fstab").write_bytes(b"# old \xff\n")
    (tmp_path / "etc/fstab").chmod(0o640)
    (tmp_path / "etc/mdadm/mdadm.conf").write_text("MAILADDR root\n", encoding="utf-8")
    return tmp_path


def _changes(root: Path) -> Changes:
    return Changes(root / "state", root, Below(root))


def _edits(changes: Changes) -> list[Edit]:
    files = {path: changes.read(path) for path in (CONF, FSTAB)}
    return [Edit(path, file.text, f"{file.content}new\n", file.mode) for path, file in files.items()]


def test_a_file_keeps_its_bytes_and_its_mode(root: Path) -> None:
    file = read(root / "etc/fstab")
    assert file.mode == 0o640
    replace(file.path, f"{file.content}new\n", mode=file.mode)
    assert (root / "etc/fstab").read_bytes() == b"# old \xff\nnew\n"
    assert (root / "etc/fstab").stat().st_mode & 0o7777 == 0o640
    assert sorted(os.listdir(root / "etc")) == ["fstab", "mdadm"]  # noqa: PTH208


def test_what_is_not_there_reads_as_nothing(root: Path) -> None:
    assert read(root / "etc/none").text is None
    remove(root / "etc/none")


@pytest.mark.parametrize("how", ["link", "hard link", "pipe", "writable by others", "large"])
def test_a_file_that_others_have_a_hand_in_is_refused(root: Path, how: str) -> None:
    path, other = root / "etc/fstab", root / "other"
    match how:
        case "link":
            path.rename(other)
            path.symlink_to(other)
        case "hard link":
            other.hardlink_to(path)
        case "pipe":
            path.unlink()
            os.mkfifo(path)
        case "writable by others":
            path.chmod(0o666)
        case "large":
            path.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(JobFailed, match="can't be used"):
        read(path)


def test_a_folder_that_others_may_write_to_is_refused(root: Path) -> None:
    (root / "etc").chmod(0o777)
    with pytest.raises(JobFailed, match="others than root"):
        replace(root / "etc/fstab", "x")
    assert (root / "etc/fstab").read_bytes() == b"# old \xff\n"


def test_no_link_is_written_through(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / "linked").symlink_to(root / "elsewhere")
    with pytest.raises(JobFailed, match="can't be written"):
        replace(root / "linked/file", "x")
    (root / "etc/new").symlink_to(root / "elsewhere/target")
    replace(root / "etc/new", "x")
    assert not (root / "etc/new").is_symlink()
    assert not list((root / "elsewhere").iterdir())


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JobFailed, match="No space left"):
        replace(root / "etc/fstab", "x")
    assert (root / "etc/fstab").read_bytes() == b"# old \xff\n"
    assert sorted(path.name for path in (root / "etc").iterdir()) == ["fstab", "mdadm"]


def test_a_change_is_kept_before_it_is_made_and_can_be_taken_back(root: Path) -> None:
    changes = _changes(root)
    made = asyncio.run(changes.make(1000, "tank", _edits(changes)))
    assert made.standing is ChangeState.DONE
    assert (root / "etc/fstab").read_bytes() == b"# old \xff\nnew\n"
    [kept] = (root / "state").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert asyncio.run(_changes(root).take_back()).array == "tank"
    assert (root / "etc/fstab").read_bytes() == b"# old \xff\n"
    assert (root / "etc/fstab").stat().st_mode & 0o777 == 0o640
    with pytest.raises(InputError, match="no file here"):
        asyncio.run(changes.take_back())


def test_the_last_change_goes_first(root: Path) -> None:
    changes = _changes(root)
    for _ in range(3):
        asyncio.run(changes.make(1000, "tank", _edits(changes)))
    for lines in (2, 1, 0):
        asyncio.run(changes.take_back())
        assert (root / "etc/fstab").read_bytes().count(b"new") == lines


def test_a_file_that_was_not_there_goes_again(root: Path) -> None:
    changes = _changes(root)
    (root / "etc/fstab").unlink()
    asyncio.run(changes.make(1000, "tank", _edits(changes)))
    assert (root / "etc/fstab").stat().st_mode & 0o777 == 0o644
    asyncio.run(changes.take_back())
    assert not (root / "etc/fstab").exists()


def test_what_was_changed_since_is_not_put_back(root: Path) -> None:
    changes = _changes(root)
    asyncio.run(changes.make(1000, "tank", _edits(changes)))
    with (root / "etc/fstab").open("a", encoding="utf-8") as file:
        file.write("somebody's\n")
    with pytest.raises(DiskRefused, match="/etc/fstab was changed since"):
        asyncio.run(changes.take_back())
    assert "new" in (root / "etc/mdadm/mdadm.conf").read_text(encoding="utf-8")


def test_a_second_file_that_can_not_be_written_takes_the_first_back(root: Path) -> None:
    changes = _changes(root)
    edits = [*_edits(changes)[:1], Edit("/etc/nowhere/fstab", None, "x", 0o644)]
    with pytest.raises(JobFailed, match="can't be written"):
        asyncio.run(changes.make(1000, "tank", edits))
    assert (root / "etc/mdadm/mdadm.conf").read_text(encoding="utf-8") == "MAILADDR root\n"
    with pytest.raises(InputError):
        asyncio.run(changes.take_back())


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_helper_that_was_killed_between_files_leaves_a_way_back(
    root: Path, written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes, real = _changes(root), system_files.replace
    left = written + 1  # the change itself is recorded first

    def killed(path: Path, text: str, *, mode: int = 0o644) -> None:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        real(path, text, mode=mode)

    monkeypatch.setattr(system_files, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(changes.make(1000, "tank", _edits(changes)))
    monkeypatch.setattr(system_files, "replace", real)
    assert asyncio.run(_changes(root).take_back()).standing is ChangeState.TAKEN_BACK
    assert (root / "etc/fstab").read_bytes() == b"# old \xff\n"
    assert (root / "etc/mdadm/mdadm.conf").read_text(encoding="utf-8") == "MAILADDR root\n"


def test_a_token_stands_for_each_byte() -> None:
    edit = Edit(FSTAB, "a", "b", 0o644)
    others = [Edit(CONF, "a", "b", 0o644), Edit(FSTAB, None, "b", 0o644), Edit(FSTAB, "a", "c", 0o644)]
    assert len({token_of([one]) for one in (edit, *others)} | {token_of([])}) == 5


def test_all_that_mdadm_reads_is_read_in_its_order(root: Path) -> None:
    """As mdadm 4.2 of Debian 12 does: the folder beside the main file, and the other path only instead of it."""
    beside, elsewhere = root / "etc/mdadm/mdadm.conf.d", root / "etc/mdadm.conf.d"
    for folder, names in ((beside, ("b.conf", "A.conf", ".c.conf", "d.conf~", "no")), (elsewhere, ("z.conf",))):
        folder.mkdir()
        for name in names:
            (folder / name).write_text("MAILADDR x\n", encoding="utf-8")
    (root / "etc/mdadm.conf").write_text("MAILADDR y\n", encoding="utf-8")
    changes = _changes(root)
    assert [*changes.read_mdadm_files()] == [CONF, f"{CONF}.d/A.conf", f"{CONF}.d/b.conf"]
    (root / "etc/mdadm/mdadm.conf").unlink()
    assert [*changes.read_mdadm_files()] == ["/etc/mdadm.conf", "/etc/mdadm.conf.d/z.conf"]
    (root / "etc/mdadm.conf").unlink()
    assert [*changes.read_mdadm_files()] == [CONF, f"{CONF}.d/A.conf", f"{CONF}.d/b.conf"]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/mdadm/mdadm.conf.d/../../shadow.conf",
        "/etc/mdadm.conf.d/.x.conf",
        "/etc/mdadm/x.conf",
        "/etc/mdadm.conf\n",
    ],
)
def test_what_mdadm_does_not_read_is_none_of_its_files(path: str) -> None:
    assert not ONE_OF_THEM.fullmatch(path)


def test_a_further_file_of_mdadms_is_written(root: Path) -> None:
    (root / "etc/mdadm/mdadm.conf.d").mkdir()
    path = f"{CONF}.d/nas.conf"
    assert ONE_OF_THEM.fullmatch(path)
    asyncio.run(Below(root).put(FileOrder(path, "ARRAY\n", 0o644)))
    assert read(root / path.lstrip("/")).text == "ARRAY\n"
