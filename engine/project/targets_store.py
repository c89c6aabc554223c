"""What of a project can be removed, erased or shared, by the names that people know."""

from __future__ import annotations

from engine.project.project import Project


def papers(project: Project) -> tuple[tuple[str, str], ...]:
    """(key, title) of each paper, then of each document that belongs to no paper (one that is being reviewed)."""
    rows = project.query("SELECT id, title FROM paper ORDER BY position, id")
    rows += project.query(
        "SELECT id, coalesce(nullif(title, ''), filename) FROM document"
        " WHERE id NOT IN (SELECT document_id FROM paper_version) ORDER BY created_at, id"
    )
    return tuple((row[0], row[1]) for row in rows)


def reviews(project: Project) -> tuple[tuple[str, str], ...]:
    """(key, title and beginning) of each review and letter."""
    rows = project.query("SELECT id, title, reviewer, text FROM source_text ORDER BY position, id")
    return tuple(
        (row["id"], f"{row['title'] or row['reviewer']}: {' '.join(row['text'].split())[:60]}") for row in rows
    )


def versions(project: Project) -> tuple[tuple[str, str], ...]:
    """(key, paper and label) of each version of a paper."""
    return _named(
        project,
        "SELECT v.id, p.title || ': ' || v.label FROM paper_version v JOIN paper p ON p.id = v.paper_id"
        " ORDER BY p.position, p.id, v.position, v.id",
    )


def comments(project: Project) -> tuple[tuple[str, str], ...]:
    """(key, reviewer and beginning) of each comment."""
    return _named(project, "SELECT id, reviewer || ': ' || substr(comment, 1, 60) FROM comment ORDER BY position, id")


def studies(project: Project) -> tuple[tuple[str, str], ...]:
    """(key, title) of each survey."""
    return _named(project, "SELECT id, title FROM study ORDER BY position, id")


def annotators(project: Project) -> tuple[tuple[str, str], ...]:
    """(key, name) of everybody with something in the project, oldest first."""
    return _named(project, "SELECT id, name FROM annotator ORDER BY created_at, id")


def _named(project: Project, sql: str) -> tuple[tuple[str, str], ...]:
    return tuple((row[0], row[1]) for row in project.query(sql))


def keeps_names(project: Project) -> bool:
    """Whether the project knows that names must not leave: a rebuttal lists some, or a review is being written."""
    row = project.query_one(
        "SELECT EXISTS (SELECT 1 FROM rebuttal_plan WHERE names <> '[]') OR EXISTS (SELECT 1 FROM review_draft)"
    )
    return row is not None and bool(row[0])
