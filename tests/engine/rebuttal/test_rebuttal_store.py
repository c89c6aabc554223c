from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.operations.comments import merge_comments
from engine.operations.removing import remove_comments
from engine.project import Project
from engine.rebuttal.records import Draft, Generated, Plan, Point, Template
from engine.rebuttal.store import RebuttalStore
from engine.rebuttal.template_store import Taken, TemplateStore
from engine.rebuttal.templates import reworded
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore, quoted

TEXT = "First request. Second request. Third request."


def fill_reviews(project: Project, count: int = 3) -> list[str]:
    text = " ".join(f"Request number {n} asks for something." for n in range(count))
    spans, at = [], 0
    for part in text.split(". "):
        spans.append(Span(at, at + len(part)))
        at += len(part) + 2
    comments = tuple(
        Comment(f"c{n}", "r", "Reviewer 1", text[s.start : s.end], spans=(s,)) for n, s in enumerate(spans)
    )
    change = ReviewStore(project).import_bundle(
        ReviewBundle((SourceText("r", "review", text),), comments), "review.txt"
    )
    return [comment.id for comment in change.comments]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as made:
        yield made


def reply(comment_id: str, **values: object) -> Point:
    return Point("reply", comment_id, **values)  # type: ignore[arg-type]


def test_a_reply_is_written_and_taken_back(project: Project) -> None:
    store = RebuttalStore(project)
    first, *_ = fill_reviews(project)
    written = store.write(None, reply(first), "We did it.")
    assert store.replies() == {first: written} and written.text == "We did it." and written.id
    chosen = store.choose_action(None, written, "task_done")
    assert chosen.stance == "concur"
    comment = ReviewStore(project).comment(first).comment
    assert project.undo_title == f"Choose rebuttal action: {quoted(comment)}"
    project.undo()
    assert project.undo_title == f"Write response: {quoted(comment)}"
    assert store.replies()[first].action is None
    project.undo()
    assert store.replies() == {}
    project.redo()
    assert store.replies() == {first: written}


def test_typing_on_is_one_step(project: Project) -> None:
    store = RebuttalStore(project)
    first, *_ = fill_reviews(project)
    for text in ("W", "We", "We did"):
        store.write(None, reply(first), text, coalesce="typing")
    project.undo()
    assert store.replies() == {}


def test_what_was_generated_is_marked_until_it_is_edited_or_accepted(project: Project) -> None:
    store = RebuttalStore(project)
    first, *_ = fill_reviews(project)
    piece = "We agree. We added a table."
    made = store.put_in(
        None,
        reply(first),
        piece,
        piece=piece,
        sentences=["We agree.", "We added a table."],
        source="template:starter/x",
        action="task_done",
    )
    assert [mark.sentence for mark in made.generated] == ["We agree.", "We added a table."]
    assert made.action == "task_done"
    edited = store.write(None, made, "We agree. We added a long table.")
    assert edited.generated == (Generated("We agree.", "template:starter/x"),)
    assert store.accept(None, edited).generated == ()
    assert store.accept(None, made, ["We agree."]).generated == (Generated("We added a table.", "template:starter/x"),)


def test_openings_stand_by_reviewer_and_paper(project: Project) -> None:
    store = RebuttalStore(project)
    one = store.write(None, Point("opening", reviewer="Reviewer 1"), "Thanks.")
    store.write(None, Point("opening", reviewer="Reviewer 2"), "Thanks too.")
    store.write(None, Point("opening", reviewer="Reviewer 1"), "Many thanks.")
    assert [(p.reviewer, p.text) for p in store.words(None)] == [
        ("Reviewer 1", "Many thanks."), ("Reviewer 2", "Thanks too."),
    ]  # fmt: skip
    assert store.point(one.id).text == "Many thanks."
    with pytest.raises(KeyError):
        store.point("nobody")


def test_uses_are_counted_by_what_became_of_the_words(project: Project) -> None:
    store = RebuttalStore(project)
    first, second, third = fill_reviews(project)
    piece = "We agree that {point} was missing; {section} now has it."
    source = "template:starter/x"
    kept = store.put_in(None, reply(first), piece, piece=piece, sentences=[piece], source=source)
    store.write(None, kept, "We agree that the ablation was missing; Section 2 now has it. And more.")
    changed = store.put_in(None, reply(second), piece, piece=piece, sentences=[], source=source)
    store.write(None, changed, "We agree that this was missing before and thank you")
    dropped = store.put_in(None, reply(third), piece, piece=piece, sentences=[], source=source)
    store.write(None, dropped, "No.")
    store.set_outcome(None, kept, "satisfied")
    store.refuse(kept, "model:m@1", "Something else.")
    count = store.counts()[source]
    assert (count.taken, count.kept, count.changed, count.dropped, count.satisfied) == (3, 1, 1, 1, 1)
    assert "model:m@1" not in store.counts()
    assert [use.verdict for use in store.uses() if use.source == "model:m@1"] == ["refused"]


def test_replies_of_merged_comments_are_put_together(project: Project) -> None:
    store = RebuttalStore(project)
    first, second, third = fill_reviews(project)
    store.write(None, reply(first), "One.")
    two = store.put_in(None, reply(second), "Two.", piece="Two.", sentences=["Two."], source="template:a/b")
    store.set_budgets(None, [(two, 100)])
    store.write(None, reply(third), "Three.")
    merge_comments(project, [first, second])
    merged = store.replies()[first]
    assert merged.text == "One.\n\nTwo." and merged.budget == 100 and merged.generated[0].sentence == "Two."
    remove_comments(project, [third])
    assert set(store.replies()) == {first}
    project.undo()
    project.undo()
    assert {k: p.text for k, p in store.replies().items()} == {first: "One.", second: "Two.", third: "Three."}


def texts_of(store: RebuttalStore, *keys: str) -> list[str]:
    replies = store.replies()
    return [replies[key].text if key in replies else "" for key in keys]


def shared(store: RebuttalStore, first: str, second: str) -> None:
    """The second comment gets the response of the first."""
    store.share(None, reply(second), store.replies()[first])


def test_a_comment_that_left_a_shared_response_does_not_bring_the_others_to_its_new_partner(project: Project) -> None:
    store = RebuttalStore(project)
    first, second, third = fill_reviews(project)
    store.write(None, reply(first), "Common.")
    shared(store, first, second)
    ReviewStore(project).part_response(first)
    shared(store, first, third)
    store.write(None, store.replies()[third], "Of first and third.")
    assert texts_of(store, first, second, third) == ["Of first and third.", "Common.", "Of first and third."]


def test_responses_that_differ_are_not_written_over(project: Project) -> None:
    """Another annotator has written before one is shared; a co-author's letter answers one of both otherwise."""
    store = RebuttalStore(project)
    first, second, _ = fill_reviews(project)
    project.set_annotator("Bo")
    store.write(None, reply(first), "Bo on the first.")
    store.write(None, reply(second), "Bo on the second.")
    project.set_annotator("Ada")
    store.write(None, reply(first), "Common.")
    shared(store, first, second)
    project.set_annotator("Bo")
    store.write(None, store.replies()[first], "Bo again.")
    assert texts_of(store, first, second) == ["Bo again.", "Bo on the second."]
    project.set_annotator("Ada")
    points = store.replies()
    letter = [(points[first], "Only the first."), (points[second], "Common.")]
    store.import_replies(None, letter, "letter.md", over=True)
    assert texts_of(store, first, second) == ["Only the first.", "Common."]
    store.write(None, store.replies()[second], "Only the second.")
    assert texts_of(store, first, second) == ["Only the first.", "Only the second."]


def test_a_shared_response_of_merged_comments_is_there_once(project: Project) -> None:
    store = RebuttalStore(project)
    first, second, third = fill_reviews(project)
    store.put_in(None, reply(first), "Common.", piece="Common.", sentences=["Common."], source="template:a/b")
    shared(store, first, second)
    shared(store, first, third)
    merge_comments(project, [first, second])
    assert store.replies()[first].text == "Common." and len(store.replies()[first].generated) == 1
    store.write(None, store.replies()[third], "Both still get it.")
    assert texts_of(store, first, third) == ["Both still get it."] * 2


def test_follow_ups_stay_with_what_they_follow_when_comments_are_merged_and_split(project: Project) -> None:
    reviews = ReviewStore(project)
    first, second, _ = fill_reviews(project)
    before = reviews.marked_papers()
    (follow_up,) = reviews.add_follow_up(second, "And why? And where?").comments
    assert reviews.marked_papers() == before, "who enters a follow-up hasn't annotated the paper"
    merge_comments(project, [first, second])
    assert reviews.comment(follow_up.id).follows == first
    halves = reviews.split_comment(follow_up.id, 9).comments
    assert [(half.comment, half.follows) for half in halves] == [("And why?", first), ("And where?", first)]


def test_another_annotators_reply_is_not_deleted(project: Project) -> None:
    store = RebuttalStore(project)
    first, *_ = fill_reviews(project)
    store.write(None, reply(first), "One.")
    project.set_annotator("Bo")
    assert store.replies() == {}
    with pytest.raises(BadInput, match="Another annotator"):
        remove_comments(project, [first])
    project.set_annotator("Ada")
    assert store.replies()[first].text == "One."


def test_a_plan_is_kept_for_each_paper(project: Project) -> None:
    store = RebuttalStore(project)
    assert store.plan(None) == Plan()
    plan = Plan("free", (("total", "900"),), "full", ("Ada Lovelace",))
    kept = store.set_plan(None, plan)
    assert replace(kept, id="") == plan and kept.id
    store.set_plan(None, replace(kept, quoting="none"))
    assert store.plan(None).quoting == "none" and store.plan(None).id == kept.id
    project.undo()
    assert store.plan(None).quoting == "full"


def test_libraries_take_newer_versions_and_keep_the_rest(project: Project) -> None:
    store = TemplateStore(project)
    one, two = Template("a", "answer", "One {section}."), Template("b", "thanks", "Thanks.", roots=("clarity",))
    assert store.add_templates([one, two], "Team", "import:x.jsonl") == Taken(new=2)
    assert store.add_templates([one, two], "Team", "import:x.jsonl") == Taken()
    assert store.add_templates([replace(one, text="Newer", version=2)], "Team", "import:y.jsonl") == Taken(newer=1)
    assert store.add_templates([one], "Team", "import:x.jsonl") == Taken(older=1)
    found = store.templates("Team")
    assert [t.text for t in found] == ["Newer", "Thanks."] and found[1].roots == ("clarity",)
    changed = store.change_template(replace(found[1], text="Many thanks."))
    assert changed.version == 2 and changed.text == "Many thanks."
    store.remove_template(changed.key)
    assert len(store.templates()) == 1
    project.undo()
    assert len(store.templates()) == 2
    for name in ("starter", "personal", " "):
        with pytest.raises(BadInput):
            store.add_templates([one], name, "person")
    with pytest.raises(BadInput):
        store.add_templates([replace(one, text="")], "Team", "person")
    with pytest.raises(BadInput):
        store.change_template(replace(found[0], text=""))


def test_two_people_exchange_a_library_and_nobody_loses_words(tmp_path: Path) -> None:
    """Ada and Ben hold the same library; both change templates, and each takes the other's file in, more than once."""
    with (
        Project.create(tmp_path / "a.rejoinder", "A", "Ada") as hers,
        Project.create(tmp_path / "b.rejoinder", "B", "Ben") as his,
    ):
        ada, ben = TemplateStore(hers), TemplateStore(his)
        start = [Template(key, "answer", f"We say {key}.", provenance="Ada") for key in ("both", "hers", "his", "none")]

        def change(store: TemplateStore, key: str, by: str) -> None:
            old = next(template for template in store.templates() if template.id == key)
            store.change_template(reworded(old, f"{by} says {key}, version {old.version + 1}.", by))

        def give(one: TemplateStore, other: TemplateStore) -> Taken:
            return other.add_templates(one.templates("Team"), "Team", "import:Team.jsonl")

        assert give_all(ada, start) == Taken(new=4) and give(ada, ben) == Taken(new=4)
        for store, key, by in ((ada, "both", "Ada"), (ada, "hers", "Ada"), (ben, "both", "Ben"), (ben, "his", "Ben")):
            change(store, key, by)
        assert give(ada, ben) == Taken(newer=1, beside=1, older=1)
        assert "were changed on both sides" in Taken(beside=1).words
        texts = {template.text for template in ben.templates()}
        assert {"Ben says both, version 2.", "Ada says both, version 2.", "Ada says hers, version 2."} <= texts
        assert {"Ben says his, version 2.", "We say none."} <= texts
        assert give(ada, ben) == Taken(older=1), "the same file again brings nothing new"
        change(ada, "both", "Ada")
        assert give(ada, ben) == Taken(beside=1, older=1), "Ben's own words stay although Ada's version is higher now"
        written = {t.text: t.provenance for t in ben.templates()}
        assert written["Ben says his, version 2."] == "Ada; changed by Ben"
        assert written["Ada says hers, version 2."] == "Ada"
        his.undo()
        assert len(ben.templates()) == 5


def give_all(store: TemplateStore, templates: list[Template]) -> Taken:
    return store.add_templates(templates, "Team", "copy:starter")


def test_a_letter_fills_only_what_is_empty(project: Project) -> None:
    store = RebuttalStore(project)
    first, second, _ = fill_reviews(project)
    written = store.write(None, reply(first), "Mine.")
    count = store.import_replies(
        None, [(written, "Theirs."), (reply(second), "New."), (reply(second), " ")], "letter.md"
    )
    assert count == 1
    assert {k: p.text for k, p in store.replies().items()} == {first: "Mine.", second: "New."}


def test_claims_are_confirmed_and_reopened(project: Project) -> None:
    store = RebuttalStore(project)
    first, *_ = fill_reviews(project)
    point = store.confirm(None, reply(first), "Table 4", True)
    assert point.confirmed == ("Table 4",)
    assert store.confirm(None, point, "Table 4", False).confirmed == ()


def test_drafts_are_results_the_newest_first(project: Project) -> None:
    store = RebuttalStore(project)
    first, *_ = fill_reviews(project)
    one = store.save_draft(Draft(first, "model:m@1", "One.", "raw", "1", 0.5))
    two = store.save_draft(Draft(first, "model:m@1", "Two."))
    assert [d.id for d in store.drafts(first)] == [two.id, one.id]
    assert project.undo_title == "Import review.txt"


texts = st.text("ab .\n😀{}", max_size=12)
acts = st.lists(
    st.tuples(st.sampled_from(["write", "act", "put", "accept", "budget"]), st.integers(0, 2), texts), max_size=8
)


@given(acts)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_acts_can_be_taken_back_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int, str]]
) -> None:
    path = tmp_path_factory.mktemp("undo") / "p.rejoinder"
    with Project.create(path, "P", "Ada") as project:
        keys = fill_reviews(project)
        store = RebuttalStore(project)
        before = len(project.history())
        states = {before: store.replies()}
        for verb, at, text in done:
            point = store.replies().get(keys[at], reply(keys[at]))
            if verb == "write":
                store.write(None, point, text)
            elif verb == "act":
                store.choose_action(None, point, "answer" if len(text) % 2 else None)
            elif verb == "put":
                store.put_in(None, point, point.text + text, piece=text, sentences=[text], source="template:a/b")
            elif verb == "accept":
                store.accept(None, point)
            else:
                store.set_budgets(None, [(point, len(text))])
            states[len(project.history())] = store.replies()
        for step in range(len(project.history()), before, -1):
            assert store.replies() == states[step]
            project.undo()
        assert store.replies() == {}
        while project.redo() is not None:
            pass
        assert store.replies() == states[max(states)]
