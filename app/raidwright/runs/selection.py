"""Selection of runs by a few words: an id, its beginning or end, or their series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from raidwright.core.errors import InputError

from .run import BegunRun

_Kept = TypeVar("_Kept", bound=BegunRun)
_NAMED = 3


def meant_runs(texts: Sequence[str], runs: Sequence[_Kept]) -> list[_Kept]:
    """Return the runs that ``texts`` name, each once, in their order; raises InputError for no match, or several."""
    found: dict[str, _Kept] = {}
    for text in texts:
        found |= {run.id: run for run in _meant(text, runs)}
    return list(found.values())


def _meant(text: str, runs: Sequence[_Kept]) -> list[_Kept]:
    of_series = [run for run in reversed(runs) if run.series is not None and _names(text, run.series.id)]
    if of_series and len({run.series and run.series.id for run in of_series}) == 1:
        return of_series
    exact = [run for run in runs if run.id == text]
    close = exact or [run for run in runs if _names(text, run.id)]
    if len(close) == 1:
        return close
    if not close:
        raise InputError("There is no run “{text}”; “raidwright runs” lists them.", code="run-unknown", text=text)
    raise InputError(
        "“{text}” may be {count} runs, among them {names}; write more of the one that you mean.",
        code="run-ambiguous",
        text=text,
        count=len(close),
        names=[run.id for run in close[:_NAMED]],
    )


def _names(text: str, run_id: str) -> bool:
    """Match the whole id, its beginning, or its last part, which is unique."""
    return run_id.startswith(text) or run_id.rpartition("-")[2] == text
