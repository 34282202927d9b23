"""The pictures that the documents show, in each language that has a folder of them."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from raidwright.colours import DARK, LIGHT
from raidwright.text import catalogue
from raidwright.ui import language, theme

from tests.ui.places import settle

from .drawing import Opened, look

SIZE = (1280, 800)
_COLOURS = 256
_ALIKE = 0xFFF0F0F0
SHOWN = {  # the place, by the name of its picture
    "disks-light": "disks",
    "walk-light": "walk_picks",
    "plan-light": "plan",
    "joined-light": "joined",
    "prove-light": "proved",
    "build-light": "build",
    "built-light": "built",
    "measure-dark": "measured",
    "arrays-light": "every_array",
    "change-light": "changing",
    "rescue-light": "rescuing",
}


def main(docs: Path) -> None:
    """Draw each of ``SHOWN`` into ``docs/pictures`` and ``docs/LANGUAGE/pictures``."""
    app = QApplication.instance() or QApplication(["raidwright", "-style", "fusion"])
    assert isinstance(app, QApplication)
    theme.install(app)
    with tempfile.TemporaryDirectory() as nobodys:
        os.environ["XDG_CONFIG_HOME"] = nobodys
        for code in catalogue.languages():
            folder = (docs if code == "en" else docs / code) / "pictures"
            if folder.is_dir():
                _draw(app, code, folder)


def _draw(app: QApplication, code: str, folder: Path) -> None:
    catalogue.choose([code])
    language.follow(app)
    for name, place in SHOWN.items():
        with Opened(app, place, SIZE) as window:
            theme.apply(app, DARK if name.endswith("-dark") else LIGHT)
            settle()
            path = folder / f"{name}.png"
            look(window, path)
            _in_few_colours(QImage(str(path))).save(str(path))


def _in_few_colours(picture: QImage) -> QImage:
    """Return ``picture`` in its 256 most frequent colours, a third of the bytes."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    seen = Counter(memoryview(plain.constBits()).cast("I"))
    alike: dict[int, int] = {}  # the most frequent of the colours that the eye hardly tells apart
    for colour, _ in seen.most_common():
        alike.setdefault(colour & _ALIKE, colour)
    return plain.convertToFormat(QImage.Format.Format_Indexed8, list(alike.values())[:_COLOURS])


if __name__ == "__main__":
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "1", "LANGUAGE": "en"}
    main(Path("docs"))
