"""What panes keep in memory of papers that are no longer shown."""

from __future__ import annotations

from pathlib import Path

from desktop_app.panes.linking.study import KEPT, Study, StudyReader
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
