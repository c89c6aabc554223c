"""RATE and MERIT, as far as published: a reviewer's papers become one text that is compared with the submission.

RATE (Liu et al. 2026) is known from its abstract, MERIT's retriever (Yang et al. 2026) from its abstract and the README
files of its release: docs/methods-similarity-trained.md separates these from our own interpretation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np

from engine.errors import BadInput, not_computed
from engine.expertise.algorithms.base import AlgorithmInfo, Evidence, Scores, Vectors, profile_without
from engine.expertise.algorithms.encoder import encode_papers
from engine.expertise.algorithms.paperwise import EXPLAINED, sentence_pairs
from engine.expertise.algorithms.pooling import Pooling
from engine.expertise.algorithms.words import paper_text
from engine.expertise.records import REPRESENTATIONS, PaperText, Representation
from engine.jobs import QuietReport, Report
from engine.models import Embedder, EmbeddingCache, load_encoder, local_encoder, shared_encoder
from engine.models.folders import inspect_folder
from engine.models.language import LanguageModel, Message, Prompt, UnusableAnswer, context_of
from engine.models.library import ModelLibrary, closed_after, load_language_model
from engine.models.objects import ask_objects
from engine.models.prompts import FENCE_TOKENS, cut, fence_rule, fenced, shipped_prompt, tokens_in
from engine.models.questions import usable_or_raise

Parts = Mapping[str, tuple[str, ...]]
"""What each paper adds to the text of a profile."""
KEYWORDS_USE = "expertise-keywords"
"""The name of the keyword-writing task in the list of models."""
_KEYWORD_TOKENS = 300


class Rate:
    """Compares with keywords of all papers of a profile, written by a language model, as one text."""

    def __init__(self, embedder: Embedder, prompts: tuple[str, str], language: LanguageModel) -> None:
        """``prompts`` are prepended to submissions and profiles (``embedding_model``). ``language`` is closed after it
        has read the profiles' papers; it isn't given any submission."""
        self._embedder, self._prompts, self._language = embedder, prompts, language
        names = (("encoder", embedder.fingerprint), ("language model", f"{language.info.id} {language.info.version}"))
        self.info = AlgorithmInfo("rate", "1", names, REPRESENTATIONS[:2])

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> ProfileScorer:
        texts = {key: paper_text(paper, representation) for key, paper in papers.items()}
        report.progress(1.0)

        written: dict[str, tuple[str, ...]] = {}

        def write(keys: Sequence[str], report: Report) -> Parts:
            new = [key for key in keys if key not in written]
            try:
                with closed_after(self._language) as language:
                    keywords = keywords_of(language, [texts[key] for key in new], report)
            except UnusableAnswer:
                if not written:
                    raise
                keywords = {}
            # A paper without a usable answer is represented by its title.
            written.update({key: keywords.get(texts[key]) or (papers[key].title or texts[key],) for key in new})
            return written

        return ProfileScorer(self._embedder, self._prompts, texts, write, None)


class Merit:
    """Compares with the ``closest`` papers of a profile to each submission, with title and abstract, as one text."""

    def __init__(self, embedder: Embedder, prompts: tuple[str, str], closest: int = 3) -> None:
        self._embedder, self._prompts, self._closest = embedder, prompts, closest
        parameters = (("encoder", embedder.fingerprint), ("papers", str(closest)))
        self.info = AlgorithmInfo("merit", "1", parameters, REPRESENTATIONS[:2])

    def read(self, papers: Mapping[str, PaperText], representation: Representation, *, report: Report) -> ProfileScorer:
        texts = {key: paper_text(paper, representation) for key, paper in papers.items()}
        report.progress(1.0)

        def write(keys: Sequence[str], _report: Report) -> Parts:
            return {key: (texts[key],) for key in keys}

        return ProfileScorer(self._embedder, self._prompts, texts, write, self._closest)


class ProfileScorer:
    """Cosine of a submission and the text of a profile, which is built during scoring, since it depends on both."""

    def __init__(
        self,
        embedder: Embedder,
        prompts: tuple[str, str],
        texts: Mapping[str, str],
        write: Callable[[Sequence[str], Report], Parts],
        closest: int | None,
    ) -> None:
        """``write`` returns what papers add to the text of a profile; equal parts are used once. ``closest``: number of
        profile papers in the text, None for all."""
        self._embedder, (self._query, self._document) = embedder, prompts
        self._texts, self._write, self._closest = texts, write, closest

    def score(self, profiles: Mapping[str, Sequence[str]], submissions: Sequence[str], *, report: Report) -> Scores:
        known = [self._known(papers) for papers in profiles.values()]
        papers = list(dict.fromkeys(key for own in known for key in own))
        parts = self._write(papers, report.part(0.0, 0.4))
        queries = self._queries(submissions, report.part(0.4, 0.5))
        alone = [(key,) for key in papers] if self._closest is not None else []
        single = self._documents(parts, alone, report.part(0.5, 0.7))
        chosen = [self._chosen(own, submissions, queries, single) for own in known]
        documents = self._documents(parts, (one for row in chosen for one in row), report.part(0.7, 1.0))
        scores = np.full((len(known), len(submissions)), np.nan)
        for row, own in enumerate(chosen):
            there = [column for column, one in enumerate(own) if one]
            if there:
                vectors = np.stack([documents[own[column]] for column in there])
                scores[row, there] = np.einsum("nd,nd->n", vectors, queries[there])
        report.progress(1.0)
        return scores

    def explain(self, profile: Sequence[str], submission: str) -> tuple[Evidence, ...]:
        """Returns the papers in the text, by each one's similarity to the submission, with keywords or passages."""
        quiet, known = QuietReport(), self._known(profile)
        parts, queries = self._write(known, quiet), self._queries([submission], quiet)
        single = self._documents(parts, [(key,) for key in known], quiet)
        ((*papers,),) = self._chosen(known, [submission], queries, single)
        alike = np.array([single[key,] @ queries[0] for key in papers])
        found = sorted(zip(papers, Pooling("mean").shares(alike), strict=True), key=lambda item: -item[1])
        if self._closest is None:
            return tuple(Evidence(key, float(share), (), parts[key]) for key, share in found)
        explained = {
            key: sentence_pairs(self._texts[submission], self._texts[key], self._embedder.encode)
            for key, _ in found[:EXPLAINED]
        }
        return tuple(Evidence(key, float(share), explained.get(key, ())) for key, share in found)

    def _known(self, papers: Sequence[str]) -> list[str]:
        return [key for key in dict.fromkeys(papers) if self._texts[key]]

    def _chosen(
        self,
        papers: Sequence[str],
        submissions: Sequence[str],
        queries: Vectors,
        single: Mapping[tuple[str, ...], Vectors],
    ) -> list[tuple[str, ...]]:
        """Returns, for each submission, the papers whose text it is compared with; never the submission itself."""
        if self._closest is None or not papers:
            return [profile_without(papers, key) for key in submissions]
        order = np.argsort(-np.stack([single[key,] for key in papers]) @ queries.T, axis=0, kind="stable").T
        return [
            tuple(papers[at] for at in best if papers[at] != key)[: self._closest]
            for best, key in zip(order, submissions, strict=True)
        ]

    def _queries(self, submissions: Sequence[str], report: Report) -> Vectors:
        texts = [self._texts[key] for key in submissions]
        return encode_papers(self._embedder, [text and self._query + text for text in texts], report)

    def _documents(
        self, parts: Parts, wanted: Iterable[tuple[str, ...]], report: Report
    ) -> dict[tuple[str, ...], Vectors]:
        """Returns the vectors of the texts of groups of papers."""
        keys = [key for key in dict.fromkeys(wanted) if key]
        texts = []
        for papers in keys:
            once: dict[str, str] = {}
            for part in (part for key in papers for part in parts[key]):
                once.setdefault(part.casefold(), part)
            texts.append(self._document + (", " if self._closest is None else "\n\n").join(once.values()))
        return dict(zip(keys, encode_papers(self._embedder, texts, report), strict=True)) if keys else {}


def keywords_of(language: LanguageModel, texts: Sequence[str], report: Report) -> dict[str, tuple[str, ...]]:
    """Returns at most five keywords for each text with a usable answer. Raises UnusableAnswer if there is none at all,
    Cancelled, and EnvironmentProblem if the model isn't available."""
    from pydantic import Field, create_model

    words = Annotated[list[Annotated[str, Field(min_length=3, max_length=50)]], Field(min_length=3, max_length=5)]
    shape = create_model("Keywords", keywords=(words, ...))
    system = Message("system", f"{shipped_prompt('review-keywords')}\n\n{fence_rule()}")
    room = context_of(language) - _KEYWORD_TOKENS - tokens_in(system.content) - 2 * FENCE_TOKENS
    unique = list(dict.fromkeys(texts))
    asked = [
        (
            Prompt((system, Message("user", fenced("The paper", cut(text, room)))), _KEYWORD_TOKENS, reasoning="off"),
            shape,
        )
        for text in unique
    ]
    answers = ask_objects(language, asked, report=report, words="papers with keywords")
    usable_or_raise(answers)
    return {
        text: tuple(dict.fromkeys(" ".join(word.split()) for word in answer.value.model_dump()["keywords"]))
        for text, answer in zip(unique, answers, strict=True)
        if answer.value is not None
    }


def keyword_writer(*, beside_window: bool = False) -> LanguageModel:
    """Returns the language model chosen for keywords. Raises BadInput if there is none."""
    entry = ModelLibrary().chosen(KEYWORDS_USE)
    if entry is None:
        raise not_computed(
            "RATE needs a language model to write the keywords of papers.",
            "Add one in the Models pane, or choose one there for Expertise.",
        )
    return load_language_model(entry, beside_window=beside_window)


def embedding_model(
    folder: Path, *, fast: bool = False, cache: EmbeddingCache | None = None, beside_window: bool = False
) -> tuple[Embedder, tuple[str, str]]:
    """Returns a folder's embedding model and its prompts for queries and documents. Raises BadInput for a folder of
    another kind, or one that ``inspect_folder`` refuses."""
    try:
        report = inspect_folder(folder)
    except BadInput as problem:
        raise not_computed(problem.what, problem.do) from problem
    if report.kind != "encoder" or not [*folder.glob("*.safetensors"), *folder.glob("0_Transformer/*.safetensors")]:
        raise not_computed(
            f"{folder.name} contains a {report.kind}, not an embedding model as safetensors.",
            "Choose a folder in the sentence-transformers layout, with modules.json and its own weights.",
        )
    model = local_encoder(folder)
    embedder = shared_encoder(model, None) if beside_window else load_encoder(model, fast=fast, cache=cache)
    return embedder, _prompts(folder)


def _prompts(folder: Path) -> tuple[str, str]:
    file = folder / "config_sentence_transformers.json"
    try:
        said = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        prompts = {} if said.get("default_prompt_name") else dict(said.get("prompts") or {})
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise not_computed(f"{file.name} in {folder.name} can't be read ({error}).", "Copy it again.") from error
    # The model itself prepends a default prompt to every text.
    return str(prompts.get("query") or ""), str(prompts.get("document") or "")
