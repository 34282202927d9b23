"""Pasted and copied text in the encodings of other computers."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.reading.decoded import decoded

_REPORT = (Path(__file__).parent / "foreign" / "reports" / "mdadm-3.1.examine.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("is_file", [True, False])
def test_a_report_is_read_in_each_encoding(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    encoding: str,
    is_file: bool,
) -> None:
    data = f"# Fernsehgerät, Médiathèque\n{_REPORT}".encode(encoding)
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
    assert main(["import", str(path) if is_file else "-", "--disk-size", "2TB"]) == 0
    assert [member["id"] for member in json.loads(capsys.readouterr().out)["members"]] == [
        "sda1",
        "sdb1",
        "sdc1",
        "sdd1",
    ]


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x01\x00\xff\xfe", b"caf\xe9\x00", b"\xff\xfe\x00\xd8"])
def test_what_is_no_text_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        decoded(data)
    path = tmp_path / "core"
    path.write_bytes(data)
    assert main(["import", str(path)]) == 2
    assert "it is not text" in capsys.readouterr().err
