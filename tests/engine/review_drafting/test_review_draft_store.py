"""The store of review drafting: drafts, versions, cards, decisions, prompts, runs; undo and reopening."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.records import Box
from engine.documents.store import DocumentStore
from engine.project import Project
from engine.review_drafting.pipeline import Run, RunSettings, StageRun
from engine.review_drafting.records import Anchor, Draft, LiteratureReport, Point, StageInfo
from engine.review_drafting.store import EvidenceCard, ReviewDraft, ReviewDraftStore


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "review.rejoinder", annotator="Rita") as made:
        yield made


@pytest.fixture
def store(project: Project) -> ReviewDraftStore:
    return ReviewDraftStore(project)


@pytest.fixture
def draft(project: Project, store: ReviewDraftStore) -> ReviewDraft:
    document = DocumentStore(project).add_document(b"%PDF-1.4 made up", "paper.pdf")
    return store.begin_draft(document, "First review", "iclr", fields={"summary": "It is about reading."})


def test_beginning_a_draft_is_one_step(project: Project, store: ReviewDraftStore, draft: ReviewDraft) -> None:
    assert store.drafts() == (draft,)
    assert store.fields(draft.id) == {"summary": "It is about reading."}
    assert project.undo_title == "Start review “First review”"
    project.undo()
    assert store.drafts() == ()
    project.redo()
    assert store.fields(draft.id) == {"summary": "It is about reading."}


def test_typing_is_one_step_and_versions_restore(project: Project, store: ReviewDraftStore, draft: ReviewDraft) -> None:
    kept = store.keep_version(draft.id, "kept by hand")
    assert kept is not None
    assert project.undo_title == "Save a version of “First review”"
    assert store.keep_version(draft.id, "again") is None, "nothing changed"
    for text in ("W", "We", "Weak"):
        store.set_field(draft.id, "weaknesses", text)
    store.set_field(draft.id, "summary", "Other words.")
    store.restore_version(kept.id)
    assert store.fields(draft.id) == {"summary": "It is about reading.", "weaknesses": ""}
    newest = store.versions(draft.id)[0]
    assert (newest.reason, dict(newest.fields)["weaknesses"]) == ("before restoring", "Weak")
    project.undo()
    assert store.fields(draft.id)["summary"] == "Other words.", "restoring is one step"
    project.undo()
    project.undo()
    assert "weaknesses" not in store.fields(draft.id), "typing was one step"


def test_evidence_keeps_its_place_and_order(project: Project, store: ReviewDraftStore, draft: ReviewDraft) -> None:
    boxes = (Box(3, 1.5, 2.0, 30.25, 4.0),)
    first = store.add_card(
        draft.id, EvidenceCard("quote", "Section Results", "we found", page=3, start=5, end=13, boxes=boxes)
    )
    second = store.add_card(draft.id, EvidenceCard("table", "Table 2", stance="weakness", note="no spread"))
    assert store.cards(draft.id) == (first, second)
    store.move_card(second.id, first.id)
    assert [card.id for card in store.cards(draft.id)] == [second.id, first.id]
    project.undo()
    assert [card.id for card in store.cards(draft.id)] == [first.id, second.id]
    store.remove_card(first.id)
    with pytest.raises(KeyError):
        store.card(first.id)
    project.undo()
    assert store.card(first.id).boxes == boxes


@pytest.mark.parametrize("decision", ["accepted", "rejected"])
def test_decisions_are_taken_back(store: ReviewDraftStore, draft: ReviewDraft, decision: str) -> None:
    point = Point(id="check-1", text="Table 2 has no spread.", origin="check:no-variance")
    store.decide(draft.id, "run", point, decision)  # type: ignore[arg-type]
    assert store.decisions(draft.id, "run") == {"check-1": decision}
    store.decide(draft.id, "run", point, None)
    assert store.decisions(draft.id, "run") == {}


def test_what_was_rejected_stays_rejected_in_the_next_run(store: ReviewDraftStore, draft: ReviewDraft) -> None:
    first, second = (store.begin_run(replace(made_run(), id=""), draft.id) for _ in range(2))
    [(_, point)] = first.stages[0].output.points()  # type: ignore[union-attr]
    store.decide(draft.id, first.id, point, "rejected")
    assert store.decisions_on(draft.id, second) == {point.id: "rejected"}
    other = replace(second, stages=(replace(second.stages[0], output=Draft(summary=(Point(id="a", text="New."),))),))
    assert store.decisions_on(draft.id, other) == {}, "other words were never rejected"
    store.decide(draft.id, second.id, point, "accepted")
    assert store.decisions_on(draft.id, second) == {point.id: "accepted"}
    store.decide(draft.id, second.id, point, None)
    assert store.decisions_on(draft.id, second) == store.decisions_on(draft.id, first) == {}


def test_prompts_have_versions_and_go_back_to_what_ships(project: Project, store: ReviewDraftStore) -> None:
    first = store.edit_prompt("review-drafter", "Be short.")
    assert first is not None and first.version == 1
    assert store.edit_prompt("review-drafter", "Be short.") is None
    store.edit_prompt("review-drafter", "Be shorter.")
    assert store.edited_prompts()["review-drafter"].text == "Be shorter."
    store.edit_prompt("review-drafter", "")
    assert store.edited_prompts() == {}
    assert [version.version for version in store.prompt_versions("review-drafter")] == [3, 2, 1]
    project.undo()
    assert store.edited_prompts()["review-drafter"].version == 2


def made_run() -> Run:
    anchor = Anchor(kind="quote", quote="we found", paragraph_id="p1", start=1, end=9, page=2, found=True)
    draft = Draft(summary=(Point(id="a", text="It is about “reading”.", anchors=(anchor,)),))
    stages = (
        StageRun(StageInfo("drafter", "language model", "1", "review-drafter", "1", "Draft!"), "h1", draft, ('{"a"',)),
        StageRun(StageInfo("literature", "deterministic", "1"), "h2", LiteratureReport(keyphrases=("x",)), seconds=0.5),
        StageRun(StageInfo("insight", "language model", "1"), "h3", None, ("nonsense",), "It can't be used."),
    )
    settings = RunSettings(frozenset(("drafter", "literature", "insight")), 7, 0.5)
    return Run("ab" * 32, "model:tiny@1", "tiny", settings, (("text", "cd"), ("encoder", "")), stages)


def test_a_run_comes_back_whole(project: Project, store: ReviewDraftStore, draft: ReviewDraft) -> None:
    run = made_run()
    begun = store.begin_run(run, draft.id)
    assert store.runs()[0].state == "running"
    for stage in run.stages:
        store.save_stage(begun.id, stage)
    store.end_run(begun.id, "done", 1.25)
    (kept,) = store.runs()
    assert (kept.stages, kept.settings, kept.inputs, kept.draft) == (run.stages, run.settings, run.inputs, run.draft)
    assert (kept.state, kept.seconds, kept.draft_id) == ("done", 1.25, draft.id)
    assert store.runs() == store.runs(draft_id=draft.id) == (kept,)
    assert kept.problems == ("Insight Miner: It can't be used.",)
    assert project.undo_title == "Start review “First review”", "what models compute is no undo step"
    for written, said in (("ships 12ab34cd, edited 2 9f", "bundled 12ab34cd, edited 2 9f"), ("edited 2 9f",) * 2):
        info = replace(run.stages[0].info, prompt_version=written)
        store.save_stage(begun.id, replace(run.stages[0], info=info))
        assert next(one for one in store.runs()[0].stages if one.stage == info.stage).info.prompt_version == said
    store.forget_run(begun.id)
    assert store.runs() == ()


def test_a_removed_draft_comes_back_with_everything(
    project: Project, store: ReviewDraftStore, draft: ReviewDraft
) -> None:
    card = store.add_card(draft.id, EvidenceCard("figure", "Figure 1"))
    store.keep_version(draft.id, "kept by hand")
    store.decide(draft.id, "run", Point(id="x", text="t"), "accepted")
    store.remove_draft(draft.id)
    assert (store.drafts(), store.cards(draft.id), store.versions(draft.id)) == ((), (), ())
    project.undo()
    assert store.cards(draft.id) == (card,)
    assert len(store.versions(draft.id)) == 1 and store.decisions(draft.id, "run") == {"x": "accepted"}


@settings(max_examples=8, deadline=None)
@given(st.dictionaries(st.sampled_from(["summary", "weaknesses", "rating"]), st.text(max_size=40), min_size=1))
def test_any_fields_survive_versions_and_reopening(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, str]
) -> None:
    path = tmp_path_factory.mktemp("fields") / "p.rejoinder"
    with Project.create(path, annotator="Rita") as project:
        store = ReviewDraftStore(project)
        document = DocumentStore(project).add_document(b"%PDF-1.4 x", "x.pdf")
        draft = store.begin_draft(document, "R", "iclr", fields=values)
        version = store.keep_version(draft.id, "kept by hand")
        assert version is not None
        for name in values:
            store.set_field(draft.id, name, "other")
        store.restore_version(version.id)
    with Project.open(path) as project:
        assert ReviewDraftStore(project).fields(draft.id) == values


def test_runs_of_earlier_versions_keep_their_places() -> None:
    stored = Anchor.model_validate_json('{"kind": "quote", "quote": "we found", "page": 2, "verified": true}')
    assert stored == Anchor(kind="quote", quote="we found", page=2, found=True)
