"""Applies merges and imports whole data sets; each is one undo step over the survey's tables."""

from collections.abc import Collection
from dataclasses import replace

from engine.errors import BadInput
from engine.expertise.merge import MergePlan, participant_of, plan_merge
from engine.expertise.records import Answers, GoldStandard, MergeOutcome, Study, SurveyParticipant
from engine.expertise.store import SurveyStore
from engine.papers.library import title_key
from engine.papers.records import LibraryPaper
from engine.papers.store import LibraryStore
from engine.project import Project


class MergeStore:
    """Adds returned answers and imported data sets to the organiser's studies."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._survey = SurveyStore(project)
        self._library = LibraryStore(project)

    def plan(self, study_id: str, answers: Answers, filename: str) -> MergePlan:
        """Returns what merging would do. Raises BadInput for a file of another study."""
        participants = self._survey.participants(study_id)
        returned = self._survey.returned_files(study_id)
        known = participant_of(answers, participants, returned)
        return plan_merge(
            self._survey.study(study_id),
            answers,
            filename,
            participants=participants,
            rows=self._survey.rows(known.id) if known is not None else (),
            returned=returned,
            library=self._library.index(),
        )

    def apply(
        self, plan: MergePlan, outcome: MergeOutcome | None = None, *, twin_id: str = "", apart: Collection[int] = ()
    ) -> SurveyParticipant:
        """Applies a ``plan`` made for the project's current state, in one step; returns the participant.

        ``outcome`` is "added", "replaced" or "kept" (only the receipt is recorded), by default the plan's; a file that
        was merged before changes nothing. With "replaced", ``twin_id`` is a participant whose answers are replaced
        although the keys differ. Papers at the indexes ``apart`` of ``plan.papers`` aren't matched with the library.
        Raises BadInput for "added" if the participant exists, and for "replaced" or "kept" if there is none.
        """
        chosen = outcome or plan.default
        there = plan.participant
        if plan.kind == "identical" and there is not None:
            return there
        if twin_id:
            there = self._survey.participant(twin_id)
        if chosen == "added":
            if plan.participant is not None:
                raise BadInput(
                    "This participant is already in the study.",
                    "Nothing was merged.",
                    "Choose whether to replace or keep the answers.",
                )
            there = None
        elif there is None:
            raise BadInput("There are no answers to replace or keep.", "Nothing was merged.")
        answers = plan.answers
        name = answers.participant.name or "a participant"
        with self._project.action(f"Merge answers of {name}") as act:
            kept = there if chosen == "kept" else None
            participant_id = self._take(plan, there, apart) if kept is None else kept.id
            receipt = {
                "study_id": plan.study_id, "participant_id": participant_id, "content_hash": answers.content_hash,
                "filename": plan.filename, "written_at": answers.written_at, "outcome": chosen,
            }  # fmt: skip
            act.insert("returned_file", receipt)
        return self._survey.participant(participant_id)

    def _take(self, plan: MergePlan, there: SurveyParticipant | None, apart: Collection[int]) -> str:
        answers, origin = plan.answers, f"import:{plan.filename}"
        person = replace(answers.participant, finished_at=answers.written_at, answers_hash=answers.content_hash)
        own: dict[str, LibraryPaper] = {}
        if there is not None:
            held = [row.paper for row in self._survey.rows(there.id)]
            held += [row.paper for row in self._survey.profile(there.id)]
            own = {title_key(paper.title): paper for paper in held if paper.title}
        if there is None:
            participant_id = self._survey.add_participant(plan.study_id, replace(person, origin=origin))
        else:
            participant_id = there.id
            self._survey.replace_participant(participant_id, person)
        index = self._library.index()
        key = {
            paper: own[title_key(paper.title)]
            for place, paper in enumerate(plan.papers)
            if place not in apart and title_key(paper.title) in own and index.find(paper) is None
        }
        others = [(place, paper) for place, paper in enumerate(plan.papers) if paper not in key]
        kept_apart = {at for at, (place, _) in enumerate(others) if place in apart}
        stored = self._library.add_all([paper for _, paper in others], origin=origin, apart=kept_apart)
        key |= {paper: found for (_, paper), found in zip(others, stored, strict=True)}
        self._survey.add_rows(participant_id, [(key[paper], value) for paper, value in answers.rows], origin=origin)
        self._survey.add_publications(participant_id, [key[paper] for paper in answers.profile], origin=origin)
        return participant_id

    def import_gold_standard(
        self, gold: GoldStandard, study: Study, filename: str, *, papers: Collection[LibraryPaper] = ()
    ) -> str:
        """Imports a data set of ratings as a separate study, in one step; returns the study's key in the project.

        Papers keep their ids as source ids, and are matched with the library only if these agree or one is missing;
        ``papers`` may add details (venue, links), by source id. Full texts become files of the project. Participants
        are imported without consent, because the publisher obtained it.
        """
        origin = f"import:{filename}"
        more = {paper.source_id: paper for paper in papers}
        texts = list(gold.papers.values())
        records = [
            replace(
                more.get(text.id, LibraryPaper("", "")), id="", source_id=text.id, title=text.title,
                abstract=text.abstract, year=text.year, authors=text.authors,
            )
            for text in texts
        ]  # fmt: skip
        with self._project.action(f"Import data set “{study.title}”"):
            study_id = self._survey.add_study(study, origin=origin)
            bodies = {place: text.body for place, text in enumerate(texts) if text.body}
            stored = self._library.add_all(records, origin=origin, texts=bodies, join="sources")
            key = {text.id: paper for text, paper in zip(texts, stored, strict=True)}
            for person in gold.participants:
                participant_id = self._survey.add_participant(
                    study_id, SurveyParticipant("", study_id, person.id, person.name, origin=origin)
                )
                own = [key[paper] for paper in dict.fromkeys(person.papers) if paper in key]
                self._survey.add_publications(participant_id, own, origin=origin)
                given = [(key[one.paper], one.value) for one in gold.ratings if one.participant == person.id]
                self._survey.add_rows(participant_id, given, origin=origin)
        return study_id
