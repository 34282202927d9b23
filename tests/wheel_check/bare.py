"""A bare Debian as a folder, and entering it: with mounts, processes and a /dev of its own, so without our disks."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

DEBIANS = ("bookworm", "trixie")
_APT_REACHES = ("apt-config", "dump", "Acquire")


@contextlib.contextmanager
def system(debian_name: str) -> Iterator[Path]:
    """A new one, which reaches its mirrors as this computer does, and has an empty ``check`` folder."""
    with tempfile.TemporaryDirectory(prefix=f"raidwright-{debian_name}-") as directory:
        root = Path(directory) / "root"
        print(f"{debian_name}: making a bare system", flush=True)
        bare = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=apt,ca-certificates", debian_name, str(root)]
        subprocess.run(bare, check=True, stdin=subprocess.DEVNULL)
        (root / "check").mkdir()
        ours = Path("/usr/local/share/ca-certificates")
        if ours.is_dir():
            shutil.copytree(ours, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
        reach = subprocess.run(_APT_REACHES, capture_output=True, text=True, check=True).stdout
        lines = re.findall(r"^Acquire::(?:http|https|Check)\b.*", reach, re.MULTILINE | re.IGNORECASE)
        (root / "etc/apt/apt.conf.d/90check").write_text("\n".join([*lines, 'APT::Get::Assume-Yes "true";\n']))
        yield root


def enter(root: Path, output: IO[bytes] | None = None) -> int:
    """Run ``check/inside`` there, with all that it prints in ``output``; return its exit code."""
    argv = [str(Path(__file__).parent / "enter"), str(root), *_environment()]
    said = None if output is None else subprocess.STDOUT
    return subprocess.run(argv, check=False, stdin=subprocess.DEVNULL, stdout=output, stderr=said).returncode


def run_inside(root: Path) -> bool:
    """Return whether ``check/inside`` succeeds there."""
    return enter(root) == 0


def _environment() -> list[str]:
    kept = (name for name in os.environ if name.lower().endswith("_proxy") or name in ("PIP_CERT", "PIP_INDEX_URL"))
    return [f"{name}={os.environ[name]}" for name in kept]
