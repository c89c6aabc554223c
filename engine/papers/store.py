"""The papers of a project and their versions, and the local library of published papers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace
from typing import Literal

from engine.errors import BadInput
from engine.papers.library import Library, duplicates, merged, normal_arxiv, normal_doi, told_apart
from engine.papers.records import LibraryPaper, Paper, PaperVersion
from engine.project import Action, Project, new_id, now

SUBMITTED = "submitted"
REVISED = "revised"


class PaperStore:
    """Readers and verbs over ``paper`` and ``paper_version``."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def papers(self) -> tuple[Paper, ...]:
        """All papers, in the order in which they came."""
        rows = self._project.query("SELECT id, title, abstract, external_id FROM paper ORDER BY position, id")
        return tuple(Paper(*row) for row in rows)

    def versions(self, paper_id: str) -> tuple[PaperVersion, ...]:
        """The versions of a paper, oldest first."""
        rows = self._project.query(
            "SELECT v.id, v.paper_id, v.document_id, v.label, d.filename FROM paper_version v"
            " JOIN document d ON d.id = v.document_id WHERE v.paper_id = ? ORDER BY v.position, v.id",
            (paper_id,),
        )
        return tuple(PaperVersion(*row) for row in rows)

    def add_paper(self, title: str, *, abstract: str = "", external_id: str = "") -> str:
        """Adds a paper; returns its key."""
        key, moment = new_id(), now()
        with self._project.action(f"Add paper “{title}”") as act:
            act.execute(
                "INSERT INTO paper(id, title, abstract, external_id, position, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM paper), ?, ?, ?)",
                (key, title, abstract, external_id, self._project.annotator_id, moment, moment),
            )
        return key

    def rename_paper(self, paper_id: str, title: str) -> None:
        """Gives a paper another title; typing coalesces."""
        with self._project.action("Rename paper", coalesce=f"paper-title:{paper_id}") as act:
            act.execute("UPDATE paper SET title = ?, updated_at = ? WHERE id = ?", (title, now(), paper_id))

    def add_version(self, paper_id: str, document_id: str, label: str) -> str:
        """Adds a document as a version of a paper; returns the version's key.

        Raises:
            BadInput: the paper has a version with that label.
        """
        if any(version.label == label for version in self.versions(paper_id)):
            raise BadInput(f"This paper already has a {label} version.", "Nothing was added.", "Give it another label.")
        key, moment = new_id(), now()
        with self._project.action(f"Add {label} version") as act:
            act.execute(
                "INSERT INTO paper_version"
                " (id, paper_id, document_id, label, position, annotator_id, created_at, updated_at)"
                " SELECT ?, ?, ?, ?, coalesce(max(position), 0) + 1, ?, ?, ? FROM paper_version WHERE paper_id = ?",
                (key, paper_id, document_id, label, self._project.annotator_id, moment, moment, paper_id),
            )
        return key

    def compare_as(self, version_id: str, label: str, *, initiator: object | None = None) -> None:
        """Puts a version in the place of another label's (``SUBMITTED``, ``REVISED``): both labels change hands.

        Links stay with the two documents that they were made between, and are there again when those are compared
        again. Raises KeyError where there is no such version.
        """
        row = self._project.query_one("SELECT paper_id, label FROM paper_version WHERE id = ?", (version_id,))
        if row is None:
            raise KeyError(version_id)
        versions = {version.id: version for version in self.versions(row["paper_id"])}
        changes = [(version_id, label)]
        changes += [(v.id, str(row["label"])) for v in versions.values() if v.label == label and v.id != version_id]
        title = f"Compare {versions[version_id].filename or 'another version'} as the {label} version"
        with self._project.action(title, initiator=initiator) as act:
            for key, new in changes:
                act.execute("UPDATE paper_version SET label = ?, updated_at = ? WHERE id = ?", (new, now(), key))


Joining = Literal["titles", "sources"]

_LIBRARY_COLUMNS = tuple(field.name for field in fields(LibraryPaper) if field.name != "id")


class LibraryStore:
    """Readers and verbs over ``library_paper``: the published papers that profiles, surveys and searches point at."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._index: tuple[str, Library] | None = None

    @property
    def id(self) -> str:
        """The key of the project that the library belongs to."""
        return self._project.id

    def papers(self, paper_ids: Iterable[str] | None = None) -> tuple[LibraryPaper, ...]:
        """All papers in the order in which they came, or those with the given keys in that order. Raises KeyError."""
        if paper_ids is None:
            return tuple(map(library_record, self._project.query("SELECT * FROM library_paper ORDER BY id")))
        return tuple(self.paper(key) for key in paper_ids)

    def paper(self, paper_id: str) -> LibraryPaper:
        """One paper. Raises KeyError."""
        row = self._project.query_one("SELECT * FROM library_paper WHERE id = ?", (paper_id,))
        if row is None:
            raise KeyError(paper_id)
        return library_record(row)

    def index(self) -> Library:
        """The whole library, ready to be searched; read again only when the table was changed."""
        stamp = self._stamp()
        if self._index is None or self._index[0] != stamp:
            self._index = (stamp, Library(self.papers()))
        return self._index[1]

    def _stamp(self) -> str:
        # A paper is never taken out but by undo, which takes its time out, too.
        row = self._project.query_one("SELECT count(*) || ' ' || coalesce(max(updated_at), '') FROM library_paper")
        return "" if row is None else str(row[0])

    def find(self, paper: LibraryPaper) -> LibraryPaper | None:
        """The paper of the library that ``paper`` is: by DOI, arXiv id, source id, or title and authors; or None."""
        found = self.index().find(paper)
        return None if found is None else found.paper

    def search(self, text: str, limit: int = 8) -> tuple[LibraryPaper, ...]:
        """Papers whose title and authors hold the words of ``text``, the best first."""
        return self.index().search(text, limit)

    def duplicates(self) -> tuple[tuple[LibraryPaper, ...], ...]:
        """Groups of papers that seem to be the same one."""
        return duplicates(self.papers())

    def text(self, paper_id: str) -> str:
        """The full text; empty where there is none."""
        paper = self.paper(paper_id)
        return self._project.get_blob(paper.text_sha256).decode("utf-8") if paper.text_sha256 else ""

    # verbs ----------------------------------------------------------------------------------------------------------

    def add(
        self, paper: LibraryPaper, *, origin: str = "person", text: str = "", initiator: object | None = None
    ) -> LibraryPaper:
        """Adds a paper, or completes the one that is there already; returns it as it stands in the library."""
        return self.add_all([paper], origin=origin, texts={0: text} if text else None, initiator=initiator)[0]

    def add_all(
        self,
        papers: Sequence[LibraryPaper],
        *,
        origin: str = "person",
        texts: dict[int, str] | None = None,
        join: Joining = "titles",
        apart: Collection[int] = (),
        initiator: object | None = None,
    ) -> tuple[LibraryPaper, ...]:
        """Adds papers in one step; each that is there already is completed with what only the new record knows.

        ``texts`` are full texts by place in ``papers``; papers at the places ``apart`` are added without looking. The
        keys of the given records are not used. ``join`` says what makes two records one: "titles" takes identifiers
        and titles, "sources" keeps what a catalogue tells apart by its own ids, whatever the titles say.
        """
        kept_texts = {
            place: self._project.put_blob(text.encode("utf-8", "replace"), "text/plain")
            for place, text in (texts or {}).items()
            if text
        }
        known, self._index = self.index(), None  # dropped: if the step fails, the index knows what the file does not
        out = []
        title = "Add paper to the library" if len(papers) == 1 else f"Add {len(papers)} papers to the library"
        with self._project.action(title, initiator=initiator) as act:
            for place, given in enumerate(papers):
                paper = replace(
                    given,
                    id="",
                    doi=normal_doi(given.doi),
                    arxiv_id=normal_arxiv(given.arxiv_id) or normal_arxiv(given.doi),
                    text_sha256=kept_texts.get(place, given.text_sha256),
                )
                match = None if place in apart else known.find(paper, fuzzy=join == "titles")
                if match is not None and join == "sources" and told_apart(match.paper, paper):
                    match = None
                if match is None:
                    stored = replace(paper, id=new_id())
                    self._insert(act, stored, origin)
                else:
                    stored = merged(match.paper, paper)
                    if stored != match.paper:
                        self._write(act, stored)
                known.add(stored)
                out.append(stored)
        self._index = (self._stamp(), known)
        return tuple(out)

    def update(self, paper: LibraryPaper, *, initiator: object | None = None) -> None:
        """Writes a paper as a person corrected it; typing on is one undo step. Raises KeyError."""
        self.paper(paper.id)
        with self._project.action("Edit paper", coalesce=f"library:{paper.id}", initiator=initiator) as act:
            self._write(act, paper)

    def complete(self, found: LibraryPaper, *, initiator: object | None = None) -> bool:
        """Adds what a look-up found to the paper of the same key; nothing that is known is overwritten.

        Returns whether something was added; a paper that is no longer there is none to be completed.
        """
        row = self._project.query_one("SELECT * FROM library_paper WHERE id = ?", (found.id,))
        known = None if row is None else library_record(row)
        if known is None or merged(known, found) == known:
            return False
        with self._project.action("Complete paper", initiator=initiator) as act:
            self._write(act, merged(known, found))
        return True

    def set_text(self, paper_id: str, text: str, *, initiator: object | None = None) -> LibraryPaper:
        """Keeps the full text of a paper; an empty text takes it away."""
        sha256 = self._project.put_blob(text.encode("utf-8", "replace"), "text/plain") if text else ""
        paper = replace(self.paper(paper_id), text_sha256=sha256)
        with self._project.action("Keep full text", initiator=initiator) as act:
            self._write(act, paper)
        return paper

    def _insert(self, act: Action, paper: LibraryPaper, origin: str) -> None:
        moment = now()
        columns = (*_LIBRARY_COLUMNS, "origin", "annotator_id", "created_at", "updated_at", "id")
        act.execute(
            f"INSERT INTO library_paper({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608
            (*_library_values(paper), origin, self._project.annotator_id, moment, moment, paper.id),
        )

    def _write(self, act: Action, paper: LibraryPaper) -> None:
        given = ", ".join(f"{column} = ?" for column in _LIBRARY_COLUMNS)
        act.execute(
            f"UPDATE library_paper SET {given}, updated_at = ? WHERE id = ?",  # noqa: S608 - columns of the record
            (*_library_values(paper), now(), paper.id),
        )


def _library_values(paper: LibraryPaper) -> list[object]:
    values: list[object] = []
    for column in _LIBRARY_COLUMNS:
        value = getattr(paper, column)
        if isinstance(value, tuple):
            value = json.dumps(value, ensure_ascii=False)
        values.append(int(value) if isinstance(value, bool) else value)
    return values


def library_record(row: sqlite3.Row) -> LibraryPaper:
    """A row of ``library_paper`` (all columns, further ones are passed over) as its record."""
    open_access = row["open_access"]
    return LibraryPaper(
        id=row["id"],
        title=row["title"],
        abstract=row["abstract"],
        year=row["year"],
        venue=row["venue"],
        authors=tuple(json.loads(row["authors"])),
        doi=row["doi"],
        arxiv_id=row["arxiv_id"],
        source_id=row["source_id"],
        link=row["link"],
        open_access=None if open_access is None else bool(open_access),
        text_sha256=row["text_sha256"],
        areas=tuple(json.loads(row["areas"])),
    )
