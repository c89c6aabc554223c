"""A project with a comparison and comments, made through the stores."""

from __future__ import annotations

from pathlib import Path

from engine.project import Project, new_id, now
from engine.revision.records import Edit, Link, RevisionDiff, Scored, Suggestion
from engine.revision.store import RevisionStore

TEXTS = (
    "The split was made at random over all papers of the corpus, so that no paper stands on both sides of it.",
    "We thank the reviewers for their patience, and we release the code together with the trained weights.",
    "Table 4 lists the hyperparameters that were searched, with the ranges and the final value of each of them.",
    "A limitation of this study is its language: all manuscripts were written in English by native speakers.",
)


def make_edit(number: int, text: str, before: str = "") -> Edit:
    return Edit(
        id=f"e{number:03d}",
        kind="major" if before else "added",
        operation="edit" if before else "add",
        moved=False,
        source_ids=(f"S{number}",) if before else (),
        target_ids=(f"T{number}",),
        source_text=before,
        target_text=text,
        section="Methods",
        tokens_removed=len(before.split()),
        tokens_added=len(text.split()),
    )


def add_comments(project: Project, number: int) -> list[str]:
    source, keys = new_id(), [new_id() for _ in range(number)]
    stamp = (project.annotator_id, now(), now())
    with project.action("Import review") as act:
        act.execute(
            "INSERT INTO source_text(id, title, kind, media_type, text, position, origin, annotator_id, created_at,"
            " updated_at) VALUES (?, 'Review 1', 'review', 'text/plain', '...', 0, 'person', ?, ?, ?)",
            (source, *stamp),
        )
        for position, key in enumerate(keys):
            act.execute(
                "INSERT INTO comment(id, source_id, comment, position, origin, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, 'person', ?, ?, ?)",
                (key, source, f"Comment {position}", position, *stamp),
            )
    return keys


class Study:
    """A project with a comparison of four edits and three comments."""

    def __init__(self, path: Path) -> None:
        self.project = Project.create(path, title="Study", annotator="Ann")
        self.store = RevisionStore(self.project)
        self.comments = add_comments(self.project, 3)
        self.diff = RevisionDiff(tuple(make_edit(n, text) for n, text in enumerate(TEXTS)), ((("S9",), ("T9",)),), 0.5)
        self.saved = self.store.save_diff("d1", "d2", self.diff, {"threshold": "0.2"})
        self.revision = self.saved.revision_id
        self.edits = [edit.id for edit in self.store.edits(self.revision)]

    def state(self, comment: int) -> str:
        judgement = self.store.comment_states(self.revision).get(self.comments[comment])
        return "undecided" if judgement is None else judgement.state

    def pairs(self) -> set[tuple[int, int]]:
        return {
            (self.comments.index(link.comment_id), self.edits.index(link.edit_id))
            for link in self.store.links(self.revision)
        }

    def suggest(self, strategy: str = "fused") -> tuple[Suggestion, ...]:
        rankings = {
            comment: tuple(
                Scored(edit, 0.9 - 0.2 * rank, rank == 0, (f"shared words: {rank}",))
                for rank, edit in enumerate(self.edits)
            )
            for comment in self.comments
        }
        self.store.save_suggestions(
            self.revision, strategy, f"model:{strategy}@1", rankings, use_responses=False, parameters={"a": "1"}
        )
        return self.store.suggestions(self.revision, self.comments[0])


def detached(store: RevisionStore, revision_id: str) -> tuple[Link, ...]:
    """Links whose edit the newest comparison no longer finds."""
    return tuple(link for link in store.links(revision_id) if not link.attached)
