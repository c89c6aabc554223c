"""Everything is found by its words, nothing that is gone is, and the index stays out of the project."""

from __future__ import annotations

import sqlite3
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.documents.records import PageSize, Paragraph, ParsedDocument
from engine.documents.store import DocumentStore
from engine.errors import EnvironmentProblem
from engine.jobs import JobEngine, JobState, QuietReport
from engine.operations import search_store
from engine.operations.erase import erase_target
from engine.operations.removing import remove
from engine.operations.search_store import KINDS, SNIPPET, Found, index_path, index_task, refresh, search, tokens
from engine.operations.targets import Target
from engine.papers.store import PaperStore
from engine.project import Project
from engine.rebuttal.records import Template
from engine.rebuttal.template_store import TemplateStore
from engine.reviews.records import Span
from engine.reviews.store import ReviewStore

PDF = b"%PDF-1.7\nnot read here"


def paragraph(number: int, section: str, text: str) -> Paragraph:
    return Paragraph(f"e{number}", number, section, "body", text, text, tuple(range(len(text) + 1)), number + 1, ())


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as made:
        yield made


@pytest.fixture
def filled(project: Project) -> Project:
    papers, documents, reviews = PaperStore(project), DocumentStore(project), ReviewStore(project)
    paper = papers.add_paper("Zebra crossings", abstract="On naïve walkers.")
    document = documents.add_document(PDF, "zebra.pdf")
    papers.add_version(paper, document, "submitted")
    sha = documents.document(document).sha256
    texts = ("Walkers cross the road.", "Zebras of Grévy cross it, too.")
    made = tuple(paragraph(n, ("", "2 Methods")[n], text) for n, text in enumerate(texts))
    documents.save_parsed(document, ParsedDocument(sha, (PageSize(1, 100, 100, 0),), made, "test", 0.1))
    review = reviews.add_text("Review A", "The zebra is striped. It needs a figure.", reviewer="R1", paper_id=paper)
    reviews.add_comment(review.texts[0].id, [Span(22, 40)])
    TemplateStore(project).add_templates(
        [Template("t1", "concede_criticism", "We thank the zebra for {section}.")], "ours", "x"
    )
    refresh(project)
    return project


def kinds(found: tuple[Found, ...]) -> list[str]:
    return [one.kind for one in found]


def test_each_kind_is_found_with_what_leads_to_it(filled: Project) -> None:
    found = search(filled, "zebra")
    assert kinds(found) == ["paper", "review", "template", "paragraph"]
    (paper,) = PaperStore(filled).papers()
    shown = found[-1]
    assert (shown.title, shown.paper_id, shown.paragraph_id, shown.page) == ("submitted: 2 Methods", paper.id, "e1", 2)
    assert shown.document_id == shown.id and DocumentStore(filled).document(shown.id).filename == "zebra.pdf"
    assert [shown.snippet[a:b] for a, b in shown.matches] == ["Zebras"]
    assert found[0].id == paper.id
    (comment,) = search(filled, "needs figure", kinds=("comment",))
    assert (comment.kind, comment.title, comment.table) == ("comment", "R1", "comment")
    assert [comment.snippet[a:b] for a, b in comment.matches] == ["needs", "figure"]


@pytest.mark.parametrize("query", ["GREVY", "grév", "Gre\u0301vy", "grevy zeb", " ,,grevy; "])
def test_case_accents_and_word_ends_do_not_matter(filled: Project, query: str) -> None:
    assert kinds(search(filled, query)) == ["paragraph"]


def test_a_single_letter_is_a_word_and_no_beginning(filled: Project) -> None:
    assert kinds(search(filled, "a", kinds=("paper", "review", "paragraph"))) == ["review"]
    assert search(filled, "z") == ()


def test_words_of_two_letters_on_are_beginnings(filled: Project) -> None:
    assert "paper" in kinds(search(filled, "ze"))
    assert search(filled, "ebra") == ()


@pytest.mark.parametrize(
    ("query", "shown"), [("ze", ["zebra"]), ("i", []), ("a", ["a", "A", "a"]), ("it is", ["is", "It"])]
)
def test_what_is_shown_as_a_match_is_what_matched(filled: Project, query: str, shown: list[str]) -> None:
    ReviewStore(filled).add_text("Review B", "A plan for all, and a map.")
    refresh(filled)
    found = search(filled, query, kinds=("review",))
    assert [one.snippet[a:b] for one in found for a, b in one.matches] == shown


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_query(filled: Project, query: str) -> None:
    for one in search(filled, query):
        assert all(0 <= a < b <= len(one.snippet) for a, b in one.matches)


@pytest.mark.parametrize(
    "query", ['"', "zebra OR", "NEAR(zebra, 2)", "zebra*", "words:zebra", "-zebra", "'; --", "^ze"]
)
def test_operators_are_plain_words(filled: Project, query: str) -> None:
    search(filled, query)


def test_changes_deletions_and_undo_reach_the_index(filled: Project) -> None:
    (text,) = ReviewStore(filled).texts()
    remove(filled, Target("review", text.id, text.title))
    assert refresh(filled) == 0, "a deletion indexes nothing"
    assert "review" not in kinds(search(filled, "zebra")) and search(filled, "striped") == ()
    filled.undo()
    assert refresh(filled) == 2
    assert kinds(search(filled, "needs figure", kinds=("review", "comment"))) == ["review", "comment"]
    assert refresh(filled) == 0


def test_every_template_has_an_entry_of_its_own(project: Project) -> None:
    texts = [Template(f"q{n}", "concede_criticism", f"Quagga number {n}.") for n in range(3)]
    TemplateStore(project).add_templates(texts, "ours", "x")
    refresh(project)
    assert len(search(project, "quagga")) == 3 and len(search(project, "we will", kinds=("template",))) > 9


def test_whole_words_and_titles_come_first(project: Project) -> None:
    papers = PaperStore(project)
    for title, abstract in (("First", "Bees and others"), ("Second", "a bee"), ("Bee", "third")):
        papers.add_paper(title, abstract=abstract)
    refresh(project)
    assert [one.title for one in search(project, "bee", kinds=("paper",))] == ["Bee", "Second", "First"]
    assert len(search(project, "bee", most=2, kinds=("paper",))) == 2


def test_a_long_text_is_cut_around_the_match(project: Project) -> None:
    text = "word " * 400 + "needle " + "word " * 400
    PaperStore(project).add_paper("Long", abstract=text)
    refresh(project)
    (found,) = search(project, "needle")
    assert len(found.snippet) < 200 and found.snippet.startswith("… word") and found.snippet.endswith("word …")
    assert [found.snippet[a:b] for a, b in found.matches] == ["needle"]


@pytest.mark.parametrize(("extra", "end"), [("", " needle"), ("s", "x …")])
def test_a_text_that_just_fits_is_shown_whole(project: Project, extra: str, end: str) -> None:
    text = f"needle {'x' * (SNIPPET - 14)} needle"
    PaperStore(project).add_paper("Short", abstract=text + extra)
    refresh(project)
    assert len(text) == SNIPPET and search(project, "needle")[0].snippet.endswith(end)


WORDS = st.lists(st.sampled_from(["needle", "needles", "Nädle", "hay", "a", "straw,", "w" * 30, "\n"]), max_size=80)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(before=WORDS, after=WORDS)
def test_a_snippet_is_a_part_of_the_text_with_its_first_match(
    project: Project, before: list[str], after: list[str]
) -> None:
    text = " ".join([*before, "needle", *after])
    key = PaperStore(project).add_paper("Hay", abstract=text)
    refresh(project)
    (found,) = search(project, "needle", kinds=("paper",))
    remove(project, Target("paper", key, "Hay"))
    line = "".join(" " if character.isspace() else character for character in text)
    part = found.snippet.removeprefix("… ").removesuffix(" …")
    assert part in line and len(part) <= max(SNIPPET, 40)
    first = min(at for at in range(len(line)) if line.startswith("needle", at) and (at == 0 or line[at - 1] == " "))
    assert found.snippet.startswith("… ") or line.startswith(part)
    assert found.snippet.endswith(" …") or line.endswith(part)
    assert found.snippet == line or first >= SNIPPET // 3 or len(line) > SNIPPET, "nothing is cut off a short text"
    assert first >= SNIPPET // 3 or line.startswith(part), "what is near the beginning is shown from there"
    matched = [found.snippet[a:b] for a, b in found.matches]
    assert matched and set(matched) <= {"needle", "needles"} and matched[0] == line[first : first + len(matched[0])]
    assert len(matched) == part.count("needle"), "no match in it is left out"


def test_early_places_come_before_late_ones(project: Project) -> None:
    for words in ("one two bee", "one bee two", "bee one two"):
        PaperStore(project).add_paper(words.title(), abstract="nothing")
    reports: list[float] = []

    class Heard(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            reports.append(fraction)

    assert refresh(project, Heard()) == len(reports) > 3
    assert [one.title for one in search(project, "bee", kinds=("paper",))] == [
        "Bee One Two",
        "One Bee Two",
        "One Two Bee",
    ]
    assert reports == sorted(reports) and reports[0] == 0 and 0.5 < reports[-1] < 1


def test_the_index_is_private_and_no_part_of_the_project(filled: Project) -> None:
    path = index_path(filled)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    names = {row[0] for row in filled.query("SELECT name FROM sqlite_schema")}
    assert not any("fts" in name for name in names)
    assert filled.path.parent not in path.parents


def test_erasing_takes_the_words_out_of_the_cache(filled: Project) -> None:
    (paper,) = PaperStore(filled).papers()
    assert b"striped" in b"".join(p.read_bytes() for p in index_path(filled).parent.iterdir())
    erase_target(filled, Target("paper", paper.id, paper.title))
    refresh(filled)
    assert search(filled, "striped") == ()
    assert b"striped" not in b"".join(p.read_bytes() for p in index_path(filled).parent.iterdir())


def test_a_project_open_for_reading_is_searched(filled: Project) -> None:
    with Project.open(filled.path, read_only=True) as reader:
        assert reader.read_only
        index_path(filled).unlink()
        assert search(reader, "zebra") == ()
        refresh(reader)
        assert kinds(search(reader, "zebra")) == ["paper", "review", "template", "paragraph"]


def test_a_damaged_index_is_built_again(filled: Project) -> None:
    index_path(filled).write_bytes(b"SQLite format 3\0" + b"rubbish" * 2000)
    assert search(filled, "zebra") == ()
    refresh(filled)
    assert "paper" in kinds(search(filled, "zebra"))


def test_indexes_of_deleted_projects_are_removed(filled: Project, tmp_path: Path) -> None:
    other = Project.create(tmp_path / "other.rejoinder", "Other", "Ada")
    refresh(other)
    kept, path = index_path(filled), index_path(other)
    other.close()
    (tmp_path / "other.rejoinder").unlink()
    refresh(filled)
    assert kept.exists() and not path.exists()


def test_two_files_of_one_project_have_their_own_indexes(filled: Project, tmp_path: Path) -> None:
    copy = tmp_path / "copy.rejoinder"
    filled.save_copy(copy)
    with Project.open(copy) as second:
        assert second.id == filled.id and index_path(second) != index_path(filled)


def test_the_task_indexes_in_a_job(filled: Project) -> None:
    PaperStore(filled).add_paper("Quagga")
    engine = JobEngine()
    try:
        job = engine.submit(index_task(filled))
        assert job.wait(10) is JobState.DONE and job.result() == 1
    finally:
        assert engine.shutdown(10)
    assert kinds(search(filled, "quagga")) == ["paper"]


@given(st.text(max_size=40))
def test_tokens_are_letters_and_digits(text: str) -> None:
    assert all(token.isalnum() for token in tokens(text))


def test_tokens_know_no_case_accents_ligatures_and_soft_hyphens() -> None:
    assert tokens("Ｅﬃcient naïve_Straße, co\u00adoperate") == ["efficient", "naive", "strasse", "cooperate"]
    assert tokens(unicodedata.normalize("NFD", "Grévy")) == ["grevy"]


def test_kinds_are_those_of_the_index(filled: Project) -> None:
    with sqlite3.connect(index_path(filled)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    connection.close()
    assert set(KINDS) <= tables


@pytest.mark.parametrize("error", [sqlite3.OperationalError("disk I/O error"), PermissionError("not yours")])
def test_an_index_that_can_not_be_made_is_explained(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def make(*_: object) -> None:
        raise error

    monkeypatch.setattr(search_store, "_make", make)
    for look in (refresh, lambda project: search(project, "bee")):
        with pytest.raises(EnvironmentProblem, match=f"The search index can't be used: {error}"):
            look(project)


def test_a_damaged_index_is_filled_again_at_once(filled: Project) -> None:
    index_path(filled).write_bytes(b"no database " * 1000)
    assert refresh(filled) > 5 and kinds(search(filled, "zebra"))


@pytest.mark.parametrize(("others", "first"), [(199, "Bee"), (200, "Other")])
def test_of_many_entries_the_first_200_are_ranked(project: Project, others: int, first: str) -> None:
    with project.action("Add papers") as act:
        papers: list[dict[str, object]] = [{"title": "Other", "abstract": "a bee"} for _ in range(others)]
        act.insert_all("paper", [*papers, {"title": "Bee", "abstract": "a bee"}])
    refresh(project)
    assert search(project, "bee", most=1, kinds=("paper",))[0].title == first


def test_twelve_words_of_a_query_count(project: Project) -> None:
    words = [f"word{number}x" for number in range(12)]
    PaperStore(project).add_paper("Words", abstract=" ".join(words))
    refresh(project)
    assert search(project, " ".join([*words, "absent"])) and not search(project, " ".join([*words[1:], "absent"]))
