# ruff: noqa: S608 (only names of tables of the released schema are put into statements)
"""The content of a work package's file: selected rows in an empty project, with names and roles changed."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.documents.codec import decode, encode
from engine.errors import BadInput
from engine.operations.share import without_addresses, without_paths
from engine.packages.records import ADJUDICATIONS, DECISIONS, DONE, Package, Round, Task
from engine.packages.store import PACKAGE, WorkStore
from engine.papers.pdf_metadata import author_block, pdf_paper
from engine.project import Project, new_id, now
from engine.project.database import connect, transaction
from engine.project.excerpt import Changed, Excerpt, write_excerpt
from engine.reviews.anonymity import hide

_CARRIED: Mapping[Task, frozenset[str]] = {
    "papers": frozenset(
        {"paper", "document", "paper_version", "parsed_document", "blob", "revision", "edit", "source_text",
         "comment_span"}
    ),
    "sentences": frozenset({"paper", "source_text"}),
    "pairs": frozenset({"preference_cluster", "cluster_sentence", "rebuttal_candidate"}),
    "survey": frozenset({"study", "library_paper", "blob"}),
}  # fmt: skip
"""The tables in a package besides decisions, by task; "reviews" uses those of "papers"."""
_WORK = frozenset({"work_round", "work_package"})
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "paper": ("title", "abstract"), "document": ("title", "filename"),
    "source_text": ("title", "reviewer", "text", "fields"),
    "comment": ("reviewer", "comment", "context", "response", "extra"),
    "edit": ("source_text", "target_text", "section"),
    "cluster_sentence": ("text",), "rebuttal_candidate": ("text",), "library_paper": ("title", "abstract", "link"),
}  # fmt: skip
"""The columns in which names are blacked out."""
PAPER_OF = "coalesce(t.paper_id, (SELECT id FROM paper WHERE (SELECT count(*) FROM paper) = 1))"
"""SQL for the paper of a text ``t``; texts without one belong to the only paper."""
_TRACES = ("origin", "filename", "parameters", "columns")


def write_content(project: Project, made: Round, package: Package, target: Path) -> None:
    task, person = made.task, package.annotator_id
    carried = _CARRIED["papers" if task == "reviews" else task] | {*DECISIONS[task], *_WORK}
    if package.role != "annotator":
        carried |= set(ADJUDICATIONS[task])
    tables = {row[0] for row in project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    papers, texts = _places(project, task, package.items)
    hidden = names_to_hide(project, task, package.items, made.settings.names) if made.settings.hide_authors else ()
    everybody = WorkStore(project).packages(made.id)
    seen = {person} if package.role == "annotator" else {person, *(one.annotator_id for one in everybody)}
    excerpt = Excerpt(
        person,
        papers,
        unwritten=tables - carried,
        rows=_rows_that_go(project, made, package, texts, seen),
        files=not made.settings.hide_authors,
        changed=_changes(made, package, seen, hidden),
        rename=lambda found: _numbered(found, person, made.annotator_id),
    )
    write_excerpt(project.path, target, excerpt)
    with closing(connect(target)) as connection, transaction(connection, "IMMEDIATE"):
        _finish(connection.execute, made, package, person)


def _places(project: Project, task: Task, items: Sequence[str]) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Returns the papers and texts that contain the items, in order; None instead of all papers."""
    if task in {"pairs", "survey"}:
        return None, ()
    of = {row[0]: row[1] for row in project.query(f"SELECT id, {PAPER_OF} FROM source_text t ORDER BY position, id")}
    everything = {row[0] for row in project.query("SELECT id FROM paper")}
    if task == "papers":
        texts = tuple(text for item in items for text, paper in of.items() if paper == item)
        papers = tuple(items)
    else:
        texts = tuple(dict.fromkeys(item.split(":")[0] for item in items))
        papers = tuple(dict.fromkeys(paper for text in texts if (paper := of.get(text))))
    return (None if set(papers) == everything else papers), texts


def _rows_that_go(
    project: Project, made: Round, package: Package, texts: Collection[str], seen: Collection[str]
) -> dict[str, set[str]]:
    """Returns the rows to leave out: decisions that the recipient must not see, and material of items that aren't
    theirs."""
    gone: dict[str, set[str]] = {}

    def drop(table: str, where: str, *values: Any) -> None:
        gone.setdefault(table, set()).update(
            row[0] for row in project.query(f'SELECT id FROM "{table}" WHERE {where}', values)
        )

    def listed(keys: Collection[str]) -> str:
        return json.dumps(sorted(keys))

    inside = "IN (SELECT value FROM json_each(?))"
    for table in (*DECISIONS[made.task], *ADJUDICATIONS[made.task]):
        theirs = " AND origin = 'person'" if table == "comment" else ""
        drop(table, f"annotator_id NOT {inside}{theirs}", listed(seen))
    if package.role == "adjudicator":  # an adjudicator sees only their own earlier adjudications
        for table in ADJUDICATIONS[made.task]:
            drop(table, "annotator_id <> ?", package.annotator_id)
    drop("work_round", "id <> ?", made.id)
    drop("work_package", "id <> ?", package.id)
    if made.task in {"papers", "reviews", "sentences"}:
        drop("source_text", f"id NOT {inside}", listed(texts))
    if made.settings.hide_authors:
        drop("edit", "\"group\" = 'authors'")
    if made.task == "sentences":
        drop("sentence_label", "imported")
    if made.task == "pairs":
        wanted = {key for item in package.items for key in item.split(":")}
        drop("rebuttal_candidate", f"id NOT {inside}", listed(wanted))
        drop(
            "preference_cluster",
            f"id NOT IN (SELECT cluster_id FROM rebuttal_candidate WHERE id {inside})", listed(wanted),
        )  # fmt: skip
    if made.task == "survey":
        drop("library_paper", f"id NOT {inside}", listed(package.items))
        drop("study", "id <> (SELECT id FROM study WHERE side = 'organiser' ORDER BY position, id LIMIT 1)")
        everybody = [package] if package.role == "annotator" else WorkStore(project).packages(made.id)
        drop("participant", f"person_key NOT {inside}", listed([one.id for one in everybody]))
    return gone


def _changes(
    made: Round, package: Package, seen: Collection[str], names: tuple[str, ...]
) -> dict[tuple[str, str], Changed]:
    changed: dict[tuple[str, str], Changed] = {("*", column): without_paths for column in _TRACES}
    changed["*", "origin"] = without_addresses
    changed["*", "annotator_id"] = lambda key: key if key in seen else made.annotator_id
    for column in ("first_annotator_id", "second_annotator_id"):
        changed["adjudication", column] = changed["*", "annotator_id"]
    if package.role == "annotator":
        changed["study", "side"] = lambda _side: "participant"
    else:
        changed["participant", "name"] = lambda _name: ""
    changed["preference_cluster", "team"] = lambda _team: "[]"
    changed["preference_cluster", "schedule"] = lambda _schedule: "exhaustive"
    changed["preference_cluster", "overlap"] = lambda _share: 1.0
    changed["preference_cluster", "basis"] = lambda _basis: "all"
    changed["cluster_sentence", "source_id"] = changed["rebuttal_candidate", "source_id"] = lambda _key: ""
    changed["work_round", "settings"] = lambda settings: json.dumps(
        {key: value for key, value in json.loads(settings).items() if key != "names"}
    )
    changed["work_package", "held"] = lambda _held: "[]"
    if package.role != "annotator":
        changed["work_round", "training"] = lambda _training: "[]"
    if made.settings.hide_authors:
        for table, columns in _TEXTS.items():
            changed |= {(table, column): lambda text: _hidden(text, names) for column in columns}
        changed["document", "filename"] = lambda _name: "paper.pdf"
        changed["*", "origin"] = lambda origin: "import:file" if str(origin).startswith("import:") else origin
        changed["library_paper", "authors"] = lambda _authors: "[]"
        changed["library_paper", "text_sha256"] = lambda _text: ""
        changed["parsed_document", "content"] = lambda content: _hidden_document(content, names)
    return changed


def _hidden(text: Any, names: tuple[str, ...]) -> Any:
    """Returns a text, or a JSON list of texts, with names blacked out."""
    if not isinstance(text, str) or text[:1] not in "[{":
        return hide(text, names) if isinstance(text, str) else text
    try:
        document = json.loads(text)
    except ValueError:
        return hide(text, names)

    def inside(value: Any) -> Any:
        if isinstance(value, list):
            return [inside(one) for one in value]
        return hide(value, names) if isinstance(value, str) else value

    return json.dumps(inside(document), ensure_ascii=False) if isinstance(document, list) else hide(text, names)


def _hidden_document(content: bytes, names: tuple[str, ...]) -> bytes:
    parsed = decode(content)
    block = author_block(parsed)

    def hidden(place: int, text: str) -> str:
        return "█" * len(text) if place in block else hide(text, names)

    paragraphs = tuple(
        replace(p, text=hidden(place, p.text), raw=hidden(place, p.raw), section=hide(p.section, names))
        for place, p in enumerate(parsed.paragraphs)
    )
    return encode(replace(parsed, title=hide(parsed.title, names), paragraphs=paragraphs, warnings=()))


def names_to_hide(project: Project, task: Task, items: Sequence[str], given: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the names to hide: those given, those in rebuttals, and the authors found in the PDFs. Raises BadInput if
    no name at all is known and a paper's PDF doesn't show its authors, since its text might name them."""
    names = [*given]
    for row in project.query("SELECT names FROM rebuttal_plan"):
        names += json.loads(row[0])
    papers, _ = _places(project, task, items)
    if task in {"papers", "reviews"}:
        for paper, title, content in project.query(
            "SELECT p.id, p.title, d.content FROM paper p JOIN paper_version v ON v.paper_id = p.id"
            " JOIN document o ON o.id = v.document_id JOIN parsed_document d ON d.sha256 = o.sha256"
        ):
            if papers is not None and paper not in papers:
                continue
            found = pdf_paper(decode(bytes(content))).authors
            if not found and not names:
                raise BadInput(
                    f"Rejoinder doesn't know who wrote “{title}”.", "Nothing was created: the text could name them.",
                    "Enter the names to hide, or don't hide authors.",
                )  # fmt: skip
            names += found
    return tuple(dict.fromkeys(name for name in names if name.strip()))


def _numbered(names: Mapping[str, str], person: str, lead: str) -> dict[str, str]:
    """Returns the names in a package: the recipient's own, and "Lead" or numbers for everyone else."""
    found = {person: names[person]} if person in names else {}
    number = 0
    for key in names:
        if key == person:
            continue
        number += key != lead
        name = "Lead" if key == lead else f"Annotator {number}"
        found[key] = name if name != found.get(person) else f"{name} (another)"
    return found


def _finish(execute: Callable[..., Any], made: Round, package: Package, person: str) -> None:
    """Adds what only a package has: its mark, the order of items, and rows to fill in."""
    moment = now()
    execute("INSERT INTO project_info(key, value) VALUES (?, ?)", (PACKAGE, package.id))
    execute("UPDATE project_info SET value = ? WHERE key = 'title'", (made.title,))
    order = list(dict.fromkeys(item.split(":")[0] for item in package.items))
    table = {"papers": "paper", "reviews": "source_text", "sentences": "source_text", "survey": ""}.get(made.task, "")
    for position, key in enumerate(order, start=1) if table else ():
        execute(f'UPDATE "{table}" SET position = ? WHERE id = ?', (position, key))
    if table == "source_text":  # papers in the order of their first text; those without texts for this person last
        first = "SELECT min(position) FROM source_text t WHERE t.paper_id = paper.id"
        execute(f"UPDATE paper SET position = coalesce(({first}), position + ?)", (len(order),))
    if made.task in DONE and package.role != "annotator":
        kind, table = DONE[made.task]
        execute("DELETE FROM annotation_done")
        people = [row[0] for row in execute("SELECT id FROM annotator").fetchall()]
        for (subject,) in execute(f'SELECT id FROM "{table}"').fetchall():
            for one in people:  # without this, their work would be hidden from the others
                execute(
                    "INSERT INTO annotation_done VALUES (?, ?, ?, ?, ?, ?)",
                    (new_id(), kind, subject, one, moment, moment),
                )
    if made.task == "survey" and package.role == "annotator":
        study = execute("SELECT id FROM study ORDER BY position, id LIMIT 1").fetchone()
        known = execute("SELECT id FROM participant").fetchone()
        if study is not None and known is None:
            participant = new_id()
            execute(
                "INSERT INTO participant(id, study_id, person_key, position, origin, annotator_id, created_at,"
                " updated_at) VALUES (?, ?, ?, 1, 'person', ?, ?, ?)",
                (participant, study[0], package.id, person, moment, moment),
            )
            for position, paper in enumerate(package.items, start=1):
                execute(
                    "INSERT INTO rating(id, participant_id, paper_id, position, origin, annotator_id, created_at,"
                    " updated_at) VALUES (?, ?, ?, ?, 'person', ?, ?, ?)",
                    (new_id(), participant, paper, position, person, moment, moment),
                )
