"""The same house on Debian 13: its mdadm, UDisks2, fio and dbus-fast with our helper and our commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.mdadm_versions import MDADM_4_4
from raidwright.core.model.plan_json import read_plan
from raidwright.lab import machine, shelf
from raidwright.lab.image import Generation

from .mdadm_rules import refused_otherwise

NAME = "newer-debian-test"


def test_an_array_is_built_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    options = ["--machine", f"lab:{NAME}", "--json"]
    spec = machine.LabSpec(shelf.disks_from_text("5x4TB", at_memory_speed=True), generation=Generation.TRIXIE)
    with machine.start(spec, name=NAME) as lab:
        assert "v4.4" in lab.exec(["mdadm", "--version"]).stderr.decode()
        assert refused_otherwise(lab, MDADM_4_4) == []
        assert main(["disks", *options]) == 0
        disks = json.loads(capsys.readouterr().out)
        members = [{"id": each["id"], "serial": each["serial"], "size_bytes": each["size_bytes"]} for each in disks]
        plan = {"name": "pond", "level": "raid10", "layout": "o2", "bitmap": "internal", "members": members}
        (tmp_path / "pond.json").write_text(json.dumps(plan), encoding="utf-8")
        assert main(["build", str(tmp_path / "pond.json"), "--yes-name", "pond", *options]) == 0
        built = json.loads(capsys.readouterr().out)
        assert built["array_sectors"] == capacity_of(read_plan(plan).top, MDADM_4_4).array_sectors
        assert int(lab.exec(["blockdev", "--getsz", "/dev/md/pond"]).stdout) == built["array_sectors"]
        assert main(["bench", "--target", "pond", "--workload", "random_read_4k_q32", "--seconds", "2", *options]) == 0
