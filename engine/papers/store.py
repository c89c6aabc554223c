"""The papers of a project and their versions."""

from __future__ import annotations

from engine.errors import BadInput
from engine.papers.records import Paper, PaperVersion
from engine.project import Project, new_id, now

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

    def replace_version(self, version_id: str, document_id: str) -> None:
        """Puts another document under a version's label."""
        with self._project.action("Replace document") as act:
            act.execute(
                "UPDATE paper_version SET document_id = ?, updated_at = ? WHERE id = ?",
                (document_id, now(), version_id),
            )

    def remove_version(self, version_id: str) -> None:
        """Takes a version out of its paper; its document stays in the project."""
        with self._project.action("Remove version") as act:
            act.execute("DELETE FROM paper_version WHERE id = ?", (version_id,))
