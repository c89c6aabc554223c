"""The two files of a survey: the study that an organiser distributes, and a participant's answers.

Both are checksummed (``checksummed.py``). ``preview_release`` returns the exact bytes of an answers file before it is
written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BadInput
from engine.exchange.checksummed import Reader, broken, document_in, hash_of, opened, signed
from engine.exchange.records import ExportFile
from engine.expertise.records import Answers, ProfileRow, Question, Study, SurveyParticipant, SurveyRow
from engine.expertise.survey import GRID, remarks
from engine.papers.records import LibraryPaper
from engine.shown import counted

STUDY_ENDING, ANSWERS_ENDING = ".rejoinder-study", ".rejoinder-answers"
STUDY_TAG, ANSWERS_TAG = "rejoinder-study", "rejoinder-answers"
VERSION = 1
MAX_BYTES = 20_000_000
"""Maximum file size; a profile of a thousand papers with abstracts takes 2 MB."""

_STUDY_TEXTS = ("key", "title", "organiser", "contact", "instructions", "consent", "released", "withheld")
_PAPER_TEXTS = ("title", "abstract", "venue", "doi", "arxiv_id", "source_id", "link")


def study_file(study: Study) -> ExportFile:
    """Returns the study file; equal studies give equal bytes. Its hash is ``content_hash_of`` the file's bytes."""
    document = {
        "format": STUDY_TAG,
        "version": VERSION,
        "study": {
            **{name: getattr(study, name) for name in _STUDY_TEXTS},
            "min_papers": study.min_papers,
            "max_papers": study.max_papers,
            "questions": [{"key": q.key, "words": q.words, "choices": list(q.choices)} for q in study.questions],
        },
    }
    return ExportFile(_file_name(study.title) + STUDY_ENDING, signed(document))


@dataclass(frozen=True, slots=True)
class AnswersPreview:
    """The answers file that would be written, and its content as sentences and figures for the user."""

    file: ExportFile
    content_hash: str
    written_at: str
    sentences: tuple[str, ...]
    ratings: tuple[tuple[str, float], ...]
    publications: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]


def preview_release(
    study: Study,
    participant: SurveyParticipant,
    rows: Sequence[SurveyRow],
    profile: Sequence[ProfileRow],
    *,
    written_at: str,
) -> AnswersPreview:
    """Returns exactly what an answers file contains before it is written; ``file.content`` has its bytes.

    ``written_at`` (ISO 8601) is stored in the file, so that the newer of two files can be determined.

    Raises BadInput if something required is missing (a paper, a rating, the consent).
    """
    blocks = [remark for remark in remarks(study, participant, rows, profile) if remark.level == "block"]
    if blocks:
        raise BadInput(blocks[0].sentence, "The answers aren't complete yet.", blocks[0].advice)
    papers: list[LibraryPaper] = []
    places: dict[str, str] = {}

    def place(paper: LibraryPaper) -> str:
        if paper.id not in places:
            papers.append(paper)
            places[paper.id] = f"p{len(papers)}"
        return places[paper.id]

    kept = [row.paper for row in profile if row.kept]
    ratings = [{"paper": place(row.paper), "value": row.value} for row in rows]
    own = [place(paper) for paper in kept]
    answers = [(question, answer) for question, answer in participant.answers if answer]
    document = {
        "format": ANSWERS_TAG,
        "version": VERSION,
        "study": {"key": study.key, "title": study.title, "hash": study.content_hash},
        "written_at": written_at,
        "participant": {
            "key": participant.key,
            "name": participant.name,
            "consented_at": participant.consented_at,
            "answers": dict(answers),
        },
        "ratings": ratings,
        "profile": own,
        "papers": {places[paper.id]: _paper_object(paper) for paper in papers},
    }
    content = signed(document)
    name = _file_name(f"{study.title}-{participant.name or participant.key[-6:]}") + ANSWERS_ENDING
    words = {question.key: question.words for question in study.questions}
    return AnswersPreview(
        file=ExportFile(name, content),
        content_hash=content_hash_of(content, name),
        written_at=written_at,
        sentences=(
            f"Your name: {participant.name or 'not given'}.",
            f"{counted(len(ratings), 'rating')} with title, authors, abstract and links of the papers.",
            f"{counted(len(own), 'publication')} of yours that you included.",
            f"{counted(len(answers), 'answer')} to questions about you." if answers else "No answers about you.",
            "Not in the file: your e-mail address, your notes, the time you needed, publications you left out.",
        ),
        ratings=tuple((_called(row.paper), row.value or 0.0) for row in rows),
        publications=tuple(map(_called, kept)),
        answers=tuple((words.get(question, question), answer) for question, answer in answers),
    )


def _called(paper: LibraryPaper) -> str:
    return paper.title or paper.link or paper.doi or paper.arxiv_id


def _paper_object(paper: LibraryPaper) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(paper, name) for name in _PAPER_TEXTS if getattr(paper, name)}
    if paper.year:
        found["year"] = paper.year
    if paper.authors:
        found["authors"] = list(paper.authors)
    if paper.areas:
        found["areas"] = list(paper.areas)
    if paper.open_access is not None:
        found["open_access"] = paper.open_access
    return found


def _file_name(words: str) -> str:
    kept = "".join(ch if ch.isalnum() else "-" for ch in words.lower())
    return "-".join(part for part in kept.split("-") if part)[:80] or "survey"


def read_study_file(source: Path | bytes, name: str = "") -> Study:
    """Reads a study file as a participant's study. Raises BadInput if the file isn't a study file, was written by a
    newer Rejoinder, is damaged, or is invalid."""
    document, name = opened(source, name, STUDY_TAG, version=VERSION, most=MAX_BYTES)
    given = Reader(document, name).object("study")
    study = Study(
        id="",
        side="participant",
        min_papers=given.whole("min_papers", 1, 1000),
        max_papers=given.whole("max_papers", 1, 1000),
        questions=tuple(
            Question(q.text("key"), q.text("words"), tuple(q.texts("choices"))) for q in given.objects("questions")
        ),
        content_hash=hash_of(document),
        **{text: given.text(text) for text in _STUDY_TEXTS},
    )
    if study.min_papers > study.max_papers or not study.key or not study.title.strip():
        raise broken(name, "its title, key or number of papers is invalid")
    return study


def read_answers_file(source: Path | bytes, name: str = "") -> Answers:
    """Reads an answers file. Raises BadInput like ``read_study_file``, and for ratings that aren't on the scale."""
    document, name = opened(source, name, ANSWERS_TAG, version=VERSION, most=MAX_BYTES)
    given = Reader(document, name)
    study, person = given.object("study"), given.object("participant")
    listed = given.object("papers")
    papers = {key: _paper(listed.object(key)) for key in listed.document}

    def paper(key: str) -> LibraryPaper:
        if key not in papers:
            raise broken(name, f"the paper {key} is missing")
        return papers[key]

    rows = []
    for rating in given.objects("ratings"):
        value = rating.document.get("value")
        if isinstance(value, bool) or not isinstance(value, int | float) or value not in GRID:
            raise broken(name, f"{value!r} isn't a rating on the scale")
        rows.append((paper(rating.text("paper")), float(value)))
    answers = person.object("answers")
    participant = SurveyParticipant(
        id="",
        study_id="",
        key=person.text("key"),
        name=person.text("name"),
        consented_at=person.text("consented_at"),
        answers=tuple((question, answers.text(question)) for question in answers.document),
        origin=f"import:{name}",
    )
    if not participant.key or not rows:
        raise broken(name, "it has no participant or no ratings")
    return Answers(
        study_key=study.text("key"),
        study_title=study.text("title"),
        study_hash=study.text("hash"),
        participant=participant,
        written_at=given.text("written_at"),
        rows=tuple(rows),
        profile=tuple(paper(key) for key in given.texts("profile")),
        content_hash=hash_of(document),
    )


def _paper(given: Reader) -> LibraryPaper:
    year, open_access = given.document.get("year", 0), given.document.get("open_access")
    texts = {text: given.text(text, "") for text in _PAPER_TEXTS}
    if not any(texts[text].strip() for text in ("title", "doi", "arxiv_id", "link", "source_id")):
        raise broken(given.name, "a paper has neither title nor link")
    return LibraryPaper(
        id="",
        year=year if isinstance(year, int) and not isinstance(year, bool) and 0 <= year <= 9999 else 0,
        authors=tuple(given.texts("authors", [])),
        areas=tuple(given.texts("areas", [])),
        open_access=open_access if isinstance(open_access, bool) else None,
        **texts,
    )


def content_hash_of(content: bytes, name: str = "") -> str:
    """Returns the hash of a study or answers file, as computed when reading it."""
    return hash_of(document_in(content, name))
