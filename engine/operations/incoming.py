"""Incoming files: determines what each is and which paper it belongs to, and imports them as one undo step.

``propose`` changes nothing; users can choose a different place for a file (``Proposal.put``); ``take_in`` imports
according to the proposal.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Literal

from engine import user_files
from engine.documents.codec import decode
from engine.documents.records import PackedDocument, ParsedDocument
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput, EnvironmentProblem, about
from engine.exchange.encoding import Decoded
from engine.exchange.pdf_text import pdf_text
from engine.exchange.sniff import TITLES, Sniffed, marked_letter, sniff, sniff_text
from engine.jobs import DuplicatePolicy, Report, task
from engine.papers.library import title_key
from engine.papers.records import Paper
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.marks import Reading
from engine.reviews.naming import head_name

SAME = 0.8
"""From this similarity on, a file is assumed to belong to a paper."""
OTHER = 0.5
"""A PDF whose title is less similar to every paper is assumed to be a new one."""
REVISED_WORDS = ("revis", "camera", "final", "accepted", "resubmi", "v2", "version2", "new", "r1")
SUBMITTED_WORDS = ("submit", "submission", "original", "initial", "v1", "version1", "old", "preprint")
SAME_TEXT = 0.05
"""From this share of common word sequences on, two PDFs are versions of one paper, whatever their titles. Of 4,005
pairs of different papers, the most similar shared 0.02; of 34 pairs of a submitted and a revised version, the least
similar 0.56."""
_RUN = 8
_FEWEST_RUNS = 100
"""Texts with fewer sequences are too short to compare."""
_NAMELESS = (*REVISED_WORDS, *SUBMITTED_WORDS, "review", "response")
_HEAD = 3_000
"""Characters at the start of a text in which it may name its paper."""
_SHORTEST_TITLE = 12
_LETTER_HEAD = re.compile(
    r"\b(?:response|repl(?:y|ies)|answers?|letter)\b.{0,40}\b(?:reviews?|reviewers?|referees?|comments|editors?)\b"
    r"|\brebuttal\b|\bpoint[- ]by[- ]point\b|\b(?:reviewer|referee) ?#? ?\d",
    re.IGNORECASE,
)
"""Matches the beginning of a PDF that is a letter; comments with responses must also be found in it."""
_REVIEW_HEAD = re.compile(
    r"\b(?:reviewer|referee)s?(?:['’]s?)? ?(?:report|comments|[#:]? ?\d)|\b(?:referee|official|peer) review\b"
    r"|\breview (?:of|for) (?:the |this )?(?:manuscript|submission|article|paper)\b"
    r"|\b(?:comments|remarks) (?:to|for) the (?:author|editor)",
    re.IGNORECASE,
)
"""Matches the beginning of a PDF that is a review, which has neither an abstract nor a list of references."""
_REVIEW_LENGTH = 40_000
"""A PDF with more characters is a paper."""


@dataclass(frozen=True, slots=True)
class Place:
    """A paper that a file may belong to, a new one without ``paper_id``. ``likeness`` is 0 to 1, ``why`` a phrase."""

    paper_id: str
    title: str
    likeness: float
    why: str


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file with its possible places, the proposed one first. ``title`` is the title in the file."""

    path: Path
    found: Sniffed
    places: tuple[Place, ...]
    title: str = ""
    packed: PackedDocument | None = field(default=None, repr=False, compare=False)
    runs: frozenset[int] = field(default=frozenset(), repr=False, compare=False)
    """The word sequences of a PDF."""
    remarks: tuple[str, ...] = ()
    """Sentences about what couldn't be read properly in a PDF."""
    reading: Reading | None = None
    """How the user wants a letter to be read; None to read it as proposed."""

    @property
    def place(self) -> Place:
        return self.places[0]

    @property
    def what(self) -> str:
        return TITLES[self.found.kind]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The paper that each file goes to, and what can't be imported. New places with the same title are one paper."""

    files: tuple[Incoming, ...]
    problems: tuple[EnvironmentProblem, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether no confirmation is needed: all files go to one place, and nothing suggests another."""
        return len({(one.place.paper_id, one.place.title) for one in self.files}) <= 1 and all(
            (one.place.likeness >= SAME or len(one.places) == 1) and not one.found.unsure for one in self.files
        )

    def read_as(self, path: Path, reading: Reading) -> "Proposal":
        """Returns the proposal with a letter read in a different way."""
        return replace(
            self, files=tuple(replace(one, reading=reading) if one.path == path else one for one in self.files)
        )

    def put(self, place: Place, paths: Iterable[Path] | None = None) -> "Proposal":
        """Returns the proposal with these files (default: all) in a different place."""
        chosen = {one.path for one in self.files} if paths is None else set(paths)

        def put(one: Incoming) -> Incoming:
            others = (p for p in one.places if (p.paper_id, p.title) != (place.paper_id, place.title))
            return replace(one, places=(place, *others)) if one.path in chosen else one

        return replace(self, files=tuple(map(put, self.files)))


def propose(
    project: Project,
    paths: Sequence[Path],
    *,
    shown: str = "",
    service: DocumentService | None = None,
    report: Report | None = None,
    pasted: str = "",
) -> Proposal:
    """Proposes a paper for each file, by titles, ids, names and folders; changes nothing.

    ``shown`` is the paper that the user is viewing, which is proposed if nothing suggests another one. With
    ``service``, PDFs are parsed for their titles, and needn't be parsed again when imported. ``pasted`` is a text
    without a file.
    """
    problems: list[EnvironmentProblem] = []
    looked: list[Incoming] = []
    for at, path in enumerate(paths):
        if report is not None:
            report.progress(at / len(paths), f"Reading {path.name}")
        try:
            one = Incoming(path, sniff(path), ())
            looked.append(_read_pdf(one, service, report) if one.found.kind == "pdf" and service else one)
        except EnvironmentProblem as problem:
            problems.append(problem)
    known = _known(project)
    if pasted:
        head = head_name(pasted)  # no suffix: it isn't a file, and must not be called one in messages and steps
        path = project.path.with_name(f"{head} (pasted)" if head else "Pasted text")
        title = "" if known else project.title
        try:
            looked.append(Incoming(path, sniff_text(Decoded(pasted, "utf-8"), path), (), title))
        except EnvironmentProblem as problem:
            problems.append(problem)
    judged = [replace(one, places=_places(project, one, known)) for one in looked]
    return Proposal(tuple(_settled(judged, known, shown)), tuple(problems))


@task(
    "operations.propose",
    lambda paths, **_: (
        f"Read {paths[0].name if paths else 'pasted text'}" if len(paths) < 2 else f"Read {len(paths)} files"
    ),
    DuplicatePolicy.AFTER,
)
def propose_files(
    report: Report,
    project: Project,
    service: DocumentService,
    paths: tuple[Path, ...],
    shown: str = "",
    *,
    pasted: str = "",
) -> Proposal:
    """Runs ``propose`` as a job."""
    return propose(project, paths, shown=shown, service=service, report=report, pasted=pasted)


def file_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"{path.name} couldn't be read: {error.strerror}.", "It was not added.", "Check the file and its folder."
        ) from error


@dataclass(frozen=True, slots=True)
class _Known:
    """A paper with all its known titles; ``read`` is whether one of them was read from its PDF."""

    paper: Paper
    titles: tuple[str, ...]
    read: bool
    runs: Callable[[], Sequence[frozenset[int]]]
    """The word sequences of each parsed version."""


def _known(project: Project) -> tuple[_Known, ...]:
    from engine.papers.pdf_metadata import pdf_paper

    papers, documents = PaperStore(project), DocumentStore(project)
    found = []
    for paper in papers.papers():
        read = []
        for version in papers.versions(paper.id)[:2]:
            title = documents.document(version.document_id).title
            if not title and (parsed := documents.parsed(version.document_id)) is not None:
                title = pdf_paper(parsed).title
            read += [title] if title else []
        ids = [version.document_id for version in papers.versions(paper.id)]
        found.append(
            _Known(
                paper, tuple(dict.fromkeys((paper.title, *read))), bool(read), cache(partial(_all_runs, documents, ids))
            )
        )
    return tuple(found)


def _all_runs(documents: DocumentStore, ids: Sequence[str]) -> list[frozenset[int]]:
    return [_runs(parsed) for key in ids if (parsed := documents.parsed(key)) is not None]


def _runs(parsed: ParsedDocument) -> frozenset[int]:
    text = " ".join(part.text for part in parsed.paragraphs if part.kind != "reference")
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return frozenset(map(hash, zip(*(words[at:] for at in range(_RUN)), strict=False)))


def _same_text(first: frozenset[int], second: frozenset[int]) -> bool:
    least = min(len(first), len(second))
    return least >= _FEWEST_RUNS and len(first & second) >= SAME_TEXT * least


def _foreign(one: Incoming, versions: Sequence[frozenset[int]]) -> bool:
    """Returns whether a PDF shares no text with any of these versions, all long enough to compare."""
    long = len(one.runs) >= _FEWEST_RUNS and any(len(runs) >= _FEWEST_RUNS for runs in versions)
    return long and not any(_same_text(one.runs, runs) for runs in versions)


def _read_pdf(one: Incoming, service: DocumentService, report: Report | None) -> Incoming:
    """Reads a PDF as a version of a paper, with its title, or as a letter if its beginning looks like one."""
    from engine.papers.pdf_metadata import pdf_paper

    with about(one.path.name):
        packed = service.read(
            file_bytes(one.path), progress=None if report is None else lambda _fraction, _words: report.check()
        )
    parsed = decode(packed.content)
    head = " ".join([one.path.stem.replace("_", " "), *(part.text for part in parsed.paragraphs[:12])])[:_HEAD]
    review = _REVIEW_HEAD.search(head) is not None and not _is_paper(parsed)
    letter = _as_text(one, service, review) if review or _LETTER_HEAD.search(head) else None
    title = " ".join(pdf_paper(parsed).title.split())
    return letter or replace(one, title=title, packed=packed, runs=_runs(parsed), remarks=parsed.remarks)


def _is_paper(parsed: ParsedDocument) -> bool:
    """Returns whether a document is long, or has an abstract or a list of references."""
    parts = parsed.paragraphs
    return (
        sum(len(part.text) for part in parts) > _REVIEW_LENGTH
        or sum(part.kind == "reference" for part in parts) > 2
        or any(re.match(r"\W*abstract\b", part.text, re.IGNORECASE) for part in parts)
    )


def _as_text(one: Incoming, service: DocumentService, review: bool) -> Incoming | None:
    """Returns a PDF as a letter with its possible readings, or as a ``review``; None if it contains no comments with
    responses and is no review. Raises BadInput if it has no text, or more than ``limits`` allows."""
    found = marked_letter(pdf_text(file_bytes(one.path), one.path.name, service), one.path)
    if not (found.kind == "letter" and found.readings) and not review:
        return None
    return replace(one, found=found, title="", packed=None)


def _places(project: Project, one: Incoming, known: Sequence[_Known]) -> tuple[Place, ...]:
    """Returns the papers that a file may belong to, most similar first."""
    found = [Place(entry.paper.id, entry.paper.title, *_likeness(project, one, entry)) for entry in known]
    return tuple(sorted(found, key=lambda place: -place.likeness))


def _likeness(project: Project, one: Incoming, entry: _Known) -> tuple[float, str]:
    if is_there(project, one, entry.paper.id):
        return 1.0, "it's already there"
    if one.found.text is not None:
        if _names(one, entry.titles):
            return 0.95, "it names the title"
        identity = entry.paper.external_id
        if len(identity) > 3 and f'"{identity}"' in one.found.text:
            return 0.95, "it has the paper's id"
    by_title = max((_alike(one.title, title) for title in entry.titles), default=0.0) if one.title else 0.0
    by_name = max(_alike(_named(one.path), title) for title in entry.titles)
    if by_title < SAME and one.runs and any(_same_text(one.runs, runs) for runs in entry.runs()):
        return 0.9, "much of the text is the same"
    if by_title >= by_name or (one.title and entry.read):
        return by_title, "by its title"
    return by_name, "by its name"


def _names(one: Incoming, titles: Iterable[str]) -> bool:
    """Returns whether a text begins with one of these titles, or names it near its beginning."""
    head = title_key((one.found.text or "")[:_HEAD])
    return any(len(name) >= _SHORTEST_TITLE and name in head for name in map(title_key, titles))


def is_there(project: Project, one: Incoming, paper_id: str) -> bool:
    """Returns whether the paper already has this file as a version, or this text."""
    if one.found.text is None:
        sha256 = one.packed.sha256 if one.packed else _sha256(one.path)
        rows = project.query(
            "SELECT 1 FROM paper_version v JOIN document d ON d.id = v.document_id"
            " WHERE v.paper_id = ? AND d.sha256 = ?",
            (paper_id, sha256),
        )
    else:
        rows = project.query("SELECT 1 FROM source_text WHERE paper_id = ? AND text = ?", (paper_id, one.found.text))
    return bool(rows)


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""  # reported when it is imported


def _alike(first: str, second: str) -> float:
    from rapidfuzz import fuzz

    keys = title_key(first), title_key(second)
    return fuzz.token_sort_ratio(*keys) / 100 if all(keys) else 0.0


def _named(path: Path) -> str:
    """Returns a file's name as a title, or a folder's if the name only says what it contains."""
    names = (path.stem, *(folder.name for folder in path.absolute().parents[:2]))
    said = (name for name in names if not any(name.lower().startswith(word) for word in _NAMELESS))
    return next(said, "").replace("_", " ").strip() or "Paper"


def _settled(files: Sequence[Incoming], known: Sequence[_Known], shown: str) -> list[Incoming]:
    """Chooses one place for each file: first for files that show where they belong, then for the
    others next to them."""
    certain: dict[Path, Place] = {}
    fresh: list[tuple[Place, Incoming]] = []
    for one in sorted(files, key=lambda one: not one.title):
        best = one.places[0] if one.places else None
        own = bool(one.title) and not _could_be_known(one, known)
        near = (
            place
            for place, twin in fresh
            if _same_text(one.runs, twin.runs)
            or (own and _alike(place.title, one.title) >= OTHER)
            or _names(one, [place.title])
        )
        if best is not None and best.likeness >= SAME:
            certain[one.path] = best
        elif (place := next(near, None)) is not None:
            certain[one.path] = place
        elif own:
            certain[one.path] = place = Place("", one.title, SAME if known else 1.0, "it has its own title")
            fresh.append((place, one))
    beside = _only(place for place in certain.values()) if certain else None
    if beside is not None:
        beside = replace(beside, why="in the same folder as the other files")
    else:
        entry = next((e for e in known if e.paper.id == shown), known[0] if known else None)
        if entry is not None:
            alone = len(known) == 1
            why = (
                "the only paper" if alone else "the paper that is shown" if shown else "nothing suggests another paper"
            )
            beside = Place(entry.paper.id, entry.paper.title, SAME if alone else 0.3, why)
        else:
            first = next((one for one in files if one.found.kind == "pdf"), files[0] if files else None)
            beside = Place("", first.title or _named(first.path) if first else "Paper", 1.0, "the first paper")
    settled = []
    for one in files:
        place = certain.get(one.path, beside)
        if place is beside and any(entry.paper.id == place.paper_id and _foreign(one, entry.runs()) for entry in known):
            place = replace(place, likeness=0.3, why=f"{place.why}, but it shares no text with its versions")
        new = Place("", one.title or _named(one.path), 0.0, "a new paper")
        every = (*one.places, *(found for found, _ in fresh), *([new] if place.paper_id else []))
        others = {(p.paper_id, p.title): p for p in every if (p.paper_id, p.title) != (place.paper_id, place.title)}
        settled.append(replace(one, places=(place, *others.values())))
    return settled


def _could_be_known(one: Incoming, known: Sequence[_Known]) -> bool:
    """Returns whether a PDF may belong to an existing paper: titles are somewhat similar, or the only paper's title is
    unknown."""
    return any(_alike(one.title, title) >= OTHER for entry in known for title in entry.titles) or (
        len(known) == 1 and not known[0].read
    )


def _only(places: Iterable[Place]) -> Place | None:
    found = {(place.paper_id, place.title): place for place in places}
    return next(iter(found.values())) if len(found) == 1 else None


Message = tuple[str, str, str, str, Literal["note", "attention", "problem"]]
"""A message's subject, its sentences what, means and do, and its kind."""


@dataclass(slots=True)
class Added:
    """The result of an import: what wasn't imported and what to check, in sentences, and the papers by file."""

    problems: list[EnvironmentProblem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    count: int = 0
    papers: dict[Path, str] = field(default_factory=dict)
    letters: dict[str, Incoming] = field(default_factory=dict)
    """The imported letters, by the id of their text."""

    def warn(self, name: str, warnings: Iterable[str]) -> None:
        """Adds what was noticed about a file, each with its name."""
        self.warnings += [one if name in one else f"{name}: {one}" for one in warnings]

    @property
    def messages(self) -> list[Message]:
        """What to tell the user."""
        said: list[Message] = [
            (f"add {at}", one.what, one.means, one.do, "problem") for at, one in enumerate(self.problems)
        ]
        for letter in self.letters.values():
            if letter.reading is not None:
                what = f"{letter.path.name}: {letter.reading.remark()}"
                doubtful = letter.reading.doubtful
                said.append((f"reading {letter.path.name}", what, "", "", "attention" if doubtful else "note"))
        if self.warnings:
            said.append(("added", " ".join(dict.fromkeys(self.warnings)), "", "", "attention"))
        return said

    def keep_messages(self, project: Project) -> None:
        """Keeps the messages where the window finds those about the files last added to this project."""
        kept = {f"added.{project.id}": json.dumps(self.messages)}
        with suppress(EnvironmentProblem):
            user_files.write_changes(user_files.window_state(), {}, kept)

    def problem(self, problem: EnvironmentProblem) -> None:
        """Adds a problem, unless it is already listed."""
        if problem.what not in {known.what for known in self.problems}:
            self.problems.append(problem)


def adopt_texts(project: Project) -> None:
    """Assigns reviews without a paper to the only paper, before another one is added."""
    papers = PaperStore(project).papers()
    if len(papers) == 1:
        with project.action("Assign reviews to their paper") as act:
            for table in ("source_text", "rebuttal_point", "rebuttal_plan"):
                for row in list(act.db.table(table).rows_where("paper_id IS NULL", select="id")):
                    act.update(table, row["id"], {"paper_id": papers[0].id})


def proposal_fields(proposal: Proposal) -> list[Mapping[str, object]]:
    return [
        {
            "file": str(one.path),
            "kind": one.found.kind,
            "title": one.title,
            "paper": one.place.paper_id or None,
            "paper_title": one.place.title,
            "likeness": round(one.place.likeness, 3),
            "why": one.place.why,
        }
        for one in proposal.files
    ]
