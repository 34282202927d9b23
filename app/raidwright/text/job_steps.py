"""What a privileged job is at, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from raidwright.core.protocol.steps import JobStep


def job_step_words(step: str) -> str:
    """“mdadm makes the array …”; a newer helper's step in its own word."""
    return known_words().get(step, step.removeprefix("stage-").replace("-", " ").capitalize() + " …")


def known_words() -> dict[str, str]:
    """By JobStep, each of them."""
    return {
        JobStep.SAVE: _tr("Keeping a copy of what is overwritten …"),
        JobStep.WIPE: _tr("Removing what was let go …"),
        JobStep.CREATE: _tr("mdadm makes the array …"),
        JobStep.SETTLE: _tr("Waiting for the array to appear …"),
        JobStep.READ_BACK: _tr("Reading the array's figures back …"),
        JobStep.UNDO: _tr("Putting back what was on the disks …"),
        JobStep.STOP: _tr("Stopping the array …"),
        JobStep.FREE: _tr("Taking md's superblocks off the disks …"),
        JobStep.CHANGE: _tr("md changes the array's members …"),
        JobStep.MEASURE: _tr("Measuring …"),
        JobStep.MKFS: _tr("Making the file system …"),
        JobStep.MOUNT: _tr("Mounting the file system …"),
        JobStep.UNMOUNT: _tr("Unmounting the file system …"),
        JobStep.TUNE: _tr("Changing the settings …"),
        JobStep.CONFIGURE: _tr("Writing the system's files …"),
        JobStep.INITRAMFS: _tr("Making the initramfs anew …"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("JobSteps", text)
