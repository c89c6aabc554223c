"""What the parts of the pane that act are given of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from desktop_app.context import AppContext
from desktop_app.widgets.banner import Banner, Notice
from desktop_app.widgets.fetcher import Fetcher
from engine.jobs import Failure

WORK, EXPORT = "work", "export"
"""Keys of notices on what a person did."""


@dataclass(frozen=True, slots=True)
class PaneTools:
    """``owner`` is the parent of dialogs and jobs; ``act`` is ``Pane.act``, ``finish`` stores what is being typed."""

    context: AppContext
    owner: QWidget
    banner: Banner
    fetcher: Fetcher
    act: Callable[..., bool]
    fail: Callable[[Failure, str], None]
    finish: Callable[[], None]

    def do(self, verb: Callable[..., object], *args: object) -> bool:
        """Stores what is being typed, then runs a verb."""
        self.finish()
        return self.act(lambda: verb(*args))

    def notify(self, key: str, what: str, means: str = "", *actions: tuple[str, Callable[[], object]]) -> None:
        """Shows a note in the banner."""
        self.banner.show_notice(Notice(key, what, means, kind="note", actions=actions))
