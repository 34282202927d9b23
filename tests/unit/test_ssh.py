"""Addresses for ssh, and the meaning of ssh's messages."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import Denied, InputError, Unreachable
from raidwright.machine.address import MachineAddress, parse_machine
from raidwright.machine.machine import Machine
from raidwright.machine.ssh.failures import failure, printable
from raidwright.machine.ssh.host import SshHost, parse_host

_SERVER = SshHost("server", "carol", 2222)
_CHANGED = "@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @\nHost key verification failed."


@pytest.mark.parametrize(
    ("text", "host", "words"),
    [
        ("ssh://server", SshHost("server"), ("--", "server")),
        ("ssh://server/", SshHost("server"), ("--", "server")),
        ("ssh://carol@server:2222", _SERVER, ("-l", "carol", "-p", "2222", "--", "server")),
        ("ssh://me@192.0.2.7", SshHost("192.0.2.7", "me"), ("-l", "me", "--", "192.0.2.7")),
        ("ssh://[fe80::1%eth0]:22", SshHost("fe80::1%eth0", port=22), ("-p", "22", "--", "fe80::1%eth0")),
    ],
)
def test_a_host(text: str, host: SshHost, words: tuple[str, ...]) -> None:
    assert parse_host(text) == host
    assert host.words == words
    assert parse_host(host.address) == host


def test_a_host_is_a_machine() -> None:
    assert parse_machine("ssh://carol@server:2222") == MachineAddress("carol@server", "ssh://carol@server:2222")


@pytest.mark.parametrize(
    "text",
    [
        "ssh://",
        "ssh://-oProxyCommand=touch",
        "ssh://-l@server",
        "ssh://carol@-server",
        "ssh://server:0",
        "ssh://server:65536",
        "ssh://server:22x",
        "ssh://server/folder",
        "ssh://carol@server@other",
        "ssh://carol:password@server",
        "ssh://ser ver",
        "ssh://server\n",
        "ssh://$(reboot)",
        "ssh://ｓerver",
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no address for ssh"):
        parse_host(text)


@given(st.from_regex(r"ssh://[ -~]{1,24}", fullmatch=True))
def test_no_address_becomes_an_option_or_a_piece_of_shell(text: str) -> None:
    try:
        *options, end, name = parse_host(text).words
    except InputError:
        return
    assert end == "--"
    assert options[::2] == [option for option in ("-l", "-p") if option in options[::2]]
    assert all(not value.startswith("-") for value in (*options[1::2], name))
    assert not set(" ;&|$`'\"\\<>(){}*?!#~") & set("".join((*options, name)))


@pytest.mark.parametrize(
    ("said", "kind", "code"),
    [
        ("carol@server: Permission denied (publickey).", Denied, "ssh-denied"),
        ("Received disconnect from 192.0.2.7 port 22:2: Too many authentication failures", Denied, "ssh-denied"),
        ("ssh: Could not resolve hostname server: Name or service not known", Unreachable, "ssh-no-host"),
        ("ssh: connect to host server port 22: Connection refused", Unreachable, "ssh-refused"),
        ("ssh: connect to host server port 22: No route to host", Unreachable, "ssh-silent"),
        ("ssh: connect to host server port 22: Connection timed out", Unreachable, "ssh-silent"),
        (_CHANGED, Denied, "ssh-host-changed"),
        ("Host key verification failed.", Unreachable, "ssh-host-unknown"),
        ("Bad configuration option: nonsense", Unreachable, "ssh"),
        ("", Unreachable, "ssh"),
    ],
)  # fmt: skip
def test_what_ssh_says_is_a_sentence_with_a_way_out(said: str, kind: type[Exception], code: str) -> None:
    error = failure(_SERVER, ["debug1: Connection refused", *said.splitlines()])
    assert type(error) is kind
    assert error.code == code
    assert "server" in error.sentence


def test_a_host_that_is_not_known_is_shown_with_its_key() -> None:
    error = failure(
        _SERVER,
        ["debug1: Server host key: ssh-ed25519 SHA256:AbC/+", "Host key verification failed."],
    )
    assert "ssh-ed25519 SHA256:AbC/+" in error.sentence
    assert "“ssh -p 2222 carol@server”" in error.sentence


def test_a_computer_without_ssh_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unreachable, match="openssh-client"):
        asyncio.run(Machine.open("ssh://server"))


def test_what_comes_from_afar_moves_no_cursor() -> None:
    assert printable("a\x1b[2Jb\r\nc\u202e") == "a [2Jb  c"
    assert len(printable("x" * 10_000)) == 300
