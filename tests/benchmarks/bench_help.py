"""Time and memory of each subcommand's ``--help``, beside Python's own start."""

from __future__ import annotations

import subprocess
import sys

from raidwright.cli import _COMMANDS as COMMANDS

from ..kit.check import report
from .timing import median_ms

ROUNDS = 3
MAX_SECONDS, MAX_MB = 0.8, 40
_MEMORY = """import sys
from raidwright.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')), file=sys.stderr)"""


def run() -> None:
    """Print each subcommand's median wall time, its ratio to a bare Python's, and its peak memory."""
    bare_ms = median_ms(lambda: subprocess.run([sys.executable, "-c", ""], check=True), ROUNDS)
    rows = []
    for command in COMMANDS:
        argv = [sys.executable, "-c", _MEMORY, command, "--help"]
        kib = int(subprocess.run(argv, capture_output=True, text=True, check=True).stderr)
        words = [sys.executable, "-m", "raidwright", command, "--help"]
        each_ms = median_ms(lambda words=words: subprocess.run(words, capture_output=True, check=True), ROUNDS)  # type: ignore[misc]
        rows.append([command, f"{each_ms / 1000:.2f} s", f"{each_ms / bare_ms:.1f}", f"{kib * 1024 / 1e6:.0f} MB"])
    report("help", [f"--help (under {MAX_SECONDS} s and {MAX_MB} MB)", "takes", "bare Pythons", "memory"], rows)
