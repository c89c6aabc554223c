"""The clusters of a project as a folder in the layout of JitsuPeer: sentences, candidates, descriptions, rankings."""

from __future__ import annotations

from collections.abc import Callable, Collection

from engine.errors import BadInput
from engine.exchange.jitsupeer import write_collection
from engine.exchange.preference_study import read_study
from engine.exchange.records import Export, ExportFile, LossReport
from engine.project import Project
from engine.rebuttal.canonical.records import CanonicalCollection, CanonicalRebuttal
from engine.rebuttal.canonical.records import Cluster as Written
from engine.rebuttal.preferences.records import Cluster
from engine.rebuttal.preferences.store import PreferenceStore


def collection_of_project(project: Project, visible: Callable[[str], Collection[str]]) -> Export:
    """All clusters of a project with their rankings by PageRank, as in the paper, from the judgements of annotators
    whose work is ``visible`` in a cluster (by its key).

    A folder has one list of review sentences for a root and theme, so those of clusters that share both are joined.
    Raises BadInput where no cluster has a root and a theme.
    """
    store = PreferenceStore(project)
    groups: dict[tuple[str, str], list[Cluster]] = {}
    nameless = 0
    for cluster in store.clusters():
        if cluster.root and cluster.theme:
            groups.setdefault((cluster.root, cluster.theme), []).append(cluster)
        else:
            nameless += 1
    if not groups:
        raise BadInput(
            "No cluster has both an attitude root and a theme.", "Nothing was written.",
            "In this layout folders are named after roots and files after themes: name the clusters (F2).",
        )  # fmt: skip
    written: list[Written] = []
    canonical: list[CanonicalRebuttal] = []
    scored: list[CanonicalRebuttal] = []
    without = 0
    for (root, theme), members in groups.items():
        written.append(_joined(store, root, theme, members))
        for cluster in members:
            without += not store.candidates(cluster.id)
            study = read_study(project, cluster.id, "pagerank", visible(cluster.id))
            if not study.ranking.comparisons:
                continue
            canonical.append(CanonicalRebuttal(root, theme, cluster.action, study.texts[study.canonical]))
            scored += [
                CanonicalRebuttal(root, theme, cluster.action, study.texts[study.items[row.item]], row.score)
                for row in study.ranking.rows
            ]
    files = write_collection(CanonicalCollection(tuple(written), tuple(canonical), tuple(scored)))
    sentences = ["Judgements, intervals, thresholds and how clusters are judged have no place in this layout."]
    if len(groups) < sum(map(len, groups.values())):
        sentences.append("Review sentences of clusters with the same root and theme are one list there.")
    if without:
        sentences.append(
            f"The action of {without} clusters is not written: it stands with candidates, and they have none."
        )
    if nameless:
        sentences.append(f"{nameless} clusters without a root or a theme are left out.")
    return Export(
        tuple(
            ExportFile(
                name, text.encode("utf-8"), "text/tab-separated-values" if name.endswith(".tsv") else "text/plain"
            )
            for name, text in files.items()
        ),
        LossReport(tuple(sentences)),
    )


def _joined(store: PreferenceStore, root: str, theme: str, members: list[Cluster]) -> Written:
    """The clusters of one root and theme as the layout has them; the first description stands for all."""
    reviews = dict.fromkeys(sentence.text for cluster in members for sentence in store.sentences(cluster.id))
    candidates = [(entry.text, cluster.action) for cluster in members for entry in store.candidates(cluster.id)]
    described = (texts[-1].text for cluster in members if (texts := store.written(cluster.id)))
    extracted = (found.text for cluster in members if (found := store.extract(cluster.id)) is not None)
    description = next(described, None) or next(extracted, "")
    return Written(
        root, theme, tuple(reviews), tuple(text for text, _ in candidates), tuple(action for _, action in candidates),
        description,
    )  # fmt: skip
