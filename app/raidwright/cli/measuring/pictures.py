"""Pictures of runs and comparisons as files, drawn by the window's own hand; Qt is imported when one is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.runs.comparing import AgainstPrediction, Compared
from raidwright.runs.run import Run
from raidwright.text.catalogue import tr

PICTURES = ("png", "svg")


def picture_of_runs(path: Path, runs: Sequence[Run]) -> None:
    """Each run's bar beside the others', by workload. Raises InputError when the file can't be written."""
    from raidwright.ui.stations.compare.rows import rows_of_runs  # noqa: PLC0415
    from raidwright.ui.stations.compare.without_window import save_picture  # noqa: PLC0415

    save_picture(_checked(path), rows_of_runs(runs), tr("Runs"))


def picture_of_comparison(path: Path, found: Sequence[Compared | AgainstPrediction]) -> None:
    """As the Compare page shows it. Raises InputError when the file can't be written."""
    from raidwright.ui.stations.compare.rows import rows_of  # noqa: PLC0415
    from raidwright.ui.stations.compare.without_window import save_picture  # noqa: PLC0415

    save_picture(_checked(path), rows_of(found), tr("Runs compared"))


def _checked(path: Path) -> Path:
    if path.suffix.lower().removeprefix(".") not in PICTURES:
        raise InputError(
            "“{path}” is no name for a picture; let it end in .svg or .png.", code="picture-name", path=path
        )
    return path
