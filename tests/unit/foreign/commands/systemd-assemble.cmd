         [Unit]
         Description=Resync /boot/efi RAID
         DefaultDependencies=no
         After=local-fs.target

         [Service]
         Type=oneshot
         ExecStart=/sbin/mdadm --assemble /dev/md1 --uuid=123... --update=resync
         ExecStart=/bin/mount /boot/efi
         RemainAfterExit=yes
