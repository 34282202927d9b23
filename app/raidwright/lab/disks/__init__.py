"""The practice machine's disks: processes on the host that the kernel sees as SCSI."""
