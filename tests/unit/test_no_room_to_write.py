"""Folders that can't be written, and services that don't start: a sentence that names the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright import helper_package
from raidwright.core.errors import InputError, MachineError, RaidwrightError
from raidwright.core.protocol.names import BUS_NAME
from raidwright.core.protocol.steps import JobStep
from raidwright.lab import image, places
from raidwright.machine import bus_errors
from raidwright.runs import schema
from raidwright.text.job_steps import WORDS


@pytest.fixture
def shut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place in which nobody, not even root, can make a folder: it is a file."""
    path = tmp_path / "file"
    path.touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    return path


def test_a_cache_that_cannot_be_written_is_a_sentence(shut: Path) -> None:
    with pytest.raises(MachineError, match=r"can't be kept in .*XDG_CACHE_HOME"):
        image.guest_system(image.Generation.BOOKWORM, lambda _text: None)
    assert all(place.path != places.cache_root() for place in places.places())


def test_runs_that_cannot_be_kept_are_no_damaged_file(shut: Path) -> None:
    with pytest.raises(InputError, match="Make the folder writable") as caught, schema.opened(shut / "runs.sqlite"):
        pass
    assert "damaged" not in str(caught.value)


def test_installing_the_helper_as_an_ordinary_user_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(RaidwrightError, match=r"belongs to root\. Run this as root"):
        helper_package._verify_ours(Path("/"), lambda _mode: True)


def test_a_service_that_does_not_start_is_not_to_be_installed() -> None:
    error = bus_errors.error_from_bus("org.freedesktop.DBus.Error.Spawn.ChildExited", ["no"], BUS_NAME)
    assert "systemctl status raidwright-helper" in error.sentence
    assert "apt-get" not in error.sentence


def test_every_step_has_words() -> None:
    assert set(JobStep) <= WORDS.keys()
