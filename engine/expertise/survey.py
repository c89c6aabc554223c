"""The survey's rules: the rating scale, remarks on the answers so far, and the texts of a new study, in our own words.

After Stelmakh et al. (2023), "A Gold Standard Dataset for the Reviewer Assignment Problem", section 3 and appendix A: 5
to 10 papers read in the last year, not one's own, freely available, rated from 1 to 5 in quarters, with some spread and
near ties but no ties. Only what would invalidate the data is rejected.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from engine.errors import not_changed
from engine.expertise.records import ProfileRow, Question, Remark, RemarkLevel, Study, SurveyParticipant, SurveyRow
from engine.papers.library import Library, duplicates
from engine.papers.names import parse_name, same_person
from engine.papers.records import LibraryPaper
from engine.resource_files import resource_text

LOWEST, HIGHEST, STEP = 1.0, 5.0, 0.25
GRID: tuple[float, ...] = tuple(LOWEST + STEP * n for n in range(int((HIGHEST - LOWEST) / STEP) + 1))
"""All possible ratings: 1.0, 1.25, ... 5.0."""

NEAR = 0.5
"""Different ratings at most this far apart are a near tie."""
NARROW = 1.0
"""Ratings within a smaller range have no spread."""
ENOUGH = 3
"""From this many ratings on, spread and near ties are checked."""

_OPEN_HOSTS = (
    "arxiv.org", "openreview.net", "aclanthology.org", "aclweb.org", "proceedings.mlr.press", "jmlr.org", "nips.cc",
    "neurips.cc", "thecvf.com", "ijcai.org", "biorxiv.org", "medrxiv.org", "plos.org", "mdpi.com", "frontiersin.org",
    "peerj.com", "elifesciences.org", "hal.science", "archives-ouvertes.fr", "eprint.iacr.org", "dagstuhl.de",
    "usenix.org", "zenodo.org", "osf.io", "isca-archive.org", "ceur-ws.org", "pmc.ncbi.nlm.nih.gov",
)  # fmt: skip
_CLOSED_HOSTS = (
    "ieeexplore.ieee.org", "sciencedirect.com", "link.springer.com", "onlinelibrary.wiley.com", "tandfonline.com",
    "journals.sagepub.com", "jstor.org", "epubs.siam.org", "pubsonline.informs.org",
)  # fmt: skip


def check_rating(value: float) -> float:
    """Returns ``value`` if it is a rating on the scale. Raises BadInput outside 1 to 5 or between quarters."""
    if value not in GRID:
        raise not_changed(f"{value:g} isn't a rating on the scale.", "Give 1 to 5 in steps of a quarter.")
    return float(value)


def remarks(
    study: Study,
    participant: SurveyParticipant,
    rows: Sequence[SurveyRow],
    profile: Sequence[ProfileRow] = (),
    *,
    own: Library | None = None,
) -> tuple[Remark, ...]:
    """Returns remarks on the answers so far, blocking ones first. ``own`` is the index of the profile's papers if the
    caller has one, since building it takes longer than everything else.

    The kinds are "consent", "no paper", "no rating", "off the scale" (these block), "tie", "own paper", "duplicate",
    "not open", "no link", "few", "many", "no spread", "no near tie", "no name", "no profile".
    """
    found = [
        *_blocks(study, participant, rows),
        *_about_numbers(study, rows),
        *_ties(rows),
        *_own(participant, rows, own if own is not None else Library(row.paper for row in profile)),
        *_duplicates(rows),
        *_links(rows),
        *_shape(rows),
        *_person(participant, profile),
    ]
    return tuple(sorted(found, key=lambda remark: remark.level != "block"))


def _remark(kind: str, sentence: str, advice: str, *rows: SurveyRow, level: RemarkLevel = "remark") -> Remark:
    return Remark(kind, level, sentence, advice, tuple(row.id for row in rows))


def _blocks(study: Study, participant: SurveyParticipant, rows: Sequence[SurveyRow]) -> Iterator[Remark]:
    block = partial(_remark, level="block")
    if study.consent.strip() and not participant.consented_at:
        yield block("consent", "You haven't agreed to take part yet.", "Read the consent text and agree to it.")
    if not rows:
        yield block("no paper", "There are no papers yet.", "Add a paper that you read in the last year.")
    for row in rows:
        paper, value = row.paper, row.value
        if not (paper.title.strip() or paper.doi or paper.arxiv_id or paper.link):
            yield block("no paper", "A row has no paper.", "Enter one, or remove the row.", row)
        elif value is None:
            yield block("no rating", f"{_short(paper)} has no rating yet.", "Rate it, or remove it.", row)
        elif value not in GRID:
            sentence = f"{_short(paper)} is rated {value:g}, which is not on the scale."
            yield block("off the scale", sentence, "Give 1 to 5 in steps of a quarter.", row)


def _about_numbers(study: Study, rows: Sequence[SurveyRow]) -> Iterator[Remark]:
    papers = "One paper" if len(rows) == 1 else f"{len(rows)} papers"
    if rows and len(rows) < study.min_papers:
        missing = study.min_papers - len(rows)
        sentence = f"{papers} so far; the study asks for at least {study.min_papers}."
        yield _remark("few", sentence, f"Can you think of {'one' if missing == 1 else missing} more?")
    if len(rows) > study.max_papers:
        sentence = f"{papers}; the study asks for at most {study.max_papers}."
        yield _remark("many", sentence, "All of them are kept. You can remove some that are very similar.")


def _ties(rows: Sequence[SurveyRow]) -> Iterator[Remark]:
    at: dict[float, list[SurveyRow]] = defaultdict(list)
    for row in rows:
        if row.value is not None:
            at[row.value].append(row)
    for value, tied in sorted(at.items(), reverse=True):
        if len(tied) > 1:
            many = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}.get(len(tied), str(len(tied)))
            sentence = f"{many} papers tie at {value:g}; can you tell them apart?"
            yield _remark("tie", sentence, "A quarter point shows which one you would rather review.", *tied)


def _own(participant: SurveyParticipant, rows: Sequence[SurveyRow], own: Library) -> Iterator[Remark]:
    me = parse_name(participant.name)
    for row in rows:
        if own.find(row.paper) is not None:
            sentence = f"{_short(row.paper)} is among your own publications."
        elif any(same_person(me, author) for author in row.paper.authors):
            sentence = f"{_short(row.paper)} has an author with your name."
        else:
            continue
        yield _remark("own paper", sentence, "If you wrote it, choose another one instead.", row)


def _duplicates(rows: Sequence[SurveyRow]) -> Iterator[Remark]:
    # Compared by the keys of their rows, because one library paper can be in two rows.
    keyed = [
        replace(row.paper, id=str(place), source_id=row.paper.source_id or row.paper.id)
        for place, row in enumerate(rows)
    ]
    for group in duplicates(keyed):
        twins = [rows[int(paper.id)] for paper in group]
        values = {row.value for row in twins if row.value is not None}
        advice = "Remove one of them." if len(values) < 2 else "Remove one of them. Otherwise the last rating counts."
        yield _remark("duplicate", f"{_short(twins[0].paper)} is listed {len(twins)} times.", advice, *twins)


def _links(rows: Sequence[SurveyRow]) -> Iterator[Remark]:
    bare = []
    for row in rows:
        free = freely_available(row.paper)
        if free is False:
            sentence = f"{_short(row.paper)} doesn't seem to be freely available."
            advice = "If there's a preprint, add its link. Otherwise leave it as it is."
            yield _remark("not open", sentence, advice, row)
        elif free is None and not row.paper.link and not row.paper.doi and row.paper.title:
            bare.append(row)
    if bare:
        which = f"{_short(bare[0].paper)} has" if len(bare) == 1 else f"{len(bare)} papers have"
        yield _remark("no link", f"{which} no link.", "A link or identifier helps others find the right paper.", *bare)


def _shape(rows: Sequence[SurveyRow]) -> Iterator[Remark]:
    values = sorted(row.value for row in rows if row.value is not None)
    if len(values) < ENOUGH:
        return
    if values[-1] - values[0] < NARROW:
        sentence = f"All ratings lie between {values[0]:g} and {values[-1]:g}."
        yield _remark(
            "no spread", sentence, "Papers farther from your field, or closer to it, would be more informative."
        )
    elif not any(high - low <= NEAR for low, high in pairwise(values)):
        advice = "A pair of papers that you know almost equally well is the hardest and most useful test."
        yield _remark("no near tie", "All your ratings lie far apart.", advice)


def _person(participant: SurveyParticipant, profile: Sequence[ProfileRow]) -> Iterator[Remark]:
    if not participant.name.strip():
        advice = "It helps to recognise your own papers and to match your answers with your publications."
        yield _remark("no name", "Your name is missing.", advice)
    if not any(row.kept for row in profile):
        advice = "Similarity is computed from them: add a BibTeX file, or type a few titles."
        yield _remark("no profile", "Your profile contains none of your publications.", advice)


def freely_available(paper: LibraryPaper) -> bool | None:
    """Returns whether the paper is freely available, as far as known without the network; None: unknown."""
    if paper.open_access is not None:
        return paper.open_access
    if paper.arxiv_id:
        return True
    try:
        host = (urlsplit(paper.link).hostname or "").lower()
    except ValueError:  # brackets that contain no valid address
        return None
    if _of(host, _OPEN_HOSTS):
        return True
    return False if _of(host, _CLOSED_HOSTS) else None


def _of(host: str, known: Sequence[str]) -> bool:
    return any(host == name or host.endswith("." + name) for name in known)


def _short(paper: LibraryPaper) -> str:
    words = paper.title or paper.link or paper.doi or paper.arxiv_id
    return f"“{words if len(words) <= 60 else words[:57].rstrip() + '…'}”"


_NUMBERS = "between {} and {} papers"


@cache
def _texts() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resource_text("survey/study.json"))
    return found


@cache
def anchors() -> tuple[tuple[int, str], ...]:
    """Returns the whole ratings 1 to 5 with the sentences that explain them."""
    return tuple((int(value), sentence) for value, sentence in _texts()["anchors"].items())


def new_study(title: str = "", *, organiser: str = "", contact: str = "", key: str = "") -> Study:
    """Returns a new study with the standard texts. ``id`` is empty and assigned by the store."""
    texts = _texts()

    def joined(name: str) -> str:
        return "\n\n".join(texts[name])

    study = Study("", key, "organiser", title or texts["title"], organiser, contact)
    return replace(
        study,
        instructions=joined("instructions").replace("{numbers}", _NUMBERS.format(study.min_papers, study.max_papers)),
        consent=joined("consent"),
        released=joined("released"),
        withheld=joined("withheld"),
        questions=tuple(Question(q["key"], q["words"], tuple(q["choices"])) for q in texts["questions"]),
    )


def with_rules(study: Study, min_papers: int, max_papers: int) -> Study:
    """Returns the study with different numbers of papers, also in instructions that contain the standard phrase."""
    old = _NUMBERS.format(study.min_papers, study.max_papers)
    return replace(
        study,
        min_papers=min_papers,
        max_papers=max_papers,
        instructions=study.instructions.replace(old, _NUMBERS.format(min_papers, max_papers)),
    )
