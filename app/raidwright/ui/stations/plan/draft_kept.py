"""Autosave of the current plan, and recovery of drafts left by killed windows at the next start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QTimer, Slot

from raidwright.drafts import Drafts, LeftDraft
from raidwright.text.catalogue import tr
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.station import Leftovers

if TYPE_CHECKING:
    from raidwright.ui.window_stations import WindowStations

    from .model import PlanModel

_SOON_MS = 300  # dragging a slider changes the plan with each step
_NOTICE = "draft"


class DraftKept(Leftovers):
    """Autosave and recovery of drafts. Without a folder nothing is saved."""

    def __init__(self, stations: WindowStations) -> None:
        super().__init__(stations)
        self._stations = stations
        self._drafts = Drafts(stations.drafts) if stations.drafts else None
        self._plan: PlanModel | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self._keep)
        self._left: list[LeftDraft] = []

    def look_back(self) -> None:
        """Offer the drafts of windows that ended without being closed."""
        self._left = list(self._drafts.left()) if self._drafts else []
        self._say()

    def follow(self, plan: PlanModel) -> None:
        """Save this plan's changes from now on."""
        if self._drafts is not None:
            self._plan = plan
            plan.changed.connect(self._note)
            plan.kept_changed.connect(self._note)

    def close(self) -> None:
        """Delete the draft: the window is closed on purpose."""
        self._soon.stop()
        if self._drafts is not None:
            self._drafts.drop()

    @Slot()
    def _note(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _keep(self) -> None:
        if self._drafts is None or self._plan is None:
            return
        plan = self._plan.draft.plan
        if plan is not None and self._plan.is_lost_with_window:
            self._drafts.keep(plan)
        else:
            self._drafts.drop()

    def _say(self) -> None:
        if not self._left:
            self._stations.notices.say(_NOTICE, None)
            return
        left = self._left[0]
        when = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(left.changed_s)), QLocale.FormatType.ShortFormat)
        what = tr("The plan “{name}” was in no file when its window ended.", name=left.plan.name)
        more = tr("It was kept as it was at {when}.", when=when)
        again = Offer("open", tr("Open it again"), lambda: self._reopen(left), is_primary=True)
        drop = Offer("discard", tr("Discard it"), lambda: self._let_go(left))
        note = Note(Severity.INFO, tr("Not lost"), what, more, offers=(again, drop))
        self._stations.notices.say(_NOTICE, note)  # separate: Babel doesn't look into calls of a “say”

    def _reopen(self, left: LeftDraft) -> None:
        plan = self._stations.to_plan()
        self._stations.plan.open(left.plan, lambda: self._reopened(plan, left))

    def _reopened(self, plan: PlanModel, left: LeftDraft) -> None:
        plan.keep(None)  # the plan isn't in a file yet
        self._keep()
        self._let_go(left)

    def _let_go(self, left: LeftDraft) -> None:
        if self._drafts is not None:
            self._drafts.discard(left)
        self._left.remove(left)
        self._say()
