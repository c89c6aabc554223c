"""Exports of submission systems and home-made sheets are read as they are, whatever their encoding and extra columns.

The headers are those that the systems write:
- OpenReview: docs.openreview.net, "Exporting all reviews into a CSV" (forum, then the fields of the review form);
- EasyChair: review.csv and the sheet "Reviews" of the data of a conference, as scripts of chairs document them (Pagh,
  "easychair_score_distribution", without a header; Endriss, scripts of ECAI 2024, with the names of the columns);
- Microsoft CMT: "Reviews" of the README of HPI's "CMTStat"; CMT saves XML spreadsheets with the ending .xls;
- HotCRP: src/listactions/la_getreviewcsv.php and la_getscores.php of kohler/hotcrp;
- Google Forms: the sheet of responses (Timestamp, Email Address, questions; rows of a grid in brackets).
"""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.io import csv_text, parse_table, table_in, xlsx_file
from engine.exchange.scores import further_scores, plan_scores, read_score_table, read_scores, said_of

Rows = Sequence[tuple[str, str, int, int, str]]
"""Item, referee, score, confidence, a remark."""
WORDS = st.text(st.sampled_from("abc é漢,;|\t\"'1.\n"), max_size=12).map(lambda words: f"x{words}")


@st.composite
def _rows(draw: st.DrawFn) -> Rows:
    """Two to five papers with two or three reviews each."""
    papers, people = draw(st.integers(2, 5)), ["Ada One", "Bob Two", "Cyd Three"]
    return [
        (str(10 + paper), person, draw(st.integers(-2, 9)), draw(st.integers(1, 5)), draw(WORDS))
        for paper in range(papers)
        for person in people[: draw(st.integers(2, 3))]
    ]


def _easychair(rows: Rows, *, total: bool = False) -> list[list[object]]:
    out: list[list[object]] = []
    for at, (item, name, score, confidence, words) in enumerate(rows, 1):
        scores = f"Overall evaluation: {score}\nReviewer's confidence: {confidence}"
        sums = [score] if total else []
        out.append(
            [
                at,
                item,
                len(name),
                name,
                at % 3 + 1,
                1,
                words,
                scores,
                *sums,
                "",
                "",
                "",
                "",
                "2024-05-01",
                "13:45",
                "no",
            ]
        )
    return out


EASYCHAIR = (
    "#", "submission #", "member #", "member name", "number", "version", "text", "scores", "total score",
    "reviewer first name", "reviewer last name", "reviewer email", "reviewer person #", "date", "time", "attachment?",
)  # fmt: skip
CMT = (
    "Paper ID", "Paper Title", "Reviewer Name", "Reviewer Email", "Q1 (Overall Rating)",
    "Q1 (Overall Rating - Value)", "Q6 (Three (or more) strong points about the paper.)",
    "Q16 (Rate your confidence in this review.)", "Q16 (Rate your confidence in this review. - Value)",
)  # fmt: skip


def _cmt(rows: Rows) -> list[list[object]]:
    return [
        [item, f"On {item}", name, f"{name[:3]}@x.org", "Weak", score, words, "sure", confidence]
        for item, name, score, confidence, words in rows
    ]


def _excel_xml(sheets: dict[str, Sequence[Sequence[object]]]) -> bytes:
    """An XML spreadsheet as CMT saves it; empty cells are left out, and the next one says its place."""
    parts = ['<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" '
             'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">']  # fmt: skip
    for title, lines in sheets.items():
        parts.append(f'<Worksheet ss:Name="{escape(title)}"><Table>')
        for line in lines:
            cells = "".join(
                f'<Cell ss:Index="{at}"><Data ss:Type="{"Number" if isinstance(cell, int) else "String"}">'
                f"{escape(str(cell))}</Data></Cell>"
                for at, cell in enumerate(line, 1)
                if cell != ""
            )
            parts.append(f"<Row>{cells}</Row>")
        parts.append("</Table></Worksheet>")
    return "".join([*parts, "</Workbook>"]).encode()


@dataclass(frozen=True)
class Export:
    """A file as a system exports it. ``item`` and ``referee`` say how it names them."""

    name: str
    write: Callable[[Rows], bytes]
    columns: tuple[str, str, str, str]
    further: tuple[str, ...] = ()
    item: Callable[[str], str] = str
    referee: Callable[[str], str] = str


def _csv(header: Sequence[str] | None, make: Callable[[Rows], list[list[object]]]) -> Callable[[Rows], bytes]:
    return lambda rows: csv_text(make(rows), header, line_end="\r\n", guard=False).encode()


def _mail(name: str) -> str:
    return f"{name.split(maxsplit=1)[0]}@x.org"


EXPORTS = {
    "EasyChair, CSV without header": Export(
        "review.csv",
        _csv(None, _easychair),
        ("submission #", "member name", "Overall evaluation", "Reviewer's confidence"),
    ),
    "EasyChair, CSV": Export(
        "review.csv",
        _csv([name for name in EASYCHAIR if name != "total score"], _easychair),
        ("submission #", "member name", "Overall evaluation", "Reviewer's confidence"),
    ),
    "EasyChair, workbook": Export(
        "conference.xlsx",
        lambda rows: (
            xlsx_file(
                "x",
                {
                    "Submissions": (("#", "title", "decision"), [[12, "On birds", "no"], [13, "On bees", "no"]]),
                    "Reviews": (EASYCHAIR, _easychair(rows, total=True)),
                    "Empty": (("#",), []),
                },
            ).content
        ),
        ("submission #", "member name", "Overall evaluation", "Reviewer's confidence"),
        ("total score",),
    ),
    "CMT, XML": Export(
        "Reviews.xls",
        lambda rows: _excel_xml({"Research Track": [CMT, *_cmt(rows)], "Revision": [CMT]}),
        (CMT[0], CMT[2], CMT[5], CMT[8]),
    ),
    "CMT, workbook": Export(
        "Reviews.xlsx", lambda rows: xlsx_file("x", {"R": (CMT, _cmt(rows))}).content, (CMT[0], CMT[2], CMT[5], CMT[8])
    ),
    "HotCRP, reviews": Export(
        "c-reviews.csv",
        _csv(
            ("paper", "title", "review", "reviewername", "email", "Overall merit", "Reviewer expertise", "Comments"),
            lambda rows: [
                [item, f"On {item}", f"{item}A", name, _mail(name), f"{score}. Weak", confidence, words]
                for item, name, score, confidence, words in rows
            ],
        ),
        ("paper", "reviewername", "Overall merit", "Reviewer expertise"),
    ),
    "HotCRP, scores": Export(
        "c-scores.csv",
        _csv(
            ("paper", "title", "decision", "review", "reviewername", "email", "OveMer", "Nov", "RevExp"),
            lambda rows: [
                [item, f"On {item}", "Rejected", f"{item}A", name, _mail(name), score, 3, confidence]
                for item, name, score, confidence, _ in rows
            ],
        ),
        ("paper", "reviewername", "OveMer", "RevExp"),
        ("Nov",),
    ),
    "Google Forms": Export(
        "Review form (Responses).csv",
        _csv(
            ("Timestamp", "Email Address", "Which paper are you reviewing?", "Overall score (1 = reject, 5 = accept)",
             "How confident are you in your review?", "Rate the paper [Novelty]", "Anything else?"),
            lambda rows: [
                ["2024/05/01 3:14:15 PM GMT+2", _mail(name), f"P{item}: On birds", score, confidence, 2, words]
                for item, name, score, confidence, words in rows
            ],
        ),
        ("Which paper are you reviewing?", "Email Address", "Overall score (1 = reject, 5 = accept)",
         "How confident are you in your review?"),
        ("Rate the paper [Novelty]",),
        lambda item: f"P{item}: On birds",
        _mail,
    ),
    "OpenReview": Export(
        "reviews.csv",
        _csv(
            ("forum", "reviewer", "title", "review", "rating", "confidence"),
            lambda rows: [
                [f"f{item}", f"~{name}1", "Fine", words, f"{score}: Top 50% of accepted papers", f"{confidence}: sure"]
                for item, name, score, confidence, words in rows
            ],
        ),
        ("forum", "reviewer", "rating", "confidence"),
        item=lambda item: f"f{item}",
        referee=lambda name: f"~{name}1",
    ),
}  # fmt: skip


def _read(name: str, data: bytes, decimal: str = "") -> tuple[object, list[tuple[str, str, float, float]]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        plan = plan_scores(read_score_table(path))
    read = read_scores(plan, decimal=decimal)
    assert not [p for p in read.problems if p.skipped]
    return plan, [(row.item, row.referee, row.score, row.confidence) for row in read.rows]


@pytest.mark.parametrize("system", EXPORTS)
@settings(max_examples=25, deadline=None)
@given(rows=_rows())
def test_exports_of_systems_are_read_whole_without_a_question(system: str, rows: Rows) -> None:
    export = EXPORTS[system]
    plan, found = _read(export.name, export.write(rows))
    assert tuple(plan.columns.values()) == export.columns  # type: ignore[attr-defined]
    assert further_scores(plan) == export.further  # type: ignore[arg-type]
    assert found == [(export.item(i), export.referee(r), s, c) for i, r, s, c, _ in rows]


ENCODINGS = {"utf-8": b"", "utf-8-sig": b"", "utf-16-le": codecs.BOM_UTF16_LE, "cp1252": b""}
HEADERS = st.sampled_from(
    [
        ("Paper", "Reviewer", "Score", "Confidence"),
        ("Submission No.", "Assigned Reviewer", "Overall Recommendation (1-10)", "Reviewer confidence"),
        ("manuscript", "rater", "Final grade", "certainty [1-5]"),
        ("Proposal", "Panelist", "Total Score", "Expertise"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    rows=_rows(),
    header=HEADERS,
    encoding=st.sampled_from(sorted(ENCODINGS)),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from(".,"),
    order=st.permutations(range(6)),
    above=st.sampled_from(["", "Scores of the spring call\n\n", "# exported by hand\n", "sep"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_home_made_sheets_are_read_whatever_their_layout(
    rows: Rows, header: tuple[str, ...], encoding: str, delimiter: str, decimal: str, order: list[int], above: str,
    line_end: str,
) -> None:  # fmt: skip
    above = f"sep={delimiter}\n" if above == "sep" else above
    cells = [
        [f"P{item}", name, f"{score}{decimal}5", str(confidence), words.replace("漢", "é"), "late"]
        for item, name, score, confidence, words in rows
    ]
    text = csv_text(
        [[line[at] for at in order] for line in cells],
        [(*header, 'What the "chair" says', "Status")[at] for at in order],
        delimiter=delimiter, line_end=line_end, guard=False,
    )  # fmt: skip
    plan, found = _read("home.csv", ENCODINGS[encoding] + (above + text).encode(encoding))
    assert tuple(plan.columns.values()) == header  # type: ignore[attr-defined]
    assert found == [(f"P{i}", r, s + (0.5 if s >= 0 else -0.5), c) for i, r, s, c, _ in rows]
    assert "Status" in said_of(plan)[-1]  # type: ignore[arg-type]


def test_a_sheet_without_column_names_loses_no_row() -> None:
    table = parse_table("p1,Ann,5\np1,Bob,4\np2,Ann,3\np2,Bob,6\np3,Ann,4\n", "t.csv")
    assert table.columns == ("column 1", "column 2", "column 3") and len(table.rows) == 5
    assert "no header line" in table.assumed
    plan = plan_scores(table, {"item": "column 1", "referee": "column 2"})
    assert plan.columns["score"] == "column 3" and len(read_scores(plan).rows) == 5
    for header in ("item,2019,2020", "item,1,2,3"):
        lines = f"{header}\na{',3' * header.count(',')}\nb{',1' * header.count(',')}\n"
        assert parse_table(lines, "t.csv").columns[0] == "item"


def test_a_missing_column_is_asked_for_and_no_remark_becomes_a_score() -> None:
    table = parse_table(
        "forum,title,review,rating,confidence\nf1,A,1. x,8: Top 50%,4\nf1,B,2. y,3: Reject,2\nf2,C,z,4: Fair,2\n", "t"
    )
    plan = plan_scores(table)
    assert plan.missing == ("referee",) and plan.columns["score"] == "rating"
    with pytest.raises(BadInput, match="referee"):
        read_scores(plan)


def test_dates_and_times_are_no_numbers() -> None:
    table = parse_table(
        "paper,reviewer,score,sent,at,day\np,A,1,2024-05-01,13:45,1/2/2024\nq,B,2,2024-05-02,9:15,12/2/2024\n", "t"
    )
    assert further_scores(plan_scores(table)) == ()
    assert parse_table("a,b\n4/5,x\n3/5,y\n", "t").number("4/5") == 4.0


def test_addresses_that_differ_by_a_letter_are_different_people() -> None:
    rows = [
        ("p1", "anna@x.org", "3"),
        ("p1", "anne@x.org", "4"),
        ("p2", "Ada Lovelace", "1"),
        ("p2", "Ada Lovelase", "2"),
    ]
    read = read_scores(plan_scores(parse_table(csv_text(rows, ("paper", "reviewer", "score")), "t")))
    assert [p.row for p in read.problems if p.kind == "spelling"] == [5]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_excel_xml({"R": [["a"]]}).replace(b"<Workbook", b"<!DOCTYPE x []><Workbook"), "document type"),
        (_excel_xml({"R": [["a", "b"], ["1", "2"]]})[:-20], "can't be read as a workbook"),
        (_excel_xml({"R": [["a"]]}).replace(b'Index="1"', b'Index="90000000"'), "too large"),
        (_excel_xml({"R": [["a"]]}).replace(b'Index="1"', b'Index="one"'), "can't be read as a workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Excel 97"),
    ],
)  # fmt: skip
def test_xml_and_old_workbooks_are_read_safely_or_refused(data: bytes, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        table_in(data, "reviews.xls")


HEADERS = {
    "German": ("Nutzername", "Welche Einreichung?", "Gesamtbewertung", "Wie sicher sind Sie?"),
    "French": ("Nom du relecteur", "Numéro de la soumission", "Note globale (sur 5)", "Confiance"),
    "abbreviated": ("Referee", "Paper no.", "Mark (1–10)", "Conf."),
}


@pytest.mark.parametrize("language", HEADERS)
def test_columns_are_known_by_further_names(language: str) -> None:
    header = HEADERS[language]
    table = csv_text([["Ada One", 12, 4, 3], ["Bob Two", 12, 2, 5]], header, guard=False).encode()
    plan, found = _read("scores.csv", table)
    assert tuple(plan.columns[name] for name in ("referee", "item", "score", "confidence")) == header  # type: ignore[attr-defined]
    assert found == [("12", "Ada One", 4.0, 3.0), ("12", "Bob Two", 2.0, 5.0)]


def test_scores_of_a_second_reviewer_are_no_names() -> None:
    header = ("Paper", "Reviewer 1 rating", "Reviewer 2 rating")
    _, found = _read("wide.csv", csv_text([[12, 4, 2], [13, 5, 3]], header, guard=False).encode())
    assert found == [
        ("12", "Reviewer 1 rating", 4.0, 1.0), ("12", "Reviewer 2 rating", 2.0, 1.0),
        ("13", "Reviewer 1 rating", 5.0, 1.0), ("13", "Reviewer 2 rating", 3.0, 1.0),
    ]  # fmt: skip


def test_easychair_s_answers_in_words_do_not_hide_the_confidence_nor_subreviewers_the_members() -> None:
    made = [list(map(str, row)) for row in _easychair([("12", "Ada One", 4, 3, "x"), ("12", "Bob Two", 2, 5, "x")])]
    for row in made:
        row[7] += "\nBest paper: no"
    made[0][8:10] = "Sub", "Reviewer"
    names = [name for name in EASYCHAIR if name != "total score"]
    _, found = _read("review.csv", csv_text(made, names, guard=False).encode())
    assert found == [("12", "Ada One", 4.0, 3.0), ("12", "Bob Two", 2.0, 5.0)]
