"""The wheel of this checkout, which is left as it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from shipped import DOCUMENTS, FOLDERS

ROOT = Path(__file__).parents[2]
_FOLDERS = ("app", *FOLDERS)
_BUILDS = ("packaging/shipped.py", "packaging/translations.py")
_FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", *DOCUMENTS, *_BUILDS)
_MADE = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.mo")


def build_wheel(folder: Path) -> Path:
    """Put the wheel into ``folder``; it is built of the source distribution, which so is whole, too."""
    with tempfile.TemporaryDirectory(prefix="raidwright-wheel-") as directory:
        source = Path(directory) / "source"
        for name in _FOLDERS:
            shutil.copytree(ROOT / name, source / name, ignore=_MADE)
        (source / "packaging").mkdir()
        for name in _FILES:
            shutil.copy(ROOT / name, source / name)
        make = f"from setuptools import build_meta; build_meta.build_sdist({directory!r})"
        _run([sys.executable, "-c", make], source)
        (archive,) = Path(directory).glob("*.tar.gz")
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        _run([*pip, "--wheel-dir", str(folder), str(archive)], source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def bring_kit(check: Path) -> None:
    """Put into ``check`` what drives the window on a virtual screen, and the names of the packages that takes."""
    lines = (ROOT / "packaging/packages-screen.txt").read_text(encoding="utf-8").splitlines()
    (check / "screen").write_text(" ".join(line.partition("#")[0] for line in lines), encoding="utf-8")
    shutil.copytree(ROOT / "tests/kit", check / "kit/tests/kit")
    shutil.copy(ROOT / "tests/__init__.py", check / "kit/tests")


def _run(argv: list[str], folder: Path) -> None:
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
