"""What there is to say about the current response: tone, claims, open slots, markup. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.rebuttal.claims import Checked
from engine.rebuttal.matrix import Flag
from engine.rebuttal.points import notes_in
from engine.reviews.preview import preview
from engine.reviews.records import Span
from engine.reviews.tone import ToneRemark

_FIXED_BY = {"": "", "slots": "next_slot", "accept": "accept", "link": "go"}
_ORDER = ("unsupported", "attention", "verified")


@dataclass(frozen=True, slots=True)
class Note:
    """One note, most serious first by ``meaning``. ``span`` is the place in the text, ``of`` the record behind it;
    ``command`` names the pane's command that fixes it."""

    kind: Literal["tone", "claim", "flag", "markup"]
    meaning: Literal["unsupported", "attention", "verified"]
    words: str
    span: Span | None = None
    of: ToneRemark | Checked | None = None
    command: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether it is a claim that could not be verified."""
        return self.kind == "claim" and self.meaning != "verified"


def notes_of(
    text: str, tone: Sequence[ToneRemark], checked: Sequence[Checked], flags: Sequence[Flag]
) -> tuple[Note, ...]:
    """The notes on a response, the most serious first."""
    found = [
        Note("flag", "unsupported" if flag.grave else "attention", flag.sentence, command=_FIXED_BY[flag.by])
        for flag in flags
        if flag.cell != "verified"
    ]
    for one in checked:
        if one.verdict in ("verified", "confirmed"):
            found.append(Note("claim", "verified", f"{one.claim.key}: {one.why}", one.claim.span, one))
        else:
            meaning: Literal["unsupported", "attention"] = (
                "unsupported" if one.verdict == "unsupported" else "attention"
            )
            found.append(Note("claim", meaning, one.why, one.claim.span, one, "confirm"))
    for remark in tone:
        better = " or ".join(f"“{words.rstrip(',')}”" if words else "leave out" for words in remark.alternatives[:2])
        words = f"“{remark.words.rstrip(',')}” → {better} · {remark.kind}: {remark.why}"
        found.append(Note("tone", "attention", words, remark.span, remark, "tone"))
    if not text.strip():  # no markup to look at, and the reader of Markdown takes a while to load
        return tuple(sorted(found, key=lambda note: _ORDER.index(note.meaning)))
    blanked = text  # notes to co-authors are blanked so that places in the text stay
    for span in notes_in(text):
        blanked = f"{blanked[: span.start]}{' ' * (span.end - span.start)}{blanked[span.end :]}"
    found += [Note("markup", "attention", one.sentence, one.span) for one in preview(blanked).troubles]
    return tuple(sorted(found, key=lambda note: _ORDER.index(note.meaning)))
