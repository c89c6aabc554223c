"""Drafting knows nothing of what it is judged by."""

from __future__ import annotations

from pathlib import Path

from engine.review_drafting.crews import language_crew
from engine.review_drafting.pipeline import run_stages
from tests.engine.review_drafting.conftest import Read
from tests.engine.review_drafting.test_language_stages import ScriptedModel


def test_drafting_never_sees_the_rubrics_of_a_paper(faulty: Read, tmp_path: Path) -> None:
    """A rubric made for this very paper stands in the project; no prompt and no output of a run holds a word of it."""
    from engine.documents.store import DocumentStore
    from engine.project import Project, new_id, now

    token = "xylophonicrubric"
    with Project.create(tmp_path / "p.rejoinder", annotator="Rita") as project:
        document = DocumentStore(project).add_document(faulty.pdf, "paper.pdf")
        me, moment, benchmark, paper = project.annotator_id, now(), new_id(), new_id()
        with project.action("Plant a rubric") as act:
            act.execute(
                "INSERT INTO benchmark(id, title, position, annotator_id, created_at, updated_at)"
                " VALUES (?, 'B', 1, ?, ?, ?)", (benchmark, me, moment, moment),
            )  # fmt: skip
            act.execute(
                "INSERT INTO benchmark_paper(id, benchmark_id, title, document_id, position, origin, annotator_id,"
                " created_at, updated_at) VALUES (?, ?, 'P', ?, 1, 'person', ?, ?, ?)",
                (paper, benchmark, document, me, moment, moment),
            )
            act.execute(
                "INSERT INTO benchmark_rubric(id, paper_id, dimension, description, origin, annotator_id, created_at,"
                " updated_at) VALUES (?, ?, 'core-contribution-accuracy', ?, 'person', ?, ?, ?)",
                (new_id(), paper, f"The review names the {token}.", me, moment, moment),
            )
        model = ScriptedModel()
        run = run_stages(language_crew(model), faulty.paper)
    assert model.prompts
    assert not any(token in message.content for prompt in model.prompts for message in prompt.messages)
    assert not any(token in stage.output.model_dump_json() for stage in run.stages if stage.output is not None)


def test_nothing_of_drafting_imports_the_benchmark() -> None:
    import ast

    import engine.review_drafting as package

    root = Path(package.__path__[0])
    for path in [*root.glob("*.py"), *(root / "stages").glob("*.py")]:
        source = path.read_text(encoding="utf-8")
        names = [
            name
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        ]
        assert not any("benchmark" in name for name in names), path
        assert "benchmark_rubric" not in source, path
