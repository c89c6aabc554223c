"""The leaderboard with the chooser of the baseline over it and the legend below."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.commands import CommandRegistry
from desktop_app.panes.expertise.board import LeaderBoard
from desktop_app.widgets.buttons import CommandButton
from desktop_app.widgets.keys import KeepsKeys
from desktop_app.widgets.labels import text_label

_BUTTONS = ("expertise.curve", "expertise.export")


class BoardPage(QWidget):
    """What stands on the tab of the leaderboard."""

    def __init__(self, board: LeaderBoard, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Leaderboard page")
        self.baseline = QComboBox(self)
        self.baseline.setAccessibleName("Baseline")
        self.baseline.setToolTip("Differences are to this algorithm, on the same bootstrap samples")
        self.baseline.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        KeepsKeys(self.baseline)
        scroll = QScrollArea(self)
        scroll.setAccessibleName("Leaderboard")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(board)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        self._head = QHBoxLayout()
        self._head.setContentsMargins(12, 0, 12, 0)
        self._head.setSpacing(8)
        self._head.addWidget(text_label("Baseline", "muted", parent=self))
        self._head.addWidget(self.baseline)
        self._head.addStretch(1)
        column.addLayout(self._head)
        column.addWidget(scroll, 1)
        legend = text_label(
            "Loss: share of rating differences ordered wrongly. │ published scores on the same people."
            " * the interval of the difference leaves out 0.",
            "small", wrap=True, parent=self,
        )  # fmt: skip
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 4, 12, 8)
        foot.addWidget(legend)
        column.addLayout(foot)
        self._with_buttons = False

    def add_buttons(self, registry: CommandRegistry) -> None:
        """Once the pane's commands are known."""
        if not self._with_buttons:
            self._with_buttons = True
            for name in _BUTTONS:
                self._head.addWidget(CommandButton(registry, name, show_key=False, parent=self))
