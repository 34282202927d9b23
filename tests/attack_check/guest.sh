#!/bin/sh
# shellcheck disable=SC2086,SC2046,SC2317  # fixed paths without blanks; called by name
# States of an array called tank, made with mdadm alone, and what was written to it and beside it, read back.
#   clear DISKS             no array, blank disks
#   NAME DISKS              a state, by its name in states.py; tank is made of the first four disks
#   judge whole|split DISKS prints what can't be read back any more; of a split mirror, of each half
#   reckon UUID             the same after md has finished, and after a new start by mdadm
# The fifth disk holds a file system that isn't mounted, a process writes to the sixth, a file system is mounted from
# the seventh through a loop device, the eighth is blank.

tank=/dev/md/tank
place=/srv/tank
looped=/srv/looped
sums=/run/attack

fill() { # PLACE FILES NAME
    for number in $(seq 1 "$2"); do
        dd if=/dev/urandom of="$1/$number" bs=1M count=8 conv=fsync status=none
    done
    (cd "$1" && md5sum $(seq 1 "$2")) >"$sums/$3"
}

pace() { # KIB_PER_S
    echo "$1" >/proc/sys/dev/raid/speed_limit_max
    echo "$1" >/proc/sys/dev/raid/speed_limit_min
}

md_of() { echo "/sys/block/$(basename "$(readlink -f "$1")")/md"; }

create() { # WORDS
    mdadm --quiet --create $tank --run --homehost="$(hostname)" --name=tank "$@"
    mdadm --quiet --wait $tank || true
}

filled() { # KIND FILES
    "mkfs.$1" -q $([ "$1" = ext4 ] && echo -F || echo -f) $tank
    mkdir -p $place
    mount $tank $place
    fill $place "$2" tank
}

dropped() { # NODE
    mdadm --quiet $tank --fail "$1"
    mdadm --quiet $tank --remove "$1"
}

alone() { # NODE: tank of this member alone, started as a computer does that has lost the other one
    udevadm settle
    mdadm --quiet --stop --scan || true
    mdadm --quiet --assemble --run $tank "$1"
}

xfs_just_grown() {
    create --level=5 --raid-devices=3 --bitmap=internal "$1" "$2" "$3"
    filled xfs 2
    mdadm --quiet --add $tank "$4"
    mdadm --quiet --grow $tank --raid-devices=4
    mdadm --quiet --wait $tank || true
    xfs_growfs $place >/dev/null
    fill $place 75 tank
}

ext4_mounted() {
    create --level=6 --raid-devices=4 --bitmap=internal "$1" "$2" "$3" "$4"
    filled ext4 6
}

btrfs_mounted() {
    create --level=10 --raid-devices=4 --bitmap=internal "$1" "$2" "$3" "$4"
    filled btrfs 6
}

linear_mounted() {
    create --level=linear --raid-devices=2 "$1" "$2"
    filled ext4 6
}

degraded() {
    create --level=5 --raid-devices=4 --bitmap=internal "$1" "$2" "$3" "$4"
    filled ext4 4
    dropped "$2"
}

rebuilding() {
    create --level=5 --raid-devices=3 --bitmap=internal "$1" "$2" "$3"
    filled ext4 4
    pace 300
    dropped "$2"
    mdadm --quiet --add $tank "$4"
}

reshaping() {
    create --level=5 --raid-devices=3 --bitmap=internal "$1" "$2" "$3"
    filled ext4 4
    pace 300
    mdadm --quiet --add $tank "$4"
    mdadm --quiet --grow $tank --raid-devices=4
}

reshape_that_waits() {
    reshaping "$@"
    sleep 1
    umount $place
    mdadm --quiet --stop $tank
    mdadm --quiet --assemble $tank "$1" "$2" "$3" "$4" || true
}

parted_mirror() {
    create --level=1 --raid-devices=2 --bitmap=internal "$1" "$2"
    filled ext4 3
    umount $place
    for half in "$1" "$2"; do
        alone "$half"
        mount $tank $place
        fill $place 4 "half-$(basename "$half")"
        umount $place
    done
    alone "$1"
    mount $tank $place
}

failed_while_mounted() {
    create --level=5 --raid-devices=4 --bitmap=internal "$1" "$2" "$3" "$4"
    filled ext4 4
    sync
    mdadm --quiet $tank --fail "$2"
    mdadm --quiet $tank --fail "$3" || true
}

beside() {
    mkfs.ext4 -qF "$5"
    mount "$5" /mnt
    fill /mnt 2 beside
    umount /mnt
    systemd-run --quiet --unit=attack-writer sh -c "exec 3<>$6; while printf written >&3; do sleep 5; done"
    modprobe loop
    mkfs.ext4 -qF "$7"
    mount "$(losetup --find --show "$7")" $looped
    fill $looped 2 looped
    sync
    sha256sum "$5" >$sums/sealed
}

clear() {
    systemctl stop attack-writer 2>/dev/null
    for at in $place $looped /mnt; do while umount -q $at; do :; done; done
    pace 200000
    losetup --detach-all
    udevadm control --stop-exec-queue
    for md in /dev/md?*; do [ -b "$md" ] && mdadm --quiet --stop "$md"; done
    for disk; do
        mdadm --quiet --zero-superblock "$disk"
        wipefs --all --quiet "$disk"
        blkdiscard --force --zeroout "$disk" || dd if=/dev/zero of="$disk" bs=4M status=none
    done 2>/dev/null
    udevadm control --start-exec-queue
    udevadm settle
    rm -rf $sums /var/lib/raidwright/*
    mkdir -p $sums $looped
    true
}

files_are_right() { (cd "$1" && md5sum --quiet --check "$2") >/dev/null 2>&1; }

judge() {
    kind=$1
    shift
    sync
    echo 3 >/proc/sys/vm/drop_caches
    files_are_right $looped $sums/looped || echo "files mounted through a loop device"
    blockdev --flushbufs "$5"
    sha256sum --status --check $sums/sealed || echo "a file system that wasn't mounted"
    for disk in "$6" "$7"; do
        mdadm --examine "$disk" >/dev/null 2>&1 && echo "a superblock on $disk, which is in use"
    done
    if [ "$kind" = split ]; then
        for half in "$1" "$2"; do
            start=$(mdadm --examine "$half" | awk '/Data Offset/ {print $4 * 512}')
            mount -o "ro,noload,loop,offset=${start:-0}" "$half" /mnt 2>/dev/null || echo "all of half $half"
            files_are_right /mnt "$sums/half-$(basename "$half")" || echo "files of half $half"
            umount -q /mnt
        done
    elif mountpoint -q $place && [ "$(cat "$(md_of $tank)/array_state")" != broken ]; then
        files_are_right $place $sums/tank || echo "files of the mounted array"
    fi
}

finish() { # NODE: lets md finish what it is at
    md=$(md_of "$1")
    grep -q read-auto "$md/array_state" && mdadm --quiet --readwrite "$1"
    echo max >"$md/sync_max"
    echo 200000 >"$md/sync_speed_max"
    echo 100000 >"$md/sync_speed_min"
    timeout 200 mdadm --quiet --wait "$1"
} 2>/dev/null

reckon() {
    pace 200000
    node=/dev/disk/by-id/md-uuid-$1
    if [ -b "$node" ]; then
        finish "$node"
        while umount -q $place; do :; done
        udevadm settle # which looks at it once more as it is unmounted
        timeout 120 sh -c 'until mdadm --quiet --stop "$1"; do sleep 0.5; done' sh "$node" || echo "md doesn't stop"
    fi
    udevadm settle
    udevadm control --stop-exec-queue # or it puts the array together meanwhile
    export MDADM_NO_UDEV=1            # which makes the link itself then
    mdadm --quiet --stop --scan
    mdadm --quiet --assemble --run $tank --uuid="$1" 2>/dev/null ||
        { mdadm --quiet --stop $tank; mdadm --quiet --assemble --run --force $tank --uuid="$1"; } 2>/dev/null ||
        echo "the array, which doesn't start"
    unset MDADM_NO_UDEV
    udevadm control --start-exec-queue
    udevadm settle
    mount -o ro $tank $place || echo "the file system, which can't be mounted"
    files_are_right $place $sums/tank || echo "files, after a new start"
    umount -q $place
    finish $tank
    md=$(md_of $tank)
    [ "$(cat "$md/degraded" 2>/dev/null)" = 0 ] || return 0
    echo check >"$md/sync_action"
    timeout 200 mdadm --quiet --wait $tank
    [ "$(cat "$md/mismatch_cnt")" = 0 ] || echo "$(cat "$md/mismatch_cnt") sectors that differ"
}

verb=$1
shift
case $verb in
clear) clear "$@" ;;
judge) judge "$@" ;;
reckon) reckon "$@" ;;
*)
    set -e
    pace 200000
    "$verb" "$@"
    beside "$@"
    ;;
esac
exit 0
