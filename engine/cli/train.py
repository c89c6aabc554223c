"""``rejoinder train`` and ``train-aligner``: train models that label sentences or link comments to edits."""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from engine import models
from engine.cli.output import FILE, FOLDER, SEEDS, Command, FiniteRange, Group, Remarks, answer, emit, remark, say
from engine.errors import EnvironmentProblem, not_trained
from engine.exchange.disapere import read_disapere
from engine.exchange.labelled_folders import is_disapere, read_labelled_folder
from engine.exchange.peer_review_analyze import read_peer_review_analyze
from engine.models import Embedder
from engine.models.library import ModelLibrary
from engine.project import Project
from engine.research.alignment.corpus import read_papers
from engine.research.alignment.training import TrainingSettings
from engine.research.alignment.training import train as fine_tune
from engine.research.labels.encoders import Tuning, enough, tune
from engine.research.labels.evaluation import theme_rows
from engine.research.labels.heads import HeadSettings, examples, fit, layer_target
from engine.research.labels.own import elsewhere, fit_own
from engine.research.labels.substantiation import card, cross_validated, learnt, read_substanreview, span_figures
from engine.research.tasks import train_own_heads
from engine.reviews.labels.classifier import add_tuned
from engine.reviews.labels.heads import SHIPPED, Heads, from_bytes, shipped, to_bytes, write
from engine.reviews.labels.measures import better_layers, comparison_words
from engine.reviews.labels.records import LAYERS, OwnHeads
from engine.reviews.labels.store import LabelStore
from engine.reviews.labels.substantiation import write as write_marks
from engine.reviews.labels.tasks import own_heads_in_use


@click.group(cls=Group)
def train() -> None:
    """Train heads and encoders that label review sentences."""


@train.command("heads")
@click.option(
    "--data",
    type=FOLDER,
    help="A folder with Peer-Review-Analyze (or with the folder peer_review_analyze), or with DISAPERE.",
)
@click.option("--project", type=FILE, help="A project with your own labels.")
@click.option("--out", type=FOLDER, help="Output folder for the heads and their card.")
@click.option(
    "--use",
    type=click.Choice(["better", "all", "shipped"]),
    help="With --project: use the new heads for layers where they're better than the current ones, or for all "
    "layers; or train nothing and go back to the bundled heads.",
)
@click.option("--seed", default=1, type=SEEDS)
@click.option("--figures/--no-figures", default=True, help="Also measure with splits by sentence and by paper.")
def heads(
    data: Path | None, project: Path | None, out: Path | None, *, use: str | None, seed: int, figures: bool
) -> None:
    """Train heads on the bundled encoder: rebuild the bundled heads, or train your own from a project or data set.

    With only --data, and Peer-Review-Analyze in it, figures are compared with the card of the bundled heads; the exit
    code is 1 if they differ by more than one point. With --project, the heads are stored in the project. They are
    trained on its labels, or with --data on that data set, and compared with the current heads on the same folds. --use
    decides whether they are used.
    """
    if data is None and project is None:
        raise not_trained("The source of the labels is missing.", "Give --data or --project.")
    if use is not None and project is None:
        raise not_trained("--use needs a project.", "Give --project.")
    if use == "shipped":
        assert project is not None
        with Project.open(project) as opened:
            LabelStore(opened).use_heads(None)
        answer({"used": "shipped"}, "The bundled heads are used again.")
        return
    started = time.perf_counter()
    differences: dict[str, float] = {}
    if data is None:
        assert project is not None
        card = _from_project(project, out, seed, use)
    elif project is not None or is_disapere(data):
        card = _from_data_set(data, project, out, seed, use)
    else:
        card, differences = _from_data(data, out, seed, figures=figures)
    seconds = time.perf_counter() - started
    emit({"seconds": round(seconds, 1), "card": card, "differences_from_shipped": differences})
    say(f"Trained on {card['sentences']} sentences in {seconds:.0f} s.")
    for name, found in card["cross_validation"].items():
        say(
            f"  {name:14} micro-F1 {100 * found['micro_f1']:.1f}, macro-F1 {100 * found['macro_f1']:.1f},"
            f" calibration error {100 * found['calibration_error']:.1f} (cross-validated)"
        )
    if "comparison" in card:
        say(" ".join(comparison_words(card)))
    for row in card.get("figures", ()):
        named = f"{row['task']}, {row['strategy']}, {row['split']}"
        say(f"  {named}: {row['value']:.1f} [{row['low']:.1f}, {row['high']:.1f}]")
    far = {name: gap for name, gap in differences.items() if abs(gap) > 1.0}
    if far:
        remark("These figures differ from the card of the bundled heads: " + ", ".join(sorted(far)))
        sys.exit(1)


@train.command("substantiation")
@click.option("--data", required=True, type=FILE, help="SubstanReview's train.jsonl.")
@click.option("--out", type=FOLDER, help="Output folder for the weights and their card.")
@click.option("--seed", default=1, type=SEEDS)
def substantiation(data: Path, out: Path | None, *, seed: int) -> None:
    """Rebuild the bundled model that marks criticism without a reason, and measure it by cross-validation."""
    reviews = read_substanreview(data)
    figures = span_figures(reviews, cross_validated(reviews, seed=seed))
    made = learnt(reviews, seed=seed)
    made = replace(made, card=card(made, reviews, figures))
    if out is not None:
        write_marks(made, out)
    answer(
        made.card,
        f"Trained on {len(reviews)} reviews: span F1 {figures.f1:.3f} (precision {figures.precision:.3f}, recall"
        f" {figures.recall:.3f}; cross-validated).",
    )


def _used(store: LabelStore, made: OwnHeads, use: str | None) -> None:
    """Uses new heads as specified by ``--use``."""
    if use == "all":
        store.use_heads(made.id)
    elif use == "better":
        store.use_heads_for(made.id, better_layers(made.card))


def _from_data_set(data: Path, project: Path | None, out: Path | None, seed: int, use: str | None) -> dict[str, Any]:
    """Trains heads on a data set, for all of its layers, and stores them in the project, in a folder, or both."""
    found = read_labelled_folder(data)
    source = found.data_set
    layers = tuple(layer for layer in LAYERS if enough(found.reviews, layer))
    if not layers:
        raise not_trained("There are too few labels to train on.", "Choose a larger data set.")
    before: tuple[Heads, ...] = ()
    if project is not None:
        with Project.open(project) as opened:
            before = own_heads_in_use(LabelStore(opened))
    title = f"Trained on {source.title}"
    made = fit_own(found.reviews, layers, models.load_encoder(), Remarks(), title=title, seed=seed, before=before)
    card = {
        **made.card,
        "id": source.id,
        "data": source.title,
        "data_licence": source.licence,
        "licence": source.licence if source.research_only else "AGPL-3.0-or-later",
        "reviews": len(found.reviews),
        "papers": len({review.paper for review in found.reviews}),
    }
    made = replace(made, card=card)
    if source.research_only:
        remark(f"The licence of {source.title} doesn't allow commercial use. Use these heads for research only.")
    if project is not None:
        with Project.open(project) as opened:
            store = LabelStore(opened)
            _used(store, store.save_heads(str(card["title"]), card, to_bytes(made)), use)
    if out is not None:
        write(made, out, SHIPPED)
    return card


def _from_data(data: Path, out: Path | None, seed: int, *, figures: bool) -> tuple[dict[str, Any], dict[str, float]]:
    inside = data / "peer_review_analyze"
    reviews = read_peer_review_analyze(inside if inside.is_dir() else data)
    embedder, report = models.load_encoder(), Remarks()
    targets = [layer_target(name) for name in ("theme", "polarity", "aspect")]
    learnt = examples(reviews, targets, embedder, report.part(0.0, 0.1))
    made, _, _ = fit(learnt, HeadSettings(seed=seed), report.part(0.1, 0.4 if figures else 1.0))
    others = [inside.parent / "disapere" / part for part in ("train", "dev")]
    if inside.is_dir() and all(part.is_dir() for part in others):
        made = replace(made, card=_kept_elsewhere(made, others, embedder))
    rows = theme_rows(reviews, embedder, report.part(0.4, 1.0)) if figures else ()
    card: dict[str, Any] = {
        "id": SHIPPED,
        "version": "1",
        "title": "Review labels: themes, aspects, polarity",
        "kind": "heads",
        "data": "Peer-Review-Analyze (Ghosal et al. 2022)",
        "data_licence": "MIT",
        "licence": "AGPL-3.0-or-later",
        "encoder": models.bundled_encoder().id,
        "encoder_fingerprint": embedder.fingerprint,
        "reviews": len(reviews),
        "papers": len({review.paper for review in reviews}),
        "seed": seed,
        "protocol": "cross_validation: five folds by paper over all sentences; figures: 70/10/20, trained on the 70",
        **made.card,
        "figures": [asdict(row) for row in rows],
    }
    try:
        differences = _differences(card, dict(shipped().card))
    except EnvironmentProblem:
        differences = {}
    if out is not None:
        weights, _ = write(replace(made, card=card), out, SHIPPED)
        remark(f"Written to {weights} ({weights.stat().st_size / 2**20:.1f} MiB).")
    return card, differences


def _kept_elsewhere(made: Heads, parts: Sequence[Path], embedder: Embedder) -> dict[str, Any]:
    """The card of heads, with what they suggest held to what other annotators say: a label is suggested from where it
    keeps the promise on the first part, too; the last part, which nothing was chosen on, says how good that is."""
    found = [elsewhere(made, [pair.labelled() for pair in read_disapere(part)], embedder, Remarks()) for part in parts]
    suggestions = dict(made.card["suggestions"])
    for name, there in found[0].items():
        labels = {}
        for label, own in suggestions[name]["labels"].items():
            cuts = (own["from"], there["labels"].get(label, {"from": None})["from"])
            labels[label] = {**own, "from": None if None in cuts else max(cuts)}
        suggestions[name] = {"labels": labels, "elsewhere": [part[name] for part in found]}
    return {**made.card, "suggestions": suggestions}


def _differences(card: dict[str, Any], known: dict[str, Any]) -> dict[str, float]:
    """Returns by figure, in points, how much this training differs from the card of the bundled heads."""
    found = {}
    for name, own in card["cross_validation"].items():
        theirs = known.get("cross_validation", {}).get(name, {})
        for metric in ("micro_f1", "macro_f1"):
            if metric in theirs:
                found[f"{name} {metric}"] = round(100 * (own[metric] - theirs[metric]), 2)
    shipped_rows = {(row["task"], row["strategy"], row["split"]): row["value"] for row in known.get("figures", ())}
    for row in card["figures"]:
        key = (row["task"], row["strategy"], row["split"])
        if key in shipped_rows:
            found[", ".join(key)] = round(row["value"] - shipped_rows[key], 2)
    return found


def _from_project(path: Path, out: Path | None, seed: int, use: str | None) -> dict[str, Any]:
    with Project.open(path) as project:
        store = LabelStore(project)
        task = train_own_heads(store, seed=seed, encoder=models.load_encoder)
        made = task.run(Remarks())
        _used(store, made, use)
        if out is not None:
            write(from_bytes(store.heads_weights(made.id), made.card), out, SHIPPED)
    return dict(made.card)


@train.command("encoder")
@click.option("--data", type=FOLDER, help="A folder with Peer-Review-Analyze, or with DISAPERE.")
@click.option("--project", type=FILE, help="A project with your own labels.")
@click.option("--base", type=FOLDER, help="Encoder folder to start from. Default: the bundled one.")
@click.option("--out", type=FOLDER, required=True, help="Output folder for the trained encoder.")
@click.option("--specialise", is_flag=True, help="First continue masked language modelling on the training reviews.")
@click.option("--by", type=click.Choice(["sentence", "paper"]), default="paper")
@click.option("--epochs", default=3, type=click.IntRange(1, 100), help="Maximum number of epochs.")
@click.option("--patience", default=2, type=click.IntRange(1), help="Stop after this many epochs without improvement.")
@click.option("--seed", default=1, type=SEEDS)
@click.option("--device", help="Device by its torch name. Default: the best available.")
@click.option("--use", is_flag=True, help="Use it to suggest labels in the window.")
def encoder(data: Path | None, project: Path | None, base: Path | None, *, use: bool, **settings: Any) -> None:
    """Fine-tune an encoder end to end on all layers with enough labels (such as themes, aspects and polarity).

    A fifth of the papers is held out for the final evaluation, and a tenth decides when to stop early.
    """
    if (data is None) == (project is None):
        raise not_trained("The source of the labels is missing.", "Give either --data or --project.")
    if data is not None:
        found = read_labelled_folder(data)
        reviews, title, licence = found.reviews, found.data_set.title, found.data_set.licence
        if found.data_set.research_only:
            remark(f"The licence of {title} doesn't allow commercial use. Use this encoder for research only.")
    else:
        assert project is not None
        with Project.open(project) as opened:
            reviews = LabelStore(opened).labelled_reviews()
        title, licence = "labels of a project", "that of the project's reviews"
    start = base or models.bundled_encoder().folder
    made = tune(reviews, Tuning(start, **settings, data=title, licence=licence), Remarks())
    if use:
        add_tuned(made.folder, ModelLibrary())
    emit({**asdict(made), "folder": str(made.folder)})
    say(
        f"Best at epoch {made.best_epoch}: {100 * made.score:.1f} on the development sentences, on {made.device} in"
        f" {made.seconds:.0f} s{'; stopped early' if made.stopped_early else ''}. Saved to {made.folder}."
    )
    for name, figures in made.figures.items():
        say(
            f"  {name:14} micro-F1 {100 * figures['micro_f1']:.1f}, macro-F1 {100 * figures['macro_f1']:.1f}"
            f" on {made.test_sentences} held-out sentences"
        )


@click.command("train-aligner", cls=Command)
@click.option("--kind", type=click.Choice(["bi-encoder", "cross-encoder"]), required=True)
@click.option("--data", type=FOLDER, required=True, help="Annotated revisions in the ARIES layout.")
@click.option("--base", type=FOLDER, required=True, help="Model folder to start from.")
@click.option("--out", type=FOLDER, required=True, help="Output folder for the trained model. Continues a stopped run.")
@click.option("--development", help="Ids of development papers, separated by commas. Default: the last paper.")
@click.option("--labels", help="Training label file, for example edit_labels_train.jsonl.")
@click.option("--development-labels", help="Development label file, for example edit_labels_dev.jsonl.")
@click.option("--steps", default=8192, type=click.IntRange(1))
@click.option("--batch", default=16, type=click.IntRange(1))
@click.option("--learning-rate", default=2e-5, type=FiniteRange(min=0, min_open=True))
@click.option("--look-every", default=256, type=click.IntRange(1), help="Steps between evaluations.")
@click.option(
    "--patience", default=8, type=click.IntRange(1), help="Stop after this many evaluations without improvement."
)
@click.option("--least-characters", default=100, type=click.IntRange(0))
@click.option("--use-responses", is_flag=True, help="Also use the authors' responses.")
@click.option(
    "--seed", "seeds", multiple=True, type=SEEDS, default=(1,),
    help="Repeat for several trials, each in a folder seed-N of --out.",
)  # fmt: skip
@click.option("--device", help="Device by its torch name. Default: the best available.")
def train_aligner(
    *,
    kind: Any,
    data: Path,
    base: Path,
    out: Path,
    development: str | None,
    labels: str | None,
    development_labels: str | None,
    seeds: tuple[int, ...],
    device: str | None,
    **settings: Any,
) -> None:
    """Fine-tune an aligner as ARIES does: 20 negatives from other papers, best model on the development papers.

    With one seed, the JSON is the trial; with several, {"trials", "f1": their mean}. Exit code 1: no evaluation on the
    development papers was better than the starting model.
    """
    papers = read_papers(data, labels)
    if development_labels:
        held = read_papers(data, development_labels)
    else:
        wanted = {name.strip() for name in (development or "").split(",") if name.strip()} or {papers[-1].id}
        held = tuple(paper for paper in papers if paper.id in wanted)
        if not held:
            raise not_trained(
                f"There is no paper named {', '.join(sorted(wanted))}.",
                f"Choose from {', '.join(paper.id for paper in papers)}.",
            )
        papers = tuple(paper for paper in papers if paper.id not in wanted)
    trials = [
        fine_tune(
            base,
            out / f"seed-{seed}" if seeds[1:] else out,
            papers,
            held,
            TrainingSettings(kind=kind, seed=seed, **settings),
            report=Remarks(),
            device=device,
        )
        for seed in dict.fromkeys(seeds)
    ]
    mean = sum(trained.f1 for trained in trials) / len(trials)
    made = [{**asdict(trained), "folder": str(trained.folder)} for trained in trials]
    emit({"trials": made, "f1": mean} if made[1:] else made[0])
    for trained in trials:
        say(
            f"{trained.steps} steps on {trained.device} in {trained.seconds:.0f} s, at most"
            f" {trained.peak_memory / 2**20:.0f} MiB{'; stopped early' if trained.stopped_early else ''}.\n"
            f"Best at step {trained.best_step}: F1 {100 * trained.f1:.1f} on the development papers, threshold"
            f" {trained.threshold:.3f}. Saved to {trained.folder}."
        )
    if trials[1:]:
        say(f"Mean F1 over {len(trials)} seeds: {100 * mean:.1f}.")
    if any(trained.best_step == 0 for trained in trials):
        remark("Training didn't improve the model on the development papers.")
        sys.exit(1)
