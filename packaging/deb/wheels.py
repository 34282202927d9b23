"""The bundled Python packages: Debian lacks them, or the versions that the program needs.

They are the wheels that ``requirements.lock`` pins by hash. Those with extension modules of one Python alone (numpy,
dbus-fast) are laid over one another: each Python finds its own by the file's name, such as ``….cpython-311-….so``.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from packaging.requirements import Requirement

PYTHONS = ("3.11", "3.12", "3.13", "3.14")  # Debian 12; Ubuntu 24.04; Debian 13; Debian 14 and Ubuntu 26.04
_TAGS = ("manylinux_2_34_x86_64", "manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64")
_LOCK = Path(__file__).parents[1] / "requirements.lock"

# The parts of Qt that the window uses, and that Qt loads for it; the rest are its designer, QML, databases, tools.
_QT = (
    *("*.py", "libpyside6.abi3.so.*", "Qt/translations/qtbase_*.qm"),
    "Qt{Core,Gui,OpenGL,OpenGLWidgets,PrintSupport,Svg,Widgets}.abi3.so",  # OpenGL: pyqtgraph imports it unused
    *("Qt/lib/libicu*", "Qt/lib/libQt6{Core,DBus,Gui,OpenGL,OpenGLWidgets,PrintSupport,Svg,Widgets}.so.6"),
    *("Qt/lib/libQt6{WaylandClient,WlShellIntegration,XcbQpa}.so.6", "Qt/plugins/xcbglintegrations/*"),
    *("Qt/plugins/platforms/libq{offscreen,minimal,xcb,wayland}.so", "Qt/plugins/platformthemes/*"),
    *("Qt/plugins/platforminputcontexts/lib{compose,ibus}*", "Qt/plugins/printsupport/*", "Qt/plugins/iconengines/*"),
    *("Qt/plugins/imageformats/libq{svg,gif,jpeg,ico}.so", "Qt/plugins/wayland-decoration-client/*"),
    *("Qt/plugins/wayland-shell-integration/*", "Qt/plugins/wayland-graphics-integration-client/*-wayland-egl.so"),
)
# Files only for developers and testers of a package.
_LEFT_OUT = (
    *("*.pyi", "*.pyx", "*.pxd", "*/tests/*", "*_tests.cpython-*", "*.dist-info/RECORD", "pyqtgraph/examples/*"),
    *("numpy/f2py/*", "numpy/_core/include/*", "numpy/*/lib/*.a", "shiboken6/include/*", "PySide6/scripts/*"),
)
# Records how the wheel was built; each has its own, and nothing reads it.
_MAY_DIFFER = ("*.dist-info/WHEEL", "numpy/__config__.py")


def names(distribution: str = "raidwright") -> list[str]:
    """Return the packages that it needs, recursively, as the lock names them."""
    found: set[str] = set()
    wanted = [distribution]
    while wanted:
        for line in importlib.metadata.requires(wanted.pop()) or ():
            need = Requirement(line)
            name = re.sub(r"[-_.]+", "-", need.name).lower()
            if name not in found and (need.marker is None or need.marker.evaluate({"extra": ""})):
                found.add(name)
                wanted.append(name)
    return sorted(found)


def fetch(folder: Path) -> list[Path]:
    """Download the pinned wheels into ``folder``, for every supported Python; raises CalledProcessError."""
    pinned = dict(_pins(_LOCK.read_text(encoding="utf-8")))
    requirements = folder / "requirements.txt"
    folder.mkdir(parents=True, exist_ok=True)
    requirements.write_text("".join(pinned[name] for name in names()), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    pip += [f"--platform={tag}" for tag in _TAGS]
    for python in PYTHONS:
        to = folder / python
        subprocess.run(
            [*pip, f"--python-version={python}", f"--dest={to}", f"--requirement={requirements}"], check=True
        )
    return sorted(folder.glob("*/*.whl"), key=lambda path: path.name)


def _pins(lock: str) -> Iterator[tuple[str, str]]:
    for pin in re.finditer(r"^(\S+?)==(?:.*\\\n)+.*\n", lock, re.MULTILINE):
        yield pin[1], pin[0]


def unpack(wheels: list[Path], folder: Path) -> None:
    """Unpack the needed files of the wheels over one another; raises ValueError if two differ in a file."""
    hashes: dict[str, str] = {}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in filter(_is_wanted, archive.namelist()):
                content = archive.read(name)
                digest = hashlib.sha256(content).hexdigest()
                if hashes.setdefault(name, digest) != digest and not _is_any(name, _MAY_DIFFER):
                    raise ValueError(f"{wheel.name} has another {name} than the wheel before it")
                target = folder / name
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)


def _is_wanted(name: str) -> bool:
    if name.endswith("/") or ".data/" in name or _is_any(name, _LEFT_OUT):
        return False
    return not name.startswith("PySide6/") or _is_any(name.removeprefix("PySide6/"), _QT)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, plain) for pattern in patterns for plain in _alternatives(pattern))


def _alternatives(pattern: str) -> list[str]:
    """Expand ``a{b,c}`` as a shell does."""
    before, brace, rest = pattern.partition("{")
    inside, _, after = rest.partition("}")
    return [before + part + after for part in inside.split(",")] if brace else [pattern]
