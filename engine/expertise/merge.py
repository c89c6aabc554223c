"""Merging a returned answers file into the organiser's study: shows the changes first, then applies what was chosen.

Pure: the store reads the project, ``plan_merge`` compares, ``merge_store`` applies the choice.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.errors import BadInput
from engine.expertise.records import Answers, MergeOutcome, ReturnedFile, Study, SurveyParticipant, SurveyRow
from engine.papers.library import Library, MatchKind, duplicates, same_paper, title_key
from engine.papers.names import same_person
from engine.papers.records import LibraryPaper
from engine.shown import counted, local_time

MergeKind = Literal["new", "identical", "newer", "older", "same time"]


@dataclass(frozen=True, slots=True)
class RatingDifference:
    """A paper on which file and study disagree; None means that one of them lacks it."""

    paper: LibraryPaper
    stored: float | None
    returned: float | None


@dataclass(frozen=True, slots=True)
class PaperJoin:
    """A paper of the file (by index in ``MergePlan.papers``) that appears to be an existing one."""

    place: int
    returned: LibraryPaper
    known: LibraryPaper
    by: MatchKind

    @property
    def sure(self) -> bool:
        """Whether an identifier matches."""
        return self.by in {"id", "doi", "arxiv", "source"}


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What merging a file would do. ``sentences`` describe it; ``default`` is applied if the user doesn't choose;
    ``participant`` is the study's participant with the same key, ``twins`` are others who may be the same person;
    ``papers`` are all papers of the file, each once, rated ones first."""

    study_id: str
    filename: str
    answers: Answers
    kind: MergeKind
    participant: SurveyParticipant | None
    twins: tuple[SurveyParticipant, ...]
    differences: tuple[RatingDifference, ...]
    joins: tuple[PaperJoin, ...]
    repeated: tuple[RatingDifference, ...]
    papers: tuple[LibraryPaper, ...]
    sentences: tuple[str, ...]
    default: MergeOutcome

    @property
    def needs_a_look(self) -> bool:
        """Whether the user should decide before the merge."""
        return self.kind != "identical" and bool(
            self.twins or self.repeated or (self.differences and self.kind != "new")
            or self.kind in {"older", "same time"} or any(not join.sure for join in self.joins)
        )  # fmt: skip


def plan_merge(
    study: Study,
    answers: Answers,
    filename: str,
    *,
    participants: Sequence[SurveyParticipant],
    rows: Sequence[SurveyRow],
    returned: Sequence[ReturnedFile],
    library: Library,
) -> MergePlan:
    """Compares a returned file with the study: the ``rows`` of the participant with the same key, and previously
    ``returned`` files. Raises BadInput if the file belongs to another study."""
    if answers.study_key != study.key:
        raise BadInput(
            f"{filename} belongs to another study, “{answers.study_title}”.", "Nothing was merged.",
            f"Choose a file that answers “{study.title}”.",
        )  # fmt: skip
    known = participant_of(answers, participants, returned)
    before = [file for file in returned if known is not None and file.participant_id == known.id]
    kind = _kind(answers, known, before)
    papers = tuple(dict.fromkeys([*(paper for paper, _ in answers.rows), *answers.profile]))
    joins = tuple(
        PaperJoin(place, paper, match.paper, match.by)
        for place, paper in enumerate(papers)
        if (match := library.find(paper)) is not None and _spelt_apart(paper, match.paper)
    )
    differences = _differences(rows, answers.rows) if known is not None and kind != "identical" else ()
    twins = () if known else tuple(p for p in participants if _same_name(p.name, answers.participant.name))
    newer = kind == "newer" or (kind == "same time" and differences)
    default: MergeOutcome = "added" if kind == "new" else "replaced" if newer else "kept"
    repeated = _repeated(answers.rows)
    plan = MergePlan(study.id, filename, answers, kind, known, twins, differences, joins, repeated, papers, (), default)
    return replace(plan, sentences=tuple(_sentences(plan, study, returned)))


def participant_of(
    answers: Answers, participants: Sequence[SurveyParticipant], returned: Sequence[ReturnedFile]
) -> SurveyParticipant | None:
    """Returns who gave these answers: by the key in the file, otherwise whom the same file was merged into before."""
    merged_into = {file.participant_id for file in returned if file.content_hash == answers.content_hash}
    by_key = next((p for p in participants if p.key == answers.participant.key), None)
    return by_key or next((p for p in participants if p.id in merged_into), None)


def _kind(answers: Answers, known: SurveyParticipant | None, before: Sequence[ReturnedFile]) -> MergeKind:
    if known is None:
        return "new"
    if known.answers_hash == answers.content_hash or any(f.content_hash == answers.content_hash for f in before):
        return "identical"
    # The study contains the answers of the last file that was accepted.
    latest = max((file.written_at for file in before if file.outcome != "kept"), default="")
    if answers.written_at > latest:
        return "newer"
    return "same time" if answers.written_at == latest else "older"


def _same_name(one: str, other: str) -> bool:
    # A single-word name doesn't identify an author, but within a study it is worth asking. "李 明" is also "李明".
    keys = [title_key(name).replace(" ", "") for name in (one, other)]
    return same_person(one, other) or bool(keys[0] and keys[0] == keys[1])


def _spelt_apart(one: LibraryPaper, other: LibraryPaper) -> bool:
    """Returns whether two records of one paper differ in a title or identifier that both have, which is worth
    mentioning."""
    return any(
        a and b and a.lower() != b.lower()
        for a, b in (
            (one.doi, other.doi), (one.arxiv_id, other.arxiv_id), (one.source_id, other.source_id),
            (title_key(one.title), title_key(other.title)),
        )
    )  # fmt: skip


def _differences(
    stored: Sequence[SurveyRow], returned: Sequence[tuple[LibraryPaper, float]]
) -> tuple[RatingDifference, ...]:
    ours = Library(row.paper for row in stored)
    values = {row.paper.id: row.value for row in stored}
    found, seen = [], set()
    theirs = dict(returned)
    titles = {title_key(row.paper.title): row.paper for row in stored}
    for paper, value in theirs.items():
        match = ours.find(paper)
        # Among one person's papers, even a short title is unambiguous.
        there = match.paper if match is not None else titles.get(title_key(paper.title))
        if there is None:
            found.append(RatingDifference(paper, None, value))
            continue
        seen.add(there.id)
        if values[there.id] != value:
            found.append(RatingDifference(there, values[there.id], value))
    found.extend(RatingDifference(row.paper, row.value, None) for row in stored if row.paper.id not in seen)
    return tuple(found)


def _repeated(rows: Sequence[tuple[LibraryPaper, float]]) -> tuple[RatingDifference, ...]:
    """Returns papers that one file rates twice with different values; the last rating counts."""
    keyed = [replace(paper, id=str(place)) for place, (paper, _) in enumerate(rows)]
    found = []
    for group in duplicates(keyed):
        values = [rows[int(paper.id)][1] for paper in group]
        if len(set(values)) > 1:
            found.append(RatingDifference(rows[int(group[0].id)][0], values[0], values[-1]))
    by_paper: dict[LibraryPaper, list[float]] = defaultdict(list)
    for paper, value in rows:
        by_paper[paper].append(value)
    for paper, values in by_paper.items():
        # The same record in two rows isn't found by comparing records, unless it has an identifier.
        if len(set(values)) > 1 and not any(same_paper(paper, other.paper) for other in found):
            found.append(RatingDifference(paper, values[0], values[-1]))
    return tuple(found)


def _sentences(plan: MergePlan, study: Study, returned: Sequence[ReturnedFile]) -> Iterator[str]:
    name = plan.answers.participant.name or "A participant without a name"
    rated, own = counted(len(dict(plan.answers.rows)), "paper"), counted(len(plan.answers.profile), "own publication")
    yield {
        "new": f"{name}: ratings of {rated}, {own}.",
        "identical": f"{name}: this file was merged before. Nothing will change.",
        "newer": f"{name} has answered before. This file is newer.",
        "older": f"{name} has answered before. This file is older than the study's answers.",
        "same time": f"{name} has answered before, and this file has the same time.",
    }[plan.kind]
    yield from map(difference_sentence, plan.differences)
    for twin in plan.twins:
        files = [f"{one.filename}, {local_time(one.merged_at)}" for one in returned if one.participant_id == twin.id]
        source = f" ({'; '.join(files)})" if files else ""
        yield f"{twin.name} is already in the study{source} and may be the same person."
    for join in plan.joins:
        new, known = join.returned.title or join.returned.link, join.known.title or join.known.link
        yield f"“{new}” is treated as “{known}” (same {_BY[join.by]})."
    for difference in plan.repeated:
        values = f"{difference.stored:g} and {difference.returned:g}"
        yield f"“{difference.paper.title}” is rated twice ({values}). The last rating counts."
    if study.content_hash and plan.answers.study_hash and plan.answers.study_hash != study.content_hash:
        yield "The file answers a different version of the study's texts."
    if study.consent.strip() and not plan.answers.participant.consented_at:
        yield f"{name} hasn't agreed to take part."


_BY: dict[MatchKind, str] = {
    "id": "record", "doi": "DOI", "arxiv": "arXiv id", "source": "catalogue id", "title": "title",
    "similar title": "title with a slightly different spelling",
}  # fmt: skip


def difference_sentence(difference: RatingDifference) -> str:
    title = difference.paper.title or difference.paper.link
    if difference.stored is None:
        return f"“{title}”: new, rated {difference.returned or 0:g}."
    if difference.returned is None:
        return f"“{title}”: no longer rated; it was {difference.stored:g}."
    return f"“{title}”: {difference.stored:g} becomes {difference.returned:g}."
