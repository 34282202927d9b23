"""The Debian packages, as far as that takes seconds; ``make deb-check`` builds and installs them completely."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import zipfile
from itertools import chain
from pathlib import Path

import PySide6
import pytest
from deb import wheels
from deb.__main__ import zipped
from deb.command_line import completion, man_page
from raidwright import debian, helper_package
from raidwright.cli import command_names

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging/deb"


def _run(*argv: str | Path, **environment: str) -> str:
    return subprocess.run(argv, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout


def _build_helper(folder: Path, umask: int) -> Path:
    make = f"import os, runpy, sys; os.umask({umask}); runpy.run_module('deb', run_name='__main__')"
    options = ("--only", "raidwright-helper", "--to", folder)
    _run(sys.executable, "-c", make, *options, PYTHONPATH=str(ROOT / "packaging"), SOURCE_DATE_EPOCH="1700000000")
    (made,) = folder.glob("*.deb")
    return made


def test_the_helpers_package_is_the_same_bytes_twice_and_holds_what_is_installed(tmp_path: Path) -> None:
    first, second = (_build_helper(tmp_path / str(umask), umask) for umask in (0o022, 0o077))
    assert first.read_bytes() == second.read_bytes()
    unpacked, installed = tmp_path / "unpacked", tmp_path / "installed"
    _run("dpkg-deb", "--extract", first, unpacked)
    helper_package.install(installed)
    for path in (path for path in installed.rglob("*") if path.is_file()):
        packed = unpacked / path.relative_to(installed)
        assert packed.read_bytes() == path.read_bytes()
        assert packed.stat().st_mode == path.stat().st_mode
    outside = {path for path in unpacked.rglob("*") if path.is_file() and "share" not in path.parts}
    assert {path.relative_to(unpacked) for path in outside} <= {p.relative_to(installed) for p in installed.rglob("*")}


def test_the_helpers_package_needs_what_the_list_says_and_no_window(tmp_path: Path) -> None:
    needed = _run("dpkg-deb", "--field", _build_helper(tmp_path, 0o022), "Depends")
    names = {part.split()[0] for part in needed.split(",")}
    assert names >= {names[0] for names in debian.packages("helper")}
    assert not names & {*chain(*debian.packages("window")), "python3-numpy"}


@pytest.mark.parametrize("package", ["raidwright", "raidwright-helper"])
def test_only_the_description_has_more_than_a_line(package: str) -> None:
    """Debian Policy 5.1, which lintian enforces."""
    fields = (PACKAGING / package / "control").read_text(encoding="utf-8").partition("\nDescription: ")[0].splitlines()
    assert all(re.match(r"[A-Z][A-Za-z-]+: \S", field) for field in fields)


def test_each_package_that_comes_along_is_pinned_and_has_its_licence_told() -> None:
    told = (PACKAGING / "raidwright/copyright").read_text(encoding="utf-8")
    files = " ".join(re.findall(r"^Files: (.*)$", told, re.MULTILINE))
    lock = (ROOT / "packaging/requirements.lock").read_text(encoding="utf-8")
    names = wheels.names()
    assert {"numpy", "pyside6-essentials", "dbus-fast"} <= set(names)
    for name in names:
        assert re.search(rf"^{name}==\S+ \\\n    --hash=sha256:", lock, re.MULTILINE)
        assert f"/{name.replace('-', '_')}-*" in files
    short = set(re.findall(r"^License: (.*)$", told, re.MULTILINE))
    assert {name for name in short if not re.search(rf"^License: {re.escape(name)}\n ", told, re.MULTILINE)} == set()


def _wheel(path: Path, package: str = "numpy", /, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{package}/{name}", content)
    return path


def test_wheels_for_several_pythons_lie_over_one_another_unless_they_differ(tmp_path: Path) -> None:
    old = _wheel(tmp_path / "old.whl", **{"a.py": "same", "b.cpython-311-x.so": "11", "__config__.py": "11"})
    new = _wheel(tmp_path / "new.whl", **{"a.py": "same", "b.cpython-313-x.so": "13", "__config__.py": "13"})
    wheels.unpack([old, new], tmp_path / "laid")
    assert {path.name for path in (tmp_path / "laid/numpy").iterdir()} == {
        *("a.py", "__config__.py", "b.cpython-311-x.so", "b.cpython-313-x.so")
    }
    other = _wheel(tmp_path / "other.whl", **{"a.py": "another"})
    with pytest.raises(ValueError, match=r"other\.whl has another numpy/a\.py"):
        wheels.unpack([old, other], tmp_path / "again")


# Every module is imported where Python finds only the named parts of Qt.
_IMPORT = """import importlib, pkgutil, sys
class Packed:
    def find_spec(self, name, path, target=None):
        if name.startswith("PySide6.Qt") and name not in sys.argv:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Packed())
import tests.kit.window  # by which the installed window is driven
for package in "raidwright.cli", "raidwright.ui":
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        importlib.import_module(found.name)
"""


def test_what_comes_along_of_qt_is_enough_for_every_module_and_for_those_that_they_import(tmp_path: Path) -> None:
    there = [path.name for path in Path(PySide6.__file__).parent.glob("Qt*.abi3.so")]
    wheels.unpack([_wheel(tmp_path / "qt.whl", "PySide6", **dict.fromkeys(there, ""))], tmp_path)
    packed = [f"PySide6.{path.name.partition('.')[0]}" for path in tmp_path.glob("PySide6/Qt*")]
    assert len(packed) < len(there)
    argv, environment = [sys.executable, "-c", _IMPORT, *packed], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_man_page_tells_of_every_subcommand_and_man_has_nothing_to_say(tmp_path: Path) -> None:
    page = tmp_path / "raidwright.1"
    page.write_text(man_page("1.0", "2026-01-01"), encoding="utf-8")
    assert all(f'.SS "raidwright {name.replace("-", chr(92) + "-")}"' in page.read_text() for name in command_names())
    for path in (page, PACKAGING / "raidwright-helper/raidwright-helper.8"):
        argv = ("groff", "-man", "-Tutf8", "-ww", "-Kutf8", "-z", path)
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        assert not done.stderr


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["as"], ["assess"]),
        (["lab", "disk", "pu"], ["pull"]),
        (["assess", "--js"], ["--json"]),
        (["lab", "up", "4x8TB", "--pa"], ["--pace"]),
        (["assess", "plan."], []),
    ],
)
def test_bash_completes(tmp_path: Path, typed: list[str], offered: list[str]) -> None:
    script = tmp_path / "raidwright"
    script.write_text(completion(), encoding="utf-8")
    ask = '. "$0"; COMP_WORDS=(raidwright "$@"); COMP_CWORD=$#; _raidwright; printf "%s\\n" "${COMPREPLY[@]}"'
    assert _run("bash", "-c", ask, script, *typed).split() == offered


def test_the_menu_entry_is_what_the_window_calls_itself() -> None:
    entry = (PACKAGING / "raidwright/org.raidwright.Raidwright.desktop").read_text(encoding="utf-8")
    window = (ROOT / "app/raidwright/ui/application.py").read_text(encoding="utf-8")
    assert 'setDesktopFileName("org.raidwright.Raidwright")' in window
    assert "\nIcon=org.raidwright.Raidwright\n" in entry


@pytest.mark.parametrize("language", [path.parent.name for path in ROOT.glob("docs/*/guide")])
def test_the_desktop_says_it_in_every_language(language: str) -> None:
    entry = (PACKAGING / "raidwright/org.raidwright.Raidwright.desktop").read_text(encoding="utf-8")
    for key in ("Name", "GenericName", "Comment", "Keywords"):
        assert f"\n{key}[{language}]=" in entry, key
    about = (PACKAGING / "raidwright/org.raidwright.Raidwright.metainfo.xml").read_text(encoding="utf-8")
    for tag in ("summary", "p", "li"):
        assert about.count(f'<{tag} xml:lang="{language}">') == about.count(f"<{tag}>") > 0, tag


def test_what_is_packed_is_the_same_on_every_python() -> None:
    """Python's own gzip writes different headers in 3.11 and 3.13, and argparse formatted options differently."""
    packed = zipped(b"What changed is said elsewhere.\n" * 40)
    assert gzip.decompress(packed) == b"What changed is said elsewhere.\n" * 40
    assert packed[:10].hex() == "1f8b0800000000000203"
    page = man_page("1.0", "2026-01-01")
    assert "-o, --output FILE" in page.replace("\\-", "-")
    assert "-o FILE, --output FILE" not in page.replace("\\-", "-")
