"""The versions of a paper: which two of them are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.store import DocumentStore
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project


def test_labels_change_hands_in_one_step(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", "p", "Ada") as project:
        papers, documents = PaperStore(project), DocumentStore(project)
        paper = papers.add_paper("Paper")
        other = papers.add_paper("Other")
        keys = {
            name: papers.add_version(paper, documents.add_document(b"%PDF-1.7 " + name.encode(), f"{name}.pdf"), label)
            for name, label in (("one", SUBMITTED), ("two", REVISED), ("three", "version 3"))
        }
        apart = papers.add_version(other, documents.add_document(b"%PDF-1.7 apart", "apart.pdf"), REVISED)

        def labels() -> dict[str, str]:
            return {version.id: version.label for version in (*papers.versions(paper), *papers.versions(other))}

        before = labels()
        papers.compare_as(keys["three"], REVISED)
        assert labels() == {**before, keys["three"]: REVISED, keys["two"]: "version 2"}
        assert labels()[apart] == REVISED
        papers.compare_as(keys["three"], SUBMITTED)
        assert labels() == {**before, keys["three"]: SUBMITTED, keys["one"]: REVISED, keys["two"]: "version 2"}
        papers.compare_as(keys["three"], SUBMITTED)  # changes nothing, so that it is no step
        assert labels()[keys["three"]] == SUBMITTED
        project.undo()
        assert labels() == {**before, keys["three"]: REVISED, keys["two"]: "version 2"}
        papers.compare_as(keys["two"], SUBMITTED)
        assert labels() == {**before, keys["one"]: "version 1", keys["two"]: SUBMITTED, keys["three"]: REVISED}
        project.undo()
        project.undo()
        assert labels() == before
        with pytest.raises(KeyError):
            papers.compare_as("nothing", REVISED)
