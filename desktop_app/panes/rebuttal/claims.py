"""The claims of responses, checked against the revised paper off the window's thread. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.documents.records import Paragraph
from engine.documents.store import DocumentStore
from engine.papers.records import PaperVersion
from engine.rebuttal.checking import ClaimChecker, ToCheck, to_check
from engine.rebuttal.claims import Checked, find_claims
from engine.rebuttal.points import Outline


class ClaimChecks:
    """Knows the results for two versions of a paper. ``revised`` are the paragraphs of the revised one by their ids,
    once they have been read."""

    def __init__(
        self,
        documents: DocumentStore | None = None,
        source: PaperVersion | None = None,
        target: PaperVersion | None = None,
    ) -> None:
        self.revised: Mapping[str, Paragraph] = {}
        self._results: dict[str, tuple[ToCheck, tuple[Checked, ...]]] = {}
        self.checker: ClaimChecker | None = None
        if documents is not None and target is not None:
            self.checker = ClaimChecker(documents, source.document_id if source else "", target.document_id)

    def of(self, outline: Outline) -> dict[str, tuple[Checked, ...]]:
        """The results for responses as they are now, by comment."""
        found = {}
        for one in to_check(outline):
            checked, results = self._results.get(one.comment_id, (None, ()))
            if checked == one:
                found[one.comment_id] = results
        return found

    def unchecked(self, outline: Outline) -> list[ToCheck]:
        """The responses that have to be checked; none without a revised version."""
        known = self.of(outline)
        wanted = [one for one in to_check(outline) if one.comment_id not in known and find_claims(one.text)]
        return wanted if self.checker is not None else []

    def keep(self, replies: Sequence[ToCheck], results: Mapping[str, tuple[Checked, ...]]) -> None:
        """Takes the results for responses as they were when they were checked."""
        self._results |= {
            one.comment_id: (one, results[one.comment_id]) for one in replies if one.comment_id in results
        }
