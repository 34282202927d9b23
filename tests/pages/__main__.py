"""Pictures of every page of the window, light and dark, in each language, at 100 % and at 200 %.

The exit code is 1 where something is cut off or overlaps something else; FOLDER/index.html lists these faults.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.kit import check
from tests.pages import index

SCALES = (1, 2)
# The window on a laptop of 1366 × 768, and the smallest size: 2048 × 1400 pixels at 200 %.
SIZES = {1: (1366, 740), 2: (1024, 700)}


def main() -> int:
    """Draw and measure the pages; return 1 when one has a fault."""
    parser = check.parser("pages", __doc__)
    parser.add_argument(
        "--to", metavar="FOLDER", type=Path, default=Path("build/pages"), help="where the pictures go (%(default)s)"
    )
    parser.add_argument("--only", nargs="*", default=[], help="these places alone")
    parser.add_argument("--language", nargs="*", default=[], help="these languages alone")
    parser.add_argument("--scale", type=int, choices=SCALES, help="this scale alone, drawn by this process")
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    if options.scale is None:
        for scale in SCALES:  # Qt reads its scale once
            at_scale = [sys.executable, "-m", "tests.pages", *sys.argv[1:], f"--scale={scale}"]
            if failed := subprocess.run(at_scale, check=False).returncode:
                return failed
        return index.write(options.to)
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": str(options.scale), "LANGUAGE": "en"}
    from tests.pages import drawing, scenes  # noqa: PLC0415 -- Qt reads its environment once

    if unknown := set(options.only) - set(scenes.PAGES):
        names = ", ".join(sorted(scenes.PAGES))
        parser.error(f"no place is called {', '.join(sorted(unknown))}; there are {names}")
    found = drawing.draw(options.to, options.scale, SIZES[options.scale], options.only, options.language)
    (options.to / f"faults-{options.scale}.json").write_text(json.dumps(found, ensure_ascii=False, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
