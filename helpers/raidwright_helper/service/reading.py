"""Incoming bus messages: each message's header is read first, and its body only if it is needed.

dbus-fast unmarshals every message, before it is known to be a call for the helper: a few long messages of the wrong
types kept it busy for half a minute and left a gigabyte of memory behind. Here a header costs some microseconds; a body
that is too long for any call (`MAX_BODY_BYTES`) is skipped; a call's body stays bytes until its types, its caller's
right to a place and its length have been checked (``dispatcher``). One read of the socket takes at most `_CHUNK_BYTES`,
so that a long message delays nobody else's work.

Source: the D-Bus specification, “Message Protocol”. The bus guarantees that a message is well-formed.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dbus_fast import MessageFlag, MessageType, unpack_variants
from dbus_fast._private.unmarshaller import Unmarshaller
from dbus_fast.aio import MessageBus

MAX_BODY_BYTES = 2**19  # a plan of 1,920 disks takes 320 KB, one of 24 takes 4 KB
_MAX_FIELDS_BYTES = 2**14  # a path and five names of at most 255 letters each
_CHUNK_BYTES = 2**16
_FIXED_BYTES = 16
_FLAGS_AT, _BODY_BYTES_AT = 2, 4
_PATH, _INTERFACE, _MEMBER, _REPLY_SERIAL, _SENDER, _SIGNATURE = 1, 2, 3, 5, 7, 8
_DBUS = "org.freedesktop.DBus"


@dataclass(frozen=True, slots=True)
class MessageHeader:
    """A message's header. ``data`` is the whole message, empty if its body was too long to be kept."""

    kind: int
    flags: int
    serial: int
    reply_serial: int
    sender: str
    path: str
    interface: str
    member: str
    signature: str
    body_bytes: int
    data: bytes = b""

    @property
    def wants_reply(self) -> bool:
        """True if the caller expects a reply."""
        return not self.flags & MessageFlag.NO_REPLY_EXPECTED

    def message(self) -> Any:
        """Unmarshal the message with dbus-fast, without its flags: 1.84 knows each alone, and fails on two at once."""
        data = bytearray(self.data)
        data[_FLAGS_AT] = 0
        return Unmarshaller(io.BytesIO(data)).unmarshall()  # type: ignore[arg-type]  # it only reads

    def body(self) -> Sequence[Any]:
        """Return the arguments, as plain values."""
        return list(unpack_variants(self.message().body))


class BusReader:
    """Reader of the socket of ``bus`` instead of dbus-fast, from its creation on.

    ``on_call`` gets every method call. dbus-fast gets the replies that it waits for, and the bus's own signals; every
    other message is skipped.
    """

    def __init__(self, bus: MessageBus, on_call: Callable[[MessageHeader], object]) -> None:
        self._bus: Any
        self._bus = bus  # its private parts are needed: there is no public interface
        self._on_call = on_call
        self._waiting = bytearray()
        self._skipping_bytes = 0
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._bus._fd)
        loop.add_reader(self._bus._fd, self._read)

    def _read(self) -> None:
        try:
            self._take(self._bus._sock.recv(_CHUNK_BYTES))
        except BlockingIOError:
            return
        except Exception as error:  # noqa: BLE001  # what can't be read on is the end of the connection
            with contextlib.suppress(ValueError, OSError):
                asyncio.get_running_loop().remove_reader(self._bus._fd)
            self._bus._finalize(error)

    def _take(self, data: bytes) -> None:
        if not data:
            raise EOFError("the bus hung up")
        skipped = min(self._skipping_bytes, len(data))
        self._skipping_bytes -= skipped
        self._waiting += data[skipped:]
        while (size := _sizes(self._waiting)) is not None:
            fields_end, body_bytes = size
            is_kept = fields_end <= _FIXED_BYTES + _MAX_FIELDS_BYTES and body_bytes <= MAX_BODY_BYTES
            head_bytes = fields_end + -fields_end % 8
            whole_bytes = head_bytes + body_bytes
            if fields_end <= _FIXED_BYTES + _MAX_FIELDS_BYTES:
                if len(self._waiting) < (whole_bytes if is_kept else head_bytes):
                    return
                self._hand_on(bytes(self._waiting[: whole_bytes if is_kept else head_bytes]), is_kept=is_kept)
            self._skipping_bytes = max(0, whole_bytes - len(self._waiting))
            del self._waiting[:whole_bytes]

    def _hand_on(self, data: bytes, *, is_kept: bool) -> None:
        incoming = _read_head(data, is_kept=is_kept)
        if incoming is None:
            return
        if incoming.kind == MessageType.METHOD_CALL.value:
            self._on_call(incoming)
        elif is_kept and self._is_for_the_library(incoming):
            self._bus._process_message(incoming.message())

    def _is_for_the_library(self, incoming: MessageHeader) -> bool:
        if incoming.kind == MessageType.SIGNAL.value:
            return (incoming.sender, incoming.member, incoming.signature) == (_DBUS, "NameOwnerChanged", "sss")
        return incoming.reply_serial in self._bus._method_return_handlers


def _sizes(data: bytearray) -> tuple[int, int] | None:
    """Return the end of the header's fields (without padding), and the body's length; None until they have arrived."""
    if len(data) < _FIXED_BYTES:
        return None
    body_bytes, _serial, fields_bytes = struct.unpack_from(f"{_order(data)}III", data, _BODY_BYTES_AT)
    return _FIXED_BYTES + fields_bytes, body_bytes


def _order(data: bytes | bytearray) -> str:
    if data[0] not in b"lB":
        raise ValueError("no message begins so")
    return "<" if data[0] == ord("l") else ">"


def _read_head(data: bytes, *, is_kept: bool) -> MessageHeader | None:
    """Parse the header at the start of ``data``; None for fields that the specification doesn't have."""
    order = _order(data)
    body_bytes, serial, fields_bytes = struct.unpack_from(f"{order}III", data, _BODY_BYTES_AT)
    try:
        fields = _read_fields(data, order, _FIXED_BYTES + fields_bytes)
    except (ValueError, IndexError, struct.error):
        return None
    texts = {code: value for code, value in fields.items() if isinstance(value, str)}
    reply_serial = fields.get(_REPLY_SERIAL, 0)
    return MessageHeader(
        kind=data[1],
        flags=data[_FLAGS_AT],
        serial=serial,
        reply_serial=reply_serial if isinstance(reply_serial, int) else 0,
        sender=texts.get(_SENDER, ""),
        path=texts.get(_PATH, ""),
        interface=texts.get(_INTERFACE, ""),
        member=texts.get(_MEMBER, ""),
        signature=texts.get(_SIGNATURE, ""),
        body_bytes=body_bytes,
        data=data if is_kept else b"",
    )


def _read_fields(data: bytes, order: str, end: int) -> dict[int, str | int]:
    """Parse the header's array of (field, variant), each of which is a text (s, o), a signature (g) or a number (u)."""
    fields: dict[int, str | int] = {}
    at = _FIXED_BYTES
    while at < end:
        at += -at % 8
        code, kind = data[at], data[at + 1 : at + 4]
        at += 4
        if kind == b"\x01g\x00":
            length, at = data[at], at + 1
        elif kind in (b"\x01s\x00", b"\x01o\x00", b"\x01u\x00"):
            [length] = struct.unpack_from(f"{order}I", data, at)
            at += 4
        else:
            raise ValueError("a field of another type")
        if kind == b"\x01u\x00":
            fields[code] = length
        else:
            fields[code] = data[at : at + length].decode()
            at += length + 1
    return fields
