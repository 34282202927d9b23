"""Text of files that other programs and other computers wrote: ``decoded``.

PowerShell's ``>`` and Notepad's “Unicode” write UTF-16, older systems Latin-1; mdadm prints names as their bytes are.
"""

from __future__ import annotations

import codecs
import quopri
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_PRINTABLE = re.compile(r"=(?:3D|A0|E2=80)")  # of a mail in its source, where each = is =3D
_BINARY = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")


def decoded(data: bytes) -> str:
    """Return ``data`` as text: UTF-8, by its byte-order mark, or Latin-1; raises UnicodeDecodeError if it is none."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        if _BINARY.search(data):
            raise
        return data.decode("latin-1")


def without_mail_encoding(text: str) -> str:
    """Return ``text`` as a mail showed it, if it is the mail's source in quoted-printable; else as it is."""
    if len(_PRINTABLE.findall(text)) < 2:
        return text
    data = quopri.decodestring(text.encode())
    return data.decode("utf-8" if b"\xc2\xa0" in data or b"\xe2" in data else "latin-1", "replace")
