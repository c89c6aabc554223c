"""The Literature Searcher without a language model: keyphrases, hybrid search in the local library, reranking of the
best by their sentences, and an extractive summary of each from its abstract.

Only the library is searched; the online connectors only add papers to it.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from engine.jobs import Report
from engine.models import Embedder
from engine.papers.library import title_key
from engine.papers.retrieval import Encode, hybrid
from engine.review_drafting.anchoring import content_stems
from engine.review_drafting.records import LibraryEntry, LiteratureReport, PaperReading, RelatedWork, Search, StageInput
from engine.review_drafting.stages.keyphrases import keyphrases
from engine.reviews.sentences import split_sentences
from engine.shown import listed

PUBLISHED = Search(since=2023, queries="phrases")
"""The search of ReviewGrounder (section 4.2): papers from 2023 onward, keywords alone, reranked, the 10 best."""
_METHOD = re.compile(
    r"\b(?:we (?:propose|present|introduce|develop|use|train|apply|describe|design|build|study|investigate|examine)\w*"
    r"|(?:method|approach|model|algorithm|framework|architecture|pipeline|procedure) (?:that|which|is|based|for|to)"
    r"|based on|using)\b",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?:we (?:show|find|found|demonstrate|observe|prove|report|conclude|achieve)\w*|results? (?:show|suggest"
    r"|indicate|demonstrate)"
    r"\w*|outperform\w*|improv\w+|achiev\w+|significant\w*|state[- ]of[- ]the[- ]art|\d+(?:\.\d+)? ?%)",
    re.IGNORECASE,
)


def search_library(  # noqa: PLR0917 (shared by both ways of the stage)
    paper: PaperReading,
    phrases: Sequence[str],
    library: Sequence[LibraryEntry],
    encoder: Callable[[], Embedder] | None,
    report: Report,
    search: Search,
) -> tuple[tuple[LibraryEntry, float, bool], ...]:
    """Returns the best papers of the library, without the paper itself, with their scores and whether the paper cites
    them. ``encoder`` is called if there is something to encode; with None the search uses words alone."""
    own = title_key(paper.title)
    entries = [one for one in library if one.title and title_key(one.title) != own and one.year >= search.since]
    if not entries:
        return ()
    texts = [f"{entry.title}. {entry.abstract}".strip() for entry in entries]
    encode: Encode | None = None
    if encoder is not None:
        embedder = encoder()

        def encode(asked: Sequence[str]) -> object:  # type: ignore[misc]
            report.check()
            return embedder.encode(list(asked))

    everything = [f"{paper.title}. {paper.abstract}".strip(), *phrases]
    asked = [everything] if search.queries == "all" else [[phrase] for phrase in phrases]
    found: dict[int, float] = {}
    for queries in asked:
        fused = hybrid(queries, texts, encode)
        for n in sorted(range(len(entries)), key=lambda n: (-fused[n], n))[: search.pool]:
            if fused[n] > 0:
                found[n] = max(found.get(n, 0.0), float(fused[n]))
    pool = sorted(found, key=lambda n: (-found[n], n))
    if not pool:
        return ()
    report.check()
    top = max(found.values())
    scores = [found[n] / top for n in pool]
    if search.reranked:
        second = _reranked(paper, [texts[n] for n in pool], encode)
        scores = [(first + again) / 2 for first, again in zip(scores, second, strict=True)]
    scored = sorted(zip(scores, pool, strict=True), key=lambda item: (-item[0], item[1]))
    references = " ".join(title_key(reference) for reference in paper.references)
    kept = scored[: search.top]
    return tuple((entries[n], round(score, 4), _cited(entries[n].title, references)) for score, n in kept)


def _reranked(paper: PaperReading, texts: Sequence[str], encode: Encode | None) -> list[float]:
    """Returns for each text the average similarity, 0..1, of each sentence of the abstract to its most similar
    sentence."""
    asked = _sentences(paper.abstract) or [paper.title]
    split = [_sentences(text) or [text] for text in texts]
    if encode is None:
        wanted = [content_stems(sentence) for sentence in asked]
        return [
            float(np.mean([max(len(w & content_stems(s)) for s in sentences) / max(1, len(w)) for w in wanted]))
            for sentences in split
        ]
    vectors = encode([*asked, *chain.from_iterable(split)])
    alike = vectors[: len(asked)] @ vectors[len(asked) :].T
    ends = np.cumsum([len(sentences) for sentences in split])[:-1]
    return [float(own.max(axis=1).mean()) for own in np.split(alike, ends, axis=1)]


def found_literature(encoder: Callable[[], Embedder] | None, given: StageInput, report: Report) -> LiteratureReport:
    """Finds keyphrases by counting, and summarises by selecting sentences."""
    phrases = keyphrases(given.paper)
    found = search_library(given.paper, phrases, given.library, encoder, report, given.search)
    works = tuple(summarised(given.paper, phrases, *hit) for hit in found)
    return LiteratureReport(keyphrases=phrases, searched=len(given.library), found=works)


def summarised(
    paper: PaperReading, phrases: Sequence[str], entry: LibraryEntry, score: float, cited: bool
) -> RelatedWork:
    """Returns a found paper with its extractive summary: sentences of its abstract, none used twice."""
    sentences = _sentences(entry.abstract)
    findings = _first(sentences, _FINDING, last=True)
    methods = _first([s for s in sentences if s != findings], _METHOD)
    rest = [s for s in sentences if s not in (findings, methods)]
    return found_work(
        entry, score, cited, summary=rest[0] if rest else "", main_methods=methods, key_findings=findings,
        relation=relation(paper, phrases, entry, cited),
    )  # fmt: skip


def found_work(entry: LibraryEntry, score: float, cited: bool, **summary: str) -> RelatedWork:
    """Returns a found paper with the texts of its structured summary."""
    about = entry.model_dump(include={"title", "year", "authors"}) | summary
    return RelatedWork.model_validate(about | {"paper_id": entry.id, "score": score, "cited": cited})


def relation(paper: PaperReading, phrases: Sequence[str], entry: LibraryEntry, cited: bool) -> str:
    """Describes what both papers have in common, in a form that can be verified."""
    text = f"{entry.title} {entry.abstract}"
    stems = content_stems(text)
    shared = [phrase for phrase in phrases if content_stems(phrase) and content_stems(phrase) <= stems]
    common = f"Both mention {listed([f'“{word}”' for word in shared[:3]])}." if shared else ""
    if not common:
        words = sorted(content_stems(f"{paper.title} {paper.abstract}") & stems)
        common = f"Titles and abstracts share {len(words)} content words." if words else ""
    names = "It's in the reference list." if cited else "Its title wasn't found in the reference list."
    return f"{common} {names}".strip()


def _sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def _first(sentences: Sequence[str], pattern: re.Pattern[str], *, last: bool = False) -> str:
    fitting = [sentence for sentence in sentences if pattern.search(sentence)]
    return (fitting[-1] if last else fitting[0]) if fitting else ""


def _cited(title: str, references: str) -> bool:
    key = title_key(title)
    return len(key) > 12 and key in references
