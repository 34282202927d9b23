"""Life of an array after its build: restarts, lost disks, checks, mails; ``make boot-check``."""
