"""What there is to say about the current response: tone, claims as checked, open slots, markup. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.documents.records import Paragraph
from engine.documents.store import DocumentStore
from engine.papers.records import PaperVersion
from engine.rebuttal.claims import Checked, find_claims
from engine.rebuttal.matrix import Flag
from engine.rebuttal.points import Outline, notes_in
from engine.rebuttal.readiness import ClaimChecker, ToCheck, to_check
from engine.reviews.preview import preview
from engine.reviews.records import Span
from engine.reviews.tone import ToneRemark
from engine.reviews.wording import Wording
from engine.statements.verdicts import UNFOUNDED, Verdict

if TYPE_CHECKING:
    from engine.operations.entailment import Opinion


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


_FIXED_BY = {"": "", "slots": "next_slot", "accept": "accept", "link": "go"}
_ORDER = (*UNFOUNDED, "unsupported", "attention", "not checked", "place found", "supported")


@dataclass(frozen=True, slots=True)
class Note:
    """One note: on a claim by its state, else by how serious it is (``meaning``). ``span`` is the place in the text,
    ``of`` the record behind it; ``command`` names the pane's command that fixes it. An *opinion* is what a language
    model makes of the claim before it."""

    kind: Literal["tone", "identity", "claim", "opinion", "flag", "markup"]
    meaning: Literal["unsupported", "attention"]
    words: str
    span: Span | None = None
    of: ToneRemark | Checked | None = None
    command: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether it is a claim that a person may have to look up."""
        return (
            self.kind == "claim"
            and isinstance(self.of, Checked)
            and self.of.verdict != "supported"
            and not self.of.confirmed
        )

    @property
    def spoken(self) -> str:
        return f"{self.verdict.capitalize()}. {self.words}" if self.verdict is not None else self.words

    @property
    def verdict(self) -> Verdict | None:
        """The state of a claim."""
        return self.of.verdict if self.kind == "claim" and isinstance(self.of, Checked) else None

    @property
    def rank(self) -> int:
        """The most serious notes come first."""
        return _ORDER.index(self.of.verdict if isinstance(self.of, Checked) else self.meaning)


def notes_of(
    text: str,
    wording: Wording,
    checked: Sequence[Checked],
    flags: Sequence[Flag],
    opinion: Callable[[str], Opinion | None] = lambda _sentence: None,
) -> tuple[Note, ...]:
    """The notes on a response, the most serious first; ``opinion`` is what a model said of a sentence."""
    found = [
        Note("flag", "unsupported" if flag.grave else "attention", flag.sentence, command=_FIXED_BY[flag.by])
        for flag in flags
        if flag.cell != "checked"
    ]
    judged = set[str]()
    for one in checked:
        done = one.confirmed or one.verdict == "supported"
        words = f"{one.claim.key}: {'Confirmed by you. ' if one.confirmed else ''}{one.why}"
        found.append(Note("claim", "attention", words, one.claim.span, one, "" if done else "confirm"))
        if (said := opinion(one.claim.sentence)) and said.sentence not in judged:
            judged.add(said.sentence)
            words = f"Judgement by {said.model}: {said.words}"
            found.append(Note("opinion", "attention", words, one.claim.span, one))
    for remark in wording.tone:
        better = " or ".join(f"“{words.rstrip(',')}”" if words else "leave out" for words in remark.alternatives[:2])
        words = f"“{remark.words.rstrip(',')}” → {better} · {remark.kind}: {remark.why}"
        found.append(Note("tone", "attention", words, remark.span, remark, "tone"))
    found += [Note("identity", "attention", f"“{one.words}”: {one.why}", one.span) for one in wording.identity]
    if not text.strip():  # no markup to look at, and the reader of Markdown takes a while to load
        return tuple(sorted(found, key=lambda note: note.rank))
    blanked = text  # notes to co-authors are blanked so that places in the text stay
    for span in notes_in(text):
        blanked = f"{blanked[: span.start]}{' ' * (span.end - span.start)}{blanked[span.end :]}"
    found += [Note("markup", "attention", one.sentence, one.span) for one in preview(blanked).troubles]
    return tuple(sorted(found, key=lambda note: note.rank))
