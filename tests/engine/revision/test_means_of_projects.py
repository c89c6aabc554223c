"""What can make suggestions in a project: strategies, the person's own models, and edits that were proposed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput, Cancelled
from engine.jobs import QuietReport
from engine.models.folders import FolderReport, ModelKind
from engine.models.language import Completion, LanguageModelInfo, Prompt
from engine.models.library import AddedFolder, AddedServer, load_language_model
from engine.models.server_language import Server, ServerLanguageModel
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.means import Choice, choices, project_means
from engine.revision.store import RevisionStore, SilverStore
from engine.revision.tasks import SuggestionsMade, compute_edits, find_silver_labels, suggest_links
from tests.engine.models.tiny_encoder import make_tiny_encoder
from tests.engine.revision.papers import latest_run
from tests.engine.revision.test_tasks_of_revisions import pdf

SERVER = AddedServer("s", "Local", Server("http://127.0.0.1:9/v1"), "m")
KEPT = "This paragraph stands in both versions of the paper, word for word, and nobody would call it an edit at all."
SPLIT = (
    "The division of the corpus is by manuscript, so that no writer stands on both sides of it in any of the splits."
)
RAIN = "Rain was rare in both of these weeks, and no street of the town was closed to traffic while we were counting."


def folder(path: Path, kind: ModelKind) -> AddedFolder:
    return AddedFolder(kind, kind.title(), path, FolderReport(kind, "Bert", 1, 1, "", 512))


def by_strategy(found: tuple[Choice, ...]) -> dict[str, list[Choice]]:
    grouped: dict[str, list[Choice]] = {}
    for choice in found:
        grouped.setdefault(choice.strategy, []).append(choice)
    return grouped


def test_each_strategy_is_offered_with_the_models_that_it_can_read(tmp_path: Path) -> None:
    models = (folder(tmp_path, "encoder"), folder(tmp_path / "gone", "reranker"), SERVER)
    found = by_strategy(choices(models, encoder=True, proposals=True))
    assert "random" not in found and "human" not in found
    assert [c.model for c in found["bi-encoder"]] == [models[0]] and found["bi-encoder"][0].lacks == ""
    assert found["cross-encoder"][0].lacks == "its folder is gone"
    assert found["llm-multi-edit"] == [Choice("llm-multi-edit", "Language model, all edits at once: Local", SERVER)]
    assert found["fused"][0].lacks == found["bm25-generated"][0].lacks == ""


def test_a_servers_connections_end_with_what_uses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(ServerLanguageModel, "close", lambda self: closed.append(self.info.title))
    with project_means(
        "llm-pairwise",
        SERVER,
        use_responses=False,
        encoder=pytest.fail,
        load=load_language_model,
        generated=pytest.fail,
    ) as means:
        assert means.language_model is not None and closed == []
    assert closed == ["Local"]


def test_what_lacks_something_says_what() -> None:
    found = by_strategy(choices((), encoder=False, proposals=False))
    lacks = {name: entries[0].lacks for name, entries in found.items()}
    assert lacks["bm25"] == "" and all(lacks[name] for name in lacks if name != "bm25")
    assert lacks["bm25-generated"] == "have edits proposed first"
    assert lacks["cross-encoder"] == "add a cross-encoder in Models"


class Desk:
    """Two papers, each with a review; both versions of the first are PDFs that were compared."""

    def __init__(self, path: Path, service: DocumentService) -> None:
        self.project = Project.create(path / "p.rejoinder", annotator="Ann")
        self.documents, self.reviews = DocumentStore(self.project), ReviewStore(self.project)
        self.revisions, self.generation = RevisionStore(self.project), GenerationStore(self.project)
        papers = PaperStore(self.project)
        keys = [papers.add_paper(title) for title in ("First", "Second")]
        versions = [
            self.documents.add_document(pdf(path / f"{name}.pdf", texts), f"{name}.pdf")
            for name, texts in (("old", [KEPT]), ("new", [KEPT, SPLIT, RAIN]))
        ]
        for document, label in zip(versions, (SUBMITTED, REVISED), strict=True):
            papers.add_version(keys[0], document, label)
        for key, words, reply in (
            (keys[0], "On page 1, how was the town's weather?", f"We now write: “{RAIN}”"),
            (keys[1], "Was the corpus split by writer?", f"We now write: “{SPLIT}”"),
        ):
            text = SourceText(key, "Review", f"{words}\n\n{reply}")
            comment = Comment("c", key, "R1", words, response=reply, spans=(Span(0, len(words)),))
            self.reviews.import_bundle(ReviewBundle((text,), (comment,)), "review.txt", paper_id=key)
        task = compute_edits(self.documents, service, self.revisions, *versions)
        self.revision = task.run(QuietReport()).revision_id
        self.own, self.other = (self.reviews.comments(paper_id=key)[0].id for key in keys)

    def suggest(self, strategy: str, model: AddedFolder | None = None) -> SuggestionsMade:
        task = suggest_links(
            self.reviews,
            self.revisions,
            self.revision,
            strategy,
            model=model,
            documents=self.documents,
            generation=self.generation,
        )
        return task.run(QuietReport())

    def first(self, strategy: str) -> str:
        best = self.revisions.suggestions(self.revision, self.own, strategy)[0]
        return self.revisions.edit(best.edit_id).target_text


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with DocumentService() as service:
        found = Desk(tmp_path_factory.mktemp("desk"), service)
    yield found
    found.project.close()


def test_only_comments_of_the_papers_own_reviews_are_read(desk: Desk) -> None:
    assert desk.suggest("bm25").comments == 1
    assert desk.revisions.suggestions(desk.revision, desk.own, "bm25")
    assert not desk.revisions.suggestions(desk.revision, desk.other, "bm25")
    silver = SilverStore(desk.project, desk.revisions)
    task = find_silver_labels(desk.reviews, desk.revisions, silver, desk.revision)
    task.run(QuietReport())
    pairs = silver.pairs(desk.revision)
    assert {pair.comment_id for pair in pairs} == {desk.own}
    assert {desk.revisions.edit(pair.edit_id).target_text for pair in pairs} == {RAIN}


def test_places_are_looked_up_in_the_pdfs(desk: Desk) -> None:
    desk.suggest("bm25")
    reasons = [s.reasons for s in desk.revisions.suggestions(desk.revision, desk.own, "bm25")]
    assert all("comment names Page 1" in own for own in reasons)


def test_proposals_of_the_project_are_what_is_asked_with(desk: Desk) -> None:
    with pytest.raises(BadInput, match="needs edits generated by a model"):
        desk.suggest("bm25-generated")
    paragraph = desk.documents.parsed(desk.revisions.revision(desk.revision).source_document_id)
    assert paragraph is not None
    place = paragraph.paragraphs[0].id
    for origin, added in (("model:tiny@1", "The division of the corpus is by manuscript."), ("model:frames@1", "[…]")):
        desk.generation.save(
            desk.revision,
            Proposal(desk.own, origin, "", place, "change", f"{KEPT} {added}", "explain", prompt_version="1"),
        )
    made = desk.suggest("bm25-generated")
    assert made.comments == 1 and desk.first("bm25-generated") == SPLIT
    (best, *_) = desk.revisions.suggestions(desk.revision, desk.own, "bm25-generated")
    assert "nobody" not in " ".join(best.reasons), "what the paragraph said before is not asked with"


def test_a_model_that_is_asked_about_all_edits_reads_the_paragraphs_between_them(desk: Desk) -> None:
    asked: list[str] = []

    class Watched:
        info = LanguageModelInfo("watched", "Watched", "server", "1", 8000)

        def complete(self, prompt: Prompt, **_options: object) -> Completion:
            asked.append(prompt.messages[-1].content)
            return Completion(json.dumps({"comment_id": 1, "edit_ids": [1, 3]}), "stop", None, None, 0.0)

    task = suggest_links(
        desk.reviews, desk.revisions, desk.revision, "llm-multi-edit", model=SERVER, documents=desk.documents,
        generation=desk.generation, load=lambda _added: Watched(),  # type: ignore[arg-type,return-value]
    )  # fmt: skip
    task.run(QuietReport())
    assert asked[0].index(f"1. {KEPT}") < asked[0].index("2. [+ The division") < asked[0].index("3. [+ Rain")
    linked = [s for s in desk.revisions.suggestions(desk.revision, desk.own, "llm-multi-edit") if s.linked]
    assert [desk.revisions.edit(one.edit_id).target_text for one in linked] == [RAIN]


@pytest.mark.parametrize(("strategy", "kind"), [("bi-encoder", "encoder"), ("cross-encoder", "reranker")])
def test_added_folders_make_suggestions_in_a_process_of_their_own(
    desk: Desk, strategy: str, kind: ModelKind, tmp_path: Path
) -> None:
    made = make_tiny_encoder(tmp_path / "tiny")
    assert desk.suggest(strategy, folder(made, kind)).edits == 2
    run = latest_run(desk.revisions, desk.revision, strategy)
    assert run is not None and dict(run.parameters)["model"] == "tiny"
    with pytest.raises(BadInput, match="a different kind"):
        desk.suggest(strategy, folder(made, "language model"))


def test_a_job_that_is_stopped_keeps_the_comments_that_were_done(desk: Desk) -> None:
    desk.suggest("bm25")
    text = SourceText("", "More", "Why two towns? Why bees?")
    spans = (Span(0, 14), Span(15, 24))
    comments = tuple(
        Comment(f"n{number}", "", "R2", text.text[span.start : span.end], spans=(span,))
        for number, span in enumerate(spans)
    )
    paper = desk.project.query("SELECT id FROM paper WHERE title = 'First'")[0]["id"]
    desk.reviews.import_bundle(ReviewBundle((text,), comments), "more.txt", paper_id=paper)
    answered: list[str] = []

    class Stopped:
        """Is cancelled by the person after the pairs of the first comment."""

        info = LanguageModelInfo("stopped", "Stopped", "server", "1", 8000)

        def complete(self, prompt: Prompt, **_options: object) -> Completion:
            comment = prompt.messages[-1].content.split("Edit:")[0]
            answered.append(comment)
            if len(set(answered)) > 1:
                raise Cancelled
            return Completion(json.dumps({"answer": "yes"}), "stop", None, None, 0.0)

    def job(model: object) -> Any:
        return suggest_links(
            desk.reviews, desk.revisions, desk.revision, "llm-pairwise", model=SERVER, documents=desk.documents,
            load=lambda _added: model,  # type: ignore[arg-type,return-value]
        )  # fmt: skip

    task = job(Stopped())
    with pytest.raises(Cancelled):
        task.run(QuietReport())
    run = latest_run(desk.revisions, desk.revision)
    assert run is not None and run.parameters["remarks"].startswith("Stopped after 1 of 3 comments.")
    offered = desk.revisions.all_suggestions(desk.revision)
    new = [key for key, found in offered.items() if found[0].origin.startswith("model:llm-pairwise")]
    assert len(new) == 1 and any(one.linked for one in offered[new[0]])
    assert desk.own in offered, "what an earlier pass says of a comment that was not reached stays"

    class Going(Stopped):
        def complete(self, prompt: Prompt, **_options: object) -> Completion:
            answered.append(prompt.messages[-1].content.split("Edit:")[0])
            return Completion(json.dumps({"answer": "no"}), "stop", None, None, 0.0)

    first, before = answered[0], len(answered)
    again = job(Going())
    assert again.run(QuietReport()).remarks == ()
    assert first not in answered[before:], "what was answered is not asked again"
    offered = desk.revisions.all_suggestions(desk.revision)
    assert {found[0].origin for found in offered.values()} == {"model:llm-pairwise@4+1"} and len(offered) == 3
    assert any(one.linked for one in offered[new[0]]), "the answer of the stopped job counts"
