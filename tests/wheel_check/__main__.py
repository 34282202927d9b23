"""Installation of the wheel on a bare Debian as docs/installing.md says, and the whole journey there.

Each Debian is a folder that mmdebstrap makes (``bare.py``): no disk of this computer is in it, and nothing is left
behind. Of the checkout, only the kit that drives the window (``tests/kit``) is copied. Needs root, a
network, and 4 GB of room where temporary files go.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from ..kit import check
from . import bare
from .built import ROOT, bring_kit, build_wheel

_HERE = Path(__file__).parent
_SECTION = "## Installed, without a checkout\n"


def install_commands() -> tuple[str, ...]:
    """Return the commands of docs/installing.md for a wheel: its installation, the practice machine, and the helper."""
    section = (ROOT / "docs/installing.md").read_text(encoding="utf-8").partition(_SECTION)[2].partition("\n## ")[0]
    return tuple(re.findall(r"```[^\n]*\n(.*?)```", section, re.DOTALL))


def main() -> int:
    """Install it on each; return 1 when that fails on one of them."""
    options = bare.parse(check.parser("wheel-check", __doc__, debian=bare.DEBIANS))
    with check.table("wheel", ("debian", "holds")) as table:
        for name in options.debian or bare.DEBIANS:
            holds = bare.holds_on(name, _prepare)
            table.add((name, holds), holds=holds)
    return table.verdict(f"The wheel on {table.rows} systems, {table.wrong} failed")


def _prepare(folder: Path) -> None:
    """Put into ``folder`` what the check brings along."""
    build_wheel(folder)
    shutil.copy(_HERE / "inside", folder)
    for name, commands in zip(("install", "practice", "helper"), install_commands(), strict=True):
        (folder / name).write_text(f"set -eux\n{commands}", encoding="utf-8")
    bring_kit(folder)


if __name__ == "__main__":
    sys.exit(main())
