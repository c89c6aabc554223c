"""What the job engine runs for rebuttals: a draft by a language model, and the vectors that templates are chosen by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from engine.jobs import DuplicatePolicy, Report, Task
from engine.models import shared_encoder
from engine.models.language import LanguageModel
from engine.models.library import Added, closed_after, load_language_model
from engine.rebuttal.drafting import Brief, write
from engine.rebuttal.records import Draft
from engine.rebuttal.store import RebuttalStore

if TYPE_CHECKING:
    from engine.rebuttal.fitting import Vectors


@dataclass(frozen=True, slots=True)
class DraftReply:
    """A reply to be drafted by ``model``."""

    brief: Brief
    model: Added
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Drafting:
    """A partial result: a further piece of what the model writes; an empty one starts over."""

    comment_id: str
    text: str


def draft_reply(
    store: RebuttalStore,
    params: DraftReply,
    *,
    load: Callable[[Added], LanguageModel] = partial(load_language_model, beside_window=True),
) -> Task[DraftReply, Draft]:
    """The job that has a reply drafted, and keeps the draft; what is written comes piece by piece as ``Drafting``.

    Raises (in the job) what the model raises; nothing is kept then.
    """
    return Task(
        kind="rebuttal.draft",
        title="Draft a response",
        run=partial(_draft_reply, store, load),
        params=params,
        duplicate=DuplicatePolicy.REPLACE,
        scope=f"reply:{params.brief.comment_id}",
    )


def _draft_reply(
    store: RebuttalStore, load: Callable[[Added], LanguageModel], params: DraftReply, report: Report
) -> Draft:
    report.progress(0.0, "Loading the language model")
    with closed_after(load(params.model)) as writer:
        report.progress(0.2, "Writing")
        comment = params.brief.comment_id
        report.partial(Drafting(comment, ""))
        made = write(
            writer,
            params.brief,
            seed=params.seed,
            on_text=lambda piece: report.partial(Drafting(comment, piece)),
            report=report.part(0.2, 1.0),
        )
    return store.save_draft(made)


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences with the encoder's vectors, of length 1."""

    vectors: Mapping[str, Vectors]


def encode_texts(texts: tuple[str, ...]) -> Task[tuple[str, ...], Encoded]:
    """The job that encodes sentences of templates and comments.

    Raises (in the job) EnvironmentProblem where the encoder is missing.
    """
    return Task("rebuttal.encode", "Compare comments with templates", _encode, texts, DuplicatePolicy.REPLACE)


def _encode(texts: tuple[str, ...], report: Report) -> Encoded:
    return Encoded(dict(zip(texts, shared_encoder().encode(texts, report), strict=True)))
