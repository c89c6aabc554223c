"""The two files of a work package: the package for an annotator, and the results sent back.

A package is a ZIP of ``manifest.json`` (checksummed, with the SHA-256 of the project), ``guidelines.md`` and
``project.rejoinder``, a project with only that annotator's work. Results are checksummed JSON: the decisions by table
with the time of their last change, and the keys of removed ones. Both are validated when read.
"""

import errno
import hashlib
import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadInput, EnvironmentProblem
from engine.exchange.checksummed import Reader, broken, opened, signed
from engine.exchange.limits import FILE_BYTES
from engine.files import whole_file
from engine.packages.merging import KEYS, Entry, canonical, key_of
from engine.packages.records import ROLES, TASKS, Package, Role, Round, Task
from engine.project.tables import columns_of

PACKAGE_ENDING, RESULTS_ENDING = ".rejoinder-package", ".rejoinder-results"
PACKAGE_TAG, RESULTS_TAG = "rejoinder-package", "rejoinder-results"
VERSION = 1
MOST_UNPACKED = 4_000_000_000
"""Maximum bytes of the project in a package. PDFs are included as they are, so a hundred papers take 0.3 GB."""
_MANIFEST, _GUIDELINES, _PROJECT = "manifest.json", "guidelines.md", "project.rejoinder"
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_CHUNK = 1 << 20
_SPAN = {"role": str, "position": int, "start_offset": int, "end_offset": int}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a package, without its content."""

    package: str
    project: str
    title: str
    person: str
    role: Role
    task: Task
    items: int
    sha256: str
    bytes: int
    written_at: str


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a package: its key, and the decisions."""

    package: str
    project: str
    task: Task
    role: Role
    written_at: str
    entries: tuple[Entry, ...]
    content_hash: str


def write_package(
    target: Path, content: Path, round_: Round, package: Package, *, person: str, project: str, written_at: str
) -> Manifest:
    """Writes the package around the project file ``content``, replacing an existing file. Raises EnvironmentProblem if
    it can't be written; an existing file is then kept unchanged."""
    with content.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    manifest = Manifest(
        package.id, project, round_.title, person, package.role, round_.task, len(package.items),
        digest.hexdigest(), content.stat().st_size, written_at,
    )  # fmt: skip
    document = {"format": PACKAGE_TAG, "version": VERSION} | {
        name: getattr(manifest, name) for name in Manifest.__dataclass_fields__
    }
    try:
        with (
            whole_file(target, replace=True) as unfinished,
            zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name, data in ((_MANIFEST, signed(document)), (_GUIDELINES, round_.guidelines.encode())):
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            # A ZipInfo made here has a fixed time, so that packages with equal content are equal.
            project_member = zipfile.ZipInfo(_PROJECT)
            project_member.compress_type = zipfile.ZIP_DEFLATED
            with content.open("rb") as file, archive.open(project_member, "w", force_zip64=True) as member:
                shutil.copyfileobj(file, member, _CHUNK)
    except OSError as error:
        raise EnvironmentProblem(
            f"{target.name} couldn't be written: {error.strerror}.", "The other packages are complete.",
            "Free some space or choose another folder, then try again.",
        ) from error  # fmt: skip
    return manifest


def read_manifest(path: Path) -> Manifest:
    """Returns the manifest of a package. Raises BadInput if the file isn't a package, or is damaged."""
    with _archive(path) as archive:
        return _manifest(archive, path.name)


def unpack(path: Path, target: Path) -> Manifest:
    """Extracts the project of a package to ``target``, readable by its owner only, completely or not at all. Raises
    BadInput if the file isn't a package, is damaged or is too large, and FileExistsError if the target exists."""
    with _archive(path) as archive:
        manifest = _manifest(archive, path.name)
        info = archive.getinfo(_PROJECT)
        if info.file_size != manifest.bytes or info.file_size > MOST_UNPACKED:
            raise broken(path.name, "its project is smaller than stated")
        digest, size = hashlib.sha256(), 0
        with whole_file(target) as unfinished, unfinished.open("wb") as out, archive.open(info) as member:
            while chunk := member.read(_CHUNK):
                size += len(chunk)
                if size > manifest.bytes:
                    raise broken(path.name, "its project is larger than stated")
                digest.update(chunk)
                out.write(chunk)
            if digest.hexdigest() != manifest.sha256:
                raise broken(path.name, "its project is damaged or was modified")
    return manifest


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Opens the ZIP of a package; zipfile's errors for damaged files become BadInput."""
    try:
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise BadInput(
            f"{path.name} couldn't be read: {error.strerror}.", "Nothing was opened.", "Check the name."
        ) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise broken(path.name, "it isn't a complete work package") from error
    with archive:
        if sorted(archive.namelist()) != sorted((_MANIFEST, _GUIDELINES, _PROJECT)):
            raise broken(path.name, "it doesn't have the content of a work package")
        try:
            yield archive
        except (
            zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError,
        ) as error:  # fmt: skip
            # EINVAL: seeking to before the start of the file.
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise
            raise broken(path.name, "it's damaged or was modified") from error


def _manifest(archive: zipfile.ZipFile, name: str) -> Manifest:
    if archive.getinfo(_MANIFEST).file_size > _CHUNK:
        raise broken(name, "its manifest is too large")
    document, _ = opened(archive.read(_MANIFEST), name, PACKAGE_TAG, version=VERSION, most=_CHUNK)
    given = Reader(document, name)
    role, task = _known(given, "role", ROLES), _known(given, "task", TASKS)
    numbers = {"items": given.whole("items", 0, 10_000_000), "bytes": given.whole("bytes", 1, MOST_UNPACKED)}
    texts = {key: given.text(key) for key in ("package", "project", "title", "person", "sha256", "written_at")}
    return Manifest(role=role, task=task, **numbers, **texts)  # type: ignore[arg-type]


def _known(given: Reader, key: str, known: Mapping[Any, str]) -> Any:
    value = given.text(key)
    if value not in known:
        raise broken(given.name, f"“{key}” is {value!r}")
    return value


def results_file(results: Results) -> bytes:
    """Returns the results as a file; equal results give equal bytes."""
    tables: dict[str, dict[str, list[Any]]] = {}
    for entry in sorted(results.entries, key=lambda entry: (entry.table, entry.key)):
        part = tables.setdefault(entry.table, {"columns": _columns(entry.table), "rows": [], "removed": []})
        if entry.row is None:
            part["removed"].append([entry.key, entry.stamp])
        else:
            part["rows"].append([*(entry.row[name] for name in part["columns"]), entry.stamp])
    document = {
        "format": RESULTS_TAG, "version": VERSION, "package": results.package, "project": results.project,
        "task": results.task, "role": results.role, "written_at": results.written_at, "tables": tables,
    }  # fmt: skip
    return signed(document, indent=None)


def _columns(table: str) -> list[str]:
    names = [name for name in columns_of(table).names if name not in {"annotator_id", "updated_at"}]
    return [*names, *{"comment": ["spans"], "edit_link": ["passage"]}.get(table, [])]


def read_results(source: Path | bytes, name: str = "") -> Results:
    """Reads results without comparing them to a project. Columns that an older version lacked are left out. Raises
    BadInput if the file isn't a results file, was written by a newer Rejoinder, is damaged, or is invalid."""
    document, name = opened(source, name, RESULTS_TAG, version=VERSION, most=FILE_BYTES)
    given = Reader(document, name)
    listed = given.object("tables")
    entries: list[Entry] = []
    for table in listed.document:
        if table not in KEYS:
            raise broken(name, f"{table!r} isn't a kind of decision")
        entries += _entries(table, listed.object(table), name)
    if len({entry.place for entry in entries}) != len(entries):
        raise broken(name, "a decision is in it twice")
    written = given.text("written_at")
    if not _STAMP.fullmatch(written):
        raise broken(name, "its date is missing")
    return Results(
        given.text("package"), given.text("project"), _known(given, "task", TASKS), _known(given, "role", ROLES),
        written, tuple(entries), given.text("hash"),
    )  # fmt: skip


def _entries(table: str, given: Reader, name: str) -> Iterator[Entry]:
    columns, known = given.texts("columns"), _columns(table)
    if len(set(columns)) != len(columns) or not {"id", "created_at", *KEYS[table]} <= set(columns) <= set(known):
        raise broken(name, f"its {table} has invalid columns")
    for row in _lists(given, "rows", len(columns) + 1):
        values, stamp = dict(zip(columns, row, strict=False)), row[-1]
        spans = values.pop("spans", [])
        scalars = all(value is None or isinstance(value, str | int | float) for value in values.values())
        if not scalars or not _is_stamp(stamp) or not isinstance(values["id"], str) or not values["id"]:
            raise broken(name, f"a row of {table} is invalid")
        if table == "comment":
            if not isinstance(spans, list) or not all(_is_span(span) for span in spans):
                raise broken(name, "a marked comment has no places")
            values["spans"] = spans
        yield Entry(table, key_of(table, values), stamp, values)
    for row in _lists(given, "removed", 2):
        key, stamp = row
        try:
            parts = json.loads(key)
        except (ValueError, TypeError, RecursionError) as error:
            raise broken(name, f"a removed {table} has no key") from error
        if not isinstance(parts, list) or len(parts) != len(KEYS[table]) or not _is_stamp(stamp):
            raise broken(name, f"a removed {table} is invalid")
        yield Entry(table, canonical(parts), stamp, None)


def _lists(given: Reader, key: str, width: int) -> list[list[Any]]:
    found = given.document.get(key)
    if not isinstance(found, list) or not all(isinstance(row, list) and len(row) == width for row in found):
        raise broken(given.name, f"“{key}” is missing or has the wrong type")
    return found


def _is_stamp(value: object) -> bool:
    return isinstance(value, str) and _STAMP.fullmatch(value) is not None


def _is_span(span: object) -> bool:
    return (
        isinstance(span, list) and len(span) == len(_SPAN)
        and all(type(value) is kind for value, kind in zip(span, _SPAN.values(), strict=True))
    )  # fmt: skip


def names_of(people: Sequence[str]) -> tuple[str, ...]:
    """Returns file names of packages for people: letters and digits of their names, numbered if they are the same."""
    found: list[str] = []
    for person in people:
        words = re.sub(r"[^\w]+", "-", person.lower()).strip("-_")[:60] or "person"
        name, number = words, 2
        while name in found:
            name, number = f"{words}-{number}", number + 1
        found.append(name)
    return tuple(name + PACKAGE_ENDING for name in found)
