"""Letters with awkward names and quotations: nothing is lost, nothing is cut, and no reply goes to another comment."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from engine.documents.service import DocumentService
from engine.exchange.openreview import read_openreview
from engine.exchange.rebuttal_forms import write_docx, write_latex
from engine.exchange.records import Export
from engine.exchange.response_letter import read_replies, write_letter
from engine.exchange.response_reading import letter_text
from engine.rebuttal.points import Outline, outline
from engine.rebuttal.records import Point
from engine.reviews.layout import unassigned
from engine.reviews.letter import read_letter
from engine.reviews.marks import Mark, MarkedText, Reading
from engine.reviews.proposing import features
from engine.reviews.records import Comment, Span
from engine.reviews.roles import Letter

NAMES = (
    "Reviewer Xy3Z", "Reviewer 2", "Reviewer #2", "Referee 2", "Reviewer_2", "Area Chair", "Reviewer zZ9q", "R2", "",
    "Reviewer A", "Reviewer 10", "Dr. O'Neil-Smith", "Reviewer 1Abc", "审稿人 1", "Reviewer 3 (expert)", "Editor",
)  # fmt: skip
ASKED = (
    "It is unclear how the {} was chosen.",
    "Please report the {} for both sites.",
    "Why is there no {} in Table 2?",
    "The authors should compare with the {} of others.",
    "I could not follow the {}; “it reads” as if it were “new”.",
    "The {} is > 5 in one case, and < 3 in another: which one holds?",
)
SAID = (
    "We thank the reviewer. The {} is now in Section 3.",
    "… and we added the {} as suggested.",
    "“The {}” now reads: “it is new”.",
    "Done; see the {} on page 4.",
    "> 5 was wrong; the {} is 4 now.",
    "*Our {}* was too short. We revised it.",
)
THINGS = (
    "threshold", "ablation of the second stage", "depth (in m)", "R1.1 baseline", "O'Neil test", "α-level", "C++ code",
    "50 % quantile", "seed", "unit [mm]", "reply", "point 2",
)  # fmt: skip


def made(seed: int) -> tuple[Outline, list[tuple[str, str, str]]]:
    """An outline of comments with replies, and (id, comment, reply) of each."""
    draw = random.Random(seed)
    names = draw.sample(NAMES, draw.randint(1, 5))
    comments: list[Comment] = []
    replies: dict[str, Point] = {}
    rows = []
    for name in names:
        for _ in range(draw.randint(1, 4)):
            key, thing = f"c{len(comments)}", f"{draw.choice(THINGS)} no. {len(comments)}"
            asked, said = draw.choice(ASKED).format(thing), draw.choice(SAID).format(thing)
            comments.append(Comment(key, "s", name, asked))
            replies[key] = Point("reply", key, text=said)
            rows.append((key, asked, said))
    return outline(comments, replies, ()), rows


@pytest.mark.parametrize("seed", range(200))
def test_a_letter_comes_back_whole(seed: int) -> None:
    letter, rows = made(seed)
    labels = [row.label for row in letter.rows]
    assert len(set(labels)) == len(labels) == len(rows)
    (file,) = write_letter(letter).files
    text = file.content.decode()
    blank, _ = made(seed)
    found = read_replies(text, blank)
    assert all(one.point is not None for one in found)
    assert {one.row.comment.id: one.reply for one in found if one.row} == {key: said for key, _, said in rows}
    bundle = read_letter(text)
    assigned = {at for comment in bundle.comments for span in all_spans(comment) for at in range(span.start, span.end)}
    left = {at for span in unassigned(text, bundle.comments) for at in range(span.start, span.end)}
    for word in re.finditer(r"\w+", text):
        line = text[text.rfind("\n", 0, word.start()) + 1 :].split("\n", 1)[0]
        title = line.startswith("#") or ((label := re.match(r"> \*\*.+?\*\*", line)) and word[0] in label[0])
        assert word.start() in assigned | left or title, f"“{word[0]}” of “{line}” is lost"


@pytest.mark.parametrize("write", [write_latex, write_docx])
def test_letters_in_latex_and_word_come_back_whole(write: Callable[[Outline], Export]) -> None:
    with DocumentService() as service:
        for seed in range(30):
            letter, rows = made(seed)
            (file,) = write(letter).files
            found = read_replies(letter_text(file.content, file.name, service), made(seed)[0])
            assert all(one.point is not None for one in found)
            assert {one.row.comment.id: one.reply for one in found if one.row} == {key: said for key, _, said in rows}


def all_spans(comment: Comment) -> tuple[Span, ...]:
    return (*comment.spans, *comment.context_spans, *comment.response_spans)


def test_colours_tell_the_voices_apart_and_roles_can_be_swapped() -> None:
    asked = [
        "It is unclear how the split was drawn.",
        "Please report the depth.",
        "The second figure is too small to read.",
    ]
    said = ["We thank the reviewer and added it.", "We now report it in Section 2.", "We enlarged the second figure."]
    text, marks = "Reviewer 1\n\n", []
    for question, answer in zip(asked, said, strict=True):
        text += f"{question}\n\n"
        marks.append(Mark("colour #0000ff", len(text), len(text) + len(answer)))
        text += f"{answer}\n\n"
    letter = MarkedText(text, tuple(marks), converted=True)
    bundle = read_letter(letter)
    assert [(c.comment, c.response) for c in bundle.comments] == list(zip(asked, said, strict=True))
    assert bundle.reading is not None and "Blue text is a response" in bundle.reading.sentence()
    swapped = read_letter(letter, reading=bundle.reading.swap())
    assert [c.comment for c in swapped.comments] == said
    assert swapped.reading is not None and swapped.reading.sentence().startswith("Blue text is a comment")


def test_what_is_in_no_comment_is_not_assigned() -> None:
    text = (
        "Dear editor,\n\nWe thank you.\n\n# Reviewer 1\n\n> Please add units.\n\n"
        "Response: Yes.\n\nYours sincerely\n\nAnn Bell"
    )
    bundle = read_letter(text)
    left = [text[span.start : span.end] for span in unassigned(text, bundle.comments)]
    assert left == ["Dear editor,", "We thank you.", "Yours sincerely", "Ann Bell"]
    assert unassigned(text, ())[-1] != unassigned(text, bundle.comments)[0]


def test_a_letter_that_quotes_no_comment_gives_none() -> None:
    text = (
        "Dear editor,\n\nWe thank the reviewers. We have revised the manuscript.\n\n**Evaluation.** We added two "
        "baselines to Section 4 and updated our results.\n\n**Writing.** We shortened our introduction and corrected "
        "the typing errors.\n\nOur code is public now.\n"
    )
    assert read_letter(text).comments == ()


def test_any_signature_is_one_person() -> None:
    signatures = (
        "V/2026/Conference/Submission1/Reviewer_Xy3Z",
        "V/Paper1/AnonReviewer2",
        "V/Submission1/Area_Chair_k9Qa",
        "~Jane_Doe1",
    )
    notes = [
        {
            "id": f"note{n}", "forum": "f", "replyto": "f", "signatures": [signature],
            "invitations": ["V/-/Official_Review"],
            "content": {"review": {"value": "Please report the depth of the second site. It is unclear."}},
        }
        for n, signature in enumerate(signatures)
    ]  # fmt: skip
    import json

    bundle = read_openreview(json.dumps({"notes": notes}), "n.json")
    assert [text.reviewer for text in bundle.texts] == ["Reviewer Xy3Z", "Reviewer 2", "Area Chair k9Qa", "Jane Doe"]
    assert {comment.reviewer for comment in bundle.comments} == {text.reviewer for text in bundle.texts}


def test_an_answer_that_begins_with_a_quotation_speaks_against_a_reading() -> None:
    asked = (
        "The proof relies on Lemma 2.",
        "Section 4 has no example.",
        "See the work of Bell.",
        "Rank one?",
        "Figure 2.",
    )
    said = ("What do they mean?", "So we need one.", "I did not know it.", "Any rank.", "It is too small, I think.")
    text = "".join(f"> {one}\n\nAB: {other}\n\n" for one, other in zip(asked, said, strict=True))
    letter = Letter(MarkedText(text))
    initials = frozenset({"begins AB"})
    wrong, _ = features(letter, Reading(comment=initials, rest="response"))
    right, _ = features(letter, Reading(comment=frozenset({"quoted"}), response=initials))
    other, _ = features(letter, Reading(comment=initials, response=frozenset({"quoted"})))
    assert (wrong["foreign"], right["foreign"], other["foreign"]) == (1.0, 0.0, 0.0)
    found = [(c.comment, c.response) for c in read_letter(letter.text).comments]
    assert found == [(one, f"AB: {other}") for one, other in zip(asked, said, strict=True)]


def test_a_response_may_quote_the_label_of_another_comment() -> None:
    asked = ("How was the threshold chosen?", "Please report the depth.", "Where is the code?")
    said = ("By hand.", "> **R1.1** the depth\n\nis what they mean. See above.", "> **R1.2** depth\n\nIt is public.")
    comments = [Comment(f"c{n}", "s", "Reviewer 1", words) for n, words in enumerate(asked)]
    points = {f"c{n}": Point("reply", f"c{n}", text=words) for n, words in enumerate(said)}
    (file,) = write_letter(outline(comments, points, ())).files
    found = read_replies(file.content.decode(), outline(comments, {}, ()))
    assert [(one.row and one.row.comment.id, one.reply) for one in found] == [(f"c{n}", s) for n, s in enumerate(said)]


def test_a_report_to_the_editor_is_a_review() -> None:
    text = (
        "Dear editor, here is my report.\n\nThe gate is not explained. Please add details of the training, and report"
        " the seeds.\n\nWhy is the threshold 0.5? The authors should compare it with others.\n\nSincerely, Dr. No\n"
    )
    assert len(read_letter(text).comments) >= 2
    ours = "Dear editor,\n\nWe thank you for the reports. We have revised our manuscript.\n\nSincerely, Dr. Yes\n"
    assert read_letter(ours).comments == ()
