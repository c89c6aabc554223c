"""The papers and versions of a project, and the local library of published papers."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from engine.errors import BadInput
from engine.papers.library import Library, merged, normal_arxiv, normal_doi, told_apart
from engine.papers.records import LibraryPaper, Paper, PaperVersion
from engine.project import Project, Store, new_id, records, values_of
from engine.project.tables import Row, record

SUBMITTED = "submitted"
REVISED = "revised"


class PaperStore(Store):
    def papers(self) -> tuple[Paper, ...]:
        """Returns all papers in the order in which they were added."""
        return tuple(records(Paper, self._project.query("SELECT * FROM paper ORDER BY position, id")))

    def versions(self, paper_id: str) -> tuple[PaperVersion, ...]:
        """Returns the versions of a paper, oldest first."""
        rows = self._project.query(
            "SELECT v.*, d.filename, d.parser FROM paper_version v JOIN document d ON d.id = v.document_id"
            " WHERE v.paper_id = ? ORDER BY v.position, v.id",
            (paper_id,),
        )
        return tuple(records(PaperVersion, rows))

    def labelled_versions(self) -> dict[tuple[str, str], PaperVersion]:
        """Returns the versions of all papers by paper and label, in one query."""
        rows = self._project.query(
            "SELECT v.*, d.filename, d.parser FROM paper_version v JOIN document d ON d.id = v.document_id"
        )
        return {(version.paper_id, version.label): version for version in records(PaperVersion, rows)}

    def add_paper(self, title: str, *, abstract: str = "", external_id: str = "") -> str:
        """Adds a paper; returns its key."""
        with self._project.action(f"Add paper “{title}”") as act:
            return act.insert("paper", {"title": title, "abstract": abstract, "external_id": external_id})

    def add_version(self, paper_id: str, document_id: str, label: str) -> str:
        """Adds a document as a version of a paper; returns the version's key. Raises BadInput if the label is taken."""
        if any(version.label == label for version in self.versions(paper_id)):
            raise BadInput(f"This paper already has a {label} version.", "Nothing was added.", "Give it another label.")
        with self._project.action(f"Add {label} version") as act:
            return act.insert("paper_version", {"paper_id": paper_id, "document_id": document_id, "label": label})

    def compare_as(self, version_id: str, label: str) -> None:
        """Gives a version the ``label`` (``SUBMITTED``, ``REVISED``) of another one, which gets the other of the two in
        exchange, or else its number in the order of versions. Links stay with the two documents they were made between,
        and reappear when these are compared again. Raises KeyError if there is no such version."""
        row = self._project.row("paper_version", version_id)
        versions = {version.id: version for version in self.versions(row["paper_id"])}
        title = f"Compare {versions[version_id].filename or 'another version'} as the {label} version"
        with self._project.action(title) as act:
            for number, version in enumerate(versions.values(), start=1):
                if version.label == label and version.id != version_id:
                    taken = {one.label for one in versions.values() if one.id != version_id}
                    own = f"version {number}"
                    keeps = row["label"] in (SUBMITTED, REVISED) or own in taken
                    act.update("paper_version", version.id, {"label": row["label"] if keeps else own})
            act.update("paper_version", version_id, {"label": label})


Joining = Literal["titles", "sources"]


class LibraryStore:
    """Reads and writes ``library_paper``: the published papers that profiles, surveys and searches refer to."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._index: tuple[str, Library] | None = None

    @property
    def id(self) -> str:
        return self._project.id

    def papers(self, paper_ids: Iterable[str] | None = None) -> tuple[LibraryPaper, ...]:
        """Returns all papers in the order in which they were added, or those with the given keys. Raises KeyError."""
        if paper_ids is None:
            return tuple(records(LibraryPaper, self._project.query("SELECT * FROM library_paper ORDER BY id")))
        return tuple(self.paper(key) for key in paper_ids)

    def paper(self, paper_id: str) -> LibraryPaper:
        """Returns one paper. Raises KeyError."""
        return record(LibraryPaper, self._project.row("library_paper", paper_id))

    def index(self) -> Library:
        """Returns a search index of the whole library, rebuilt only after changes."""
        stamp = self._stamp()
        if self._index is None or self._index[0] != stamp:
            self._index = (stamp, Library(self.papers()))
        return self._index[1]

    def _stamp(self) -> str:
        # Papers are only removed by undo, which also removes their times.
        row = self._project.query_one("SELECT count(*) || ' ' || coalesce(max(updated_at), '') FROM library_paper")
        return "" if row is None else str(row[0])

    def find(self, paper: LibraryPaper) -> LibraryPaper | None:
        """Returns the library's record of ``paper``, by DOI, arXiv id, source id, or title and
        authors; otherwise None."""
        found = self.index().find(paper)
        return None if found is None else found.paper

    def search(self, text: str, limit: int = 8) -> tuple[LibraryPaper, ...]:
        """Returns papers whose title and authors contain the words of ``text``, best match first."""
        return self.index().search(text, limit)

    def text(self, paper_id: str) -> str:
        """Returns the full text, or ""."""
        paper = self.paper(paper_id)
        return self._project.get_blob(paper.text_sha256).decode("utf-8") if paper.text_sha256 else ""

    def add(self, paper: LibraryPaper, *, origin: str = "person", text: str = "") -> LibraryPaper:
        """Adds a paper, or completes an existing record of it; returns the stored record."""
        return self.add_all([paper], origin=origin, texts={0: text} if text else None)[0]

    def add_all(
        self,
        papers: Sequence[LibraryPaper],
        *,
        origin: str = "person",
        texts: dict[int, str] | None = None,
        join: Joining = "titles",
        apart: Collection[int] = (),
    ) -> tuple[LibraryPaper, ...]:
        """Adds papers in one step; existing records are completed with values that only the new one has.

        ``texts`` are full texts by index in ``papers``; papers at the indexes ``apart`` are added without looking for
        existing ones. Keys of the given records are ignored. ``join`` decides what matches: "titles" uses identifiers
        and titles, "sources" keeps records with different source ids apart, whatever their titles.
        """
        kept_texts = {
            place: self._project.put_blob(text.encode("utf-8", "replace"), "text/plain")
            for place, text in (texts or {}).items()
            if text
        }
        # dropped meanwhile: if the step fails, the index would contain papers that the file doesn't
        known, self._index = self.index(), None
        out = []
        fresh: dict[str, Row] = {}
        title = "Add paper to the library" if len(papers) == 1 else f"Add {len(papers)} papers to the library"
        with self._project.action(title) as act:
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
                stored = replace(paper, id=new_id()) if match is None else merged(match.paper, paper)
                if match is None or stored.id in fresh:
                    fresh[stored.id] = values_of(stored) | {"origin": origin}
                else:
                    act.update("library_paper", stored.id, values_of(stored))
                known.add(stored)
                out.append(stored)
            act.insert_all("library_paper", fresh.values())
        self._index = (self._stamp(), known)
        return tuple(out)

    def update(self, paper: LibraryPaper) -> None:
        """Stores the user's edits of a paper; continued typing is one undo step. Raises KeyError."""
        with self._project.action("Edit paper", coalesce=f"library:{paper.id}") as act:
            act.update("library_paper", paper.id, values_of(paper))

    def complete(self, found: LibraryPaper) -> bool:
        """Adds the results of a look-up to the paper with the same key, without overwriting anything. Returns whether
        anything was added; False if the paper no longer exists."""
        try:
            known = self.paper(found.id)
        except KeyError:
            return False
        completed = merged(known, found)
        if completed != known:
            with self._project.action("Complete paper") as act:
                act.update("library_paper", known.id, values_of(completed))
        return completed != known
