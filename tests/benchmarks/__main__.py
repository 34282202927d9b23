"""All benchmarks, or those named on the command line: ``python -m tests.benchmarks core``."""

from __future__ import annotations

from ..kit import check
from . import bench_core, bench_help, bench_loss, bench_stage, bench_wishes, frames, live, startup, watching

BENCHMARKS = {
    "core": bench_core.run,
    "help": bench_help.run,
    "loss": bench_loss.run,
    "stage": bench_stage.run,
    "live": live.run,
    "frames": frames.run,
    "wishes": bench_wishes.run,
    "startup": startup.run,
    "watching": watching.run,
}

parser = check.parser("bench", "Measure how fast things are.")
parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all where none is named")
names = parser.parse_args().names
if unknown := [name for name in names if name not in BENCHMARKS]:
    parser.error(f"there is no benchmark “{unknown[0]}”; there are {', '.join(BENCHMARKS)}")
for name in names or BENCHMARKS:
    BENCHMARKS[name]()
