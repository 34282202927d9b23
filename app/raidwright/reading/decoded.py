"""Text of files that other programs and other computers wrote: ``decoded``.

PowerShell's ``>`` and Notepad's “Unicode” write UTF-16, older systems Latin-1; mdadm prints names as their bytes are.
"""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
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
