"""Which templates fit a comment, and the outline where none does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.documents.records import Paragraph
from engine.rebuttal.claims import find_claims
from engine.rebuttal.fitting import Asked, TemplateRanker
from engine.rebuttal.records import Action, Counted, Template
from engine.rebuttal.slots import OUTLINE, find_slots, outline
from engine.rebuttal.templates import requests, starter
from engine.reviews.records import Comment
from engine.revision.records import Edit

RANKER = TemplateRanker(starter())
BY_ID = {request.id: request for request in requests()}


def first(text: str, action: Action | None = None, root: str = "", *, linked: bool = False) -> str:
    found = RANKER.rank(Asked(text, root, action=action, linked=linked))
    return found[0].template.id if found else ""


@pytest.mark.parametrize(
    ("comment", "request_"),
    [
        ("What does the symbol κ mean? It is not defined.", "term"),
        ("l. 12: mesure -> measure", "typo"),
        ("p. 3: “recieve” → “receive”", "typo"),
        ("Please make the code of the simulations available.", "availability"),
        ("You should cite the related paper on glacier models.", "cite"),
        ("The colours in Figure 2 cannot be distinguished.", "figure"),
        ("Why was a logistic model chosen?", "choice"),
        ("The claim in the abstract is too strong.", "claim-strong"),
        ("Are the p values corrected for multiple comparisons?", "statistics"),
        ("Page 7 line 4 column 2. Why was a logistic model chosen?", "choice"),
        ("The code is available, as are the data. Why was a logistic model chosen?", "choice"),
    ],
)
def test_a_common_request_gets_one_of_its_templates(comment: str, request_: str) -> None:
    found = RANKER.rank(Asked(comment))
    assert found[0].template.id in BY_ID[request_].templates
    assert found[0].reasons == (f"for requests to {BY_ID[request_].title}",)
    assert list(found) == sorted(found, key=lambda one: -one.score)


def test_nothing_fits_what_requests_nothing_that_is_known() -> None:
    assert RANKER.rank(Asked("Glaciers in Norway retreat while reindeer graze.")) == ()
    assert RANKER.rank(Asked("")) == () and TemplateRanker(()).rank(Asked("Why?")) == ()


def test_only_templates_of_the_chosen_action_and_aspect_fit() -> None:
    comment = "Please add an ablation study."
    assert {BY_ID["experiment"].templates.index(one.template.id) for one in RANKER.rank(Asked(comment))} == set(
        range(7)
    )
    declined = RANKER.rank(Asked(comment, action="reject_request"))
    assert [one.template.id for one in declined] == ["experiment-decline", "experiment-scope"]
    assert first(comment, "refute_question") == ""
    assert first(comment, root="substance") == first(comment, root="other") == first(comment) == "experiment-done"
    assert first(comment, root="motivation") == ""


def test_a_linked_edit_and_a_question_come_first_in_the_order() -> None:
    comment = "Why was this method chosen?"
    assert first(comment) == "choice-answer" and first(comment, linked=True) == "choice-done"
    assert first("Do I understand correctly that the rate was fixed?") == "confirm-yes"


def test_templates_of_ones_own_fit_by_their_words_and_gain_by_use() -> None:
    own = Template("own-1", "answer", "The reindeer graze on lichen in {section}.", library="personal")
    ranker = TemplateRanker((own, *starter()))
    asked = Asked("Do reindeer graze on lichen, or on moss?")
    (found,) = ranker.rank(asked)
    assert found.template == own and found.reasons == ("worded like the comment",)
    counts = {own.source: Counted(taken=2, kept=2)}
    (used,) = ranker.rank(asked, counts)
    assert used.score > found.score and used.reasons[-1] == "used 2×"
    copy = replace(BY_TEMPLATE["typo-done"], library="Team", key="k")
    assert TemplateRanker([copy]).rank(Asked("There is a typo."))[0].template == copy


BY_TEMPLATE = {template.id: template for template in starter()}


def test_openings_have_templates_of_their_own() -> None:
    found = {one.template.action for one in RANKER.rank(Asked("", opening=True))}
    assert found == {"thanks", "summary", "structuring"}
    assert {one.template.action for one in RANKER.rank(Asked("", action="thanks", opening=True))} == {"thanks"}


COMMENT = Comment("c", "t", "Reviewer 1", "The study is nice. Could you say how deep the snow was? It matters.")
OLD, NEW = "The snow was deep.", "The snow was deep, on average 80 cm."


def edit(number: int, source: str, target: str) -> Edit:
    ids = (f"s{number}",) if source else (), (f"p{number}",) if target else ()
    section = "2 Methods" if number == 0 else ""
    return Edit(f"e{number}", "major", "edit", False, *ids, source, target, section, 0, 4)


def test_an_outline_says_what_changed_and_where_as_far_as_edits_are_linked() -> None:
    revised = {"p0": Paragraph("p0", 0, "2 Methods", "body", NEW, NEW, tuple(range(len(NEW) + 1)), 4, ())}
    made = outline(COMMENT, [edit(0, OLD, NEW), edit(1, "", "A new paragraph.")], revised)
    assert [claim.key for claim in find_claims(made.text)] == [
        "Section 2",
        "Page 4",
        "“on average 80 cm”",
        "“A new paragraph.”",
    ]
    assert made.library == OUTLINE and made.action == "task_done"
    assert made.text == (
        "> Could you say how deep the snow was?\n\n"
        "We changed Section 2 (page 4), which now says “on average 80 cm”. We added “A new paragraph.” to {section}."
    )
    assert "deleted “The snow was deep.” from Section 2" in outline(COMMENT, [edit(0, OLD, "")], {}).text
    before, after = (
        "The crew of the ship measured the snow at dawn.",
        "The young crew of the ship measured the snow twice.",
    )
    apart = outline(COMMENT, [edit(0, before, after)], {}).text
    assert "says “young … twice”" in apart, "words that aren't next to each other in the paper have a gap between them"
    caption = Paragraph("p0", 0, "4 Ends", "caption", "Table 2: Snow.", "Table 2: Snow.", tuple(range(15)), 4, ())
    assert "We changed Table 2 (page 4)" in outline(COMMENT, [edit(0, "Snow.", "Table 2: Snow.")], {"p0": caption}).text
    many = outline(COMMENT, [edit(n, "", "More.") for n in range(5)], {})
    assert many.text.count("More.") == 3 and "2 more paragraphs changed" in many.text


def test_an_outline_without_linked_edits_leaves_slots_and_invents_nothing() -> None:
    made = outline(COMMENT, [], {})
    assert made.text == "> Could you say how deep the snow was?\n\nWe {change}; see {section}."
    assert [slot.name for slot in find_slots(made.text)] == ["change", "section"]
    against = outline(COMMENT, [], {}, "reject_request")
    assert against.action == "reject_request" and against.text.endswith("because {reason}.")
