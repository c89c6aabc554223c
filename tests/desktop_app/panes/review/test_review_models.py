"""Language models in the drawer of the review pane: chosen, estimated, watched and read afterwards."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.review.pane import ReviewPane
from engine.models.language import Manner
from engine.models.library import ModelLibrary
from engine.models.server_language import Server
from engine.review_drafting.crews import language_crew
from engine.review_drafting.pipeline import RunSettings, begun, run_stages
from engine.review_drafting.records import STAGES
from engine.review_drafting.tasks import own_draft, reading_of
from tests.desktop_app.panes.review.steps import ALT, CONTROL, FIELDS, PATIENCE, Key, choose, editor, opened, press, run
from tests.engine.models.faulty_server import Exchange, faulty_server
from tests.engine.review_drafting.test_language_stages import ScriptedModel, answer_by_script, scripted_answer


@pytest.fixture
def pane(pane_with_run: ReviewPane) -> ReviewPane:
    return pane_with_run


def test_the_model_of_the_models_pane_is_offered(pane: ReviewPane) -> None:
    ModelLibrary().add_server(Server("http://127.0.0.1:9/v1"), "small", "Small model")
    drawer = opened(pane, Key.Key_S)
    drawer.stages.show_runs()
    way = drawer.stages.table.way
    assert [way.itemText(n) for n in range(way.count())] == ["Rules, no language model", "Small model"]
    assert way.currentIndex() == 1 and drawer.runs.model is not None and drawer.stages.table.seed.isVisible()
    way.setCurrentIndex(0)
    way.activated.emit(0)
    assert drawer.runs.model is None and not drawer.stages.table.seed.isVisible()


def test_the_estimate_follows_the_settings_of_stages_and_the_model(pane: ReviewPane, qtbot: QtBot) -> None:
    library = ModelLibrary()
    entry = library.add_server(Server("http://127.0.0.1:9/v1"), "small", "Small model", 32_000)
    drawer = opened(pane, Key.Key_S)

    def ahead() -> str:
        drawer.stages.show_runs()
        qtbot.waitUntil(lambda: "requests, about" in drawer.runs.ahead, timeout=PATIENCE)
        return drawer.runs.ahead

    first = ahead()
    library.set_manner("review-drafting/drafter", Manner(answer_tokens=9000))
    assert ahead() != first
    library.remove(entry.id)
    drawer.stages.show_runs()
    assert drawer.runs.ahead == ""


@pytest.mark.loopback
def test_the_rules_do_the_work_of_a_model_that_does_not_answer_and_the_banner_says_so(
    pane: ReviewPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.models.server_connection._PAUSE", 0.01)
    monkeypatch.setattr("engine.models.server_connection._RESTART_SECONDS", 0.0)
    ModelLibrary().add_server(Server("http://127.0.0.1:9/v1"), "small", "Small model", 32_000)
    drawer = opened(pane, Key.Key_S)
    press(pane, Key.Key_R, CONTROL)
    qtbot.waitUntil(lambda: any(n.key == "run" for n in pane.banner.notices), timeout=PATIENCE)
    made = drawer.runs.run
    assert made is not None and made.state == "done" and made.model == "small"
    (problem,) = made.problems
    assert problem.count("No server is responding at") == 1, "said once, although every stage tried"
    assert all(stage.info.way == "deterministic" and stage.output is not None for stage in made.stages)
    assert drawer.runs.can_run


@pytest.mark.loopback
def test_a_local_server_drafts_and_its_point_is_taken(pane: ReviewPane, qtbot: QtBot) -> None:
    with faulty_server(answer_by_script) as (url, seen):
        ModelLibrary().add_server(Server(url), "scripted", "Scripted model", 32_000)
        drawer = opened(pane, Key.Key_S)
        run(pane, qtbot)
        asked = len(seen)
    made = drawer.runs.run
    assert made is not None and made.state == "done" and "scripted" in made.model and not made.problems
    assert asked >= len(STAGES), "every stage asked it"
    assert all(stage.raw for stage in made.stages), "what it wrote is kept, stage by stage"
    drawer.stages.table.table.setCurrentCell(STAGES.index("aggregator"), 0)
    row = choose(drawer, "Weakness")
    press(pane, Key.Key_A)
    assert row.words in pane.state.fields["weaknesses"]


@pytest.mark.loopback
def test_what_a_model_is_writing_can_be_read_while_it_writes(pane: ReviewPane, qtbot: QtBot) -> None:
    seen = threading.Event()

    def answer(exchange: Exchange) -> None:
        system, user = (message["content"] for message in exchange.asked["messages"])
        said = json.dumps(scripted_answer(system, user))
        exchange.begin()
        exchange.piece(said[:20])
        exchange.released.wait(0.5)  # the pane hears several times a second what is written
        exchange.piece(said[20:60])
        seen.wait(PATIENCE / 1000)
        exchange.piece(said[60:], "stop")
        exchange.event("[DONE]")

    drawer = opened(pane, Key.Key_S)
    drawer.stages.choose("drafter")
    drawer.stages.views.setCurrentIndex(2)
    with faulty_server(answer) as (url, _):
        ModelLibrary().add_server(Server(url), "scripted", "Scripted model", 32_000)
        press(pane, Key.Key_R, CONTROL)
        qtbot.waitUntil(lambda: drawer.stages.raw.toPlainText().startswith('{"summary"'), timeout=PATIENCE)
        assert drawer.runs.working == "drafter" and drawer.stages.raw.toPlainText() == drawer.runs.written
        seen.set()
        qtbot.waitUntil(lambda: drawer.runs.under_way is None, timeout=PATIENCE)
    assert json.loads(drawer.stages.raw.toPlainText())["summary"]


@pytest.mark.loopback
def test_a_model_is_asked_about_undecided_sentences_and_their_states_stay(pane: ReviewPane, qtbot: QtBot) -> None:
    said = {"judgement": "does not say", "reason": "The section speaks of “letters”."}

    def answer(exchange: Exchange) -> None:
        exchange.begin()
        exchange.piece(json.dumps(said), "stop")
        exchange.event("[DONE]")

    qtbot.waitUntil(lambda: not pane.session.checker.busy and pane.opinions.can_ask, timeout=PATIENCE)
    editor(pane, "summary").setFocus()
    before = pane.form_view.claim
    assert before is not None and before.verdict == "place found"
    press(pane, Key.Key_J, ALT)
    assert "No language model is set" in pane.banner.notices[0].what
    with faulty_server(answer) as (url, _):
        ModelLibrary().add_server(Server(url), "scripted", "Scripted model", 32_000)
        press(pane, Key.Key_J, ALT)
        qtbot.waitUntil(lambda: pane.opinions.can_ask and pane.opinions.on(before) is not None, timeout=PATIENCE)
    look = next(one for one in pane.sentence.looks if one.title == "Judgement by Scripted model")
    assert look.words == "The passages leave this open. The section speaks of “letters”." and look.verdict is None
    assert pane.form_view.claim == before, "the state is that of the rules"
    pane.opinions.show_document("")
    assert pane.opinions.on(before) is None, "another paper is shown"
    pane.session.paper_changed.emit()
    qtbot.waitUntil(lambda: pane.opinions.on(before) is not None, timeout=PATIENCE)
    assert look in pane.sentence.looks


def test_what_a_model_wrote_and_how_it_was_asked_can_be_read(pane: ReviewPane, qtbot: QtBot) -> None:
    state, drawer = pane.state, opened(pane, Key.Key_S)
    draft, parsed = state.draft, state.parsed
    assert draft is not None and parsed is not None
    pdf = state.documents.pdf_bytes(draft.document_id)
    paper = reading_of(parsed, pdf, pane.context.bridge.documents)
    model = ScriptedModel()
    model.info = replace(model.info, used="CPU, 2 cores, float32")
    crew, own, settings = language_crew(model), own_draft(FIELDS), RunSettings(frozenset({"drafter"}), 7)
    settings = replace(settings, manners=(("drafter", Manner(0.4, 900, "off")),), models=(("drafter", "other"),))
    run = state.store.begin_run(begun(crew, paper, (), own, settings), draft.id)
    for stage in run_stages(crew, paper, own=own, settings=settings).stages:
        state.store.save_stage(run.id, stage)
    state.store.end_run(run.id, "done", 1.0)
    qtbot.waitUntil(lambda: len(drawer.runs.runs) == 2, timeout=PATIENCE)
    drawer.stages.table.table.setCurrentCell(0, 0)
    drawer.stages.views.setCurrentIndex(2)
    assert json.loads(drawer.stages.raw.toPlainText())["summary"]
    opened(pane, Key.Key_R)
    assert "seed 7" in drawer.kept.facts.text() and "prompts bundled" in drawer.kept.facts.text()
    assert "ran on CPU, 2 cores, float32" in drawer.kept.facts.text()
    words = "Drafter: other, temperature 0.4, answers up to 900 tokens, reasoning off"
    assert words in drawer.kept.facts.text()
    assert drawer.runs.can_replay
    press(pane, Key.Key_R)
    assert "This run's language model is no longer" in pane.banner.notices[0].what and drawer.runs.under_way is None
