"""Which paper a file belongs to, and its import: by titles, ids, names, and what is there already."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.jobs import QuietReport
from engine.operations.importing import take_in
from engine.operations.incoming import Place, propose, propose_files
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.project.invariants import violations
from engine.reviews.store import ReviewStore
from tests.engine.operations.random_acts import contents

BEES, RIVERS = "How bees keep their hives warm in winter", "Sediment load of slow rivers in the delta"
BODY = "The colony was measured every hour with a calibrated probe. " * 8


def pdf(path: Path, title: str, words: str = "") -> Path:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 90), title, fontsize=18)
        page.insert_textbox(pymupdf.Rect(72, 130, 520, 700), f"{words} {BODY}", fontsize=10)
        document.save(path)
    return path


def text(path: Path, words: str) -> Path:
    path.write_text(words, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def service() -> Iterator[DocumentService]:
    with DocumentService() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "Papers", "Ada") as made:
        yield made


@pytest.fixture
def two(project: Project, service: DocumentService, tmp_path: Path) -> dict[str, str]:
    """A project with two papers, that were imported as a person would; keys by title."""
    for name, title in (("bees", BEES), ("rivers", RIVERS)):
        take_in(project, propose(project, [pdf(tmp_path / f"{name}.pdf", title)], service=service))
    return {paper.title: paper.id for paper in PaperStore(project).papers()}


def test_a_paper_is_named_by_its_pdf_and_another_title_is_another_paper(
    project: Project, two: dict[str, str], tmp_path: Path, service: DocumentService
) -> None:
    assert list(two) == [BEES, RIVERS]
    document = DocumentStore(project).documents()[0]
    assert document.title == BEES and DocumentStore(project).parsed(document.id) is not None, "it is not read again"
    revised = pdf(tmp_path / "camera ready.pdf", BEES.upper(), "Revised.")
    third = pdf(tmp_path / "looms.pdf", "Thread tension and the pattern of the weave")
    found = propose(project, [revised, third], shown=two[RIVERS], service=service)
    assert [one.place.paper_id for one in found.files] == [two[BEES], ""]
    assert not found.certain and {one.what for one in found.files} == {"PDF document"}
    assert {place.paper_id for place in found.files[0].places} == {two[BEES], two[RIVERS], ""}
    added = take_in(project, found)
    assert added.count == 2 and added.papers[revised] == two[BEES]
    assert [v.label for v in PaperStore(project).versions(two[BEES])] == [SUBMITTED, REVISED]
    assert len(PaperStore(project).papers()) == 3 and violations(project) == ()
    project.undo()
    assert len(PaperStore(project).papers()) == 2 and len(DocumentStore(project).documents()) == 2


def prose(seed: int) -> str:
    drawn = random.Random(seed)
    return " ".join("".join(drawn.choices("aeioulmnrst", k=6)) for _ in range(300))


def test_versions_with_other_titles_are_known_by_their_text(
    project: Project, tmp_path: Path, service: DocumentService
) -> None:
    draft = pdf(tmp_path / "draft 10.pdf", "Hives", prose(1))
    final = pdf(tmp_path / "draft 9.pdf", "A calibrated probe for colonies", prose(1))
    other = pdf(tmp_path / "other.pdf", "Looms and their threads", prose(2))
    found = propose(project, [draft, final, other], service=service)
    assert [(one.place.paper_id, one.place.title) for one in found.files] == [
        *[("", "A calibrated probe for colonies")] * 2, ("", "Looms and their threads"),
    ]  # fmt: skip
    assert found.files[2].places[1] == found.files[0].place, "it can be put there, too"
    added = take_in(project, propose(project, [draft, final], service=service))
    assert added.count == 2
    (paper,) = PaperStore(project).papers()
    assert [(v.label, v.filename) for v in PaperStore(project).versions(paper.id)] == [
        (REVISED, "draft 10.pdf"), (SUBMITTED, "draft 9.pdf"),
    ]  # fmt: skip
    third, new = pdf(tmp_path / "third.pdf", "Warm colonies", prose(1)), other
    found = propose(project, [third, new], service=service)
    assert [one.place.paper_id for one in found.files] == [paper.id, ""]
    assert found.files[0].place.why == "much of the text is the same"


def test_pages_that_were_not_read_are_named_when_they_are_added(
    project: Project, tmp_path: Path, service: DocumentService
) -> None:
    path = pdf(tmp_path / "turned.pdf", BEES)
    with pymupdf.open(path) as document:
        for number in range(2):
            page = document.new_page()
            for line in range(6):
                page.insert_text((500, 300 + 20 * line), "The table of all hives and their warmth " * 2, rotate=180)
            if number:
                page.insert_text((80, 60), "A heading that stands upright", fontsize=10)
        document.saveIncr()
    added = take_in(project, propose(project, [path], service=service))
    assert added.warnings == ["turned.pdf: Pages 2, 3 are marked: their text may not be what they show."]
    parsed = DocumentStore(project).parsed(DocumentStore(project).documents()[0].id)
    assert parsed is not None
    assert [(doubt.page, doubt.reason) for doubt in parsed.doubtful] == [(2, "sideways"), (3, "sideways")]
    assert parsed.doubtful[0].sentence == "Page 2 is set sideways and was not read. Check the page."


def test_the_only_paper_takes_what_speaks_for_no_other(project: Project, tmp_path: Path) -> None:
    home = tmp_path / "graph-study"
    home.mkdir()
    first = take_in(project, propose(project, [pdf(home / "submitted.pdf", BEES)]))
    (paper,) = PaperStore(project).papers()
    assert paper.title == "graph-study", "without reading the PDF, it is named by its folder"
    found = propose(project, [pdf(tmp_path / "x.pdf", RIVERS), text(tmp_path / "r.txt", "Why twelve? Explain it.")])
    assert found.certain and {one.place.paper_id for one in found.files} == {paper.id} == set(first.papers.values())
    assert found.files[0].place.why == "the only paper"


def test_the_only_paper_whose_title_was_read_does_not_take_another_title(
    project: Project, tmp_path: Path, service: DocumentService
) -> None:
    take_in(project, propose(project, [pdf(tmp_path / "a.pdf", BEES)], service=service))
    found = propose(project, [pdf(tmp_path / "b.pdf", RIVERS)], service=service)
    assert (found.files[0].place.paper_id, found.files[0].place.title) == ("", RIVERS)


def test_a_text_stays_with_the_paper_that_has_it_whatever_title_it_names(
    two: dict[str, str], project: Project, tmp_path: Path
) -> None:
    note = text(tmp_path / "n.txt", f"Why is there no word of “{RIVERS}”?")
    found = propose(project, [note])
    assert found.files[0].place.paper_id == two[RIVERS]
    take_in(project, found.put(Place(two[BEES], BEES, 1.0, "chosen")))
    again = propose(project, [note]).files[0].place
    assert (again.paper_id, again.why) == (two[BEES], "it's already there")


def test_a_title_that_is_a_little_alike_makes_no_new_paper(
    two: dict[str, str], project: Project, service: DocumentService, tmp_path: Path
) -> None:
    near, far = "Sediment load of fast streams in the hills", "Quantum clocks tick without any noise"
    files = [pdf(tmp_path / f"{name}.pdf", title) for name, title in (("one", near), ("another", far))]
    shown = [propose(project, [file], service=service, shown=two[BEES]).files[0].place for file in files]
    assert [(place.paper_id, place.why) for place in shown] == [
        (two[BEES], "the paper that is shown"), ("", "it has its own title"),
    ]  # fmt: skip


def test_the_only_paper_may_be_called_otherwise_in_its_pdf(
    project: Project, service: DocumentService, tmp_path: Path
) -> None:
    key = PaperStore(project).add_paper("Grant 12")
    (one,) = propose(project, [pdf(tmp_path / "a.pdf", BEES)], service=service).files
    assert (one.place.paper_id, one.place.why) == (key, "the only paper")


def test_reviews_go_where_they_say_else_to_what_is_shown_else_beside_the_others(
    project: Project, two: dict[str, str], tmp_path: Path, service: DocumentService
) -> None:
    named = text(tmp_path / "one.txt", f"Review of “{RIVERS}”. Why twelve? Please explain it.")
    plain = text(tmp_path / "two.txt", "The plots are too small. Please make them larger.")
    (one,) = propose(project, [named], shown=two[BEES]).files
    assert (one.place.paper_id, one.place.why) == (two[RIVERS], "it names the title")
    (one,) = propose(project, [plain], shown=two[RIVERS]).files
    assert (one.place.paper_id, one.place.why) == (two[RIVERS], "the paper that is shown")
    files = propose(project, [plain, named], shown=two[BEES]).files
    assert [one.place.paper_id for one in files] == [two[RIVERS], two[RIVERS]]
    take_in(project, propose(project, [plain]).put(Place(two[BEES], BEES, 1.0, "chosen")))
    assert len(ReviewStore(project).texts(two[BEES])) == 1
    (again,) = propose(project, [plain], shown=two[RIVERS]).files
    assert (again.place.paper_id, again.place.why) == (two[BEES], "it's already there")
    (pdf_again,) = propose(project, [tmp_path / "bees.pdf"], shown=two[RIVERS]).files
    assert pdf_again.place.paper_id == two[BEES]


def test_reviews_go_to_the_new_paper_that_they_name(project: Project, service: DocumentService, tmp_path: Path) -> None:
    titles = ("Herring gulls at the harbour wall", "Tidal calendars of small islands")
    files = [pdf(tmp_path / f"{n}.pdf", title, prose(n)) for n, title in enumerate(titles)]
    files += [
        text(tmp_path / f"review-{n}.md", f"# Review of {t}\n\nHow was it counted?") for n, t in enumerate(titles)
    ]
    files.append(text(tmp_path / "review-x.md", "# Review\n\nHow was it counted?"))
    found = propose(project, files, service=service)
    assert [one.place.title for one in found.files[:-1]] == [*titles, *titles]
    assert found.files[-1].place.why == "the first paper", "it is in the same folder as files of both"


def test_reviews_without_a_paper_stay_with_the_only_one_when_a_second_comes(
    project: Project, tmp_path: Path, service: DocumentService
) -> None:
    loose = ReviewStore(project).add_text("Review 1", "Why twelve?").texts[0]
    take_in(project, propose(project, [pdf(tmp_path / "a.pdf", BEES)], service=service))
    take_in(project, propose(project, [pdf(tmp_path / "b.pdf", RIVERS)], service=service))
    bees, rivers = (paper.id for paper in PaperStore(project).papers())
    assert [t.id for t in ReviewStore(project).texts(bees)] == [loose.id]
    assert ReviewStore(project).texts(rivers) == ()


def test_proposing_changes_nothing_and_problems_do_not_stop_the_others(project: Project, tmp_path: Path) -> None:
    empty = text(tmp_path / "empty.txt", "")
    good = text(tmp_path / "good.txt", "Why twelve? Please explain.")
    before = contents(project)
    found = propose(project, [empty, tmp_path / "missing.pdf", good])
    assert contents(project) == before and len(found.problems) == 2 and len(found.files) == 1
    added = take_in(project, found)
    assert added.count == 1 and len(added.problems) == 2
    assert take_in(project, propose(project, [empty])).count == 0


def test_a_pdf_that_is_there_is_not_added_again_and_that_is_said(project: Project, tmp_path: Path) -> None:
    for name in ("submitted", "revised"):
        take_in(project, propose(project, [pdf(tmp_path / f"{name}.pdf", BEES, name)]))
    before = contents(project)
    added = take_in(project, propose(project, [tmp_path / "revised.pdf"]))
    assert [one for one in added.warnings if "as revised.pdf" in one] and contents(project) == before


def test_a_file_that_goes_away_before_its_import_is_reported(project: Project, tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf", BEES)
    found = propose(project, [path])
    path.unlink()
    (problem,) = take_in(project, found).problems
    assert isinstance(problem, BadInput) and "couldn't be read" in problem.what


def test_the_job_proposes_the_same(project: Project, tmp_path: Path, service: DocumentService) -> None:
    path = pdf(tmp_path / "a.pdf", BEES)
    task = propose_files(project, service, (path,))
    assert task.title == "Read a.pdf" and propose_files(project, service, (path, path)).title == "Read 2 files"
    assert task.run(QuietReport()) == propose(project, [path], service=service)


@pytest.mark.parametrize(
    ("title", "key", "words", "why"),
    [
        ("Sedimentload", "", "On the Sedimentload we have doubts.", "it names the title"),
        ("Sedimentloa", "", "On the Sedimentloa we have doubts.", "nothing suggests another paper"),
        ("Sedimentload", "", f"{'doubts ' * 430} on the Sedimentload", "nothing suggests another paper"),
        ("Rivers", "ab12", 'The record of "ab12" is short.', "it has the paper's id"),
        ("Rivers", "ab1", 'The record of "ab1" is short.', "nothing suggests another paper"),
        ("Rivers", "ab12", "The record of ab12 is short.", "nothing suggests another paper"),
    ],
)  # fmt: skip
def test_a_short_title_or_key_in_a_text_says_nothing(
    project: Project, tmp_path: Path, title: str, key: str, words: str, why: str
) -> None:
    first = PaperStore(project).add_paper(BEES)
    named = PaperStore(project).add_paper(title, external_id=key)
    (one,) = propose(project, [text(tmp_path / "letters.txt", words)]).files
    assert (one.place.why, one.place.paper_id) == (why, first if why.startswith("nothing") else named)


def test_each_file_is_named_while_it_is_looked_at(project: Project, tmp_path: Path) -> None:
    heard: list[tuple[float, str]] = []

    class Heard(QuietReport):
        def progress(self, fraction: float, words: str = "") -> None:
            heard.append((fraction, words))

    propose(project, [text(tmp_path / f"{name}.txt", "Why twelve?") for name in ("a", "b")], report=Heard())
    assert heard == [(0.0, "Reading a.txt"), (0.5, "Reading b.txt")]


def test_a_letter_in_a_pdf_is_a_letter_and_a_paper_about_replies_is_a_paper(
    two: dict[str, str], project: Project, service: DocumentService, tmp_path: Path
) -> None:
    from engine.exchange.rebuttal_forms import write_pdf
    from tests.engine.rebuttal.outlines import ASKED, make_outline

    replies = [f"We thank the reviewer. It is in Section {n} now." for n in range(5)]
    letter = tmp_path / "letter.pdf"
    letter.write_bytes(write_pdf(make_outline(replies), service).files[0].content)
    about = pdf(tmp_path / "about.pdf", "How authors write a response to reviewers of journals")
    proposal = propose(project, [letter, about], shown=two[BEES], service=service)
    assert [one.found.kind for one in proposal.files] == ["letter", "pdf"]
    assert proposal.files[0].found.readings and proposal.files[0].packed is None
    added = take_in(project, proposal.put(Place(two[BEES], BEES, 1.0, ""), [letter]))
    assert added.problems == [] and len(added.letters) == 1
    comments = ReviewStore(project).comments(paper_id=two[BEES])
    found = {" ".join(comment.comment.split()): comment.response for comment in comments}
    assert found == dict(zip(ASKED, replies, strict=True))
    assert len(PaperStore(project).versions(two[BEES])) == 1
    again = propose(project, [letter], service=service)
    assert again.files[0].place.paper_id == two[BEES]  # its text is there already
    assert violations(project) == ()


def test_a_review_in_a_pdf_is_no_version_of_the_paper_and_a_foreign_pdf_is_asked_about(
    project: Project, service: DocumentService, tmp_path: Path
) -> None:
    take_in(project, propose(project, [pdf(tmp_path / "hives.pdf", BEES, prose(1))], service=service))
    report, foreign = pdf(tmp_path / "hives (2).pdf", "Referee report"), pdf(tmp_path / "b.pdf", "", prose(2))
    found = propose(project, [report], service=service)
    assert found.certain and found.files[0].found.kind == "review"
    take_in(project, found)
    (paper,) = PaperStore(project).papers()
    assert len(PaperStore(project).versions(paper.id)) == 1 and ReviewStore(project).comments(paper_id=paper.id)
    found = propose(project, [foreign], service=service)
    assert not found.certain and found.files[0].place.paper_id == paper.id
    assert found.files[0].place.why == "the only paper, but it shares no text with its versions"
    for words in ("Abstract. We look at it.", "Long enough. " * 4_000):
        longer = tmp_path / "paper.pdf"
        with pymupdf.open() as document:
            for at in range(0, len(words), 4_000):
                document.new_page().insert_textbox(
                    pymupdf.Rect(72, 72, 520, 780), f"Reviewer 2\n\n{words[at : at + 4_000]}", fontsize=8
                )
            document.save(longer)
        assert propose(project, [longer], service=service).files[0].found.kind == "pdf"


def test_a_pdf_that_is_there_takes_no_place_of_another(
    project: Project, tmp_path: Path, service: DocumentService
) -> None:
    first, second = pdf(tmp_path / "a.pdf", BEES), pdf(tmp_path / "b.pdf", BEES, "Now there are more bees.")
    take_in(project, propose(project, [first], service=service))
    again = take_in(project, propose(project, [first, second], service=service))
    assert again.warnings == ["a.pdf is already in the project as a.pdf, so it wasn't added again."]
    (paper,) = PaperStore(project).papers()
    versions = [(one.label, one.filename) for one in PaperStore(project).versions(paper.id)]
    assert versions == [("submitted", "a.pdf"), ("revised", "b.pdf")]


def test_a_paper_is_not_called_reviews_after_the_folder_of_its_reviews(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "Wind 77" / "reviews"
    folder.mkdir(parents=True)
    (folder / "review_1.md").write_text("Reviewer 1\n\nThe baseline is weak. Please add another one.")
    take_in(project, propose(project, [folder / "review_1.md"]))
    assert [paper.title for paper in PaperStore(project).papers()] == ["Wind 77"]
