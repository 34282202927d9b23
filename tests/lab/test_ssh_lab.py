"""A machine over ssh: a real sshd, polkit and helper on the remote, and all obstacles."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from raidwright.core.errors import Denied, MachineError, Unreachable
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.facts import BuildState
from raidwright.core.system.workload import Workload
from raidwright.lab.machine import Lab
from raidwright.machine.connection import ConnectionState
from raidwright.machine.machine import Machine
from raidwright.machine.prompts import Asking, Nobody, Person, PromptRequest
from raidwright.machine.recent import RecentMachines
from raidwright.operations.arrays import ListChecks
from raidwright.operations.builds import CreateArray, ListBuilds, Undo
from raidwright.operations.measuring import RunWorkload
from raidwright.session import Session
from raidwright.tasks import TaskThread

from .far import HOST, PASSWORD, Carol, Far, far

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication
pytestmark = pytest.mark.lab
_ADDRESS = f"ssh://carol@{HOST}"
_PATIENCE_SECONDS = 180.0
_SERVICE = "/usr/share/dbus-1/system-services/org.raidwright.Helper1.service"
_HIDE = f"systemctl stop raidwright-helper; mv {_SERVICE} /run/far/; systemctl reload dbus"
_SHOW = f"mv /run/far/{Path(_SERVICE).name} {_SERVICE}; systemctl reload dbus"
_CODE = "/usr/lib/raidwright/raidwright"
_GROW_OLD = f"""systemctl stop raidwright-helper; cp -a {_CODE} /run/far/new
sed -i 's/^__version__ = .*/__version__ = "0.0.9"/' {_CODE}/__init__.py
sed -i 's/"ListChecks"/"ListInspections"/' {_CODE}/core/protocol/verbs.py"""
_GROW_YOUNG = f"systemctl stop raidwright-helper; rm -rf {_CODE}; mv /run/far/new {_CODE}"


@pytest.fixture(scope="module")
def there(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Far:
    return far(lab, tmp_path_factory.mktemp("far"))


@pytest.fixture
def server(there: Far, monkeypatch: pytest.MonkeyPatch) -> Iterator[Far]:
    monkeypatch.setenv("PATH", str(there.folder), prepend=":")
    yield there
    there.end()


async def _until(holds: Callable[[], bool], limit_seconds: float = _PATIENCE_SECONDS) -> None:
    async with asyncio.timeout(limit_seconds):
        while not holds():
            await asyncio.sleep(0.05)


def test_a_build_outlives_a_link_that_is_cut_and_is_found_again(server: Far) -> None:
    """Disks, plan, build and measure over ssh, with the password for the remote polkit typed here."""
    asyncio.run(_build_over_a_link_that_is_cut(server))


async def _build_over_a_link_that_is_cut(server: Far) -> None:
    carol = Carol(mistakes=1)
    async with Machine.connect(_ADDRESS, person=carol) as machine:
        await _until(lambda: len(machine.snapshot.disks) == 4)
        assert not carol.asked  # reading needs no password
        plan = Plan(
            MdArray(
                Level.RAID10,
                tuple(disk.as_member() for disk in machine.snapshot.disks),
                "far",
                component_size_kib=65536,
            )
        )
        # ssh asks every two seconds and gives up after three, long before TCP would.
        with pytest.raises(Unreachable, match="lost"):
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await CreateArray(plan, "far").perform(machine, lambda _step: server.cut())
        assert [one.user for one in carol.asked] == ["carol", "carol"]
        assert "far" in carol.asked[0].what
        assert all(disk.serial in carol.asked[0].what for disk in machine.snapshot.disks)
        assert carol.asked[1].complaint
        assert PASSWORD not in repr(carol.asked)
        await _until(lambda: bool(machine.snapshot.problem))
        await _until(lambda: not machine.snapshot.problem and any(one.name == "far" for one in machine.snapshot.arrays))
        builds = await ListBuilds().perform(machine)
        build = next(one for one in builds if one.name == "far" and one.has_way_back)
        try:
            array = next(one for one in machine.snapshot.arrays if one.name == "far")
            read = RunWorkload(f"md:{array.uuid}", Workload.SEQUENTIAL_READ, 1, region_mib=64)
            measured = await read.perform(machine)
            assert build.state is BuildState.DONE
            assert measured.mb_s > 0
        finally:
            await Undo(build.id).perform(machine)


def test_the_window_asks_once_for_all_that_looks(
    server: Far, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    session, asked, builds = Session(TaskThread()), list[PromptRequest](), list[object]()

    def answer(asking: Asking) -> None:
        if asking.question is not None:
            asked.append(asking.question)
            session.answer(PASSWORD)

    session.asking_changed.connect(answer)
    session.connect_to(_ADDRESS)
    try:
        qtbot.waitUntil(lambda: session.connection.state is ConnectionState.CONNECTED, timeout=60_000)
        qtbot.waitUntil(lambda: any(disk.logical_sector_bytes for disk in session.snapshot.disks), timeout=60_000)
        session.perform(ListBuilds(), done=builds.append, failed=builds.append)
        qtbot.waitUntil(lambda: bool(builds), timeout=60_000)
    finally:
        session.close()
    assert isinstance(builds[0], tuple), "looking at the builds was let along with looking at the disks"
    assert [one.user for one in asked] == ["carol"]
    assert RecentMachines().addresses() == (_ADDRESS,)


async def _ask(person: Person) -> None:
    async with Machine.connect(_ADDRESS, person=person) as machine:
        await ListChecks().perform(machine)


def _why(person: Person, kind: type[MachineError]) -> MachineError:
    with pytest.raises(kind) as raised:
        asyncio.run(_ask(person))
    return raised.value


def test_nobody_who_answers_is_a_no(server: Far) -> None:
    assert "permission" in _why(Nobody(), Denied).sentence


def test_a_key_that_is_not_taken_is_a_sentence(server: Far) -> None:
    with server.kept("key", "key.pub"):
        server.take_another_key()
        error = _why(Nobody(), Denied)
    assert error.code == "ssh-denied"
    assert "ssh-copy-id" in error.sentence


def test_a_host_that_is_not_known_is_a_sentence_with_its_fingerprint(server: Far) -> None:
    with server.kept("known_hosts"):
        server.forget()
        error = _why(Nobody(), Unreachable)
    shown = server.lab.exec(["ssh-keygen", "-l", "-f", "/run/far/host.pub"]).stdout.decode().split()[1]
    assert error.code == "ssh-host-unknown"
    assert shown in error.sentence
    assert f"ssh carol@{HOST}" in error.sentence


def test_a_bus_that_is_not_forwarded_is_a_sentence(server: Far) -> None:
    server.sh("echo AllowStreamLocalForwarding no >> /run/far/sshd_config")
    try:
        error = _why(Nobody(), Unreachable)
    finally:
        server.sh("sed -i '$d' /run/far/sshd_config")
    assert error.code == "ssh-no-bus"
    assert "open failed" in error.sentence


def test_an_account_without_a_shell_is_a_sentence(server: Far) -> None:
    server.sh("usermod -s /usr/sbin/nologin carol")
    try:
        error = _why(Nobody(), Unreachable)
    finally:
        server.sh("usermod -s /bin/bash carol")
    assert "not available" in error.sentence


def test_a_machine_without_the_helper_says_how_to_install_it(server: Far) -> None:
    server.sh(_HIDE)
    try:
        error = _why(Nobody(), Unreachable)
    finally:
        server.sh(_SHOW)
    assert error.code == "no-service"
    assert "apt-get install" in error.sentence


def test_an_old_helper_says_which_version_it_is_of(server: Far) -> None:
    server.sh(_GROW_OLD)
    try:
        error = _why(Nobody(), Unreachable)
    finally:
        server.sh(_GROW_YOUNG)
    assert error.code == "other-version"
    assert "0.0.9" in error.sentence
