"""Ansible's way into a practice machine: each command by ``raidwright lab exec``, files by its standard input."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ansible.plugins.connection import ConnectionBase  # type: ignore[import-not-found]

DOCUMENTATION = """
name: practice
short_description: run on a practice machine
description: Runs commands by ``raidwright lab exec``; RAIDWRIGHT is the program, RAIDWRIGHT_LAB the machine's name.
options: {}
"""


class Connection(ConnectionBase):  # type: ignore[misc]
    """Commands and files, for the user root."""

    transport = "practice"
    has_pipelining = True

    def _connect(self) -> Connection:
        self._connected = True
        return self

    def exec_command(self, cmd: str, in_data: bytes | None = None, sudoable: bool = True) -> tuple[int, bytes, bytes]:  # noqa: ARG002 -- Ansible's own signature
        """The command's exit code, output and errors."""
        argv = [os.environ["RAIDWRIGHT"], "lab", "--name", os.environ["RAIDWRIGHT_LAB"], "exec", "--", "sh", "-c", cmd]
        done = subprocess.run(argv, input=in_data or b"", capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def put_file(self, in_path: str, out_path: str) -> None:
        """Write the file there."""
        self.exec_command(f"cat > '{out_path}'", Path(in_path).read_bytes())

    def fetch_file(self, in_path: str, out_path: str) -> None:
        """Read the file from there."""
        Path(out_path).write_bytes(self.exec_command(f"cat '{in_path}'")[1])

    def close(self) -> None:
        """There is nothing to close."""
        self._connected = False
