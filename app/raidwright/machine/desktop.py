"""Desktop notifications.

Source: the Desktop Notifications Specification 1.2 (``org.freedesktop.Notifications`` on the session bus).
"""

from __future__ import annotations

import logging
import os

from dbus_fast.signature import Variant

from raidwright.core.errors import RaidwrightError

from .bus import Bus, BusCall

_NAME, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_APPLICATION = "org.raidwright.Raidwright"  # its desktop entry, and its icon
_AS_THE_DESKTOP_LIKES = -1  # expire_timeout: the server's default
_LOG = logging.getLogger(__name__)


async def notify(title: str, text: str) -> None:
    """Show a notification with ``title`` and ``text``. Without a notification server nothing is shown."""
    address = os.environ.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={os.environ.get('XDG_RUNTIME_DIR', '')}/bus"
    hints = {"desktop-entry": Variant("s", _APPLICATION)}
    body: tuple[object, ...] = ("Raidwright", 0, _APPLICATION, title, _plain(text), [], hints, _AS_THE_DESKTOP_LIKES)
    try:
        bus = await Bus.connect(address)
        try:
            await bus.call(BusCall(_NAME, _PATH, _NAME, "Notify", "susssasa{sv}i", body))
        finally:
            await bus.close()
    except RaidwrightError as error:
        _LOG.info("nobody could be notified: %s", error.code)


def _plain(text: str) -> str:
    """Escape ``text`` for a body, which servers may parse as markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
