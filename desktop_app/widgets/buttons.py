"""Buttons with an icon that follows the theme, and buttons for commands."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.theme import ICON, theme
from desktop_app.widgets.labels import literal

_PRESSING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PRESSES = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


def presses_button(event: QEvent, focus: QWidget | None) -> bool:
    """Lets Space and Enter press the focused button, even if the pane uses them as commands. On most desktops Qt itself
    does so only for Space. Returns whether the event was handled."""
    if not isinstance(event, QKeyEvent) or not isinstance(focus, QAbstractButton):
        return False
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if not plain or event.key() not in _PRESSING or event.type() not in _PRESSES:
        return False
    if event.type() == QEvent.Type.KeyPress:
        focus.click()
    event.accept()
    return True


class IconButton(QToolButton):
    """An icon with an accessible name and a tooltip; ``text`` adds text beside it."""

    def __init__(
        self,
        icon: str,
        name: str,
        tooltip: str = "",
        *,
        text: str = "",
        tint: str = "ink",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icon, self._tint = icon, tint
        self.setAccessibleName(name)
        self.setToolTip(tooltip or name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if text:
            self.setText(literal(text))
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme().follow(self._paint_icon)

    def set_icon(self, icon: str) -> None:
        self._icon = icon
        self._paint_icon()

    def _paint_icon(self) -> None:
        self.setIconSize(QSize(theme().px(ICON), theme().px(ICON)))
        self.setIcon(theme().icon(self._icon, self._tint))


class CommandButton(QPushButton):
    """A button for a command; text, key, help and availability come from the registry. ``primary`` marks the next step
    of a page, ``quiet`` looks like a link."""

    def __init__(
        self,
        registry: CommandRegistry,
        command: str,
        *,
        text: str = "",
        primary: bool = False,
        quiet: bool = False,
        show_key: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._registry, self._command, self._text, self._show_key = registry, command, text, show_key
        self._brief = False
        if primary or quiet:
            self.setProperty("role", "primary" if primary else "link")
        self.clicked.connect(lambda _checked=False: registry.run(command))
        registry.changed.connect(self.refresh)
        registry.state_changed.connect(self._refresh_state)
        theme().follow(self.refresh)

    @property
    def _key(self) -> str:
        return self._registry.native_shortcut(self._command).split(" or ")[0]

    def showEvent(self, event: QShowEvent) -> None:
        self._show_state()
        super().showEvent(event)

    def _refresh_state(self) -> None:
        if self.isVisible():  # otherwise when it is shown: most buttons are in hidden panes
            self._show_state()

    def _show_state(self) -> None:
        """Updates what may change at any time: availability, and text that depends on the state."""
        if self._command not in self._registry:
            return
        words = self._text or self._registry.text(self._command)
        shown = "" if self._brief else words
        text = literal(f"{shown}   {self._key}".lstrip() if self._key and self._show_key else shown)
        tip = self._registry.tooltip(self._command)
        self.setAccessibleName(words)
        self.setText(text)
        if tip != self.toolTip():
            self.setToolTip(tip)
        self.setEnabled(self._registry.enabled(self._command))

    def show_key(self, shown: bool) -> None:
        """Sets whether the key is shown beside the text; it is in the tooltip either way."""
        if shown != self._show_key:
            self._show_key = shown
            self._show_state()

    def show_text(self, shown: bool) -> None:
        """Sets whether there is text between icon and key; it is in the tooltip either way."""
        self._brief = not shown
        self._show_state()

    def room(self, *, key: bool) -> int:
        """Returns the width needed for the whole text, with or without the key."""
        end = f"   {self._key}" if self._key else ""
        extra = self.fontMetrics().horizontalAdvance(end)
        return self.sizeHint().width() + extra * (key - self._show_key)

    def refresh(self) -> None:
        if self._command not in self._registry:
            return
        self._show_state()
        command = self._registry[self._command]
        if command.icon:
            tint = {"primary": "on_accent", "link": "accent"}.get(self.property("role"), "ink")
            self.setIconSize(QSize(theme().px(ICON), theme().px(ICON)))
            self.setIcon(theme().icon(command.icon, tint))
