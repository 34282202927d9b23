"""All benchmarks, or those named on the command line: ``python -m tests.benchmarks core``."""

from __future__ import annotations

import sys

from . import bench_core, bench_loss, bench_stage, startup

BENCHMARKS = {"core": bench_core.run, "loss": bench_loss.run, "stage": bench_stage.run, "startup": startup.run}

for name in sys.argv[1:] or BENCHMARKS:
    BENCHMARKS[name]()
