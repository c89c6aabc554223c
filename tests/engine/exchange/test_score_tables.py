"""Score tables come in whole: every doubtful row is named, and what happens to it is chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.exchange.scores import CHOICES, further_scores, plan_scores, read_score_table, read_scores, said_of
from engine.exchange.tables import number

MESSY = """Paper ID,Reviewer,Rating,Confidence,Soundness,Remark
p1,Ann,8: Top 50%,4,3 good,fine
p1,Bob,"6,5",2,2 fair,-
p1,Ann,4,4,3 good,again
p2,Ann,reject,3,1 poor,
p2,Bob,5,,2 fair,
p2,,5,3,2,
,Ann,5,3,2,
p3,Bob,7,-1,4,

p3,Cy,7,0,4,
p4,Cy,3,5,1,alone
"""


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.csv"
    path.write_text(MESSY, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8: Top 50% of accepted papers, clear accept", 8),
        ("5 - marginally below", 5),
        ("7-Aug", None),
        ("7 May 2026", None),
        ("3,5", 3.5),
        ("-2 (weak reject)", -2),
        ("4/5", 4),
        ("3-4", None),
        ("3 – 4", None),
        ("3 or 4", None),
        ("\u22122", -2),
        ("\u20131.5", -1.5),
        ("1e3", 1000),
        (" 7 ", 7),
        ("accept", None),
        ("", None),
        ("3rd", None),
        ("nan", None),
        ("inf", None),
        ("1e308", None),
        ("４．５", 4.5),
        ("٣", 3),
        ("٣٫٥", 3.5),
        ("٤٬٠٠٠", 4000),
        ("5²", None),
    ],
)
def test_a_number_is_what_a_cell_begins_with(text: str, value: float | None) -> None:
    assert number(text) == value


def test_scores_out_of_another_total_are_named_and_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("paper,reviewer,score\np1,Ann,3/5\np2,Ann,4/5\np1,Ben,7/10\n", encoding="utf-8")
    read = read_scores(plan_scores(read_score_table(path)))
    assert [(row.item, row.score) for row in read.rows] == [("p1", 3), ("p2", 4)]
    assert any("“7/10” isn't out of 5" in problem.sentence for problem in read.problems)


@pytest.mark.parametrize(
    ("cells", "kept", "words"),
    [
        (("85%", "0.9", "70%"), [85, 70], "“0.9” isn't out of 100"),
        (("4", "7/10", "5"), [4, 5], "“7/10” isn't on the scale of the others"),
        (("4/5", "3", "2/5"), [4, 2], "“3” isn't out of 5"),
    ],
)
def test_numbers_on_another_scale_than_their_column_are_named(
    tmp_path: Path, cells: tuple[str, ...], kept: list[float], words: str
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("paper,reviewer,score\n" + "".join(f"p,R{n},{cell}\n" for n, cell in enumerate(cells)), "utf-8")
    read = read_scores(plan_scores(read_score_table(path)))
    assert [row.score for row in read.rows] == kept
    assert any(words in problem.sentence for problem in read.problems)
    rows = "".join(f"p,R{n},3,{cell}\n" for n, cell in enumerate(cells))
    path.write_text(f"paper,reviewer,score,confidence\n{rows}", encoding="utf-8")
    (problem,) = read_scores(plan_scores(read_score_table(path))).problems
    assert words in problem.sentence and problem.kind == "bad confidence"


@pytest.mark.parametrize("asked", ["How confident are you of this, given your expertise? [Score]", "Confidence score"])
def test_a_question_for_the_confidence_is_never_the_score(tmp_path: Path, asked: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        f'Which paper?,Email address,"How good is it overall, from 1 to 10?","{asked}"\n'
        "p1,a@x.org,7,3\np1,b@x.org,4,5\np2,a@x.org,8,2\n"
    )
    rows = read_scores(plan_scores(read_score_table(path))).rows
    assert [(row.score, row.confidence) for row in rows] == [(7, 3), (4, 5), (8, 2)]
    path.write_text(f'paper,reviewer,"{asked}"\np1,Ann,3\np1,Bob,5\n')
    assert plan_scores(read_score_table(path)).missing == ("score",)


def test_another_column_that_may_be_the_score_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("paper,reviewer,Score before rebuttal,Score after rebuttal\np1,Ann,4,6\np1,Bob,5,5\n")
    plan = plan_scores(read_score_table(path))
    assert "“Score after rebuttal” may be the score as well." in said_of(plan)
    given = {"score": "Score after rebuttal"}
    assert not any("may be" in said for said in said_of(plan_scores(plan.table, given)))


def test_columns_for_reviewers_are_rows_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("Paper,Reviewer A,Reviewer B,Reviewer C,Average score\np1,5,4,,4.5\np2,n/a,3,2,2.5\n")
    table = read_score_table(path)
    read = read_scores(plan_scores(table))
    assert [(row.row, row.item, row.referee, row.score, row.further) for row in read.rows] == [
        (2, "p1", "Reviewer A", 5, ()), (2, "p1", "Reviewer B", 4, ()),
        (3, "p2", "Reviewer B", 3, ()), (3, "p2", "Reviewer C", 2, ()),
    ]  # fmt: skip
    assert [problem.sentence for problem in read.problems] == ["Row 3: “n/a” isn't a number (p2, Reviewer A)."]
    assert "a column for each reviewer: Reviewer A, Reviewer B, Reviewer C" in table.assumed


def test_columns_called_after_reviewers_are_rows_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("Paper,Topic,Ann,Jürgen Müller,李明,Average\np1,a,5,,3,4\np2,b,2,4,,3\n", encoding="utf-8")
    table = read_score_table(path)
    read = read_scores(plan_scores(table))
    assert [(row.item, row.referee, row.score) for row in read.rows] == [
        ("p1", "Ann", 5), ("p1", "李明", 3), ("p2", "Ann", 2), ("p2", "Jürgen Müller", 4),
    ]  # fmt: skip
    assert "a column for each reviewer: Ann, Jürgen Müller, 李明" in table.assumed


@pytest.mark.parametrize(
    "text",
    [
        "Paper,Novelty,Clarity\np1,5,4\np2,3,2\n",  # aspects of one rating
        "Paper,Year,Ann\np1,2024,4\np2,2025,2\n",
        "Paper,Ann,Ben\np1,5,4\np1,3,2\n",  # several rows for an item
        "Paper,Ann,Ben,Score\np1,5,4,9\np2,3,2,5\n",
    ],
)
def test_other_columns_of_numbers_are_nobody(tmp_path: Path, text: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    assert "Reviewer (column)" not in read_score_table(path).columns


@pytest.mark.parametrize(
    "head",
    [
        "論文,査読者,評点,確信度",
        "论文,审稿人,评分,置信度",
        "논문,심사위원,점수,확신도",
        "Статья,Рецензент,Оценка,Уверенность",
    ],
)
def test_columns_are_named_in_other_scripts(tmp_path: Path, head: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        head + "\n" + "".join(f"p{n // 2},r{n % 2},{n % 5},{n % 3 + 1}\n" for n in range(8)), encoding="utf-8"
    )
    assert list(plan_scores(read_score_table(path)).columns.values()) == head.split(",")


def test_numbers_of_reviewers_beside_scores_are_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("paper,Reviewer 1,Score 1,Reviewer 2,Score 2\np1,17,4,18,5\np2,17,2,19,1\n")
    plan = plan_scores(read_score_table(path))
    assert {row.score for row in read_scores(plan).rows} == {4, 2}
    assert "“Score 2” may be the score as well." in said_of(plan)


def test_groups_of_columns_above_the_header(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for row in (
        ("", "", "Scores", "", "Confidence"), ("Paper", "Reviewer", "Novelty", "Overall", "(1-5)"),
        ("Lakes", "Kim", 3, 7, 4), (None, "Lee", 2, 5, 3),
    ):  # fmt: skip
        book.active.append(row)
    book.active.merge_cells("C1:D1")
    book.active.merge_cells("A3:A4")
    book.save(tmp_path / "scores.xlsx")
    table = read_score_table(tmp_path / "scores.xlsx")
    assert table.columns == ("Paper", "Reviewer", "Novelty", "Overall", "Confidence (1-5)")
    rows = read_scores(plan_scores(table)).rows
    assert [(row.row, row.item, row.score, row.confidence) for row in rows] == [(3, "Lakes", 7, 4), (4, "Lakes", 5, 3)]


def test_reviews_side_by_side_are_a_row_each(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "Paper,Reviewer 1,Score 1,Confidence 1,Reviewer 2,Score 2,Confidence 2,Average\n"
        "p1,Ann,7,3,Ben,5,2,6\np2,Cem,4,1,,,,4\np3,Ben,8,2,Ann,9,5,8.5\n",
        encoding="utf-8",
    )
    table = read_score_table(path)
    assert [(r.item, r.referee, r.score, r.confidence, r.row) for r in read_scores(plan_scores(table)).rows] == [
        ("p1", "Ann", 7, 3, 2), ("p1", "Ben", 5, 2, 2), ("p2", "Cem", 4, 1, 3), ("p3", "Ben", 8, 2, 4),
        ("p3", "Ann", 9, 5, 4),
    ]  # fmt: skip
    assert "reviews side by side: Reviewer 1, Score 1, Confidence 1, Reviewer 2" in table.assumed


def test_numbered_questions_are_no_reviews_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("Paper,Reviewer,Rating 1,Rating 2\np1,Ann,7,3\np1,Ben,5,2\n", encoding="utf-8")
    rows = read_scores(plan_scores(read_score_table(path))).rows
    assert [(row.referee, row.score) for row in rows] == [("Ann", 7), ("Ben", 5)]


def test_a_score_far_from_the_others_is_named_and_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    scores = [1, 10, *range(2, 10), *range(2, 10), *range(2, 10), 70]
    lines = (f"p{at // 2},r{at % 5},{score}\n" for at, score in enumerate(scores))
    path.write_text("paper,reviewer,score\np0,r9,\n" + "".join(lines), encoding="utf-8")
    plan = plan_scores(read_score_table(path))
    found = read_scores(plan)
    far, *others = found.problems
    assert (far.kind, [problem.kind for problem in others]) == ("far", ["no score", "one referee"])
    assert far.row == len(scores) + 2 and "70 is far from most others, 2 to 10" in far.sentence
    assert max(row.score for row in found.rows) == 70
    assert max(row.score for row in read_scores(plan, {"far": "skip"}).rows) == 10


def test_first_and_last_names_in_two_columns_name_one_person(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("paper,first name,last name,score\np1,Ann,Oak,3\np1,Ann,Ash,5\n", encoding="utf-8")
    assert {row.referee for row in read_scores(plan_scores(read_score_table(path))).rows} == {"Ann Oak", "Ann Ash"}


def test_tracks_in_sheets_are_joined_and_merged_cells_hold_for_every_row(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for sheet, paper in ((book.active, "p1"), (book.create_sheet("Track 2"), "p2")):
        for row in (("paper", "reviewer", "score"), (paper, "Ann", 3), (None, "Ben", 5)):
            sheet.append(row)
        sheet.merge_cells("A2:A3")
    book.create_sheet("Notes").append(("nothing", "of", "this"))
    book.save(tmp_path / "scores.xlsx")
    table = read_score_table(tmp_path / "scores.xlsx")
    assert [(row.item, row.referee) for row in read_scores(plan_scores(table)).rows] == [
        ("p1", "Ann"), ("p1", "Ben"), ("p2", "Ann"), ("p2", "Ben"),
    ]  # fmt: skip
    assert "with the rows of Track 2" in table.assumed and "not read: Notes" in table.assumed


def test_columns_are_guessed_by_their_names(messy: Path) -> None:
    plan = plan_scores(read_score_table(messy))
    assert list(plan.columns.values()) == ["Paper ID", "Reviewer", "Rating", "Confidence"]
    assert further_scores(plan) == ("Soundness",) and plan.unused == ("Soundness", "Remark")


def test_every_doubtful_row_is_named_with_its_row_number(messy: Path) -> None:
    read = read_scores(plan_scores(read_score_table(messy)))
    assert [(p.row, p.kind, p.decision) for p in read.problems] == [
        (4, "duplicate", "mean"),
        (5, "no score", "skip"),
        (6, "no confidence", "typical"),
        (6, "one referee", "keep"),
        (7, "no name", "skip"),
        (8, "no name", "skip"),
        (9, "bad confidence", "typical"),
        (11, "bad confidence", "typical"),
        (12, "one referee", "keep"),
    ]
    assert all(f"Row {p.row}" in p.sentence for p in read.problems)
    first = read.rows[0]
    assert (first.score, first.confidence, first.row) == (6.0, 4.0, 2)
    assert first.further == (("Soundness", 3.0),)
    assert read.rows[1].score == 6.5
    lines = {row.row: row for row in read.rows}
    assert lines[6].confidence == 3  # the median of those above 0: 4, 2, 4, 3, 3, 3, 5
    used = {row.row for row in read.rows} | {p.row for p in read.problems}
    assert used == {2, 3, 4, 5, 6, 7, 8, 9, 11, 12}


def test_decisions_are_the_persons(messy: Path) -> None:
    plan = plan_scores(read_score_table(messy))
    read = read_scores(
        plan, {"duplicate": "last", "no confidence": "skip", "bad confidence": "skip", "one referee": "skip"}
    )
    assert [(row.item, row.referee, row.score) for row in read.rows] == [("p1", "Ann", 4.0), ("p1", "Bob", 6.5)]
    with pytest.raises(BadInput, match="an option for"):
        read_scores(plan, {"no score": "mean"})


def test_rows_of_averages_are_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = ("p1,Ann,4", "p1,Bob,5", "p1,Average,4.5", "p2,Ann,1", "p2,Jo Mean,2", "Std. dev.,all,1.6", "Mean,Ann,2.5")
    path.write_text("\n".join(("paper,reviewer,score", *rows)))
    plan = plan_scores(read_score_table(path))
    read = read_scores(plan)
    assert [(row.item, row.referee) for row in read.rows] == [
        ("p1", "Ann"), ("p1", "Bob"), ("p2", "Ann"), ("p2", "Jo Mean"),
    ]  # fmt: skip
    assert [(p.row, p.kind) for p in read.problems if p.skipped] == [(4, "summary"), (7, "summary"), (8, "summary")]
    assert len(read_scores(plan, {"summary": "keep"}).rows) == 7


def test_each_kind_offers_its_default_first() -> None:
    assert {kind: choices[0] for kind, choices in CHOICES.items()} == {
        "duplicate": "mean",
        "no confidence": "typical",
        "bad confidence": "typical",
        "no score": "skip",
        "no name": "skip",
        "summary": "skip",
        "unreadable": "skip",
        "one referee": "keep",
        "spelling": "apart",
        "far": "keep",
    }


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(separator.join(("item", "referee", "score")) + "\n" + separator.join(("p", "r", "4")) + "\n")
    assert read_score_table(path).rows == (("p", "r", "4"),)


def test_xlsx(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    table = book.create_sheet("scores")
    for row in (["paper", "reviewer", "score", "confidence"], ["p1", "Ann", 6, 3.5], [17, "Bob", 7.0, None]):
        table.append(row)
    path = tmp_path / "t.xlsx"
    book.save(path)
    assert read_score_table(path).rows == (("p1", "Ann", "6", "3.5"), ("17", "Bob", "7", ""))
    (tmp_path / "bad.xlsx").write_bytes(b"no zip")
    with pytest.raises(BadInput, match="can't be read as a workbook"):
        read_score_table(tmp_path / "bad.xlsx")


def _openreview(version: int) -> list[dict[str, object]]:
    def review(paper: str, signature: str, rating: str, confidence: str) -> dict[str, object]:
        fields = {"rating": rating, "confidence": confidence, "review": "Some words."}
        content = {k: {"value": v} for k, v in fields.items()} if version == 2 else fields
        invitation = f"V/Paper{paper}/-/Official_Review"
        return {
            "id": f"{paper}{signature}",
            "forum": paper,
            "replyto": paper,
            "signatures": [signature],
            "content": content,
            **({"invitations": [invitation]} if version == 2 else {"invitation": invitation}),
        }

    return [
        review("f1", "~Ann_Lee1", "8: Top 50% of accepted papers, clear accept", "4: confident"),
        review("f1", "~Bob_Ray1", "6: Marginally above", "3: fairly confident"),
        review("f2", "~Ann_Lee1", "4: Ok but not good enough", "5: certain"),
        review("f2", "~Ann_Lee2", "5: Borderline", "2: unsure"),
        review("f2", "V/Paper2/AnonReviewer1", "5: Borderline", "2: unsure"),
        review("f1", "V/Paper1/AnonReviewer1", "7: Good", "2: unsure"),
    ]


@pytest.mark.parametrize("version", [1, 2])
def test_openreview_notes_of_both_versions(tmp_path: Path, version: int) -> None:
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({"notes": _openreview(version)}))
    plan = plan_scores(read_score_table(path))
    assert list(plan.columns.values()) == ["item", "referee", "rating", "confidence"] and not plan.unused
    rows = read_scores(plan).rows
    assert [(r.item, r.score, r.confidence) for r in rows[:3]] == [("f1", 8, 4), ("f1", 6, 3), ("f2", 4, 5)]
    # Namesakes stay apart, and "AnonReviewer1" of two papers is not one person.
    assert len({r.referee for r in rows}) == 5
    assert "2 of 6 reviews are anonymous" in plan.table.warnings[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("just words\nand more\n", "isn't a table"),
        ("item,referee,score\n", "no rows"),
        ('a,b\n"x,1\n', "can't be read"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(BadInput, match=words):
        read_score_table(path)


def test_a_table_without_a_usable_row_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,referee,score\np,r,high\n")
    with pytest.raises(BadInput, match=r"t\.csv has no usable rows"):
        read_scores(plan_scores(read_score_table(path), {"score": "score"}))
    with pytest.raises(BadInput, match="no column “rating”"):
        plan_scores(read_score_table(path), {"score": "rating"})
