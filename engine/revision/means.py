"""Prepares the inputs of a strategy from an open project and the user's models."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from engine.documents.store import DocumentStore
from engine.errors import not_computed
from engine.models import Embedder
from engine.models.folders import ModelKind
from engine.models.language import LanguageModel
from engine.models.library import Added, AddedFolder, closed_after
from engine.revision.aligners import STRATEGIES, Means, Need
from engine.revision.differences import added_text, word_changes
from engine.revision.generation.records import FRAMES, Change
from engine.revision.generation.store import GenerationStore
from engine.revision.store import RevisionStore

MODEL_KINDS: Mapping[str, ModelKind] = {
    "bi-encoder": "encoder",
    "cross-encoder": "reranker",
    "llm-pairwise": "language model",
    "llm-pairwise-1-shot": "language model",
    "llm-multi-edit": "language model",
}
"""The strategies that use one of the user's models, and the kind of model."""
_WHERE: Mapping[ModelKind, str] = {
    "encoder": "add an encoder in Models",
    "reranker": "add a cross-encoder in Models",
    "language model": "add a language model in Models",
    "sequence to sequence": "add a model in Models",
}
YARDSTICKS = frozenset({"random", "human"})
"""Strategies for comparison only, which make no suggestions."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to make suggestions: a strategy with its model. ``lacks`` says why it can't run now."""

    strategy: str
    title: str
    model: Added | None = None
    lacks: str = ""


def choices(models: tuple[Added, ...], *, encoder: bool, proposals: bool) -> tuple[Choice, ...]:
    """Returns all ways to make suggestions, one for each suitable model, with what is missing if anything is.
    ``encoder``: the bundled one is installed; ``proposals``: edits were proposed for some comment."""
    found: list[Choice] = []
    for entry in STRATEGIES.values():
        if entry.id in YARDSTICKS:
            continue
        kind = MODEL_KINDS.get(entry.id)
        if kind is None:
            there: dict[Need, bool] = {"encoder": encoder, "generated edits": proposals}
            lacks: dict[Need, str] = {
                "encoder": "the bundled encoder is not installed",
                "generated edits": "have edits proposed first",
            }
            found.append(Choice(entry.id, entry.title, lacks=next((lacks[n] for n in entry.needs if not there[n]), "")))
            continue
        fitting = [model for model in models if model.kind == kind]
        for model in fitting:
            gone = isinstance(model, AddedFolder) and not model.there
            found.append(Choice(entry.id, f"{entry.title}: {model.title}", model, "its folder is gone" if gone else ""))
        if not fitting:
            found.append(Choice(entry.id, entry.title, lacks=_WHERE[kind]))
    return tuple(found)


@contextmanager
def project_means(
    strategy: str,
    model: Added | None,
    *,
    use_responses: bool,
    encoder: Callable[[], Embedder],
    load: Callable[[Added], LanguageModel],
    generated: Callable[[], Mapping[str, str]],
) -> Iterator[Means]:
    """Yields the inputs of a strategy; a model's process or connections are closed afterwards.

    Raises:
        BadInput: the strategy needs a model, and none of its kind was given.
        EnvironmentProblem: something required isn't installed.
    """
    entry = STRATEGIES.get(strategy)
    needs: tuple[Need, ...] = entry.needs if entry else ()
    kind = MODEL_KINDS.get(strategy)
    if entry is not None and kind is not None and (model is None or model.kind != kind):
        raise not_computed(f"“{entry.title}” needs a different kind of model.", f"Please {_WHERE[kind]}.")
    with closed_after(load(model) if model is not None and "language model" in needs else None) as writer:
        yield Means(
            use_responses=use_responses,
            embedder=encoder() if "encoder" in needs else None,
            model_folder=model.folder if isinstance(model, AddedFolder) and "model folder" in needs else None,
            language_model=writer,
            generated=(generated() or None) if "generated edits" in needs else None,
            beside_window=True,
        )


def generated_edits(
    generation: GenerationStore, documents: DocumentStore, revisions: RevisionStore, revision_id: str
) -> dict[str, str]:
    """Returns what each comment's proposal adds to the paper: a language model's newest, otherwise that of the
    frames."""
    parsed = documents.parsed(revisions.revision(revision_id).source_document_id)
    texts = {paragraph.id: paragraph.text for paragraph in parsed.paragraphs} if parsed else {}
    found = {}
    for comment, proposals in generation.proposals(revision_id).items():
        best = next((p for p in proposals if p.origin != FRAMES), proposals[0])
        found[comment] = "\n".join(_new_words(change, texts) for change in best.changes)
    return {comment: text for comment, text in found.items() if text.strip()}


def _new_words(change: Change, texts: Mapping[str, str]) -> str:
    if change.placement == "after" or change.paragraph_id not in texts:
        return change.text
    return added_text(word_changes(texts[change.paragraph_id], change.text))
