"""The export formats of a review, shared by the window and scripts. Sentences that the paper contradicts or doesn't
contain are only exported if a person confirms it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.exchange.records import Export, ExportFile, FormInfo
from engine.exchange.review_form import write_filled, write_note
from engine.review_drafting.forms import ReviewForm, unplaced
from engine.review_drafting.marked import marked_paper
from engine.review_drafting.readiness import require_confirmed
from engine.shown import left_out

Form = Literal["markdown", "note", "pdf", "disclosure"]
FORMS: tuple[Form, ...] = get_args(Form)
INFO: Mapping[Form, FormInfo] = {
    "markdown": FormInfo("Markdown", "The review field by field, to paste or keep.", ".md"),
    "note": FormInfo("OpenReview note", "The fields as the content of a note, for your own scripts.", ".json"),
    "pdf": FormInfo(
        "Annotated PDF", "The paper with the places found highlighted, followed by the checked review.", ".pdf"
    ),
    "disclosure": FormInfo("Statement only", "The statement of assistance as a separate text.", ".md"),
}


@dataclass(frozen=True)
class Leaving:
    """The data of an export. ``pdf`` reads the paper; ``statement`` may be ""; ``confirmed``: a person agreed to export
    sentences that are contradicted or not found."""

    title: str
    form: ReviewForm
    values: Mapping[str, str]
    places: Places
    pdf: Callable[[], bytes] = field(repr=False)
    statement: str = ""
    confirmed: bool = False


def make(form: Form, leaving: Leaving, name: str, service: DocumentService) -> Export:
    """Returns the file of a format. Raises BadInput if a sentence is contradicted or not found, and nobody confirmed
    its export."""
    if form == "disclosure":
        return _text(name, leaving.statement)
    grounded = require_confirmed(leaving.form, leaving.values, leaving.places, confirmed=leaving.confirmed)
    if form != "pdf":
        return _text(name, preview_text(form, leaving), _lost(form, leaving))
    made = marked_paper(
        leaving.pdf(), leaving.form, leaving.values, grounded, service, title=leaving.title, statement=leaving.statement
    )
    left = left_out(made.left_out, "mark on a damaged page", "marks on damaged pages")
    return Export((ExportFile(name, made.content),), (*_lost(form, leaving), *left))


def preview_text(form: Form, leaving: Leaving) -> str:
    """Returns the content as text for review before export; for the PDF, the text of its last pages."""
    if form == "disclosure":
        return leaving.statement
    if form == "note":
        return write_note(leaving.form, leaving.values)
    return write_filled(leaving.form, leaving.values, leaving.title, leaving.statement)


def _lost(form: Form, leaving: Leaving) -> tuple[str, ...]:
    elsewhere = [one.title for one in unplaced(leaving.form, leaving.values)]
    sentences = [f"The form has no place for: {', '.join(elsewhere)}."] if elsewhere else []
    if form == "note" and leaving.statement:
        sentences.append("The statement of assistance isn't in the note. Put it into a field, or export it separately.")
    return tuple(sentences)


def _text(name: str, text: str, lost: tuple[str, ...] = ()) -> Export:
    return Export((ExportFile(name, text.encode("utf-8", "surrogatepass")),), lost)
