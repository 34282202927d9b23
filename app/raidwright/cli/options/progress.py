"""A job's steps on standard error; standard output is for the result."""

from __future__ import annotations

import sys

from raidwright.core.protocol.measured import Sample
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.text.catalogue import number
from raidwright.text.job_steps import job_step_words


def say_progress(update: JobProgress | Sample) -> None:
    """Print a step, and the fraction of the job that is done."""
    if isinstance(update, JobProgress):
        print(f"{number(update.fraction, '.0%'):>4}  {job_step_words(update.step)}", file=sys.stderr)
