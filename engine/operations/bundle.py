# ruff: noqa: S608 (only names of tables and columns of the released schema are put into statements)
"""The open bundle: writes and reads a project as JSON Lines, files and a documented schema (``docs/bundle.md``).

A bundle may come from anyone: only names that the schema defines are read, rows are validated as they are inserted, and
the new project is created completely or not at all.
"""

import hashlib
import json
import math
import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from engine.documents import codec
from engine.errors import BadInput, not_imported, not_written
from engine.exchange import limits
from engine.exchange.jsontext import parse_json
from engine.files import EXPORTED_FILE, refuse_long_name, whole_file
from engine.operations.bundle_schema import HISTORY, Column, Table, described, tables
from engine.project import Project, migrations
from engine.project.backup import file_problems
from engine.project.database import transaction, writing_to
from engine.project.ids import now
from engine.project.invariants import violations
from engine.project.opening import open_unshared
from engine.project.schema import filling
from engine.project.tables import stored

MANIFEST = "datapackage.json"
VERSION = 1
_OFTEN = 500
"""Rows between progress reports, which are also where a job can be cancelled."""
Progress = Callable[[float], None]
_Opened = Callable[[str], AbstractContextManager[IO[bytes]]]
_Root = Path | zipfile.Path
_FILE = re.compile(r"files/([0-9a-f]{64})\.[a-z]{1,12}")
_ENDINGS = {"application/pdf": "pdf", "text/plain": "txt"}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "file": (str,), "integer": (int,), "number": (int, float), "any": (str, list, dict),
}  # fmt: skip
_INFINITE = {"INF": math.inf, "-INF": -math.inf}
_AGAIN = "Export the bundle again, or ask the sender for a new copy."


@dataclass(frozen=True, slots=True)
class Bundled:
    """The number of rows written per table, and sentences for the user."""

    rows: Mapping[str, int]
    notes: tuple[str, ...] = ()


def write_bundle(project: Project, target: Path, *, history: bool = False, progress: Progress | None = None) -> Bundled:
    """Writes the bundle: a zip file if the target ends in ``.zip``, otherwise a new folder. ``history`` includes all
    actions for undo, which contain deleted texts.

    Raises:
        BadInput: the target exists, or the project has a different schema.
        EnvironmentProblem: the disk is full or the folder can't be written.
    """
    progress = progress or (lambda _fraction: None)
    version = migrations.latest_version()
    connection = project.connection()
    if connection.execute("PRAGMA user_version").fetchone()[0] != version:
        raise not_written(f"{project.path.name} was written by a newer Rejoinder.", "Update first.")
    with _place(target) as opened, transaction(connection, "DEFERRED"):  # a snapshot of all tables
        manifest = _manifest(project, version, history=history)
        rows: dict[str, int] = {}
        wanted = [table for table in tables(version) if history or table.name not in HISTORY]
        for number, table in enumerate(wanted):
            progress(number / len(wanted))
            files = _write_files(connection, table, opened)
            with opened(f"data/{table.name}.jsonl") as file:
                digest, size = hashlib.sha256(), 0
                for line in _lines(connection, table, files):
                    file.write(line)
                    digest.update(line)
                    size += len(line)
                    rows[table.name] = rows.get(table.name, 0) + 1
                    if rows[table.name] % _OFTEN == 0:
                        progress(number / len(wanted))  # may raise Cancelled
            manifest["resources"].append(table.resource() | {"bytes": size, "hash": f"sha256:{digest.hexdigest()}"})
        for name, text in (("README.md", described(version)), (MANIFEST, json.dumps(manifest, indent=1))):
            with opened(name) as file:
                file.write(text.encode())
    return Bundled(rows, tuple(_remarks(rows, history=history)))


def _manifest(project: Project, version: int, *, history: bool) -> dict[str, Any]:
    facts = {"id": project.id, "title": project.title, "created": project.info("created_at")}
    # Without history, rows count as unchanged since they were shared, so merging takes only later changes.
    shared = not history or bool(project.info("shared"))
    own = {"bundle": VERSION, "schema": version, "history": history, "shared": shared}
    profile = "https://datapackage.org/profiles/2.0/datapackage.json"
    return {"$schema": profile, "name": "rejoinder-bundle", **facts, "rejoinder": own, "resources": []}


def _remarks(rows: Mapping[str, int], *, history: bool) -> Iterator[str]:
    yield "The bundle contains everything in the project, including private notes and all annotators' names."
    emails = " and e-mail addresses" if rows.get("participant_contact") else ""
    yield (
        f"It contains the history, with deleted data{emails and ',' + emails}."
        if history
        else "The history and e-mail addresses are left out."
    )


def _lines(connection: sqlite3.Connection, table: Table, files: Mapping[tuple[Any, ...], str]) -> Iterator[bytes]:
    listed = ", ".join(f'"{column.name}"' for column in table.columns if column.kind != "file")
    order = ", ".join(f'"{name}"' for name in table.key)
    for row in connection.execute(f'SELECT {listed} FROM "{table.name}" ORDER BY {order}'):
        cells = {
            column.name: files[tuple(row[name] for name in table.key)]
            if column.kind == "file"
            else _open(row[column.name], column)
            for column in table.columns
        }
        yield json.dumps(cells, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _open(value: Any, column: Column) -> Any:
    """Converts a cell to JSON. JSON in a text is parsed if writing it again gives the same text."""
    if isinstance(value, float) and math.isinf(value):
        return "INF" if value > 0 else "-INF"
    if column.kind == "any" and isinstance(value, str) and value[:1] in "[{":
        try:
            found = json.loads(value, parse_constant=_no_number)
            return found if stored(found) == value else value
        except (ValueError, RecursionError):
            return value
    return value


def _no_number(constant: str) -> None:
    raise ValueError(constant)


def _write_files(connection: sqlite3.Connection, table: Table, opened: _Opened) -> dict[tuple[Any, ...], str]:
    """Writes the BLOBs in a table's rows as files, one after the other; returns their paths by the row's key."""
    columns = [column.name for column in table.columns if column.kind == "file"]
    paths: dict[tuple[Any, ...], str] = {}
    for name in columns:
        keys = ", ".join(f'"{key}"' for key in table.key)
        for key in connection.execute(f'SELECT {keys} FROM "{table.name}"').fetchall():
            where = " AND ".join(f'"{one}" = ?' for one in table.key)
            row = connection.execute(f'SELECT * FROM "{table.name}" WHERE {where}', tuple(key)).fetchone()
            content, ending = bytes(row[name]), "bin"
            if table.name == "parsed_document":
                content, ending = _unpacked(content)
            elif table.name == "blob":
                ending = _ENDINGS.get(row["media_type"], "bin")
            elif table.name == "trained_heads":
                ending = "safetensors"
            path = f"files/{hashlib.sha256(content).hexdigest()}.{ending}"
            if path not in paths.values():
                with opened(path) as file:
                    file.write(content)
            paths[tuple(key)] = path
    return paths


def _unpacked(content: bytes) -> tuple[bytes, str]:
    """Returns parser output as JSON, or unchanged if it is damaged."""
    try:
        return zlib.decompress(content), "json"
    except zlib.error:
        return content, "bin"


@contextmanager
def _place(target: Path) -> Iterator[_Opened]:
    """Opens files in a zip file or folder, which gets its name when everything is written."""
    if os.path.lexists(target):
        raise BadInput(f"{target.name} already exists.", "Nothing was overwritten.", "Choose another name.")
    with writing_to(target):
        if target.suffix.lower() == ".zip":
            with whole_file(target, mode=EXPORTED_FILE) as unfinished, zipfile.ZipFile(unfinished, "w") as archive:

                def member(name: str) -> AbstractContextManager[IO[bytes]]:
                    info = zipfile.ZipInfo(name)  # dated 1980, so that equal projects give equal bundles
                    info.compress_type = zipfile.ZIP_DEFLATED
                    return archive.open(info, "w", force_zip64=True)

                yield member
            return
        folder = Path(tempfile.mkdtemp(prefix=".rejoinder-", dir=target.parent))
        try:
            for name in ("data", "files"):
                (folder / name).mkdir()
            yield lambda name: (folder / name).open("wb")
            folder.rename(target)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def is_bundle(path: Path) -> bool:
    """Returns whether a folder, zip file or manifest looks like a bundle."""
    try:
        with _opened(path) as root:
            return (root / MANIFEST).is_file() and (root / "data").is_dir()
    except (BadInput, OSError):
        return False


def read_bundle(source: Path, target: Path, progress: Progress | None = None) -> Bundled:
    """Creates a project from a bundle: a folder, its ``datapackage.json``, or a zip file.

    Raises:
        BadInput: ``target`` exists, or ``source`` isn't a bundle, is damaged, is from a newer Rejoinder, or violates
            the schema; nothing was written.
    """
    progress = progress or (lambda _fraction: None)
    refuse_long_name(target)
    with _opened(source) as root:
        manifest = _read_manifest(root, source.name)
        version = manifest["rejoinder"]["schema"]
        with writing_to(target), whole_file(target) as unfinished:
            with filling(unfinished, version) as made:
                made.execute("PRAGMA foreign_keys = OFF")
                with transaction(made, "IMMEDIATE"):
                    rows = _insert_all(made, root, manifest, progress)
                    for row in made.execute("PRAGMA foreign_key_check"):
                        said = f"A row of {row['table']} refers to a row of {row['parent']} that doesn't exist."
                        raise not_imported(said, _AGAIN)
                    _insert_facts(made, manifest)
                migrations.migrate(made)
            if problems := file_problems(unfinished):
                raise not_imported(f"{source.name} doesn't make a valid project: {problems[0]}.", _AGAIN)
            with open_unshared(Project, unfinished) as project:
                wrong = violations(project)
    return Bundled(rows, tuple(f"The bundle is inconsistent: {sentence}." for sentence in wrong))


@contextmanager
def _opened(source: Path) -> Iterator[_Root]:
    if source.is_dir():
        yield source
    elif source.name == MANIFEST:
        yield source.parent
    else:
        try:
            with zipfile.ZipFile(source) as archive:
                members = archive.infolist()
                limits.check_size(len(members), limits.BUNDLE_MEMBERS, source.name, "files")
                limits.check_size(sum(member.file_size for member in members), limits.BUNDLE_BYTES, source.name)
                root = zipfile.Path(archive)
                inside = [one for one in root.iterdir() if one.is_dir()]
                # Bundles that a person zipped often contain a folder.
                yield inside[0] if len(inside) == 1 and (inside[0] / MANIFEST).is_file() else root
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise not_imported(f"{source.name} isn't a zip file, or it's damaged.", _AGAIN) from error
        except OSError as error:
            raise not_imported(f"{source.name} can't be read: {error.strerror}.", "Choose another file.") from error


def _bytes(root: _Root, name: str, most: int) -> bytes:
    """Returns a file of the bundle. Raises BadInput if it is missing or larger than ``most`` bytes."""
    path = root / name
    if not path.is_file():
        raise not_imported(f"{name} is missing from the bundle.", _AGAIN)
    with path.open("rb") as file:
        content = file.read(most + 1)
    limits.check_size(len(content), most, name)
    return content


def _read_manifest(root: _Root, name: str) -> dict[str, Any]:
    """Returns the manifest, with versions of bundle and schema checked, and its resources by name."""
    if not (root / MANIFEST).is_file():
        raise not_imported(f"{name} isn't a bundle: it has no {MANIFEST}.", "Choose a folder or zip file that has one.")
    try:
        text = _bytes(root, MANIFEST, limits.FILE_BYTES).decode()
    except UnicodeDecodeError as error:
        raise not_imported(f"{MANIFEST} isn't UTF-8.", _AGAIN) from error
    manifest = parse_json(text, MANIFEST)
    own = manifest.get("rejoinder") if isinstance(manifest, dict) else None
    numbers: list[Any] = [own.get(key) for key in ("bundle", "schema")] if isinstance(own, dict) else [None]
    if not all(type(number) is int and number > 0 for number in numbers):
        raise not_imported(f"{name} is a Data Package from another program.", "Choose a Rejoinder bundle.")
    if numbers[0] > VERSION or numbers[1] > migrations.latest_version():
        raise not_imported(f"{name} was written by a newer Rejoinder.", "Install the newer version first.")
    resources = manifest.get("resources", [])
    if not isinstance(resources, list) or not all(isinstance(one, dict) for one in resources):
        raise not_imported(f"The resources in {MANIFEST} aren't a list of objects.", _AGAIN)
    manifest["resources"] = {one.get("name"): one for one in resources}
    known = {table.name for table in tables(numbers[1])}
    if strange := sorted(str(one) for one in manifest["resources"].keys() - known):
        raise not_imported(f"{name} has an unknown table: {strange[0]}.", "Leave it out.")
    return dict(manifest)


def _insert_all(
    made: sqlite3.Connection, root: _Root, manifest: Mapping[str, Any], progress: Progress
) -> dict[str, int]:
    rows: dict[str, int] = {}
    wanted = tables(manifest["rejoinder"]["schema"])
    for number, table in enumerate(wanted):
        progress(number / len(wanted))
        made.execute(f'DELETE FROM "{table.name}"')
        resource, path = manifest["resources"].get(table.name, {}), root / "data" / f"{table.name}.jsonl"
        if not path.is_file():
            if resource.get("bytes"):
                raise not_imported(f"data/{table.name}.jsonl is missing from the bundle.", _AGAIN)
            continue
        digest = hashlib.sha256()
        with path.open("rb") as file:
            for place, values in _records(file, f"data/{table.name}.jsonl", digest.update):
                _insert(made, root, table, place, values)
                rows[table.name] = rows.get(table.name, 0) + 1
                if rows[table.name] % _OFTEN == 0:
                    progress(number / len(wanted))
        if resource.get("hash", found := f"sha256:{digest.hexdigest()}") != found:
            raise not_imported(
                f"data/{table.name}.jsonl was changed after it was exported, or it's damaged.",
                f"If the change is intentional, remove the hash from {MANIFEST}.",
            )
    return rows


def _records(file: IO[bytes], name: str, seen: Callable[[bytes], None]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the objects in a JSON Lines file with their locations in words, with one line in memory at a time."""
    number = 0
    while line := file.readline(limits.FILE_BYTES + 1):
        number += 1
        seen(line)
        place = f"{name}, line {number}"
        limits.check_size(len(line), limits.FILE_BYTES, place)
        if not line.strip():
            continue
        try:
            values = parse_json(line.decode(), place)
        except UnicodeDecodeError as error:
            raise not_imported(f"{place} isn't UTF-8.", _AGAIN) from error
        if not isinstance(values, dict):
            raise not_imported(f"{place} isn't a JSON object.", "Each line must contain one JSON object.")
        yield place, values


def _insert(made: sqlite3.Connection, root: _Root, table: Table, place: str, values: Mapping[str, Any]) -> None:
    columns = {column.name: column for column in table.columns}
    if strange := sorted(values.keys() - columns.keys()):
        raise not_imported(f"{place}: “{strange[0]}” isn't a field of {table.name}.", "Leave it out.")
    cells = {name: _closed(value, columns[name], place, root) for name, value in values.items()}
    if table.name == "blob" and cells.get("sha256") != hashlib.sha256(cells.get("bytes") or b"").hexdigest():
        raise not_imported(f"{place}: the file doesn't have this SHA-256.", _AGAIN)
    listed, marks = ", ".join(f'"{name}"' for name in cells), ", ".join("?" * len(cells))
    try:
        made.execute(f'INSERT INTO "{table.name}"({listed}) VALUES ({marks})', tuple(cells.values()))
    except (sqlite3.IntegrityError, OverflowError) as error:
        raise not_imported(f"{place} violates the schema: {error}.", "See README.md.") from error


def _closed(value: Any, column: Column, place: str, root: _Root) -> Any:
    """Converts a JSON value to a cell of the project."""
    if value is None:
        return None
    if column.kind == "number" and value in _INFINITE:
        return _INFINITE[value]
    if not isinstance(value, _TYPES[column.kind]) or isinstance(value, bool):
        raise not_imported(f"{place}: “{column.name}” isn't a valid {column.kind}.", "See README.md.")
    if column.kind == "file":
        return _file(str(value), place, root)
    return stored(value) if column.kind == "any" else value


def _file(name: str, place: str, root: _Root) -> bytes:
    match = _FILE.fullmatch(name)
    if match is None:
        raise not_imported(f"{place} names a file outside the bundle.", _AGAIN)
    content = _bytes(root, name, limits.BUNDLE_FILE_BYTES)
    if hashlib.sha256(content).hexdigest() != match[1]:
        raise not_imported(f"{name} is damaged: its content doesn't match the hash in its name.", _AGAIN)
    if name.endswith(".json"):
        content = zlib.compress(content, level=3)
        codec.decode(content)
    return content


def _insert_facts(made: sqlite3.Connection, manifest: Mapping[str, Any]) -> None:
    facts = {name: manifest.get(name.removesuffix("_at")) for name in ("id", "title", "created_at")}
    if not all(isinstance(fact, str) for fact in facts.values()) or not facts["id"]:
        raise not_imported(f"{MANIFEST} has no id, title or date for the project.", _AGAIN)
    rows = list(facts.items())
    if manifest["rejoinder"].get("shared", True):
        rows.append(("shared", now()))
    made.executemany("INSERT OR REPLACE INTO project_info(key, value) VALUES (?, ?)", rows)
