"""A partly written review of the sample's paper: evidence cards, supported sentences, one that is wrong and one without
a place in the paper, and a run of the stages without a language model."""

from dataclasses import replace

from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.jobs import QuietReport
from engine.papers.store import LibraryStore
from engine.project import Project
from engine.review_drafting.evidence import card_of, sentence_of
from engine.review_drafting.store import EvidenceCard, ReviewDraftStore, Stance
from engine.review_drafting.tasks import DraftReview, draft_review

CARDS: tuple[tuple[str, str, Stance, str], ...] = (
    ("We chose the parameters so that they look realistic.", "Nothing supports the choice of the city's parameters",
     "weakness", "weaknesses"),
    ("We therefore recommend four counters to any city of this size.",
     "The recommendation goes beyond a single simulated city", "weakness", "weaknesses"),
    ("Cities should therefore count in spring and autumn only.", "Does this hold in a different climate?",
     "question", "questions"),
    ("Real cities do not know the true traffic on their streets", "The paper explains why it uses a simulation",
     "strength", "strengths"),
    ("The weights in Equation 3 fall off with a bandwidth h. We use 0.25.", "Other bandwidths were not tried",
     "weakness", ""),
)  # fmt: skip
"""Words of the paper, what they show, the stance, and the field that the card was added to."""
SUMMARY = (
    "The paper asks how few permanent counters are enough to turn one-week counts into annual figures (Section 1). It "
    "compares a weekly mean, a pooled factor and a new blended factor in a simulated city of 96 streets (Section 3)."
)
FURTHER = (
    "Table 2 gives an error of 10.2 percent for four counters, without an interval. The paper does not report how the "
    "error differs between classes of streets. Table 5 shows that the blended factor fails in winter."
)
FIELDS = {"summary": SUMMARY, "soundness": "2", "presentation": "3"}


def write_review(project: Project, service: DocumentService, document_id: str) -> None:
    """Writes the review; the last card isn't used yet, a version was saved before the end, and Table 5 doesn't
    exist."""
    documents, store = DocumentStore(project), ReviewDraftStore(project)
    parsed = documents.parsed(document_id)
    if parsed is None:
        raise ValueError("The sample's paper has not been read.")
    places = Places(parsed)
    draft = store.begin_draft(document_id, "Review for ICLR", "iclr", fields=FIELDS)
    texts: dict[str, list[str]] = {}
    for words, note, stance, field in CARDS:
        card = store.add_card(draft.id, replace(found(places, words), note=note, stance=stance, field=field))
        if field:
            texts.setdefault(field, []).append(sentence_of(card))
    for field, sentences in texts.items():
        store.set_field(draft.id, field, "\n\n".join(sentences))
    store.keep_version(draft.id, "saved by hand")
    store.set_field(draft.id, "weaknesses", "\n\n".join((*texts["weaknesses"], FURTHER)))
    task = draft_review(documents, service, LibraryStore(project), store, DraftReview(document_id, draft.id))
    task.run(QuietReport())


def found(places: Places, words: str) -> EvidenceCard:
    """Returns a card for words within one paragraph of the paper. Raises ValueError if they aren't found."""
    for number, paragraph in enumerate(places.document.paragraphs):
        at = paragraph.text.find(words)
        if at >= 0:
            return card_of(places, (number, at), (number, at + len(words)))
    raise ValueError(f"The sample's paper does not say: {words}")
