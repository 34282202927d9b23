"""Settings of all tests: files writable by the user only, English, and a common schedule."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from pytestqt.qtbot import QtBot
from raidwright.lab.image import GENERATION_VARIABLE
from xdist.remote import Producer

from . import sampling
from .turns import Turns, compile_a_part, longest_first, step_back

pytest_plugins = ["tests.beside"]
os.umask(0o022)
os.environ["LANGUAGE"] = "en"
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the program sets it
step_back()
# A busy computer may take longer than pytest-qt's five seconds; earlier results aren't waited for.
_WAIT_MS = 60_000
for _method in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitActive, QtBot.waitExposed):
    _method.__kwdefaults__ = {**(_method.__kwdefaults__ or {}), "timeout": _WAIT_MS}

settings.register_profile("busy", deadline=None)
settings.register_profile("drawn", settings.get_profile("busy"), max_examples=50)  # where a test names no number
settings.load_profile("busy")

_broken_by: list[str] = []
_LAST_LINES = 12


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Turns:
    """Return the schedule of the workers, with ``-n 4``."""
    return Turns(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--sample``."""
    sampling.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples where a sample is wanted."""
    if sampling.is_wanted(config):
        settings.load_profile("drawn")


def pytest_report_header(config: pytest.Config) -> str:
    """Say which of the long files are taken."""
    return sampling.said(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the long files that aren't drawn."""
    return sampling.is_left_out(collection_path, config) or None


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Run the longest files first, so that nobody waits for one at the end."""
    sampling.leave_out(items, config)
    longest_first(items)


def pytest_sessionstart() -> None:
    """Share the work of a new checkout."""
    compile_a_part()


def pytest_collection_finish() -> None:
    """Exclude modules and thousands of collected tests from later garbage collections."""
    gc.collect()
    gc.freeze()


class _Unhandled(logging.Handler):
    """asyncio's errors: exceptions that weren't retrieved, and tasks that weren't awaited."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


_unhandled = _Unhandled()
logging.getLogger("asyncio").addHandler(_unhandled)


@pytest.fixture(autouse=True)
def _asyncio_complains_of_nothing() -> Iterator[None]:
    """Fail the test in which asyncio complains; garbage is collected late, so the cause may be an earlier one's."""
    yield
    said, _unhandled.said = _unhandled.said, []
    assert said == []


@pytest.fixture(scope="module", autouse=True)
def _goes_round(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Iterator[None]:
    """Let a proof's drawn part run on the kernel whose turn it is."""
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker(sampling.EACH_KERNEL):
            patch.setenv(GENERATION_VARIABLE, sampling.generation(pytestconfig))
        yield


def pytest_internalerror(excrepr: object) -> None:
    """Record the internal error of pytest."""
    _broken_by.append(str(excrepr))


def pytest_unconfigure() -> None:
    """Print the first internal error last: a truncated log keeps its end."""
    if _broken_by:
        print(*_broken_by[0].splitlines()[-_LAST_LINES:], sep="\n", file=sys.stderr)
