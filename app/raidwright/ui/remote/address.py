"""The dialog for the address of another machine."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.ssh.host import SCHEME, parse_host
from raidwright.text.catalogue import tr, translated
from raidwright.ui.widgets.field_dialog import fill_dialog
from raidwright.ui.widgets.panel import button, label

_HINT = say(
    "Raidwright goes there by your own ssh, with its keys and its config. To build and to measure, that machine needs "
    "Raidwright's helper; its disks can be seen without."
)


class AddressDialog(QDialog):
    """A dialog for an address. ``wanted`` carries it once it is valid.

    The dialog stays open until that machine is connected, and shows errors: ``follow`` passes the connection's state.
    """

    wanted = Signal(str)

    def __init__(self, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("far-address")
        self._address = QLineEdit(address.removeprefix(SCHEME))
        self._address.setObjectName("far-address-field")
        self._address.setAccessibleName(tr("Its address"))
        self._address.setPlaceholderText("user@server")
        self._refusal = label("", "error", name="far-address-refusal", wrap=True)
        self._refusal.hide()
        self._address.textEdited.connect(self._begin_anew)
        self._wanted = ""  # the address being connected to
        self._go_on = go = button(tr("Connect"), "far-address-go", primary=True)
        go.clicked.connect(self._go)
        hint = label(translated(_HINT), "dim", wrap=True)
        fill_dialog(self, tr("Another machine, by ssh"), self._address, self._refusal, hint, field=self._address, go=go)

    def follow(self, now: Connection) -> None:
        """Show the state of the connection; close once it is established, or another machine is chosen."""
        if not self._wanted:
            return
        if now.far != self._wanted or now.state is ConnectionState.CONNECTED:
            self.accept()
            return
        has_failed = now.state is ConnectionState.FAILED
        self._say_go(tr("Try again") if has_failed else tr("Connecting …"), is_open=has_failed)
        if has_failed:
            why = tr("{machine} can't be reached.", machine=now.title)
            self._say(f"{why}\n{translated(now.sentence)}")
        else:
            self._refusal.hide()

    @Slot()
    def _begin_anew(self) -> None:
        self._wanted = ""
        self._refusal.hide()
        self._say_go(tr("Connect"))

    def _say_go(self, text: str, *, is_open: bool = True) -> None:
        self._go_on.setText(text)
        self._go_on.setAccessibleName(text)
        self._go_on.setEnabled(is_open)

    def _say(self, why_not: str) -> None:
        self._refusal.setText(why_not)
        self._refusal.show()
        self._address.setFocus()
        self.resize(self.sizeHint())  # adjustSize stops at two thirds of the screen

    @Slot()
    def _go(self) -> None:
        typed = self._address.text().strip()
        try:
            address = parse_host(typed if typed.startswith(SCHEME) else f"{SCHEME}{typed}").address
        except InputError as error:
            self._say(translated(error.sentence))
            return
        self._wanted = address
        self.wanted.emit(address)
