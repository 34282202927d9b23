"""Shell scripts in practice machines that wait for udev's links as people do who type one command after another.

mdadm waits for a link of udev's for 3.7 s at most (mdadm 4.2, util.c: wait_for), says so, and goes on without it; on a
busy computer what a script does next then finds no device.
"""

from __future__ import annotations

SETTLED = 'mdadm() { command mdadm "$@"; set -- $?; udevadm settle; return $1; }\n'
"""Begins a script of sh whose every mdadm is followed by ``udevadm settle``; its exit status stays mdadm's."""

NO_FIRMWARE = "export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1; systemctl set-environment $(env | grep ^IMSM_); "
"""Lets mdadm, and mdmon as systemd starts it, make volumes of Intel's firmware RAID on a computer without."""
