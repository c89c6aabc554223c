"""The job: a run kept stage by stage, the reviewer's own words kept, a language model beside it, cancelling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import Cancelled, EnvironmentProblem
from engine.jobs import QuietReport
from engine.models.language import Manner
from engine.models.library import AddedServer, ModelLibrary, answers_as
from engine.models.prompts import shipped_prompt
from engine.models.server_language import Server
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project
from engine.review_drafting.pipeline import Run, RunSettings, compare_runs
from engine.review_drafting.records import STAGES, LiteratureReport
from engine.review_drafting.store import ReviewDraftStore
from engine.review_drafting.tasks import DraftReview, StageDone, draft_review, own_draft, replay, settings_of
from tests.engine.review_drafting.conftest import Read
from tests.engine.review_drafting.test_language_stages import ScriptedModel
from tests.engine.review_drafting.test_literature_stage import WordVectors

FIELDS = {
    "summary": "The paper parses letters of response with a small neural parser.",
    "weaknesses": "- It assumes that every reply follows its comment.\n- The experiments are weak.",
    "rating": "6: marginally above",
    "confidence": "9",
    "decision": "Accept",
}


class Desk:
    def __init__(self, project: Project, service: DocumentService, pdf: bytes) -> None:
        self.documents = DocumentStore(project)
        self.library = LibraryStore(project)
        self.reviews = ReviewDraftStore(project)
        self.service = service
        self.document = self.documents.add_document(pdf, "paper.pdf")
        self.partials: list[object] = []

    def run(self, params: DraftReview, report: QuietReport | None = None) -> Run:
        task = draft_review(
            self.documents, self.service, self.library, self.reviews, params,
            encoder=WordVectors, load=lambda _: ScriptedModel(),
        )  # fmt: skip
        listening = report or Listening(self.partials)
        return task.run(listening)


class Listening(QuietReport):
    def __init__(self, heard: list[object]) -> None:
        self.heard = heard

    def partial(self, value: object) -> None:
        self.heard.append(value)

    def part(self, start: float, end: float) -> Listening:
        return self


class StopAfter(Listening):
    """Cancels at the second partial result."""

    def partial(self, value: object) -> None:
        super().partial(value)
        if len(self.heard) == 2:
            raise Cancelled


@pytest.fixture
def desk(tmp_path: Path, drafting_service: DocumentService, faulty: Read) -> Iterator[Desk]:
    with Project.create(tmp_path / "review.rejoinder", annotator="Rita") as project:
        yield Desk(project, drafting_service, faulty.pdf)


def test_a_run_is_kept_as_it_goes(desk: Desk) -> None:
    desk.library.add(LibraryPaper("", "Parsing review letters with templates", "We propose templates for letters."))
    draft = desk.reviews.begin_draft(desk.document, "Mine", "iclr", fields=FIELDS)
    made = desk.run(DraftReview(desk.document, draft.id))
    assert [p.stage.stage for p in desk.partials if isinstance(p, StageDone)] == list(STAGES)
    kept = next(one for one in desk.reviews.runs() if one.id == made.id)
    assert (kept.state, kept.draft_id, kept.stages) == ("done", draft.id, made.stages)
    assert kept.draft == made.draft
    assert FIELDS["summary"] in made.draft.review().summary
    assert made.draft.scores.rating == 6 and made.draft.scores.decision == "accept"
    literature = kept.output("literature")
    assert isinstance(literature, LiteratureReport) and literature.found[0].title.startswith("Parsing")
    assert dict(kept.inputs)["encoder"] == "words"
    again = desk.run(DraftReview(desk.document, draft.id))
    assert again.draft == made.draft and again.inputs == made.inputs, "a run can be made again"


def test_with_a_language_model_and_an_edited_prompt(desk: Desk) -> None:
    desk.reviews.edit_prompt("review-insight", "You check " + "of contribution and method. Be brief.")
    model = AddedServer("scripted", "Scripted", Server("http://127.0.0.1:9/v1"), "scripted")
    made = desk.run(DraftReview(desk.document, model=model, settings=RunSettings(frozenset(("drafter", "results")), 4)))
    assert made.origin == "model:scripted@v1" and made.problems == ()
    assert next(one for one in desk.reviews.runs() if one.id == made.id).settings.seed == 4


def test_stages_ask_as_they_were_set_and_the_run_says_so(desk: Desk) -> None:
    library = ModelLibrary()
    first = library.add_server(Server("http://127.0.0.1:1/v1"), "large", context=32_000)
    other = library.add_server(Server("http://127.0.0.1:1/v1"), "small", context=32_000)
    library.choose("review-drafting", first.id)
    library.choose("review-drafting/insight", other.id)
    library.set_manner("review-drafting", Manner(temperature=0.2))
    library.set_manner("review-drafting/insight", Manner(0.7, 1000, "off"))
    settings, others = settings_of(library, first, RunSettings(seed=3))
    assert others == (("insight", other),) and settings.models == (("insight", "small"),)
    models = {entry.id: ScriptedModel() for entry in (first, other)}
    params = DraftReview(desk.document, model=first, settings=settings, others=others)
    task = draft_review(
        desk.documents, desk.service, desk.library, desk.reviews, params, encoder=WordVectors,
        load=lambda one: models[one.id],
    )  # fmt: skip
    run = task.run(QuietReport())
    (asked,) = models["small"].prompts
    assert (asked.temperature, asked.max_tokens, asked.reasoning, asked.seed) == (0.7, 1000, "off", 3)
    assert {prompt.temperature for prompt in models["large"].prompts} == {0.2}
    kept = next(one for one in desk.reviews.runs() if one.id == run.id).settings
    assert kept == settings and dict(kept.manners)["insight"] == Manner(0.7, 1000, "off")
    listed = replace(run, model=answers_as(first))
    assert replay(listed, desk.document, library).others == others


def test_cancelling_keeps_what_was_done(desk: Desk) -> None:
    with pytest.raises(Cancelled):
        desk.run(DraftReview(desk.document), StopAfter([]))
    kept = desk.reviews.runs()[0]
    assert kept.state == "cancelled"
    assert [stage.stage for stage in kept.stages] == ["drafter", "literature"]


def test_fields_of_a_form_as_points() -> None:
    draft = own_draft(FIELDS)
    assert [p.text for p in draft.weaknesses] == [
        "It assumes that every reply follows its comment.",
        "The experiments are weak.",
    ]
    assert {p.origin for _, p in draft.points()} == {"reviewer"}
    assert (draft.scores.rating, draft.scores.confidence, draft.scores.decision) == (6, None, "accept")
    assert own_draft({}).points() == ()


def test_a_run_is_replayed_with_what_it_was_given(desk: Desk) -> None:
    draft = desk.reviews.begin_draft(desk.document, "Mine", "iclr", fields=FIELDS)
    first = desk.run(DraftReview(desk.document, draft.id, settings=RunSettings(frozenset(("drafter", "results")), 3)))
    assert dict(first.own) == FIELDS
    desk.reviews.set_field(draft.id, "summary", "Other words entirely.")
    asked = replay(
        next(one for one in desk.reviews.runs() if one.id == first.id), desk.document, ModelLibrary(Path("none.json"))
    )
    assert (asked.settings, dict(asked.own or ())) == (first.settings, FIELDS)
    again = desk.run(asked)
    differences = compare_runs(first, again)
    assert [d.stage for d in differences] == ["drafter", "results"]
    assert all(d.same_input and d.same_output for d in differences)
    again = desk.run(DraftReview(desk.document, draft.id, settings=first.settings))
    assert not compare_runs(first, again)[0].same_input, "the fields are others now"


def test_a_replay_asks_with_the_prompts_of_the_run(desk: Desk, tmp_path: Path) -> None:
    own = f"{shipped_prompt('review-insight')} Be brief."
    desk.reviews.edit_prompt("review-insight", own)
    server = Server("http://127.0.0.1:9/v1")
    models = ModelLibrary(tmp_path / "models.json")
    entry = models.add_server(server, "another", "Scripted")
    on = RunSettings(frozenset(("literature", "insight")))
    first = desk.run(DraftReview(desk.document, model=entry, settings=on))
    desk.reviews.edit_prompt("review-insight", "")
    with pytest.raises(EnvironmentProblem, match="This run's language model is no longer"):
        replay(first, desk.document, models)
    asked = replay(replace(first, model=answers_as(entry)), desk.document, models)
    assert asked.model == entry and ("review-insight", 1, own) in (asked.prompts or ())
    again = desk.run(asked)
    assert [stage.info for stage in again.stages] == [stage.info for stage in first.stages]
    again = desk.run(DraftReview(desk.document, model=entry, settings=on))
    assert again.stages[1].info.prompt_version.startswith("bundled")
