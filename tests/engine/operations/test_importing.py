"""Files of one paper: which version a PDF is, reviews that are there already, and links that find their ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.operations.importing import Added, swap_roles, take_in
from engine.operations.incoming import Place, adopt_texts, proposal_fields, propose
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.store import ReviewStore
from engine.revision.store import RevisionStore
from tests.engine.operations.random_acts import Acts
from tests.engine.operations.test_incoming import text

REVIEW = "The split is unclear. Please state the seed."
LETTER = "Reviewer 1\n\n> Please state the seed.\n\nWe state it now.\n\n> The split is unclear.\n\nWe explain it now.\n"


def added(project: Project, *files: Path, paper: str = "") -> Added:
    found = propose(project, files)
    if paper:
        title = next(one.title for one in PaperStore(project).papers() if one.id == paper)
        found = found.put(Place(paper, title, 1.0, "chosen"))
    return take_in(project, found)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "Papers", "Ada") as made:
        yield made


@pytest.mark.parametrize(
    ("names", "versions"),
    [
        (["b", "a"], {"submitted": "b", "revised": "a"}),
        (["draft 10", "draft 9"], {"submitted": "draft 9", "revised": "draft 10"}),
        (["draft 1.2", "draft 1.10"], {"submitted": "draft 1.2", "revised": "draft 1.10"}),
        (["camera-ready", "paper"], {"submitted": "paper", "revised": "camera-ready"}),
        (["paper", "our_submission"], {"submitted": "our_submission", "revised": "paper"}),
        (["v_2", "v_1"], {"submitted": "v_1", "revised": "v_2"}),
        (["final", "final too"], {"submitted": "final too", "revised": "final"}),
        (["one", "two", "three"], {"submitted": "one", "revised": "two", "version 3": "three"}),
        (["one", "two", "revised"], {"submitted": "one", "revised": "revised", "version 2": "two"}),
    ],
)  # fmt: skip
def test_which_pdf_is_which_version(
    project: Project, tmp_path: Path, names: list[str], versions: dict[str, str]
) -> None:
    files = [tmp_path / f"{name}.pdf" for name in names]
    for file in files:
        file.write_bytes(b"%PDF-1.7 " + file.stem.encode())
    came = added(project, *files)
    (paper,) = PaperStore(project).papers()
    found = {one.label: one.filename.removesuffix(".pdf") for one in PaperStore(project).versions(paper.id)}
    assert found == versions and came.count == len(names) and not came.problems
    assert [warning.partition(" was added as ")[0] for warning in came.warnings] == [
        f"{versions[label]}.pdf" for label in versions if label.startswith("version")
    ]
    again = added(project, files[0])
    assert again.warnings == [
        f"{files[0].name} is already in the project as {files[0].name}, so it wasn't added again."
    ]


def test_a_place_is_taken_by_the_next_number_that_is_free(project: Project, tmp_path: Path) -> None:
    acts = Acts(project)
    for version in range(3):
        acts.do("add paper", 0, 0) if not version else None
        acts.do("add version", 0, version)
    (paper,) = acts.papers.papers()
    last = acts.papers.versions(paper.id)[-1]
    with project.action("Rename") as act:
        act.update("paper_version", last.id, {"label": "version 4"})
    (file := tmp_path / "more.pdf").write_bytes(b"%PDF-1.7 more")
    added(project, file)
    assert [one.label for one in acts.papers.versions(paper.id)][-1] == "version 5"


def test_a_review_that_is_there_is_said_to_be_there(project: Project, tmp_path: Path) -> None:
    review = text(tmp_path / "review.txt", REVIEW)
    assert added(project, review).warnings == []
    assert added(project, review).warnings == ["review.txt is already in the project, so it wasn't added again."]
    assert len(ReviewStore(project).texts()) == 1


def test_reviews_that_name_nobody_are_of_different_reviewers(project: Project, tmp_path: Path) -> None:
    asked = ["Please state the seed.", "Please add units.", "Why is the lake frozen?"]
    added(project, *(text(tmp_path / f"mail {n}.txt", words) for n, words in enumerate(asked)))
    assert [(one.reviewer, one.comment) for one in ReviewStore(project).comments()] == list(
        zip(("", "Reviewer 2", "Reviewer 3"), asked, strict=True)
    )


def test_what_was_odd_about_a_file_is_said(project: Project, tmp_path: Path) -> None:
    (file := tmp_path / "review.txt").write_bytes(f"{REVIEW} The café data is missing.".encode("latin-1"))
    (warning,) = added(project, file).warnings
    assert "review.txt" in warning or "UTF-8" in warning


def test_a_review_of_no_paper_is_that_of_the_only_one(project: Project, tmp_path: Path) -> None:
    """With two papers it is nobody's, and the same words may come in with one of them."""
    review = text(tmp_path / "review.txt", REVIEW)
    added(project, review)
    first = PaperStore(project).papers()[0].id
    with project.action("Detach") as act:
        act.execute("UPDATE source_text SET paper_id = NULL")
    assert "already in the project" in added(project, review).warnings[0]
    second = PaperStore(project).add_paper("Another")
    assert added(project, review, paper=second).warnings == []
    assert len(ReviewStore(project).texts(second)) == 1 and first != second


def test_adopting_leaves_texts_alone_where_there_are_two_papers(project: Project) -> None:
    store = ReviewStore(project)
    loose = store.add_text("Review", REVIEW).texts[0]
    adopt_texts(project)
    PaperStore(project).add_paper("One")
    PaperStore(project).add_paper("Two")
    adopt_texts(project)
    assert project.query("SELECT paper_id FROM source_text WHERE id = ?", (loose.id,))[0][0] is None


def test_a_review_that_may_be_a_letter_is_reported_and_read_as_chosen(project: Project, tmp_path: Path) -> None:
    points = ("the loss", "the split", "the third survey", "the seed", "the units")
    path = text(tmp_path / "a.md", "\n\n".join(f"- I find {p} hard.\n\n  I would explain {p}." for p in points))
    proposal = propose(project, [path])
    assert not proposal.certain and proposal.files[0].what == "Review"
    assert any("was read as a review" in one for one in take_in(project, proposal).warnings)
    assert not any(comment.response for comment in ReviewStore(project).comments())
    chosen = next(way for way in proposal.files[0].found.readings if way.rest == "response")
    other = PaperStore(project).add_paper("Another")
    moved = proposal.read_as(path, chosen).put(Place(other, "Another", 1.0, "chosen"))
    came = take_in(project, moved)
    assert not any("was read as a review" in one for one in came.warnings) and came.letters
    new = {text.id for text in ReviewStore(project).texts(other)}
    assert all(comment.response for comment in ReviewStore(project).comments() if comment.source_id in new)


def test_a_letter_that_quotes_nothing_takes_no_comments_from_a_review(project: Project, tmp_path: Path) -> None:
    letter = text(
        tmp_path / "letter.md", "Dear editor,\n\nWe thank the reviewers. We have added a survey of the lakes."
    )
    came = added(project, letter, text(tmp_path / "review.md", REVIEW))
    assert [known.kind for known in ReviewStore(project).texts()] == ["letter", "review"]
    assert len(ReviewStore(project).comments()) == 1
    assert any(one.startswith("letter.md: No reviewer comments were recognised") for one in came.warnings)


def test_comments_of_a_review_come_from_the_letter_where_there_is_one(project: Project, tmp_path: Path) -> None:
    letter, review = text(tmp_path / "our letter.md", LETTER), text(tmp_path / "review.md", REVIEW)
    came = added(project, review, letter)
    assert list(came.letters) == [text.id for text in ReviewStore(project).texts() if text.kind == "letter"]
    assert "1 comment of review.md is also in the response letter." in came.warnings
    assert [comment.response for comment in ReviewStore(project).comments()] == [
        "We state it now.",
        "We explain it now.",
    ]
    assert {text.title for text in ReviewStore(project).texts()} >= {"our letter"}


@pytest.mark.parametrize("apart", [False, True], ids=["together", "letter first"])
def test_a_review_that_the_letter_does_not_quote_keeps_its_comments(
    project: Project, tmp_path: Path, *, apart: bool
) -> None:
    letter, review = text(tmp_path / "our letter.md", LETTER), text(tmp_path / "first.md", REVIEW)
    other = text(tmp_path / "second.md", "Which gauges were replaced during the survey?\n\nThe map has no scale.\n")
    came = [added(project, letter), added(project, review, other)] if apart else [added(project, other, review, letter)]
    assert came[-1].warnings == ["1 comment of first.md is also in the response letter."]
    store, titles = ReviewStore(project), {one.id: one.title for one in ReviewStore(project).texts()}
    assert [(titles[one.source_id], one.comment) for one in store.comments() if not one.response] == [
        ("second", "Which gauges were replaced during the survey?"),
        ("second", "The map has no scale."),
    ]


NOTES = (
    "Frames at night are discarded, but it isn't said how many. The remaining errors are not broken down.",
    "Are there people in the images? I miss an ethics statement.",
    "What is the size of a pixel at the far quay?",
)
PARTS = (
    "## Reviewer x7Qp\n\n> Frames at night are discarded, but it isn’t said how many.\n\nThey are 44%.\n\n"
    "> The remaining errors are not broken down.\n\nNow they are.\n\n"
    "> Are there people in the images?\n\nYes, blurred.\n"
)


@pytest.mark.parametrize("first", ["review", "letter"])
@pytest.mark.parametrize("form", ["json", "txt"])
def test_a_request_is_there_once_if_the_letter_quotes_a_part_of_it(
    project: Project, tmp_path: Path, first: str, form: str
) -> None:
    fields = {"weaknesses": {"value": "\n".join(f"- {one}" for one in NOTES)}}
    note = {
        "id": "n1", "forum": "f", "replyto": "f", "content": fields, "signatures": ["C/Submission1/Reviewer_x7Qp"],
        "invitations": ["C/Submission1/-/Official_Review"],
    }  # fmt: skip
    said = json.dumps({"notes": [note]}) if form == "json" else "Reviewer x7Qp\n\n" + "\n\n".join(NOTES)
    review, letter = text(tmp_path / f"review.{form}", said), text(tmp_path / "our letter.md", PARTS)
    for file in (review, letter) if first == "review" else (letter, review):
        came = added(project, file)
    comments = ReviewStore(project).comments()
    if first == "review":
        assert [(one.comment, one.response) for one in comments] == [
            (NOTES[0], "They are 44%.\n\nNow they are."), (NOTES[1], "Yes, blurred."), (NOTES[2], ""),
        ]  # fmt: skip
        assert (
            "2 comments of our letter.md were already in the project. New responses were added to them."
            in came.warnings
        )
    else:
        assert [one.response for one in comments] == ["They are 44%.", "Now they are.", "Yes, blurred.", ""]
        assert comments[3].comment == NOTES[2] and "2 comments of" in " ".join(came.warnings)


def test_comments_that_a_letter_quotes_as_one_share_its_response(project: Project, tmp_path: Path) -> None:
    added(project, text(tmp_path / "review.txt", f"Reviewer 1\n\n- {NOTES[1]}\n\n- {NOTES[2]}\n"))
    quoted = f"## Reviewer 1\n\n> {NOTES[1]} {NOTES[2]}\n\nBoth are in Section 2 now.\n"
    added(project, text(tmp_path / "our letter.md", quoted))
    one, other = ReviewStore(project).comments()
    assert (
        one.response == other.response == "Both are in Section 2 now."
        and one.same_response == other.same_response != ""
    )


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1, "1 comment of letter.md was already in the project. A new response was added to it."),
        (2, "2 comments of letter.md were already in the project. New responses were added to them."),
    ],
)
def test_a_letter_brings_responses_to_comments_that_are_there(
    project: Project, tmp_path: Path, times: int, said: str
) -> None:
    quotes = [f"> {words}" for words in ("Please state the seed.", "The split is unclear.")]
    first = text(tmp_path / "first.md", "Reviewer 1\n\n" + "\n\nWe will.\n\n".join(quotes[:times]) + "\n\nWe will.\n")
    added(project, first)
    came = added(project, text(tmp_path / "letter.md", LETTER))
    assert said in came.warnings
    assert len(ReviewStore(project).comments()) == 2
    again = added(project, text(tmp_path / "again.md", LETTER.replace("We state it", "Yes, we state it")))
    assert (
        "2 comments of again.md were already in the project. New responses were added to 1 of them." in again.warnings
    )


def test_no_response_is_claimed_for_comments_of_a_review_that_are_there(project: Project, tmp_path: Path) -> None:
    added(project, text(tmp_path / "first.md", REVIEW))
    again = added(project, text(tmp_path / "second.md", f"{REVIEW}\n\nWhich gauges were replaced?\n"))
    assert again.warnings == ["1 comment of second.md was already in the project."]


def links(path: Path, *rows: tuple[str, str, str]) -> Path:
    lines = ["comment_id,state,edit_id", *(",".join(row) for row in rows)]
    return text(path, "\n".join(lines) + "\n")


def test_links_need_the_edits_between_both_versions(project: Project, tmp_path: Path) -> None:
    added(project, text(tmp_path / "review.txt", REVIEW))
    comment = ReviewStore(project).comments()[0].id
    came = added(project, links(tmp_path / "links.csv", (comment, "linked", "e0")))
    assert came.count == 0 and [problem.what for problem in came.problems] == [
        "The links in links.csv need the edits between both versions."
    ]


@pytest.mark.parametrize("papers", [1, 2])
def test_links_and_states_of_a_file_find_their_ends(project: Project, tmp_path: Path, papers: int) -> None:
    acts = Acts(project)
    for number in range(papers):
        acts.do("add paper", number, 0)
        for version in range(2):
            acts.do("add version", number, 2 * number + version)
        acts.do("compare", number, 0)
        acts.do("import review", number, 0)
    paper = acts.papers.papers()[0].id
    revision = acts.revision(acts.comment(0))
    edit = acts.revisions.edits(revision)[1]
    own = acts.reviews.comments(paper_id=paper)
    elsewhere = [one for one in acts.reviews.comments() if one.id not in {mine.id for mine in own}]
    rows = [(own[0].id, "linked", edit.id), (own[1].id, "not_addressed", ""), (own[2].id, "undecided", "")]
    rows += [(one.id, "answered", "") for one in elsewhere[:1]]
    came = added(project, links(tmp_path / "links.csv", *rows), paper=paper)
    assert came.count == 1 and not came.problems
    warning = f"links.csv: 1 of {len(rows)} rows name a comment that isn't in this project."
    assert came.warnings == [warning] * (papers - 1)
    store = RevisionStore(project)
    assert [(one.comment_id, one.edit_id) for one in store.links(revision)] == [(own[0].id, edit.id)]
    states = {key: one.state for key, one in store.comment_states(revision).items()}
    assert states == {own[0].id: "linked", own[1].id: "not_addressed"}


def aries(path: Path, *ids: str) -> Path:
    records = [{"doc_id": key, "comment_id": f"{key}-1", "comment": f"Please state the seed of {key}."} for key in ids]
    return text(path, "".join(json.dumps(record) + "\n" for record in records))


def test_a_file_of_several_papers_gives_those_of_the_paper_with_its_name(project: Project, tmp_path: Path) -> None:
    PaperStore(project).add_paper("Paper One!", external_id="")
    came = added(project, aries(tmp_path / "review_comments.jsonl", "paper-one", "other"))
    assert not came.problems and [one.comment for one in ReviewStore(project).comments()] == [
        "Please state the seed of paper-one."
    ]
    refused = added(project, aries(tmp_path / "more.jsonl", "x", "y"))
    assert [problem.what for problem in refused.problems] == [
        "more.jsonl contains 2 papers, but none with the name of this one."
    ]
    assert added(project, aries(tmp_path / "one.jsonl", "whatever")).count == 1, "of a single paper it needs no name"


def test_a_proposal_as_json(project: Project, tmp_path: Path) -> None:
    PaperStore(project).add_paper("Graph study")
    (fields,) = proposal_fields(propose(project, [text(tmp_path / "Graph-study.txt", REVIEW)]))
    assert fields == {
        "file": str(tmp_path / "Graph-study.txt"), "kind": "review", "title": "", "likeness": 1.0, "why": "by its name",
        "paper": PaperStore(project).papers()[0].id, "paper_title": "Graph study",
    }  # fmt: skip
    PaperStore(project).add_paper("Another")
    (fields,) = proposal_fields(propose(project, [text(tmp_path / "!!!.txt", "Whose is this?")]))
    assert fields["likeness"] == 0.3, "a name without letters is like none"


def test_problems_are_kept_once() -> None:
    came = Added()
    for what in ("One.", "One.", "Two."):
        came.problem(BadInput(what))
    assert [problem.what for problem in came.problems] == ["One.", "Two."]


def test_a_letter_is_read_again_with_its_sides_exchanged(project: Project, tmp_path: Path) -> None:
    came = added(project, text(tmp_path / "letter.md", LETTER))
    ((text_id, letter),) = came.letters.items()
    store, steps = ReviewStore(project), len(project.history())
    before = [(one.comment, one.response) for one in store.comments()]
    again = swap_roles(project, text_id, letter)
    assert len(project.history()) == steps + 1
    assert project.undo_title == "Swap comments and responses of letter.md"
    assert {one.comment for one in store.comments()} == {response for _, response in before}
    assert list(again.papers.values()) == [PaperStore(project).papers()[0].id] and len(store.texts()) == 1
    project.undo()
    assert [(one.comment, one.response) for one in store.comments()] == before


def test_a_proposal_can_be_changed_file_by_file(project: Project, tmp_path: Path) -> None:
    PaperStore(project).add_paper("Paper", external_id="id-of-it")
    letter, review = text(tmp_path / "letter.md", LETTER), text(tmp_path / "r.txt", 'It says {"forum": "id-of-it"}.')
    found = propose(project, [letter, review])
    assert [one.place.why for one in found.files] == ["in the same folder as the other files", "it has the paper's id"]
    reading = replace(found.files[0].found.readings[0], swapped=True)
    assert [one.reading for one in found.read_as(letter, reading).files] == [reading, None]
    new = Place("", "Another", 1.0, "chosen")
    assert [one.place.title for one in found.put(new, [review]).files] == ["Paper", "Another"]
    assert {one.place for one in found.put(new).files} == {new} and found.put(new).certain
    assert not found.put(new, [review]).certain
    assert [one.places[1:] for one in found.put(new).files] == [one.places for one in found.files], "still offered"
    assert all(len({(p.paper_id, p.title) for p in one.places}) == len(one.places) for one in found.put(new).files)


def test_labels_of_aries_are_links_to_edits_by_their_names(project: Project, tmp_path: Path) -> None:
    acts = Acts(project)
    for verb, a, b in (("add paper", 0, 0), ("add version", 0, 0), ("add version", 0, 1), ("compare", 0, 0)):
        acts.do(verb, a, b)
    added(project, aries(tmp_path / "review_comments.jsonl", "whatever"))
    (comment,) = ReviewStore(project).comments()
    label = {"doc_id": "whatever", "comment_id": "whatever-1", "positive_edits": [], "negative_edits": []}
    revision = acts.revision(comment.id)
    edit = acts.revisions.edits(revision)[2]
    labels = text(tmp_path / "edit_labels.jsonl", json.dumps(label | {"positive_edits": [edit.id]}) + "\n")
    came = added(project, labels)
    assert not came.problems and [(one.comment_id, one.edit_id) for one in acts.revisions.links(revision)] == [
        (comment.id, edit.id)
    ]


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        ("s2orc", json.dumps({"paper_id": "a", "pdf_parse": {"body_text": []}}), "paragraphs come from the PDFs"),
        ("web-annotation", json.dumps({"@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation"}), None),
    ],
)  # fmt: skip
def test_what_needs_the_pdfs_is_not_taken_in_without_them(
    project: Project, tmp_path: Path, kind: str, words: str, said: str | None
) -> None:
    PaperStore(project).add_paper("Paper")
    found = propose(project, [text(tmp_path / "file.json", words)])
    assert [one.found.kind for one in found.files] == [kind]
    (problem,) = take_in(project, found).problems
    assert (said or "The links in file.json need the edits") in problem.what


def test_the_notes_of_openreview_come_in(project: Project, tmp_path: Path) -> None:
    note = {"id": "n", "forum": "f", "replyto": "f", "invitation": "V/Official_Review", "signatures": ["V/Reviewer_1"]}
    notes = {"notes": [note | {"content": {"review": "Why twelve? Say how.", "title": "A review"}}]}
    came = added(project, text(tmp_path / "notes.json", json.dumps(notes)))
    assert not came.problems and [one.text for one in ReviewStore(project).texts()] != []


def test_the_first_paper_is_named_by_its_pdf_and_the_step_by_its_files(project: Project, tmp_path: Path) -> None:
    (paper := tmp_path / "bees.pdf").write_bytes(b"%PDF-1.7 bees")
    review = text(tmp_path / "a.txt", REVIEW)
    assert propose(project, [review]).files[0].place.title == "a"
    added(project, review, paper)
    assert [one.title for one in PaperStore(project).papers()] == ["bees"] and project.undo_title == "Add 2 files"
    added(project, text(tmp_path / "b.txt", "Why twelve? Say how."))
    assert project.undo_title == "Add b.txt"
