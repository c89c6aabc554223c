"""Adds candidates of a ranking to the templates of rebuttals."""

from engine.errors import BadInput
from engine.exchange.preference_study import Study
from engine.project import Project
from engine.rebuttal.preferences.candidates import cluster_title, options
from engine.rebuttal.records import ACTIONS, Template
from engine.rebuttal.template_store import TemplateStore
from engine.shown import counted

LIBRARY = "Canonical by preference"


def keep_as_template(project: Project, study: Study, candidate_id: str) -> str:
    """Adds a candidate with its rank to the library, or updates its template; returns the library's name.

    Raises BadInput if templates can't have the cluster's action or the candidate's text, or it has no rank.
    """
    cluster = study.cluster
    if cluster.action not in ACTIONS:
        raise BadInput(
            f"Templates can't have the rebuttal action “{cluster.action}”.", "Nothing was added.",
            "Name the cluster's action first (F2).",
        )  # fmt: skip
    row = next(r for r in study.ranking.rows if study.items[r.item] == candidate_id)
    if row.rank is None:
        raise BadInput(
            "This candidate has no rank: no comparison connects it to the largest group.", "Nothing was added.",
            "Judge some pairs that include it.",
        )  # fmt: skip
    ranked = sum(other.rank is not None for other in study.ranking.rows)
    span = f" ({row.rank_low}–{row.rank_high})" if row.rank_low is not None else ""
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
            f"{cluster_title(cluster)}: rank {row.rank}{span} of {ranked} by"
            f" {counted(study.ranking.comparisons, 'comparison')}"
        ),
        version=1 if before is None else before.version + 1,
        score=row.canonicity,
    )
    store.add_templates([template], LIBRARY, f"ranking:{study.ranking.method}")
    return LIBRARY
