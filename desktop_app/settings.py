"""The user's settings as a typed spec, the store for them, and the window state saved automatically.

Settings are stored in ``settings.json`` in the configuration folder: one JSON object with ``version`` and the values
that differ from the defaults. Unknown names are kept. The window state is in ``window.json``.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout
from PySide6.QtCore import QByteArray, QObject, Signal

from desktop_app.timers import delayed
from engine import user_files
from engine.errors import EnvironmentProblem

VERSION = 1
SAVE_AFTER_MS = 400

Value = str | bool | int | float
Section = Literal["You", "Appearance", "Documents", "Work", "Network"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting. ``choices`` lists allowed values as (value, words); ``low`` and ``high`` limit numbers."""

    name: str
    title: str
    description: str
    default: Value
    section: Section
    choices: tuple[tuple[Value, str], ...] = ()
    low: float | None = None
    high: float | None = None

    def check(self, value: object) -> Value:
        """Returns the value as this setting's type. Raises ValueError, with a sentence for the user, if not allowed."""
        kind = type(self.default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind:
            raise ValueError(f"“{self.title}” must be {_WORDS[kind]}, not {value!r}.")
        if self.choices and value not in [choice for choice, _ in self.choices]:
            raise ValueError(f"“{self.title}” can't be {value!r}.")
        if isinstance(value, int | float) and not isinstance(value, bool):
            if self.low is not None and value < self.low:
                raise ValueError(f"“{self.title}” must be at least {self.low:g}.")
            if self.high is not None and value > self.high:
                raise ValueError(f"“{self.title}” must be at most {self.high:g}.")
        assert isinstance(value, str | bool | int | float)
        return value


_WORDS: Mapping[type, str] = {str: "text", bool: "yes or no", int: "a whole number", float: "a number"}

_LOOKUPS = (
    ("arxiv", "arXiv", "Looks up the title, authors and abstract of a paper that you enter by arXiv ID."),
    ("crossref", "Crossref", "Looks up a paper that you enter by DOI or title."),
    ("semantic-scholar", "Semantic Scholar", "Looks up a paper that you enter by ID or title."),
    ("openalex", "OpenAlex", "Looks up a paper that you enter by DOI or title."),
)
"""Id and name of each catalogue, and what its look-up does."""
SPEC: tuple[Setting, ...] = (
    Setting("annotator.name", "Your name",
            "Recorded with every decision you make, in the project's history and in exports.", "", "You"),
    Setting("appearance.scheme", "Colours", "Light, dark, or the same as the system.", "system", "Appearance",
            (("system", "Same as system"), ("light", "Light"), ("dark", "Dark"))),
    Setting("appearance.zoom", "Text size",
            "Applies to all text in the application. PDF pages have their own zoom.", 1.0, "Appearance",
            low=0.8, high=2.0),
    Setting("appearance.side_bar_words", "Show names in the side bar",
            "Shows the name of each pane beside its icon, if the window is wide enough.", True, "Appearance"),
    Setting("documents.dark_page", "PDF pages in dark mode",
            "How PDF pages look in dark mode. In light mode they are always white.", "paper", "Documents",
            (("paper", "White paper"), ("sepia", "Sepia"), ("inverted", "Inverted"))),
    Setting("work.reopen_last", "Open the last project at startup",
            "Starts where you left off. Otherwise Rejoinder opens with the home page.", True, "Work"),
    *(
        Setting(
            f"network.{key}", f"Look up papers on {name}",
            f"{what} Apart from that, only the name and version of this program are sent, and the e-mail address below"
            " if you enter one.",
            False, "Network",
        )
        for key, name, what in _LOOKUPS
    ),
    Setting("network.contact", "Contact e-mail for catalogues",
            "Optional. Sent with each query, as the catalogues request.", "", "Network"),
)  # fmt: skip

# Each migration converts the stored object from version n to version n + 1.
MIGRATIONS: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


class Settings(QObject):
    """The current settings. Saving is debounced; ``flush`` saves immediately."""

    changed = Signal(str)
    """The setting's name."""
    problem = Signal(object)
    """An EnvironmentProblem: the file couldn't be read or written."""

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path or user_files.config_folder() / "settings.json"
        self._spec = {setting.name: setting for setting in SPEC}
        self._stored: dict[str, Any] = {}
        self._shortcuts: dict[str, str] = {}
        self._on_disk: dict[str, Any] = {"version": VERSION}
        self.trouble: list[EnvironmentProblem] = []
        """Problems found while loading; the window shows them once it exists."""
        self._timer = delayed(self, SAVE_AFTER_MS, self.flush)
        self._load()

    def __getitem__(self, name: str) -> Value:
        default = self._spec[name].default
        return self._stored.get(name, default)  # type: ignore[no-any-return]

    def text(self, name: str) -> str:
        value = self[name]
        assert isinstance(value, str)
        return value

    def number(self, name: str) -> float:
        value = self[name]
        assert isinstance(value, int | float)
        return float(value)

    def flag(self, name: str) -> bool:
        value = self[name]
        assert isinstance(value, bool)
        return value

    def set(self, name: str, value: object) -> None:
        """Sets a value. Raises KeyError for an unknown name and ValueError for a value that isn't allowed."""
        checked = self._spec[name].check(value)
        if checked == self[name]:
            return
        if checked == self._spec[name].default:
            self._stored.pop(name, None)
        else:
            self._stored[name] = checked
        self._timer.start()
        self.changed.emit(name)

    @property
    def shortcuts(self) -> dict[str, str]:
        """Remapped keys by command id, in portable text."""
        return dict(self._shortcuts)

    def set_shortcuts(self, shortcuts: Mapping[str, str]) -> None:
        if dict(shortcuts) != self._shortcuts:
            self._shortcuts = dict(shortcuts)
            self._timer.start()

    def flush(self) -> None:
        self._timer.stop()
        value = {**self._stored, "version": VERSION}
        if self._shortcuts:
            value["shortcuts"] = self._shortcuts
        if value == self._on_disk:
            return
        try:
            user_files.write_changes(self.path, self._on_disk, value)
        except EnvironmentProblem as problem:
            self.problem.emit(problem)
        else:
            self._on_disk = value

    def _load(self) -> None:
        try:
            stored = user_files.read(self.path)
        except EnvironmentProblem as problem:
            self.trouble.append(problem)
            stored = {}
        if stored:
            self._on_disk = dict(stored)
        version = stored.pop("version", VERSION)
        while isinstance(version, int) and version in MIGRATIONS:
            stored, version = MIGRATIONS[version](stored), version + 1
        shortcuts = stored.pop("shortcuts", {})
        if isinstance(shortcuts, dict):
            self._shortcuts = {str(name): str(key) for name, key in shortcuts.items()}
        for name, value in list(stored.items()):
            if name not in self._spec:
                continue
            try:
                stored[name] = self._spec[name].check(value)
            except ValueError as error:
                del stored[name]
                self.trouble.append(
                    EnvironmentProblem(f"A setting couldn't be used: {error}", "Its default is used instead.")
                )
        self._stored = stored


RECENT_KEPT = 12


class WindowState:
    """The window state: read at startup, saved shortly after each change and when the window closes."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or user_files.window_state()
        try:
            self._values = user_files.read(self.path)
        except EnvironmentProblem:
            # It contains nothing the user entered, and the file was set aside: start with defaults silently.
            self._values = {}
        self._on_disk = dict(self._values)
        self._lock = FileLock(self.path.with_suffix(".lock"), mode=0o600)

    def alone(self) -> bool:
        """Returns whether no other process shows a window, and claims that for this process until it ends."""
        with suppress(EnvironmentProblem, OSError):  # if nothing can be written, assume there is no other
            user_files.make_folder(self.path.parent)
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                return False
        return True

    def bytes(self, name: str) -> QByteArray:
        """Returns a Qt state (geometry, splitter); empty if there is none."""
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
        """Recent projects, most recent first; the files may no longer exist."""
        values: Any = self._values.get("recent", [])
        return [Path(v) for v in values if isinstance(v, str)] if isinstance(values, list) else []

    @property
    def titles(self) -> dict[str, str]:
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
        for name in [name for name in self._values if name.startswith(beginning)]:
            del self._values[name]

    def save(self) -> None:
        user_files.write_changes(self.path, self._on_disk, self._values)
        self._on_disk = dict(self._values)
