"""Diagnosis of ssh failures as sentences with the remedy.

The messages are those of OpenSSH's ``sshconnect.c``, ``sshconnect2.c`` and ``ssh.c``, which are never translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from raidwright.core.errors import Denied, MachineError, Unreachable
from raidwright.core.messages import say

from .host import SshHost

_KEY = re.compile(r"debug1: Server host key: (?P<kind>\S+) (?P<fingerprint>SHA256:\S+)")
_LONGEST = 300
_OF_COURSE = ("debug", "OpenSSH_", "Authenticated to ", "Transferred: ", "Bytes per second: ")


def printable(text: str, most: int = _LONGEST) -> str:
    """Return remote ``text`` on one line of at most ``most`` characters, without control characters."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:most].strip()


def last_words(said: Sequence[str]) -> str:
    """Return ssh's last message for people; "" if there is none."""
    words = [line for line in said if line and not line.startswith(_OF_COURSE)]
    return printable(words[-1]) if words else ""


def failure(host: SshHost, said: Sequence[str]) -> MachineError:
    """Return the exception for the end of ``ssh -v``, from its output lines ``said``."""
    text = "\n".join(line for line in said if not line.startswith("debug")).lower()
    found = (why for words, why in _REASONS.items() if any(one in text for one in words))
    return next(found, _other)(host, said)


def _denied(host: SshHost, _said: Sequence[str]) -> Denied:
    return Denied(
        "{host} doesn't let you in: ssh has no key or password that it takes. Try “{command}” in a terminal; once "
        "that works without a password (ssh-copy-id, ssh-add), this does.",
        code="ssh-denied",
        host=host.title,
        command=host.command,
    )


def _no_host(host: SshHost, _said: Sequence[str]) -> Unreachable:
    return Unreachable(
        "There is no host called {host}. Look at how it is spelled, and at your ~/.ssh/config.",
        code="ssh-no-host",
        host=host.name,
    )


def _refused(host: SshHost, _said: Sequence[str]) -> Unreachable:
    return Unreachable(
        "{host} is there, but no ssh server listens. Install openssh-server there, or give its port: ssh://host:port.",
        code="ssh-refused",
        host=host.title,
    )


def _silent(host: SshHost, _said: Sequence[str]) -> Unreachable:
    return Unreachable("{host} doesn't answer. Is it on, and on this network?", code="ssh-silent", host=host.title)


def _other(host: SshHost, said: Sequence[str]) -> Unreachable:
    return Unreachable(
        "ssh doesn't get through to {host}: {why}. Try “{command}” in a terminal.",
        code="ssh",
        host=host.title,
        why=last_words(said).rstrip(".") or say("it ended without a word"),
        command=host.command,
    )


def _unknown(host: SshHost, said: Sequence[str]) -> Unreachable:
    command = host.command
    for line in said:
        if key := _KEY.match(line):
            return Unreachable(
                "ssh doesn't know {host} yet. Its key is {kind} {fingerprint}; compare that with what “ssh-keygen -lf "
                "/etc/ssh/ssh_host_…_key.pub” says there. If it is the same, run “{command}” in a terminal once and "
                "answer yes.",
                code="ssh-host-unknown",
                host=host.title,
                kind=printable(key["kind"]),
                fingerprint=printable(key["fingerprint"]),
                command=command,
            )
    return Unreachable(
        "ssh doesn't know {host} yet. Run “{command}” in a terminal once, compare the fingerprint that it shows, and "
        "answer yes.",
        code="ssh-host-unknown",
        host=host.title,
        command=command,
    )


def _changed(host: SshHost, _said: Sequence[str]) -> Denied:
    return Denied(
        "{host} has another key than ssh remembers of it: it was installed anew, or something else answers in its "
        "place. Run “{command}” in a terminal; it says which line of known_hosts is old. Nothing was sent.",
        code="ssh-host-changed",
        host=host.title,
        command=host.command,
    )


def no_ssh() -> Unreachable:
    """Return the exception for a computer without ssh."""
    return Unreachable("There is no ssh on this computer; install the package openssh-client.", code="ssh-missing")


def no_bus(host: SshHost, said: Sequence[str]) -> Unreachable:
    """Return the exception for a host where ssh logs in but can't reach the system bus."""
    return Unreachable(
        "{host} lets ssh in, but its system bus can't be reached through it: {why}. Is D-Bus running there, and does "
        "sshd forward sockets (AllowStreamLocalForwarding in sshd_config)?",
        code="ssh-no-bus",
        host=host.title,
        why=last_words(said).rstrip(".") or say("it does not answer"),
    )


# The first match counts: a changed key also fails verification.
_REASONS: Mapping[tuple[str, ...], Callable[[SshHost, Sequence[str]], MachineError]] = {
    ("remote host identification has changed",): _changed,
    ("host key verification failed",): _unknown,
    ("permission denied", "too many authentication failures"): _denied,
    ("could not resolve hostname",): _no_host,
    ("connection refused",): _refused,
    ("connection timed out", "operation timed out", "no route to host", "network is unreachable"): _silent,
}
