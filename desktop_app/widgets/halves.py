"""Two parts side by side with a movable border."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget


class Halves(QSplitter):
    """``left`` and ``right`` with these initial widths; they grow and shrink together and never collapse."""

    def __init__(self, left: QWidget, right: QWidget, sizes: Sequence[int], parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.addWidget(left)
        self.addWidget(right)
        self.setSizes(list(sizes))
