"""Runs the tasks of ``rejoinder reproduce rebuttal``: from files of JitsuPeer, DISAPERE,
Peer-Review-Analyze to rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from engine.exchange.disapere import DisaperePair, read_disapere
from engine.exchange.jitsupeer import Part, read_answers, read_descriptions, read_scoring
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.jobs import Report
from engine.measures.bootstrap import estimate
from engine.measures.estimate import defined
from engine.models import Embedder, bundled_encoder
from engine.rebuttal.answers.evidence import Passage
from engine.rebuttal.records import BY_CODE
from engine.research.labels import evaluation
from engine.research.rebuttal.experiments import (
    ExchangePair,
    Row,
    act_rows,
    answer_rows,
    description_rows,
    exchanges,
    generation_rows,
    scoring_rows,
)
from engine.research.rebuttal.points import Exchange
from engine.research.rebuttal.seq2seq import Seq2Seq, Seq2SeqSettings
from engine.research.rebuttal.text_metrics import TokenScorer
from engine.reviews.labels.heads import shipped_or_none
from engine.reviews.labels.reading import fits

_LABEL_TITLES = {
    "majority": "most common label (baseline)",
    "heads": "three views of a sentence, joined",
    "heads, neighbours learnt": "using the training sentences around it",
    "fine-tuned alone": "encoder trained end to end",
    "fine-tuned, with heads": "averaged with the heads",
}


@dataclass(frozen=True)
class Reproduction:
    """The input of a reproduction.

    ``data``: the folder with the data sets; ``part``: the part to evaluate. ``writers``: folders of encoder-decoders
    that also generate; ``bases``: encoder folders that are also fine-tuned (for themes, only the first).
    """

    data: Path
    part: Literal["dev", "test"]
    seed: int
    embedder: Embedder
    report: Report
    writers: tuple[Path, ...] = ()
    bases: tuple[Path, ...] = ()

    def rows(self, task: str) -> Iterator[dict[str, Any]]:
        """Yields the rows of one task (named as in the command), with figures as shares of 1. Raises BadInput (the data
        are missing or in a different layout) and Cancelled."""
        if task == "theme":
            reviews = read_peer_review_analyze(self.data / "peer_review_analyze")
            base = self.bases[0] if self.bases else None
            for label in evaluation.theme_rows(reviews, self.embedder, self.report, seed=self.seed, base=base):
                yield _label_fields(label)
        elif task == "labels":
            learn, judge = ([one.labelled() for one in pairs] for pairs in self._disapere())
            prior = next((one for one in shipped_or_none() if fits(one, self.embedder)), None)
            for label in evaluation.disapere_rows(
                learn, judge, self.embedder, self.report, seed=self.seed, bases=self.bases, named=self._split,
                prior=prior,
            ):  # fmt: skip
                yield _label_fields(label)
        else:
            for row in self._rebuttal_rows(task):
                yield _fields(row, self.seed)

    @property
    def _learnt(self) -> tuple[Part, ...]:
        """The parts that strategies learn from: all before the evaluated one."""
        return ("train",) if self.part == "dev" else ("train", "dev")

    @property
    def _split(self) -> str:
        return f"{' and '.join(self._learnt)} -> {self.part}"

    def _disapere(self) -> tuple[list[DisaperePair], list[DisaperePair]]:
        folder = self.data / "disapere"
        return [one for name in self._learnt for one in read_disapere(folder / name)], [
            *read_disapere(folder / self.part)
        ]

    @cached_property
    def _exchanges(self) -> tuple[list[Exchange], list[Exchange]]:
        """Annotated pairs to learn from and to evaluate, encoded once for all tasks."""
        learn, judge = (
            exchanges([*map(exchange_pair, pairs)], self.embedder, self.report) for pairs in self._disapere()
        )
        return learn, judge

    def _rebuttal_rows(self, task: str) -> Iterator[Row]:
        if task in {"rebuttal-action", "answers"}:
            measure = act_rows if task == "rebuttal-action" else answer_rows
            return measure(*self._exchanges, self._split, self.seed, self.report)
        folder = self.data / "jitsupeer"
        how: dict[str, Any] = {"seed": self.seed, "embedder": self.embedder, "report": self.report}
        if task == "scoring":
            scored = [one for part in self._learnt for one in read_scoring(folder, part)]
            return scoring_rows(scored, read_scoring(folder, self.part), self._split, bases=self.bases, **how)
        how["models"] = [Seq2Seq(one, Seq2SeqSettings(seed=self.seed)) for one in self.writers]
        how["scorer"] = TokenScorer(bundled_encoder().folder)
        if task == "descriptions":
            described = [one for part in self._learnt for one in read_descriptions(folder, part)]
            return description_rows(described, read_descriptions(folder, self.part), self._split, **how)
        answered = [one for part in self._learnt for one in read_answers(folder, part)]
        return generation_rows(answered, read_answers(folder, self.part), self._split, **how)


def exchange_pair(one: DisaperePair) -> ExchangePair:
    return ExchangePair(
        one.forum,
        tuple(Passage(s.text, s.suffix) for s in one.review),
        tuple(Passage(s.text, s.suffix) for s in one.rebuttal),
        tuple(BY_CODE[s.action if s.action in BY_CODE else "rebuttal_none"].id for s in one.rebuttal),
        tuple(s.aligned for s in one.rebuttal),
    )


def baselines(rows: list[dict[str, Any]]) -> None:
    """Adds to each row the value of its task's baseline: the first strategy of the same split and metric."""
    first: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in rows:
        base = first.setdefault((row["task"], row["split"], row["metric"]), row)
        row["baseline"] = {"strategy": base["strategy"], "value": base["value"]}


def _fields(row: Row, seed: int) -> dict[str, Any]:
    found = estimate(row.measured.parts, row.measured.statistic, seed=seed)
    about: dict[str, Any] = {"task": row.task, "strategy": row.strategy, "title": row.title}
    about |= {"metric": row.measured.name, "value": found.value}
    about |= {"low": defined(found.low), "high": defined(found.high)}
    about |= {"split": row.split, "seed": seed, "published": dict(row.published)}
    return about | {"baseline": {}, "note": row.note}


def _label_fields(row: evaluation.Row) -> dict[str, Any]:
    published = {} if row.published is None else {row.system: row.published / 100}
    about: dict[str, Any] = {"task": row.task, "strategy": row.strategy, "title": _LABEL_TITLES[row.strategy]}
    about |= {"metric": row.metric, "value": row.value / 100, "low": row.low / 100, "high": row.high / 100}
    about |= {"split": row.split, "seed": row.seed, "published": published}
    return about | {"baseline": {}, "note": ""}
