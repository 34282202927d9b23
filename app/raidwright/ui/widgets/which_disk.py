"""The menu that lists a page's disks, to show which one in the case is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from raidwright.core.model.disk import Disk
from raidwright.text.catalogue import tr
from raidwright.text.disk.bays import place_words
from raidwright.text.disk.facts import disk_name
from raidwright.ui.widgets.locating import Locating
from raidwright.ui.widgets.panel import button


class WhichDisk(QMenu):
    """The menu. ``disks`` returns those that are plugged in now."""

    def __init__(self, locating: Locating, disks: Callable[[], Iterable[Disk]], parent: QWidget) -> None:
        super().__init__(tr("Show which disk it is"), parent)
        self._locating, self._disks = locating, disks
        self.aboutToShow.connect(self.fill)

    @Slot()
    def fill(self) -> None:
        """List the disks: models and serial numbers, places and devices."""
        self.clear()
        for disk in self._disks():
            where = (disk_name(disk.as_member()), place_words(disk), disk.device.removeprefix("/dev/"))
            entry = self.addAction(" · ".join(filter(None, where)))
            entry.setObjectName(f"locate-{disk.id}")
            entry.setEnabled(not self._locating.job.is_busy)
            entry.triggered.connect(lambda _on=False, disk_id=disk.id: self._locating.show(disk_id))


def which_button(locating: Locating, disks: Callable[[], Iterable[Disk]], name: str) -> QPushButton:
    """Return the button that opens the menu."""
    made = button(tr("Show which disk it is"), name)
    made.setProperty("kind", "link")  # as high as the title that it stands beside
    made.setMenu(WhichDisk(locating, disks, made))
    return made
