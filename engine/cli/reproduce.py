"""``rejoinder reproduce``: recomputes published tables and shows them with the published figures."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, get_args

import click

from engine import models
from engine.calibration.synthetic import Break, Design
from engine.cli.align import means_of, means_options
from engine.cli.output import (
    FILE,
    FOLDER,
    SEEDS,
    Group,
    Remarks,
    chosen,
    emit,
    fields,
    json_text,
    pairs,
    remark,
    say,
    show,
    write,
)
from engine.cli.review_ablate import review_bench
from engine.cli.studies import research_of
from engine.errors import not_computed
from engine.exchange.edit_research import research_fields
from engine.exchange.expertise_data import paper_records, read_gold_standard, read_predictions
from engine.expertise.algorithms.base import SimilarityAlgorithm
from engine.expertise.algorithms.registry import ALGORITHMS, DEFAULT, make_algorithm
from engine.files import json_object
from engine.research.alignment.comparison import (
    OF_SOURCES,
    compare_strategies,
    extras,
    row_fields,
    runnable,
    source_papers,
)
from engine.research.alignment.corpus import read_papers
from engine.research.calibration import MEASURES, PRINTED_LESS, table_one
from engine.research.rebuttal.reproduction import Reproduction, baselines
from engine.research.report import PARTS, Outcome, Part, render
from engine.research.similarity import Figures, described
from engine.revision.aligners import STRATEGIES
from engine.revision.aligners.selection import SHORT


@click.group(cls=Group)
def reproduce() -> None:
    """Reproduce published tables and compare the figures."""


reproduce.add_command(review_bench)

# --- ``rejoinder reproduce all``: every published table that can be computed here, in one resumable report -----------

_PACKAGES = ("rejoinder", "torch", "sentence-transformers", "numpy", "scipy", "bm25s")


@reproduce.command("all")
@click.option(
    "--data",
    type=FOLDER,
    required=True,
    help="Folder with expertise/, revisions/, peer_review_analyze/, disapere/ and jitsupeer/; see docs/formats.md.",
)
@click.option("--out", type=FOLDER, required=True, help="Folder for the report.")
def reproduce_all(data: Path, out: Path) -> None:
    """All tables of the five papers that can be computed here, in one report (report.html, and JSON for each part).

    Results already computed from the same data by the same version are reused, so an interrupted run continues where it
    stopped. Exit code 1: a part could not be computed.
    """
    if not data.is_dir():
        raise not_computed(f"The folder {data} does not exist.", "Give the data folder.")
    versions = {"Python": sys.version.split()[0]} | {name: metadata.version(name) for name in _PACKAGES}
    found, summary = [], []
    for number, part in enumerate(PARTS, start=1):
        remark(f"{part.name} (part {number} of {len(PARTS)})")
        outcome, kept = _outcome(part, data, out / f"{part.name}.json", versions["rejoinder"])
        found.append(outcome)
        state = "not computed" if outcome.problem else "kept" if kept else "computed"
        summary.append(
            {"part": part.name, "state": state, "seconds": round(outcome.seconds, 1), "problem": outcome.problem}
        )
        remark(f"  {state}" + (f": {outcome.problem}" if outcome.problem else f", {outcome.seconds:.1f} seconds"))
    report = write(out / "report.html", render(found, versions, f"{datetime.now(UTC):%Y-%m-%d}"), folders=True)
    emit({"report": report, "parts": summary})
    sys.exit(1 if any(row["problem"] for row in summary) else 0)


def _outcome(part: Part, data: Path, file: Path, version: str) -> tuple[Outcome, bool]:
    """Returns a part's outcome, and whether it was computed by an earlier run."""
    if missing := part.missing(data):
        return Outcome(part, None, problem=f"the data folder has no {', '.join(missing)}."), False
    state = part.state(data, version)
    known = json_object(file)
    if known.get("state") == state:
        return Outcome(part, known["document"], known["seconds"]), True
    started = time.monotonic()
    document, problem = _computed(part, data)
    seconds = time.monotonic() - started
    if document is not None:
        kept = {"state": state, "call": part.call("DIR"), "seconds": seconds, "document": document}
        write(file, json_text(kept).encode(), folders=True, quiet=True)
    return Outcome(part, document, seconds, problem), False


def _computed(part: Part, data: Path) -> tuple[dict[str, Any] | None, str]:
    """Runs the call in a separate process, which frees its memory afterwards: returns its document, or why there is
    none. Neither contains the path of the data. Exit 1 is a result with a shortfall, which the document describes."""
    with tempfile.TemporaryFile() as out:
        folder = str(data.resolve())
        call = [sys.executable, "-m", "engine.cli.main", "reproduce", *part.call(folder)]
        last = ""
        with subprocess.Popen(
            call, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                last = line.strip().replace(folder, "DIR") or last
                remark(f"  {line.rstrip()}")
        out.seek(0)
        printed = out.read().replace(json_text(folder)[1:-1].encode(), b"DIR")
    try:
        return json.loads(printed), ""
    except ValueError as problem:
        ended = f"a signal ({-process.returncode})" if process.returncode < 0 else f"exit {process.returncode}"
        found = f" Its output of {len(printed):,} bytes isn't a JSON document: {problem}." if printed else ""
        return None, f"the command ended with {ended}. Its last output: {last or 'none.'}{found}"


PUBLISHED_REMARK = "The published figures (ARIES, table 2) are for other papers."


@reproduce.command("alignment")
@click.option("--data", type=FOLDER, required=True, help="Folder in the layout of ARIES; see docs/formats.md.")
@click.option(
    "--strategies", default="", help="Strategies to run, separated by commas. Default: all that can run here."
)
@click.option("--labels", default=None, help="Another label file, for example edit_labels_dev.jsonl.")
@means_options
@click.option(
    "--least-characters", type=click.IntRange(0), default=None, help="Leave out shorter edits. ARIES uses 100."
)
@click.option(
    "--trial", "trials", multiple=True, type=FOLDER, help="The same model trained with another seed, to average."
)
def alignment(
    *,
    data: Path,
    strategies: str,
    labels: str | None,
    least_characters: int | None,
    trials: tuple[Path, ...],
    **means_given: Any,
) -> None:
    """Comment-edit alignment on annotated revisions, leaving one paper out: tables 2, 3 and 8 of ARIES.

    Intervals are 95 %, by bootstrap over comments and over papers. Pairs without a label are left out.
    """
    papers = read_papers(data, labels)
    if not papers:
        raise not_computed(f"No paper in {data} has labelled comments.")
    encoder = models.load_encoder(leave_free=0)
    means = means_of(encoder, **means_given)
    names = chosen(strategies, STRATEGIES, "strategy") or list(runnable(means))
    found = compare_strategies(papers, means, names, least_characters=least_characters, trials=trials, progress=remark)
    rows = [row_fields(row) for row in found]
    remark("Source paragraphs")
    of_sources = [name for name in OF_SOURCES if name in names]
    sources = compare_strategies(source_papers(papers), means, of_sources, least_characters=SHORT, trials=trials)
    document = {
        "rows": rows,
        "source_rows": [row_fields(row) for row in sources if not row.use_responses] if of_sources else [],
        **extras(papers, encoder),
    }
    show("alignment", document)
    remark(PUBLISHED_REMARK)


TASKS = ("theme", "labels", "rebuttal-action", "answers", "scoring", "descriptions", "generation")


@reproduce.command("rebuttal")
@click.option("--data", type=FOLDER, required=True, help="Folder with disapere/ and jitsupeer/; see docs/formats.md.")
@click.option("--tasks", default="", help=f"Any of {', '.join(TASKS)}, separated by commas. Default: all.")
@click.option("--part", type=click.Choice(["dev", "test"]), default="dev", help="The split to evaluate on.")
@click.option(
    "--seq2seq", "folders", multiple=True, type=FOLDER, help="Folder with BART, Pegasus or T5, to include generation."
)
@click.option("--seed", default=1, type=SEEDS, help="Seed for folds, trees, networks and the shuffling of candidates.")
@click.option(
    "--fine-tune",
    multiple=True,
    type=FOLDER,
    help="An encoder folder (or “bundled”) to also fine-tune for theme, labels and scoring. Each takes minutes.",
)
def rebuttal(
    data: Path,
    tasks: str,
    part: Literal["dev", "test"],
    *,
    folders: tuple[Path, ...],
    fine_tune: tuple[Path, ...],
    seed: int,
) -> None:
    """Rebuttal actions, what they answer, and canonical rebuttals: every strategy on given splits.

    Intervals are 95 %, by bootstrap over papers (DISAPERE), descriptions (scoring), sentences (descriptions) and
    canonical rebuttals (generation). Candidates are shuffled first.
    """
    names = chosen(tasks, TASKS, "task") or TASKS
    bases = tuple(models.bundled_encoder().folder if str(name) == "bundled" else name for name in fine_tune)
    made = Reproduction(data, part, seed, models.load_encoder(leave_free=0), Remarks(), folders, bases)
    rows: list[dict[str, Any]] = []
    for number, name in enumerate(names, start=1):
        remark(f"{name} (task {number} of {len(names)})")
        rows += made.rows(name)
    baselines(rows)
    show("rebuttal", {"rows": rows})
    for note in dict.fromkeys(f"{row['strategy']}: {row['note']}" for row in rows if row["note"]):
        say(f"  {note}")


@reproduce.command("similarity")
@click.option("--data", type=FOLDER, required=True, help="Folder of a gold standard; see docs/formats.md.")
@click.option(
    "--algorithms",
    default="",
    help="Algorithms to run, separated by commas. Default: fusion, all that need no model, and those given with "
    "--model.",
)
@click.option("--model", "folders", multiple=True, metavar="NAME=FOLDER", help="Model folder of an algorithm.")
@click.option("--lengths", is_flag=True, help="Also run profiles of 1 to 20 papers (Figure 2).")
@click.option("--samples", default=1000, type=click.IntRange(1), help="Bootstrap samples.")
@click.option("--seed", default=0, type=SEEDS, help="Seed of the bootstrap and of sampled profiles.")
def similarity(
    *, data: Path, algorithms: str, folders: tuple[str, ...], lengths: bool, samples: int, seed: int
) -> None:
    """Similarity algorithms on a gold standard of expertise, compared with published results for the same people.

    Loss with 95 % intervals (bootstrap over participants), easy and hard triples, difference to TPMS on title and
    abstract. If the data has its own profile draws, they are used.
    """
    gold = read_gold_standard(data)
    found = Figures(gold, read_predictions(data), samples, seed)
    remark(_who(found))
    for key, algorithm in _algorithms(algorithms, folders).items():
        found.add(key, algorithm, lengths=lengths, say=remark)
    wanted = [name.strip() for name in algorithms.split(",") if name.strip()]
    document = described(gold, paper_records(data)) | found.document(wanted)
    people, ratings, left_out, draws = (
        document[name] for name in ("participants", "ratings", "ratings_left_out", "draws")
    )
    say(f"{people} participants, {ratings} ratings ({left_out} for papers without a title left out), {draws} draws\n")
    show("similarity", document)


def _algorithms(algorithms: str, given: Sequence[str]) -> Mapping[str, SimilarityAlgorithm | None]:
    """Returns algorithms by name; None for one whose model is missing, of which only the published scores are shown."""
    folders = pairs(given, "NAME=FOLDER", "Nothing was computed.")
    chosen(",".join(folders), ALGORITHMS, "algorithm")
    wanted = [name.strip() for name in algorithms.split(",") if name.strip()]
    # Another encoder pass over full texts takes minutes, so it only runs on request.
    wanted = wanted or [
        key for key, entry in ALGORITHMS.items() if key == DEFAULT or entry.needs == "nothing" or key in folders
    ]
    made: dict[str, SimilarityAlgorithm | None] = {}
    for name in wanted:
        entry = ALGORITHMS.get(name)
        if entry is not None and entry.needs == "folder" and name not in folders:
            remark(f"{entry.title} needs a model folder (--model {name}=FOLDER): only published results are shown.")
            made[name] = None
            continue
        embedder = models.load_encoder(leave_free=0) if entry is not None and entry.needs == "encoder" else None
        folder = Path(folders[name]) if name in folders else None
        made[name] = make_algorithm(name, embedder=embedder, folder=folder)
    return made


def _who(found: Figures) -> str:
    people = {rating.participant for rating in found.gold.ratings}
    return (
        f"{len(people)} participants, {len(found.gold.ratings)} ratings, {len(found.draws)} draws of profiles"
        + ("" if found.gold.draws else " (sampled here, because the data has none)")
        + ("." if found.with_texts else "; no full texts.")
    )


@reproduce.command("edit-generation")
@click.option("--data", type=FILE, required=True, help="A project with analyses.")
@click.option("--annotator", default="", help="Annotator whose analyses count. Default: the first who linked.")
def edit_generation(data: Path, annotator: str) -> None:
    """How generated edits differ from real ones, by a project's analyses: tables 5 and 6 of ARIES.

    Figures that no analysis provides are null.
    """
    found = research_of(data, annotator=annotator)
    tables: dict[str, Any] = research_fields(found)
    rows = []
    for number, table, key in (("5", "table_5", "more_comprehensive"), ("6", "sides", "property")):
        for row in tables[table]:
            published = {
                name.removeprefix("printed_"): row.pop(name) for name in list(row) if name.startswith("printed_")
            }
            rows.append({"table": number, "row": row.pop(key), **row, "published": published})
    show("edit-generation", {"rows": rows, "complete": found.tables.complete})


@reproduce.command("calibration-table-1")
@click.option("--seeds", default=20, type=click.IntRange(1, 1000), help="Number of draws, with seeds 0, 1, 2...")
def calibration_table_1(seeds: int) -> None:
    """Score calibration on synthetic reviews: table 1 of IDSIA-25-98, with the improved model as e).

    1,500 items, 500 referees and 4,500 reviews per draw, by eq. (12) and by three generators that violate its
    assumptions. Exit code 1: the published order d < c < a < b of the mean rank differences does not hold.
    """
    kinds = get_args(Break)
    rows = {}
    for kind in kinds:
        remark(f"Generator: {kind}" if kind != "none" else "Generator: as printed")
        rows[kind] = table_one(
            range(seeds), Design(breaks=kind), lambda done: remark(f"{round(done * seeds)} of {seeds} draws")
        )
    by_name = {row.configuration: row.mean[1] for row in rows["none"]}
    ordered = by_name["d"] < by_name["c"] < by_name["a"] < by_name["b"]
    document = {
        "seeds": seeds,
        "published_order_holds": ordered,
        "printed_log_likelihoods_are_lower_by": PRINTED_LESS,
        "rows": [
            fields(row, "title", generator=kind, strategy=row.configuration)
            | {
                **dict(zip(MEASURES, row.mean, strict=True)),
                "spread": dict(zip(MEASURES, row.spread, strict=True)),
                "published": row.published and dict(zip(MEASURES, row.published, strict=True)),
            }
            for kind, table in rows.items()
            for row in table
        ],
    }
    show("calibration-table-1", document)
    say(f"\nThe printed log-likelihoods are lower by a constant, about {PRINTED_LESS:.2f} (half ln 2 pi).")
    say("The published order d < c < a < b " + ("holds." if ordered else "does NOT hold."))
    sys.exit(0 if ordered else 1)
