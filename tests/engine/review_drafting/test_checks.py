"""Each check on sentences and tables made by hand: what it must find, and what it must leave alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.documents.places import Places
from engine.documents.records import DoubtfulPage
from engine.documents.service import DocumentService
from engine.jobs import QuietReport
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.forms import SHIPPED, shipped
from engine.review_drafting.records import PaperReading, StageInput
from engine.review_drafting.stages import mention_checks as mentions
from engine.review_drafting.stages.results import CHECKS, analysed, checks_for
from engine.review_drafting.stages.table_checks import variance
from engine.review_drafting.stages.text_checks import percentages
from engine.review_drafting.tasks import reading_of
from tests.engine.review_drafting.papers import letter_paper, reading, table, texts

BODY = [("results", f"In round {n} we measured {n}.5 seconds.") for n in range(3, 9)]


@pytest.mark.parametrize(
    "sentence",
    [
        "From 1995 to 2015, an increase of 40% was seen in some regions.",
        "Going from 16165 to 2633 words caused accuracy to drop by 5.2%.",
        "We went from 40 to 50 pages, which led to an increase of 3% in speed.",
    ],
)
def test_what_makes_no_percentage(sentence: str) -> None:
    assert list(percentages(reading(("results", sentence)))) == []


@given(whole=st.integers(20, 5000), data=st.data(), digits=st.integers(0, 2))
def test_a_rounded_share_is_never_called_wrong(whole: int, data: st.DataObject, digits: int) -> None:
    part = data.draw(st.integers(0, whole))
    said = f"{part} of {whole} ({100 * part / whole:.{digits}f}%)"
    assert texts(percentages(reading(("results", f"In all we kept {said} of them.")))) == []


# --- what is pointed at -----------------------------------------------------------------------------------------------
CAPTIONS = "\n\n".join(f"Figure {n}: Errors of the {n}th method over all pages." for n in range(1, 5))


def text_paper(*paragraphs: str, references: str = "") -> PaperReading:
    body = "\n\n".join(paragraphs)
    return read_text_paper("Pages", f"# 1 Introduction\n\n{body}\n\n{CAPTIONS}\n\n# References\n\n{references}\n")


def test_a_figure_that_nothing_points_at_is_named() -> None:
    assert texts(mentions.unmentioned(text_paper("We compare all of them in Figures 1-3 of this paper."))) == [
        "Outside the captions, the text doesn't name Figure 4 (p. 0)."
    ]
    twice = "We compare all of them in Figures 1-3.\n\nFig. 4. Secondly, pages have words."
    assert texts(mentions.unmentioned(text_paper(twice))) == [], "a sentence may begin like a caption"
    for said in (
        "and in Fig. 4b.",
        "and in figure 4.",
        "and (Figs. 3, 4).",
        "and in Figures 3 & 4.",
        "and in Figures 3and 4.",
        "and Figrue 4.",
        "and Figs. 2(a), 3(b) and 4(c).",
        "and Figs 3a, b and 4.",
        "and Figure ?? too.",
        "and Figure \\ref{fig:four} too.",
        "and Figure:::4:: too.",
        "and Figures 3 (for words) and 4 (for lines) show it.",
    ):
        assert texts(mentions.unmentioned(text_paper(f"We compare all of them in Figures 1-3 {said}"))) == [], said
    for said in (
        "and in Example 4.\n\nExample 4 shows the rest.",
        "and\n\n4 of this paper.",
        "here.\n\nFigure 4 shows the rest.",
        "here.\n\nThe figure below shows the rest.",
        "here.\n\nThis figure shows the rest.",
        "here.\n\nUnlike Figure 2, the following figure shows the rest.",
        "here.\n\nFrom the results above, we see the rest.",
        "here.\n\nThe plot shown below has the rest.",
        "here.\n\nThe rest of all errors is plotted below.",
        "here.\n\nThe figure gives the rest of all errors.",
        "here.\n\nBelow are a table and a chart of them.",
    ):
        assert texts(mentions.unmentioned(text_paper(f"We compare all of them in Figures 1-3 {said}"))) == [], said
    for said in (
        "Section 4 shows the rest.",
        "Section ?? and Table ?? show the rest.",
        "Compare the figures of all.",
        "Results rise.",
    ):
        paper = text_paper(f"We compare all of them in Figures 1-3.\n\n{said}")
        assert len(texts(mentions.unmentioned(paper))) == 1, said
    renamed = "Figure 5: Figure S1: Errors of all pages."
    assert texts(mentions.unmentioned(text_paper("We compare all of them in Figures 1-4.", renamed))) == []
    behind = "Post, A. (2019). Letters.\n\n# Appendix\n\nFigure 5: Errors of the last page."
    assert texts(mentions.unmentioned(text_paper("We compare all of them in Figures 1-4.", references=behind))) == [], (
        "who points at an appendix points at its figures"
    )
    numbered = behind.replace("# Appendix", "# 7. Appendix")
    assert texts(mentions.unmentioned(text_paper("We compare all of them in Figures 1-4.", references=numbered))) == []
    assert texts(mentions.unmentioned(text_paper("We compare methods."))) == [], "that is the paper's habit"
    assert texts(mentions.unmentioned(text_paper("We compare two in Figure 2 of all.", "Figure 5: Errors."))) == [
        "Outside the captions, the text doesn't name Figure 5 (p. 0) or Figure 1 (p. 0) or Figure 3 (p. 0) or 1 other."
    ]
    more = "\n\n".join(f"Figure {n}: Errors of page {n}." for n in range(5, 11))
    assert texts(mentions.unmentioned(text_paper("We compare all of them in Figures 1-8 of this paper.", more))) == [
        "Outside the captions, the text doesn't name Figure 9 (p. 0) or Figure 10 (p. 0)."
    ], "one question for all"


@pytest.mark.parametrize(("heading", "found"), [("", 1), ("# A Proofs\n\n", 0)])
def test_figures_behind_the_references_count_unless_an_appendix_follows(heading: str, found: int) -> None:
    said = "# Text\n\nWe compare them in Figures 1-3.\n\n# References\n\nA. Quill: Sand, 2014.\n\n"
    paper = read_text_paper("Pages", f"{said}{heading}{CAPTIONS}")
    assert len(texts(mentions.unmentioned(paper))) == found


def test_a_figure_of_the_same_number_is_no_pointer_to_a_table() -> None:
    tables = "\n\n".join(f"Table {n}: Errors of harbour {n}." for n in (1, 2, 3))
    found = texts(mentions.unmentioned(text_paper("Tables 1 and 3 list them. Figures 1-4 show them.", tables)))
    assert found == ["Outside the captions, the text doesn't name Table 2 (p. 0)."]


@pytest.mark.parametrize(
    ("said", "found"), [("Tables I, II and IV", 1), ("Table I and Tab. II", 1), ("Table. I, Table 2 and Table III", 0)]
)
def test_tables_with_roman_numbers(said: str, found: int) -> None:
    tables = "\n\n".join(f"Table {n}: Errors of harbour {n}." for n in ("I", "II", "III"))
    paper = text_paper(f"We list the errors in {said} of this paper.", tables)
    assert (
        texts(mentions.unmentioned(paper)) == ["Outside the captions, the text doesn't name Table III (p. 0)."] * found
    )


@pytest.mark.parametrize(("said", "found"), [("Tables I, XVI and XL", 0), ("Tables I and XVI", 1)])
def test_tables_with_large_roman_numbers(said: str, found: int) -> None:
    tables = "\n\n".join(f"Table {n}: Errors of harbour {n}." for n in ("I", "XVI", "XL"))
    assert len(texts(mentions.unmentioned(text_paper(f"We list the errors in {said}.", tables)))) == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("The proof is given in Section ?? of this paper.", "Section ??"),
        ("This was shown before [?] and again later.", "[?]"),
        ("Table @ref{tab:one} shows the names of all.", "Table @ref{tab:one}"),
        ("This was shown before (?) and again later.", "(?)"),
        ("Each was scored as low risk (+), some (+/-) or no information (?) by one.", ""),
        ("A name may be any word (?) as in [2].\n\nWords are read [1].\n\nLines are read [3, 4].", ""),
        ("TODO: say why this holds for all pages.", "TODO"),
        ("This was shown before [?, 4] and again later.", "[?, 4]"),
        ("(see Section ??)", "Section ??"),
        ("Error! Reference source not found. lists them.", "Reference source not found"),
        ("The gain was XX% on all pages.", "XX%"),
        ("This follows a letter (Farrow, ????).", "????"),
        ("We keep X% of all pages.", ""),
        ("The proof is given in ?? of this paper.", "??"),
        ("The threshold is the one where ?? is from the condition above.", ""),
        ("Doubtful names are marked by (?) in the list.", ""),
        ("Is this so (and if so why)?", ""),
        ("What is the best move after 4. Nf3?? in chess is open.", ""),
        ("This was shown before [? ] and again later.", "[? ]"),
        ("We correct for tide,? wind,?, ? and moonlight.", "tide,?"),
        ("Do readers prefer plots, tables, etc.? We find that they do.", ""),
        ("The gaps are shown in Figure XYZ of this paper.", "Figure XYZ"),
        ("The gaps are widest in the Figure XYZ-plane of the scan.", ""),
        ("Put a \\label{tide} there and use the command Figure \\ref{tide} to name it.", ""),
    ],
)
def test_references_that_were_not_resolved(sentence: str, found: str) -> None:
    said = texts(mentions.unresolved(text_paper(sentence)))
    assert [f"“{found}”" in text for text in said] == [True] * bool(found)


NAMES = ("Adams", "Baker", "Clark", "Davis", "Evans", "Frank", "Ghosh", "Hills", "Irwin", "Jones", "Klein", "Lopez")


def test_a_number_behind_the_end_of_the_list() -> None:
    numbered = "\n\n".join(f"[{n}] {name}, A. Letters and readers. 2019." for n, name in enumerate(NAMES, start=1))
    assert texts(mentions.citations_beyond(text_paper("As was shown [12] before.", references=numbered))) == []
    [said] = texts(mentions.citations_beyond(text_paper("As was shown [13] before.", references=numbered)))
    assert "ends with 12" in said and "[13]" in said
    dated = numbered.replace("2019", "2013")  # "(2013)." is no entry 13
    assert len(texts(mentions.citations_beyond(text_paper("As was shown [13] before.", references=dated)))) == 1
    elsewhere = "As was shown [13] before.\n\n[13] Moore, B. Letters of sand. 2019."
    assert texts(mentions.citations_beyond(text_paper(elsewhere, references=numbered))) == [], "read as a paragraph"
    joined = numbered + " [13] B. Author. More."
    assert texts(mentions.citations_beyond(text_paper("It is known [13].", references=joined))) == [], "read as one"
    paper = text_paper("It is known [13].", references=numbered)
    document = paper.places.document
    rest = replace(document.paragraphs[-1], id="rest", kind="body", text="B. Author. Letters of clay. 2018.")
    document = replace(document, paragraphs=(*document.paragraphs, rest))
    paper._places = Places(document)
    assert texts(mentions.citations_beyond(paper)) == [], "the list goes on after a break"
    for other in ("Helices [11,13]–[14,15] are stable.", "The gain is 14 pp [6, 13].", "Their mean (95% CI [6, 13])."):
        assert texts(mentions.citations_beyond(text_paper(other, references=numbered))) == [], other


def test_names_without_an_entry_in_the_list() -> None:
    dated = "\n\n".join(f"{name}, A. (20{n}). Letters and readers." for n, name in enumerate(NAMES, start=10))
    known = "It is known (Adams 2010; Baker and Clark, 2011). Davis et al. (2013) doubt it."
    [said] = texts(mentions.names_missing(text_paper(f"{known} Petros (2015) agrees with them.", references=dated)))
    assert "“Petros (2015)”" in said and "Davis" not in said
    for other in (
        "Daviz (2013) agrees with them.",
        "Jo-Nes et al. (2019) agree with them.",
        "It began in January (2015).",
        "It holds since then (May 2016).",
        "It is the law (Act 12 of 2015).",
        "Klein (2020) agrees with them.",
    ):
        assert texts(mentions.names_missing(text_paper(f"{known} {other}", references=dated))) == [], other
    many = f"{known} Petros (2015) and Quint (2016) agree with them."
    assert texts(mentions.names_missing(text_paper(many, references=dated))) == [], "the list may be read wrongly"


def test_a_number_far_behind_the_end_of_a_short_list() -> None:
    numbered = "\n\n".join(f"[{n}] {name}, A. Letters. 2019." for n, name in enumerate(NAMES[:7], start=1))
    assert len(texts(mentions.citations_beyond(text_paper("As was shown [12] before.", references=numbered)))) == 1
    assert texts(mentions.citations_beyond(text_paper("There are [40] of them.", references=numbered))) == []


def test_checks_that_read_words_are_silent_on_papers_in_other_languages() -> None:
    def checks(*sentences: str) -> set[str]:
        paper = text_paper(*(sentences * 5))
        return {
            check.name for check in analysed(StageInput(paper=paper, asks=shipped("arr").asks), QuietReport()).checks
        }

    assert checks("It is well known that our method is superior to all others.") == {"bare-claim"}
    assert checks("Nous comptons les mots de toutes les pages avec soin.", "Les mots sont dans les lignes.") == set()


def test_nothing_is_called_absent_where_text_was_left_out() -> None:
    paper = text_paper(
        "We compare all data of our experiments in Figures 1-3 of this paper.",
        "It is in Section ?? too.",
        "Table 1: Words of all pages.",
    )
    hidden = paper.model_copy(update={"hidden": 80})
    asked = [
        [check.name for check in analysed(StageInput(paper=one, asks=shipped("arr").asks), QuietReport()).checks]
        for one in (paper, hidden)
    ]
    assert asked == [["unresolved", "unmentioned"], ["unresolved"]]


def test_checks_take_nothing_from_a_doubtful_page(drafting_service: DocumentService) -> None:
    pdf = letter_paper(faulty=True)
    parsed = drafting_service.parse(pdf)
    paper = reading_of(parsed, pdf, drafting_service)
    found = analysed(StageInput(paper=paper), QuietReport()).checks
    last = max(anchor.page for check in found for anchor in check.anchors)
    marked = reading_of(replace(parsed, doubtful=(DoubtfulPage(last, "scan", 1.0),)), pdf, drafting_service)
    report = analysed(StageInput(paper=marked), QuietReport())
    checks = report.checks
    assert report.unread == (last,), "and it says so"
    assert checks == tuple(
        c for c in found if all(a.page != last for a in c.anchors) and c.name not in ("unmentioned", "citation")
    ), "nothing is called missing either"
    assert len(checks) < len(found)
    assert {s.page for s in marked.sentences} == {s.page for s in paper.sentences} - {last}


def test_what_gives_away_the_authors_of_an_anonymous_paper() -> None:
    telling = "In our previous work [12] we counted pages; the code is at https://github.com/example/pages too."
    [said] = texts(
        mentions.identity_leaks(text_paper("Anonymous authors, paper under double-blind review at a venue.", telling))
    )
    assert "our previous work" in said and "github.com/example" in said
    assert texts(mentions.identity_leaks(text_paper(telling))) == [], "nobody claims to be anonymous"
    for said in ("We asked three experts from our lab to read.", "The pages were read by our group."):
        assert texts(mentions.identity_leaks(text_paper("Anonymous authors, under double-blind review.", said))) == []
    for said in (
        "The study was supported by grant 4711 of the Sand Fund.",
        "We thank Ina Vorst for reading all pages.",
    ):
        found = texts(mentions.identity_leaks(text_paper("Anonymous authors, under double-blind review.", said)))
        assert len(found) == 1, said
        thanks = f"Anonymous\n\n## Acknowledgments\n\n{said}"
        assert len(texts(mentions.identity_leaks(text_paper(thanks)))) == 1, "also in a section of its own"
    used = "Pages were drawn with https://github.com/example/draw in all rounds."
    assert texts(mentions.identity_leaks(text_paper("Anonymous authors, under double-blind review.", used))) == []
    theirs = "The marks are those of Adams et al. (2016), available at https://github.com/example/marks/."
    assert (
        texts(mentions.identity_leaks(text_paper("Anonymous authors, paper under double-blind review.", theirs))) == []
    )


def test_what_a_form_asks_about() -> None:
    paper = text_paper("We count pages and the words of our data with great care.")
    assert {key for key in SHIPPED if variance in checks_for(paper, shipped(key).asks)} == {"arr", "journal"}


METHODS = [["Method", "Accuracy"], ["one", "71.2"], ["two", "74.5"], ["three", "73.0"]]


@pytest.mark.parametrize(
    ("rows", "caption", "expected"),
    [
        (METHODS, "Accuracy of three methods.", True),
        (
            [
                ["Method", "Mean Accuracy", "Min. Accuracy", "Max. Accuracy"],
                ["one", "71.2", "70.1", "73.0"],
                ["two", "74.5", "74.1", "75.2"],
            ],
            "Accuracy.",
            False,
        ),
        ([["Method", "Accuracy"], ["one", "71.2 ± 0.3"], ["two", "74.5 ± 0.2"]], "Accuracy.", False),
        ([["Method", "Accuracy", "Error"], ["one", "71.2", "0.3"], ["two", "74.5", "0.2"]], "Accuracy.", False),
        ([["Method", "Accuracy"], ["one", "71.2 (0.3)"], ["two", "74.5 (0.2)"]], "Accuracy.", False),
        (METHODS, "Mean accuracy with standard deviations below 0.2.", False),
        ([["Part", "Pages"], ["one", "120"], ["two", "30"]], "Sizes of the parts.", False),
        (
            [["Country", "Ratio", "95% Interval"], ["x", "1.2", "(0.9, 1.4)"], ["y", "2.2", "(1.9, 2.4)"]],
            "Error",
            False,
        ),
    ],
)
def test_tables_without_spread(rows: list[list[str]], caption: str, expected: bool) -> None:
    found = texts(variance(reading(("results", "We show it in Table 1."), tables=(table("1", rows, caption),))))
    assert bool(found) == expected


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("We report means over five runs with other seeds.", False),
        ("Each experiment was carried out 5 times and the mean is shown.", False),
        ("We repeat this process three times and average the results.", False),
        ("We replicated the reading 2,000 times for all letters.", False),
        ("These are the means of 3 different runs.", False),
        ("We train two readers of each kind and average the results.", False),
        ("We set the seed to 0, 1 and 2, and calculated the average of all.", False),
        ("We use cross-validation and average the scores over ten iterations.", False),
        ("Figures in bold are not significantly different from the best.", False),
        ("Which reader is better is decided by hypothesis testing.", False),
        ("The reader has an accuracy of 0.54 p˘0.07q in a symbol font.", False),
        ("The methods have a significant overlap and a high variance.", True),
        ("Here min(x) and max(x) are the ends of the scale.", True),
    ],
)
def test_a_word_on_spread_anywhere_is_enough(sentence: str, asked: bool) -> None:
    assert bool(texts(variance(reading(("method", sentence), tables=(table("1", METHODS),))))) is asked


def test_only_figures_of_performance_are_asked_for_their_spread() -> None:
    def asked(heading: str, caption: str, *figures: str) -> bool:
        rows = [["Set", heading, "Pages"], *([f"set {n}", figure, "12"] for n, figure in enumerate(figures))]
        return bool(texts(variance(reading(("results", "See Table 1."), tables=(table("1", rows, caption),)))))

    assert asked("Accuracy", "What was found.", "71.2", "74.5")
    assert not asked("Size", "Sets on which performance was measured.", "1.9", "2.4", "311", "402"), "mostly counts"
    assert not asked("Correlation of X and Z", "What was found.", "0.7", "0.6"), "no measure of success"
    assert not asked("Score", "Effect of the score on run time and memory.", "7.5", "9.1")


@given(st.lists(st.tuples(st.sampled_from(["abstract", "method", "results"]), st.text(max_size=200)), max_size=6))
def test_no_text_breaks_a_check(sentences: list[tuple[str, str]]) -> None:
    paper = reading(*sentences, tables=(table("1", METHODS),))  # type: ignore[arg-type]
    for check in CHECKS:
        texts(check(paper))
