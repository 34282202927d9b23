"""Bare Debian systems as folders, entered with mounts, processes and a /dev of their own, so without our disks."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

DEBIANS = ("bookworm", "trixie")
_APT_REACHES = ("apt-config", "dump", "Acquire")


@contextlib.contextmanager
def system(debian_name: str) -> Iterator[Path]:
    """Make a new system, which reaches its mirrors as this computer does and has an empty ``check`` folder."""
    with tempfile.TemporaryDirectory(prefix=f"raidwright-{debian_name}-") as directory:
        root = Path(directory) / "root"
        print(f"{debian_name}: making a bare system", flush=True)
        reach = subprocess.run(_APT_REACHES, capture_output=True, text=True, check=True).stdout
        lines = re.findall(r"^Acquire::(?:http|https|Check)\b.*", reach, re.MULTILINE | re.IGNORECASE)
        dated = [f"--aptopt={line.rstrip(';')}" for line in lines if line.startswith("Acquire::Check")]
        bare = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=apt,ca-certificates", *dated]
        subprocess.run([*bare, debian_name, str(root)], check=True, stdin=subprocess.DEVNULL)
        (root / "check").mkdir()
        ours = Path("/usr/local/share/ca-certificates")
        if ours.is_dir():
            shutil.copytree(ours, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
        (root / "etc/apt/apt.conf.d/90check").write_text("\n".join([*lines, 'APT::Get::Assume-Yes "true";\n']))
        yield root


def enter(root: Path, output: IO[bytes] | None = None) -> int:
    """Run ``check/inside`` there, with all that it prints in ``output``; return its exit code."""
    argv = [str(Path(__file__).parent / "enter"), str(root), *_environment()]
    said = None if output is None else subprocess.STDOUT
    return subprocess.run(argv, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=said).returncode


def holds_on(debian_name: str, prepare: Callable[[Path], None]) -> bool:
    """Return whether ``check/inside`` succeeds on a new system, once ``prepare`` has filled its ``check`` folder."""
    began = time.monotonic()
    with system(debian_name) as root:
        prepare(root / "check")
        held = enter(root) == 0
    print(f"{debian_name}: {'holds' if held else 'fails'} after {time.monotonic() - began:.0f} s", flush=True)
    return held


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the command line of a check on bare systems; exit with 2 when it isn't run as root."""
    options = parser.parse_args()
    if os.geteuid():
        parser.error("bare Debians are made and entered as root")
    return options


def _environment() -> list[str]:
    kept = (name for name in os.environ if name.lower().endswith("_proxy") or name in ("PIP_CERT", "PIP_INDEX_URL"))
    return [f"{name}={os.environ[name]}" for name in kept]
