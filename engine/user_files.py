"""The user's own folders, and small JSON files that are replaced atomically."""

import json
import os
from pathlib import Path
from typing import Any

import platformdirs

from engine.errors import EnvironmentProblem
from engine.files import make_private_folder, whole_file


def config_folder() -> Path:
    """Folder of settings and window state: in REJOINDER_HOME, or the user's configuration folder."""
    home = os.environ.get("REJOINDER_HOME")
    return Path(home) / "config" if home else Path(platformdirs.user_config_dir("rejoinder", appauthor=False))


def window_state() -> Path:
    """File of the window's state, including the messages about the files last added to each project."""
    return config_folder() / "window.json"


def data_folder() -> Path:
    """Folder of the user's copies of samples and the list of models: in REJOINDER_HOME, or the user's data folder."""
    home = os.environ.get("REJOINDER_HOME")
    return Path(home) / "data" if home else Path(platformdirs.user_data_dir("rejoinder", appauthor=False))


def cache_folder() -> Path:
    """Folder of embeddings and other caches: in REJOINDER_HOME, or the user's cache folder."""
    home = os.environ.get("REJOINDER_HOME")
    return Path(home) / "cache" if home else Path(platformdirs.user_cache_dir("rejoinder", appauthor=False))


def write(path: Path, value: dict[str, Any]) -> None:
    """Replaces the file atomically and durably. Raises EnvironmentProblem if it can't be written."""
    try:
        make_private_folder(path.parent)
        with whole_file(path, replace=True) as unfinished:
            text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
            unfinished.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentProblem(
            f"{path.name} couldn't be written: {error.strerror}.",
            "Your change applies until you close the window, but isn't saved.",
            f"Free some space, or give yourself write permission in {path.parent}.",
        ) from error


def write_changes(path: Path, before: dict[str, Any], value: dict[str, Any]) -> None:
    """Writes what differs from ``before``; other values stay as they are in the file, since another window may have
    written them. Raises EnvironmentProblem."""
    kept = {name: one for name, one in (read(path) or before).items() if name in value or name not in before}
    write(path, kept | {name: one for name, one in value.items() if name not in before or one != before[name]})


def make_folder(folder: Path) -> None:
    """Creates one of the user's folders if it doesn't exist. Raises EnvironmentProblem if that fails."""
    try:
        make_private_folder(folder)
    except OSError as error:
        raise EnvironmentProblem(
            f"The folder {folder} couldn't be created: {error.strerror}.", "", "Check the folder above it."
        ) from error


def read(path: Path) -> dict[str, Any]:
    """Returns the file's JSON object; empty if there is no file. Raises EnvironmentProblem if it can't be read as a
    JSON object. The file has then been moved aside, under the name in the message, so that nothing is lost."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        return _set_aside(path, str(error))
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return _set_aside(path, f"{error.msg} in line {error.lineno}")
    return value if isinstance(value, dict) else _set_aside(path, "it isn't a JSON object")


def _set_aside(path: Path, why: str) -> dict[str, Any]:
    number, aside = 1, path.with_name(f"{path.name}.unreadable-1")
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.unreadable-{number}")
    try:
        path.replace(aside)
        kept = f"The file is kept as {aside}."
    except OSError:
        kept = f"The file was left at {path}."
    raise EnvironmentProblem(f"{path.name} couldn't be read ({why}).", "The defaults are used.", kept)
