"""OpenReview notes of both versions of the API, in every wrapping they are exported in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.documents.service import DocumentService
from engine.errors import BadInput
from engine.exchange.openreview import read_openreview
from engine.exchange.response_reading import letter_text
from engine.exchange.scores import plan_scores, read_score_table, read_scores
from engine.exchange.sniff import sniff
from engine.reviews.letter import read_letter

REVIEW = "The paper proposes a sampler.\n\nIt is unclear how the depth was measured.\n\nPlease report the split."


def note_v1(key: str = "r1", reviewer: str = "AnonReviewer2") -> dict[str, Any]:
    return {
        "id": key,
        "forum": "f",
        "replyto": "f",
        "invitation": "ICLR.cc/2019/Conference/-/Paper7/Official_Review",
        "signatures": [f"ICLR.cc/2019/Conference/Paper7/{reviewer}"],
        "number": 2,
        "tcdate": 5,
        "content": {"title": "Good idea", "rating": "8: Top 50% of accepted papers", "review": REVIEW, "confidence": 4},
    }


def note_v2(key: str = "r2") -> dict[str, Any]:
    return {
        "id": key,
        "forum": "f",
        "replyto": "f",
        "invitations": ["V/2024/Conference/Submission7/-/Official_Review", "V/2024/Conference/-/Edit"],
        "signatures": ["V/2024/Conference/Submission7/Reviewer_VZ5q"],
        "number": 1,
        "content": {
            "summary": {"value": "This paper studies lakes. It presents a sampler that measures their depth at night."},
            "strengths": {"value": "The figures are well made and the problem should interest many readers."},
            "weaknesses": {"value": "- The split is unclear.\n- No baseline is given."},
            "questions": {"value": "Why was the depth not reported?"},
            "rating": {"value": 6},
            "soundness": {"value": "3 good"},
            "code_of_conduct": {"value": None},
        },
    }


def reply(to: str) -> dict[str, Any]:
    return {
        "id": "a1",
        "forum": "f",
        "replyto": to,
        "invitations": ["V/2024/Conference/Submission7/-/Official_Comment"],
        "signatures": ["V/2024/Conference/Submission7/Authors"],
        "content": {
            "title": {"value": "Answer"},
            "comment": {
                "value": "> Why was the depth not reported?\n\nWe thank the reviewer. It now stands in Table 1."
            },
        },
    }


SUBMISSION = {
    "id": "f",
    "forum": "f",
    "invitations": ["V/2024/Conference/-/Submission"],
    "content": {"title": {"value": "Lakes"}, "abstract": {"value": "We measure lakes."}},
}


def test_version_1() -> None:
    bundle = read_openreview(json.dumps({"notes": [note_v1()]}), "notes.json")
    (text,) = bundle.texts
    assert (text.id, text.title, text.reviewer, text.kind, text.text) == (
        "r1",
        "Good idea",
        "Reviewer 2",
        "review",
        REVIEW,
    )
    assert text.fields == (
        ("rating", "8: Top 50% of accepted papers"), ("confidence", "4"),
        ("note", "r1"), ("forum", "f"), ("replyto", "f"),
    )  # fmt: skip
    assert [(c.comment, c.actionable) for c in bundle.comments] == [
        ("The paper proposes a sampler.", False),
        ("It is unclear how the depth was measured.", True),
        ("Please report the split.", True),
    ]
    assert all(text.text[c.spans[0].start : c.spans[0].end] == c.comment for c in bundle.comments)


def test_version_2() -> None:
    bundle = read_openreview(json.dumps([SUBMISSION, note_v2()]), "notes.json")
    (text,) = bundle.texts
    assert (text.reviewer, text.kind) == ("Reviewer VZ5q", "review")
    assert text.text.startswith("## Summary\n\nThis paper studies lakes.")
    assert text.fields == (
        ("rating", "6"), ("soundness", "3 good"), ("note", "r2"), ("forum", "f"), ("replyto", "f"),
    )  # fmt: skip
    asked = [c.comment for c in bundle.comments if c.actionable]
    assert asked == ["The split is unclear.", "No baseline is given.", "Why was the depth not reported?"]
    assert {c.reviewer for c in bundle.comments} == {"Reviewer VZ5q"}


def test_reply_that_quotes_a_comment_answers_it() -> None:
    bundle = read_openreview(json.dumps([reply("r2"), note_v2()]), "notes.json")
    assert [(t.kind, t.reviewer) for t in bundle.texts] == [("review", "Reviewer VZ5q"), ("reply", "Reviewer VZ5q")]
    assert {c.comment: c.response for c in bundle.comments if c.response} == {
        "Why was the depth not reported?": "We thank the reviewer. It now stands in Table 1."
    }


def answer(key: str, to: str, text: str, speaker: str = "Authors") -> dict[str, Any]:
    signatures = [f"V/2024/Conference/Submission7/{speaker}"]
    return {**reply(to), "id": key, "signatures": signatures, "content": {"comment": {"value": text}}}


def test_a_discussion_stays_in_the_thread_of_its_review() -> None:
    quote = "> Why was the depth not reported?\n\n"
    notes = [
        SUBMISSION,
        note_v2(),
        {**note_v2("r3"), "signatures": ["V/2024/Conference/Submission7/Reviewer_ab3D"]},
        answer("a1", "r2", f"{quote}We thank the reviewer. It is in Table 1 now."),
        answer("b1", "a1", "Thank you. Please say for which sites; I keep my rating.", "Reviewer_VZ5q"),
        answer("a2", "b1", f"{quote}We report it for both sites, see Table 2."),
        answer("a3", "a3", f"{quote}We answer ourselves."),
    ]
    bundle = read_openreview(json.dumps({"notes": notes}), "notes.json")
    assert [(t.id, t.kind, t.reviewer) for t in bundle.texts] == [
        ("r2", "review", "Reviewer VZ5q"), ("r3", "review", "Reviewer ab3D"), ("a1", "reply", "Reviewer VZ5q"),
        ("b1", "reply", "Reviewer VZ5q"), ("a2", "reply", "Reviewer VZ5q"), ("a3", "reply", "Authors"),
    ]  # fmt: skip
    assert [(c.source_id, c.reviewer) for c in bundle.comments if c.source_id not in ("r2", "r3")] == [
        ("b1", "Reviewer VZ5q")
    ], "only what a reviewer asks for in a discussion"
    said = {(c.source_id, c.comment): c.response for c in bundle.comments if c.response}
    asked = "Why was the depth not reported?"
    assert said == {  # a3 is in no thread, and both reviews say what it quotes
        ("r2", asked): "We thank the reviewer. It is in Table 1 now.\n\nWe report it for both sites, see Table 2."
    }


def test_a_reply_to_a_note_with_a_single_request_answers_it() -> None:
    review = {**note_v2(), "content": {"weaknesses": {"value": "Please report the depth of both lakes."}}}
    notes = [
        review,
        answer("a1", "r2", "We report it in Table 1."),
        answer("b1", "a1", "Thanks. How many samples were taken? I keep my rating.", "Reviewer_VZ5q"),
        answer("a2", "b1", "Five."),
        answer("b2", "a2", "Thank you, this answers my question.", "Reviewer_VZ5q"),
        answer("a3", "b2", "We thank you for the discussion."),
    ]
    document = json.dumps(notes)
    assert [(c.source_id, c.response) for c in read_openreview(document, "notes.json").comments] == [
        ("r2", "We report it in Table 1."), ("b1", "Five."),
    ]  # fmt: skip
    with DocumentService() as service:
        read = read_letter(letter_text(document.encode(), "notes.json", service))
    assert [c.response for c in read.comments] == ["We report it in Table 1.", "Five."]
    assert all(c.reviewer == "Reviewer VZ5q" for c in read.comments)


def test_short_questions_are_comments_and_short_ratings_are_fields() -> None:
    content = {
        "weaknesses": "No baseline given.",
        "questions": "Which seed?",
        "soundness": "3 good",
        "contribution": "2 ok",
    }
    bundle = read_openreview(json.dumps({**note_v2(), "content": content}), "notes.json")
    assert [c.comment for c in bundle.comments if c.actionable] == ["No baseline given.", "Which seed?"]
    assert bundle.texts[0].fields[:2] == (("soundness", "3 good"), ("contribution", "2 ok"))


def test_a_reply_never_lands_on_a_comment_that_is_only_like_it() -> None:
    asked = "- Please report the depth of the first site.\n- Please report the depth of the third site."
    review = {**note_v2(), "content": {"weaknesses": {"value": asked}, "questions": {"value": "Is the code public?"}}}
    replies = [
        answer("a1", "r2", "> Please report the depth of the third site.\n\nWe thank the reviewer; it is 3 m."),
        answer("a2", "r2", "> Please report the depth\n\nWe do, for both of them, as the reviewer suggests."),
    ]
    bundle = read_openreview(json.dumps([review, *replies]), "notes.json")
    assert {c.comment: c.response for c in bundle.comments} == {
        "Please report the depth of the first site.": "",
        "Please report the depth of the third site.": "We thank the reviewer; it is 3 m.",
        "Is the code public?": "",
    }


@pytest.mark.parametrize(
    "wrapped",
    [
        json.dumps,
        lambda notes: json.dumps({"notes": notes, "count": len(notes)}),
        lambda notes: "\n".join(map(json.dumps, notes)) + "\n",
        lambda notes: json.dumps({**SUBMISSION, "details": {"directReplies": notes}}),
        lambda notes: json.dumps([{**SUBMISSION, "details": {"replies": notes}}]),
        lambda notes: json.dumps(
            {
                "notes": [
                    {
                        **SUBMISSION,
                        "details": {"directReplies": [notes[0], {**notes[1], "details": {"replies": notes}}]},
                    }
                ]
            }
        ),
    ],
)
def test_wrappings(wrapped: Any) -> None:
    bundle = read_openreview(wrapped([note_v1(), note_v2()]), "notes.json")
    assert [t.id for t in bundle.texts] == ["r2", "r1"]


def test_meta_reviews_and_decisions() -> None:
    meta = {
        "id": "m",
        "forum": "f",
        "replyto": "f",
        "invitation": "V/Paper1/-/Meta_Review",
        "signatures": ["V/Paper1/Area_Chair_1"],
        "content": {"metareview": "The reviewers agree that it is good.", "recommendation": "Accept"},
    }
    decision = {
        **meta,
        "id": "d",
        "invitation": "V/Paper1/-/Decision",
        "content": {"decision": "Accept", "comment": "Fine by all of us."},
    }
    bundle = read_openreview(json.dumps([meta, decision]), "f")
    assert [(t.id, t.kind, t.fields) for t in bundle.texts] == [
        ("m", "meta-review", (("recommendation", "Accept"), ("note", "m"), ("forum", "f"), ("replyto", "f"))),
        ("d", "meta-review", (("decision", "Accept"), ("note", "d"), ("forum", "f"), ("replyto", "f"))),
    ]
    assert bundle.comments == ()


def test_notes_without_text_are_counted() -> None:
    empty = {**note_v1("e"), "content": {"rating": "3"}}
    assert read_openreview(json.dumps([note_v1(), empty]), "f").warnings == ("1 note without text left out.",)
    for document in ("[]", json.dumps([SUBMISSION]), json.dumps([empty]), "{}"):
        with pytest.raises(BadInput, match="contains no reviews"):
            read_openreview(document, "f")
    with pytest.raises(BadInput, match="isn't valid JSON"):
        read_openreview("{", "f")


def test_a_line_that_is_no_json_is_left_out_and_named(tmp_path: Path) -> None:
    lines = [json.dumps(SUBMISSION), json.dumps(note_v1()), '{"id": "cut", "content": {"review": "Half', "and a note"]
    lines.append(json.dumps(note_v1("r9", "AnonReviewer3")))
    text = "\n".join(lines)
    found = read_openreview(text, "f.jsonl")
    assert [one.id for one in found.texts] == ["r1", "r9"]
    assert [line in said for line, said in zip(("line 3", "line 4"), found.warnings, strict=True)] == [True, True]
    path = tmp_path / "f.jsonl"
    path.write_text(text)
    assert sniff(path).kind == "openreview"
    left = [p for p in read_scores(plan_scores(read_score_table(path))).problems if p.skipped]
    assert [p.kind for p in left] == ["unreadable", "unreadable"]
    with pytest.raises(BadInput, match="isn't valid JSON"):
        read_openreview('{"notes": [\n{"id": "x"\n', "f.json")


def test_a_reply_that_repeats_comments_in_bold_answers_them() -> None:
    reply = {
        "id": "a9",
        "forum": "f",
        "replyto": "r1",
        "invitation": "ICLR.cc/2019/Conference/-/Paper7/Official_Comment",
        "signatures": ["ICLR.cc/2019/Conference/Paper7/Authors"],
        "content": {"comment": "**W1: Please report the split.**\n\nThe second table reports it.\n\nIt has six rows."},
    }
    (answered,) = [c for c in read_openreview(json.dumps([note_v1(), reply]), "f").comments if c.response]
    assert answered.comment == "Please report the split."
    assert answered.response == "The second table reports it.\n\nIt has six rows."


def test_half_a_surrogate_does_no_harm() -> None:
    broken = {**note_v1(), "content": {"review": "Half a \ud800 pair. Please fix it, it is wrong."}}
    (text,) = read_openreview(json.dumps(broken), "f").texts
    assert text.text.encode()
