"""The steps that jobs tell of while they run; which verb's job sends which, ``verbs`` says."""

from __future__ import annotations

from enum import StrEnum


class JobStep(StrEnum):
    """What a job has just begun, as the signal Progress tells it."""

    SAVE = "stage-save"  # what will be overwritten is copied
    WIPE = "stage-wipe"
    CREATE = "stage-create"
    SETTLE = "stage-settle"  # until udev knows the array
    READ_BACK = "stage-read-back"
    UNDO = "stage-undo"
    STOP = "stage-stop"
    START = "stage-start"
    FREE = "stage-free"  # superblocks off
    CHANGE = "stage-change"  # a member comes or goes
    MEASURE = "stage-measure"
    MKFS = "stage-mkfs"
    MOUNT = "stage-mount"
    UNMOUNT = "stage-unmount"
    TUNE = "stage-tune"
    CONFIGURE = "stage-configure"  # files of /etc
    INITRAMFS = "stage-initramfs"
