"""No sentence claims more than was checked: each way of being wrong, on an invented paper."""

from __future__ import annotations

import dataclasses

import pytest

from engine.documents.places import Places
from engine.documents.records import Box, DoubtfulPage, ParagraphKind
from engine.documents.references import find_references
from engine.documents.tables import Cell, Row, Table
from engine.review_drafting.grounding import ground
from engine.statements.absences import absence
from engine.statements.judge import judge
from engine.statements.named import numbers_in_tables
from engine.statements.passages import compare
from engine.statements.verdicts import GRAVEST, counted_states, gravest
from tests.engine.documents.pages import document

_PARTS: list[tuple[ParagraphKind, str, str]] = [
    ("heading", "Abstract", ""),
    ("body", "We study how village libraries lend. Coverage is 85.2% for closed shelves and 97.3% for open shelves. "
     "The new index improves lending in small libraries.", "Abstract"),
    ("heading", "1 Introduction", ""),
    ("body", "Village libraries lend books, as Figure 1 shows. Earlier work by Marlow relied on paper ledgers.",
     "1 Introduction"),
    ("heading", "2 Method", ""),
    ("body", "The index was trained for 30 epochs on 1,204 ledgers. Lending does not depend on the weather. "
     "In dry years, the ledgers are complete. We release our code on the page of the project.", "2 Method"),
    ("caption", "Figure 1: Loans in each month.", "2 Method"),
    ("caption", "Figure 2: The shelf counters of both villages freeze in January.", "2 Method"),
    ("caption", "Table 1: Coverage of the collections in percent.", "2 Method"),
    ("table", "Library Coverage Loans Northfield 4.37 120 Easthaven 96.58 340 Total 99.80 460", "2 Method"),
    ("reference", "[1] Marlow, A. (2011). Ledgers. Press.", "References"),
    ("reference", "[2] Okoro, B. (2015). Shelves. Press.", "References"),
    ("reference", "[3] Lind, C. (2019). Loans. Press.", "References"),
]  # fmt: skip


def _table(caption_id: str, table_id: str) -> Table:
    lines = [["Library", "Coverage", "Loans"], ["Northfield", "4.37", "120"], ["Easthaven", "96.58", "340"],
             ["Total", "99.80", "460"]]  # fmt: skip
    text, rows, at = _PARTS[9][1], [], 0
    for number, line in enumerate(lines):
        cells = []
        for column, word in enumerate(line):
            at = text.index(word, at)
            value = float(word) if word[0].isdigit() else None
            box = Box(1, 100.0 * column, 20.0 * number, 100.0 * column + 60, 20.0 * number + 12)
            cells.append(Cell(word, box, column, table_id, at, at + len(word), value))
            at += len(word)
        rows.append(Row(tuple(cells), header=number == 0))
    return Table("1", _PARTS[8][1], caption_id, (table_id,), 1, tuple(rows))


@pytest.fixture(scope="module")
def places() -> Places:
    plain = document(*(text for _, text, _ in _PARTS))
    paragraphs = tuple(
        dataclasses.replace(p, kind=kind, section=section)
        for p, (kind, _, section) in zip(plain.paragraphs, _PARTS, strict=True)
    )
    table = _table(paragraphs[8].id, paragraphs[9].id)
    return Places(dataclasses.replace(plain, paragraphs=paragraphs), [table])


CASES = [
    # A name of a row in quotation marks is no quotation.
    ("The coverage of “Easthaven” is 96.58.", "supported"),
    ("The coverage of “Easthaven” is 95.68.", "contradicted"),
    # What is only described as something.
    ("Lending is described as not dependent on the weather.", "supported"),
    # A figure that exists says nothing about what it is said to show.
    ("Figure 2 shows that reinforcement learning diverges.", "place found"),
    ("Figure 2 shows that the shelf counters of both villages freeze in January.", "supported"),
    # What headings and captions say of their places.
    ("Section 2 describes the method.", "supported"),
    ("The method is described in Section 2.", "supported"),
    ("Section 1 describes the method.", "contradicted"),
    ("Figure 1 shows the loans.", "supported"),
    ("Figure 1 shows the months.", "place found"),
    ("Section 7 is missing.", "supported"),
    # An appendix may be a file of its own: what it says isn't looked for elsewhere.
    ("The appendix says that the new index improves lending in small libraries.", "not checked"),
    # Works before the verb, or overlooked.
    ("Okoro (2015) is cited for shelves.", "place found"),
    ("Okoro (2005) is cited for shelves.", "not found"),
    ("The authors overlook Lind (2019).", "contradicted"),
    ("The authors overlook Berg (2020).", "supported"),
    # A number in place of that behind the same word.
    ("The index was trained for 90 epochs.", "contradicted"),
    # A number that is somewhere in the table, of another row.
    ("Table 1 reports that Northfield has a coverage of 99.80.", "contradicted"),
    ("Table 1 reports that Easthaven has a coverage of 4.37.", "contradicted"),
    ("Table 1 reports that Northfield has a coverage of 4.37.", "supported"),
    ("Table 1 reports a coverage of 77.77.", "not found"),
    # Of several statements, each counts.
    ("No ablation study is reported, and the index was trained for 30 epochs.", "supported"),
    ("No ablation study is reported, and the index is the same as that of other authors.", "not checked"),
    ("Northfield has a coverage of 4.37, and Easthaven has a coverage of 96.58.", "supported"),
    ("Northfield has a coverage of 4.37, and the authors tested three other villages.", "place found"),
    ("Northfield, which was tested on other villages, has a coverage of 4.37.", "place found"),
    ("Easthaven is above Northfield in coverage.", "supported"),
    # Cells of a table that the sentence doesn't name, and numbers of other languages.
    ("Northfield has a coverage of 4.37.", "supported"),
    ("Northfield has a coverage of 96.58.", "contradicted"),
    ("Der Index wurde auf 1.204 Verzeichnissen trainiert.", "place found"),
    ("Les auteurs utilisent 1 204 registres.", "place found"),
    ("La couverture est de 99,80 % à la fin.", "place found"),
    # A part of the paper that doesn't say what another says.
    ("The abstract says that lending does not depend on the weather.", "place found"),
    ("The index uses NightOwl3.", "not found"),
    # A number that is in the abstract, of something else.
    ("The abstract reports 85.2% for open shelves.", "place found"),
    ("The abstract reports 61.5% for open shelves.", "not found"),
    ("The authors report that the index was trained for 30 epochs on 1,204 ledgers.", "supported"),
    ("The authors report 30 villages.", "not found"),
    # Free statements about a place.
    ("Section 2 says that lending does not depend on the weather.", "supported"),
    ("Section 2 says that lending depends on the weather.", "contradicted"),
    ("Section 2 says that the ledgers are complete in dry years.", "supported"),
    ("Section 2 says that the ledgers are incomplete in dry years.", "contradicted"),
    ("Section 2 says that the index was trained for 90 epochs on 1,204 ledgers.", "contradicted"),
    ("Section 1 says that lending does not depend on the weather.", "place found"),
    ("Section 7 says that lending depends on the weather.", "not found"),
    ("The new index worsens lending in small libraries.", "contradicted"),
    ("The paper proves the convergence of stochastic gradient descent.", "not checked"),
    # Who denies what the paper says may disagree with it; who tells it wrongly is wrong.
    ("In dry years, the ledgers are not complete.", "not checked"),
    ("Section 2 says that the ledgers are not complete in dry years.", "contradicted"),
    # Quotations of what the paper should say, and of other works.
    ("P3: “Is it said how the ledgers of the north are read?”", "not checked"),
    ("Start the sentence with “All ledgers of the north are read twice”.", "not checked"),
    ("Perhaps it should be called “ledgers of the north” or “ledgers of the hills”.", "not checked"),
    ("The authors should cite the paper “Ledgers of the hills and towns” by Marlow.", "not checked"),
    # Quotations.
    ("The authors write “Lending does not depend on the weather”.", "supported"),
    ("The statement “Lending does not depend on the weather” is in the paper.", "supported"),
    ("The authors write “Lending does not depend on the season”.", "not found"),
    ("The authors write “Lending does not depend on the weather” (Section 1).", "place found"),
    ("The claim “Lending does not depend on the weather” is naive and unproven.", "place found"),
    # Counts.
    ("The paper has two figures.", "supported"),
    ("There are two figures in this paper.", "supported"),
    ("I counted two sections overall.", "supported"),
    ("With 7 figures, the paper is well illustrated.", "contradicted"),
    ("With 2 figures the index was trained for 30 epochs.", "place found"),
    ("The paper contains four figures.", "contradicted"),
    ("The paper has one table.", "supported"),
    ("The reference list has 3 references.", "supported"),
    ("The paper cites 12 references.", "contradicted"),
    ("The paper has two sections.", "supported"),
    # Names and works.
    ("The authors evaluate on ImageNet.", "not found"),
    ("The authors compare their index with Northfield.", "place found"),
    ("The authors cite Marlow (2011).", "place found"),
    ("The authors cite Marlow (2017).", "not found"),
    ("The authors do not cite Okoro (2015).", "contradicted"),
    ("The authors do not cite Vaswani et al. (2017).", "supported"),
    # Absences.
    ("There is no ablation study.", "supported"),
    ("The code is not released.", "contradicted"),
    ("The paper does not report confidence intervals.", "supported"),
    ("The paper does not discuss the migration of herons.", "not checked"),
    # What is no statement of fact.
    ("The writing is clear.", "not checked"),
    ("Have you tried other villages?", "not checked"),
]


def test_a_number_of_the_named_table_is_not_contradicted_by_text_about_the_table(places: Places) -> None:
    told = "The coverage of the collections is significant with p = 0.01, as Table 1 shows."
    text = (
        dataclasses.replace(p, text=told) if p.text.startswith("Village") else p for p in places.document.paragraphs
    )
    other = Places(dataclasses.replace(places.document, paragraphs=tuple(text)), list(places.tables))
    said = "In Table 1, the coverage of the collections is significant with p = {}."
    assert judge(said.format("4.37"), other).verdict == "place found"
    assert judge(said.format("0.02"), other).verdict in ("contradicted", "not found")


def test_the_numbers_of_a_table_are_those_of_its_cells(places: Places) -> None:
    (table,) = places.tables
    bare = Places(places.document, [dataclasses.replace(table, paragraph_ids=())])
    assert judge("In Table 1, patience has a value of 96.58.", bare).verdict == "place found"
    unread = Places(places.document, [dataclasses.replace(table, paragraph_ids=(), rows=())])
    assert judge("In Table 1, patience has a value of 96.58.", unread).verdict == "not checked"
    for said in ("is 7.25 percentage points higher", "ranges from 7.25 to 8.5 million", "lies between 725 and 850"):
        assert judge(f"In Table 1, patience {said}.", bare).verdict == "not checked"
    first = dataclasses.replace(
        table, rows=table.rows[:2], paragraph_ids=(), caption_id=places.document.paragraphs[0].id
    )
    continued = Places(places.document, [first, table])
    assert judge("In Table 1, patience has a value of 96.58.", continued).verdict == "place found"
    assert judge("In Table 1, patience has a value of 96.59.", continued).verdict == "not found"
    more = Places(places.document, [dataclasses.replace(first, rows=(), number="S1"), table])
    said = "In Supplementary Table 1, patience has a value of 96.59."
    assert not [part for part in numbers_in_tables(said, find_references(said), more) if part.verdict == "not found"]


@pytest.mark.parametrize(
    ("said", "there", "verdict"),
    [
        ("The ledgers were analysed by hand in both villages.", "The ledgers were analyzed by hand in both villages.",
         "supported"),
        ("Its behaviour favours small libraries.", "The behavior favors small libraries.", "supported"),
        ("The share of loans was summarised recently.", "The proportion of loans was summarized lately.", "supported"),
        ("The share of loans was summarised recently.", "The number of loans was summarized lately.", "place found"),
    ],
)  # fmt: skip
def test_spellings_and_synonyms_are_the_same(said: str, there: str, verdict: str) -> None:
    assert compare(said, there).verdict == verdict


@pytest.mark.parametrize(("sentence", "verdict"), CASES, ids=[sentence for sentence, _ in CASES])
def test_each_statement_has_the_state_that_was_checked(places: Places, sentence: str, verdict: str) -> None:
    (claim,) = ground(sentence, places).claims
    assert (claim.verdict, claim.why) == (verdict, claim.why)
    assert claim.why
    assert verdict == "contradicted" or all(part.verdict != "contradicted" for part in claim.parts)


def doubted(places: Places, page: int) -> Places:
    marked = dataclasses.replace(places.document, doubtful=(DoubtfulPage(page, "scan", 1.0),))
    return Places(marked, places.tables)


@pytest.mark.parametrize(("sentence", "verdict"), CASES, ids=[sentence for sentence, _ in CASES])
def test_a_doubtful_page_settles_nothing(places: Places, sentence: str, verdict: str) -> None:
    there = judge(sentence, doubted(places, 1))
    assert {there.verdict, *(part.verdict for part in there.parts)} <= {"not checked", "place found"}
    for words in ("isn't in the paper", "is nowhere", "Searched 11"):
        assert words not in there.why
    elsewhere = judge(sentence, doubted(places, 9))
    plain = judge(sentence, places)
    if verdict == "not found" or plain.place is None or any(part.kind == "count" for part in plain.parts):
        assert elsewhere.verdict in ("not checked", "place found")
    else:
        assert (elsewhere.verdict, elsewhere.why) == (plain.verdict, plain.why)


@pytest.mark.parametrize("sentence", ["Table 3 shows no error bars.", "The paper says “a shelf of glass stars”."])
def test_nothing_is_missing_from_a_paper_without_text(sentence: str) -> None:
    (claim,) = ground(sentence, Places(document())).claims
    assert claim.verdict == "not checked" and "couldn't be read" in claim.why
    assert all(part.verdict == "not checked" for part in claim.parts)


def test_a_wrong_cell_is_shown(places: Places) -> None:
    judged = judge("Table 1 reports that Northfield has a coverage of 99.80.", places)
    place = judged.place
    assert place is not None and place.kind == "table" and place.boxes
    assert "4.37" in judged.why


def test_a_wrong_statement_beside_one_that_holds_is_shown(places: Places) -> None:
    judged = judge("No ablation study is reported; the index was trained for 90 epochs.", places)
    assert judged.verdict == "contradicted" and judged.parts[0].start == len("No ablation study is reported; ")


@pytest.mark.parametrize(("sentence", "missing"), [
    ("The threshold is chosen on the development set, but its effect is never shown.", "its effect"),
    ("Confidence intervals, which matter, are missing.", "Confidence intervals"),
    ("The paper does not report seeds, and the code is bad.", "seeds"),
])  # fmt: skip
def test_what_is_missing_is_in_the_clause_that_says_so(sentence: str, missing: str) -> None:
    assert absence(sentence) == missing


def test_a_supported_statement_leads_to_its_sentence(places: Places) -> None:
    judged = judge("Lending does not depend on the weather.", places)
    assert judged.verdict == "supported" and judged.place is not None
    paragraph = next(p for p in places.document.paragraphs if p.id == judged.place.paragraph_id)
    assert paragraph.text[judged.place.start : judged.place.end] == "Lending does not depend on the weather."


def test_an_absence_says_how_it_was_searched(places: Places) -> None:
    judged = judge("There is no ablation study.", places)
    assert "Searched" in judged.why and "leave-one-out" in judged.why
    nothing = judge("The paper does not discuss the migration of herons.", places)
    assert "doesn't show that it is missing" in nothing.why


def test_all_that_is_called_missing_is_searched_for() -> None:
    said = ("Village libraries lend books.", "Lending rose in January (p < 0.05).")
    judged = judge("No error bars or tests of significance are reported.", Places(document(*said), []))
    assert (judged.verdict, "p <" in judged.why) == ("place found", True)
    judged = judge("It gives no spread of the figures, and no test of significance.", Places(document(*said), []))
    assert judged.verdict == "place found" and "p <" in judged.why
    judged = judge("No error bars or tests of significance are reported.", Places(document(said[0]), []))
    assert judged.verdict == "supported" and all(f"“{word}”" in judged.why for word in ("error bar", "wilcoxon"))


def test_a_quotation_supports_nothing_that_is_said_beside_it(places: Places) -> None:
    quoted = "“Coverage is 85.2% for closed shelves” (p. 1)"
    assert judge(f"The paper says {quoted}.", places).verdict == "supported"
    for more in ("97.3 % is not 85.2 %", "30 of 1,204 is 85.2 %"):
        assert judge(f"{quoted}: {more}.", places).verdict != "supported", more


def test_a_section_named_by_its_own_title_says_nothing_beside_a_quotation() -> None:
    parts = ("3.2 Oil Changes", "We assume that the gauge was oiled on every single day."), ("Wells", "Salt is dear.")
    made = document(*(text for pair in parts for text in pair))
    kinds = dict(zip((p.id for p in made.paragraphs), ("heading", "body") * 2, strict=True))
    titles = [title for title, _ in parts for _ in range(2)]
    places = Places(dataclasses.replace(made, paragraphs=tuple(
        dataclasses.replace(p, kind=kinds[p.id], section=title)  # type: ignore[arg-type]
        for p, title in zip(made.paragraphs, titles, strict=True)
    )), [])  # fmt: skip
    quoted = "“We assume that the gauge was oiled on every single day.”"
    for section in ("Section 3.2. Oil Changes", "Section 3.2 Oil Changes", "Section Oil Changes", "Section Wells"):
        found = judge(f"The authors state: {quoted} ({section}, p. 1).", places)
        assert found.verdict == ("place found" if section == "Section Wells" else "supported"), (section, found.why)
    assert judge(f"The authors state: {quoted} (Section Oil Wells, p. 1).", places).verdict != "supported"


def test_of_two_numbers_neither_is_named_as_the_one_that_is_meant() -> None:
    passage = "Among the 9,780 ledgers that were lent, 483 were assigned by the clerks to the category of salt."
    found = compare("583 ledgers were assigned to the category of salt.", passage)
    assert "9,780" not in found.why and found.verdict == "place found"
    found = compare("583 ledgers were assigned to the category of salt.", passage.replace("the 9,780", "all"))
    assert found.verdict == "contradicted" and "483, not 583" in found.why


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("One limitation of the index is that it does not cover pamphlets.", "The paper does not discuss limitations."),
        ("The new index does not increase the run time of a search.", "The run time is not reported."),
        ("We do not show error bars in Figure 1.", "The paper lacks error bars."),
    ],
)
def test_a_word_beside_a_negation_does_not_show_that_the_paper_lacks_it(said: str, complaint: str) -> None:
    judged = judge(complaint, Places(document("Village libraries lend books.", said), []))
    assert judged.verdict == "place found" and judged.place is not None and judged.place.page == 1
    assert judged.why.startswith("The paper mentions “") and judged.why.endswith(". Read it first.")


@pytest.mark.parametrize(
    ("said", "complaint", "verdict"),
    [
        ("The learning rate was chosen on other data.", "The learning rate is not reported.", "place found"),
        ("The learning rate is 0.01.", "The learning rate is not reported.", "contradicted"),
        ("The learning rate is 0.01.", "The learning rate is never explained.", "place found"),
        ("The learning rate is 0.01.", "The authors do not justify the learning rate.", "place found"),
        ("We use random seeds.", "The random seeds are not mentioned.", "contradicted"),
        ("We use random seeds.", "The choice of random seeds is not explained.", "place found"),
    ],
)
def test_a_word_does_not_show_that_a_paper_explains_it(said: str, complaint: str, verdict: str) -> None:
    assert judge(complaint, Places(document("Village libraries lend books.", said), [])).verdict == verdict


def test_the_nearest_passages_have_words_of_the_sentence_and_a_section_that_is_there_comes_first() -> None:
    paper = document("Village libraries lend books.", "Limitations", "We studied two villages only.", "Shelves freeze.")
    heading = dataclasses.replace(paper.paragraphs[1], kind="heading")
    paper = dataclasses.replace(paper, paragraphs=(paper.paragraphs[0], heading, *paper.paragraphs[2:]))
    judged = judge("The limitations section is missing.", Places(paper, []))
    assert judged.verdict == "contradicted"
    assert [passage.text for passage in judged.passages] == ["We studied two villages only."]
    assert judge("This is a tedious manuscript by amateurs.", Places(paper, [])).passages == ()


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("The data and code behind such studies need to be easier to find.", "place found"),
        ("This copies the source code of the earlier catalogue.", "place found"),
        ("The data and code are available on the page of the project.", "contradicted"),
        ("Code and data availability: see the page of the project.", "contradicted"),
    ],
)
def test_only_words_that_offer_code_contradict_that_it_is_missing(said: str, verdict: str) -> None:
    places = Places(document("Village libraries lend books.", said), [])
    assert judge("The code is not released.", places).verdict == verdict


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("In Tabelle 1 steht für Northfield der Wert 77,77 ohne Beleg.\n\nDas ist nicht überzeugend.",
         ["not found", "not checked"]),
        ("In Tabelle 1 steht für Northfield 4,37. Abbildung 6 ist unleserlich.", ["place found", "not found"]),
        ("第2节描述了方法。第9章没有标题。", ["place found", "not found"]),
        ("Le tableau 1 donne 96,58 pour les prêts. Les auteurs ne le disent pas dans le texte.",
         ["place found", "not checked"]),
        ("表1报告的数值是77.77。实验没有说服力。", ["not found", "not checked"]),
        ("Die Autoren schreiben „Lending does not depend on the season“, und das ist nicht richtig.", ["not found"]),
        ("Таблица 9 не убеждает и не нужна.", ["not found"]),
        ("Northfield erreicht eine Coverage von 4,73.", ["contradicted"]),
        ("Northfield erreicht mit der Coverage nicht 4,37. Northfield erreicht keine Coverage von 4,73.",
         ["place found", "place found"]),
        ("Les auteurs écrivent « The index was never trained. » La figure 9 manque.", ["not found", "not found"]),
        ("Die Autoren schreiben „The index was never trained.“ Abbildung 9 fehlt.", ["not found", "not found"]),
    ],
    ids=["German", "decimal comma", "sections", "French", "Chinese", "quotation", "Russian", "wrong cell", "negated",
         "French quotation", "German quotation"],
)  # fmt: skip
def test_places_numbers_and_quotations_are_checked_in_every_language(
    places: Places, text: str, states: list[str]
) -> None:
    claims = ground(text, places).claims
    assert [claim.verdict for claim in claims] == states, [claim.why for claim in claims]
    assert all("in this language" in claim.why for claim in claims if claim.verdict in ("not checked", "place found"))


def test_the_states_are_counted_apart() -> None:
    assert counted_states(["supported", "not found", "supported"]) == "1 not found · 2 supported"
    assert counted_states(["place found", "supported", "place found"]) == "2 places found · 1 supported"
    assert counted_states(["place found"]) == "1 place found"
    assert gravest(["supported", "place found", "contradicted"]) == "contradicted" and gravest([]) is None
    assert len(set(GRAVEST)) == 5
