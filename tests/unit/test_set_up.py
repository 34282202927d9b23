"""A checkout's set-up, on a small checkout of its own without packages to fetch: its handling of an existing .venv."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kit.processes import processes_in, until

ROOT = Path(__file__).parents[2]
_BACKEND = """
import zipfile, pathlib
def _wheel(folder):
    with zipfile.ZipFile(pathlib.Path(folder, "raidwright-1-py3-none-any.whl"), "w") as wheel:
        wheel.writestr("raidwright.pth", str(pathlib.Path("app").resolve()))
        wheel.writestr("shiboken6/files.dir/nothing.py", "")
        about = "raidwright-1.dist-info/"
        wheel.writestr(about + "METADATA", "Metadata-Version: 2.1\\nName: raidwright\\nVersion: 1\\n")
        wheel.writestr(about + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(about + "RECORD", "")
    return "raidwright-1-py3-none-any.whl"
def build_editable(folder, config_settings=None, metadata_directory=None):
    return _wheel(folder)
def build_wheel(folder, config_settings=None, metadata_directory=None):
    return _wheel(folder)
"""
_FILES = {
    "pyproject.toml": """[build-system]
requires = []
build-backend = "backend"
backend-path = ["packaging"]
""",
    "packaging/backend.py": _BACKEND,
    "packaging/translations.py": "",
    "packaging/requirements.lock": "",
    "packaging/packages.txt": "bash",
    "packaging/packages-screen.txt": "bash",
    "resources/packages/window.txt": "bash",
    "resources/packages/lab.txt": "bash",
    "resources/packages/compiler.txt": "bash",
    "app/raidwright/__init__.py": "",
    "app/raidwright/lab/__init__.py": "",
    "app/raidwright/lab/compiled.py": "print('set up')",
    "app/PySide6/__init__.py": "",
    "app/PySide6/QtCore.py": "",
}


def _set_up(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    environment.pop("RAIDWRIGHT_SET_UP_LOCKED", None)
    return subprocess.run([folder / "packaging/set-up"], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that was set up once."""
    folder = tmp_path_factory.mktemp("made") / "checkout"
    for name, content in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    shutil.copy(ROOT / "packaging/set-up", folder / "packaging")
    done = _set_up(folder)
    assert (done.returncode, done.stdout) == (0, "set up\n"), done.stderr
    return folder


def test_nothing_is_done_twice(made: Path) -> None:
    again = _set_up(made)
    assert (again.returncode, again.stderr) == (0, "")


def _upgrade(venv: Path) -> None:
    (found,) = (venv / "lib").glob("python3*")
    found.rename(found.with_name("python3.1"))


def _dangle(venv: Path) -> None:
    (venv / "bin/python").unlink()
    (venv / "bin/python").symlink_to("/nowhere/python3")


def _kill_within_venv(venv: Path) -> None:
    (packages,) = venv.glob("lib/python3*/site-packages")
    shutil.rmtree(packages)
    packages.mkdir()
    (venv / "set-up-for").unlink()
    (venv / "bin/activate").unlink()


@pytest.mark.drawn
@pytest.mark.parametrize("spoil", [_upgrade, _dangle, _kill_within_venv])
def test_a_venv_that_cannot_be_used_is_made_anew(made: Path, spoil: object) -> None:
    assert callable(spoil)
    spoil(made / ".venv")
    done = _set_up(made)
    assert (done.returncode, done.stdout) == (0, "set up\n"), done.stderr
    assert "making it anew" in done.stderr
    assert _set_up(made).stderr == ""


@pytest.mark.drawn
def test_a_checkout_that_was_moved_is_set_up_anew(made: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(made, moved, symlinks=True)
    done = _set_up(moved)
    assert (done.returncode, done.stdout) == (0, "set up\n"), done.stderr
    command = (moved / ".venv/bin/pip").read_text(encoding="utf-8")
    assert str(moved) in command


@pytest.mark.drawn
def test_two_at_once_take_turns(made: Path, tmp_path: Path) -> None:
    both = tmp_path / "both"
    shutil.copytree(made, both, ignore=shutil.ignore_patterns(".venv"))
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    argv = [both / "packaging/set-up"]
    pair = [subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [(one.communicate()[0], one.returncode) for one in pair] == [("set up\n", 0)] * 2


def test_it_ends_with_whoever_started_it(made: Path, tmp_path: Path) -> None:
    """Also in the background of a script, where an interrupt is ignored."""
    here, mark = tmp_path / "here", tmp_path / "compiling"
    shutil.copytree(made, here, symlinks=True)
    slow = f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(600)"
    (here / "app/raidwright/lab/compiled.py").write_text(slow, encoding="utf-8")
    script = "trap '' INT; packaging/set-up; true"
    with subprocess.Popen(["/bin/sh", "-c", script], cwd=here, start_new_session=True) as parent:
        until(mark.exists)
        parent.kill()
    until(lambda: not processes_in(here))


@pytest.mark.drawn
def test_a_failure_of_pips_is_a_sentence(made: Path, tmp_path: Path) -> None:
    failing = tmp_path / "failing"
    shutil.copytree(made, failing, symlinks=True)
    (failing / "packaging/requirements.lock").write_text(f"numpy==1.26.4 --hash=sha256:{'0' * 64}\n")
    done = _set_up(failing)
    assert done.returncode == 2
    assert "set-up: pip could not install the Python packages; its whole output is in " in done.stderr


def _on(folder: Path, os_release: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up where /etc/os-release says ``os_release``."""
    (folder / "os-release").write_text(os_release)
    namespace = ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]
    script = "mount --bind os-release /etc/os-release && exec packaging/set-up"
    environment = {**os.environ, "PIP_NO_INDEX": "1"}
    environment.pop("RAIDWRIGHT_SET_UP_LOCKED", None)
    command = [*namespace, "sh", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.drawn
@pytest.mark.parametrize(
    "os_release",
    [
        'ID=debian\nPRETTY_NAME="Debian GNU/Linux forky/sid"\nVERSION_CODENAME=forky\n',
        'ID=linuxmint\nID_LIKE="ubuntu debian"\nPRETTY_NAME="Linux Mint 23"\nVERSION_ID="23"\n',
    ],
)
def test_what_is_made_from_debian_is_tried_with_a_warning(made: Path, tmp_path: Path, os_release: str) -> None:
    here = tmp_path / "here"
    shutil.copytree(made, here, symlinks=True)
    (here / ".venv/set-up-for").unlink()
    done = _on(here, os_release)
    assert (done.returncode, done.stdout) == (0, "set up\n"), done.stderr
    name = os_release.partition('PRETTY_NAME="')[2].partition('"')[0]
    assert f"set-up: this is {name}, not tried here; trying it" in done.stderr


@pytest.mark.drawn
@pytest.mark.parametrize(
    "os_release",
    ['ID=debian\nPRETTY_NAME="Debian 11"\nVERSION_ID="11"\n', 'ID=fedora\nPRETTY_NAME="Fedora 44"\nVERSION_ID=44\n'],
)
def test_other_systems_are_refused(made: Path, tmp_path: Path, os_release: str) -> None:
    here = tmp_path / "here"
    shutil.copytree(made, here, symlinks=True)
    done = _on(here, os_release)
    assert (done.returncode, done.stdout) == (2, "")
    assert "set-up knows Debian" in done.stderr


def test_a_missing_package_of_which_either_will_do_isnt_asked_for(made: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    shutil.copytree(made, here, symlinks=True)
    (here / "resources/packages/compiler.txt").write_text("raidwright-has-no-compiler|bash\n")
    done = _set_up(here)
    assert (done.returncode, done.stdout) == (0, "set up\n"), done.stderr
