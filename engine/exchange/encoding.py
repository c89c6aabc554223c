"""Decodes text files: UTF-8, UTF-16 and UTF-32 with a mark, otherwise Windows-1252 or Latin-1 with a warning."""

import codecs
from dataclasses import dataclass
from pathlib import Path

from engine.errors import BadInput, not_imported
from engine.exchange import limits

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text without its byte order mark, the encoding used, and warnings for the user."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, name: str) -> Decoded:
    """Decodes ``data``, keeping line ends. Raises BadInput if it is empty or binary; ``name`` is used in messages."""
    if not data.strip():
        raise not_imported(f"{name} is empty.", "Choose another file.")
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = _storable(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError as error:
                raise BadInput(
                    f"{name} begins like {encoding.upper()} text but breaks off at byte {error.start + len(mark)}.",
                    "It's damaged or isn't a text file. Nothing was imported.",
                    "Save it again as UTF-8 text.",
                ) from error
            return Decoded(text, encoding)
    if _looks_binary(data):
        raise not_imported(f"{name} isn't a text file.", "Choose another file, or save it as text.")
    try:
        return Decoded(_storable(data.decode("utf-8")), "utf-8")
    except UnicodeDecodeError as error:
        return Decoded(
            _storable(data.decode("cp1252", errors="ignore") if _is_cp1252(data) else data.decode("latin-1")),
            "cp1252" if _is_cp1252(data) else "latin-1",
            (
                f"{name} isn't UTF-8 (byte {error.start}), so it was read as Western European text. "
                "Check accented letters and quotation marks.",
            ),
        )


def read_text(path: Path, *, empty: bool = False) -> Decoded:
    """Reads a text file. Raises BadInput if it can't be read, is larger than ``limits`` or is empty; ``empty`` allows
    the latter."""
    data = read_bytes(path)
    return Decoded("", "utf-8") if empty and not data.strip() else decode(data, path.name)


def read_bytes(path: Path, first: int | None = None) -> bytes:
    """Reads a file, or its ``first`` bytes. Raises BadInput if it can't be read, is larger than ``limits``, or isn't a
    regular file (a pipe or device may never end)."""
    try:
        if not path.is_dir() and path.exists() and not path.is_file():
            raise not_imported(f"{path.name} isn't a regular file.", "Copy it to a file first.")
        with path.open("rb") as file:
            data = file.read(limits.FILE_BYTES + 1 if first is None else first)
        limits.check_size(len(data), limits.FILE_BYTES, path.name)
        return data
    except IsADirectoryError as error:
        raise not_imported(f"{path.name or path} is a folder.", "Choose a file inside it.") from error
    except FileNotFoundError as error:
        raise not_imported(f"There is no file {path}.", "Check the name.") from error
    except OSError as error:
        raise not_imported(
            f"{path.name[:100]} couldn't be read: {error.strerror}.", "Check the file's permissions."
        ) from error


def file_in(root: Path, name: str, *, folder: str = "") -> Path | None:
    """Returns the file ``name`` in ``root``, or in its subfolder ``folder``, for names from external files; None if it
    doesn't exist, or a name is invalid or has more than one path component."""
    for part in filter(None, (folder, name)):
        if "/" in part or "\\" in part or "\0" in part or part in (".", ".."):
            return None
    path = root / folder / name
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):  # a name of more than 255 bytes, or with a lone surrogate
        return None


def _storable(text: str) -> str:
    """Replaces NUL, which ends a text in many programs."""
    return text.replace("\0", "\ufffd")


def _looks_binary(data: bytes) -> bool:
    head = data[:8192]
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\v\x1b" for byte in head)
    return b"\x00" in head or controls > 0.02 * len(head)


def _is_cp1252(data: bytes) -> bool:
    """Returns whether bytes 0x80 to 0x9f, control characters in Latin-1, are valid marks in Windows-1252."""
    return any(0x80 <= byte <= 0x9F for byte in data) and not any(byte in b"\x81\x8d\x8f\x90\x9d" for byte in data)
