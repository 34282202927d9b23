"""Steps after a build: file system, mount point, the system's files, and the recovery card."""
