"""The steps of a privileged job, in words."""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.core.messages import say
from raidwright.core.protocol.steps import JobStep

from .catalogue import translated

WORDS: Mapping[str, str] = {
    JobStep.SAVE: say("Keeping a copy of what is overwritten …"),
    JobStep.WIPE: say("Erasing the old signatures …"),
    JobStep.PARTITION: say("Writing the partition tables …"),
    JobStep.CREATE: say("mdadm makes the array …"),
    JobStep.SETTLE: say("Waiting for the array to appear …"),
    JobStep.VOLUME: say("LVM joins the arrays …"),
    JobStep.READ_BACK: say("Reading the array's figures back …"),
    JobStep.UNDO: say("Putting back what was on the disks …"),
    JobStep.STOP: say("Stopping the array …"),
    JobStep.START: say("Starting the array …"),
    JobStep.STRIPES: say("Comparing stripes all over the disks …"),
    JobStep.OVERLAY: say("Laying snapshots over the disks …"),
    JobStep.FSCK: say("Checking the file system, without changing it …"),
    JobStep.LOOK: say("Looking at its files …"),
    JobStep.FREE: say("Taking md's superblocks off the disks …"),
    JobStep.CHANGE: say("md changes the array's members …"),
    JobStep.COPY: say("md copies a member onto the disk that takes its place …"),
    JobStep.RESHAPE: say("md lays the data out anew …"),
    JobStep.GROW: say("Growing what is on the array …"),
    JobStep.MEASURE: say("Measuring …"),
    JobStep.MKFS: say("Making the file system …"),
    JobStep.MOUNT: say("Mounting the file system …"),
    JobStep.UNMOUNT: say("Unmounting the file system …"),
    JobStep.TUNE: say("Changing the settings …"),
    JobStep.CONFIGURE: say("Writing the system's files …"),
    JobStep.INITRAMFS: say("Making the initramfs anew …"),
    JobStep.LIGHT: say("Its bay's locate light is on …"),
    JobStep.BLINK: say("It is read from in bursts: its light blinks for a second, and rests for a second …"),
    JobStep.SEND: say("Sending a test message …"),
}


def job_step_words(step: str) -> str:
    """Return “mdadm makes the array …”; a newer helper's step by its own name."""
    return translated(WORDS.get(step) or step.removeprefix("stage-").replace("-", " ").capitalize() + " …")
