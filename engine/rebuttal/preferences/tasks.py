"""What the job engine runs: the central sentence of clusters, clusters out of labelled sentences, candidates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.jobs import DuplicatePolicy, Lane, Report, Task
from engine.models import Embedder, shared_encoder
from engine.project import Project
from engine.rebuttal.preferences.candidates import Head, learnt, most_central
from engine.rebuttal.preferences.sources import Linker, clusters_of, linked_answers, without_known
from engine.rebuttal.preferences.store import PreferenceStore
from engine.reviews.labels.store import LabelStore
from engine.reviews.store import ReviewStore


def extract_descriptions(
    project: Project, cluster_ids: tuple[str, ...], *, encoder: Callable[[], Embedder] = shared_encoder
) -> Task[tuple[str, ...], int]:
    """The job that finds the most central sentence of each cluster; it returns how many it kept."""
    run, scope = partial(_extract_descriptions, project, encoder), ",".join(cluster_ids[:1])
    return Task("preferences.describe", "Find central sentences", run, cluster_ids, DuplicatePolicy.REPLACE, scope)


def _extract_descriptions(
    project: Project, encoder: Callable[[], Embedder], keys: tuple[str, ...], report: Report
) -> int:
    store = PreferenceStore(project)
    report.progress(0.0, "Loading the encoder")
    model, kept = encoder(), 0
    for number, key in enumerate(keys):
        report.progress(number / len(keys), f"Cluster {number + 1} of {len(keys)}")
        sentences = store.sentences(key)
        vectors = model.encode([sentence.text for sentence in sentences], report.part(0.0, 0.0))
        found = most_central(sentences, vectors, f"model:encoder@{model.fingerprint}")
        if found is not None:
            store.keep_extract(key, found)
            kept += 1
    return kept


def answer_linker(encoder: Callable[[], Embedder], report: Report) -> Linker:
    """What each sentence of a response answers, by the untrained ranker; the encoder is loaded when first needed."""
    from engine.rebuttal.answers.evidence import link_answers

    return lambda response, comment: link_answers(response, comment, encoder(), report.part(0.5, 0.5))


def clusters_from_labels(project: Project) -> Task[str, int]:
    """The job that makes a cluster of each root and theme that labelled sentences have, with the rebuttals linked to
    them; it returns how many are new. What was made before stays as it is.
    """
    run, title = partial(_clusters_from_labels, project), "Create clusters from labelled sentences"
    path = str(project.path)
    return Task("preferences.cluster", title, run, path, DuplicatePolicy.DISCARD, "preferences", Lane.LONG)


def _clusters_from_labels(project: Project, _path: str, report: Report) -> int:
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


def find_candidates(project: Project, cluster_id: str) -> Task[str, int]:
    """The job that adds the rebuttal sentences that answer a cluster's review sentences; it returns how many candidates
    are new.
    """
    run = partial(_find_candidates, project)
    return Task("preferences.candidates", "Find candidates", run, cluster_id, DuplicatePolicy.DISCARD, cluster_id)


def _find_candidates(project: Project, key: str, report: Report) -> int:
    store = PreferenceStore(project)
    report.progress(0.1, "Looking for answers")
    before = len(store.candidates(key))
    comments = ReviewStore(project).comments()
    found = linked_answers(store.sentences(key), comments, answer_linker(shared_encoder, report))
    report.check()
    if found:
        store.add_candidates(key, found)
    return len(store.candidates(key)) - before


def suitability_head(store: PreferenceStore) -> Head:
    """The head that the decisions of this project's people make."""
    return learnt(store.decided_candidates())
