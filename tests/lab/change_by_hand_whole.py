"""Changes of arrays that people made by hand in their own ways: part of `make change-check`.

Each is changed under a mounted file system, and must have the sectors that the dry run promised. It goes by its UUID,
since one of metadata 0.90 has no name.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kit import check, kernels

from .change_rig import FILES, ChangeRig, sectors_of

pytestmark = pytest.mark.lab
_SMALL = "--size=65536"
_PARTED = "for disk in $1 $2 $3; do printf 'label: gpt\nstart=2048\n' | sfdisk -q $disk; done; udevadm settle;"
_WITH = {count: " ".join(f"${number}" for number in range(1, count + 1)) for count in range(2, 6)}
# what comes before, mdadm's options, the number of disks (or what they are), the change, and how many disks it adds
_WAYS: dict[str, tuple[str, str, int | str, tuple[str, ...], int]] = {
    "0.90": ("", f"--metadata=0.90 --level=5 {_SMALL}", 3, (), 1),
    "1.0 up to its end": ("", "--metadata=1.0 --level=5", 3, (), 1),
    "1.1": ("", f"--metadata=1.1 --level=6 {_SMALL}", 4, (), 1),
    "without head-room": ("", "--level=5 --data-offset=128 --bitmap=none", 3, (), 1),
    "partitions": (_PARTED, "--level=5", "${1}1 ${2}1 ${3}1", (), 1),
    "raid4": ("", f"--level=4 {_SMALL}", 3, (), 1),
    "raid4 to raid5": ("", f"--level=4 {_SMALL}", 3, ("--level", "raid5"), 0),
    "raid0 to raid10": ("", "--level=0", 2, ("--level", "raid10"), 2),
    "raid0 to raid6": ("", "--level=0", 2, ("--level", "raid6"), 2),
    "raid1 to raid6": ("", f"--level=1 {_SMALL}", 2, ("--level", "raid6"), 2),
    "raid5 of two": ("", f"--level=5 {_SMALL}", 2, (), 1),
    "raid5 of two to raid1": ("", f"--level=5 {_SMALL}", 2, ("--level", "raid1"), 0),
    "raid6 to raid5": ("", "--level=6", 4, ("--level", "raid5"), 0),
    "offset copies": ("", f"--level=10 --layout=o2 {_SMALL}", 3, (), 1),
    "near copies on three": ("", f"--level=10 {_SMALL}", 3, (), 1),
    "larger chunk of raid10": ("", "--level=10 --chunk=64", 4, ("--chunk", "512"), 0),
    "parity first": ("", "--level=5 --layout=parity-first", 4, ("--layout", "left-symmetric"), 0),
    "chunk of a page": ("", f"--level=5 --chunk=4 {_SMALL}", 3, (), 1),
}
_CLEAN = """udevadm control --stop-exec-queue; umount -q /srv/tank; mdadm --quiet --stop --scan
for part in /dev/sd??; do mdadm --quiet --zero-superblock $part; done
for disk in /dev/sd?; do sfdisk --quiet --delete $disk; partx --delete $disk; done 2>/dev/null
udevadm control --start-exec-queue; udevadm settle; true"""


@pytest.fixture(scope="module", params=kernels.tried(), ids=kernels.mdadm_of)
def rig(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store"), generation=request.param) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.sh(_CLEAN)
    rig.leave()


@pytest.mark.parametrize("kind", _WAYS)
def test_it_ends_as_it_was_promised(rig: ChangeRig, kind: str) -> None:
    before, options, disks, words, added = _WAYS[kind]
    count, devices = (disks, _WITH[disks]) if isinstance(disks, int) else (len(disks.split()), disks)
    create = f"mdadm --create /dev/md/tank --quiet --run {options} --raid-devices={count} {devices}"
    nodes = [rig.node(serial) for serial in rig.serials()]
    rig.sh(f"{before} yes | {create} 2>/dev/null; udevadm settle; mdadm --wait /dev/md/tank; true", *nodes)
    rig.sh(FILES, "ext4", "8")
    [array] = rig.call("array", "list")
    words = (*words, *(["--add", *rig.serials()[count : count + added]] if added else []))
    asked = ("array", "change", array["uuid"], *words)
    promised = sectors_of(rig.call(*asked, "--dry-run"))
    named = ("--yes-name", array["name"])
    rig.call(*asked, *named)
    rig.read_back()
    check.add_to("change", ("by hand", kind, " ".join(words[:2]), added, promised, rig.shape()[2], "", "data whole"))
    assert rig.shape()[2] == promised
    assert rig.call(*asked, *named)["steps"] == []
