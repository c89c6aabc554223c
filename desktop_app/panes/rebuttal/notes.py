"""What there is to say about the current response: tone, claims, open slots, markup. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.rebuttal.claims import Checked
from engine.rebuttal.matrix import Flag
from engine.rebuttal.points import notes_in
from engine.reviews.preview import preview
from engine.reviews.records import Span
from engine.reviews.tone import ToneRemark
from engine.reviews.wording import Wording
from engine.statements.verdicts import UNFOUNDED, Verdict

if TYPE_CHECKING:
    from engine.operations.entailment import Opinion

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
