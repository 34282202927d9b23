"""The disks' models as UDisks2 says them over dbus-fast, drawn with PySide6 once they are there."""

import asyncio
import os
from threading import Thread

from dbus_fast import Message
from dbus_fast.aio import MessageBus
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QTableWidget, QTableWidgetItem

_ASK = Message(
    destination="org.freedesktop.UDisks2",
    path="/org/freedesktop/UDisks2",
    interface="org.freedesktop.DBus.ObjectManager",
    member="GetManagedObjects",
)


class _Asked(QObject):
    answered = Signal(list)

    async def ask(self) -> None:
        bus = await MessageBus(bus_address=os.environ["DBUS_SYSTEM_BUS_ADDRESS"]).connect()
        reply = await bus.call(_ASK)
        assert reply is not None
        found = (interfaces.get("org.freedesktop.UDisks2.Drive") for interfaces in reply.body[0].values())
        self.answered.emit([drive["Model"].value for drive in found if drive])
        bus.disconnect()


def _show(models: list[str]) -> None:
    table.setRowCount(len(models))
    for row, model in enumerate(models):
        table.setItem(row, 0, QTableWidgetItem(model))


app = QApplication([])
table = QTableWidget(0, 1)
asked = _Asked()
asked.answered.connect(_show)
thread = Thread(target=lambda: asyncio.run(asked.ask()))
thread.start()
table.showMaximized()
app.exec()
thread.join()
