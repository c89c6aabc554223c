"""``rejoinder label``: labels what each review sentence evaluates, which aspect it addresses and what it requests."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from engine import models
from engine.cli.output import FOLDER, PATH, Command, emit, remark, say
from engine.errors import EnvironmentProblem
from engine.exchange.encoding import read_text
from engine.jobs import QuietReport
from engine.reviews.labels.heads import SHIPPED, read, shipped
from engine.reviews.labels.reading import Reading, fits, read_labels
from engine.reviews.labels.taxonomy import codes
from engine.reviews.language import is_english
from engine.shown import counted


@click.command(cls=Command)
@click.argument("paths", metavar="REVIEW.txt ...", nargs=-1, required=True, type=PATH)
@click.option(
    "--heads",
    type=FOLDER,
    help="A folder with your own heads (from `train heads`). The bundled heads fill in missing layers.",
)
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    type=FOLDER,
    help="A fine-tuned encoder (from `train encoder`), used together with the heads with equal weight.",
)
@click.option(
    "--suggested",
    is_flag=True,
    help="Leave out labels that are too uncertain to suggest (below 70 %, or the label's own threshold).",
)
def label(paths: tuple[Path, ...], heads: Path | None, encoders: tuple[Path, ...], *, suggested: bool) -> None:
    """Label review sentences with polarity, aspect, themes and requested action.

    Prints the likeliest label of each kind with its confidence. `suggested` lists the kinds that are certain enough: at
    least 70 %, or the threshold at which at least 70 % were right on other people's papers. Offsets are code points in
    the file's text. Exit code 1: a file was skipped.
    """
    texts: list[tuple[Path, str]] = []
    problems: list[EnvironmentProblem] = []
    for path in paths:
        try:
            decoded = read_text(path)
        except EnvironmentProblem as problem:
            problems.append(problem)
            continue
        texts.append((path, decoded.text))
        remark(*(f"{path.name}: {warning}" for warning in decoded.warnings))
    if not texts:
        raise problems[0]
    remark(*(" ".join(str(skipped).split()) for skipped in problems))
    known = [shipped()] if heads is None else [read(heads, SHIPPED), shipped()]
    encoder = models.load_encoder()
    for one in known:
        if not fits(one, encoder, known):
            title = one.card.get("title", one.origin)
            remark(f"“{title}” are not used: they were trained with another encoder or other heads.")
    tuned = []
    if encoders:
        from engine.reviews.labels.classifier import SentenceClassifier

        tuned = [SentenceClassifier.load(folder) for folder in encoders]
    found = read_labels([text for _, text in texts], known, encoder, QuietReport(), tuned=tuned)
    for (path, text), own in zip(texts, found, strict=True):
        if foreign := sum(not is_english(reading.text, text) for reading in own):
            what = f"{foreign} of {counted(len(own), 'sentence')} aren't in English"
            remark(f"{path.name}: {what}. The bundled heads and rules suggest nothing for them.")
    emit(
        {
            "reviews": [
                {"file": str(path), "sentences": [_fields(reading, suggested) for reading in own]}
                for (path, _), own in zip(texts, found, strict=True)
            ],
            "skipped": [problem.what for problem in problems],
        }
    )
    for (path, _), own in zip(texts, found, strict=True):
        say(f"{path}")
        for reading in own:
            say(_line(reading, suggested))
    if problems:
        sys.exit(1)


def _fields(reading: Reading, only_sure: bool) -> dict[str, object]:
    shown = _shown(reading, only_sure)
    themes = shown.get("theme", ())
    confidence: dict[str, object] = {}
    for name, said in reading.labels.items():
        if name == "theme":
            confidence["themes"] = {key: round(sure, 3) for key, sure in zip(said.labels, said.confidence, strict=True)}
        elif said.labels:
            confidence[name] = round(said.confidence[0], 3)
        elif name in reading.chances:
            confidence[name] = round(reading.chances[name].get("none", 0.0), 3)
    return {
        "start": reading.span.start,
        "end": reading.span.end,
        "text": reading.text,
        "polarity": _first(shown.get("polarity", ())),
        "aspect": _first(shown.get("aspect", ())),
        "themes": list(themes),
        "theme_codes": list(codes("theme", tuple(themes), "peer_review_analyze")),
        "review_action": _first(shown.get("review_action", ())),
        "action": _first(shown.get("action", ())),
        "actionable": _first(shown.get("actionable", ())) == "yes",
        "confidence": confidence,
        "suggested": list(reading.suggested()),
        "origins": {name: said.origin for name, said in reading.labels.items()},
    }


def _shown(reading: Reading, only_sure: bool) -> dict[str, tuple[str, ...]]:
    return {name: tuple(said.sure()) if only_sure else said.labels for name, said in reading.labels.items()}


def _first(found: Sequence[str]) -> str | None:
    return found[0] if found else None


def _line(reading: Reading, only_sure: bool) -> str:
    shown = _shown(reading, only_sure)
    words = " ".join(reading.text.split())
    parts = [
        _first(shown.get("polarity", ())) or "-",
        _first(shown.get("aspect", ())) or "-",
        ", ".join(shown.get("theme", ())) or "-",
        _first(shown.get("action", ())) or ("asks" if shown.get("actionable") == ("yes",) else "-"),
    ]
    return f"  {reading.span.start:>6}  {' | '.join(parts):60}  {words[:100]}"
