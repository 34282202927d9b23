"""``make disks-check``: each kind of practice disk, measured by fio, against its data sheet."""
