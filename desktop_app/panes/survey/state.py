"""State of the two survey panes: the organiser's studies, and a participant's answers. No Qt."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from desktop_app import present
from engine.expertise.records import ProfileRow, Remark, ReturnedFile, Study, SurveyParticipant, SurveyRow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import new_study, remarks
from engine.files import make_private_folder, write_whole
from engine.papers.library import Library
from engine.papers.records import LibraryPaper
from engine.project import Project, now
from engine.shown import counted

if TYPE_CHECKING:
    from engine.exchange.study_file import AnswersPreview


def rich(text: str) -> str:
    """Paragraphs (separated by empty lines) and ``**bold**`` as HTML; everything else is escaped."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    escaped = (html.escape(part, quote=False).replace("\n", "<br>") for part in parts)
    bold = (re.sub(r"[*][*](.+?)[*][*]", r"<b>\1</b>", part) for part in escaped)
    return "".join(f'<p style="margin:0 0 10px 0; line-height:145%">{part}</p>' for part in bold)


def heading(paper: LibraryPaper) -> str:
    arxiv = f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""
    return paper.title or paper.link or paper.doi or arxiv or f"Paper {paper.source_id}".rstrip()


def details(paper: LibraryPaper) -> str:
    names = list(paper.authors[:3]) + (["et al."] if len(paper.authors) > 3 else [])
    parts = [", ".join(names), str(paper.year) if paper.year else "", paper.venue]
    return " · ".join(part for part in parts if part)


def address(paper: LibraryPaper) -> str:
    """Returns the paper's web address; empty if it has none. Links may come from others' files, so only web addresses
    are returned, never files or scripts."""
    if re.match(r"(?i)https?://", paper.link):
        return paper.link
    if re.match(r"(?i)(www\.|[\w-]+(\.[\w-]+)+/)", paper.link):
        return f"https://{paper.link}"
    if paper.arxiv_id:
        return f"https://arxiv.org/abs/{paper.arxiv_id}"
    return f"https://doi.org/{paper.doi}" if paper.doi else ""


def minutes(seconds: float) -> str:
    """Formats a duration, such as "less than a minute", "4 min"."""
    whole = int(seconds // 60)
    return "less than a minute" if whole < 1 else f"{whole} min"


CONSENT, PROFILE, RATINGS, RELEASE = range(4)
STEPS = ("The study", "About you", "Papers", "Check and save")


@dataclass(frozen=True, slots=True)
class Person:
    """A participant with the answers; ``publications`` is the number of those in the profile."""

    participant: SurveyParticipant
    rows: tuple[SurveyRow, ...]
    publications: int
    files: tuple[ReturnedFile, ...]


class OrganiserState:
    """The studies of a project, the current one, and its participants."""

    def __init__(self) -> None:
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.store = SurveyStore(project) if project is not None else None
        self.studies: tuple[Study, ...] = ()
        self.study: Study | None = None
        self.people: tuple[Person, ...] = ()
        self._wanted = ""

    def read(self) -> bool:
        """Reads the studies and the participants of the current one. Returns False if there is no study."""
        self.studies = tuple(self.store.studies("organiser")) if self.store is not None else ()
        last = self.studies[-1] if self.studies else None
        self.study = next((study for study in self.studies if study.id == self._wanted), last)
        self._wanted = self.study.id if self.study is not None else self._wanted
        self.people = self._read_people(self.study.id) if self.study is not None else ()
        return self.study is not None

    def _read_people(self, study_id: str) -> tuple[Person, ...]:
        assert self.store is not None
        files = self.store.returned_files(study_id)
        rows, publications = self.store.rows_of_study(study_id), self.store.publications_of_study(study_id)
        return tuple(
            Person(
                one,
                rows.get(one.id, ()),
                publications.get(one.id, 0),
                tuple(file for file in files if file.participant_id == one.id),
            )
            for one in self.store.participants(study_id)
        )

    @property
    def status(self) -> str:
        if not self.people:
            return "No answers yet"
        ratings = sum(row.value is not None for person in self.people for row in person.rows)
        return f"{counted(len(self.people), 'participant')} · {counted(ratings, 'rating')}"

    def can_write(self) -> bool:
        return self.project is not None and not self.project.read_only

    def has_study(self) -> bool:
        return self.study is not None

    def can_change(self) -> bool:
        return self.can_write() and self.has_study()

    def choose(self, study_id: str) -> None:
        """Selects the study for the next ``read``."""
        self._wanted = study_id

    def choose_next(self) -> None:
        keys = [study.id for study in self.studies]
        self.choose(keys[(keys.index(self._wanted) + 1) % len(keys)])

    def choose_study_of(self, path: Path) -> None:
        """Selects the study that an answers file belongs to, if this project has it."""
        from engine.exchange.study_file import read_answers_file

        study = present(self.store).study_by_key(read_answers_file(path).study_key, "organiser")
        if study is not None:
            self.choose(study.id)

    def add_study(self, organiser: str) -> None:
        self.choose(present(self.store).add_study(new_study(organiser=organiser)))

    def write_study(self, path: Path) -> Path:
        """Writes the study file, adding its ending if needed, and records its hash in the project. Returns its path."""
        from engine.exchange.study_file import STUDY_ENDING, content_hash_of, study_file

        assert self.study is not None
        path, content = _with_ending(path, STUDY_ENDING), study_file(self.study).content
        write_whole(path, content)
        present(self.store).set_content_hash(self.study.id, content_hash_of(content))
        return path

    def write_trial(self, folder: Path) -> Path:
        """Writes the study file with another key, so that answers to the trial can't be merged. Returns its path."""
        from engine.exchange.study_file import STUDY_ENDING, study_file

        assert self.study is not None
        trial = replace(self.study, key=f"{self.study.key}-trial", title=f"{self.study.title} (trial)")
        path = folder / f"{self.study.id}{STUDY_ENDING}"
        make_private_folder(folder)
        write_whole(path, study_file(trial).content)
        return path


@dataclass(frozen=True, slots=True)
class Survey:
    """A snapshot of a participant's survey."""

    study: Study
    participant: SurveyParticipant
    rows: tuple[SurveyRow, ...]
    profile: tuple[ProfileRow, ...]
    remarks: tuple[Remark, ...]
    email: str
    own: Library = field(compare=False)
    """The papers of the profile, for searching."""

    @property
    def agreed(self) -> bool:
        return bool(self.participant.consented_at) or not self.study.consent.strip()

    @property
    def rated(self) -> int:
        return sum(row.value is not None for row in self.rows)

    @property
    def kept(self) -> int:
        return sum(row.kept for row in self.profile)

    @property
    def blocks(self) -> tuple[Remark, ...]:
        """The remarks that prevent the answers file from being written."""
        return tuple(remark for remark in self.remarks if remark.level == "block")


def read_survey(store: SurveyStore, known: Survey | None = None) -> Survey | None:
    """Returns the survey of the project's participant, or None. Reuses the profile of ``known``, so that rating a paper
    doesn't read hundreds of publications."""
    studies = store.studies("participant")
    if not studies:
        return None
    study = studies[0]
    participant = store.participants(study.id)[0]
    rows = store.rows(participant.id)
    profile = known.profile if known is not None else store.profile(participant.id)
    own = known.own if known is not None else Library(row.paper for row in profile)
    found = remarks(study, participant, rows, profile, own=own)
    return Survey(study, participant, rows, profile, found, store.email(participant.id), own)


class ParticipantState:
    """The answers, the current page, and a preview of the answers file."""

    def __init__(self) -> None:
        self.open(None)

    def open(self, project: Project | None) -> None:
        self.project = project
        self.store = SurveyStore(project) if project is not None else None
        self.survey: Survey | None = None
        self.step = CONSENT
        self.saved_to: Path | None = None
        self.profile_changed = True
        self._placed = False
        self._library: Library | None = None
        self._preview: AnswersPreview | None = None
        self._previewed: object = None

    def read(self) -> Survey | None:
        """Reads the answers. The first time, also selects the page to continue on; without consent, the first page."""
        known = None if self.profile_changed else self.survey
        self.survey, self._library, self.profile_changed = read_survey(present(self.store), known), None, False
        survey = self.survey
        if survey is not None and not survey.agreed:
            self.step = CONSENT
        elif survey is not None and not self._placed:
            self.step = RATINGS if survey.rows or survey.profile else PROFILE
        self._placed = self._placed or survey is not None
        return survey

    def can_write(self) -> bool:
        return self.survey is not None and self.project is not None and not self.project.read_only

    def can_add(self) -> bool:
        return self.can_write() and self.step in (PROFILE, RATINGS)

    def can_save(self) -> bool:
        return self.can_write() and self.survey is not None and not self.survey.blocks

    def can_go_on(self) -> bool:
        return self.survey is not None and (self.step != RELEASE or self.can_save())

    def can_go_back(self) -> bool:
        return self.survey is not None and self.step > CONSENT

    def has_agreed(self) -> bool:
        return self.can_write() and self.survey is not None and bool(self.survey.participant.consented_at)

    def next_title(self) -> str:
        if self.survey is None:
            return "Continue"
        if self.step == CONSENT and not self.survey.agreed:
            return "Agree and begin"
        return "Save the answers file…" if self.step == RELEASE else f"Continue to “{STEPS[self.step + 1]}”"

    def go_to(self, step: int) -> None:
        self.step = step if self.survey is not None and self.survey.agreed else CONSENT

    @property
    def library(self) -> Library:
        if self._library is None:
            self._library = present(self.store).library.index()
        return self._library

    def known(self, paper: LibraryPaper) -> LibraryPaper:
        """Returns the library's record of a paper, or else the paper itself."""
        match = self.library.find(paper)
        return match.paper if match is not None else paper

    def recognise(self, text: str) -> list[LibraryPaper]:
        """Returns the papers in a text: a link, an identifier, a title, or BibTeX with one or more papers."""
        from engine.exchange.publications import recognise_paper

        entry = recognise_paper(text)
        return [self.known(paper) for paper in (entry.paper, *entry.further) if heading(paper) != "Paper"]

    def add_papers(self, papers: Sequence[LibraryPaper]) -> tuple[str, list[LibraryPaper]]:
        """Adds papers to the list of the current page (publications, or papers to rate) in one undo step. Returns the
        key of the first new row to rate ("" on the page of publications), and the papers as they are stored."""
        assert self.store is not None
        participant = present(self.survey).participant.id
        if self.step == PROFILE:
            return "", [row.paper for row in self.store.add_publications(participant, papers)]
        made = self.store.add_rows(participant, [(paper, None) for paper in papers])
        return made[0], [self.store.row(key).paper for key in made]

    def row(self, key: str) -> SurveyRow | None:
        return next((row for row in self.survey.rows if row.id == key), None) if self.survey is not None else None

    def neighbour(self, key: str) -> str:
        """Returns the row to select after a row is removed: the next one, else the previous one, else ""."""
        keys = [row.id for row in self.survey.rows] if self.survey is not None else []
        place = keys.index(key)
        return (keys[place + 1 : place + 2] or keys[max(place - 1, 0) : place] or [""])[0]

    def preview(self) -> "AnswersPreview | None":
        """Returns the answers file as it would be written; None while something required is missing. It is dated when
        its content was saved or first shown, so that unchanged answers give the same file."""
        from engine.exchange.study_file import preview_release

        survey = self.survey
        if survey is None or survey.blocks:
            self._preview = None
            return None
        participant = replace(survey.participant, finished_at="", answers_hash="")
        content = (survey.study, participant, survey.rows, survey.profile)
        if self._preview is None or self._previewed != content:
            saved_at, self._previewed = survey.participant.finished_at, content
            self._preview = preview_release(*content, written_at=saved_at or now())
            if saved_at and not self.is_saved():
                self._preview = preview_release(*content, written_at=now())
            if not self.is_saved():
                self.saved_to = None
        return self._preview

    def is_saved(self) -> bool:
        made = self._preview
        return made is not None and made.content_hash == present(self.survey).participant.answers_hash

    def save(self, path: Path) -> None:
        """Writes the answers file exactly as shown, and records that in the project."""
        from engine.exchange.study_file import ANSWERS_ENDING

        assert self._preview is not None
        path = _with_ending(path, ANSWERS_ENDING)
        write_whole(path, self._preview.file.content)
        self.saved_to = path
        made = self._preview
        present(self.store).finish(present(self.survey).participant.id, made.written_at, made.content_hash)

    def saved_text(self) -> str:
        """Says what was saved and what to do with it; empty if nothing was saved."""
        assert self.survey is not None
        study = self.survey.study
        contact = study.contact or study.organiser or "the person who sent you the study"
        if self.saved_to is not None:
            return f"Saved {self.saved_to.name}. Send it to {contact}. There's nothing else to do."
        if self.is_saved():
            return (
                f"You saved these answers earlier. If you change anything, save them again and send them to {contact}."
            )
        if self.survey.participant.finished_at:  # saved without the file's date, so it may be unchanged
            again = f"If you have changed anything since, save it again and send it to {contact}."
            return f"You saved an answers file earlier. {again}"
        return ""


def _with_ending(path: Path, ending: str) -> Path:
    return path if path.suffix == ending else path.with_name(path.name + ending)
