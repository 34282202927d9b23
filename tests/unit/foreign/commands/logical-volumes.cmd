    lvdisplay VG0     # display logical volumes in volume group VG0
    mdadm -C /dev/md0 -l1 -n2 /dev/VG0/lv1 /dev/VG0/lv2
    mdadm -D /dev/md0
    mkfs -t ext3 /dev/md0
    mkdir /fs1
    mount /dev/md0 /fs1
    df -h
    mdadm --manage /dev/md0 --fail /dev/VG0/lv1
    mdadm --manage /dev/md0 --remove /dev/VG0/lv1
    mdadm /dev/md0 -a /dev/VG0/lv3
    mdadm -D /dev/md0
