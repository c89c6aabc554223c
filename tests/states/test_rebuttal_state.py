"""What the Rebuttal pane shows and changes, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import present
from desktop_app.panes.rebuttal.lists import ReviewerLine, line_key, notes_of, spoken
from desktop_app.panes.rebuttal.sending import Sending, overwrite, responses, words_on
from desktop_app.panes.rebuttal.state import CommentSentences, RebuttalState, budget_line, progress_words, total_length
from desktop_app.panes.rebuttal.templates import Templates
from engine.documents.places import Places
from engine.exchange.response_letter import write_letter
from engine.operations.entailment import Opinion
from engine.operations.letters import LetterTaken, Replies, take_letter
from engine.papers.store import PaperStore
from engine.project import Project
from engine.rebuttal.claims import check_claims
from engine.reviews.limits import preset
from engine.reviews.marks import MarkedText, Reading
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore
from engine.reviews.wording import check_wording
from tests.engine.rebuttal.versions import REVISED, SUBMITTED, make_document, make_edits

ONE = "The proof is unclear. Please explain the second step."
TWO = "Compare with a baseline."
THANKS = "Thank you for the work."


def add(project: Project, reviewer: str, *comments: str, paper: str | None = None) -> list[str]:
    reviews, words = ReviewStore(project), " ".join(comments)
    (text,) = reviews.add_text("Review", words, reviewer=reviewer, paper_id=paper).texts
    ids = []
    for comment in comments:
        start = words.index(comment)
        (made,) = reviews.add_comment(text.id, [Span(start, start + len(comment))], reviewer=reviewer).comments
        reviews.set_actionable([made.id], comment != THANKS)
        ids.append(made.id)
    return ids


@pytest.fixture
def state(tmp_path: Path) -> Iterator[RebuttalState]:
    with Project.create(tmp_path / "a.rejoinder", annotator="Ada") as project:
        add(project, "Reviewer 1", ONE, THANKS)
        add(project, "Reviewer 2", TWO)
        made = RebuttalState()
        made.open(project)
        made.read("")
        yield made


def taken_from(
    letter: MarkedText, state: RebuttalState, reading: Reading | None = None, before: Replies = ()
) -> LetterTaken:
    rebuttal = state.rebuttal
    made = take_letter(
        present(state.project), rebuttal.paper_id, rebuttal.outline, letter, "letter.md", reading=reading, before=before
    )
    state.read_points()
    return made


def write(state: RebuttalState, text: str) -> None:
    state.on_point(state.store.write, text)
    state.read_points()


def test_the_first_unanswered_comment_is_current_and_the_next_ones_follow(state: RebuttalState) -> None:
    assert state.entry is not None and state.entry.comment.comment == ONE
    first = state.current
    state.current = state.next_comment(unanswered=True)
    assert state.entry.comment.comment == TWO
    assert state.next_comment(unanswered=True) == first, "around the end"
    write(state, "We did.")
    state.current = first
    assert state.next_comment(unanswered=True) == ""
    assert state.next_comment(unanswered=False) == "" and progress_words(state)[0] == "1 of 2 answered"


def test_a_response_with_open_slots_is_begun_and_not_answered(state: RebuttalState) -> None:
    write(state, "We explain it in {section}.")
    assert progress_words(state)[0] == "0 of 2 answered · 1 started"
    assert state.entry is not None and state.entry.answered == "attention"
    write(state, "We explain it in Section 2.")
    assert progress_words(state)[0] == "1 of 2 answered" and state.entry.answered == "good"


def test_one_response_serves_several_comments_and_stays_in_step(state: RebuttalState) -> None:
    first = state.current
    write(state, "We explain it in {section}.")
    second = state.next_comment(unanswered=True)
    assert not state.can_share(), "it has a response, which must not be lost"
    state.current = second
    assert [row.comment.id for row in state.others()] == [first] and state.can_share()
    state.share(first)
    state.read("")
    assert state.point.text == "We explain it in {section}." and [row.comment.id for row in state.sharing()] == [first]
    write(state, "We explain it in Section 2.")
    assert {point.text for point in state.store.replies().values()} == {"We explain it in Section 2."}
    assert state.project is not None
    state.project.undo()
    assert {point.text for point in state.store.replies().values()} == {"We explain it in {section}."}, "in one step"
    points = state.store.replies()
    state.store.import_replies(None, [(points[first], "Another one.")], "letter.md", over=True)
    state.read("")
    assert state.sharing() == (), "they differ, and are not called the same"
    state.project.undo()
    state.read("")
    state.part()
    state.read("")
    write(state, "Only this one.")
    assert state.store.replies()[first].text == "We explain it in {section}." and state.sharing() == ()


def test_a_follow_up_is_a_comment_under_the_one_it_is_about(state: RebuttalState) -> None:
    first = state.current
    state.store.keep_labels(None, {row.comment.id: row.label for row in state.rebuttal.outline.rows})
    state.read("")
    state.current = state.add_follow_up(first, "But where is it explained?\n")
    state.read("")
    assert state.row is not None and (state.row.label, state.row.comment.reviewer) == ("R1.1.1", "Reviewer 1")
    assert state.row.comment.comment == "But where is it explained?"
    assert [entry.label for entry in state.entries if entry.label] == ["R1.1", "R1.1.1", "R2.1"]
    state.add_follow_up(state.current, "And in which words?")
    state.read("")
    assert [row.label for row in state.rebuttal.outline.rows] == ["R1.1", "R1.1.1", "R1.1.1.1", "R2.1"]
    state.current = next(row.comment.id for row in state.rebuttal.outline.rows if row.label == "R1.1.1.1")
    present(state.project).undo()
    state.read("")
    assert state.row is not None and state.row.label == "R1.1.1", "the comment above the one that is gone"
    present(state.project).redo()
    state.read("")
    state.current = first
    state.toggle_needed()
    state.read("")
    assert {"R1.2", "R1.2.1"} <= {row.label for row in state.rebuttal.outline.rows}, "what was sent keeps its number"


def test_typing_changes_matrix_and_lengths_but_not_what_is_stored(state: RebuttalState) -> None:
    before = total_length(state)
    assert state.type_text("We explain it now.") and not state.type_text("")
    line = state.line
    assert line is not None and line.answered == "good" and line.spent == 18
    assert total_length(state) > before and state.store.replies() == {}
    state.update_matrix()
    assert state.line is not None and state.line.answered == "empty"


def test_a_comment_that_needs_no_response_gets_a_row_and_loses_it(state: RebuttalState) -> None:
    thanks = next(entry for entry in state.entries if entry.comment.comment == THANKS)
    state.current = thanks.comment.id
    assert state.row is None and state.has_point() and not state.has_response()
    assert state.needed_title() == "Needs a response"
    state.toggle_needed()
    state.read("")
    assert state.row is not None and state.needed_title() == "Needs no response"
    state.toggle_needed()
    state.read("")
    assert state.row is None and state.current == thanks.comment.id


def test_comments_are_filtered_and_grouped(state: RebuttalState) -> None:
    assert [group.title for group in state.groups()] == ["Reviewer 1", "Reviewer 2"]
    state.filter = "baseline"
    assert [entry.comment.comment for group in state.groups() for entry in group.entries] == [TWO]
    state.filter, state.grouping = "", "root"
    sentences = CommentSentences(state)
    assert [sentences.words()] == [ONE.partition(". ")[0] + "."] and len(sentences.all()) == 2
    sentences.set_label("aspect", ["clarity"])
    state.read("")
    assert [group.title for group in state.groups()] == ["Clarity", "Not labelled"]
    sentences.step(5)
    assert sentences.words() == "Please explain the second step."


def test_lines_say_in_words_what_they_show(state: RebuttalState) -> None:
    keys = [line_key(line) for line in state.lines]
    assert keys[:3] == ["head:Reviewer 1", "opening:Reviewer 1", state.current]
    assert spoken(state.lines[2]).startswith("R1.1, no action yet: Text missing, Edit")
    bar = budget_line(state)
    assert isinstance(bar, ReviewerLine) and bar.reviewer == "Reviewer 1" and "of 5,000 characters" in bar.used
    state.change_plan(preset="neurips-page")
    state.read("")
    whole = budget_line(state)
    assert whole is not None and whole.reviewer == "Whole rebuttal" and whole.pages == ""
    state.laid_out = (state.made, 0.25, total_length(state))
    whole = budget_line(state)
    assert whole is not None and whole.pages == "0.25 of 1 page"
    state.type_text("We explain it.")
    whole = budget_line(state)
    assert whole is not None and whole.pages.startswith("about ")


def test_each_paper_has_its_own_comments(tmp_path: Path) -> None:
    with Project.create(tmp_path / "b.rejoinder", annotator="Ada") as project:
        papers = PaperStore(project)
        one, two, three = (papers.add_paper(title) for title in ("One", "Two", "Three"))
        add(project, "Reviewer 1", ONE, paper=one)
        add(project, "Reviewer 2", TWO, paper=two)
        state = RebuttalState()
        state.open(project)
        for paper, words in ((one, ONE), (two, TWO)):
            assert not state.is_empty(paper)
            state.read(paper)
            assert [entry.comment.comment for entry in state.entries] == [words]
            assert state.entry is not None
        assert state.is_empty(three) and not state.has_comments()


def test_what_was_sent_is_remembered_by_hashes_and_changes_are_reported(state: RebuttalState) -> None:
    memory: dict[str, str] = {}
    sending = Sending(state, lambda name: memory.get(name, ""), memory.__setitem__)
    section = state.rebuttal.outline.sections[0]
    assert not sending.can_send() and sending.next_post(section) is None
    write(state, "We explain it.")
    post = sending.next_post(state.rebuttal.outline.sections[0])
    assert post is not None and "We explain it." in post.text
    sending.note_sent(state.rebuttal.outline.sections)
    assert not [one for one in sending.findings() if "has changed" in one.words]
    assert "explain" not in memory[sending.memory]
    write(state, "We explain it in Section 2.")
    (changed,) = [one for one in sending.findings() if "has changed" in one.words]
    assert "Reviewer 1" in changed.words
    sending.set_names("Ada Lovelace; ; Ada Lovelace", state.rebuttal.paper_id)
    state.read("")
    assert state.rebuttal.plan.names == ("Ada Lovelace",)
    assert sending.add_names(("Ada Lovelace", "Ben", "")) == ["Ben"]


def test_another_limit_is_read_without_reading_everything_again(state: RebuttalState) -> None:
    comments = state.rebuttal.comments
    state.change_plan(preset="openreview-2500")
    state.read_points()
    assert state.rebuttal.plan.preset == "openreview-2500" and state.rebuttal.limit == preset("openreview-2500")
    assert state.rebuttal.comments is comments and state.lines, "what the limit does not concern is kept"


def test_a_letter_fills_what_is_empty_and_replaces_only_when_asked(state: RebuttalState) -> None:
    write(state, "From the letter.")
    letter = MarkedText(write_letter(state.rebuttal.outline).files[0].content.decode())
    write(state, "")
    taken = taken_from(letter, state)
    assert words_on(taken, "letter.md")[0] == "1 response was imported from letter.md." and not taken.differing
    assert state.point.text == "From the letter." and responses(state) == []
    write(state, "Mine.")
    taken = taken_from(letter, state)
    assert "1 differs from what you've written and was not imported." in words_on(taken, "letter.md")
    assert state.point.text == "Mine."
    overwrite(state, state.rebuttal.paper_id, taken.differing, "letter.md")
    state.read_points()
    assert state.point.text == "From the letter."


def test_openings_and_closings_of_a_letter_are_counted_as_such(state: RebuttalState) -> None:
    write(state, "From the letter.")
    section = state.rebuttal.outline.sections[0]
    for point, text in ((section.opening, "Thank you."), (section.closing, "We hope that this helps.")):
        state.store.write(state.rebuttal.paper_id, point, text)
    state.read_points()
    letter = MarkedText(write_letter(state.rebuttal.outline).files[0].content.decode())
    for _, point in [*state.points()]:
        state.store.write(state.rebuttal.paper_id, point, "")
    state.read_points()
    assert words_on(taken_from(letter, state), "letter.md") == (
        "1 response was imported from letter.md.",
        "2 openings and closings were imported, too.",
        "For 1 comment of these reviews, no response was found.",
    )


def test_a_letter_with_its_roles_swapped_brings_the_other_text_in_one_step(state: RebuttalState) -> None:
    """The reviewers' words are not quoted, and the authors' are: the first reading takes them the wrong way round."""
    letter = MarkedText(f"{ONE}\n\n> We explain the second step.\n\n{TWO}\n\n> We added a baseline.\n")
    reading = Reading(response=frozenset({"quoted"}), rest="comment").swap()
    before = taken_from(letter, state, reading)
    assert [text for _, text in before.taken] == [TWO], "a comment as the response to the authors' words"
    assert state.point.text == TWO
    after = taken_from(letter, state, reading.swap(), before.taken)
    first, *_ = words_on(after, "letter.md")
    assert first == "1 response was removed. 2 responses were imported from letter.md." and not after.by_labels
    assert {text for _, text in after.taken} == {"We explain the second step.", "We added a baseline."}
    assert state.point.text == "We explain the second step."
    again = taken_from(letter, state, reading, after.taken)
    assert state.point.text == TWO and len(again.taken) == 1, "and back"
    assert state.project is not None
    state.project.undo()
    state.read_points()
    assert state.point.text == "We explain the second step.", "one step"
    write(state, "Mine.")
    taken_from(letter, state, reading, after.taken)
    assert state.point.text == "Mine.", "changed since: kept"


def test_comments_that_may_ask_for_nothing_are_marked_while_they_need_a_response(state: RebuttalState) -> None:
    state.show_doubtful({entry.comment.id: "maybe" for entry in state.entries})
    assert [entry.doubt for entry in state.entries] == ["maybe", None, "maybe"], "thanks need no response anyway"
    state.toggle_needed()
    state.read("")
    assert [entry.doubt for entry in state.entries] == [None, None, "maybe"]


def test_templates_fit_the_current_point(state: RebuttalState) -> None:
    templates = Templates(state)
    templates.read()
    best = templates.fitting("")
    assert best[0].template.id == "proof-done" and templates.heading("", best).endswith(" fit")
    state.on_point(state.store.choose_action, "task_will_be_done")
    state.read_points()
    assert {ranked.template.action for ranked in templates.fitting("")} == {"task_will_be_done"}
    state.current = "opening:Reviewer 1"
    assert {ranked.template.action for ranked in templates.fitting("")} <= {"thanks", "summary", "structuring"}
    assert templates.values() == {"reviewer": "Reviewer 1"}
    assert templates.copy(best[0].template, "") == "Copied to “Team”."
    assert templates.copy(best[0].template, "") == "“Team” already has this version or a newer one."


def test_an_outline_is_offered_where_no_template_fits(state: RebuttalState) -> None:
    templates = Templates(state)
    templates.read()
    state.current = state.entries[1].comment.id
    found = templates.fitting("")
    assert [ranked.template.text for ranked in found] == ["We {change}; see {section}."], (
        "the comment is quoted above it"
    )
    state.change_plan(quoting="number")
    state.read_points()
    assert [ranked.template.text for ranked in templates.fitting("")] == [f"> {THANKS}\n\n{found[0].template.text}"]
    assert templates.heading("", found) == "No template fits"
    assert len(templates.fitting("reference")) > 1 and " of " in templates.heading("reference", ())


def test_labels_stay_once_an_answer_was_sent(tmp_path: Path) -> None:
    with Project.create(tmp_path / "c.rejoinder", annotator="Ada") as project:
        ids = add(project, "Reviewer 1", ONE, THANKS, TWO)
        state, memory = RebuttalState(), dict[str, str]()
        state.open(project)
        sending = Sending(state, lambda name: memory.get(name, ""), memory.__setitem__)
        state.read("")

        def labels() -> dict[str, str]:
            return {row.comment.id: row.label for row in state.rebuttal.outline.rows}

        def toggle(comment: str) -> dict[str, str]:
            state.current = comment
            state.toggle_needed()
            state.read("")
            return labels()

        assert labels() == {ids[0]: "R1.1", ids[2]: "R1.2"}
        assert toggle(ids[1])[ids[2]] == "R1.3", "nothing was sent yet"
        toggle(ids[1])
        sending.note_sent(state.rebuttal.outline.sections)
        assert toggle(ids[1]) == {ids[0]: "R1.1", ids[1]: "R1.3", ids[2]: "R1.2"}
        assert toggle(ids[0]) == {ids[1]: "R1.3", ids[2]: "R1.2"}
        write(state, "")
        assert toggle(ids[0])[ids[0]] == "R1.1"
        elsewhere = RebuttalState()
        elsewhere.open(project)
        elsewhere.read("")
        assert {row.comment.id: row.label for row in elsewhere.rebuttal.outline.rows} == labels(), "on any machine"
        sending.note_sent(state.rebuttal.outline.sections)
        steps = len(project.history())
        sending.note_sent(state.rebuttal.outline.sections)
        assert len(project.history()) == steps, "what is kept is not written again"


def test_the_editor_notes_tone_and_identity() -> None:
    reply = "The reviewer fails to understand this. My PhD thesis shows it."
    wording = check_wording(reply, "author")
    notes = [note for note in notes_of(reply, wording, (), ()) if note.kind in ("tone", "identity")]
    assert [(note.kind, note.span) for note in notes] == [
        ("tone", wording.tone[0].span), ("identity", wording.identity[0].span),
    ]  # fmt: skip


def test_what_a_model_said_of_a_sentence_is_noted_once() -> None:
    text = "Section 1 and Section 2 explain this."
    checked = check_claims(text, Places(make_document(REVISED)), Places(make_document(SUBMITTED)), make_edits())
    said = Opinion(text, "says this", "It does.", "m")
    notes = notes_of(text, check_wording(text, "author"), checked, (), {text: said}.get)
    assert [note.kind for note in notes] == ["claim", "opinion", "claim"]
    assert (
        notes[1].verdict is None
        and not notes[1].doubtful
        and notes[1].spoken == "Judgement by m: The paper says this. It does."
    )
