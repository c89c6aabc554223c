"""The names of review forms: bundled ones, and files in the user's configuration folder.

Only titles are read here, quickly, for lists of commands; ``engine.exchange.review_form`` reads the forms.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import user_files
from engine.errors import BadInput
from engine.shown import visible_line

FORMS = {
    "iclr": "ICLR", "icml": "ICML", "neurips": "NeurIPS", "arr": "ACL Rolling Review",
    "aaai": "AAAI (2026, not verified)", "cvpr": "CVPR (2026, not verified)",
    "public": "Public review (eLife style)", "journal": "Journal",
}  # fmt: skip
"""Titles of the bundled forms, by key."""
FILES, BYTES, TITLE = 50, 200_000, 80
"""Maximum number of files, bytes per file, and characters of a title."""


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file of the folder. ``key`` names it in commands and on the command line; ``content`` is the table of a TOML
    file or the text of a JSON file; ``problem`` says why the file can't be used, "" if it can."""

    path: Path
    key: str
    title: str = ""
    content: Any = None
    problem: str = ""


def folder() -> Path:
    return user_files.config_folder() / "review-forms"


def form_files() -> Iterator[FormFile]:
    """Yields the files of the folder by name; one that can't be used has its ``problem``."""
    try:
        found = sorted(path for path in folder().iterdir() if path.suffix.lower() in (".toml", ".json"))
    except OSError:
        return
    keys, titles = set(FORMS), {title.casefold() for title in FORMS.values()}
    for number, path in enumerate(found):
        key = re.sub(r"[\W_]+", "-", path.stem.casefold()).strip("-")
        try:
            if number >= FILES:
                raise BadInput(f"There are more than {FILES} forms.")
            if not key or key in keys:
                raise BadInput(f"Another form is named “{key}”. Rename the file.")
            title, content = _content(path)
            if title.casefold() in titles:
                raise BadInput(f"Another form has the title “{title}”.")
        except BadInput as error:
            yield FormFile(path, key, problem=error.what)
        else:
            keys.add(key)
            titles.add(title.casefold())
            yield FormFile(path, key, title, content)


def _content(path: Path) -> tuple[str, Any]:
    """Returns the title and the content of a file. Raises BadInput."""
    try:
        if not path.is_file():  # reading a pipe may never end
            raise BadInput("It isn't a regular file.")
        with path.open("rb") as file:
            data = file.read(BYTES + 1)
        if len(data) > BYTES:
            raise BadInput(f"It is larger than {BYTES // 1000} KB.")
        text = data.decode("utf-8-sig")
        content = tomllib.loads(text.replace("\r\n", "\n")) if path.suffix.lower() == ".toml" else text
    except OSError as error:
        raise BadInput(f"It couldn't be opened: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput("It isn't UTF-8 text.") from error
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"It isn't valid TOML: {error}.") from error
    except RecursionError as error:
        raise BadInput("It is nested too deeply.") from error
    except ValueError as error:  # Python refuses integers of more than 4,300 digits
        raise BadInput("It contains a number that is too long.") from error
    title = content.get("title") if isinstance(content, dict) else path.stem
    if not isinstance(title, str) or not title.strip():
        raise BadInput("It has no title.")
    if len(title) > TITLE or visible_line(title) != title:
        raise BadInput(f"Its title has more than {TITLE} characters, or control characters.")
    return title.strip(), content
