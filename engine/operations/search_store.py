"""Searches a project's papers, reviews, comments, templates and paragraphs, with an index outside the project file.

The index is one SQLite file per project file in the user's cache folder, readable only by its owner. ``refresh``
compares it with the project and indexes only changes; ``search`` reads only the index. A damaged or missing index is
rebuilt. Words are compared without case, accents and ligatures; words of a query also match the beginnings of longer
words.
"""

import hashlib
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Literal

from engine.documents.store import DocumentStore
from engine.errors import EnvironmentProblem
from engine.files import SIDECARS, make_private_file
from engine.jobs import DuplicatePolicy, QuietReport, Report, task
from engine.project import Project
from engine.project.tables import Database, database
from engine.rebuttal.template_store import PersonalLibrary, TemplateStore
from engine.rebuttal.templates import starter
from engine.user_files import cache_folder

Kind = Literal["paper", "review", "comment", "template", "paragraph"]
KINDS: Mapping[Kind, str] = {
    "paper": "Papers", "review": "Reviews", "comment": "Comments", "template": "Templates", "paragraph": "Paragraphs",
}  # fmt: skip
"""The kinds of results, in order, with their headings."""
SNIPPET = 160
"""Approximate number of characters of a snippet."""
_VERSION = 1
_WORDS_MOST = 12
_CANDIDATES = 200  # rows of a kind that are ranked; FTS5's own ranking would read every row that contains the word
# A token consists of letters and digits, with combining accents and soft hyphens inside.
_TOKEN = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad])*")
# Like sqlite-utils' enable_fts, which has no argument for a prefix index; rows are never updated.
_FTS = """
CREATE VIRTUAL TABLE "{0}_fts" USING fts5(words, content="{0}", content_rowid="id", tokenize="unicode61", prefix="2 3");
CREATE TRIGGER "{0}_in" AFTER INSERT ON "{0}" BEGIN
  INSERT INTO "{0}_fts"(rowid, words) VALUES (new.id, new.words);
END;
CREATE TRIGGER "{0}_out" AFTER DELETE ON "{0}" BEGIN
  INSERT INTO "{0}_fts"("{0}_fts", rowid, words) VALUES ('delete', old.id, old.words);
END;
"""


@dataclass(frozen=True, slots=True)
class Found:
    """One result. ``table`` and ``id`` identify its row (for a paragraph, its document, with ``paragraph_id``).
    ``matches`` are the matched words as [start, end) in ``snippet``, in code points. ``paper_id`` and ``document_id``
    are "" if it belongs to none; ``page`` is 0 except for paragraphs."""

    kind: Kind
    title: str
    snippet: str
    matches: tuple[tuple[int, int], ...]
    table: str
    id: str
    paper_id: str = ""
    document_id: str = ""
    paragraph_id: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    text: str
    paper_id: str = ""
    document_id: str = ""
    paragraph_id: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class _Source:
    """A row of the project that entries are made from; ``stamp`` changes with its content."""

    kind: Kind
    table: str
    id: str
    stamp: str


def tokens(text: str) -> list[str]:
    """Returns the words of a text in the form in which they are compared."""
    return [folded for match in _TOKEN.finditer(text) if (folded := _folded(match[0]))]


def _folded(token: str) -> str:
    plain = unicodedata.normalize("NFKD", token).casefold()
    return "".join(character for character in plain if character.isalnum())


def index_path(project: Project) -> Path:
    """Returns the path of this project file's index. Copies of a project have the same id, but separate indexes."""
    place = hashlib.sha256(str(project.path.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_folder() / "search" / f"{project.id}-{place}.sqlite"


def forget(project: Project) -> None:
    """Deletes the indexes of this project and of all its copies."""
    for path in index_path(project).parent.glob(f"{project.id}-*"):
        path.unlink(missing_ok=True)


def _remove(path: Path) -> None:
    for suffix in ("", *SIDECARS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _forget_missing_projects(folder: Path) -> None:
    """Deletes the indexes of missing project files, whose text should not remain here."""
    for path in folder.glob("*.sqlite"):
        with suppress(sqlite3.Error, OSError), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT path FROM project").fetchone()
            if row is not None and not Path(row[0]).exists():
                _remove(path)


_MAKING = threading.Lock()


@contextmanager
def _index(project: Project) -> Iterator[Database]:
    """Opens the index, creating it if necessary. Raises EnvironmentProblem if the cache folder can't be used."""
    path = index_path(project)
    try:
        make_private_file(path)
        connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
        with closing(connection):
            connection.row_factory = sqlite3.Row
            found = database(connection)
            with _MAKING:  # the first search and the first indexing may both find no index
                connection.execute("PRAGMA journal_mode = WAL")  # searches don't wait for indexing
                connection.execute("PRAGMA synchronous = OFF")  # the index can be rebuilt
                if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                    _make(found, project)
            yield found
    except (sqlite3.OperationalError, OSError) as error:
        raise EnvironmentProblem(
            f"The search index can't be used: {error}.",
            "Search doesn't find anything. The project isn't affected.",
            f"Free some space, or give yourself write permission in {path.parent}.",
        ) from error
    except sqlite3.DatabaseError:  # damaged: the next call rebuilds it
        _remove(path)
        raise


def _make(index: Database, project: Project) -> None:
    for name in (*KINDS, "source", "project"):
        index.table(f"{name}_fts").drop(ignore=True)
        index.table(name).drop(ignore=True)
    index.table("project").insert({"path": str(project.path.absolute())})
    index.table("source").create({"kind": str, "table": str, "id": str, "stamp": str}, pk=("kind", "table", "id"))
    columns = dict.fromkeys(("table", "key", *_Entry.__dataclass_fields__, "words"), str)
    for kind in KINDS:
        index.table(kind).create({"id": int, **columns, "page": int}, pk="id")
        index.table(kind).create_index(["key"])
        index.conn.executescript(_FTS.format(kind))
    index.execute(f"PRAGMA user_version = {_VERSION}")  # last, so that an incomplete index is rebuilt


def refresh(project: Project, report: Report | None = None) -> int:
    """Updates the index to match the project; returns the number of rows indexed. Progress is kept if it is cancelled.
    Raises Cancelled, and EnvironmentProblem if the disk is full."""
    report = report or QuietReport()
    try:
        return _refresh(project, report)
    except sqlite3.DatabaseError:
        return _refresh(project, report)


def _refresh(project: Project, report: Report) -> int:
    templates = _templates(project)
    wanted = {(source.kind, source.table, source.id): source for source in _sources(project, templates)}
    documents = DocumentStore(project)
    with _index(project) as index:
        _forget_missing_projects(index_path(project).parent)
        known = {(row["kind"], row["table"], row["id"]): row["stamp"] for row in index.table("source").rows}
        stale = [key for key in known if key not in wanted]
        changed = [source for key, source in wanted.items() if known.get(key) != source.stamp]
        for number, source in enumerate((*(_Source(*key, "") for key in stale), *changed)):
            report.progress(number / (len(stale) + len(changed)), "Indexing for search")
            if not source.stamp:
                entries = []
            elif source.kind == "template":
                entries = [templates[source.id]]
            else:
                entries = _entries(project, documents, source)
            with index.conn:
                index.execute("BEGIN IMMEDIATE")
                index.table(source.kind).delete_where('"table" = ? AND key = ?', [source.table, source.id])
                index.table(source.kind).insert_all(
                    {
                        "table": source.table,
                        "key": source.id,
                        **asdict(entry),
                        "words": " ".join((*tokens(entry.title), *tokens(entry.text))),
                    }
                    for entry in entries
                )
                index.table("source").delete_where(
                    'kind = ? AND "table" = ? AND id = ?', [source.kind, source.table, source.id]
                )
                if source.stamp:
                    index.table("source").insert(asdict(source))
    return len(changed)


_STAMPS: Mapping[tuple[Kind, str], str] = {
    ("paper", "paper"): "SELECT id, updated_at FROM paper ORDER BY position, id",
    ("review", "source_text"): "SELECT id, updated_at FROM source_text ORDER BY position, id",
    ("review", "review_draft"): (
        "SELECT d.id, d.updated_at || '/' || coalesce(max(f.updated_at), '') || '/' || count(f.id) FROM review_draft d"
        " LEFT JOIN review_field f ON f.draft_id = d.id GROUP BY d.id ORDER BY d.position, d.id"
    ),
    ("comment", "comment"): (
        "SELECT c.id, c.updated_at || '/' || s.updated_at FROM comment c JOIN source_text s ON s.id = c.source_id"
        " ORDER BY c.position, c.id"
    ),
    ("paragraph", "document"): (
        "SELECT d.id, d.updated_at || '/' || max(p.created_at) || '/' || coalesce(max(v.updated_at), '')"
        " FROM document d JOIN parsed_document p ON p.sha256 = d.sha256"
        " LEFT JOIN paper_version v ON v.document_id = d.id GROUP BY d.id ORDER BY d.created_at, d.id"
    ),
}
_ROWS: Mapping[str, str] = {
    "paper": "SELECT title, abstract, id FROM paper WHERE id = ?",
    "source_text": (
        "SELECT coalesce(nullif(title, ''), nullif(reviewer, ''), kind), text, coalesce(paper_id, '')"
        " FROM source_text WHERE id = ?"
    ),
    "review_draft": (
        "SELECT d.title, coalesce(group_concat(f.value, char(10)), ''), coalesce(v.paper_id, ''), d.document_id"
        " FROM review_draft d LEFT JOIN review_field f ON f.draft_id = d.id"
        " LEFT JOIN paper_version v ON v.document_id = d.document_id WHERE d.id = ? GROUP BY d.id"
    ),
    "comment": (
        "SELECT coalesce(nullif(c.reviewer, ''), nullif(s.reviewer, ''), s.title),"
        " c.comment || char(10) || c.context || char(10) || c.response, coalesce(s.paper_id, '')"
        " FROM comment c JOIN source_text s ON s.id = c.source_id WHERE c.id = ?"
    ),
}


def _templates(project: Project) -> dict[str, _Entry]:
    found = (*TemplateStore(project).templates(), *starter(), *PersonalLibrary().templates())
    return {one.key or one.source: _Entry(one.library, f"{one.text}\n{one.note}".strip()) for one in found}


def _sources(project: Project, templates: Mapping[str, _Entry]) -> Iterator[_Source]:
    for (kind, table), sql in _STAMPS.items():
        for key, stamp in project.query(sql):
            yield _Source(kind, table, key, stamp)
    for key, entry in templates.items():
        stamp = hashlib.sha256("\0".join(map(str, astuple(entry))).encode("utf-8", "surrogatepass")).hexdigest()
        yield _Source("template", "rebuttal_template", key, stamp)


def _entries(project: Project, documents: DocumentStore, source: _Source) -> list[_Entry]:
    if source.kind != "paragraph":
        return [_Entry(*row) for row in project.query(_ROWS[source.table], (source.id,))]
    parsed = documents.parsed(source.id)
    version = project.query_one(
        "SELECT paper_id, label FROM paper_version WHERE document_id = ? ORDER BY created_at", (source.id,)
    )
    paper, label = (version[0], version[1]) if version is not None else ("", documents.document(source.id).filename)
    return [
        _Entry(f"{label}: {one.section}" if one.section else label, one.text, paper, source.id, one.id, one.page)
        for one in (parsed.paragraphs if parsed is not None else ())
    ]


def search(project: Project, query: str, *, most: int = 20, kinds: Sequence[Kind] = tuple(KINDS)) -> tuple[Found, ...]:
    """Returns the entries that contain all words of the query, at most ``most`` of each kind, best match first.

    Any text is a valid query. One-letter words match only whole words. Whole words rank before beginnings of words,
    titles before texts, early positions before late ones; only the first 200 entries of each kind are ranked. Raises
    EnvironmentProblem if the cache folder can't be used.
    """
    words = list(dict.fromkeys(tokens(query)))[:_WORDS_MOST]
    if not words:
        return ()
    wanted = " ".join(f'"{word}"*' if len(word) > 1 else f'"{word}"' for word in words)
    found: list[Found] = []
    try:
        with _index(project) as index:
            for kind in kinds:
                rows = index.table(kind).search(wanted, limit=_CANDIDATES, order_by=f"[{kind}_fts].rowid")
                ranked = sorted(rows, key=lambda row: _merit(row["words"], row["title"], words))
                found.extend(_result(kind, row, words) for row in ranked[:most])
    except sqlite3.DatabaseError:
        return ()
    return tuple(found)


def _merit(text: str, title: str, words: Sequence[str]) -> tuple[int, int, int]:
    """Returns a sort key; smaller is better."""
    padded, head = f" {text} ", f" {' '.join(tokens(title))} "
    whole = sum(f" {word} " in padded for word in words)
    return -whole, -sum(f" {word}" in head for word in words), min(padded.find(f" {word}") for word in words)


def _result(kind: Kind, row: Mapping[str, str], words: Sequence[str]) -> Found:
    snippet, matches = _snippet(row["text"], words)
    return Found(
        kind, row["title"], snippet, matches, row["table"], row["key"], row["paper_id"], row["document_id"],
        row["paragraph_id"], int(row["page"]),
    )  # fmt: skip


def _snippet(text: str, words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Returns the part of a text around its first match, on one line, and the matches in it."""
    hits = [match.span() for match in _TOKEN.finditer(text) if _matches(_folded(match[0]), words)]
    start = max(0, hits[0][0] - SNIPPET // 3) if hits else 0
    start = text.rfind(" ", 0, start + 1) + 1
    end = (
        len(text)
        if len(text) <= start + SNIPPET
        else max(text.rfind(" ", start, start + SNIPPET), start + SNIPPET // 2)
    )
    part = "".join(" " if character.isspace() else character for character in text[start:end])
    before, after = "… " if start else "", " …" if end < len(text) else ""
    shift = len(before) - start
    return f"{before}{part}{after}", tuple((a + shift, b + shift) for a, b in hits if start <= a and b <= end)


def _matches(token: str, words: Sequence[str]) -> bool:
    return any(token == word or (len(word) > 1 and token.startswith(word)) for word in words)


@task("project.index", "Index for search", DuplicatePolicy.REPLACE, "{project.path}")
def index_task(report: Report, project: Project) -> int:
    return refresh(project, report)
