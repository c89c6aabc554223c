"""Tab order by visible layout instead of creation order."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLayout, QWidget


def tab_stops(widget: QWidget, now: QWidget | None) -> Iterator[QWidget]:
    """Yields the Tab stops in a visible widget, and ``now``, the focus widget. Widgets outside of layouts come last,
    from top to bottom. Of exclusive buttons only the checked one is a stop; the arrow keys move to the others."""
    if widget is now or _stops(widget):
        yield widget
    layout = widget.layout()
    laid = list(_laid(layout)) if layout is not None else []
    rest = [one for one in widget.children() if isinstance(one, QWidget) and not one.isWindow() and one not in laid]
    for one in (*laid, *sorted(rest, key=lambda one: (one.y(), one.x()))):
        if one.isVisible() and one.isEnabled():
            yield from tab_stops(one, now)


def _stops(widget: QWidget) -> bool:
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    if group is not None and group.exclusive() and (chosen := group.checkedButton()) is not None:
        return chosen is widget
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None


def _laid(layout: QLayout) -> Iterator[QWidget]:
    for at in range(layout.count()):
        item = layout.itemAt(at)
        inner = item.layout() if item is not None else None
        if inner is not None:
            yield from _laid(inner)
        elif item is not None and (widget := item.widget()) is not None:
            yield widget


def step(part: QWidget, forward: bool) -> bool:
    """Moves the focus to the next (previous) stop, wrapping around. Returns whether there is one."""
    now = part.window().focusWidget()
    stops = [one for one in tab_stops(part, now) if one is not part]
    if not stops or (now not in stops and part.isWindow()):
        return False  # the focus widget was just hidden
    at = stops.index(now) if now in stops else -forward
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    stops[(at + (1 if forward else -1)) % len(stops)].setFocus(reason)
    return True
