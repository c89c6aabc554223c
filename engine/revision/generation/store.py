"""The tables of proposed edits (results) and of their analysis (human work)."""

from collections.abc import Mapping
from dataclasses import asdict

from engine.project import Store, record, records, values_of
from engine.reviews.store import named_comment
from engine.revision.generation.records import Analysis, Judgement, Proposal


class GenerationStore(Store):
    """Reads and writes proposals and analyses. Analyses are the acting annotator's own, unless all are requested."""

    def save(self, revision_id: str, proposal: Proposal) -> Proposal:
        """Stores a proposal in addition to earlier ones; returns it with its key."""
        with self._project.results("Propose an edit") as write:
            more = [asdict(change) for change in proposal.more]
            values = values_of(proposal, "id", "created_at") | {"revision_id": revision_id, "more": more}
            key = write.insert("proposal", values)
            write.touched("proposal", {proposal.comment_id})
        return self.proposal(key)

    def proposal(self, key: str) -> Proposal:
        """Raises KeyError if there is none."""
        return record(Proposal, self._project.row("proposal", key))

    def proposals(self, revision_id: str) -> Mapping[str, tuple[Proposal, ...]]:
        """Returns the proposals by comment, newest first."""
        rows = self._project.query(
            "SELECT * FROM proposal WHERE revision_id = ? ORDER BY created_at DESC, id DESC", (revision_id,)
        )
        found: dict[str, tuple[Proposal, ...]] = {}
        for proposal in records(Proposal, rows):
            found[proposal.comment_id] = (*found.get(proposal.comment_id, ()), proposal)
        return found

    def analyses(self, revision_id: str, *, everybody: bool = False) -> tuple[Analysis, ...]:
        """Returns the analyses of a revision's proposals, by comment and annotator."""
        rows = self._project.query(
            "SELECT a.* FROM edit_analysis a JOIN proposal p ON p.id = a.proposal_id WHERE p.revision_id = ?"
            " AND (a.annotator_id = ? OR ?) ORDER BY a.comment_id, a.annotator_id, a.id",
            (revision_id, self._project.annotator_id, everybody),
        )
        return tuple(records(Analysis, rows))

    def judge(self, analysis: Analysis) -> None:
        """Stores the acting annotator's analysis of a comment and a proposal; without a change there is no undo
        step."""
        own = {
            "comment_id": analysis.comment_id,
            "proposal_id": analysis.proposal_id,
            "annotator_id": self._project.annotator_id,
        }
        values = values_of(analysis, *own) | {"real": _given(analysis.real), "generated": _given(analysis.generated)}
        with self._project.action(f"Judge edits: {named_comment(self._project, analysis.comment_id)}") as act:
            act.keep("edit_analysis", own, values)


def _given(judgement: Judgement) -> dict[str, int | bool]:
    return {name: value for name, value in asdict(judgement).items() if value is not None}
