"""Raidwright from its wheel: installed into an empty folder, without a checkout."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from raidwright import debian
from raidwright.cli.gui import open_window
from raidwright.core.errors import MachineError, RaidwrightError
from raidwright.core.messages import say
from raidwright.lab.compiled import compile_into
from raidwright.lab.overlay import write_overlay
from shipped import DOCUMENTS, FOLDERS

from .wheel_check.__main__ import install_commands
from .wheel_check.built import ROOT, build_wheel

_WINDOW = """
import sys
from PySide6.QtWidgets import QApplication, QCheckBox
from raidwright.resources import resource
from raidwright.ui import theme
from raidwright.colours import LIGHT

app = QApplication(sys.argv)
theme.install(app)
theme.apply(app, LIGHT)
box = QCheckBox("scratch")
box.setChecked(True)
with_tick = box.grab().toImage()
app.setStyleSheet(theme.style_sheet(LIGHT).replace(resource("icons/tick.svg").as_posix(), ""))
print(with_tick != box.grab().toImage())
"""


@dataclass(frozen=True)
class Installed:
    """A folder with the installed wheel, and a Python without any other code of ours."""

    folder: Path
    wheel: Path
    home: Path

    def run(self, *arguments: str | Path, stdin: str = "") -> str:
        """Return Python's output for these arguments; the environment's own packages are there, its .pth files not."""
        paths = (str(self.folder), sysconfig.get_path("purelib"))
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))},
            "PYTHONPATH": os.pathsep.join(paths),
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_CACHE_HOME": str(self.home),
        }
        argv = [Path(sys.base_prefix) / "bin/python3", *arguments]
        done = subprocess.run(
            argv, input=stdin, env=environment, cwd=self.home, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"))
    pip: list[str | Path] = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wheel]
    subprocess.run(pip, check=True)
    return Installed(folder, wheel, tmp_path_factory.mktemp("home"))


def _files(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_it_is_run_from_there(installed: Installed) -> None:
    where = installed.run(
        "-c", "from raidwright.resources import *; print(PACKAGE, HELPER, resource('data'), sep='\\n')"
    )
    assert all(Path(line).is_dir() and Path(line).is_relative_to(installed.folder) for line in where.splitlines())


def test_the_wheel_holds_the_resources_the_helper_and_the_documents(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = archive.namelist()
        for name in DOCUMENTS:
            assert archive.read(f"raidwright/_shipped/{name}") == (ROOT / name).read_bytes()
        for folder in FOLDERS:
            above = f"raidwright/_shipped/{folder}/"
            held = {name.removeprefix(above): archive.read(name) for name in names if name.startswith(above)}
            assert held == _files(ROOT / folder)
    ours = {f"raidwright/{path.relative_to(ROOT / 'app/raidwright')}" for path in (ROOT / "app").rglob("*.py")}
    assert {name for name in names if "_shipped" not in name and name.endswith(".py")} == ours


def test_a_plan_is_assessed(installed: Installed) -> None:
    version = installed.run("-m", "raidwright", "--version")
    assert version.startswith("Raidwright ")
    candidates = json.loads(installed.run("-m", "raidwright", "candidates", "--disks", "4x8TB", "--json"))
    plan = json.dumps(candidates["candidates"][0]["plan"])
    assert "array_sectors" in installed.run("-m", "raidwright", "assess", "--json", "-", stdin=plan)


def test_the_window_has_its_icons(installed: Installed) -> None:
    assert installed.run("-c", _WINDOW).endswith("True\n")


def test_the_practice_machine_is_the_checkouts(installed: Installed, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs.tar", tmp_path / "ours.tar"
    write = "from raidwright.lab.overlay import *; import sys; write_overlay(Path(sys.argv[1]))"
    installed.run("-c", write, theirs)
    write_overlay(ours)
    assert _members(theirs) == _members(ours)


def test_what_is_compiled_comes_along_and_runs_without_a_compiler(installed: Installed) -> None:
    assert installed.wheel.name.endswith(f"-py3-none-linux_{platform.machine()}.whl")
    named = (
        "import os; os.environ['PATH'] = '/nowhere'; from raidwright.lab import compiled as it;"
        "print(it.disks_program(), it.xstate_library(), it.clock_library(), it.idle_library(), sep='\\n')"
    )
    found = [Path(line) for line in installed.run("-c", named).splitlines()]
    assert all(path.is_relative_to(installed.folder) for path in found)
    assert not (installed.home / "raidwright/lab").exists()
    assert subprocess.run([found[0]], check=False, timeout=60).returncode == 2  # it lacks its arguments
    loaded = {"LD_PRELOAD": ":".join(map(str, found[1:]))}
    heard = subprocess.run(["/bin/true"], env=loaded, check=True, capture_output=True, text=True)
    assert heard.stderr == ""


def test_a_checkout_takes_any_compiler_of_three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    real = shutil.which("gcc") or shutil.which("tcc") or ""
    for name in ("cc", "gcc", "tcc"):  # each is taken before those that were there
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} >>{tmp_path}/asked\nexec {real} "$@"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
        with monkeypatch.context() as patch:
            patch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
            patch.setattr(shutil, "which", lambda asked: asked if (tmp_path / asked).exists() else None)
            compile_into(tmp_path / f"by-{name}")
        assert (tmp_path / f"by-{name}/disks").read_bytes().startswith(b"\x7fELF")
        assert set((tmp_path / "asked").read_text(encoding="utf-8").split()) == {name}
        (tmp_path / "asked").unlink()
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(MachineError, match="none of tcc, gcc or cc is installed"):
        compile_into(tmp_path / "by-none")


def _members(path: Path) -> dict[str, tuple[int, str, bytes]]:
    with tarfile.open(path) as tar:
        contents = {entry: tar.extractfile(entry) if entry.isfile() else None for entry in tar}
        return {
            entry.name: (entry.mode, entry.linkname, file.read() if file else b"") for entry, file in contents.items()
        }


def test_the_helper_is_the_checkouts(installed: Installed, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    installed.run("-m", "raidwright", "install-helper", theirs)
    # A checkout that is not set up has Python alone.
    alone: list[str | Path] = ["/usr/bin/python3", "-I", "-S", ROOT / "packaging/install-helper", ours]
    subprocess.run(alone, check=True, env={})
    assert _files(theirs) == _files(ours)
    for path in ours.rglob("*"):
        assert (theirs / path.relative_to(ours)).stat().st_mode == path.stat().st_mode


def test_the_page_on_installing_names_the_packages() -> None:
    for commands, part in zip(install_commands(), ("window", "lab", "helper"), strict=True):
        lines = commands.replace("\\\n", " ").splitlines()
        line = next(line for line in lines if line.startswith("apt-get install"))
        named = line.removeprefix("apt-get install --no-install-recommends ").split()
        assert [name for name in named if name != "python3-venv"] == [names[0] for names in debian.packages(part)]


def test_missing_packages_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert debian.why("lab", say("Something else.")) == "Something else."  # nothing that a checkout needs is missing
    named = (("raidwright-has-no-compiler", "tcc"), ("raidwright-is-no-package",))
    monkeypatch.setattr(debian, "packages", lambda _part: named)
    assert debian.why("lab", say("Something else.")) == (
        "The practice machine needs Debian packages that aren't installed: raidwright-is-no-package. "
        "As root, run: apt-get install --no-install-recommends raidwright-is-no-package"
    )


def test_a_window_that_cannot_be_imported_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PySide6.QtCore", None)
    monkeypatch.delitem(sys.modules, "raidwright.ui.application", raising=False)
    monkeypatch.delattr("raidwright.ui.application", raising=False)
    with pytest.raises(RaidwrightError, match=r"The window can't be opened: .*PySide6"):
        open_window()
