"""What a pane is given: the few things of the window that it may use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.commands import CommandRegistry
from desktop_app.current_paper import CurrentPaper
from desktop_app.engine_bridge import EngineBridge
from desktop_app.settings import Settings
from desktop_app.state import WindowState
from desktop_app.widgets.banner import MessageArea
from desktop_app.widgets.file_dialogs import FileDialogs


@dataclass(frozen=True, slots=True)
class AppContext:
    """``papers`` knows the paper that is shown; ``show_pane`` brings a pane to the front by its id and returns it;
    ``open_path`` opens a project file given as text or Path."""

    bridge: EngineBridge
    settings: Settings
    state: WindowState
    commands: CommandRegistry
    files: FileDialogs
    papers: CurrentPaper
    messages: MessageArea
    show_pane: Callable[[str], Any]
    open_path: Callable[[str | Path], object]
