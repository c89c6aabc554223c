"""Proposals and analyses in a project: kept, judged per annotator, undone, merged, and gone with their comment."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents.records import PARSER, Box, PageSize, Paragraph, ParsedDocument
from engine.errors import BadInput
from engine.exchange.edit_research import FORMATS, export_files, research, research_fields
from engine.jobs import QuietReport, Report
from engine.models.language import (
    AnswerFailed,
    AnswersTogether,
    Completion,
    LanguageModelInfo,
    OnPiece,
    Outcomes,
    Prompt,
    UnusableAnswer,
)
from engine.models.library import AddedServer
from engine.models.server_language import Server
from engine.models.transformers_language import TransformersLanguageModel
from engine.operations.removing import remove_comments
from engine.project import Project
from engine.project.merge import merge_into
from engine.reviews.records import Span
from engine.reviews.store import named_comment
from engine.revision.generation import writing
from engine.revision.generation.questions import QUESTIONS, answered
from engine.revision.generation.records import Analysis, Change, Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.tasks import ProposalsMade, propose_edits
from engine.revision.records import Scored
from tests.engine.exchange.test_two_annotators import Desk
from tests.engine.models.tiny_language_model import make_tiny_language_model

ADDED = AddedServer("tiny", "Tiny", Server("http://127.0.0.1:9/v1"), "tiny")


class Lengths:
    """Stands in for the encoder: a text's meaning is its length and its first letter."""

    fingerprint = "lengths"

    def encode(self, texts: Sequence[str], _report: Report | None = None) -> np.ndarray:
        found = np.array([[len(text), ord(text[:1] or " ")] for text in texts], dtype=np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "desk.rejoinder")
    yield desk
    desk.project.close()


def proposed(desk: Desk, count: int = 2) -> list[Proposal]:
    made = []
    for at, comment in enumerate(desk.comments[:count]):
        desk.links.link_comment(comment, desk.edits[at])
        new = Proposal(comment, "model:frames@1", "We did.", "s2", "change", f"Text {at}.", "explain")
        made.append(GenerationStore(desk.project).save(desk.revision, new))
    return made


def judged(proposal: Proposal, answer: int) -> Analysis:
    found = Analysis(proposal.comment_id, proposal.id, "")
    for question in QUESTIONS:
        found = answered(found, question, min(answer, len(question.answers("", "")) - 1), swap=False)
    return found


def test_several_edits_and_the_seed_of_an_answer_are_kept(desk: Desk) -> None:
    more = (Change("s1", "after", "A new paragraph."), Change("", "change", "Somewhere."))
    new = Proposal(desk.comments[0], "model:m@1", "Done.", "s2", "change", "Text.", "explain", more=more, seed=7)
    kept = GenerationStore(desk.project).save(desk.revision, new)
    (read,) = GenerationStore(desk.project).proposals(desk.revision)[desk.comments[0]]
    assert read == kept and read.more == more and read.seed == 7
    assert read.changes == (Change("s2", "change", "Text."), *more)


def test_judgements_are_each_annotators_own_and_undone(desk: Desk) -> None:
    store, (first, _) = GenerationStore(desk.project), proposed(desk)
    store.judge(judged(first, 0))
    store.judge(replace(judged(first, 1), note="changed my mind"))
    assert store.analyses(desk.revision) == (
        replace(judged(first, 1), note="changed my mind", annotator_id=desk.project.annotator_id),
    )
    assert desk.project.undo_title == f"Judge edits: {named_comment(desk.project, first.comment_id)}"
    desk.project.undo()
    assert store.analyses(desk.revision)[0].note == ""
    desk.be("Ben")
    assert store.analyses(desk.revision) == ()
    assert len(store.analyses(desk.revision, everybody=True)) == 1
    desk.be("Ann")
    desk.project.undo()
    assert store.analyses(desk.revision) == ()


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), max_size=6))
def test_any_course_of_judging_can_be_undone(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, int]]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("course") / "desk.rejoinder")
    store, made = GenerationStore(desk.project), proposed(desk)
    states = [store.analyses(desk.revision)]
    for which, answer in acts:
        store.judge(judged(made[which], answer))
        if store.analyses(desk.revision) != states[-1]:
            states.append(store.analyses(desk.revision))
    for state in reversed(states[:-1]):
        desk.project.undo()
        assert store.analyses(desk.revision) == state
    desk.project.close()


def test_a_comment_that_was_judged_can_be_deleted_and_another_analysts_cannot(desk: Desk) -> None:
    first, second = proposed(desk)
    store = GenerationStore(desk.project)
    store.judge(judged(first, 0))
    remove_comments(desk.project, [first.comment_id])
    assert store.analyses(desk.revision) == ()
    desk.project.undo()
    assert len(store.analyses(desk.revision)) == 1
    store.judge(judged(second, 0))
    desk.be("Ben")
    with pytest.raises(BadInput, match="Another annotator"):
        remove_comments(desk.project, [second.comment_id])


def test_two_analysts_files_come_together_and_two_units_give_no_kappa(desk: Desk, tmp_path: Path) -> None:
    other = tmp_path / "bens.rejoinder"
    made, store = proposed(desk), GenerationStore(desk.project)
    desk.project.save_copy(other)
    for at, proposal in enumerate(made):
        store.judge(judged(proposal, at))
    with Project.open(other, annotator="Ben") as project:
        for at, proposal in enumerate(made):
            GenerationStore(project).judge(judged(proposal, at))
    merge_into(desk.project, other)
    hidden = research(desk.studies)
    assert hidden.kappas == {} and hidden.tables.complete == 2, "what Ben did is hidden until both are done"
    desk.both_done()
    found = research(desk.studies)
    assert len(found.kappas) == len(QUESTIONS)
    assert all(kappa.n == 2 and math.isnan(kappa.value) for kappa in found.kappas.values())
    assert research_fields(found)["analysed"] == {"begun": 2, "complete": 2, "answerable": 0.5}
    names = [file.name for format_ in FORMATS for file in export_files(found, format_, "a")]
    assert len(names) == len(set(names)) == 11 + 7 * 4, "no kappa is known, so none is drawn"


def test_mistakes_of_suggestions_are_counted_by_aligner_beside_the_printed_shares(desk: Desk) -> None:
    rankings = {c: tuple(Scored(e, 0.9, True) for e in desk.edits) for c in desk.comments}
    for strategy in ("bm25", "fused"):
        desk.links.save_suggestions(desk.revision, strategy, f"model:{strategy}@1", rankings, use_responses=False)
    said = {"bm25": [("too-topical", "bad-parsing"), ("too-topical",), ("other",)], "fused": [(), ("over-generation",)]}
    for comment, (strategy, labels) in zip(desk.comments, said.items(), strict=False):
        offered = desk.links.suggestions(desk.revision, comment, strategy)
        for suggestion, names in zip(offered, labels, strict=False):
            desk.links.reject_suggestion(suggestion)
            for at, name in enumerate(names):
                desk.links.toggle_mistake(replace(suggestion, mistakes=names[:at]), name)
    found = research(desk.studies)
    assert {key: count for key, (count, _) in found.mistakes.items()} == {
        "all": 4, "model:bm25@1": 3, "model:fused@1": 1,
    }  # fmt: skip
    rows = {
        (row["aligner"], row["mistake"]): (row["times"], row["share"], row["printed"])
        for row in research_fields(found)["mistakes"]  # type: ignore[attr-defined]
    }
    assert rows["all", "Too topical"] == (2, 0.5, 0.40) and rows["model:bm25@1", "Too topical"] == (2, 0.666667, 0.40)
    assert rows["model:fused@1", "Over-generation"] == (1, 1.0, 0.28)
    desk.links.link_comment(desk.comments[1], desk.edits[1])
    assert research(desk.studies).mistakes["all"][0] == 3, "what was linked after all was no mistake"


# --- the job --------------------------------------------------------------------------------------------------------


def read(desk: Desk) -> None:
    """The submitted version as a parser would have read it."""
    revision = desk.links.revision(desk.revision)
    texts = ("The split was made at random.", "Counters were read every hour.")
    paragraphs = tuple(
        Paragraph(f"s{n}", n, "Method", "body", text, text, tuple(range(len(text) + 1)), 1, (Box(1, 0, 0, 9, 9),))
        for n, text in enumerate(texts)
    )
    sha = desk.studies.documents.document(revision.source_document_id).sha256
    desk.studies.documents.save_parsed(
        revision.source_document_id, ParsedDocument(sha, (PageSize(1, 100, 100, 0),), paragraphs, PARSER, 0.1)
    )


def run(desk: Desk, comments: tuple[str, ...], model: object = None) -> ProposalsMade:
    store = GenerationStore(desk.project)
    task = propose_edits(
        desk.studies.documents,
        desk.reviews,
        desk.links,
        store,
        desk.revision,
        comments,
        model=ADDED if model else None,
        encoder=Lengths,
        load=lambda _added: model,  # type: ignore[arg-type,return-value]
    )
    return task.run(QuietReport())


def test_frames_are_always_there_and_kept_once(desk: Desk) -> None:
    with pytest.raises(BadInput, match="been read yet"):
        run(desk, (desk.comments[0],))
    read(desk)
    (first,) = run(desk, (desk.comments[0],)).proposals
    (second,) = run(desk, (desk.comments[0],)).proposals
    assert first == second and first.paragraph_id in ("s0", "s1")
    assert [len(own) for own in GenerationStore(desk.project).proposals(desk.revision).values()] == [1]


def test_the_context_of_a_comment_reaches_the_model(desk: Desk) -> None:
    asked: list[str] = []

    class Watched:
        info = LanguageModelInfo("watched", "Watched", "server", "1", 8000)

        def complete(self, prompt: Prompt, **_options: object) -> Completion:
            asked.append(prompt.messages[-1].content)
            return Completion("Location: 1\nEdit: New.", "stop", None, None, 0.0)

    read(desk)
    desk.reviews.set_context(desk.comments[1], [Span(0, 14)])
    context = desk.reviews.comment(desk.comments[1]).context
    run(desk, (desk.comments[1],), Watched())
    assert context and f"context: {context}" in asked[0] and "(Method) The split was made at random." in asked[0]


class Together(AnswersTogether):
    """Answers several prompts at once, and can't answer one about ``failing``."""

    info = LanguageModelInfo("together", "Together", "server", "1", 8000)

    def __init__(self, failing: str) -> None:
        self.failing = failing
        self.at_once: list[int] = []

    def complete_all(
        self, prompts: Sequence[Prompt], *, on_text: OnPiece | None = None, report: Report = QuietReport()
    ) -> Outcomes:
        self.at_once.append(len(prompts))
        for place, prompt in enumerate(prompts):
            if self.failing in prompt.messages[-1].content:
                yield place, AnswerFailed("The server stopped in the middle of its answer.")
                continue
            if on_text is not None:
                on_text(place, "Location")
            yield place, Completion("Location: 1\nEdit: New.", "stop", None, None, 0.0)

    def close(self) -> None:
        pass


def test_a_model_is_asked_about_all_comments_at_once_and_a_failure_does_not_end_the_others(desk: Desk) -> None:
    read(desk)
    desk.reviews.set_context(desk.comments[0], [Span(0, 14)])
    model = Together("context: ")
    made = run(desk, tuple(desk.comments), model)
    assert model.at_once == [len(desk.comments)] and made.unusable == (desk.comments[0],)
    kept = GenerationStore(desk.project).proposals(desk.revision)
    by_model = {key for key, own in kept.items() if any(one.origin == "model:together@1" for one in own)}
    assert by_model == {*desk.comments[1:]} and len(made.prompts) == len(by_model)
    model.failing = "nothing"
    again = run(desk, tuple(desk.comments), model)
    assert model.at_once[1:] == [1], "only the one without an answer"
    kept = GenerationStore(desk.project).proposals(desk.revision)
    assert {len(own) for own in kept.values()} == {2} and {*made.proposals} < {*again.proposals}, "kept once"
    model.failing = "context: "
    desk.reviews.set_context(desk.comments[0], [Span(0, 13)])
    with pytest.raises(AnswerFailed):
        run(desk, (desk.comments[0],), model)
    assert run(desk, (), model).proposals == ()


def test_a_real_tiny_model_is_asked_and_its_babble_is_named(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "ANSWER_TOKENS", 60)
    read(desk)
    folder = make_tiny_language_model(tmp_path / "tiny")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 8192}))
    tiny = TransformersLanguageModel(folder, LanguageModelInfo("tiny", "Tiny", "transformers", "1", 8192))
    with pytest.raises(UnusableAnswer) as caught:
        run(desk, (desk.comments[0],), tiny)
    assert caught.value.raw
    (kept,) = GenerationStore(desk.project).proposals(desk.revision)[desk.comments[0]]
    assert kept.origin == "model:frames@1", "what the frames proposed stays"
