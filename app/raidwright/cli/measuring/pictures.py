"""Pictures of runs and comparisons as files, drawn by the window's code; Qt is imported only then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidwright.cli.options.drawing import drawing
from raidwright.core.errors import InputError
from raidwright.runs.comparing import AgainstPrediction, Compared
from raidwright.runs.run import Run

PICTURES = ("png", "svg")


def save_picture(path: Path, shown: Sequence[Run] | Sequence[Compared | AgainstPrediction]) -> None:
    """Draw runs beside each other by workload, or a comparison like the Compare page.

    Raises InputError if the file can't be written.
    """
    if path.suffix.lower().removeprefix(".") not in PICTURES:
        raise InputError(
            "“{path}” is no name for a picture; let it end in .svg or .png.", code="picture-name", path=path
        )
    drawing("raidwright.ui.stations.measure.compare.without_window").draw(path, shown)
