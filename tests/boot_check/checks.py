"""The monthly check: Debian's own timer starts it, and what it finds is shown and mailed."""

from __future__ import annotations

from .life import MAILBOX, Life

# The check takes 100 s instead of hours: Debian 13's monitor polls once a minute.
_SPOIL = """md=$(basename $(readlink -f /dev/md/tank)); member=$(ls /sys/block/$md/slaves | head -n 1)
offset=$(cat /sys/block/$md/md/dev-$member/offset); size=$(cat /sys/block/$md/md/component_size)
dd if=/dev/urandom of=/dev/$member bs=512 seek=$((offset + 2 * size - 128)) count=8 oflag=direct conv=notrunc 2>&1
echo 1200 >/sys/block/$md/md/sync_speed_max"""
# Debian 13 adds a random delay of up to a day, drawn again at each change of the clock.
_WITHOUT_CHANCE = """mkdir -p /run/systemd/system/mdcheck_start.timer.d
printf '[Timer]\nRandomizedDelaySec=0\n' >/run/systemd/system/mdcheck_start.timer.d/chance.conf
systemctl daemon-reload; systemctl restart mdcheck_start.timer"""
_NEARLY = """next=$(systemctl show --property NextElapseUSecRealtime --value mdcheck_start.timer)
date --set "$next 10 seconds ago\""""
_STARTED = "systemctl show --property ExecMainStartTimestampMonotonic --value mdcheck_start.service"
_HAS_ENDED = (
    '[ "$(systemctl is-active mdcheck_start.service)" != activating ]'  # Debian 13's catches up at a first start
)


def look_at_the_check(life: Life) -> None:
    """Corrupt a sector, set the clock to the night of the check, and look for the finding."""
    timer = life.sh("systemctl is-active mdcheck_start.timer; systemctl list-timers --no-legend mdcheck_start.timer")
    life.see("the monthly check is on", timer.startswith("active"), timer)
    life.until(_HAS_ENDED)
    before = life.sh(_STARTED)
    life.sh(f"{_SPOIL}; {_WITHOUT_CHANCE}; {_NEARLY}")
    began = life.until(f'[ "$({_STARTED})" != "{before}" ]')
    life.see("its timer starts it", began, life.sh(f"{_STARTED}; systemctl is-active mdcheck_start.service"))
    found = life.until(f"grep -qF 'check found differences' {MAILBOX}")
    life.see("what it finds is mailed", found, life.sh(f"grep -a 'has found' {MAILBOX}"))
    checks = life.raidwright("array", "checks")
    told = any(check["state"] == "done" and check["mismatch_sectors"] for check in checks)
    life.see("what it finds is shown by the program", told, life.says("array", "checks"))
