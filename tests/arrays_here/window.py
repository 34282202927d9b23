"""The Arrays station's card of an array, its words and buttons, drawn off the screen from a real machine's snapshot."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication

from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.ui.stations.arrays.card import ArrayCard
from raidwright.ui.stations.arrays.model import ArraysModel

from tests.kit.pictures import IdleThread

_LIMIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Card:
    """The words on a card, all in one, and the names of its buttons: ``start``, ``look``, ``rescue`` …"""

    badge: str
    words: str
    buttons: tuple[str, ...]


def seen_at(address: str) -> Snapshot:
    """Return what the window would see of the machine at ``address``; raises RaidwrightError."""

    async def look() -> Snapshot:
        async with Machine.connect(address) as machine:
            await machine.facts_seen()
            return machine.snapshot

    return asyncio.run(asyncio.wait_for(look(), _LIMIT_S))


def card_of(snapshot: Snapshot, name: str) -> Card | None:
    """Return the card of the array ``name``; None if the station has none."""
    if QApplication.instance() is None:
        QApplication([])
    model = ArraysModel(Session(IdleThread()))
    model.take_snapshot(snapshot)
    array = next((array for array in model.arrays if array.name == name), None)
    if array is None:
        return None
    card = ArrayCard(model)
    card.show_array(array)
    labels = (label for label in card.findChildren(QLabel) if not label.isHidden())
    buttons = (button for button in card.findChildren(QPushButton) if not button.isHidden())
    names = (button.objectName().removeprefix("array-") for button in buttons)
    badge = card.findChild(QLabel, "array-state")
    found = Card(badge.text() if badge else "", " ".join(label.text() for label in labels), tuple(names))
    card.deleteLater()
    return found
