"""The page that shows all pages."""

from __future__ import annotations

import html
import json
from collections import defaultdict
from pathlib import Path

_HEAD = """<!doctype html><meta charset="utf-8"><title>Every page</title>
<style>
body { font: 14px sans-serif; margin: 16px } img { width: 32%; border: 1px solid #999 }
li { color: #b00 } h2 { margin-top: 2em }
</style>
"""


def write(folder: Path) -> int:
    """Write ``index.html`` by place, print the faults, and return the exit code, 1 where there are any."""
    faults: dict[str, list[str]] = {}
    for path in sorted(folder.glob("faults-*.json")):
        faults |= json.loads(path.read_text(encoding="utf-8"))
    by_place: dict[str, list[str]] = defaultdict(list)
    for name in faults:
        by_place[name.partition(".")[0]].append(name)
    parts = [_HEAD]
    for place, names in by_place.items():
        parts.append(f"<h2>{html.escape(place)}</h2>\n")
        parts += [f'<a href="{name}.png"><img loading="lazy" title="{name}" src="{name}.png"></a>\n' for name in names]
        told = [f"<li>{html.escape(f'{name}: {fault}')}</li>\n" for name in names for fault in faults[name]]
        parts.append(f"<ul>{''.join(told)}</ul>\n")
    (folder / "index.html").write_text("".join(parts), encoding="utf-8")
    bad = {name: found for name, found in faults.items() if found}
    for name, found in bad.items():
        print(f"{name}:", *found, sep="\n    ")
    print(f"{len(faults)} pages, {len(bad)} with faults: {folder / 'index.html'}")
    return 1 if bad else 0
