"""The place of a practice machine's memory: the first with space that allows executing programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.errors import MachineError
from raidwright.lab import places
from raidwright.lab.paths import LabPaths
from raidwright.lab.places import WritableFolder, roomy

_SHM, _TMP, _CACHE = Path("/dev/shm"), Path("/tmp"), Path("/home/a/.cache")  # noqa: S108  # only named here
_MIB = 2**20


@pytest.fixture(autouse=True)
def _three(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        WritableFolder(_SHM, 1024 * _MIB, True),
        WritableFolder(_TMP, 8192 * _MIB, False),
        WritableFolder(_CACHE, 2048 * _MIB, True),
    )
    monkeypatch.setattr(places, "places", lambda: found)


def test_the_first_place_with_room_that_runs_programs_is_taken() -> None:
    assert roomy(1024 * _MIB) == _SHM
    assert roomy(1025 * _MIB) == _CACHE


def test_what_others_have_claimed_is_left_to_them() -> None:
    assert roomy(600 * _MIB, {_SHM: 500 * _MIB, _CACHE: 0}.__getitem__) == _CACHE


def test_where_no_place_has_room_each_is_named() -> None:
    with pytest.raises(MachineError, match="TMPDIR") as refused:
        roomy(4096 * _MIB)
    assert "4.00 GiB" in refused.value.sentence
    for said in (f"{_SHM} has 1.00 GiB free", f"{_TMP} has 8.00 GiB free but lets no programs run", "2.00 GiB free"):
        assert said in refused.value.sentence


def test_a_folder_whose_name_leaves_none_for_sockets_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    with pytest.raises(MachineError, match="XDG_RUNTIME_DIR") as refused, LabPaths("practice").occupied(_MIB):
        pass
    assert refused.value.code == "long-folder"
    assert str(long) in refused.value.sentence


def test_what_a_lab_claims_counts_from_its_first_moment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before it has written a byte: several start at once."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    found = tuple(WritableFolder(folder, 2 * 2**30, True) for folder in (first, second))
    monkeypatch.setattr(places, "places", lambda: found)
    with LabPaths("a").occupied(1024 * _MIB), LabPaths("b").occupied(1024 * _MIB):
        assert LabPaths("a").scratch.resolve().parent == first
        assert LabPaths("b").scratch.resolve().parent == second
