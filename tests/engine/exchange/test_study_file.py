"""Study and answers files: they come back whole, nothing private goes out, broken ones are refused with the reason."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.checksummed import hash_of
from engine.exchange.study_file import (
    ANSWERS_ENDING,
    STUDY_ENDING,
    VERSION,
    content_hash_of,
    preview_release,
    read_answers_file,
    read_study_file,
    study_file,
)
from engine.expertise.records import ProfileRow, Question, Study, SurveyParticipant, SurveyRow
from engine.expertise.survey import GRID, new_study
from engine.papers.records import LibraryPaper

STUDY = replace(new_study("Reading habits", organiser="A. Organiser", key="study-1"), content_hash="h")
PERSON = SurveyParticipant(
    "i", "s", "person-1", "Ada Example", "2026-01-02T03:04:05Z", (("position", "Faculty"), ("gender", ""))
)
PAPER = LibraryPaper("l1", "On reading", "What it says.", 2020, "Journal", ("Bea Other",), arxiv_id="2001.01234")
OWN = LibraryPaper("l2", "My own work", areas=("Reading",), open_access=True)
ROWS = (SurveyRow("r1", "i", PAPER, 3.25, note="a private note"),)
PROFILE = (ProfileRow("o1", "i", OWN), ProfileRow("o2", "i", LibraryPaper("l3", "My left-out work"), kept=False))
WHEN = "2026-02-03T04:05:06Z"


def test_a_study_comes_back(tmp_path: Path) -> None:
    file = study_file(STUDY)
    assert file.name == "reading-habits" + STUDY_ENDING and len(file.content) < 10_000
    (tmp_path / file.name).write_bytes(file.content)
    found = read_study_file(tmp_path / file.name)
    assert found == replace(STUDY, id="", side="participant", content_hash=content_hash_of(file.content))
    assert study_file(found).content == file.content


def test_answers_come_back_and_are_what_the_preview_showed() -> None:
    preview = preview_release(STUDY, PERSON, ROWS, PROFILE, written_at=WHEN)
    assert preview.file.name == "reading-habits-ada-example" + ANSWERS_ENDING
    answers = read_answers_file(preview.file.content, "x")
    assert answers.rows == ((replace(PAPER, id=""), 3.25),) and answers.profile == (replace(OWN, id=""),)
    assert (answers.study_key, answers.study_hash, answers.written_at) == ("study-1", "h", WHEN)
    assert answers.participant.answers == (("position", "Faculty"),)
    assert answers.content_hash == preview.content_hash
    assert preview.ratings == (("On reading", 3.25),) and preview.publications == ("My own work",)
    assert preview.answers == (("Your position", "Faculty"),)
    assert preview_release(STUDY, PERSON, ROWS, PROFILE, written_at=WHEN) == preview


def test_nothing_else_goes_out() -> None:
    text = preview_release(STUDY, PERSON, ROWS, PROFILE, written_at=WHEN).file.content.decode()
    for private in ("private note", "left-out", "seconds", "email", "@"):
        assert private not in text
    document = json.loads(text)
    assert set(document) == {
        "format", "version", "study", "written_at", "participant", "ratings", "profile", "papers", "hash",
    }  # fmt: skip
    assert set(document["participant"]) == {"key", "name", "consented_at", "answers"}
    assert [set(rating) for rating in document["ratings"]] == [{"paper", "value"}]


@pytest.mark.parametrize(
    ("person", "rows", "words"),
    [
        (PERSON, (), "no paper"),
        (PERSON, (replace(ROWS[0], value=None),), "no rating"),
        (PERSON, (replace(ROWS[0], value=3.1),), "not on the scale"),
        (replace(PERSON, consented_at=""), ROWS, "n't agreed"),
    ],
)
def test_incomplete_answers_do_not_leave(person: SurveyParticipant, rows: tuple[SurveyRow, ...], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        preview_release(STUDY, person, rows, PROFILE, written_at=WHEN)


def _resigned(content: bytes, change: Any) -> bytes:
    document = json.loads(content)
    change(document)
    document["hash"] = hash_of(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x00\x01", "isn't a study file"),
        (b"[]", "isn't a study file"),
        (b"{}", "isn't a study file"),
        (b'{"format": "something"}', "isn't a study file"),
        (study_file(STUDY).content[:-40], "complete JSON"),
        (b"Timestamp,Name,Rating\n2026-03-01,Ada,4\n", "isn't a study"),
        (study_file(STUDY).content.replace(b"Reading", b"Riding"), "is damaged or was modified"),
        (preview_release(STUDY, PERSON, ROWS, PROFILE, written_at=WHEN).file.content, "is an answers file"),
        (_resigned(study_file(STUDY).content, lambda d: d.update(version=VERSION + 1)), "newer Rejoinder"),
        (_resigned(study_file(STUDY).content, lambda d: d.update(version="1")), "version"),
        (_resigned(study_file(STUDY).content, lambda d: d["study"].pop("title")), "title"),
        (_resigned(study_file(STUDY).content, lambda d: d["study"].update(min_papers=99)), "is invalid"),
        (_resigned(study_file(STUDY).content, lambda d: d["study"].update(questions=[1])), "questions"),
        (b'{"format": "rejoinder-study", "version": NaN}', "complete JSON"),
    ],
)
def test_broken_study_files_are_refused_with_the_reason(content: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_study_file(content, "x.rejoinder-study")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["ratings"][0].update(value=3.3), "scale"),
        (lambda d: d["ratings"][0].update(value=True), "scale"),
        (lambda d: d["ratings"][0].update(paper="p9"), "p9 is missing"),
        (lambda d: d.update(ratings=[]), "no ratings"),
        (lambda d: d["papers"]["p1"].clear(), "neither title nor link"),
        (lambda d: d["participant"].update(key=""), "no participant"),
        (lambda d: d.update(profile=[7]), "profile"),
    ],
)
def test_broken_answers_are_refused_with_the_reason(change: Any, words: str) -> None:
    content = preview_release(STUDY, PERSON, ROWS, PROFILE, written_at=WHEN).file.content
    with pytest.raises(BadInput, match=words):
        read_answers_file(_resigned(content, change), "x")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="couldn't be read"):
        read_study_file(tmp_path / "none")


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_PAPERS = st.builds(
    LibraryPaper,
    st.uuids().map(str),
    _TEXT.filter(str.strip),
    _TEXT,
    st.integers(0, 2030),
    authors=st.lists(_TEXT, max_size=2).map(tuple),
    open_access=st.sampled_from([None, True, False]),
)


@given(
    _TEXT,
    st.lists(st.tuples(_PAPERS, st.sampled_from(GRID)), min_size=1, max_size=4),
    st.lists(st.tuples(_PAPERS, st.booleans()), max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_any_answers_come_back(
    name: str, rated: list[tuple[LibraryPaper, float]], own: list[tuple[LibraryPaper, bool]]
) -> None:
    person = replace(PERSON, name=name)
    rows = [SurveyRow(str(n), "i", paper, value) for n, (paper, value) in enumerate(rated)]
    profile = [ProfileRow(str(n), "i", paper, kept) for n, (paper, kept) in enumerate(own)]
    answers = read_answers_file(preview_release(STUDY, person, rows, profile, written_at=WHEN).file.content)
    assert answers.rows == tuple((replace(paper, id=""), value) for paper, value in rated)
    assert answers.profile == tuple(replace(paper, id="") for paper, kept in own if kept)
    assert answers.participant.name == name


@given(_TEXT.filter(str.strip), st.text(max_size=60), st.lists(_TEXT.filter(str.strip), max_size=3, unique=True))
@settings(max_examples=60, deadline=None)
def test_any_study_comes_back(title: str, words: str, questions: list[str]) -> None:
    study = Study(
        "", "k", "participant", title, instructions=words,
        questions=tuple(Question(f"q{n}", q, (q,)) for n, q in enumerate(questions)),
    )  # fmt: skip
    found = read_study_file(study_file(study).content)
    clean = words.encode("utf-8", "replace").decode() if any("\ud800" <= ch <= "\udfff" for ch in words) else words
    assert len(found.instructions) == len(clean) or found.instructions == clean
    assert replace(found, content_hash="", instructions="") == replace(study, instructions="")


@given(st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_no_damage_goes_unnoticed(place: int, noise: bytes) -> None:
    content = study_file(STUDY).content.rstrip()
    place %= len(content)
    damaged = content[:place] + noise + content[place + len(noise) :]
    try:
        found = read_study_file(damaged)
    except BadInput:
        return
    assert found == read_study_file(content), "only white space may differ"
