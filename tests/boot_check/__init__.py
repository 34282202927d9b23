"""An array's life after it was built: the computer started again, disks lost, checks, mails; ``make boot-check``."""
