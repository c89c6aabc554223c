"""Tasks on preferences: find clusters' central sentences, build clusters from labelled sentences, find candidates."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.jobs import DuplicatePolicy, Lane, Report, task
from engine.models import Embedder, shared_encoder
from engine.project import Project
from engine.rebuttal.preferences.candidates import most_central
from engine.rebuttal.preferences.records import NewCluster, NewSentence, Sentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.records import Action
from engine.reviews.labels.records import SentenceLabels
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Comment
from engine.reviews.sentences import split_sentences
from engine.reviews.store import ReviewStore

if TYPE_CHECKING:
    from engine.rebuttal.answers.evidence import Passage

# Builds clusters and candidates from a project's own reviews: labelled sentences by root and theme, and their answers.

_PATTERNS: Mapping[Action, str] = {
    "future_work": r"\bfuture (?:work|research|stud)|\bleave (?:\w+ ){1,4}(?:for|to) (?:the )?future",
    "task_will_be_done": (
        r"\bwill (?:\w+ )?(?:add|includ|revis|updat|clarif|correct|fix|mention|discuss|report|rewrit|rephras|provid|"
        r"conduct|releas|cit|extend|compar|chang|remov|make)|\bplan to\b|\bcamera[- ]ready\b"
    ),
    "task_done": (
        r"\b(?:have|has|had|were|was|now) (?:\w+ ){0,2}(?:added|included|revised|updated|clarified|corrected|fixed|"
        r"rewritten|rephrased|provided|conducted|released|cited|extended|changed|removed|moved|run)\b|"
        r"\bwe (?:\w+ )?(?:added|included|revised|updated|corrected|fixed|rewrote|conducted)\b"
    ),
    "reject_request": (
        r"\b(?:cannot|can not|unable to|not (?:possible|feasible)|beyond (?:the|our) (?:scope|means)|"
        r"out(?:side)? (?:of )?(?:the )?scope|do not (?:plan|intend))\b"
    ),
    "reject_criticism": r"\bdisagree|\bnot (?:the case|true|accurate|a (?:fair|valid))",
    "mitigate_criticism": (
        r"\b(?:although|while|even though|despite|nevertheless|nonetheless|still|however)\b.*"
        r"\b(?:limit|weak|small|simple|minor|strong|only)"
    ),
    "concede_criticism": (
        r"\bagree\b|\b(?:acknowledge|admit|concede|apologi[sz]e)|\bsorry\b|\byou are right\b|\bgood point\b|"
        r"\bindeed (?:a )?(?:unclear|limitation|weakness)"
    ),
    "thanks": r"\b(?:thank|thanks|grateful|appreciate)\b",
    "answer": (
        r"\b(?:yes|no),|\bbecause\b|\bthe reason\b|\bto (?:answer|clarify)\b|\brefers? to\b|\bmeans? that\b|"
        r"\bwe (?:use|used|chose|choose|follow|compute|train|set|define)"
    ),
}
"""Hand-written rules; the first that matches decides. The interface says that they are rules."""
_ACTS = tuple((action, re.compile(pattern, re.IGNORECASE)) for action, pattern in _PATTERNS.items())


Linker = Callable[[Sequence["Passage"], Sequence["Passage"]], Sequence[Collection[int]]]
"""Returns for each sentence of a response the indices of the comment's sentences that it answers."""


def action_of(text: str) -> Action | None:
    """Returns the rebuttal action that a sentence's wording indicates, or None."""
    return next((action for action, pattern in _ACTS if pattern.search(text)), None)


def answers(comment: Comment) -> tuple[NewSentence, ...]:
    """Returns the sentences of a comment's response, with their positions if the response has one span."""
    first = comment.response_spans[0] if len(comment.response_spans) == 1 else None
    exact = first is not None and first.end - first.start == len(comment.response)
    found = []
    for span in split_sentences(comment.response):
        text = " ".join(comment.response[span.start : span.end].split())
        place = (first.start + span.start, first.start + span.end) if first is not None and exact else ()
        found += [NewSentence(text, comment.source_id, *place)] if text else []
    return tuple(found)


def passages(text: str) -> "tuple[Passage, ...]":
    """Returns the sentences of a text with the white space after each."""
    from engine.rebuttal.answers.evidence import Passage

    spans = split_sentences(text)
    ends = [*(span.start for span in spans[1:]), len(text)]
    return tuple(
        Passage(" ".join(text[span.start : span.end].split()), text[span.end : end] or " ")
        for span, end in zip(spans, ends, strict=True)
        if text[span.start : span.end].strip()
    )


def linked_answers(
    sentences: Sequence[Sentence | NewSentence], comments: Iterable[Comment], linker: Linker | None = None
) -> tuple[NewSentence, ...]:
    """Returns the rebuttal sentences that answer a cluster's review sentences: responses to comments that overlap with
    a sentence, or share its wording if the review and the letter are separate texts. For comments of several sentences
    the ``linker`` says which of them each rebuttal sentence answers; without it the whole response counts."""
    places = [(s.source_id, s.start, s.end) for s in sentences if s.start is not None and s.end is not None]
    words = {_plain(s.text) for s in sentences} - {""}
    found: dict[str, NewSentence] = {}
    for comment in comments:
        if not comment.response.strip():
            continue
        meets = any(
            source == comment.source_id and start < span.end and span.start < end
            for source, start, end in places
            for span in comment.spans
        )
        asked = _plain(comment.comment)
        if meets or any(text in asked or asked in text for text in words):
            said = answers(comment)
            for number in _kept(comment, words, len(said), linker):
                found.setdefault(said[number].text, said[number])
    return tuple(found.values())


def _kept(comment: Comment, words: set[str], said: int, linker: Linker | None) -> Iterable[int]:
    """Returns which sentences of the response answer those sentences of the comment that are in the cluster."""
    asked = passages(comment.comment)
    wanted = {n for n, one in enumerate(asked) if any(t in _plain(one.text) or _plain(one.text) in t for t in words)}
    if linker is None or len(asked) < 2 or not wanted:
        return range(said)
    linked = linker(passages(comment.response), asked)
    return [number for number in range(said) if wanted & set(linked[number])]


def clusters_of(
    labelled: Iterable[tuple[str, SentenceLabels]], comments: Sequence[Comment], linker: Linker | None = None
) -> tuple[NewCluster, ...]:
    """Builds clusters from ``labelled`` sentences (text, labels): those with an aspect that aren't positive, by root
    and theme, and within each the linked rebuttal sentences by action. A group without enough answers becomes one
    cluster without candidates. Groups of a single sentence are left out."""
    groups: dict[tuple[str, str], dict[str, NewSentence]] = {}
    for text, labels in labelled:
        if labels.aspect is None or labels.polarity == "positive":
            continue
        plain = " ".join(text.split())
        for theme in labels.themes or ("overall",):
            sentence = NewSentence(plain, labels.source_id, labels.span.start, labels.span.end)
            groups.setdefault((labels.aspect, theme), {}).setdefault(plain, sentence)
    found = []
    for (root, theme), sentences in sorted(groups.items()):
        if len(sentences) < 2:
            continue
        by_action: dict[str, list[NewSentence]] = {}
        for answer in linked_answers(tuple(sentences.values()), comments, linker):
            by_action.setdefault(action_of(answer.text) or "", []).append(answer)
        kept = {action: texts for action, texts in by_action.items() if action and len(texts) > 1}
        for action, texts in sorted(kept.items()) or [("answer", [])]:
            found.append(NewCluster(root, theme, action, tuple(sentences.values()), tuple(texts)))
    return tuple(found)


def without_known(made: Iterable[NewCluster], known: Mapping[tuple[str, str, str], object]) -> tuple[NewCluster, ...]:
    """Returns those whose root, theme and action no cluster of the project has yet."""
    return tuple(new for new in made if (new.root, new.theme, new.action) not in known)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


@task(
    "preferences.describe",
    "Find central sentences",
    DuplicatePolicy.REPLACE,
    lambda cluster_ids, **_: ",".join(cluster_ids[:1]),
)
def extract_descriptions(
    report: Report, project: Project, cluster_ids: tuple[str, ...], *, encoder: Callable[[], Embedder] = shared_encoder
) -> int:
    """Finds and stores the most central sentence of each cluster; returns how many were stored."""
    store = PreferenceStore(project)
    report.progress(0.0, "Loading the encoder")
    model, kept = encoder(), 0
    for number, key in enumerate(cluster_ids):
        report.progress(number / len(cluster_ids), f"Cluster {number + 1} of {len(cluster_ids)}")
        sentences = store.sentences(key)
        vectors = model.encode([sentence.text for sentence in sentences], report.part(0.0, 0.0))
        found = most_central(sentences, vectors, f"model:encoder@{model.fingerprint}")
        if found is not None:
            store.keep_extract(key, found)
            kept += 1
    return kept


def answer_linker(encoder: Callable[[], Embedder], report: Report) -> Linker:
    """Returns a linker that uses the untrained ranker; the encoder is loaded when first needed."""
    from engine.rebuttal.answers.evidence import link_answers

    return lambda response, comment: link_answers(response, comment, encoder(), report.part(0.5, 0.5))


@task(
    "preferences.cluster", "Create clusters from labelled sentences", DuplicatePolicy.DISCARD, "preferences", Lane.LONG
)
def clusters_from_labels(report: Report, project: Project) -> int:
    """Creates a cluster for each root and theme of the labelled sentences, with the rebuttal sentences linked to them;
    returns how many are new. Existing clusters aren't changed."""
    report.progress(0.1, "Reading labelled sentences")
    store, labels, reviews = PreferenceStore(project), LabelStore(project), ReviewStore(project)
    labelled = [
        (text.text[one.span.start : one.span.end], one) for text in reviews.texts() for one in labels.read(text.id)
    ]
    report.progress(0.5, "Looking for their answers")
    made = clusters_of(labelled, reviews.comments(), answer_linker(shared_encoder, report))
    known = {(c.root, c.theme, c.action): c for c in store.clusters()}
    fresh = without_known(made, known)
    report.check()
    if fresh:
        store.add_clusters(fresh, origin="person")
    return len(fresh)


@task("preferences.candidates", "Find candidates", DuplicatePolicy.DISCARD, "{cluster_id}")
def find_candidates(report: Report, project: Project, cluster_id: str) -> int:
    """Adds the rebuttal sentences that answer a cluster's review sentences; returns how many candidates are new."""
    store = PreferenceStore(project)
    report.progress(0.1, "Looking for answers")
    before = len(store.candidates(cluster_id))
    comments = ReviewStore(project).comments()
    found = linked_answers(store.sentences(cluster_id), comments, answer_linker(shared_encoder, report))
    report.check()
    if found:
        store.add_candidates(cluster_id, found)
    return len(store.candidates(cluster_id)) - before
