"""``rejoinder reproduce rebuttal``: the tasks of JitsuPeer and DISAPERE computed anew, beside the published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from engine.cli import reproduce_labels
from engine.cli.output import emit, remark
from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.exchange.jitsupeer import Part
    from engine.jobs import Report
    from engine.research.rebuttal.experiments import Exchanges, Row

TASKS = (*reproduce_labels.TASKS, "rebuttal-action", "answers", "scoring", "descriptions", "generation")
_folder = click.Path(path_type=Path, file_okay=False)


@dataclass(frozen=True)
class _Setting:
    data: Path
    part: Literal["dev", "test"]
    seed: int
    embedder: Any
    report: Report
    folders: tuple[Path, ...]
    bases: tuple[Path, ...]

    @property
    def learnt(self) -> tuple[Part, ...]:
        """The parts that strategies learn from: all that come before the one they are judged on."""
        return ("train",) if self.part == "dev" else ("train", "dev")

    @property
    def split(self) -> str:
        return f"{' and '.join(self.learnt)} -> {self.part}"

    @cached_property
    def exchanges(self) -> tuple[Exchanges, Exchanges]:
        """Annotated pairs to learn from and to judge on, read once for all tasks."""
        return _exchanges(self)


@click.command("rebuttal")
@click.option("--data", type=_folder, required=True, help="Folder with disapere/ and jitsupeer/; see docs/formats.md.")
@click.option("--tasks", default="", help=f"Some of {', '.join(TASKS)}, divided by commas; all otherwise.")
@click.option("--part", type=click.Choice(["dev", "test"]), default="dev", show_default=True, help="What is judged on.")
@click.option("--seq2seq", "folders", multiple=True, type=_folder, help="Folder with BART, Pegasus or T5; writes, too.")
@click.option("--seed", default=1, show_default=True, help="Of folds, trees, networks and the shuffle of candidates.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--fine-tune",
    multiple=True,
    type=_folder,
    help="An encoder folder (or “bundled”) to fine-tune for theme, labels and scoring, too; takes minutes each.",
)
def rebuttal(
    data: Path,
    tasks: str,
    part: Literal["dev", "test"],
    *,
    folders: tuple[Path, ...],
    fine_tune: tuple[Path, ...],
    seed: int,
    as_json: bool,
) -> None:
    """What rebuttals do and answer, and canonical rebuttals: every strategy on given splits.

    Intervals are 95 %, by bootstrap over papers (DISAPERE), descriptions (scoring), sentences (descriptions) and
    canonical rebuttals (generation). Candidates are shuffled first.
    """
    from engine.cli.progress import Remarks
    from engine.models import bundled_encoder, load_encoder

    chosen = [name.strip() for name in tasks.split(",") if name.strip()] or list(TASKS)
    unknown = [name for name in chosen if name not in TASKS]
    if unknown:
        raise BadInput(
            f"There is no task named “{unknown[0]}”.", "Nothing was computed.", f"Choose of {', '.join(TASKS)}."
        )
    bases = tuple(bundled_encoder().folder if str(name) == "bundled" else name for name in fine_tune)
    setting = _Setting(data, part, seed, load_encoder(leave_free=0), Remarks(), folders, bases)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(chosen, start=1):
        remark(f"{name} (task {number} of {len(chosen)})")
        for found in _rows(name, setting):
            rows.append(found)
            if not as_json:
                _print(rows)
    baselines(rows)
    if as_json:
        emit({"rows": rows})
    else:
        for note in dict.fromkeys(f"{row['strategy']}: {row['note']}" for row in rows if row["note"]):
            click.echo(f"  {note}")


def _rows(name: str, setting: _Setting) -> Iterator[dict[str, Any]]:
    """The rows of one task, as the command prints them."""
    if name in reproduce_labels.TASKS:
        yield from reproduce_labels.label_rows(
            [name],
            setting.data,
            (setting.learnt, setting.part),
            seed=setting.seed,
            embedder=setting.embedder,
            report=setting.report,
            bases=setting.bases,
        )
        return
    makers: Mapping[str, Callable[[_Setting], Iterator[Row]]] = {
        "rebuttal-action": _actions,
        "answers": _answers,
        "scoring": _scoring,
        "descriptions": _descriptions,
        "generation": _generation,
    }
    for row in makers[name](setting):
        yield _fields(row, setting.seed)


def _actions(setting: _Setting) -> Iterator[Row]:
    from engine.research.rebuttal.experiments import act_rows

    learn, judge = setting.exchanges
    yield from act_rows(learn, judge, setting.split, setting.seed, setting.report)


def _answers(setting: _Setting) -> Iterator[Row]:
    from engine.research.rebuttal.experiments import answer_rows

    learn, judge = setting.exchanges
    yield from answer_rows(learn, judge, setting.split, setting.seed, setting.report)


def _exchanges(setting: _Setting) -> tuple[Exchanges, Exchanges]:
    from engine.exchange.disapere import DisaperePair, read_disapere
    from engine.rebuttal.act_codes import BY_CODE
    from engine.rebuttal.answers.evidence import Passage
    from engine.research.rebuttal.experiments import ExchangePair, Exchanges

    def pair(one: DisaperePair) -> ExchangePair:
        return ExchangePair(
            one.forum,
            tuple(Passage(s.text, s.suffix) for s in one.review),
            tuple(Passage(s.text, s.suffix) for s in one.rebuttal),
            tuple(BY_CODE[s.action if s.action in BY_CODE else "rebuttal_none"].id for s in one.rebuttal),
            tuple(s.aligned for s in one.rebuttal),
        )

    folder = setting.data / "disapere"
    learn = [pair(one) for name in setting.learnt for one in read_disapere(folder / name)]
    judge = [pair(one) for one in read_disapere(folder / setting.part)]
    return (
        Exchanges.of(learn, setting.embedder, setting.report),
        Exchanges.of(judge, setting.embedder, setting.report),
    )


def _scoring(setting: _Setting) -> Iterator[Row]:
    from engine.exchange.jitsupeer import read_scoring
    from engine.research.rebuttal.experiments import scoring_rows

    folder = setting.data / "jitsupeer"
    learn = [one for part in setting.learnt for one in read_scoring(folder, part)]
    judge = read_scoring(folder, setting.part)
    yield from scoring_rows(
        learn, judge, setting.split, seed=setting.seed, embedder=setting.embedder, report=setting.report,
        bases=setting.bases,
    )  # fmt: skip


def _descriptions(setting: _Setting) -> Iterator[Row]:
    from engine.exchange.jitsupeer import read_descriptions
    from engine.research.rebuttal.experiments import description_rows

    folder = setting.data / "jitsupeer"
    learn = [one for part in setting.learnt for one in read_descriptions(folder, part)]
    judge = read_descriptions(folder, setting.part)
    yield from description_rows(learn, judge, setting.split, **_writing(setting))


def _generation(setting: _Setting) -> Iterator[Row]:
    from engine.exchange.jitsupeer import read_answers
    from engine.research.rebuttal.experiments import generation_rows

    folder = setting.data / "jitsupeer"
    learn = [one for part in setting.learnt for one in read_answers(folder, part)]
    judge = read_answers(folder, setting.part)
    yield from generation_rows(learn, judge, setting.split, **_writing(setting))


def _writing(setting: _Setting) -> dict[str, Any]:
    """What both tasks of writing take."""
    from engine.models import bundled_encoder
    from engine.research.rebuttal.seq2seq import Seq2Seq, Seq2SeqSettings
    from engine.research.rebuttal.text_metrics import TokenScorer

    return {
        "embedder": setting.embedder,
        "report": setting.report,
        "models": [Seq2Seq(folder, Seq2SeqSettings(seed=setting.seed)) for folder in setting.folders],
        "seed": setting.seed,
        "scorer": TokenScorer(bundled_encoder().folder),
    }


def baselines(rows: list[dict[str, Any]]) -> None:
    """Writes into each row the value of its task's baseline: the first strategy of the same split and metric."""
    first: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        key = (row["task"], row["split"], row["metric"])
        base = first.setdefault(key, row)
        row["baseline"] = {"strategy": base["strategy"], "value": base["value"]}


def _fields(row: Row, seed: int) -> dict[str, Any]:
    from engine.measures.bootstrap import estimate

    found = estimate(row.measured.parts, row.measured.statistic, seed=seed)
    return {
        "task": row.task,
        "strategy": row.strategy,
        "title": row.title,
        "metric": row.measured.name,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "split": row.split,
        "seed": seed,
        "published": dict(row.published),
        "baseline": {},
        "note": row.note,
    }


def _print(rows: list[dict[str, Any]]) -> None:
    row = rows[-1]
    if len(rows) == 1 or any(rows[-2][key] != row[key] for key in ("task", "split")):
        click.echo(f"\n{row['task']} ({row['split']})\n{'':62} {'':10}  value  95 %         published")
    published = ", ".join(f"{100 * value:.1f} {system}" for system, value in row["published"].items())
    click.echo(
        f"{row['strategy'][:16]:16} {row['title'][:45]:45} {row['metric']:10} {100 * row['value']:6.1f} "
        f" {100 * row['low']:5.1f}-{100 * row['high']:4.1f}  {published}"
    )
