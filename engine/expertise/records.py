"""What flows between the rooms of the expertise domain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.papers.records import LibraryPaper

Representation = Literal["title", "title+abstract", "full text"]
REPRESENTATIONS: tuple[Representation, ...] = ("title", "title+abstract", "full text")


@dataclass(frozen=True, slots=True)
class PaperText:
    """What an algorithm may read of a paper; ``year`` is 0 and texts are empty where nobody knows them."""

    id: str
    title: str
    abstract: str = ""
    body: str = ""
    year: int = 0
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Participant:
    """A person with publications, keys of papers in the order of the source."""

    id: str
    name: str = ""
    papers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rating:
    """A self-assessed expertise, 1.0 to 5.0 in steps of 0.25, for having read ``paper``."""

    participant: str
    paper: str
    value: float


@dataclass(frozen=True, slots=True)
class GoldStandard:
    """A data set of ratings (Stelmakh et al. 2023, section 3). ``draws`` holds the published profile draws by name,
    participant to paper keys; without them ``engine.expertise.experiments`` draws profiles."""

    participants: tuple[Participant, ...]
    ratings: tuple[Rating, ...]
    papers: Mapping[str, PaperText]
    draws: Mapping[str, Mapping[str, tuple[str, ...]]]


# --- the survey ---------------------------------------------------------------------------------------------------

Side = Literal["organiser", "participant"]
RemarkLevel = Literal["remark", "block"]
MergeOutcome = Literal["added", "replaced", "kept"]


class Question(NamedTuple):
    """An optional question on the person, for the paper's Table 1; no ``choices``: the answer is free text."""

    key: str
    words: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """An expertise survey. ``key`` travels in the study file; ``id`` is this project's own. ``content_hash`` is that of
    the study file that was written or opened, empty before."""

    id: str
    key: str
    side: Side
    title: str
    organiser: str = ""
    contact: str = ""
    instructions: str = ""
    consent: str = ""
    released: str = ""
    withheld: str = ""
    min_papers: int = 5
    max_papers: int = 10
    questions: tuple[Question, ...] = ()
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class SurveyParticipant:
    """A person in a study; the e-mail is stored apart and is in no record. ``key`` travels in the answers file.
    ``answers`` are question keys with answers; times are ISO 8601, empty where it has not happened."""

    id: str
    study_id: str
    key: str
    name: str = ""
    consented_at: str = ""
    answers: tuple[tuple[str, str], ...] = ()
    finished_at: str = ""
    answers_hash: str = ""
    origin: str = "person"


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """A row of the survey: a paper with its rating, 1.0 to 5.0 in quarters, None where it is still to be given."""

    id: str
    participant_id: str
    paper: LibraryPaper
    value: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One of a participant's own publications; ``kept`` says whether it is part of the profile."""

    id: str
    participant_id: str
    paper: LibraryPaper
    kept: bool = True
    origin: str = "person"


@dataclass(frozen=True, slots=True)
class ReturnedFile:
    id: str
    study_id: str
    participant_id: str
    content_hash: str
    filename: str
    written_at: str
    outcome: MergeOutcome
    merged_at: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know about the answers so far: a sentence on it, and one on what could be done. ``rows`` are keys of
    the survey rows that it is about, empty for all. Only level "block" keeps from finishing."""

    kind: str
    level: RemarkLevel
    sentence: str
    advice: str = ""
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answers:
    """What a participant hands back, and all of it: no e-mail, no time, no notes. ``rows`` are papers with ratings in
    the participant's order, ``profile`` the publications that were kept, all without keys. ``study_hash`` is that of
    the study file that was answered."""

    study_key: str
    study_title: str
    study_hash: str
    participant: SurveyParticipant
    written_at: str
    rows: tuple[tuple[LibraryPaper, float], ...]
    profile: tuple[LibraryPaper, ...]
    content_hash: str = ""
