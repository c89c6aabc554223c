"""``rejoinder review ablate``: drafts a folder of papers with stages left out (ReviewGrounder, section 5.2)."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import file_digest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import click

from engine import models
from engine.cli.models import language_model
from engine.cli.output import FOLDER, PATH, SEEDS, Command, FiniteRange, remark, show
from engine.cli.review_bench import estimate, judge_of, judging_options, read_sets, words_only_option
from engine.errors import BadInput
from engine.exchange.encoding import read_text
from engine.exchange.jsontext import json_lines, layout
from engine.exchange.paper_folder import read_paper_folder
from engine.models.language import Manner, Reasoning
from engine.models.library import ModelLibrary
from engine.review_drafting.benchmark.ablation import DRAFTER_ONLY, FULL, Ablation, Judging, configurations
from engine.review_drafting.benchmark.ablation import ablate as ablated
from engine.review_drafting.benchmark.comparison import table
from engine.review_drafting.benchmark.published import published
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview
from engine.review_drafting.benchmark.running import Aggregation
from engine.review_drafting.benchmark.text_paper import read_text_paper
from engine.review_drafting.crews import deterministic_crew, language_crew
from engine.review_drafting.pipeline import Crew, RunSettings
from engine.review_drafting.records import STAGES, LibraryEntry, PaperReading, Review, Search, StageId
from engine.review_drafting.rubrics import meta_rubrics
from engine.review_drafting.tasks import library_entries, read_for_drafting

_PAPERS = (".pdf", ".md", ".txt")
since_option = click.option(
    "--since",
    type=click.IntRange(0),
    default=0,
    show_default=False,
    help="Earliest year of related work. ReviewGrounder uses 2023.",
)
temperature_option = click.option(
    "--temperature",
    type=FiniteRange(0, 2),
    default=0.0,
    help="Temperature of the language model. ReviewGrounder uses 0.4.",
)


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--out",
    required=True,
    metavar="FOLDER",
    type=FOLDER,
    help="Folder for drafts and scores. A run with the same folder continues where the last one stopped.",
)
@click.option("--model", default="", help="Id of the language model that drafts. Default: rules.")
@click.option("--judge", "judging_model", default="", help="Id of the language model that judges. Default: rules.")
@click.option(
    "--exchange",
    "exchanged",
    multiple=True,
    metavar="STAGE=MODEL",
    help="Also run with another model, or rules, for one stage. Repeatable.",
)
@click.option("--top", "tops", multiple=True, type=click.IntRange(1), help="Also run with this many related papers.")
@click.option("--reranking", is_flag=True, help="Also run without reranking related papers.")
@click.option("--library", type=FOLDER, help="A folder of papers to search for related work.")
@since_option
@click.option("--by-phrase", is_flag=True, help="Search only by key phrases, like ReviewGrounder.")
@click.option("--human", multiple=True, type=PATH, help="Human reviews, for the reference.")
@judging_options
@temperature_option
@click.option("--seed", default=0, type=SEEDS, help="Seed for models, sampling and intervals.")
def ablate(
    *,
    folder: Path,
    out: Path,
    model: str,
    judging_model: str,
    exchanged: tuple[str, ...],
    tops: tuple[int, ...],
    reranking: bool,
    library: Path | None,
    since: int,
    by_phrase: bool,
    human: tuple[Path, ...],
    by: Aggregation,
    all_at_once: bool,
    words_only: bool,
    temperature: float,
    seed: int,
) -> None:
    """Measure what each drafting stage adds, over a FOLDER of papers (PDF, Markdown or text).

    Every paper is drafted with all stages, without each grounding agent, and by the Drafter alone. All drafts are
    scored by the same rubrics and shown with the published figures. Human reviews are matched to papers by file name.
    Exit code 1: a paper or a draft was skipped, or a stage failed.
    """
    if (all_at_once or by == "model") and not judging_model:
        raise BadInput("No language model was given.", "Nothing was drafted.", "Give one with --judge.")
    papers = papers_in(folder)
    people, fell_short = _people(human, papers)
    entries = library_of(library)
    encoder = None if words_only else models.load_encoder()
    crews = {name: crew_of(name, with_library=bool(entries)) for name in {model, *_exchanged(exchanged).values()}}
    judge, _ = judge_of(judging_model)
    settings = RunSettings(
        seed=seed, temperature=temperature, search=Search(since, queries="phrases" if by_phrase else "all")
    )
    wanted = configurations(
        crews[model],
        settings,
        exchanged=[(stage, crews[name]) for stage, name in _exchanged(exchanged).items()],
        tops=tops,
        reranking=reranking,
    )
    judging = Judging(
        judge, encoder.encode if encoder else None, encoder.fingerprint if encoder else "", by, all_at_once, seed
    )
    found = ablated(
        papers, _read_paper, wanted, out, humans=people, library=entries, judging=judging,
        on_scored=lambda one: remark(f"{one.paper}: {one.configuration}"),
    )  # fmt: skip
    remark(*found.skipped)
    rows = ablation_rows(found, single=by == "single", seed=seed)
    document = {
        "papers": len({one.paper for one in found.scored}),
        "judge": judging.origin,
        "drafts": crews[model].origin,
        "resumed": found.resumed,
        "skipped": list(found.skipped),
        "rows": rows,
        "published": published(),
    }
    show("review-bench", document)
    if fell_short or found.skipped or any(row["problems"] for row in rows):
        sys.exit(1)


@click.command("review-bench", cls=Command)
@click.option(
    "--data",
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of revisions: PAPER/submitted.pdf, with review_comments.jsonl next to them; see docs/formats.md.",
)
@click.option("--out", type=FOLDER, help="Folder for drafts and scores, to continue later.")
@words_only_option
@click.option("--seed", default=0, type=SEEDS, help="Seed of the intervals.")
def review_bench(data: Path, out: Path | None, words_only: bool, seed: int) -> None:
    """Draft and score reviews of a data set's papers by rules, stage by stage, alongside ReviewGrounder's tables.

    The paper's own models, papers and reviews differ from these: compare what a stage adds, not the level of scores.
    Exit code 1: a paper was skipped.
    """
    papers, people = _revisions(data)
    encoder = None if words_only else models.load_encoder()
    judging = Judging(None, encoder.encode if encoder else None, encoder.fingerprint if encoder else "", seed=seed)
    wanted = configurations(crew_of("", with_library=False), RunSettings(seed=seed))
    with TemporaryDirectory() as folder:
        found = ablated(
            papers, _read_paper, wanted, out or Path(folder), humans=people, judging=judging,
            on_scored=lambda one: remark(f"{one.paper}: {one.configuration}"),
        )  # fmt: skip
    remark(*found.skipped)
    rows = ablation_rows(found, seed=seed)
    document = {"papers": len(papers), "rows": rows, "skipped": list(found.skipped), "published": published()}
    show("review-bench", document)
    if found.skipped:
        sys.exit(1)


def _revisions(data: Path) -> tuple[list[BenchmarkPaper], list[BenchmarkReview]]:
    """Returns the submitted papers of a revision data set, and each reviewer's comments as a review."""
    papers = [_paper_of(path, path.parent.name) for path in sorted(data.glob("*/submitted.pdf"))]
    comments = data / "review_comments.jsonl"
    if not papers or not comments.is_file():
        raise BadInput(
            f"{data} contains no revisions.",
            "Nothing was drafted.",
            "Give a folder with PAPER/submitted.pdf and review_comments.jsonl.",
        )
    said: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line, _, entry in json_lines(read_text(comments).text, comments.name):
        with layout(f"Line {line} of {comments.name}", "a reviewer's comment"):
            about = [entry[name] for name in ("doc_id", "reviewer", "comment")]
            if not all(isinstance(one, str) for one in about):
                raise TypeError("doc_id, reviewer and comment must be text")
            fields = said.setdefault((about[0], about[1]), {"weaknesses": [], "questions": []})
            fields["questions" if entry.get("request_kind") == "question" else "weaknesses"].append(about[2])
    reviews = [
        BenchmarkReview(id=f"r{number}", paper_id=paper, source="human", reviewer=who, role="human",
                        review=Review.model_validate(fields))
        for number, ((paper, who), fields) in enumerate(said.items(), start=1)
    ]  # fmt: skip
    return papers, reviews


def ablation_rows(found: Ablation, *, single: bool = False, seed: int = 0) -> list[dict[str, Any]]:
    """Returns a row per configuration in the order of the run, with the published ones; ``single`` uses those of table
    7."""
    order = list(dict.fromkeys(one.configuration for one in found.scored))
    printed = {**published()["table-3"], FULL: published()["table-1"]["ReviewGrounder (Phi-4-14B)"]}
    alone = published()["table-7"]
    printed |= alone if single else {DRAFTER_ONLY: alone[DRAFTER_ONLY]}
    rows = table(found.reviews(), found.scores(), meta_rubrics(), baseline=FULL, complete=False, seed=seed)
    return [
        {
            "configuration": row.source,
            "papers": row.papers,
            "overall": estimate(row.overall),
            "dimensions": {name: estimate(value) for name, value in row.dimensions.items()},
            "against": None if row.against is None else estimate(row.against),
            "problems": sum(bool(one.problems) for one in found.scored if one.configuration == row.source),
            "published": dict(printed.get(row.source, {})),
        }
        for row in sorted(rows, key=lambda row: order.index(row.source))
    ]


def papers_in(folder: Path) -> list[BenchmarkPaper]:
    """Returns the papers of a folder by file name. Raises BadInput if there are none."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix.casefold() in _PAPERS)
    if not files:
        raise BadInput(
            f"{folder} contains no papers.", "Nothing was drafted.", "Put PDFs, Markdown or text files in it."
        )
    return [_paper_of(path, path.name) for path in files]


def _paper_of(path: Path, key: str) -> BenchmarkPaper:
    digest = ""
    with suppress(OSError), path.open("rb") as file:  # an unreadable file is skipped later
        digest = file_digest(file, "sha256").hexdigest()
    return BenchmarkPaper(id=key, title=Path(key).stem, external_id=digest, text=str(path))


def _read_paper(paper: BenchmarkPaper) -> PaperReading:
    path = Path(paper.text)
    if path.suffix.casefold() == ".pdf":
        return read_for_drafting(path)[0]
    return read_text_paper(paper.title, read_text(path).text)


def _people(files: Sequence[Path], papers: Sequence[BenchmarkPaper]) -> tuple[list[BenchmarkReview], bool]:
    """Returns human reviews by the papers' ids, matched by file name; and whether some belong to no paper of the
    folder."""
    whole, fell_short = read_sets([(file, "human", "iclr") for file in files], None)
    by_name = {name: paper.id for paper in papers for name in (paper.id, paper.title)}
    names = {
        paper.id: next((by_name[n] for n in (paper.id, paper.title) if n in by_name), "") for paper in whole.papers
    }
    for paper in whole.papers:
        if not names[paper.id]:
            remark(f"No paper in the folder is called “{paper.title}” or “{paper.id}”; its reviews were left out.")
            fell_short = True
    reviews = [review.model_copy(update={"paper_id": names[review.paper_id]}) for review in whole.reviews]
    return [review for review in reviews if review.paper_id], fell_short


def _exchanged(options: Sequence[str]) -> dict[StageId, str]:
    found: dict[StageId, str] = {}
    for option in options:
        named, _, model = option.partition("=")
        stage = next((one for one in STAGES if one == named), None)
        if stage is None or not model:
            raise BadInput(
                f"--exchange {option} doesn't name a stage and a model.",
                "Nothing was drafted.",
                f"Use the form STAGE=MODEL, with a stage from {', '.join(STAGES)} and a model's id or rules.",
            )
        found[stage] = "" if model == "rules" else model
    return found


def library_of(folder: Path | None) -> tuple[LibraryEntry, ...]:
    """Returns the papers of a folder to search for related work; prints remarks on what couldn't be read."""
    if folder is None:
        return ()

    found = read_paper_folder(folder)
    remark(*found.warnings)
    return library_entries(found.papers)


def crew_of(model: str, *, with_library: bool, others: Mapping[StageId, str] | None = None) -> Crew:
    """Returns the stages with a language model by its id, or "" for rules; ``others`` are models of single stages, by
    id. Raises BadInput or EnvironmentProblem if a model can't be loaded."""
    encoder = models.load_encoder() if with_library else None
    fingerprint = encoder.fingerprint if encoder is not None else ""
    search = None if encoder is None else (lambda: encoder)
    if not model:
        return deterministic_crew(search, fingerprint)
    loaded = {key: language_model(key) for key in {model, *(others or {}).values()}}
    own = {stage: loaded[key] for stage, key in (others or {}).items()}
    return language_crew(loaded[model], encoder=search, fingerprint=fingerprint, models=own)


def stage_manners(
    how: Sequence[str], with_model: bool
) -> tuple[tuple[tuple[StageId, Manner], ...], dict[StageId, str]]:
    """Returns the settings and other models of single stages: as stored, overridden by ``how``. Raises BadInput for an
    unknown stage or setting."""
    library = ModelLibrary()
    manners = {stage: library.manner(f"review-drafting/{stage}") for stage in STAGES} if with_model else {}
    others: dict[StageId, str] = {}
    for words in how:
        stage, _, pairs = words.partition(":")
        try:
            values = dict(pair.split("=", 1) for pair in pairs.split(","))
            name = next(one for one in STAGES if one == stage)
            if (model := values.pop("model", "")) and with_model:
                others[name] = model
            kinds = {"temperature": float, "tokens": int, "reasoning": str, "reasoning-tokens": int}
            names = {"tokens": "answer_tokens", "reasoning-tokens": "reasoning_tokens"}
            given = {names.get(key, key): kinds[key](value) for key, value in values.items()}
            if given.get("reasoning", "auto") not in get_args(Reasoning):
                raise ValueError(words)
        except (ValueError, KeyError, StopIteration) as error:
            raise BadInput(
                f"“{words}” isn't a valid stage setting.",
                "Nothing was drafted.",
                "Use the form insight:model=qwen,temperature=0.3,tokens=3000,reasoning=off.",
            ) from error
        manners[name] = replace(manners.get(name, Manner()), **given)
    return tuple((stage, manner) for stage, manner in manners.items() if manner != Manner()), others
