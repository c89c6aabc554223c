"""What panes keep in memory of papers that are no longer shown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from desktop_app.panes.linking.study import KEPT, Study, StudyReader
from desktop_app.panes.rebuttal import templates
from desktop_app.panes.rebuttal.state import RebuttalState
from engine.papers.records import PaperVersion
from engine.project import Project


def test_of_other_papers_only_the_texts_read_last_are_kept(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as project:
        reader = StudyReader(project)
        first, second = (PaperVersion(f"v{n}", "paper", f"d{n}", "a.pdf", "submitted") for n in range(2))
        study = Study(source=first, target=second)
        for number in range(30):
            reader.keep(f"d{number}", None, study)
        assert set(reader.texts) == {"d0", "d1", *(f"d{number}" for number in range(30 - KEPT, 30))}


def test_vectors_of_old_comments_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MOST_VECTORS", 10)
    kept = templates.Templates(RebuttalState())
    kept.ranker.texts = ("a template",)
    kept.add_vectors({"a template": np.zeros((1, 2), np.float32)})
    for number in range(30):
        kept.add_vectors({f"comment {number}": np.zeros((1, 2), np.float32)})
        assert len(kept._vectors) <= 11 and {"a template", f"comment {number}"} <= set(kept._vectors)
