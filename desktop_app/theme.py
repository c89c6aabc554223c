"""The application's appearance: design tokens, and the palette, stylesheet, fonts and icons made from them.

Light and dark follow the system unless the settings say otherwise. Text zoom multiplies all font sizes and row heights.
Colours are sRGB hex strings; sizes are device-independent pixels.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from weakref import WeakMethod

import shiboken6
from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app import present
from engine.resource_files import resource_text

Scheme = Literal["light", "dark"]
Choice = Literal["system", "light", "dark"]
Role = Literal["small", "body", "section", "title"]
Meaning = Literal["added", "deleted", "moved", "linked", "suggested", "attention", "verified", "unsupported"]

SPACE = (0, 4, 8, 12, 16, 24, 32)
"""Spacing on a 4 px grid: SPACE[1] is 4, SPACE[3] is 12 (padding of panels), SPACE[6] is 32."""
TYPE: Mapping[Role, int] = {"small": 11, "body": 13, "section": 15, "title": 20}
ROW, ROW_COMPACT, CORNER, ICON = 28, 24, 6, 16
READING_LINE_HEIGHT = 1.5
READING_FACES = ("Source Serif 4", "Source Serif Pro", "Charter", "Georgia", "Noto Serif", "DejaVu Serif", "Serif")
ICONS = Path(__file__).resolve().parent.parent / "resources" / "icons"
ZOOM_STEPS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


@dataclass(frozen=True, slots=True)
class DataColour:
    """The colours of a meaning: ``mark`` for lines and fills (Okabe & Ito 2008 where contrast allows), ``ink`` for
    text, ``wash`` as background of text; ``sign`` conveys the meaning without colour."""

    mark: str
    ink: str
    wash: str
    sign: Literal["underline", "strike", "side bar", "solid", "dashed", "!", "✓", "✗"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """A scheme's colours. ``ground`` is for the window frame, ``surface`` for panels and the area around pages."""

    scheme: Scheme
    ground: str
    surface: str
    raised: str
    sunken: str
    ink: str
    muted: str
    hairline: str
    control_border: str
    accent: str
    on_accent: str
    accent_wash: str
    focus: str
    danger: str
    attention_wash: str
    problem_wash: str
    data: Mapping[Meaning, DataColour] = field(repr=False)


LIGHT = Tokens(
    scheme="light",
    ground="#f3f4f6",
    surface="#ffffff",
    raised="#ffffff",
    sunken="#e9ebee",
    ink="#1b1f24",
    muted="#57606a",
    hairline="#dee0e3",
    control_border="#868e98",
    accent="#0a63bd",
    on_accent="#ffffff",
    accent_wash="#e2eefa",
    focus="#0a63bd",
    danger="#b3261e",
    attention_wash="#fdf3d0",
    problem_wash="#fde8e0",
    data={
        "added": DataColour("#0072b2", "#005f96", "#dbecf7", "underline"),
        "deleted": DataColour("#e69f00", "#835a00", "#fcefd2", "strike"),
        "moved": DataColour("#cc79a7", "#8f3d6a", "#f7e6ef", "side bar"),
        "linked": DataColour("#009e73", "#006f51", "#d9f1e9", "solid"),
        "suggested": DataColour("#56b4e9", "#1b6490", "#e5f4fc", "dashed"),
        "attention": DataColour("#d9a400", "#775700", "#fdf3d0", "!"),
        "verified": DataColour("#009e73", "#006f51", "#d9f1e9", "✓"),
        "unsupported": DataColour("#d55e00", "#a14400", "#fde8e0", "✗"),
    },
)
DARK = Tokens(
    scheme="dark",
    ground="#16181b",
    surface="#1d2023",
    raised="#25292d",
    sunken="#101214",
    ink="#e3e6ea",
    muted="#a3abb5",
    hairline="#34383c",
    control_border="#757e88",
    accent="#6db3f8",
    on_accent="#08192b",
    accent_wash="#1a3048",
    focus="#6db3f8",
    danger="#ff8a80",
    attention_wash="#3a3115",
    problem_wash="#43261a",
    data={
        "added": DataColour("#3fa0dc", "#7cc1ee", "#14324a", "underline"),
        "deleted": DataColour("#e69f00", "#f2b740", "#3d2f10", "strike"),
        "moved": DataColour("#cc79a7", "#e5a3c7", "#40263a", "side bar"),
        "linked": DataColour("#12b886", "#56d0a8", "#12382d", "solid"),
        "suggested": DataColour("#56b4e9", "#86caf1", "#173245", "dashed"),
        "attention": DataColour("#f0c419", "#f3cf4a", "#3a3115", "!"),
        "verified": DataColour("#12b886", "#56d0a8", "#12382d", "✓"),
        "unsupported": DataColour("#e8702a", "#ff9d66", "#43261a", "✗"),
    },
)


_STYLED, _HAS_STYLE = Qt.WidgetAttribute.WA_WState_Polished, Qt.WidgetAttribute.WA_SetStyle
"""Qt applies a new style to polished widgets and notifies those without WA_SetStyle, hidden ones included."""
_SLICE = 0.01


@cache
def _glyphs() -> Mapping[str, str]:
    """Loads the font of the icons; returns its characters by name (hexadecimal)."""
    folder = Path(str(present(find_spec("qtawesome")).origin)).parent / "fonts"
    QFontDatabase.addApplicationFont(str(next(folder.glob("phosphor-*.ttf"))))
    found: dict[str, str] = json.loads(next(folder.glob("phosphor-charmap-*.json")).read_bytes())
    return found


class _Glyph(QIconEngine):
    """An icon that is a character of a font. QtAwesome's own engine would import all of Qt's widgets a second time, and
    load a dozen fonts."""

    def __init__(self, code: str, colour: QColor, disabled: QColor) -> None:
        super().__init__()
        self._letter, self._colour, self._disabled = chr(int(code, 16)), colour, disabled

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _state: QIcon.State) -> None:
        font = QFont("Phosphor")
        font.setPixelSize(round(rect.height() * 0.875))
        painter.save()
        painter.setFont(font)
        painter.setPen(self._disabled if mode is QIcon.Mode.Disabled else self._colour)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._letter)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        made = QPixmap(size)
        made.fill(Qt.GlobalColor.transparent)
        self.paint(QPainter(made), made.rect(), mode, state)
        return made


class Theme(QObject):
    """The application's current theme. Custom-painted widgets listen to ``changed``."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.choice: Choice = "system"
        self.zoom = 1.0  # 0.8 to 2.0
        self._icons: dict[tuple[str, str], QIcon] = {}
        self._face = ""
        self._unstyled: list[QWidget] = []
        """Hidden widgets that still have an earlier style, parents before children."""
        self._resting: dict[QWidget, None] = {}
        """Widgets of hidden parts (``rest``), marked so that Qt doesn't notify them of a new style. Parents first."""
        self._followers: list[WeakMethod[Callable[[], object]]] = []
        self._outdated: list[WeakMethod[Callable[[], object]]] = []
        """Followers in hidden widgets that haven't been called since the last change."""
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda _scheme: self.configure())
        self.tokens = self._wanted()

    def follow(self, restyle: Callable[[], object], *, now: bool = True) -> None:
        """Calls ``restyle``, a method of a widget, now and whenever the theme changes; a little later if the widget is
        hidden by then."""
        self._followers.append(WeakMethod(restyle))
        if now:
            restyle()

    def configure(self, choice: Choice | None = None, zoom: float | None = None) -> None:
        """Sets the scheme (``system`` follows the desktop) and the text zoom; restyles if either changed."""
        before = (self.tokens.scheme, self.zoom)
        self.choice = choice or self.choice
        if zoom is not None:
            self.zoom = min(max(zoom, ZOOM_STEPS[0]), ZOOM_STEPS[-1])
        self.tokens = self._wanted()
        if before != (self.tokens.scheme, self.zoom):
            self.apply()

    def stepped_zoom(self, steps: int) -> float:
        """Returns the zoom ``steps`` steps above (negative: below) the current one; 0 means the normal size."""
        if steps == 0:
            return 1.0
        nearest = min(range(len(ZOOM_STEPS)), key=lambda i: abs(ZOOM_STEPS[i] - self.zoom))
        return ZOOM_STEPS[min(max(nearest + steps, 0), len(ZOOM_STEPS) - 1)]

    def px(self, size: float) -> int:
        """Scales a size that depends on text (font, row height) by the current zoom."""
        return max(1, round(size * self.zoom))

    def colour(self, token: str) -> QColor:
        return QColor(getattr(self.tokens, token))

    def data(self, meaning: Meaning) -> DataColour:
        return self.tokens.data[meaning]

    def font(self, role: Role = "body", *, bold: bool = False, tabular: bool = False) -> QFont:
        """Returns the interface font in a role's size; ``tabular`` makes all digits equally wide."""
        font = QFont(QApplication.font())
        font.setPixelSize(self.px(TYPE[role]))
        font.setBold(bold)
        if tabular:
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def reading_font(self, size: float = 15) -> QFont:
        """Returns the font for text from papers and reviews: the first installed face of READING_FACES."""
        if not self._face:
            installed = set(QFontDatabase.families())
            self._face = next((face for face in READING_FACES if face in installed), "serif")
        font = QFont(self._face)
        font.setStyleHint(QFont.StyleHint.Serif)
        font.setPixelSize(self.px(size))
        return font

    def icon(self, name: str, tint: str = "ink") -> QIcon:
        """Returns a Phosphor icon, named without the family, in the colour of the token ``tint``."""
        key = (name, tint)
        if key not in self._icons:
            colours = self.colour(tint), self.colour("control_border")
            self._icons[key] = QIcon(_Glyph(_glyphs()[name], *colours))
        return self._icons[key]

    def apply(self) -> None:
        """Applies palette, font and stylesheet to the application and emits ``changed``. Hidden widgets are restyled a
        few at a time, or when ``finish`` is called."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self._icons.clear()
        free, parts = [], [top for top in app.topLevelWidgets() if top not in self._resting]
        while parts:
            part = parts.pop()
            if not part.testAttribute(_HAS_STYLE):
                free.append(part)
            parts += (one for one in part.children() if isinstance(one, QWidget) and one not in self._resting)
        styled = [widget for widget in free if widget.testAttribute(_STYLED)]
        shown = [widget for widget in styled if widget.isVisible()]
        for widget in free:
            _shield(widget)
        # Replacing one sheet directly by another restyles each widget once per ancestor: ten times on average.
        app.setStyleSheet("")
        app.setFont(self.font())  # some widgets cache text sizes measured before they are styled
        app.setPalette(self._palette())
        for widget in shown:
            widget.setAttribute(_STYLED)
            widget.setAttribute(_HAS_STYLE, False)
        app.setStyleSheet(stylesheet(self.tokens, self.zoom))
        for widget in free:
            widget.setAttribute(_HAS_STYLE, False)
        if not (self._unstyled or self._outdated):
            QTimer.singleShot(0, self, self._style_some)
        self._unstyled = [*(widget for widget in self._unstyled if widget not in self._resting), *self._resting]
        self._unstyled += (widget for widget in styled if not widget.testAttribute(_STYLED))
        owners = [(one, owner) for one in self._followers if (owner := _owner(one))]
        self._followers = [one for one, _owner_ in owners]
        self._outdated.clear()
        for one, owner in owners:
            if isinstance(owner, QWidget) and not owner.isVisible():
                self._outdated.append(one)
            else:
                _call(one)
        self.changed.emit()

    def rest(self, part: QWidget) -> None:
        """Excludes a part that was hidden from changes of the theme, until ``finish`` is called for it: going through
        the widgets of all panes would block the event loop."""
        self._resting = {one: None for one in self._resting if shiboken6.isValid(one)}
        for widget in (part, *part.findChildren(QWidget)):
            if widget.testAttribute(_STYLED) and not (widget.isVisible() or widget.testAttribute(_HAS_STYLE)):
                _shield(widget)
                self._resting[widget] = None

    def finish(self, part: QWidget) -> None:
        """Restyles those widgets in a part that are still pending, before the part is shown."""
        due = [one for one in reversed(self._unstyled) if shiboken6.isValid(one) and part.isAncestorOf(one)]
        for one in (*due, part):
            self._style(one)
        left = {*self._unstyled}.difference(due, [part])  # windows such as the lists of boxes
        for widget in (part, *part.findChildren(QWidget)):
            if widget in self._resting:
                del self._resting[widget]
                widget.setAttribute(_STYLED, widget not in left)
                widget.setAttribute(_HAS_STYLE, False)
        due_calls = ((one, _owner(one)) for one in self._outdated)
        for follower in [
            one for one, at in due_calls if isinstance(at, QWidget) and (at is part or part.isAncestorOf(at))
        ]:
            self._outdated.remove(follower)
            _call(follower)

    def _style_some(self) -> None:
        until = time.monotonic() + _SLICE
        while (self._unstyled or self._outdated) and time.monotonic() < until:
            if self._unstyled:
                self._style(self._unstyled.pop())  # children first: fonts propagate down to children without their own
            else:
                _call(self._outdated.pop(0))
        if self._unstyled or self._outdated:
            QTimer.singleShot(0, self, self._style_some)

    def _style(self, widget: QWidget) -> None:
        if shiboken6.isValid(widget) and not widget.testAttribute(_STYLED):
            for kind in (QEvent.Type.Polish, QEvent.Type.StyleChange):
                QApplication.sendEvent(widget, QEvent(kind))
            widget.setAttribute(_STYLED, widget not in self._resting)

    def _wanted(self) -> Tokens:
        if self.choice == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if self.choice == "dark" else LIGHT

    def _palette(self) -> QPalette:
        t, palette = self.tokens, QPalette()
        roles = {
            QPalette.ColorRole.Window: t.ground, QPalette.ColorRole.WindowText: t.ink,
            QPalette.ColorRole.Base: t.surface, QPalette.ColorRole.AlternateBase: t.ground,
            QPalette.ColorRole.Text: t.ink, QPalette.ColorRole.Button: t.surface,
            QPalette.ColorRole.ButtonText: t.ink, QPalette.ColorRole.ToolTipBase: t.raised,
            QPalette.ColorRole.ToolTipText: t.ink, QPalette.ColorRole.PlaceholderText: t.muted,
            QPalette.ColorRole.Highlight: t.accent, QPalette.ColorRole.HighlightedText: t.on_accent,
            QPalette.ColorRole.Link: t.accent, QPalette.ColorRole.Mid: t.hairline,
            QPalette.ColorRole.Accent: t.accent,
        }  # fmt: skip
        for role, colour in roles.items():
            palette.setColor(role, QColor(colour))
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(t.muted))
        return palette


def _shield(widget: QWidget) -> None:
    widget.setAttribute(_STYLED, False)
    widget.setAttribute(_HAS_STYLE)


def _owner(follower: WeakMethod[Callable[[], object]]) -> QObject | None:
    """Returns the object whose method a follower is, or the widget it helps; None if it's gone."""
    owner = getattr(follower(), "__self__", None)
    if not (isinstance(owner, QObject) and shiboken6.isValid(owner)):
        return None
    return owner if isinstance(owner, QWidget) else owner.parent() or owner


def _call(follower: WeakMethod[Callable[[], object]]) -> None:
    if (restyle := follower()) and shiboken6.isValid(restyle.__self__):  # type: ignore[attr-defined]
        restyle()


_made: Theme | None = None


def theme() -> Theme:
    """Returns the application's theme; created at the first call, after the QApplication."""
    global _made  # noqa: PLW0603 - delegates call this a thousand times per paint
    if _made is None or not shiboken6.isValid(_made):
        _made = _find_or_make()
    return _made


def _find_or_make() -> Theme:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    found = app.findChild(Theme, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if found is None:
        app.setStyle("Fusion")
        found = Theme(app)
        found.apply()
    return found


def stylesheet(tokens: Tokens, zoom: float = 1.0) -> str:
    """Returns the application's stylesheet. Widgets choose their style by the dynamic property ``role``."""
    values = {f.name: getattr(tokens, f.name) for f in fields(tokens) if isinstance(getattr(tokens, f.name), str)}
    values |= {role: f"{round(size * zoom)}px" for role, size in TYPE.items()}
    values |= {"row": f"{round(ROW * zoom)}px", "control": f"{round(ROW * zoom) - 10}px", "corner": f"{CORNER}px"}
    box, ring = round(14 * zoom), round(5 * zoom)  # checked and unchecked radio buttons have the same size
    values |= {"box": f"{box}px", "round": f"{box // 2 + 1}px", "ring": f"{ring}px", "dot": f"{box + 2 - 2 * ring}px"}
    values |= {meaning: tokens.data[meaning].ink for meaning in ("attention", "unsupported")}
    values["arrow"] = f"{min(24, round(24 * zoom))}px"
    values["icons"] = ICONS.as_posix().replace("\\", "\\\\").replace('"', '\\"')
    return resource_text("window.qss") % values
