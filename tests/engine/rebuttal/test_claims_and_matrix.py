from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.hidden import Inspection
from engine.documents.lanes import IsCancelled
from engine.documents.places import Places
from engine.documents.records import DoubtfulPage, ParsedDocument, StoredDocument
from engine.documents.references import section_name
from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.exchange.rebuttal_forms import write_matrix
from engine.rebuttal.claims import check_claims, find_claims, promises_change
from engine.rebuttal.matrix import claim_words, matrix
from engine.rebuttal.points import outline
from engine.rebuttal.readiness import ClaimChecker, ToCheck, to_check
from engine.rebuttal.records import Generated, Point
from engine.rebuttal.slots import slot_values
from engine.reviews.limits import Limit, preset
from engine.reviews.records import Comment
from tests.engine.rebuttal.versions import REVISED, SUBMITTED, make_document, make_edits

OLD, NEW = Places(make_document(SUBMITTED)), Places(make_document(REVISED))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("We added Table 4 and Section 3.2 now says more.", ["Table 4", "Section 3.2"]),
        ("Tables 2 and 3 are new.", ["Table 2", "Table 3"]),
        ("We will add Table 5.", []),
        ("In the submitted version, Table 2 said so.", []),
        ("> We added Table 4.\n\nWe revised Table 1.", ["Table 1"]),
        ("It now reads “set the margin by cross-validation”.", ["“set the margin by cross-validation”"]),
        ("It is called “bias”, as is said now.", []),
        ("Table 4 is large. We agree.", ["“Table 4 is large.”"]),
        ("See Appendix B and page 3.", ["Appendix B", "Page 3"]),
        ("Recall is 91 %. We agree.", ["“Recall is 91 %.”"]),
        ("We use 40 epochs.", ["“We use 40 epochs.”"]),
        ("We thank the 3 reviewers. We will train for 300 epochs. See 758e485 and https://a.org/2103.01048.", []),
        ("The submitted version said 84 %.\n\n> Recall is 91 %.", []),
    ],
)
def test_what_a_reply_claims(text: str, keys: list[str]) -> None:
    assert [claim.key for claim in find_claims(text)] == keys


def test_a_verb_belongs_to_the_place_beside_it() -> None:
    first, second = find_claims("We added Table 4 and Section 3.2 now says more.")
    assert (first.added, first.changed, second.added, second.changed) == (True, False, False, True)
    (new,) = find_claims("Table 4 is new.")
    assert new.added


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ("We added Table 2.", "supported", "Table 2 is new"),
        ("We added Table 4.", "not found", "is not in"),
        ("See pages 7–9 for this.", "not found", "Pages 7–9 are not in"),
        ("We added Table 1.", "contradicted", "also in the submitted version, unchanged"),
        ("We revised Section 2.", "supported", "was changed"),
        ("We revised Section 1.", "contradicted", "unchanged"),
        ("We added Appendix A.", "supported", "page 1"),
        ("Section 1 explains this.", "place found", "page 1"),
        ("It now says “by cross-validation over five bays”.", "supported", "page 1"),
        ("It now says “by asking an oracle”.", "not found", "are not in"),
        ("As the handbook says, “ask an oracle first”.", "not checked", "are not in"),
        ("We added “The data are open”.", "supported", "page 1"),
        ("Table 2 now reports an error of 0.31.", "place found", "It wasn't decided whether the paper says"),
        ("Table 2 now reports an error of 0.99.", "not found", "0.99 isn't in Table 2"),
        ("Table 2 now reports it (p < 0.05).", "supported", "Table 2 is new"),
        ("We removed “set the margin by hand”.", "supported", "on page 1 of the submitted version and are not in"),
        ("We removed “set the margin by eye”.", "not found", "are not in"),
    ],
)
def test_claims_against_the_revised_version(text: str, verdict: str, words: str) -> None:
    (checked,) = check_claims(text, NEW, OLD, make_edits())
    assert checked.verdict == verdict, checked.why
    assert words in checked.why
    name = checked.claim.key
    assert name in checked.said and f"{name}: {name}" not in checked.said, "each place is named once"
    assert verdict != "supported" or "not decided" not in checked.why
    assert (checked.place is None) == words.endswith("not in")


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("Figure 1: The weir.", "Figure 1 is new, or has another caption than before. See page 1."),
        ("Table 1: The weir.", "Figure 1 is new. See page 1."),
    ],
)
def test_a_figure_with_another_caption_is_only_said_to_be_new_if_there_was_none_of_its_number(
    before: str, why: str
) -> None:
    old, new = (
        Places(make_document((("caption", text),)))
        for text in (before, "Figure 1: The parts of the weir, from the gate to the gauge that is read each hour.")
    )
    (checked,) = check_claims("We revised Figure 1.", new, old, [])
    assert (checked.verdict, checked.why) == ("supported", why)


NUMBERS = "We train for 40 epochs. Recall is 91 % on average, and a gauge costs 310 euros."
STATED = Places(make_document((*REVISED, ("body", NUMBERS))))


def test_former_words_may_be_gone_and_words_in_quotation_marks_are_left_alone() -> None:
    """“Defined” and “shown” are what authors do, but not inside a quotation."""
    line = "It is defined as the slope of a line that is shown in the last panel."
    old, new = (
        Places(make_document((("body", "We name an angular number of all bays."),))),
        Places(make_document((("body", line),))),
    )
    text = f"We replaced “name an angular number” by “{line}”"
    former, now = check_claims(text, new, old, [])
    assert (former.verdict, now.verdict) == ("supported", "supported"), (former.why, now.why)
    assert "submitted version and are not in the revised one" in former.why and "These words are new" in now.why
    kept, _ = check_claims(text.replace("an angular", "another"), new, old, [])
    assert kept.verdict == "not found", "it was in neither version"
    (invented,) = check_claims("It is now defined as “the mean of a line that is shown”.", new, old, [])
    assert invented.verdict == "not found"


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ("Recall is 91 % on average.", "supported", "the passage says this"),
        ("Recall is 84 % on average.", "contradicted", "says 91 %, not 84 %"),
        ("We train for 30 epochs.", "contradicted", "says 40, not 30"),
        ("Gauges and 310 clocks were bought.", "place found", "310 is on page 1"),
        ("Our paper reports 512 bays.", "not found", "512 is nowhere"),
        ("In total it took 7.5 hours.", "not checked", "7.5 is nowhere"),
        ("The gap is 310 percentage points.", "place found", "310 is on page 1"),
    ],
)
def test_numbers_without_a_place_have_a_state(text: str, verdict: str, words: str) -> None:
    (found,) = check_claims(text, STATED)
    assert found.verdict == verdict and words in found.why, found.why
    assert found.said.startswith(f"“{text}”: ")
    (confirmed,) = check_claims(text, STATED, confirmed=[found.claim.key])
    assert confirmed.confirmed and confirmed.verdict == verdict
    (other,) = check_claims(text.replace(".", " now.", 1) if "7.5" not in text else "It took 8.5 hours.", STATED,
                            confirmed=[found.claim.key])  # fmt: skip
    assert not other.confirmed, "another sentence was not looked up"


def test_the_matrix_and_its_table_count_the_five_states_separately() -> None:
    said = (
        "We added Table 2. We added Table 4. We added Table 1. Section 1 explains this. It took 7.5 hours. "
        "We train on 900 bays."
    )
    text = Point("reply", "c0", action="answer", text=said, confirmed=("Table 4",), id="x")
    made = rows({"c0": text})
    words = "1 contradicted · 1 not found · 2 not checked · 1 place found · 1 supported · 1 of them confirmed by you"
    assert claim_words(made.claims) == words and made.rows[0].checked == "contradicted"
    (table,) = write_matrix(made, "m.csv").files
    first, second = csv.DictReader(io.StringIO(table.content.decode()))
    states = ("contradicted", "not_found", "not_checked", "place_found", "supported", "confirmed_by_a_person")
    assert [first[state] for state in states] == ["1", "1", "2", "1", "1", "1"]
    assert [second[state] for state in states] == ["0"] * 6
    assert first["response"] == said and "not found: Table 4" in first["claims"] and second["text"] == "empty"
    unread = rows({"c0": text}, revised=False)
    assert claim_words(unread.claims) == "6 not checked", "without a revised PDF, nothing is left out of the count"


def doubted(places: Places) -> Places:
    return Places(replace(places.document, doubtful=(DoubtfulPage(1, "scan", 1.0),)))


@pytest.mark.parametrize(
    "text", ["We added Table 2.", "We added Table 4.", "We added Table 1.", "We revised Section 2."]
)
def test_doubtful_pages_of_either_version_settle_nothing(text: str) -> None:
    edits = make_edits()
    for old, new in ((OLD, doubted(NEW)), (doubted(OLD), doubted(NEW))):
        (found,) = check_claims(text, new, old, edits)
        assert found.verdict in ("not checked", "place found"), found.why
    (found,) = check_claims(text, NEW, doubted(OLD), edits)
    assert found.verdict == ("not found" if "4" in text else "place found")
    assert found.changed in (None, "not checked")


def test_what_a_person_confirmed_is_no_verdict_of_the_check() -> None:
    (checked,) = check_claims("We added Table 4.", NEW, OLD, make_edits(), confirmed=["Table 4"])
    assert checked.confirmed and checked.verdict == "not found"


@pytest.mark.parametrize(
    ("text", "changed", "verdict"),
    [
        ("We revised Section 2.", "supported", "supported"),
        ("Section 2 says that an oracle sets the margin.", None, "place found"),
        ("We revised Section 2, which now says that an oracle sets every margin.", "supported", "place found"),
        ("We revised Section 1, which now says that tides rise and fall.", "contradicted", "contradicted"),
    ],
)
def test_that_a_place_changed_is_not_that_it_says_something(text: str, changed: str | None, verdict: str) -> None:
    (checked,) = check_claims(text, NEW, OLD, make_edits())
    assert (checked.changed, checked.verdict) == (changed, verdict), checked.why


def test_without_the_submitted_version_nobody_knows_what_changed() -> None:
    (checked,) = check_claims("We revised Section 2.", NEW)
    assert (checked.changed, checked.verdict) == ("not checked", "place found")


def test_a_generated_sentence_that_nobody_accepted_shows_no_check() -> None:
    """A rewrite that never happened, and one that did: neither is the authors' statement yet."""
    text = "We rewrote Section 1. We revised Section 2."
    checked = check_claims(text, NEW, OLD, make_edits(), generated=["We rewrote Section 1.", "We revised Section 2."])
    assert [(one.verdict, one.place) for one in checked] == [("not checked", None)] * 2
    point = Point(
        "reply", "c0", action="answer", text=text, generated=(Generated("We revised Section 2.", "x"),), id="x"
    )
    made = outline([comment(0)], {"c0": point}, ())
    (one,) = to_check(made)
    assert one.generated == ("We revised Section 2.",)


class Read(DocumentStore):
    """Versions as they are read, and how often each was asked for."""

    def __init__(self) -> None:
        self.read: dict[str, ParsedDocument] = {}
        self.asked: list[str] = []

    def parsed(self, document_id: str) -> ParsedDocument | None:
        self.asked.append(document_id)
        return self.read.get(document_id)

    def document(self, document_id: str) -> StoredDocument:
        return StoredDocument(document_id, "", "one.pdf", "", None)

    def pdf_bytes(self, document_id: str) -> bytes:
        return b""


class Open(DocumentService):
    """Finds nothing hidden."""

    def __init__(self) -> None:
        pass

    def inspect(self, pdf: Path | bytes, cancelled: IsCancelled | None = None) -> Inspection:
        return Inspection(1, False)


def test_replies_are_checked_once_the_revision_was_read_which_is_read_once() -> None:
    store, service = Read(), Open()
    checker = ClaimChecker(store, "old", "new")
    replies = [ToCheck("c0", "We added Table 2.")]
    assert checker.check(replies, (), service) == {} and checker.revised_paragraphs(service) == {}
    store.read |= {"old": make_document(SUBMITTED), "new": make_document(REVISED)}
    found = checker.check(replies, make_edits(), service)
    assert found == {"c0": check_claims("We added Table 2.", NEW, OLD, make_edits())} and found["c0"]
    store.asked.clear()
    assert checker.revised_paragraphs(service) == {p.id: p for p in NEW.document.paragraphs}
    assert checker.check(replies, make_edits(), service) == found
    assert store.asked == []
    without = ClaimChecker(store, target_document_id="new")
    alone = check_claims("We added Table 2.", NEW, None, make_edits())
    assert without.check(replies, make_edits(), service) == {"c0": alone}


@given(st.text("We added Table 2 now. “says” >\n€😀", max_size=80))
def test_claims_cut_out_their_words(text: str) -> None:
    for claim in find_claims(text):
        assert text[claim.span.start : claim.span.end] == claim.text


def comment(number: int, reviewer: str = "Reviewer 1") -> Comment:
    return Comment(f"c{number}", "s", reviewer, f"Request {number}")


def rows(points: dict[str, Point], *, revised: bool = True, limit: Limit | None = None, edits: bool = False):  # type: ignore[no-untyped-def]
    made = outline([comment(0), comment(1)], points, ())
    checked = {key: check_claims(p.text, NEW, OLD, make_edits(), p.confirmed) for key, p in points.items()}
    linked = {"c0": make_edits()[:1]} if edits else {}
    return matrix(made, linked, checked if revised else {}, limit or preset("free"), "none", revised=revised)


def test_an_unanswered_comment_is_an_empty_cell() -> None:
    found = rows({})
    assert [(r.answered, r.linked, r.checked) for r in found.rows] == [("empty", "empty", "none")] * 2
    assert found.unanswered == found.rows and found.count("answered", "empty") == 2
    without = rows({}, revised=False)
    assert without.rows[0].linked == "none"


def test_task_done_without_an_edit_is_flagged() -> None:
    point = Point("reply", "c0", action="task_done", text="Done.", id="x")
    (row, _) = rows({"c0": point}).rows
    assert row.linked == "wrong" and row.flags[0].grave and "no edit" in row.flags[0].sentence
    (row, _) = rows({"c0": point}, edits=True).rows
    assert row.linked == "good" and row.flags == () and row.done
    (row, _) = rows({"c0": point}, revised=False).rows
    assert row.linked == "wrong" and "no revised PDF" in row.flags[0].sentence
    promised = Point("reply", "c0", action="task_will_be_done", text="We will.", id="x")
    assert rows({"c0": promised}).rows[0].linked == "none"


@pytest.mark.parametrize(
    ("text", "promises"),
    [
        ("We added a paragraph on it.", True), ("We will add a paragraph on it.", True),
        ("We will gladly discuss this in the paper.", True), ("The proof will be moved to the appendix.", True),
        ("We agree and will add it to the final version.", True), ("We’d gladly shorten it.", True),
        ("The next version will have a table of costs.", True), ("We are happy to report the variance.", True),
        ("Corrected.", True),
        ("We do not intend to change this.", False), ("The network will forget early positions.", False),
        ("The reviewer will find this in Section 3.", False),
        ("> We will add it\n\nThe method needs none.", False), ("We have not added a paragraph.", False),
        ("The random draws are independent.", False), ("", False),
        ("In the following, we address the concerns of the reviewers.", False),
    ],
)  # fmt: skip
def test_changes_that_a_reply_says_or_promises(text: str, promises: bool) -> None:
    assert promises_change(text) is promises
    point = Point("reply", "c0", action="answer", text=text, id="x")
    for row, flagged in ((rows({"c0": point}).rows[0], promises), (rows({"c0": point}, edits=True).rows[0], False)):
        assert any("no edit is linked" in flag.sentence for flag in row.flags) is flagged
    (row, _) = rows({"c0": Point("reply", "c0", text=text, id="x")}).rows
    assert (row.linked == "attention") is promises, "a mark has a reason that is listed"


def test_claims_that_are_not_found_are_flagged() -> None:
    wrong = Point("reply", "c0", action="answer", text="We added Table 4.", id="x")
    (row, _) = rows({"c0": wrong}).rows
    assert row.checked == "not found" and any("Table 4" in flag.sentence and flag.grave for flag in row.flags)
    confirmed = Point("reply", "c0", action="answer", text="We added Table 4.", confirmed=("Table 4",), id="x")
    assert rows({"c0": confirmed}).rows[0].checked == "confirmed"
    assert rows({"c0": wrong}, revised=False).rows[0].checked == "not checked"


def test_open_slots_and_generated_sentences_need_a_look() -> None:
    text = "See {table}. It is new."
    point = Point("reply", "c0", action="answer", text=text, generated=(Generated("It is new.", "x"),), id="x")
    (row, _) = rows({"c0": point}).rows
    assert row.answered == "attention" and not row.done
    assert [flag.sentence for flag in row.flags] == [
        "1 open slot: {table}.", "1 generated sentence hasn't been accepted yet.",
    ]  # fmt: skip


def test_a_reply_over_its_share_is_flagged() -> None:
    long = Point("reply", "c0", action="answer", text="x" * 80, budget=50, id="x")
    (row, other) = rows({"c0": long}, limit=Limit("x", "X", per_reviewer=200)).rows
    assert row.allotted == 50 and row.spent == 80 and row.flags[-1].sentence == "30 characters over its share of 50."
    assert other.allotted == 200 - 50 - 2


def test_slots_are_filled_from_linked_edits() -> None:
    paragraphs = {p.id: p for p in NEW.document.paragraphs}
    changed, table, appendix = make_edits()
    values = slot_values(comment(0), "Reviewer 1", [changed, table], paragraphs)
    assert values["section"] == "Section 2" and values["page"] == "page 1" and values["table"] == "Table 2"
    assert values["reviewer"] == "Reviewer 1" and values["quote"] == "“Request 0”"
    assert slot_values(comment(0), "R", [appendix], paragraphs)["appendix"] == "Appendix A"
    assert set(slot_values(comment(0), "R", [], paragraphs)) == {"reviewer", "quote"}
    assert section_name("3 Results > 3.2 Tides") == "Section 3.2"
    assert section_name("Acknowledgements") == "Section “Acknowledgements”" and section_name("") == ""
