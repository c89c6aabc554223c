"""``rejoinder review``: drafts, checks, scores, moves, renames and removes reviews."""

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from engine.cli.models import judged_by, opinion_fields
from engine.cli.output import FOLDER, PATH, SEEDS, Command, Group, Remarks, emit, fields, remark, say
from engine.cli.papers import move_review_command, remove_review, rename_review
from engine.cli.review_ablate import ablate, crew_of, library_of, since_option, stage_manners, temperature_option
from engine.cli.review_bench import score
from engine.documents.hidden import unexamined_words, visible_document
from engine.documents.places import Places
from engine.documents.service import DocumentService
from engine.errors import EnvironmentProblem
from engine.exchange.encoding import read_text
from engine.exchange.review_form import form_named
from engine.exchange.review_markdown import read_review
from engine.models.language import Manner
from engine.operations.entailment import undecided
from engine.review_drafting.form_files import FORMS
from engine.review_drafting.grounding import Claim, ground
from engine.review_drafting.pipeline import Run, RunSettings, StageRun, run_stages
from engine.review_drafting.readiness import TELLS
from engine.review_drafting.records import STAGE_TITLES, STAGES, Anchor, Draft, PaperReading, Search
from engine.review_drafting.tasks import read_for_drafting
from engine.reviews.labels.substantiation import shipped as shipped_marks
from engine.reviews.wording import check_wording
from engine.statements.named import Part
from engine.statements.verdicts import DECIDED, GRAVEST, Verdict, counted_states, gravest, reliable


@click.command(cls=Command)
@click.argument("path", metavar="PAPER.pdf", type=PATH)
@click.option("--model", default="", help="Id of a language model you added. Default: none.")
@click.option(
    "--library",
    type=FOLDER,
    help="A folder of papers to search for related work: PDFs, BibTeX, RIS, CSL-JSON, or the expertise data set.",
)
@click.option("--without", multiple=True, type=click.Choice(STAGES), help="Leave out a stage. Repeatable.")
@click.option(
    "--form",
    metavar="NAME",
    help=f"The venue's form, whose topics are looked for in the paper: {', '.join(FORMS)}, or the name of a file "
    "in your forms folder.",
)
@click.option("--seed", default=0, type=SEEDS, help="Seed for the language model.")
@temperature_option
@click.option(
    "--stage",
    "how",
    multiple=True,
    metavar="STAGE:NAME=VALUE,...",
    help="Settings of a stage: model, temperature, tokens, reasoning (auto, off, low, medium, high), "
    "reasoning-tokens. Defaults to those set with rejoinder models use. Repeatable.",
)
@since_option
@click.option("--top", type=click.IntRange(1), default=10, help="Number of related papers to keep.")
@click.option(
    "--by-phrase", is_flag=True, help="Search only by key phrases, like ReviewGrounder. Default: also by the abstract."
)
@click.option("--no-reranking", is_flag=True, help="Keep the order of the first search.")
def draft(
    *,
    path: Path,
    model: str,
    library: Path | None,
    without: tuple[str, ...],
    form: str | None,
    seed: int,
    temperature: float,
    how: tuple[str, ...],
    since: int,
    top: int,
    by_phrase: bool,
    no_reranking: bool,
) -> None:
    """Draft a review of a paper. Nothing leaves this computer, and no review is submitted.

    Without a language model, the draft is a scaffold: the paper's own statements with their places, results of checks,
    and questions. If a stage with a language model fails, the rules take over and the other stages continue. Exit code
    1: a stage failed, or the paper has no text.
    """
    started = time.perf_counter()
    asks = form_named(form).asks if form else ()
    manners, others = stage_manners(how, bool(model))
    with ThreadPoolExecutor(1) as pool:  # models load while the PDF is parsed in another process
        reading = pool.submit(read_for_drafting, path)
        entries = library_of(library)
        crew = crew_of(model, with_library=bool(entries), others=others)
        paper, warnings = reading.result()
    remark(*warnings)
    search = Search(since, top, queries="phrases" if by_phrase else "all", reranked=not no_reranking)
    on = frozenset(stage for stage in STAGES if stage not in without)
    settings = RunSettings(on, seed, temperature, search, manners, tuple(sorted(others.items())), asks)

    def tell(run: StageRun) -> None:
        remark(f"{STAGE_TITLES[run.stage]}: {run.problem or f'{run.seconds:.1f} s'}")

    if crew.forecast is not None:
        with suppress(EnvironmentProblem):  # the stages report it
            remark(f"About {crew.forecast(paper, Draft(), settings, len(entries)).words}.")
    run = run_stages(crew, paper, library=entries, settings=settings, on_stage=tell, report=Remarks())
    claims = [
        (name, point.text, claim)
        for name, point in run.draft.points()
        for claim in (ground(point.text, paper.places).claims if paper.sentences else ())
    ]
    document = _draft_document(run, paper, claims, round(time.perf_counter() - started, 3))
    emit(document | {"claims": [_claim(claim) | {"field": name} for name, _, claim in claims]})
    _print_draft(run.draft, claims)
    if run.scored_by_model:
        remark("The scores are the language model's and not checked. Text in the paper may have influenced them.")
    if run.problems or not paper.sentences:
        sys.exit(1)


def _draft_document(
    run: Run, paper: PaperReading, claims: Sequence[tuple[str, str, Claim]], seconds: float
) -> dict[str, object]:
    """Returns the review schema with its anchors and provenance."""
    review = run.draft.review()
    states: dict[str, list[Verdict]] = {}
    for _, text, claim in claims:
        states.setdefault(text, []).append(claim.verdict)
    return fields(
        review,
        "summary strengths weaknesses questions",
        title=paper.title,
        **review.scores.model_dump(),
        scores_checked=False if run.scored_by_model else None,
        anchors=[
            fields(
                anchor,
                "kind ref quote",
                **_checked(anchor, states.get(point.text, ()), paper),
                page=anchor.page or None,
                claim=point.text,
                field=name,
                origin=point.origin,
            )
            for name, point in run.draft.points()
            for anchor in point.anchors
        ],
        origin=run.origin,
        stages=[
            fields(stage, "stage seconds problem device")
            | fields(stage.info, "way version prompt_version")
            | {"model": run.model_of(stage.info) or None}
            | fields(dict(run.settings.manners).get(stage.stage, Manner()), "temperature answer_tokens reasoning")
            | {"output": None if stage.output is None else stage.output.model_dump(mode="json")}
            for stage in run.stages
        ],
        seconds=seconds,
    )


def _checked(anchor: Anchor, verdicts: Sequence[Verdict], paper: PaperReading) -> dict[str, object]:
    """Returns what was checked of an anchor: its place, and the sentences of its point, whose verdicts are given."""
    worst = gravest(verdicts)
    state: Verdict = worst if worst in DECIDED else "place found"
    if not anchor.found:
        state, _ = reliable("not found", "", None, paper.places)
    return {"state": _state(state), "verified": state == "supported"}


def _print_draft(draft: Draft, claims: Sequence[tuple[str, str, Claim]]) -> None:
    for name in ("summary", "strengths", "weaknesses", "questions"):
        say(f"## {name.title()}\n")
        for point in getattr(draft, name):
            say(f"- {point.text}" + (f"\n  Suggestion: {point.suggestion}" if point.suggestion else ""))
            for field, text, claim in claims:
                if (field, text) == (name, point.text):
                    say(f"    {claim.verdict}: {claim.why}")
        say("")
    say(counted_states(claim.verdict for _, _, claim in claims))


_SIGNS: dict[Verdict, str] = {
    "supported": "+", "contradicted": "x", "place found": "o", "not found": "?", "not checked": "-",
}  # fmt: skip


@click.group(cls=Group)
def review() -> None:
    """Draft, check and score reviews; move, rename and remove a project's reviews."""


for _command in (draft, score, ablate, move_review_command, remove_review, rename_review):
    review.add_command(_command)


@review.command()
@click.argument("path", metavar="REVIEW.md", type=PATH)
@click.option("--paper", required=True, metavar="PAPER.pdf", type=PATH, help="The paper's PDF.")
@click.option("--model", default="", help="Id of a language model that also judges undecided sentences.")
@click.option("--name", "names", multiple=True, help="A name or affiliation that must not appear. Repeatable.")
def check(path: Path, paper: Path, model: str, names: tuple[str, ...]) -> None:
    """Check each sentence of any review against the paper.

    Each sentence is marked + (supported: the paper says this), x (contradicted: the paper says otherwise), o (place
    found: what it refers to exists, but whether the paper says this was not decided), ? (not found: what it refers to
    doesn't exist) or - (not checked). Only what the PDF shows counts. Criticism that seems to lack a reason, words of
    doubtful tone and words that identify the reviewer are listed. Exit code 1: a sentence is marked x or ?, the
    paper has no text, or the model failed.

    A model's judgement of a sentence is shown next to the mark and doesn't change it.
    """
    decoded = read_text(path)
    with DocumentService() as service:
        parsed, seen = service.parse(paper), service.inspect(paper)
    remark(*decoded.warnings, *parsed.warnings)
    if seen.hidden or seen.injection:
        remark(f"The PDF has hidden text or addresses its reviewer; see rejoinder inspect {paper.name}.")
    if not seen.complete:
        remark(f"{unexamined_words(seen)} Unexamined pages are ignored; see rejoinder inspect {paper.name}.")
    places = Places(visible_document(parsed, seen))
    found = ground(decoded.text, places)
    judged, complete = judged_by(model, undecided(found.claims), places)
    bare = {n for mark in shipped_marks().marks(decoded.text) for n in range(mark.start, mark.end)}
    wording = check_wording(decoded.text, "reviewer", names)
    emit(
        {
            **read_review(decoded.text).model_dump(),
            "anchors": [_anchor(claim, part) for claim in found.claims for part in claim.parts],
            "unsupported": [_claim(claim) for claim in found.unfounded],
            "claims": [
                _claim(claim)
                | {"no_reason": claim.start in bare}
                | ({"model": opinion_fields(judged.get(claim.text))} if model else {})
                for claim in found.claims
            ],
            "states": {_state(one): sum(c.verdict == one for c in found.claims) for one in GRAVEST},
            "tone": [fields(one, "kind words why", start=one.span.start, end=one.span.end) for one in wording.tone],
            "identity": [
                fields(one, "kind words sure", why=TELLS[one.kind], start=one.span.start, end=one.span.end)
                for one in wording.identity
            ],
            "hidden_text": len(seen.hidden),
            "complete": seen.complete,
            "seconds": found.seconds,
        }
    )
    for claim in found.claims:
        say(f"{_SIGNS[claim.verdict]} {' '.join(claim.text.split())}")
        if claim.why:
            say(f"    {claim.verdict}: {claim.why}")
        if one := judged.get(claim.text):
            say(f"    judgement by {one.model}: {one.words}")
        if claim.start in bare:
            say("    This criticism seems to lack a reason.")
        for passage in claim.passages:
            say(f"    nearest, page {passage.page}: {passage.text[:160]}")
    say(f"\n{counted_states(c.verdict for c in found.claims)}")
    for words, why in [(t.words, t.why) for t in wording.tone] + [(i.words, TELLS[i.kind]) for i in wording.identity]:
        say(f"look: “{words}” {why}")
    if found.unfounded or not complete or not parsed.paragraphs:
        sys.exit(1)


def _state(verdict: Verdict) -> str:
    return verdict.replace(" ", "-")


def _anchor(claim: Claim, part: Part) -> dict[str, Any]:
    """Returns what a sentence names, with its state: *supported* only if the whole sentence is."""
    found = part.verdict in ("place found", "supported")
    state: Verdict = "supported" if found and claim.verdict == "supported" else "place found" if found else part.verdict
    return fields(
        part,
        "kind ref start end why",
        claim=claim.text,
        state=_state(state),
        verified=state == "supported",
        certain=state != "not checked",
        page=part.page or None,
        boxes=[[b.page, b.x0, b.y0, b.x1, b.y1] for b in part.place.boxes] if part.place else [],
    )


def _claim(claim: Claim) -> dict[str, Any]:
    nearest = [fields(passage, "page text share") for passage in claim.passages]
    return fields(claim, "start end kind why missing", claim=claim.text, state=_state(claim.verdict), nearest=nearest)
