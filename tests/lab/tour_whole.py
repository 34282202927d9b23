"""`make run` without a display, to its report: under `make practice-check`."""

from __future__ import annotations

from pathlib import Path

from tests.kit.tour import make_journey


def test_each_station_is_in_the_report(tmp_path: Path) -> None:
    said: list[str] = []
    page = make_journey(tmp_path / "journey", said.append).read_text()
    for station in ("Disks", "Plan", "Prove", "Build", "Measure"):
        assert any(line.strip().startswith(f"{station}:") for line in said)
    pictures = sorted(path.name for path in (tmp_path / "journey").glob("*.png"))
    assert len(pictures) == page.count("<figure>") > 0
    assert all(name in page for name in pictures)
    assert "far=2" in page  # mdadm's final layout of the array
