"""Steps reported by running jobs; the verbs that send each are in ``verbs``."""

from __future__ import annotations

from enum import StrEnum


class JobStep(StrEnum):
    """The step that a job has just begun, as in the signal Progress."""

    SAVE = "stage-save"  # the data to be overwritten are backed up
    WIPE = "stage-wipe"
    PARTITION = "stage-partition"  # of a joined volume: the disks' partition tables are written
    CREATE = "stage-create"
    SETTLE = "stage-settle"  # wait until udev knows the array
    VOLUME = "stage-volume"  # LVM joins the arrays
    READ_BACK = "stage-read-back"
    UNDO = "stage-undo"
    STOP = "stage-stop"
    START = "stage-start"
    STRIPES = "stage-stripes"  # parity or copies are compared
    OVERLAY = "stage-overlay"  # snapshots are laid over the disks
    FSCK = "stage-fsck"
    LOOK = "stage-look"  # files are listed and read
    FREE = "stage-free"  # superblocks zeroed
    CHANGE = "stage-change"  # a member is added or removed
    COPY = "stage-copy"  # md copies a member onto the disk that takes its place
    RESHAPE = "stage-reshape"  # md lays the data out anew, or resyncs what is new
    GROW = "stage-grow"  # the content is grown to the array's end
    MEASURE = "stage-measure"
    MKFS = "stage-mkfs"
    MOUNT = "stage-mount"
    UNMOUNT = "stage-unmount"
    TUNE = "stage-tune"
    CONFIGURE = "stage-configure"  # files of /etc
    INITRAMFS = "stage-initramfs"
    SEND = "stage-send"  # a test message
    LIGHT = "stage-light"  # a disk's locate light is on
    BLINK = "stage-blink"  # a disk is read from in bursts
