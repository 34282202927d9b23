"""State of a running array at the end of a reshape, read from md's files."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright_helper.host.host import Host
from raidwright_helper.host.running_state import state_of


@pytest.mark.parametrize(
    ("position", "action", "reshapes"),
    [("1024", "reshape", True), ("1024", "idle", True), ("none", "reshape", True), ("none", "idle", False),
     ("none", "resync", False), ("", "", False)],
)  # fmt: skip
def test_an_array_reshapes_until_md_has_given_it_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: str, action: str, reshapes: bool
) -> None:
    files = {"md/reshape_position": position, "md/sync_action": action}
    monkeypatch.setattr(Host, "attribute", lambda _host, _number, name: files.get(name, ""))
    assert state_of(Host(tmp_path), 9).reshapes is reshapes
