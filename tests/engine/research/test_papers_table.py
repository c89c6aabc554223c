"""docs/papers.md: what it names exists, and what it and the code call published is in the papers' texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from desktop_app.panes import PANES
from engine.cli.main import rejoinder
from engine.research import calibration, similarity
from engine.research.alignment import comparison
from engine.research.rebuttal import experiments
from engine.review_drafting.benchmark.published import published as review_bench

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
ROOT = Path(__file__).parents[3]
TEXTS = ROOT.parent / "shared" / "papers"
PAPERS = {
    "Schraudolph": "schraudolph-calibration",
    "Stelmakh": "gold-standard-expertise",
    "Purkayastha": "jiu-jitsu",
    "D'Arcy": "aries",
    "Li ": "reviewgrounder",
}


class Part(NamedTuple):
    """A row of the page: ``paper`` is the beginning of its heading."""

    paper: str
    part: str
    status: str
    where: str
    shown_by: str
    ours: str
    published: str
    remark: str


def _parts() -> Iterator[Part]:
    paper = ""
    for line in (ROOT / "docs" / "papers.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            paper = next(name for name in PAPERS if line[3:].startswith(name))
        elif line.startswith("| ") and not line.startswith(("| part ", "| ---")):
            yield Part(paper, *(cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")))


PARTS = tuple(_parts())


def test_every_paper_is_there_and_every_row_says_what_runs() -> None:
    assert {part.paper for part in PARTS} == set(PAPERS)
    for part in PARTS:
        assert part.status in {"runs", "differs", "not run"}, part
        assert (part.where and part.shown_by) or part.status == "not run" or part.where.startswith("`docs/"), part
        assert part.remark or part.status == "runs", f"{part} needs a reason"
        assert "not found" not in part.remark, part


def test_files_exist() -> None:
    for part in PARTS:
        for path in re.findall(r"`([^`]+)`", part.where):
            assert (ROOT / path).exists(), f"{part.part}: {path}"


def test_commands_and_panes_exist() -> None:
    panes = {pane.title for pane in PANES}
    for part in PARTS:
        for pane in re.findall(r"pane (\w+(?: \w+)*)", part.shown_by):
            assert pane in panes, part
        options: set[str] = set()
        for call in re.findall(r"`([^`]+)`", part.shown_by):
            words = call.split()
            if words[:3] == ["python", "-m", "tests.benchmarks"]:
                assert (ROOT / "tests" / "benchmarks" / f"{words[3]}.py").is_file(), part
                continue
            if not call.startswith("--"):  # otherwise an option of the command before
                options = _options(words)
                assert options, f"{part.part}: {call}"
            assert {word for word in words if word.startswith("--")} <= options, f"{part.part}: {call}"


def _options(words: list[str]) -> set[str]:
    """The options of a command; none where it does not exist."""
    command: click.Command = rejoinder
    words = list(words)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words.pop(0))
        if found is None:
            return set()
        command = found
    if isinstance(command, click.Group):  # what follows is the file that its first command takes
        command = command.commands["file"]
    return {option for parameter in command.params for option in parameter.opts}


def _text(paper: str) -> str:
    if not TEXTS.is_dir():
        pytest.skip("The papers' texts are not here.")
    text = (TEXTS / f"{PAPERS[paper]}.txt").read_text(encoding="utf-8")
    text = re.sub(r"\\(?:overline|bar|textbf)\{|[{}$]|</?b>", "", re.sub(r"[−–]", "-", text))
    return re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("\\pm", " ± ").replace("*", ""))


@pytest.mark.parametrize("part", [part for part in PARTS if part.published], ids=lambda part: part.part[:40])
def test_published_figures_of_the_page_are_printed(part: Part) -> None:
    printed = set(_NUMBER.findall(_text(part.paper)))
    for figure in _NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3})", "", part.published)):
        assert figure in printed, f"{figure} is not in the text"


def _in_one_row(figures: list[str], text: str) -> bool:
    """Whether a line has the figures in this order."""
    pattern = ".*?".join(rf"(?<![\d.]){re.escape(figure)}0*(?!\d)" for figure in figures)
    return any(re.search(pattern, line) for line in text.splitlines())


def test_the_tables_of_rebuttals_in_the_code_are_the_printed_ones() -> None:
    text = _text("Purkayastha")
    rows = [line.split()[1:] for line in (experiments._SCORING + "\n" + experiments._RANKING).splitlines()]
    scoring = [[f"{float(row[0]) / 100:.3f}", *row[1:]] for row in rows if len(row) == 3]
    ranking = [[f"{float(cell) / 100:.3f}" for cell in row] for row in rows if len(row) == 2]
    assert len(scoring) == 10 and len(ranking) == 12
    for row in (*scoring, *ranking):
        assert _in_one_row(row, text), row
    texts = [line.split()[1:] for line in (experiments._DESCRIPTIONS + "\n" + experiments._GENERATION).splitlines()]
    assert len(texts) == 24
    for *rouge, bert in texts:
        assert _in_one_row([*rouge, f"{float(bert) / 100:g}"], text), (rouge, bert)


def test_table_2_of_aries_in_the_code_is_the_printed_one() -> None:
    text = _text("D'Arcy")
    for name, row in comparison.PUBLISHED.items():
        printed = {measure: f"{100 * value:.1f}" for measure, value in row.items()}
        order = [m for m in ("addition_f1", "precision", "recall", "f1") if m in printed]
        assert _in_one_row([printed[measure] for measure in order], text), name


def test_the_tables_of_the_gold_standard_in_the_code_are_the_printed_ones() -> None:
    text = _text("Stelmakh")
    for table in (similarity.PRINTED_3, similarity.PRINTED_4, similarity.PRINTED_5):
        for name, row in table.items():
            assert _in_one_row([f"{value:.2f}" for value in row], text), (name, row)


def test_the_tables_of_reviewgrounder_in_the_resources_are_the_printed_ones() -> None:
    printed = set(_NUMBER.findall(_text("Li ")))
    for name, table in review_bench().items():
        for row, figures in table.items():
            absent = [value for value in figures.values() if not {f"{abs(value):.{d}f}" for d in range(1, 5)} & printed]
            assert not absent, (name, row, absent)


def test_table_1_of_schraudolph_in_the_code_is_the_printed_one() -> None:
    text = _text("Schraudolph")
    for column, digits in zip(zip(*calibration.PUBLISHED.values(), strict=True), (3, 1, 1, 0), strict=True):
        assert _in_one_row([f"{value:.{digits}f}" for value in column], text), column
    assert all(len(one) == len(other) for one, other in pairwise(calibration.PUBLISHED.values()))
