"""``rejoinder similarity``: scores reviewers' expertise for submissions."""

import hashlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from engine.cli.output import (
    FILE,
    FOLDER,
    PATH,
    SEEDS,
    Command,
    Group,
    Remarks,
    emit,
    fields,
    pairs,
    refuse_input,
    remark,
    say,
)
from engine.errors import not_computed
from engine.exchange.venue import Venue, check_out, read_abstracts, read_problem, read_venue, write_scores
from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.algorithms.registry import ALGORITHMS, Entry, complete_options, label, make_algorithm
from engine.expertise.scale import Block, Workers, forget, score_venue
from engine.models import EmbeddingCache, load_encoder
from engine.shown import counted

if TYPE_CHECKING:
    from engine.expertise.assignment import Method

VENUE_CACHE = 8 * 2**30
"""Temporary size limit of the embedding cache, in bytes, so that a venue's vectors survive an interrupted run."""

SINGLE = "fusion"
"""Its neighbours can change order by rounding: in half precision its loss changes by more than 0.002."""


@click.group(cls=Group)
def similarity() -> None:
    """Similarity between reviewers and submissions: score a venue, train a model."""


@similarity.command()
@click.option("--submissions", type=PATH, required=True, help="OpenReview's, JSON lines or CSV (id,title,abstract).")
@click.option(
    "--profiles", type=PATH, required=True, help="OpenReview's archives, JSON lines or CSV (reviewer,id,...)."
)
@click.option("--texts", type=PATH, help="Full texts: JSON lines with id and text, or a folder of ID.txt.")
@click.option("--algorithm", default="fusion", help="See “rejoinder similarity algorithms”.")
@click.option("--model", type=FOLDER, help="Model folder, for algorithms that need one.")
@click.option("--parameter", "parameters", multiple=True, metavar="NAME=VALUE",
              help="A parameter of the algorithm (see “similarity algorithms”). Repeatable.")  # fmt: skip
@click.option("--representation", type=click.Choice(["title", "title+abstract", "full text"]),
              help="Parts of a paper to read. Default: everything available.")  # fmt: skip
@click.option("--out", type=FILE, required=True,
              help="Output with paper,reviewer,score: .csv (without header) or .parquet.")  # fmt: skip
@click.option("--top-k", type=click.IntRange(min=1), help="Keep only this many best reviewers per submission.")
@click.option("--workers", default="1", help="Threads, “processes”, or a Dask cluster (tcp://host:8786).")
@click.option("--resume", is_flag=True, help="Continue an interrupted run.")
@click.option("--precision", type=click.Choice(["single", "half"]),
              help="Precision of the encoder. Half is faster on processors that support it, and is the default "
                  "except for fusion.")  # fmt: skip
def score(
    *,
    submissions: Path,
    profiles: Path,
    texts: Path | None,
    algorithm: str,
    model: Path | None,
    parameters: tuple[str, ...],
    representation: str | None,
    out: Path,
    top_k: int | None,
    workers: str,
    resume: bool,
    precision: str | None,
) -> None:
    """Score every reviewer for every submission, block by block.

    Partial results are kept next to the output until it is complete, and --resume continues from there. Exit code 1:
    reviewers or papers were left out.
    """
    started = time.perf_counter()
    check_out(out)
    refuse_input(out)
    where = Workers.parse(workers)
    venue = read_venue(submissions, profiles, texts)
    remark(*venue.warnings)
    fast = algorithm != SINGLE if precision is None else precision == "half"
    chosen = _algorithm(algorithm, model, parameters, fast=fast)
    read_as: Any = representation or (
        "full text" if any(paper.body for paper in venue.papers.values()) else "title+abstract"
    )
    if read_as not in chosen.info.representations:
        if representation:
            raise not_computed(
                f"{label(chosen.info.id)} cannot read the {representation}.",
                f"Choose one of {', '.join(chosen.info.representations)}.",
            )
        read_as = chosen.info.representations[-1]
    progress = Remarks()
    scorer = chosen.read(venue.papers, read_as, report=progress)
    parts = out.with_name(f"{out.name}.parts")
    blocks = score_venue(
        scorer,
        venue.profiles,
        venue.submissions,
        folder=parts,
        provenance=f"{chosen.info} {read_as} {_hash(venue)}",
        top_k=top_k,
        workers=where,
        resume=resume,
        report=progress,
    )
    pairs = write_scores(out, venue.submissions, tuple(venue.profiles), blocks)
    forget(parts)
    seconds = round(time.perf_counter() - started, 3)
    emit({"pairs": pairs, "seconds": seconds, "algorithm": chosen.info.id, "representation": read_as})
    say(f"{counted(pairs, 'pair')} in {seconds:.1f} s, written to {out}.")
    if venue.warnings:
        sys.exit(1)


@similarity.command()
def algorithms() -> None:
    """List the algorithms and the ones that need a model folder."""
    emit({"algorithms": [_entry_as_json(entry) for entry in ALGORITHMS.values()]})
    for entry in ALGORITHMS.values():
        needs = {"folder": "needs --model", "encoder": "the bundled encoder, or --model"}.get(entry.needs, "")
        say(f"{entry.id:12}  {entry.title:28}  {needs}".rstrip())
        say(f"{'':14}{entry.citation}")
        for option in entry.options:
            others = (
                f"{option.span[0]:g} to {option.span[1]:g}" if option.span is not None else ", ".join(option.choices)
            )
            say(f"{'':14}{option.name}={option.default}  ({others})")


@similarity.group()
def train() -> None:
    """Train a model on your own papers."""


@train.command("acl")
@click.option("--abstracts", type=PATH, required=True, help="Papers (JSON lines, CSV, OpenReview's), or text lines.")
@click.option("--out", type=FOLDER, required=True, help="Output folder for the model.")
@click.option("--dimension", default=1024, type=click.IntRange(2))
@click.option("--pieces", default=20_000, type=click.IntRange(50), help="Maximum number of word pieces.")
@click.option("--epochs", default=20, type=click.IntRange(1))
@click.option("--megabatch", default=10, type=click.IntRange(1),
              help="Batches of 64 to search for hard negatives. The published command uses 1.")  # fmt: skip
@click.option("--seed", default=1, type=SEEDS)
def train_acl_command(*, abstracts: Path, out: Path, **settings: int) -> None:
    """Train the ACL conferences' encoder from abstracts alone. Takes minutes for thousands of them on a CPU."""
    from engine.research.acl_training import AclTraining, train_acl

    started = time.perf_counter()
    model = train_acl(list(read_abstracts(abstracts)), AclTraining(**settings), report=Remarks())
    model.save(out)
    seconds = round(time.perf_counter() - started, 3)
    emit({"folder": str(out), "seconds": seconds, **model.card})
    say(f"Trained on {model.card['abstracts']} abstracts in {seconds:.0f} s, written to {out}.")


def _algorithm(key: str, folder: Path | None, parameters: tuple[str, ...] = (), *, fast: bool) -> SimilarityAlgorithm:
    given = pairs(parameters, "NAME=VALUE", "Nothing was computed.")
    options = complete_options(key, given) if key in ALGORITHMS else {}
    cache = EmbeddingCache(size_bound=VENUE_CACHE)
    entry = ALGORITHMS.get(key)
    bundled = entry is not None and entry.needs == "encoder" and not (folder is not None and entry.takes_folder)
    embedder = load_encoder(fast=fast, leave_free=0, cache=cache) if bundled else None
    return make_algorithm(key, embedder=embedder, folder=folder, options=options, fast=fast, cache=cache)


def _entry_as_json(entry: Entry) -> dict[str, Any]:
    parameters = [fields(option, "name default choices", range=option.span) for option in entry.options]
    return fields(entry, "id title needs citation", parameters=parameters)


def _hash(venue: Venue) -> str:
    whole = hashlib.sha256()
    for paper in venue.papers.values():
        whole.update(f"{paper.id}\0{paper.title}\0{paper.abstract}\0{paper.body}\n".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


@click.command(cls=Command)
@click.option("--scores", type=PATH, required=True, help="paper,reviewer,score, as “similarity score” writes it.")
@click.option("--loads", type=PATH, required=True, help="reviewer,load: the most papers each reviewer takes.")
@click.option("--conflicts", type=PATH, help="paper,reviewer: pairs that must not be assigned.")
@click.option("--bids", type=PATH, help="paper,reviewer,bid: yes, maybe, no and the like, or -1 to 1.")
@click.option("--method", type=click.Choice(["total", "fair"]), default="total",
              help="Highest total score, or the best for the worst-off paper (PeerReview4All).")  # fmt: skip
@click.option("--reviewers", type=click.IntRange(min=1), default=3, help="Reviewers per paper.")
@click.option("--out", type=FILE, help="Write paper,reviewer,score there: .csv (without header) or .parquet.")
def assign(
    *,
    scores: Path,
    loads: Path,
    conflicts: Path | None,
    bids: Path | None,
    method: "Method",
    reviewers: int,
    out: Path | None,
) -> None:
    """Assign reviewers to papers.

    Only pairs with a score are assigned. Exit code 1: a paper got fewer reviewers than it needs.
    """
    from engine.expertise.assignment import assign as solve

    if out:
        check_out(out)
        refuse_input(out)
    started = time.perf_counter()
    problem = read_problem(scores, loads, conflicts, bids)
    found = solve(problem.scores, np.full(len(problem.papers), reviewers), problem.loads, method)
    rows, columns = np.nonzero(found.chosen)
    pairs = [
        {
            "paper": problem.papers[row],
            "reviewer": problem.reviewers[column],
            "score": float(problem.scores[row, column]),
        }
        for row, column in zip(rows, columns, strict=True)
    ]
    sums = np.where(found.chosen, problem.scores, 0.0).sum(1)
    means = [total / count if count else -np.inf for total, count in zip(sums, found.chosen.sum(1), strict=True)]
    worst = int(np.argmin(means))
    warnings = list(problem.warnings)
    if short := int((found.short > 0).sum()):
        warnings.append(f"{counted(short, 'paper')} got fewer than {counted(reviewers, 'reviewer')}.")
    document = {
        "method": method,
        "pairs": pairs,
        "total_score": float(sums.sum()),
        "worst_paper": {"paper": problem.papers[worst], "score": float(sums[worst])},
        "loads": dict(zip(problem.reviewers, found.chosen.sum(0).tolist(), strict=True)),
        "short": {problem.papers[at]: int(found.short[at]) for at in np.nonzero(found.short)[0]},
        "seconds": round(time.perf_counter() - started, 3),
        "warnings": warnings,
    }
    remark(*warnings)
    if out:
        block = Block(rows.astype(np.int32), columns.astype(np.int32), problem.scores[found.chosen].astype(np.float32))
        write_scores(out, problem.papers, problem.reviewers, [block])
    emit(document)
    say(
        f"{counted(len(pairs), 'pair')}, total score {sums.sum():.3f}; worst paper: {problem.papers[worst]}, "
        f"{sums[worst]:.3f}."
    )
    if not out:
        for pair in pairs:
            say(f"{pair['paper']}\t{pair['reviewer']}\t{pair['score']:.3f}")
    sys.exit(1 if short else 0)
