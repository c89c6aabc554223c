"""Reviews and letters that are imported a second time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.project import Project
from engine.reviews.letter import read_letter
from engine.reviews.records import ReviewBundle
from engine.reviews.store import ReviewStore

LETTER = """# Response

## Reviewer 1

> The split of the corpus is unclear. Was it made by writer?

It was made by manuscript.

> Please report the variance over seeds in Table 2.

{second}
"""


@pytest.fixture
def reviews(tmp_path: Path) -> Iterator[ReviewStore]:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ann") as project:
        yield ReviewStore(project)


def letter(second: str = "We now do.") -> ReviewBundle:
    return read_letter(LETTER.format(second=second))


def test_the_same_letter_comes_in_once(reviews: ReviewStore) -> None:
    first, *counts = reviews.import_new(letter(), "letter.md")
    assert (len(first.comments), *counts) == (2, 0, 0, 0)
    again, left_out, met, _ = reviews.import_new(letter(), "letter (1).md")
    assert (again.comments, again.texts, left_out, met) == ((), (), 1, 0)
    assert len(reviews.comments()) == 2 and len(reviews.texts()) == 1


def test_a_newer_letter_brings_its_responses_to_the_comments_that_are_there(reviews: ReviewStore) -> None:
    keys = [comment.id for comment in reviews.import_new(letter(), "letter.md")[0].comments]
    change, *counts = reviews.import_new(letter("Table 2 has the variance over five seeds."), "letter-2.md")
    assert (change.comments, *counts) == ((), 0, 2, 1)
    assert [comment.id for comment in reviews.comments()] == keys
    assert reviews.comment(keys[0]).response == "It was made by manuscript."
    assert reviews.comment(keys[1]).response == "Table 2 has the variance over five seeds."
    reviews._project.undo()
    assert reviews.comment(keys[1]).response == "We now do." and len(reviews.texts()) == 1


def test_short_comments_may_be_said_twice(reviews: ReviewStore) -> None:
    text = "# Response\n\n## Reviewer 1\n\n> Typo here.\n\nMended.\n"
    reviews.import_new(read_letter(text), "a.md")
    _, _, met, _ = reviews.import_new(read_letter(text.replace("Reviewer 1", "Reviewer 2")), "b.md")
    assert met == 0 and len(reviews.comments()) == 2


BOTH = (
    "# Response\n\n## Reviewer 1\n\n> 1. {}\n\n> 2. {}\n\nBoth are in Table 2 now.\n\n"
    "> {}\n\nIt was made by manuscript.\n"
)
ASKED = ("Please report the variance over seeds.", "Please report the size of each corpus.", "How was the split made?")


def test_comments_that_a_letter_answers_together_share_their_response(reviews: ReviewStore) -> None:
    change, *_ = reviews.import_new(read_letter(BOTH.format(*ASKED)), "letter.md")
    one, other, alone = change.comments
    assert one.same_response == other.same_response != "" == alone.same_response
    again = read_letter(BOTH.format(*ASKED) + "\nThank you.\n")
    assert again.comments[0].same_response != one.same_response, "another letter's responses are its own"


def test_comments_that_were_there_share_the_response_that_a_letter_brings(reviews: ReviewStore) -> None:
    asked = "".join(f"# Reviewer 1\n\n> {words}\n\nNot yet.\n\n" for words in ASKED)
    keys = [comment.id for comment in reviews.import_new(read_letter(asked), "first.md")[0].comments]
    _, _, met, _ = reviews.import_new(read_letter(BOTH.format(*ASKED)), "second.md")
    one, other, alone = (reviews.comment(key) for key in keys)
    assert met == 3 and one.response == other.response == "Both are in Table 2 now."
    assert one.same_response == other.same_response != "" == alone.same_response
