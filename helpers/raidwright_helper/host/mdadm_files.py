"""The configuration files that Debian's mdadm reads instead of a single mdadm.conf.

Source: mdadm ``config.c`` (load_conffile, conf_file_or_dir) with Debian's CONFFILE; seen with its mdadm 4.2: the folder
beside the main file is read as well, in the order of the names, and ``/etc/mdadm.conf`` only if Debian's own doesn't
exist.
"""

from __future__ import annotations

import re
from pathlib import Path

MDADM_CONF = "/etc/mdadm/mdadm.conf"
_ELSEWHERE = "/etc/mdadm.conf"
_FURTHER = re.compile(r"[^./][^/]*\.conf")
ONE_OF_THEM = re.compile(r"/etc/mdadm(/mdadm)?\.conf(\.d/[A-Za-z0-9_][A-Za-z0-9._-]*\.conf)?")


def conf_paths(root: Path) -> tuple[str, ...]:
    """Return their paths below ``root``, the main one first, existing or not."""
    is_elsewhere = not _at(root, MDADM_CONF).exists() and _at(root, _ELSEWHERE).exists()
    main = _ELSEWHERE if is_elsewhere else MDADM_CONF
    names = sorted(path.name for path in _at(root, f"{main}.d").glob("*.conf"))
    return (main, *(f"{main}.d/{name}" for name in names if _FURTHER.fullmatch(name)))


def _at(root: Path, path: str) -> Path:
    return root / path.lstrip("/")
