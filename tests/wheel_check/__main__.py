"""Installs the wheel on a bare Debian as README.md says, and makes the whole journey there.

Each Debian is a folder that mmdebstrap makes, with mounts, processes and a /dev of its own: no disk of this computer is
in it, and nothing stays behind. Of the checkout, only what drives the window (``tests/kit``) comes along. Needs root, a
network, and 4 GB of room where temporary files go.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .built import ROOT, build_wheel

_DEBIANS = ("bookworm", "trixie")
_APT_REACHES = ("apt-config", "dump", "Acquire")
_HERE = Path(__file__).parent
_SECTION = "## Installed, without a checkout\n"


def readme_commands() -> tuple[str, ...]:
    """What README.md lets the user of a wheel type: to install it, for the practice machine, and for the helper."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition(_SECTION)[2].partition("\n## ")[0]
    return tuple(re.findall(r"```\n(.*?)```", section, re.DOTALL))


def main() -> int:
    """1 when it fails on one of them."""
    parser = argparse.ArgumentParser(prog="make wheel-check", description=__doc__)
    parser.add_argument("--debian", choices=_DEBIANS, action="append", help="only this one")
    options = parser.parse_args()
    if os.geteuid():
        parser.error("bare Debians are made and entered as root")
    failed = [name for name in options.debian or _DEBIANS if not _holds_on(name)]
    print(f"The wheel fails on: {', '.join(failed)}." if failed else "The wheel holds everything.")
    return bool(failed)


def _holds_on(debian_name: str) -> bool:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"raidwright-{debian_name}-") as directory:
        root = Path(directory) / "root"
        print(f"{debian_name}: making a bare system", flush=True)
        bare = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=apt,ca-certificates", debian_name, str(root)]
        subprocess.run(bare, check=True, stdin=subprocess.DEVNULL)
        _prepare(root)
        done = subprocess.run([_HERE / "enter", root, *_environment()], check=False, stdin=subprocess.DEVNULL)
    print(
        f"{debian_name}: {'fails' if done.returncode else 'holds'} after {time.monotonic() - began:.0f} s", flush=True
    )
    return done.returncode == 0


def _prepare(root: Path) -> None:
    """Put there what the check brings along, and how this computer reaches its mirrors."""
    check = root / "check"
    check.mkdir()
    build_wheel(check)
    shutil.copy(_HERE / "inside", check)
    for name, commands in zip(("install", "practice", "helper"), readme_commands(), strict=True):
        (check / name).write_text(f"set -eux\n{commands}", encoding="utf-8")
    lines = (ROOT / "packaging/packages-screen.txt").read_text(encoding="utf-8").splitlines()
    (check / "screen").write_text(" ".join(line.partition("#")[0] for line in lines), encoding="utf-8")
    shutil.copytree(ROOT / "tests/kit", check / "kit/tests/kit")
    shutil.copy(ROOT / "tests/__init__.py", check / "kit/tests")
    ours = Path("/usr/local/share/ca-certificates")
    if ours.is_dir():
        shutil.copytree(ours, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
    reach = subprocess.run(_APT_REACHES, capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^Acquire::(?:http|https|Check)\b.*", reach, re.MULTILINE | re.IGNORECASE)
    (root / "etc/apt/apt.conf.d/90check").write_text("\n".join([*lines, 'APT::Get::Assume-Yes "true";\n']))


def _environment() -> list[str]:
    kept = (name for name in os.environ if name.lower().endswith("_proxy") or name in ("PIP_CERT", "PIP_INDEX_URL"))
    return [f"{name}={os.environ[name]}" for name in kept]


if __name__ == "__main__":
    sys.exit(main())
