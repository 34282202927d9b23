"""``--beside COMMAND``: a command that runs beside the tests, such as mypy; the run fails if it fails.

Its output comes after the tests' own.
"""

from __future__ import annotations

import shlex
import subprocess

import pytest

OPTION = "--beside"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that takes the command."""
    parser.addoption(OPTION, type=shlex.split, metavar="COMMAND", help="run this, too; the run fails if it fails")


def pytest_configure(config: pytest.Config) -> None:
    """Start the command, if there is one and this process is no worker."""
    argv = config.getoption(OPTION)
    if argv and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Beside(argv))


class _Beside:
    def __init__(self, argv: list[str]) -> None:
        self._command = shlex.join(argv)
        self._child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._said = b""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._child.terminate()
        self._said = self._child.communicate()[0]
        if self._child.returncode and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(f"{self._command} ended with {self._child.returncode}")
        terminalreporter.write(self._said.decode())
