"""Members of this computer's arrays by its own sysfs, where the helper isn't there to ask."""

from __future__ import annotations

from pathlib import Path

from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.local_md import local_arrays
from raidwright.machine.udisks.kernel_members import with_kernel_members
from raidwright.machine.udisks.objects import BLOCK, MDRAID, Objects

UUID, OTHER = "0a1b2c3d:00000001:00000002:00000003", "ffffffff:00000001:00000002:00000003"
_BOTH = [["/a", 0, ["in_sync"], 0, {}], ["/b", -1, ["faulty"], 0, {}]]  # after --fail and --remove of sdb
_UDISKS: Objects = {
    "/md": {MDRAID: {"UUID": UUID, "Degraded": 1, "ActiveDevices": _BOTH}},
    "/other": {MDRAID: {"UUID": OTHER, "Degraded": 0, "ActiveDevices": [["/c", 0, ["in_sync"], 0, {}]]}},
    **{f"/{letter}": {BLOCK: {"Device": f"/dev/sd{letter}"}} for letter in "abc"},
}


def _put(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n", encoding="ascii")


def _kernel(root: Path, state: str = "clean", metadata: str = "1.2") -> Path:
    uuid = "0a1b2c3d-0000-0001-0000-000200000003"
    _put(root / "md127/md", uuid=uuid, array_state=state, metadata_version=metadata, degraded="1")
    _put(root / "md127/md/dev-sda", slot="0", state="in_sync", recovery_start="none")
    _put(root / "sda", size="1")
    return root


def test_a_removed_member_is_none_though_udisks_has_it(tmp_path: Path) -> None:
    seen = with_kernel_members(_UDISKS, {}, local_arrays(_kernel(tmp_path)))
    assert seen["/md"][MDRAID]["ActiveDevices"] == [["/a", 0, ["in_sync"], 0, {}]]
    assert seen["/md"][MDRAID]["Degraded"] == 1
    assert seen["/other"] == _UDISKS["/other"]


def test_the_helpers_word_counts_more(tmp_path: Path) -> None:
    facts = ArrayFacts(device="/dev/md127", uuid=UUID, array_state="clean", degraded=2, members=("sdb 1 in_sync none",))
    seen = with_kernel_members(_UDISKS, {"/dev/md127": facts}, local_arrays(_kernel(tmp_path)))
    assert seen["/md"][MDRAID]["ActiveDevices"] == [["/b", 1, ["in_sync"], 0, {}]]


def test_nothing_is_told_of_what_does_not_run_or_has_another_uuid_there(tmp_path: Path) -> None:
    assert not local_arrays(_kernel(tmp_path / "stopped", state="inactive"))
    assert not local_arrays(_kernel(tmp_path / "old", metadata="0.90"))
    assert not local_arrays(tmp_path / "none")
    assert with_kernel_members(_UDISKS, {}, {}) is _UDISKS
