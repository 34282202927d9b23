"""Makes ``raidwright-helper_*.deb`` and ``raidwright_*.deb``: the same bytes each time from the same commit.

A package is what ``packaging/deb/NAME/`` holds (``files.txt`` says which file goes where), and what is put together
here: the helper's code, or the program with the Python packages that it brings along. dpkg-deb does the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import raidwright
from raidwright import debian, helper_package
from raidwright.lab.compiled import compile_into
from raidwright.resources import COMPILED
from shipped import copy_shipped
from translations import compile_all

from . import wheels

ROOT = Path(__file__).parents[2]
_HERE = Path(__file__).parent
_PACKAGES = ("raidwright-helper", "raidwright")
_PROGRAM = "usr/lib/raidwright-program"
_SCRIPTS = ("postinst", "prerm", "postrm")
_DISKS = f"{_PROGRAM}/raidwright/_shipped/{COMPILED}/disks"
_RUNNABLE = ("usr/bin/", "usr/libexec/", _DISKS, *(f"DEBIAN/{script}" for script in _SCRIPTS))
_MADE = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.mo")
_GZIP_HEADER = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3))  # deflate, no name, no time, packed most, Unix


def main() -> int:
    """Build the packages and return 0; failures are exceptions."""
    parser = argparse.ArgumentParser(prog="make deb", description=__doc__)
    parser.add_argument("--to", type=Path, default=ROOT / "build/deb", help="where the packages go (%(default)s)")
    parser.add_argument("--version", default=raidwright.__version__, help="their version (%(default)s)")
    parser.add_argument("--only", choices=_PACKAGES, help="make this one alone")
    parser.add_argument("--uncompressed", action="store_true", help="in seconds, for a trial")
    options = parser.parse_args()
    newest = ("git", "-C", ROOT, "log", "-1", "--format=%ct")
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.check_output(newest, text=True).strip()
    # The man page must not depend on the builder's terminal and language; nor may any mode depend on the umask.
    os.environ.update(SOURCE_DATE_EPOCH=epoch, COLUMNS="80", LANGUAGE="C", LC_ALL="C.UTF-8")
    os.umask(0o022)
    options.to.mkdir(parents=True, exist_ok=True)
    for name in (options.only,) if options.only else _PACKAGES:
        with tempfile.TemporaryDirectory(prefix=f"{name}-") as directory:
            tree = Path(directory) / "tree"
            (_fill_program if name == "raidwright" else helper_package.install)(tree)
            _add_files(name, tree, options.version, datetime.fromtimestamp(int(epoch), UTC))
            _add_control(name, tree, options.version)
            target = options.to / f"{name}_{options.version}_{_field(name, 'Architecture')}.deb"
            _pack(tree, target, int(epoch), uncompressed=options.uncompressed)
            print(target)
    return 0


def _fill_program(tree: Path) -> None:
    """Copy the program, as in its wheel (``setup.py``), and its bundled packages."""
    program = tree / _PROGRAM
    shutil.copytree(ROOT / "app/raidwright", program / "raidwright", ignore=_MADE)
    copy_shipped(ROOT, program / "raidwright/_shipped")
    compile_all(program / "raidwright/_shipped/resources/translations")
    compile_into(program / "raidwright/_shipped" / COMPILED)
    wheels.unpack(wheels.fetch(ROOT / "build/deb/wheels"), program)
    # PySide6 unpacks its own Python files at each start, into memory, unless they are in its folder already.
    environment = {"PATH": os.defpath, "PYTHONPATH": str(program), "SBK_EMBED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-S", "-c", "import PySide6.QtCore"], env=environment, check=True)


def _add_files(name: str, tree: Path, version: str, made: datetime) -> None:
    """Copy the files in ``files.txt``, the manual, and each package's own documents."""
    for line in (_HERE / name / "files.txt").read_text(encoding="utf-8").splitlines():
        source, target = line.split()
        (tree / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, tree / target)
    if name == "raidwright":
        _add_release(tree / "usr/share/metainfo/org.raidwright.Raidwright.metainfo.xml", version, made)
    documents = tree / "usr/share/doc" / name
    documents.mkdir(parents=True)
    shutil.copyfile(_HERE / name / "copyright", documents / "copyright")
    change = (
        f"{name} ({version}) unstable; urgency=medium\n\n  * What changed is said in CHANGELOG.md of the source.\n\n"
    )
    change += f" -- {_field(name, 'Maintainer')}  {format_datetime(made)}\n"
    _zip(documents / "changelog.gz", change)
    if name == "raidwright":
        from .command_line import completion, man_page  # noqa: PLC0415 -- the language is chosen by then

        _zip(tree / "usr/share/man/man1/raidwright.1.gz", man_page(version, f"{made:%Y-%m-%d}"))
        completions = tree / "usr/share/bash-completion/completions"
        completions.mkdir(parents=True)
        (completions / "raidwright").write_text(completion(), encoding="utf-8")
    else:
        page = (_HERE / name / "raidwright-helper.8").read_text(encoding="utf-8")
        _zip(tree / "usr/share/man/man8/raidwright-helper.8.gz", page)


def _field(name: str, field: str) -> str:
    """Return a field of the package's control file."""
    lines = (_HERE / name / "control").read_text(encoding="utf-8").splitlines()
    return next(line.partition(": ")[2] for line in lines if line.startswith(f"{field}: "))


def _add_release(about: Path, version: str, made: datetime) -> None:
    """Add the version to the AppStream metadata, as a development release until there is a release."""
    release = f'<release type="development" version="{version}" date="{made:%Y-%m-%d}"/>'
    text = about.read_text(encoding="utf-8")
    about.write_text(
        text.replace("  <content_rating", f"  <releases>\n    {release}\n  </releases>\n  <content_rating"),
        encoding="utf-8",
    )


def _zip(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(zipped(text.encode()))


def zipped(content: bytes) -> bytes:
    """Compress ``content`` as gzip, the same on every Python: their headers differ (RFC 1952: OS 3 is Unix)."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    return _GZIP_HEADER + packed + struct.pack("<LL", zlib.crc32(content), len(content) % 2**32)


def _add_control(name: str, tree: Path, version: str) -> None:
    """Make dpkg's own folder: the control file, the scripts, the files' checksums."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    folder = tree / "DEBIAN"
    folder.mkdir()
    control = (_HERE / name / "control").read_text(encoding="utf-8").replace("@VERSION@", version)
    for part in ("window", "lab", "helper"):
        control = control.replace(f"@{part.upper()}@", ", ".join(" | ".join(names) for names in debian.packages(part)))
    kib = sum(-(-path.stat().st_size // 1024) for path in files)
    (folder / "control").write_text(f"{control}Installed-Size: {kib}\n", encoding="utf-8")
    sums = (f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in files)  # noqa: S324
    (folder / "md5sums").write_text("".join(sums), encoding="utf-8")
    for script in _SCRIPTS:
        if (source := _HERE / name / script).exists():
            shutil.copyfile(source, folder / script)


def _pack(tree: Path, target: Path, epoch: int, *, uncompressed: bool) -> None:
    """Pack the tree, with the same owner, modes and time for all."""
    for path in (tree, *tree.rglob("*")):
        runs = path.is_dir() or str(path.relative_to(tree)).startswith(_RUNNABLE)
        path.chmod(0o755 if runs else 0o644)
        os.utime(path, (epoch, epoch))
    # One thread, so that the bytes don't depend on the number of processors.
    how = ["-Znone"] if uncompressed else ["-Zxz", "-z2", "--threads-max=1"]
    pack = ["dpkg-deb", "--root-owner-group", *how, "--build", str(tree), str(target)]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
