"""The monthly check: Debian's own timer starts it, and what it finds is shown and mailed."""

from __future__ import annotations

from .life import MAILBOX, Life

_SPOIL = """md=$(basename $(readlink -f /dev/md/tank)); member=$(ls /sys/block/$md/slaves | head -n 1)
offset=$(cat /sys/block/$md/md/dev-$member/offset); size=$(cat /sys/block/$md/md/component_size)
dd if=/dev/urandom of=/dev/$member bs=512 seek=$((offset + 2 * size - 128)) count=8 oflag=direct conv=notrunc 2>&1
echo 20000 >/sys/block/$md/md/sync_speed_max"""  # the monitor looks twice at what takes hours elsewhere
_FIRST_SUNDAY = "2027-01-03 00:59:50"  # ten seconds before OnCalendar=Sun *-*-1..7 1:00:00


def look_at_the_check(life: Life) -> None:
    """A sector that differs, and a Sunday night."""
    timer = life.sh("systemctl list-timers --all --no-legend mdcheck_start.timer")
    life.see("the monthly check is on", "mdcheck_start.timer" in timer, timer)
    life.sh(f"{_SPOIL}; date --set '{_FIRST_SUNDAY}'")
    began = life.until("systemctl is-active mdcheck_start.service | grep -q activ")
    life.see("its timer starts it", began, life.sh("journalctl -b --no-pager -o cat -t root -t mdcheck | tail -n 1"))
    found = life.until(f"grep -qF 'check found differences' {MAILBOX}")
    life.see("what it finds is mailed", found, life.sh(f"grep -a 'has found' {MAILBOX}"))
    checks = life.raidwright("array", "checks")
    told = any(check["state"] == "done" and check["mismatch_sectors"] for check in checks)
    life.see("what it finds is shown by the program", told, life.says("array", "checks"))
