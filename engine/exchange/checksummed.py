"""JSON exchange files with a format tag, a version and a checksum, so that truncated or modified files are detected."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.exchange.encoding import decode
from engine.exchange.jsontext import parse_json

KINDS: Mapping[str, str] = {
    "rejoinder-study": "a study file", "rejoinder-answers": "an answers file",
    "rejoinder-package": "a work package", "rejoinder-results": "a results file",
}  # fmt: skip


def hash_of(document: Mapping[str, Any]) -> str:
    """Returns the SHA-256 of everything except the hash itself, independent of key order."""
    rest = {key: value for key, value in document.items() if key != "hash"}
    return hashlib.sha256(_canonical(rest)).hexdigest()


def _canonical(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def signed(document: Mapping[str, Any], *, indent: int | None = 1) -> bytes:
    """Returns the file's content with its hash; equal documents give equal bytes."""
    clean = json.loads(_canonical(document).decode("utf-8", "replace"))
    return json.dumps({**clean, "hash": hash_of(clean)}, ensure_ascii=False, indent=indent).encode("utf-8") + b"\n"


def opened(source: Path | bytes, name: str, tag: str, *, version: int, most: int) -> tuple[dict[str, Any], str]:
    """Reads and verifies a file, and returns the document and the name for messages. Raises BadInput if the file can't
    be read, is larger than ``most`` bytes, has another format or a newer version, or is damaged."""
    kind = KINDS[tag].split(maxsplit=1)[1]
    if isinstance(source, Path):
        name = name or source.name
        try:
            with source.open("rb") as file:
                content = file.read(most + 1)
        except OSError as error:
            raise BadInput(
                f"{name} couldn't be read: {error.strerror}.", "Nothing was opened.", "Check the name."
            ) from error
    else:
        content = source
    name = name or f"The {kind}"
    if len(content) > most:
        raise BadInput(f"{name} is too large for {KINDS[tag]}.", "Nothing was opened.", "Choose another file.")
    document = document_in(content, name) if b"{" in content.lstrip()[:4] or not content else {}
    if document.get("format") != tag:
        other = KINDS.get(str(document.get("format")))
        what = f"is {other}, not {KINDS[tag]}" if other else f"isn't {KINDS[tag]}"
        do = "Choose another file." if name.endswith(f".{tag}") else f"Choose a file that ends in .{tag}."
        raise BadInput(f"{name} {what}.", "Nothing was opened.", do)
    given = document.get("version")
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise broken(name, "it has no version number")
    if given > version:
        raise BadInput(
            f"{name} was written by a newer Rejoinder.",
            f"It has version {given}, but this program reads versions up to {version}. Nothing was opened.",
            "Update Rejoinder, then open it again.",
        )
    if document.get("hash") != hash_of(document):
        raise BadInput(
            f"{name} is damaged or was modified.",
            "Nothing was opened, because its content doesn't match its checksum.",
            "Ask for the file again.",
        )
    return document, name


def document_in(content: bytes, name: str) -> dict[str, Any]:
    """Parses a file's bytes as a JSON object without further checks. Raises BadInput if it isn't one."""
    text = decode(content, name).text
    try:
        document = parse_json(text, name, finite=True)
    except BadInput as error:
        raise broken(name, "it isn't complete JSON") from error
    if not isinstance(document, dict):
        raise broken(name, "it isn't a JSON object")
    return document


def broken(name: str, why: str) -> BadInput:
    """Returns the error for a file that Rejoinder can't have written."""
    return BadInput(f"{name} can't be used: {why}.", "Nothing was opened.", "Ask for the file again.")


_MISSING: Any = object()


class Reader:
    """Reads fields of a JSON object; raises BadInput if a field without a default is missing or has the wrong type."""

    def __init__(self, document: Mapping[str, Any], name: str) -> None:
        self.document = document
        self.name = name

    def _get(self, key: str, kind: type | tuple[type, ...], default: Any, fits: Callable[[Any], bool]) -> Any:
        value = self.document.get(key, default)
        if value is _MISSING or not isinstance(value, kind) or isinstance(value, bool) or not fits(value):
            raise broken(self.name, f"“{key}” is missing or has the wrong type")
        return value

    def text(self, key: str, default: Any = _MISSING) -> str:
        return str(self._get(key, str, default, lambda _: True))

    def whole(self, key: str, low: int, high: int) -> int:
        return int(self._get(key, int, _MISSING, lambda value: low <= value <= high))

    def texts(self, key: str, default: Any = _MISSING) -> list[str]:
        return list(self._get(key, list, default, lambda value: all(isinstance(item, str) for item in value)))

    def object(self, key: str) -> "Reader":
        return Reader(self._get(key, dict, _MISSING, lambda _: True), self.name)

    def objects(self, key: str) -> "list[Reader]":
        found = self._get(key, list, _MISSING, lambda value: all(isinstance(item, dict) for item in value))
        return [Reader(item, self.name) for item in found]
