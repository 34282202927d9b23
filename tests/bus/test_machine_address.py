"""Parsing a machine's address."""

from __future__ import annotations

import pytest
from raidwright.core.errors import InputError
from raidwright.machine.address import MachineAddress, parse_machine


def test_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SYSTEM_BUS_ADDRESS", raising=False)
    assert parse_machine("local").bus_address == "unix:path=/run/dbus/system_bus_socket"
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/elsewhere")
    assert parse_machine("local") == MachineAddress("This computer", "unix:path=/elsewhere")


def test_a_bus_is_taken_as_it_is() -> None:
    assert parse_machine("unix:path=/some/bus").bus_address == "unix:path=/some/bus"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ssh://-server", "no address for ssh"),
        ("server", "not a machine"),
        ("", "not a machine"),
        ("locally", "not a machine"),
    ],
)
def test_what_is_no_machine_says_what_is(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_machine(text)


def test_no_practice_machine() -> None:
    with pytest.raises(InputError, match="no practice machine called"):
        parse_machine("lab:nowhere-to-be-found")
    with pytest.raises(InputError, match="root, admin, user"):
        parse_machine("lab:nowhere-to-be-found", role="mallory")
