"""The paper with a review laid over it: highlights each place that was found, with the sentence that refers to it as a
note. The pages don't change. Numbers at the margin refer to the last pages, which contain the review as written, so
that the file can be printed."""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.documents.records import Box, Mark, Marking
from engine.documents.service import DocumentService
from engine.review_drafting.forms import FormField, ReviewForm
from engine.review_drafting.grounding import Claim, GroundedReview

_STYLE = (
    "<style>body{font-family:sans-serif;font-size:9pt;line-height:1.4}h1{font-size:14pt}h2{font-size:11pt}"
    ".n{color:#00785c}</style>"
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A sentence of a field; ``number`` counts those whose place was found, 0 for the others."""

    field: FormField
    claim: Claim
    number: int

    @property
    def pages(self) -> tuple[int, ...]:
        """The pages that it refers to, in order."""
        return tuple(sorted({p.page for p in self.claim.parts if p.place is not None}))


def numbered(form: ReviewForm, grounded: Mapping[str, GroundedReview]) -> tuple[Numbered, ...]:
    found: list[Numbered] = []
    count = 0
    for field in form.fields:
        review = grounded.get(field.key)
        for claim in review.claims if review is not None else ():
            held = any(part.place is not None for part in claim.parts)
            count += held
            found.append(Numbered(field, claim, count if held else 0))
    return tuple(found)


def marks_of(sentences: Sequence[Numbered]) -> Iterator[Mark]:
    """Yields a mark for each page of each place that was found; a place that one sentence names twice is marked
    once."""
    for sentence in sentences:
        label = str(sentence.number)
        verdict = sentence.claim.verdict
        kind = verdict if verdict == "contradicted" else "evidence"
        note = f"{sentence.field.title} ({verdict}): {' '.join(sentence.claim.text.split())}"
        seen: set[tuple[Box, ...]] = set()
        for part in sentence.claim.parts:
            if part.place is None or part.place.boxes in seen:
                continue
            seen.add(part.place.boxes)
            for page in dict.fromkeys(box.page for box in part.place.boxes):
                lines = tuple(box for box in part.place.boxes if box.page == page)
                yield Mark(kind, page, label, note, lines)
                label = ""


def marked_paper(
    pdf: bytes,
    form: ReviewForm,
    values: Mapping[str, str],
    grounded: Mapping[str, GroundedReview],
    service: DocumentService,
    *,
    title: str,
    statement: str = "",
) -> Marking:
    """Returns the paper's PDF with the review over it; ``statement`` is at the end of the last pages.

    Raises BadInput if the PDF can't be opened (one that was parsed can).
    """
    sentences = numbered(form, grounded)
    appendix = service.typeset(title, list(_appendix(form, values, sentences, title, statement)))
    return service.mark(pdf, list(marks_of(sentences)), title, appendix, outline="Review")


def _appendix(
    form: ReviewForm, values: Mapping[str, str], sentences: Sequence[Numbered], title: str, statement: str
) -> Iterator[str]:
    yield _block(
        f"<h1>{html.escape(title)}</h1><p>The numbers in the margins mark the places in the paper that a sentence "
        "refers to. After each sentence is the result of the check. Sentences without a result weren't checked.</p>"
    )
    for field in form.fields:
        own = [sentence for sentence in sentences if sentence.field.key == field.key]
        value = values.get(field.key, "").strip()
        if not value:
            continue
        if own:
            body = "".join(f"<p>{_sentence(one)}</p>" for one in own)
        else:
            words = next((option.label for option in field.options if option.value == value), value)
            body = f"<p>{html.escape(words)}</p>"
        yield _block(f"<h2>{html.escape(field.title)}</h2>{body}")
    if statement.strip():
        body = "".join(f"<p>{html.escape(part)}</p>" for part in statement.split("\n") if part.strip())
        yield _block(f"<h2>What was assisted</h2>{body}")


def _sentence(sentence: Numbered) -> str:
    words = html.escape(" ".join(sentence.claim.text.split()))
    states = [sentence.claim.verdict] if sentence.claim.verdict != "not checked" else []
    shown = ", ".join([*states, *(f"p. {page}" for page in sentence.pages)])
    number = f"<span class='n'>[{sentence.number}]</span> " if sentence.number else ""
    return f"{number}{words} <span class='n'>({shown})</span>" if shown else f"{number}{words}"


def _block(body: str) -> str:
    return f"<html><head>{_STYLE}</head><body>{body}</body></html>"
