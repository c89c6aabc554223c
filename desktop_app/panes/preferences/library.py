"""A ranked candidate as a template of the project's library. No Qt here."""

from __future__ import annotations

from engine.errors import BadInput
from engine.exchange.preference_study import Study
from engine.project import Project
from engine.rebuttal.preferences.naming import cluster_title, options
from engine.rebuttal.records import ACTIONS, Template
from engine.rebuttal.template_store import TemplateStore

LIBRARY = "Canonical by preference"


def put_into_library(project: Project, study: Study, candidate_id: str) -> str:
    """Adds the candidate with its place in the ranking, or brings that up to date; returns the library's name.

    Raises BadInput where the cluster's action is none that a template can have, or its text cannot be a template.
    """
    cluster = study.cluster
    if cluster.action not in ACTIONS:
        raise BadInput(
            f"“{cluster.action}” is no rebuttal action that a template can have.", "Nothing was added.",
            "Name the cluster's action first (F2).",
        )  # fmt: skip
    row = next(r for r in study.ranking.rows if study.items[r.item] == candidate_id)
    roots, themes = dict(options("root")), dict(options("theme"))
    store, key = TemplateStore(project), f"preference-{candidate_id}"
    before = next((template for template in store.templates(LIBRARY) if template.id == key), None)
    template = Template(
        id=key,
        action=cluster.action,
        text=study.texts[candidate_id],
        roots=(cluster.root,) if cluster.root in roots else (),
        themes=(cluster.theme,) if cluster.theme in themes else (),
        provenance=(
            f"{cluster_title(cluster)}: rank {row.rank} ({row.rank_low}–{row.rank_high}) of {len(study.items)} by"
            f" {study.ranking.comparisons} comparisons"
        ),
        version=1 if before is None else before.version + 1,
        score=row.canonicity,
    )
    store.add_templates([template], LIBRARY, f"ranking:{study.ranking.method}")
    return LIBRARY
