"""The stage: disks as columns, chunks as cells in their true places."""
