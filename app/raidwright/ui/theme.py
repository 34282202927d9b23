"""Qt's palette, fonts and style sheet from the tokens."""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication

from raidwright.colours import DARK, LIGHT, Tokens
from raidwright.resources import resource

from . import tokens

_POINTS_PER_PIXEL = 72 / 96
_WANTED = "wanted-scheme"
_TICK = resource("icons/tick.svg").as_posix()
_CHEVRON, _CHEVRON_UP = (resource(f"icons/{name}.svg").as_posix() for name in ("chevron", "chevron-up"))


def install(app: QApplication) -> None:
    """Style ``app``, following the desktop's light or dark scheme while it runs."""
    app.setFont(font(tokens.TYPE_SMALL))
    font.cache_clear()  # the application's font comes first
    app.styleHints().colorSchemeChanged.connect(lambda scheme: _follow(app, scheme))
    _follow(app, app.styleHints().colorScheme())


def choose(app: QApplication, wanted: Qt.ColorScheme) -> None:
    """Style ``app`` light or dark from now on; if ``wanted`` is unknown, like the desktop."""
    app.setProperty(_WANTED, wanted)
    app.styleHints().setColorScheme(wanted)  # for Qt's own drawing, such as title bars; not on every platform
    _follow(app, app.styleHints().colorScheme())


def _follow(app: QApplication, scheme: Qt.ColorScheme) -> None:
    wanted = app.property(_WANTED)
    is_own = isinstance(wanted, Qt.ColorScheme) and wanted is not Qt.ColorScheme.Unknown
    apply(app, DARK if (wanted if is_own else scheme) is Qt.ColorScheme.Dark else LIGHT)


def apply(app: QApplication, scheme: Tokens) -> None:
    """Style ``app`` in ``scheme``."""
    app.setPalette(palette(scheme))
    app.setStyleSheet(style_sheet(scheme))


def tokens_for(palette_: QPalette) -> Tokens:
    """Return the scheme of a widget with ``palette_``, for widgets that paint themselves."""
    return DARK if palette_.color(QPalette.ColorRole.Window).lightness() < 128 else LIGHT


@functools.cache  # requested for every cell painted
def font(pixels: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the font at ``pixels`` (at 100 %), with tabular figures, so that changing numbers don't move."""
    face = QFont(QApplication.font())
    # A list, so that Qt falls back by itself: checking whether a family exists loads the whole font database.
    face.setFamilies([tokens.FONT_FAMILY, *face.families()])
    face.setPointSizeF(pixels * _POINTS_PER_PIXEL)
    face.setWeight(weight)
    face.setFeature(QFont.Tag("tnum"), 1)
    return face


def palette(scheme: Tokens) -> QPalette:
    """Return Qt's palette for ``scheme``, for widgets that the style sheet doesn't reach."""
    roles = {
        QPalette.ColorRole.Window: scheme.ground,
        QPalette.ColorRole.WindowText: scheme.text,
        QPalette.ColorRole.Base: scheme.panel,
        QPalette.ColorRole.AlternateBase: scheme.sunken,
        QPalette.ColorRole.Text: scheme.text,
        QPalette.ColorRole.PlaceholderText: scheme.dim,
        QPalette.ColorRole.Button: scheme.panel,
        QPalette.ColorRole.ButtonText: scheme.text,
        QPalette.ColorRole.Highlight: scheme.accent,
        QPalette.ColorRole.HighlightedText: scheme.on_accent,
        QPalette.ColorRole.ToolTipBase: scheme.panel,
        QPalette.ColorRole.ToolTipText: scheme.text,
        QPalette.ColorRole.Link: scheme.accent,
    }
    result = QPalette()
    for role, colour in roles.items():
        result.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(scheme.dim))
    return result


def _points(pixels: float) -> str:
    return f"{pixels * _POINTS_PER_PIXEL:.2f}pt"


def style_sheet(scheme: Tokens) -> str:
    """Return the application's style sheet for ``scheme``."""
    return _frame(scheme) + _text(scheme) + _buttons(scheme) + _fields(scheme) + _tables(scheme)


def _frame(s: Tokens) -> str:
    return f"""
    QMainWindow, #stations {{ background: {s.ground}; }}
    QFrame[notice] {{ background: {s.accent_soft}; border-bottom: 1px solid {s.line}; }}
    QFrame[notice="warn"] {{ background: {s.amber_soft}; }}
    QFrame[notice="bad"] {{ background: {s.red_soft}; }}
    #top-bar {{ background: {s.panel}; border-bottom: 1px solid {s.line}; }}
    #rail {{ background: {s.rail}; border-right: 1px solid {s.line}; }}
    #command-bar {{ background: {s.panel}; border-top: 1px solid {s.line}; }}
    QFrame[panel="true"] {{
        background: {s.panel}; border: 1px solid {s.line}; border-radius: {tokens.CORNER_PANEL}px;
    }}
    #explanation {{ border-color: {s.dim}; }}
    QFrame[tile] {{ background: {s.sunken}; border: 1px solid {s.line}; border-radius: {tokens.CORNER}px; }}
    QFrame[tile="info"] {{ background: {s.accent_soft}; border-color: {s.accent_soft}; }}
    QFrame[tile="warn"] {{ background: {s.amber_soft}; border-color: {s.amber}; }}
    QFrame[tile="bad"] {{ background: {s.red_soft}; border-color: {s.red}; }}
    QFrame[rule="true"] {{ background: {s.line}; border: none; }}
    QFrame[card="chosen"] {{ border: 2px solid {s.accent}; }}
    #explanation:focus {{ border-color: {s.accent}; }}
    QToolTip {{ background: {s.panel}; color: {s.text}; border: 1px solid {s.line}; padding: {tokens.SPACE_XS}px; }}
    QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
    QScrollBar::handle {{ background: {s.edge}; border-radius: 3px; min-height: 24px; min-width: 24px; }}
    QScrollBar::handle:vertical {{ margin: 1px 0 1px 4px; }}
    QScrollBar::handle:horizontal {{ margin: 4px 1px 0 1px; }}
    QScrollBar::handle:hover {{ background: {s.dim}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QMenu {{ background: {s.panel}; color: {s.text}; border: 1px solid {s.line}; padding: {tokens.SPACE_XS}px; }}
    QMenu::item {{ padding: 6px {tokens.SPACE_L}px; border-radius: {tokens.CORNER}px; }}
    QMenu::item:selected {{ background: {s.accent_soft}; color: {s.accent}; }}
    QMenu::separator {{ height: 1px; background: {s.line}; margin: {tokens.SPACE_XS}px; }}
    """


def _text(s: Tokens) -> str:
    badges = "".join(
        f'QLabel[badge="{tone}"] {{ color: {ink}; background: {ground}; }}'
        for tone, ink, ground in (
            ("good", s.green, s.green_soft),
            ("warn", s.amber, s.amber_soft),
            ("bad", s.red, s.red_soft),
            ("info", s.accent, s.accent_soft),
        )
    )
    return f"""
    QLabel {{ color: {s.text}; background: transparent; }}
    QLabel[role="brand"] {{ font-size: {_points(tokens.TYPE_TITLE)}; font-weight: 700; }}
    QLabel[role="title"] {{ font-size: {_points(tokens.TYPE_BODY)}; font-weight: 600; }}
    QLabel[role="practice"] {{ color: {s.purple}; font-size: {_points(tokens.TYPE_TITLE)}; font-weight: 600; }}
    QLabel[role="headline"] {{ font-size: {_points(tokens.TYPE_TITLE)}; font-weight: 600; }}
    QLabel[role="question"] {{ font-size: {_points(tokens.TYPE_QUESTION)}; font-weight: 700; }}
    QLabel[role="tile"] {{ font-size: {_points(tokens.TYPE_TILE)}; font-weight: 700; }}
    QLabel[role="figure"] {{ font-size: {_points(tokens.TYPE_FIGURE)}; font-weight: 700; }}
    QLabel[role="unit"] {{ font-size: {_points(tokens.TYPE_TITLE)}; color: {s.dim}; padding-bottom: 3px; }}
    QLabel[role="dim"] {{ color: {s.dim}; }}
    QLabel[role="tile-dim"] {{ font-size: {_points(tokens.TYPE_TINY)}; color: {s.dim}; }}
    QFrame[tile="warn"] QLabel[role="tile-dim"] {{ color: {s.text}; }}
    QFrame[tile="bad"] QLabel[role="tile-dim"] {{ color: {s.text}; }}
    QLabel[role="tile-name"] {{ font-weight: 600; }}
    QLabel[role="tile-state"] {{ font-size: {_points(tokens.TYPE_SMALL)}; }}
    QLabel[role="error"] {{ color: {s.red}; }}
    QLabel[role="good"] {{ color: {s.green}; }}
    QLabel[role="warning"] {{ color: {s.amber}; }}
    QLabel[badge] {{
        border-radius: 9px; padding: 2px {tokens.SPACE_S}px; min-height: 15px; max-height: 15px;
        font-size: {_points(tokens.TYPE_TINY)}; font-weight: 600;
    }}
    {badges}
    QFrame[notice] QLabel[badge] {{ background: {s.panel}; }}
    QFrame[notice] QLabel[role="dim"] {{ color: {s.text}; }}
    QLabel[step] {{
        color: {s.dim}; background: {s.panel}; border: 1px solid {s.line}; border-radius: 12px;
        min-width: 22px; max-width: 22px; min-height: 22px; max-height: 22px; font-weight: 600;
    }}
    QLabel[step="now"] {{ color: {s.on_accent}; background: {s.accent}; border-color: {s.accent}; }}
    QLabel[step="done"] {{ color: {s.green}; background: {s.green_soft}; border-color: {s.green_soft}; }}
    #command-words {{ background: {s.sunken}; border: 1px solid {s.line}; border-radius: {tokens.CORNER}px; }}
    QLabel[word="true"][chosen="true"] {{ color: {s.accent}; }}
    """


def _buttons(s: Tokens) -> str:
    return f"""
    QPushButton, QToolButton {{
        background: {s.panel}; color: {s.text}; border: 1px solid {s.line}; border-radius: {tokens.CORNER}px;
        padding: 7px {tokens.SPACE_L}px;
    }}
    QFileDialog QToolButton {{ padding: 2px; }}
    QPushButton:hover, QToolButton:hover {{ background: {s.sunken}; }}
    QPushButton:focus, QToolButton:focus {{ border-color: {s.accent}; }}
    QPushButton:disabled, QToolButton:disabled {{ color: {s.dim}; background: {s.sunken}; border-style: dashed; }}
    QPushButton[kind="primary"] {{
        background: {s.accent}; color: {s.on_accent}; border-color: {s.accent}; font-weight: 600;
    }}
    QPushButton[kind="primary"]:hover {{ background: {s.accent_hover}; }}
    QPushButton[kind="primary"]:focus {{ border: 2px solid {s.text}; padding: 6px 15px; }}
    QPushButton[kind="primary"]:disabled {{ background: {s.sunken}; color: {s.dim}; border-color: {s.line}; }}
    QPushButton[kind="toggle"] {{ padding: 5px {tokens.SPACE_M}px; }}
    QPushButton[kind="toggle"]:checked {{ background: {s.accent_soft}; color: {s.accent}; }}
    QPushButton[kind="link"] {{
        background: transparent; color: {s.accent}; border: none; border-bottom: 1px solid {s.accent};
        border-radius: 0; padding: 1px 0;
    }}
    QPushButton[kind="link"]:hover {{ color: {s.accent_hover}; border-bottom-width: 2px; }}
    QPushButton[kind="link"]:focus {{ border-bottom: 2px solid {s.accent}; }}
    QPushButton[kind="explain"] {{
        color: {s.dim}; background: transparent; border-radius: 9px; padding: 0;
        min-width: 16px; max-width: 16px; min-height: 16px; max-height: 16px;
        font-size: {_points(tokens.TYPE_TINY)}; font-weight: 600;
    }}
    QPushButton[kind="explain"]:hover, QPushButton[kind="explain"]:focus {{
        color: {s.accent}; border-color: {s.accent}; background: {s.accent_soft};
    }}
    QPushButton[segment] {{ padding: 5px 0; border-radius: 0; border-right: none; }}
    QPushButton[segment="first"] {{
        border-top-left-radius: {tokens.CORNER}px; border-bottom-left-radius: {tokens.CORNER}px;
    }}
    QPushButton[segment="last"] {{
        border-right: 1px solid {s.line};
        border-top-right-radius: {tokens.CORNER}px; border-bottom-right-radius: {tokens.CORNER}px;
    }}
    QPushButton[segment="only"] {{ border: 1px solid {s.line}; border-radius: {tokens.CORNER}px; }}
    QPushButton[segment]:checked {{ background: {s.accent_soft}; color: {s.accent}; font-weight: 700; }}
    QPushButton[segment]:focus {{ border: 1px solid {s.accent}; }}
    QPushButton[segment]:disabled {{ border-style: solid; }}
    #machine-pill {{
        color: {s.accent}; background: {s.accent_soft}; border: 1px solid {s.accent_soft}; border-radius: 14px;
        padding: 5px {tokens.SPACE_M}px; font-weight: 600;
    }}
    #machine-pill[practice="true"] {{
        color: {s.purple}; background: {s.purple_soft}; border-color: {s.purple_soft};
    }}
    #machine-pill:focus {{ border-color: {s.accent}; }}
    #machine-pill[practice="true"]:focus {{ border-color: {s.purple}; }}
    #disks-which, #build-which {{ padding-right: 14px; }}
    #machine-pill::menu-indicator, #help-button::menu-indicator, #window-menu-button::menu-indicator {{
        width: 0; image: none;
    }}
    """


def _fields(s: Tokens) -> str:
    return f"""
    QLineEdit, QComboBox, QAbstractSpinBox {{
        background: {s.panel}; color: {s.text}; border: 1px solid {s.edge}; border-radius: {tokens.CORNER}px;
        padding: 5px {tokens.SPACE_S}px; selection-background-color: {s.accent}; selection-color: {s.on_accent};
    }}
    QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus {{ border-color: {s.accent}; }}
    QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled {{ color: {s.dim}; background: {s.sunken}; }}
    QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; padding: 0; background: transparent; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: 18px; }}
    QAbstractSpinBox::up-arrow {{ image: url({_CHEVRON_UP}); width: 8px; height: 5px; }}
    QAbstractSpinBox::down-arrow {{ image: url({_CHEVRON}); width: 8px; height: 5px; }}
    QComboBox::drop-down {{ border: none; width: 22px; }}
    QComboBox::down-arrow {{ image: url({_CHEVRON}); width: 10px; height: 6px; }}
    QComboBox QAbstractItemView {{
        background: {s.panel}; color: {s.text}; border: 1px solid {s.line};
        selection-background-color: {s.accent_soft}; selection-color: {s.accent};
    }}
    QSlider::groove:horizontal {{ height: 4px; background: {s.line}; border-radius: 2px; }}
    QSlider::sub-page:horizontal {{ background: {s.accent}; border-radius: 2px; }}
    QSlider::handle:horizontal {{
        background: {s.accent}; border: 2px solid {s.panel}; width: 14px; height: 14px; margin: -7px 0;
        border-radius: 9px;
    }}
    QSlider::handle:horizontal:focus {{ border-color: {s.text}; }}
    QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled {{ background: {s.dim}; }}
    QCheckBox {{ color: {s.text}; spacing: {tokens.SPACE_S}px; }}
    QCheckBox::indicator {{
        width: 14px; height: 14px; border: 1px solid {s.dim}; border-radius: 4px; background: {s.panel};
    }}
    QCheckBox::indicator:checked {{ background: {s.accent}; border-color: {s.accent}; image: url({_TICK}); }}
    QCheckBox::indicator:focus {{ border: 2px solid {s.accent}; }}
    QRadioButton::indicator {{
        width: 14px; height: 14px; border: 1px solid {s.dim}; border-radius: 8px; background: {s.panel};
    }}
    QRadioButton::indicator:checked {{ width: 6px; height: 6px; border: 5px solid {s.accent}; }}
    QRadioButton::indicator:unchecked:focus {{ width: 12px; height: 12px; border: 2px solid {s.accent}; }}
    QRadioButton::indicator:disabled {{ border-color: {s.line}; }}
    QProgressBar {{ background: {s.line}; border: none; border-radius: 3px; max-height: 6px; }}
    QProgressBar::chunk {{ background: {s.accent}; border-radius: 3px; }}
    QPlainTextEdit, QTextBrowser {{
        background: {s.sunken}; color: {s.text}; border: 1px solid {s.line}; border-radius: {tokens.CORNER}px;
    }}
    #help-page, #help-documents {{
        background: {s.panel}; color: {s.text}; border: 1px solid {s.line}; border-radius: {tokens.CORNER}px;
    }}
    #help-documents::item:selected {{ background: {s.accent_soft}; color: {s.accent}; }}
    """


def _tables(s: Tokens) -> str:
    return f"""
    QTableView {{
        background: {s.panel}; color: {s.text}; border: none; gridline-color: {s.line};
        selection-background-color: {s.accent_soft}; selection-color: {s.text}; outline: none;
    }}
    QHeaderView {{ background: {s.panel}; border: none; }}
    QHeaderView::section {{
        background: {s.panel}; color: {s.dim}; border: none; border-bottom: 1px solid {s.line};
        padding: 6px {tokens.SPACE_S}px; font-weight: 400;
    }}
    """
