"""Records of the expertise domain."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from engine.papers.records import LibraryPaper

Representation = Literal["title", "title+abstract", "full text"]
REPRESENTATIONS: tuple[Representation, ...] = ("title", "title+abstract", "full text")


@dataclass(frozen=True, slots=True)
class PaperText:
    """What an algorithm can read of a paper; ``year`` is 0 and texts are empty if unknown."""

    id: str
    title: str
    abstract: str = ""
    body: str = ""
    year: int = 0
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Participant:
    """A person with publications, as keys of papers in the order of the source."""

    id: str
    name: str = ""
    papers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rating:
    """A self-assessed expertise for ``paper``, which the participant has read: 1.0 to 5.0 in steps of 0.25."""

    participant: str
    paper: str
    value: float


@dataclass(frozen=True, slots=True)
class GoldStandard:
    """A data set of ratings (Stelmakh et al. 2023, section 3). ``draws`` contains the published profile draws by name,
    as participant to paper keys; without them, ``engine.expertise.experiments`` draws profiles."""

    participants: tuple[Participant, ...]
    ratings: tuple[Rating, ...]
    papers: Mapping[str, PaperText]
    draws: Mapping[str, Mapping[str, tuple[str, ...]]]


Side = Literal["organiser", "participant"]
RemarkLevel = Literal["remark", "block"]
MergeOutcome = Literal["added", "replaced", "kept"]


class Question(NamedTuple):
    """An optional question about the person, for the paper's Table 1; without ``choices``, the answer is free text."""

    key: str
    words: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """An expertise survey. ``key`` is in the study file; ``id`` is this project's key. ``content_hash`` is that of the
    study file written or opened, "" before."""

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
    """A person in a study; the e-mail address is stored separately. ``key`` is in the answers file. ``answers`` are
    (question key, answer); times are ISO 8601, "" if it hasn't happened."""

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
    """A row of the survey: a paper with its rating, 1.0 to 5.0 in quarters, None if it is still missing."""

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
    """A remark on the answers so far: a sentence, and advice. ``rows`` are the keys of the survey rows concerned, empty
    for all. Only level "block" prevents finishing."""

    kind: str
    level: RemarkLevel
    sentence: str
    advice: str = ""
    rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answers:
    """Everything that a participant returns: no e-mail address, no times, no notes. ``rows`` are papers with ratings in
    the participant's order, ``profile`` the kept publications, all without keys. ``study_hash`` is that of the study
    file answered."""

    study_key: str
    study_title: str
    study_hash: str
    participant: SurveyParticipant
    written_at: str
    rows: tuple[tuple[LibraryPaper, float], ...]
    profile: tuple[LibraryPaper, ...]
    content_hash: str = ""
