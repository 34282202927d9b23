"""A practice machine as a headless server: reached only by a real ssh, at a real sshd.

A practice machine has no network, so ssh uses a ProxyCommand: it starts one sshd per connection, like inetd. ssh itself
is the one of this computer, with a config, keys and known hosts of the test's own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from raidwright.lab.machine import Lab
from raidwright.machine.prompts import PromptRequest

PASSWORD = "right horse"  # noqa: S105  # carol's, in a machine that ends with the test
HOST = "server"
# carol is the administrator whom polkit asks; she is in no group of which the practice machine lets everything through.
_SERVER = """set -e
mkdir -p /run/sshd /run/far /etc/polkit-1/rules.d; rm -f /run/nologin
getent passwd carol > /run/far/carol || useradd --create-home --shell /bin/bash carol
echo "carol:$1" | chpasswd
echo "$2" > /run/far/carol.keys
[ -e /run/far/host ] || ssh-keygen -q -t ed25519 -N '' -f /run/far/host
cat > /run/far/sshd_config <<END
HostKey /run/far/host
AuthorizedKeysFile /run/far/%u.keys
PasswordAuthentication no
UsePAM yes
PidFile none
END
echo 'polkit.addAdminRule(function () { return ["unix-user:carol"]; });' > /etc/polkit-1/rules.d/00-carol.rules
cat /run/far/host.pub
"""
_CONFIG = """Host {host}
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile none
    IdentityFile {folder}/key
    IdentitiesOnly yes
    IdentityAgent none
    ProxyCommand {folder}/wire
"""
_SSH = """#!/bin/sh
exec /usr/bin/ssh -F {folder}/config "$@"
"""
_WIRE = """#!/bin/sh
echo $$ >> {folder}/wires
exec {python} -m raidwright lab --name {lab} exec -- /usr/sbin/sshd -i -f /run/far/sshd_config
"""


@dataclass(frozen=True)
class Far:
    """The server's practice machine, and the folder of its ssh, which must be first in PATH."""

    lab: Lab
    folder: Path

    def cut(self) -> None:
        """Drop all traffic of the open connections, without notice to either end."""
        self._signal(signal.SIGSTOP)

    def end(self) -> None:
        """End all connections, cut ones as well."""
        self._signal(signal.SIGKILL)
        (self.folder / "wires").write_text("")

    def _signal(self, number: signal.Signals) -> None:
        for pid in (self.folder / "wires").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), number)

    @contextmanager
    def kept(self, *files: str) -> Iterator[None]:
        """Restore these ssh files after the block."""
        before = {file: (self.folder / file).read_bytes() for file in files}
        try:
            yield
        finally:
            for file, content in before.items():
                (self.folder / file).write_bytes(content)

    def forget(self) -> None:
        """Empty ssh's known hosts."""
        (self.folder / "known_hosts").write_text("")

    def sh(self, script: str) -> None:
        """Run a shell script as the server's root."""
        self.lab.exec(["sh", "-c", script])

    def take_another_key(self) -> None:
        """Make ssh use a key that the server doesn't know."""
        _make_key(self.folder / "key")


def far(lab: Lab, folder: Path) -> Far:
    """Allow sshd on ``lab``, for carol with the key made in ``folder``."""
    public = _make_key(folder / "key")
    host = lab.exec(["sh", "-c", _SERVER, "sh", PASSWORD, public]).stdout.decode()
    (folder / "known_hosts").write_text(f"{HOST} {host}")
    (folder / "wires").write_text("")
    words = {"folder": folder, "host": HOST, "lab": lab.name, "python": sys.executable}
    (folder / "config").write_text(_CONFIG.format(**words))
    for name, script in {"ssh": _SSH, "wire": _WIRE}.items():
        (folder / name).write_text(script.format(**words))
        (folder / name).chmod(0o700)
    return Far(lab, folder)


def _make_key(path: Path) -> str:
    path.unlink(missing_ok=True)
    subprocess.run(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path.with_suffix(".pub").read_text().strip()


class Carol:
    """Carol, who types her password; ``asked`` are her prompts, ``mistakes`` the number of wrong attempts first."""

    has_terminal = False
    looks_on = False

    def __init__(self, mistakes: int = 0) -> None:
        self.asked: list[PromptRequest] = []
        self._mistakes = mistakes

    async def answer(self, question: PromptRequest) -> str | None:
        self.asked.append(question)
        return PASSWORD if len(self.asked) > self._mistakes else "left horse"
