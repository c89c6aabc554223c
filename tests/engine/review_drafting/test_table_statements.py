"""The generator of statements about tables: deterministic, and its labels agree with a second calculation."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.benchmarks.judge_rates import rates
from tests.benchmarks.table_grids import Grid, Value, grids, read_grid, value_of
from tests.benchmarks.table_statements import KINDS, Statement, table_statements

ROWS = ("Heron", "Stork", "Plover", "Dunlin", "Curlew")
COLUMNS = ("wingspan", "weight", "clutch")
DIGITS = (
    ("91.37", "412.8", "3.25"),
    ("64.52", "287.3", "4.61"),
    ("38.94", "153.6", "2.87"),
    ("27.18", "96.1", "5.93"),
    ("55.73", "731.4", "1.46"),
)
NUMBERS = tuple(tuple(Decimal(d) for d in row) for row in DIGITS)
LOW = r"lower|lowest|smaller|smallest|below|drops|bottom|low "
HIGH = r"higher|highest|larger|largest|greatest|exceeds|rises|above|top|high "
STATED = r"exactly (\w+)|is (\d)\b(?! )|is (\d) \(|is (\d) in Tab|is (\d), see|\b(no|none|never|all|every)\b"


def birds() -> Grid:
    values = tuple(tuple(Value(Decimal(d), d) for d in row) for row in DIGITS)
    return Grid("birds", Path("birds.pdf"), "4", ROWS, COLUMNS, values, ("", "", ""))


@pytest.fixture(scope="module")
def made() -> list[Statement]:
    return [s for seed in range(12) for s in table_statements([birds()], seed)]


def of_kind(made: list[Statement], *kinds: str) -> list[Statement]:
    return [s for s in made if s.kind in kinds]


def words(statement: Statement) -> tuple[list[int], list[int], list[Decimal]]:
    """The rows and columns named, in the order of the text, and the numbers, without that of the table."""
    text = re.sub(r"Tab(le|\.) 4", "", statement.text)
    rows = sorted((m.start(), ROWS.index(m[0])) for m in re.finditer("|".join(ROWS), text))
    columns = sorted(
        (m.start(), COLUMNS.index(m[0].lower())) for m in re.finditer("|".join(COLUMNS), text, re.IGNORECASE)
    )
    numbers = [Decimal(n) for n in re.findall(r"\d+(?:\.\d+)?", text)]
    return [r for _, r in rows], [c for _, c in columns], numbers


def test_the_same_seed_gives_the_same_statements() -> None:
    first, again, other = (list(table_statements([birds()], seed)) for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert len({s.text for s in first}) == len(first)


def test_every_kind_comes_true_and_false(made: list[Statement]) -> None:
    found = {(s.kind, s.true) for s in made}
    # Without a unit, percent, or large numbers there is no unit to confuse.
    assert found == {(kind, truth) for kind in KINDS if kind != "unit" for truth in (True, False)}


def test_a_value_is_true_just_where_the_cell_has_it(made: list[Statement]) -> None:
    checked = 0
    for statement in of_kind(made, "cell", "digits", "row", "column"):
        rows, columns, numbers = words(statement)
        if len(rows) == len(columns) == len(numbers) == 1:
            assert (NUMBERS[rows[0]][columns[0]] == numbers[0]) is statement.true, statement.text
            checked += 1
    assert checked > 150


def test_two_values_are_true_just_where_both_cells_have_them(made: list[Statement]) -> None:
    checked = 0
    for statement in of_kind(made, "row"):
        rows, columns, numbers = words(statement)
        if len(rows) == len(numbers) == 2 and "respectively" in statement.text:
            assert ([NUMBERS[r][columns[0]] for r in rows] == numbers) is statement.true, statement.text
            checked += 1
    assert checked


def test_superlatives(made: list[Statement]) -> None:
    for statement in of_kind(made, "superlative"):
        (row,), (column,), _ = words(statement)
        high = re.search(HIGH, statement.text) is not None
        assert high is not (re.search(LOW, statement.text) is not None), statement.text
        best = (max if high else min)((numbers[column], row) for row, numbers in enumerate(NUMBERS))
        assert (row == best[1]) is statement.true, statement.text


def test_directions(made: list[Statement]) -> None:
    checked = 0
    for statement in of_kind(made, "direction"):
        rows, columns, _ = words(statement)
        column, text = columns[0], statement.text
        if re.search("from|ompared with|eplacing", text):
            rows = rows[::-1]
        higher = re.search(HIGH, text) is not None
        assert ((NUMBERS[rows[0]][column] > NUMBERS[rows[1]][column]) is higher) is statement.true, text
        checked += 1
    assert checked > 50


def test_differences_and_ratios(made: list[Statement]) -> None:
    for statement in of_kind(made, "difference"):
        rows, columns, numbers = words(statement)
        high, low = sorted((NUMBERS[r][columns[0]] for r in rows[:2]), reverse=True)
        ratio = re.search("times|factor|ratio", statement.text) is not None
        right = (high / low).quantize(Decimal("0.1")) if ratio else high - low
        assert (numbers[-1] == right) is statement.true, statement.text


def test_counts(made: list[Statement]) -> None:
    spelled = {"no": 0, "none": 0, "never": 0, "one": 1, "two": 2, "three": 3, "four": 4, "all": 5, "every": 5}
    for statement in of_kind(made, "count"):
        _, (column,), _ = words(statement)
        text = statement.text
        level = Decimal(re.findall(r"(?:above|below) (\d+(?:\.\d+)?)", text)[0])
        count = sum((NUMBERS[r][column] > level) is ("above" in text) for r in range(len(ROWS)))
        stated = re.search(STATED, text, re.IGNORECASE)
        assert stated, text
        word = next(g for g in stated.groups() if g)
        assert ((int(word) if word.isdigit() else spelled[word.lower()]) == count) is statement.true, text


def test_rounding(made: list[Statement]) -> None:
    coarser = set()
    for statement in of_kind(made, "rounding"):
        (row,), (column,), (number,) = words(statement)
        right = NUMBERS[row][column]
        places = -int(number.as_tuple().exponent)
        zeros = len(str(number)) - len(str(number).rstrip("0"))
        step = Decimal(10) ** (zeros if places == 0 else -places)
        fair = places <= -int(right.as_tuple().exponent) and abs(right - number) <= step / 2
        assert fair is statement.true, statement.text
        coarser.add((statement.true, places < -int(right.as_tuple().exponent)))
    # Wrongly rounded, and with digits that the table does not have.
    assert coarser == {(True, True), (False, True), (False, False)}


def test_units_and_percent() -> None:
    digits = (("0.9137", "152.8"), ("0.7452", "97.3"), ("0.6318", "41.9"))
    values = tuple(tuple(Value(Decimal(d), d) for d in row) for row in digits)
    recall = Grid("units", Path("u.pdf"), "1", ROWS[:3], ("recall", "delay"), values, ("", "s"), fraction=True)
    found = [s for seed in range(8) for s in table_statements([recall], seed) if s.kind == "unit"]
    for statement in found:
        row, number = (
            ROWS.index(re.findall("Heron|Stork|Plover", statement.text)[0]),
            statement.text.replace("Table 1", ""),
        )
        stated = Decimal(re.findall(r"\d+(?:\.\d+)?", number.replace("Tab. 1", ""))[0])
        share, delay = (value.number for value in values[row])
        if "%" in statement.text or "percent" in statement.text:
            right = stated == share * 100
        else:
            right = (stated == delay and " seconds" in number) or (stated == delay * 1000 and " ms" in number)
        assert right is statement.true, statement.text
    assert {s.true for s in found} == {True, False}


def test_gaps_ties_and_repeated_names_are_not_used() -> None:
    tied = Value(Decimal("9.5"), "9.5")
    values = ((tied, None), (tied, tied), (Value(Decimal("1.2"), "1.2"), tied))
    grid = Grid("gaps", Path("g.pdf"), "2", ("Robin", "Robin", "Wren"), ("length", "depth"), values, ("", ""))
    for statement in (s for seed in range(10) for s in table_statements([grid], seed)):
        assert "Robin" not in statement.text
        if statement.kind == "superlative":
            assert "depth" not in statement.text
            assert not (statement.true and re.search(HIGH, statement.text))


def test_a_shared_first_place_is_no_superlative() -> None:
    tied = Value(Decimal("9.5"), "9.5")
    values = ((tied,), (tied,), (Value(Decimal("4.1"), "4.1"),))
    grid = Grid("ties", Path("t.pdf"), "2", ("Robin", "Teal", "Wren"), ("length",), values, ("",))
    made = [s for seed in range(10) for s in table_statements([grid], seed) if s.kind == "superlative"]
    assert made
    assert not any(re.search(HIGH, statement.text) for statement in made)


def test_without_a_number_only_rows_that_no_other_table_has() -> None:
    speeds = ((Value(Decimal(7), "7"),), (Value(Decimal(9), "9"),))
    two = [birds(), Grid("birds", Path("birds.pdf"), "5", ("Heron", "Teal"), ("speed",), speeds, ("",))]
    nameless = [s.text for seed in range(10) for s in table_statements(two, seed) if "Tab" not in s.text]
    assert nameless
    assert not any("Heron" in text for text in nameless)


def test_a_drawn_table_is_read_by_its_places(tmp_path: Path) -> None:
    import pymupdf

    document = pymupdf.open()
    page = document.new_page()
    lines = {
        100: ("Bird", "Mass (s)", "", "% seen"),
        120: ("Teal", "1,234.5", "(0.2)", "12%"),
        140: ("Knot", "-3.5 ± 1", "", "n/a"),
    }
    for y, line in lines.items():
        for x, text in zip((60, 150, 200, 260), line, strict=True):
            page.insert_text((x, y), text)
    (tmp_path / "ponds").mkdir()
    document.save(tmp_path / "ponds" / "paper.pdf")
    place = "[[table]]\npaper = 'ponds'\nnumber = '1'\npage = 1\nheader = 1\n"
    place += "box = [50, 80, 400, 150]\ncolumns = [140, 250]\nrows = [106, 126]\n"
    places = tmp_path / "places.toml"
    places.write_text(place + "checksum = ''\n", encoding="utf-8")
    (grid,) = grids(tmp_path, places, checked=False)
    assert grid.rows == ("Teal", "Knot")
    assert grid.columns == ("Mass", "percentage of seen")
    assert grid.units == ("s", "%")
    assert [[v.digits if v else None for v in row] for row in grid.values] == [["1,234.5", "12"], ["-3.5", None]]
    with pytest.raises(ValueError, match="reads differently"):
        list(grids(tmp_path, places))
    places.write_text(place + f"checksum = '{grid.checksum()}'\n", encoding="utf-8")
    assert list(grids(tmp_path, places)) == [grid]


def test_labels_of_groups_and_spanning_headings() -> None:
    def word(x: float, y: float, text: str) -> tuple[float, float, float, float, str]:
        return (x, y, x + 6 * len(text), y + 8, text)

    words = [word(150, 0, "Spring"), *(word(x, 12, t) for x, t in ((100, "min"), (200, "max"))), word(10, 30, "NORTH")]
    for y, row in ((24, ("a", "1.5", "2.5")), (36, ("b", "3.5", "4.5"))):
        words += [word(x, y, text) for x, text in zip((60, 100, 200), row, strict=True)]
    place = {"paper": "p", "number": "1", "columns": [50, 90, 180], "rows": [10, 22, 34], "header": 2, "labels": [0, 1]}
    grid = read_grid({**place, "groups": [2], "title": True, "heads": [[0, 2, 3]]}, words, Path("p.pdf"))
    assert grid.rows == ("North a", "North b")
    assert grid.columns == ("Spring min", "Spring max")
    assert grid.values[1][1] == Value(Decimal("4.5"), "4.5")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5.23%", ("5.23", "%")),
        ("41.6m", ("41.6", "m")),
        ("−0.5 ± 0.1", ("-0.5", "")),
        ("12 (3)", ("12", "")),
        ("n/a", None),
        ("3 / 4", None),
    ],
)
def test_cells(text: str, value: tuple[str, str] | None) -> None:
    found = value_of(text)
    assert (found and (found.digits, found.unit)) == value


def test_rates_count_by_truth_kind_and_paper(made: list[Statement]) -> None:
    figures = rates(
        lambda s: "supported" if s.kind == "cell" else "contradicted" if not s.true else "place found", made
    )
    cells = [s for s in made if s.kind == "cell"]
    assert figures.by_truth[True].supported == sum(s.true for s in cells)
    assert figures.by_kind["cell", False].share("supported") == 1
    assert figures.by_kind["row", True].other == figures.by_kind["row", True].count
    assert {s for s, _ in figures.wrong} == {s for s in cells if not s.true}
    assert figures.worst(False) == ("birds", figures.by_paper["birds", False])
    assert any("superlative" in line and "100.0 %" in line for line in figures.lines())
