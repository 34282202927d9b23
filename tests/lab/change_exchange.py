"""Four members exchanged for larger disks over power cuts, then grown: as one request, said again after each."""

from __future__ import annotations

from pathlib import Path

from .change_rig import PLACE, ChangeRig, sectors_of

DISKS = "4x100MB+4x200MB"
_COMPONENT_KIB = 65536
# Waits until $1 larger disks are members, and md copies onto the next one.
_COPIES = """cd /sys/block/$(basename $(readlink -f /dev/md/tank))/md; end=$(( $(date +%s) + 300 ))
larger() { for d in dev-*; do grep -q replacement $d/state || cat $d/block/size; done | awk '$1 > 300000' | wc -l; }
copied() { s=$(cat sync_completed); case $s in *" / "*) echo ${s%% *};; *) echo 0;; esac; }
until grep -q replacement dev-*/state && [ $(larger) = $1 ] && [ $(copied) -gt 20000 ]
do [ $(date +%s) -lt $end ] || exit 9; sleep 0.2; done"""


def exchanged_over_power_cuts(rig: ChangeRig, folder: Path) -> None:
    """Exchange all four, cut off in the first and in the third copy; md continues a copy by itself meanwhile."""
    rig.build(folder, "raid5", 4, component_size_kib=_COMPONENT_KIB, bitmap="internal", file_mib=12)
    words = ("--use-larger-disks", *rig.serials()[4:8])
    shown = rig.call("array", "change", "tank", *words, "--dry-run")
    assert _copies(shown) == 4
    for exchanged in (0, 2):
        with rig.changing(*words):
            rig.sh(_COPIES, str(exchanged))
            rig.sh("sync")
            rig.cut_power()
        rig.sh(f"udevadm settle; mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
        assert _copies(rig.call("array", "change", "tank", *words, "--dry-run")) in (3 - exchanged, 4 - exchanged)
        rig.read_back()
    rig.change(*words)
    rig.read_back()
    assert rig.shape() == ("raid5", 4, sectors_of(shown))
    assert rig.space_mib() > 1.5 * 3 * _COMPONENT_KIB / 1024
    assert rig.change(*words)["steps"] == []
    rig.start_anew()  # the smaller disks are still there
    rig.read_back()


def _copies(shown: dict[str, list[dict[str, object]]]) -> int:
    return sum(step["step"] == "exchange" for step in shown["steps"])
