"""Debian packages: built twice with the same bytes, checked by lintian, and installed on a bare Debian 12 and 13.

The script ``inside`` installs the program alone and with the helper, then a higher version over both, and purges them.
The bare systems are made and entered as those of ``make wheel-check``. Needs root, a network, and 2 GB of room.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from raidwright import __version__

from tests.kit import check
from tests.wheel_check import bare
from tests.wheel_check.built import ROOT, bring_kit

_HERE = Path(__file__).parent
_TOOLS = {
    "desktop-file-validate": "applications/*.desktop",
    "appstreamcli validate --no-net --strict": "metainfo/*.xml",
    "man --warnings --encoding=UTF-8 --local-file --troff-device=utf8 --ditroff": "man/man*/*.gz",
}


def main() -> int:
    """Build, compare and install; return 1 when something doesn't hold."""
    parser = check.parser("deb-check", __doc__, debian=bare.DEBIANS)
    parser.add_argument("--only-install", action="store_true", help="as they are in build/deb, not built anew")
    options = bare.parse(parser)
    packages, following = ROOT / "build/deb", ROOT / "build/deb/next"
    with check.table("deb", ("what", "holds")) as table:

        def add(what: str, failed: list[str]) -> None:
            table.add((what, not failed), f"{what} {' '.join(failed)}".strip(), holds=not failed)

        if not options.only_install:
            add("the same bytes twice", _built_twice(packages))
            _build(following, "--version", f"{__version__}+1", "--uncompressed")
            add("lintian", _faults_of_lintian(packages))
            add("menus, program shops and manuals", _faults_of_files(packages))
        prepare = partial(_prepare, packages, following)
        for name in options.debian or bare.DEBIANS:
            add(name, [] if bare.holds_on(name, prepare) else ["fails"])
    return table.verdict(f"The packages: {table.rows} checks, {table.wrong} failed")


def _build(folder: Path, *options: str, **surroundings: str) -> dict[str, str]:
    """Build the packages into ``folder``; return each one's SHA-256 by its name."""
    shutil.rmtree(folder, ignore_errors=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packaging"), **surroundings}
    subprocess.run([sys.executable, "-m", "deb", "--to", folder, *options], check=True, env=environment, cwd=ROOT)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("*.deb"))}


def _built_twice(packages: Path) -> list[str]:
    """Build twice, the second time elsewhere with another umask and language; both are of the same commit."""
    newest = ("git", "-C", ROOT, "log", "-1", "--format=%ct")
    os.environ.setdefault("SOURCE_DATE_EPOCH", subprocess.check_output(newest, text=True).strip())
    first = _build(packages)
    with tempfile.TemporaryDirectory(prefix="raidwright-deb-") as directory:
        before = os.umask(0o077)
        second = _build(Path(directory) / "again", LANGUAGE="ja")
        os.umask(before)
    for name, digest in first.items():
        same = second.get(name) == digest
        print(f"{name}: {digest[:16]}, {'the same bytes' if same else f'but {second.get(name)}'} the second time")
    return [] if first == second and len(first) == 2 else ["not the same bytes twice"]


def _faults_of_lintian(packages: Path) -> list[str]:
    argv = ["lintian", "--allow-root", "--info", "--fail-on", "error,warning"]
    argv += sorted(map(str, packages.glob("*.deb")))
    done = subprocess.run(argv, check=False)
    return ["lintian"] if done.returncode else []


def _faults_of_files(packages: Path) -> list[str]:
    """Return the tools (of menus, program shops and manuals) that complain about the shipped files."""
    failed = []
    with tempfile.TemporaryDirectory(prefix="raidwright-deb-") as directory:
        for package in packages.glob("*.deb"):
            unpack: list[str | Path] = ["dpkg-deb", "--extract", package, directory]
            subprocess.run(unpack, check=True)
        for tool, pattern in _TOOLS.items():
            files = sorted(Path(directory, "usr/share").glob(pattern))
            done = subprocess.run([*tool.split(), *files], capture_output=True, text=True, check=False)
            said = done.stderr if tool.startswith("man ") else done.stdout + done.stderr
            print(f"{tool}: {len(files)} files, code {done.returncode}. {said.strip()}", flush=True)
            if done.returncode or not files or (tool.startswith("man ") and said):
                failed.append(tool)
    return failed


def _prepare(packages: Path, following: Path, folder: Path) -> None:
    shutil.copy(_HERE / "inside", folder)
    for source, target in ((packages, folder), (following, folder / "next")):
        target.mkdir(exist_ok=True)
        for package in source.glob("*.deb"):
            shutil.copy(package, target)
    bring_kit(folder)


if __name__ == "__main__":
    sys.exit(main())
