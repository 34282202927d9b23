"""What holds for all tests, whoever runs them: nobody else may write what they make, they read English, take turns."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from pytestqt.qtbot import QtBot
from xdist.remote import Producer

from .turns import Turns, step_back

os.umask(0o022)
os.environ["LANGUAGE"] = "en"
step_back()
# A busy computer may take longer than pytest-qt's five seconds; what comes soon isn't waited for.
_WAIT_MS = 60_000
for _method in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitActive, QtBot.waitExposed):
    _method.__kwdefaults__ = {**(_method.__kwdefaults__ or {}), "timeout": _WAIT_MS}

_broken_by: list[str] = []
_LAST_LINES = 12


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Turns:
    """Who runs what, with ``-n 4``."""
    return Turns(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long goes first, so that nobody waits for it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Keep modules and thousands of collected tests out of what each later collection of garbage goes through."""
    gc.collect()
    gc.freeze()


def pytest_internalerror(excrepr: object) -> None:
    """Remember what broke the tests' own machinery."""
    _broken_by.append(str(excrepr))


def pytest_unconfigure() -> None:
    """Say last what broke first: a log that is kept short keeps its end."""
    if _broken_by:
        print(*_broken_by[0].splitlines()[-_LAST_LINES:], sep="\n", file=sys.stderr)
