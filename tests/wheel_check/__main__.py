"""Installs the wheel on a bare Debian as README.md says, and makes the whole journey there.

Each Debian is a folder that mmdebstrap makes (``bare.py``): no disk of this computer is in it, and nothing stays
behind. Of the checkout, only what drives the window (``tests/kit``) comes along. Needs root, a
network, and 4 GB of room where temporary files go.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import time
from pathlib import Path

from . import bare
from .built import ROOT, bring_kit, build_wheel

_HERE = Path(__file__).parent
_SECTION = "## Installed, without a checkout\n"


def readme_commands() -> tuple[str, ...]:
    """What README.md lets the user of a wheel type: to install it, for the practice machine, and for the helper."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition(_SECTION)[2].partition("\n## ")[0]
    return tuple(re.findall(r"```[^\n]*\n(.*?)```", section, re.DOTALL))


def main() -> int:
    """1 when it fails on one of them."""
    parser = argparse.ArgumentParser(prog="make wheel-check", description=__doc__)
    parser.add_argument("--debian", choices=bare.DEBIANS, action="append", help="only this one")
    options = parser.parse_args()
    if os.geteuid():
        parser.error("bare Debians are made and entered as root")
    failed = [name for name in options.debian or bare.DEBIANS if not _holds_on(name)]
    print(f"The wheel fails on: {', '.join(failed)}." if failed else "The wheel holds everything.")
    return bool(failed)


def _holds_on(debian_name: str) -> bool:
    began = time.monotonic()
    with bare.system(debian_name) as root:
        _prepare(root / "check")
        held = bare.run_inside(root)
    print(f"{debian_name}: {'holds' if held else 'fails'} after {time.monotonic() - began:.0f} s", flush=True)
    return held


def _prepare(check: Path) -> None:
    """Put there what the check brings along."""
    build_wheel(check)
    shutil.copy(_HERE / "inside", check)
    for name, commands in zip(("install", "practice", "helper"), readme_commands(), strict=True):
        (check / name).write_text(f"set -eux\n{commands}", encoding="utf-8")
    bring_kit(check)


if __name__ == "__main__":
    sys.exit(main())
