"""Tasks that propose edits for comments, with sentence frames and with a language model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from engine.documents.places import Places
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models import Embedder, shared_encoder
from engine.models.language import LanguageModel, Prompt
from engine.models.library import Added, closed_after, load_language_model
from engine.models.questions import usable
from engine.reviews.store import ReviewStore
from engine.revision.generation.records import Proposal
from engine.revision.generation.store import GenerationStore
from engine.revision.generation.writing import Wanted, guess_action, propose, write
from engine.revision.records import Query
from engine.revision.source_alignment import SourceParagraph, rank_sources
from engine.revision.store import RevisionStore

LIKELY = 12
"""The number of likely paragraphs for a language model whose context doesn't fit the paper."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A partial result: the next piece of the model's text for a comment; an empty one starts over. Several comments
    are written about at once."""

    comment_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ProposalsMade:
    """The result; ``unusable`` names the comments for which the model gave no edit, ``prompts`` contains the model's
    prompts by proposal."""

    proposals: tuple[Proposal, ...]
    unusable: tuple[str, ...] = ()
    prompts: Mapping[str, Prompt] = field(default_factory=dict)


@task(
    "revision.propose",
    lambda comment_ids, **_: "Propose edits" if len(comment_ids) > 1 else "Propose an edit",
    DuplicatePolicy.REPLACE,
    "revision:{revision_id}",
    lambda comment_ids, **_: Lane.LONG if len(comment_ids) > 1 else Lane.INTERACTIVE,
)
def propose_edits(  # noqa: PLR0917 (a report, then stores and parameters)
    report: Report,
    documents: DocumentStore,
    reviews: ReviewStore,
    revisions: RevisionStore,
    generation: GenerationStore,
    revision_id: str,
    comment_ids: tuple[str, ...],
    *,
    model: Added | None = None,
    seed: int = 0,
    encoder: Callable[[], Embedder] = shared_encoder,
    load: Callable[[Added], LanguageModel] = partial(load_language_model, beside_window=True),
) -> ProposalsMade:
    """Proposes edits for comments, always with frames and with ``model`` unless it is None, and stores each
    immediately; unchanged proposals aren't stored twice.

    A language model's text is reported piece by piece as ``Writing``. Raises BadInput if the submitted version hasn't
    been read, and what the model raises; what was already stored stays.
    """
    report.progress(0.0, "Reading the submitted version")
    revision = revisions.revision(revision_id)
    parsed = documents.parsed(revision.source_document_id)
    if parsed is None:
        raise BadInput(
            "The submitted version hasn't been read yet.", "Nothing was proposed.", "Compare the versions first."
        )
    paragraphs = [SourceParagraph(p.id, p.section, p.text) for p in parsed.paragraphs if p.kind in ("body", "caption")]
    comments = [reviews.comment(key) for key in comment_ids]
    queries = [Query(comment.id, comment.comment, comment.context) for comment in comments]
    ranks = rank_sources(queries, paragraphs, encoder(), report=report.part(0.05, 0.3), places=Places(parsed))
    known = generation.proposals(revision_id)

    def stored(one: Proposal) -> Proposal:
        same = (old for old in known.get(one.comment_id, ()) if _says(old) == _says(one))
        return next(same, None) or generation.save(revision_id, one)

    made = [stored(propose(c.id, c.comment, ranks[c.id], paragraphs, c.action)) for c in comments]
    if model is None:
        return ProposalsMade(tuple(made))
    report.progress(0.3, "Loading the language model")
    prompts: dict[str, Prompt] = {}

    def keep(proposal: Proposal, prompt: Prompt) -> None:
        made.append(stored(proposal))
        prompts[made[-1].id] = prompt

    wanted = [
        Wanted(
            comment.id,
            query.in_context,
            [place.paragraph_id for place in ranks[comment.id][:LIKELY]],
            comment.action or guess_action(comment.comment),
        )
        for comment, query in zip(comments, queries, strict=True)
    ]
    with closed_after(load(model)) as writer:
        answers = write(
            writer,
            wanted,
            paragraphs,
            keep,
            seed=seed,
            on_text=lambda place, piece: report.partial(Writing(wanted[place].comment_id, piece)),
            report=report.part(0.3, 1.0),
        )
    if len(answers) == 1 or (answers and not any(asked.completions for asked in answers)):
        usable(answers[0])
    made[len(comments) :] = sorted(made[len(comments) :], key=lambda one: comment_ids.index(one.comment_id))
    unusable = tuple(one.comment_id for one, asked in zip(wanted, answers, strict=True) if asked.value is None)
    return ProposalsMade(tuple(made), unusable, prompts)


def _says(proposal: Proposal) -> tuple[object, ...]:
    return proposal.origin, proposal.response, *proposal.changes
