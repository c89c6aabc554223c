"""What the window remembers by itself: geometry, pane, splitters, recent projects. Losing it costs only comfort."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray

from engine import user_files
from engine.errors import EnvironmentProblem

RECENT_KEPT = 12


class WindowState:
    """Read once at the start, written shortly after each change and when the window closes."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or user_files.config_folder() / "window.json"
        try:
            self._values = user_files.read(self.path)
        except EnvironmentProblem:
            # Nothing of the person's own is in it, and the file has been kept aside: start afresh without a word.
            self._values = {}

    def bytes(self, name: str) -> QByteArray:
        """A blob of Qt's (geometry, splitter); empty if there is none."""
        value = self._values.get(name, "")
        return QByteArray.fromBase64(value.encode("ascii", "ignore")) if isinstance(value, str) else QByteArray()

    def set_bytes(self, name: str, value: QByteArray) -> None:
        self._values[name] = bytes(value.toBase64().data()).decode("ascii")

    def text(self, name: str, default: str = "") -> str:
        value = self._values.get(name, default)
        return value if isinstance(value, str) else default

    def set_text(self, name: str, value: str) -> None:
        self._values[name] = value

    @property
    def recent(self) -> list[Path]:
        """Recent projects, the latest first; some may be gone by now."""
        values: Any = self._values.get("recent", [])
        return [Path(v) for v in values if isinstance(v, str)] if isinstance(values, list) else []

    @property
    def titles(self) -> dict[str, str]:
        """The titles of recent projects when they were last opened, by path."""
        values: Any = self._values.get("titles", {})
        return {key: str(title) for key, title in values.items()} if isinstance(values, dict) else {}

    def add_recent(self, path: Path, title: str) -> None:
        full = path.resolve()
        self._keep_recent([full, *(p for p in self.recent if p != full)][:RECENT_KEPT], {str(full): title})

    def forget_recent(self, path: Path) -> None:
        self._keep_recent([p for p in self.recent if p != path], {})

    def _keep_recent(self, paths: list[Path], titles: dict[str, str]) -> None:
        kept = list(map(str, paths))
        self._values["recent"] = kept
        self._values["titles"] = {key: title for key, title in {**self.titles, **titles}.items() if key in kept}

    def forget(self, beginning: str) -> None:
        """Forgets all values whose name begins like this."""
        for name in [name for name in self._values if name.startswith(beginning)]:
            del self._values[name]

    def save(self) -> None:
        """Writes the file. Raises EnvironmentProblem."""
        user_files.write(self.path, self._values)
