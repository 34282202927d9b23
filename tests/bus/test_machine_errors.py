"""Every D-Bus error, and the exception that it becomes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from raidwright import helper_package
from raidwright.core.errors import (
    Denied,
    DiskRefused,
    InputError,
    JobFailed,
    MachineError,
    RaidwrightError,
    Unreachable,
)
from raidwright.core.protocol.errors import Busy, NoPolkit, NoSuchJob, read_failure
from raidwright.core.protocol.names import BUS_NAME
from raidwright.machine.bus_errors import error_from_bus
from raidwright.machine.udisks.objects import UDISKS_NAME

_UDISKS = f"{UDISKS_NAME}.Error."
_HELPER = f"{BUS_NAME}.Error."
_DBUS = "org.freedesktop.DBus.Error."


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        (f"{_UDISKS}NotAuthorized", Denied, "denied"),
        (f"{_UDISKS}NotAuthorizedCanObtain", Denied, "denied"),
        (f"{_UDISKS}NotAuthorizedDismissed", Denied, "dismissed"),
        (f"{_UDISKS}DeviceBusy", DiskRefused, "busy"),
        (f"{_UDISKS}Failed", MachineError, "bus-error"),
        ("org.freedesktop.PolicyKit1.Error.NotAuthorized", Denied, "denied"),
        (f"{_DBUS}AccessDenied", Denied, "denied"),
        (f"{_DBUS}InteractiveAuthorizationRequired", Denied, "denied"),
        (f"{_DBUS}ServiceUnknown", Unreachable, "no-service"),
        (f"{_DBUS}NameHasNoOwner", Unreachable, "no-service"),
        (f"{_DBUS}Spawn.ServiceNotFound", Unreachable, "no-service"),
        (f"{_DBUS}Spawn.ChildExited", Unreachable, "no-start"),
        (f"{_DBUS}NoReply", Unreachable, "no-reply"),
        (f"{_DBUS}Disconnected", Unreachable, "no-reply"),
        (f"{_DBUS}UnknownMethod", MachineError, "bus-error"),
        (f"{_HELPER}Denied", Denied, "denied"),
        (f"{_HELPER}BadInput", InputError, "bad-input"),
        (f"{_HELPER}DiskRefused", DiskRefused, "disk-refused"),
        (f"{_HELPER}Busy", Busy, "busy"),
        (f"{_HELPER}NoSuchJob", NoSuchJob, "no-such-job"),
        (f"{_HELPER}JobFailed", JobFailed, "job-failed"),
        (f"{_HELPER}NoPolkit", NoPolkit, "no-polkit"),
    ],
)
@pytest.mark.parametrize("destination", [UDISKS_NAME, BUS_NAME, "org.example.Other"])
def test_the_table(name: str, kind: type[RaidwrightError], code: str, destination: str) -> None:
    error = error_from_bus(name, ["What happened."], destination)
    assert type(error) is kind
    assert error.code == code
    assert len(error.sentence) > 10


def test_the_helpers_words_and_fields_pass() -> None:
    body = ["sda holds ext4.", "disk-signature", {"disk": "wwn-0x5", "code": "x", "sentence": "y"}]
    error = error_from_bus(f"{_HELPER}DiskRefused", body, BUS_NAME)
    assert (error.sentence, error.code, error.fields) == ("sda holds ext4.", "disk-signature", {"disk": "wwn-0x5"})


@pytest.mark.parametrize("body", [[], [7], ["Text", 7, {}], ["Text", ""]])
def test_a_strange_body_is_no_crash(body: list[object]) -> None:
    assert error_from_bus(f"{_HELPER}Denied", body, BUS_NAME).code == "denied"


def test_a_jobs_failure_keeps_its_code() -> None:
    refused = {"disk": "x", "error": f"{_HELPER}DiskRefused"}
    assert type(read_failure("configuration-changed", "Gone.", refused)) is DiskRefused
    failed = read_failure("disk-changed", "The job was cancelled.", {"code": 1})  # by an older helper
    assert (type(failed), failed.code, failed.fields) == (JobFailed, "disk-changed", {})


def test_a_helper_that_is_missing_is_said_with_the_command_for_how_the_program_came_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = error_from_bus(f"{_DBUS}ServiceUnknown", [], BUS_NAME).sentence
    checkout = Path(helper_package.__file__).parents[2] / "packaging/install-helper"
    assert f"run: {checkout} / (" in said
    monkeypatch.setattr(helper_package, "PACKAGE", Path("/usr/lib/raidwright-program/raidwright"))
    assert helper_package.install_command() == "apt-get install raidwright-helper"
    monkeypatch.setattr(helper_package, "PACKAGE", tmp_path / "lib/python3.13/site-packages/raidwright")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert helper_package.install_command() == f"{tmp_path}/bin/raidwright install-helper /"
