# ruff: noqa: S608 (only names of tables and columns of the released schema are put into statements)
"""The rounds, packages and returns of a project, and decisions as entries that can be merged."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import BadInput
from engine.packages.merging import KEYS, Entry, Key, canonical, key_of
from engine.packages.records import DECISIONS, DONE, Package, Return, Round, Task
from engine.project import Action, Store, records
from engine.project.tables import columns_of, values_of

TABLES = frozenset({"work_round", "work_package", "work_return"})
PACKAGE = "package"
"""The entry of ``project_info`` with the package's key, if the project is a package."""
_ONLY: Mapping[str, str] = {"comment": " AND origin = 'person'", "sentence_label": " AND imported = 0"}
"""Conditions that exclude imported comments and labels, which are nobody's decisions."""
ONE_FOR_ALL = frozenset({"adjudication", "preference_adjudication", "unit_adjudication", "comment", "participant"})
"""Tables in which one person's row excludes another's with the same key."""
_KINDS: Mapping[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (int, float)}
_LEFT_OUT = frozenset({"annotator_id", "updated_at"})
_SPANS = "SELECT comment_id, role, position, start_offset, end_offset FROM comment_span{} ORDER BY comment_id, role, position"  # noqa: E501 - one statement


class WorkStore(Store):
    def rounds(self) -> tuple[Round, ...]:
        """Returns all rounds, oldest first."""
        return tuple(records(Round, self._project.query("SELECT * FROM work_round ORDER BY position, id")))

    def packages(self, round_id: str = "") -> tuple[Package, ...]:
        """Returns the packages of a round, or all, oldest first."""
        rows = self._project.query(
            "SELECT * FROM work_package WHERE ? IN ('', round_id) ORDER BY created_at, id", (round_id,)
        )
        return tuple(records(Package, rows))

    def returns(self) -> tuple[Return, ...]:
        """Returns the imported results files, in order of import."""
        return tuple(records(Return, self._project.query("SELECT * FROM work_return ORDER BY created_at, id")))

    def has_rounds(self) -> bool:
        """Returns whether work was handed out, without reading it."""
        return self._project.query_one("SELECT 1 FROM work_round") is not None

    def own(self) -> tuple[Round, Package] | None:
        """Returns the round and package if this project is a package, otherwise None."""
        key = self._project.info(PACKAGE)
        package = next((one for one in self.packages() if one.id == key), None) if key else None
        if package is None:
            return None
        return next(one for one in self.rounds() if one.id == package.round_id), package

    def own_items(self, task: Task) -> tuple[str, ...] | None:
        """Returns the items to decide on if this project is an annotator's package for the task; None if there is no
        restriction."""
        own = self.own()
        return own[1].items if own is not None and (own[0].task, own[1].role) == (task, "annotator") else None

    def add_round(self, made: Round, packages: Sequence[Package]) -> None:
        """Stores a round and its packages; one step if it is called inside an action."""
        with self._project.action(f"Create work packages “{made.title}”") as act:
            values = values_of(made, "training", "settings", "created_at", "annotator_id")
            training = [values_of(known) for known in made.training]
            act.insert("work_round", values | {"training": training, "settings": values_of(made.settings)})
        self.add_packages(made, packages)

    def add_packages(self, made: Round, packages: Sequence[Package]) -> None:
        """Stores additional packages of a round, in one step."""
        with self._project.action(f"Create work packages “{made.title}”") as act:
            for package in packages:
                act.insert("work_package", values_of(package, "held") | {"items": list(package.items)})

    def remove(self, made: Round, packages: Sequence[Package]) -> None:
        """Removes packages and the records of their returns, and the round with its last package. Returned decisions
        are kept."""
        with self._project.action(f"Remove work packages “{made.title}”") as act:
            for package in packages:
                act.delete("work_return", package_id=package.id)
                act.delete("work_package", id=package.id)
            if not act.db.table("work_package").count_where("round_id = ?", [made.id]):
                act.delete("work_round", id=made.id)

    def add_return(self, act: Action, came: Return, person: str) -> None:
        """Records that a results file was imported."""
        act.insert("work_return", values_of(came, "created_at") | {"annotator_id": person})

    def set_held(self, act: Action, person: str, entries: Iterable[Entry]) -> None:
        """Stores a person's returned entries that have no row, with their first package."""
        first = next(one for one in sorted(self.packages(), key=lambda one: one.id) if one.annotator_id == person)
        act.update("work_package", first.id, {"held": [values_of(entry) for entry in entries]})

    def held(self, person: str) -> tuple[Entry, ...]:
        return tuple(
            Entry(**entry) for package in self.packages() if package.annotator_id == person for entry in package.held
        )

    def entries(self, person: str, tables: Iterable[str]) -> tuple[Entry, ...]:
        """Returns a person's decisions from the rows, with the rows' times."""
        return tuple(self._rows(person, tables))

    def entries_with_history(self, person: str, tables: Sequence[str]) -> tuple[Entry, ...]:
        """Returns a person's decisions with the times of their last change in this file's history, including undo and
        removals."""
        found = {entry.place: entry for entry in self._rows(person, tables)}
        seen: dict[Key, str] = {}
        for place, stamp in self._changes(person, tables, set(found)):
            seen[place] = max(seen.get(place, ""), stamp)
        for place, stamp in seen.items():
            known = found.get(place)
            found[place] = (
                Entry(*place, stamp, None) if known is None else replace(known, stamp=max(stamp, known.stamp))
            )
        return tuple(found.values())

    def _rows(self, person: str, tables: Iterable[str]) -> Iterator[Entry]:
        spans: dict[str, list[list[Any]]] = {}
        passages: dict[str, str] = {}
        for table in tables:
            if table == "edit_link":
                found = self._project.query("SELECT * FROM edit WHERE passage = 1")
                passages = {row["id"]: canonical({**row, "current": 1}) for row in map(dict, found)}
            if table == "comment":
                for row in self._project.query(_SPANS.format("")):
                    spans.setdefault(row[0], []).append(list(row)[1:])
            names = [name for name in columns_of(table).names if name not in _LEFT_OUT]
            listed = ", ".join(f'"{name}"' for name in names)
            sql = f'SELECT {listed}, updated_at FROM "{table}" WHERE annotator_id = ?{_ONLY.get(table, "")}'
            for row in self._project.query(sql, (person,)):
                values = dict(zip(names, row, strict=False))
                if table == "comment":
                    values["spans"] = spans.get(values["id"], [])
                elif table == "edit_link":
                    values["passage"] = passages.get(values["edit_id"], "")
                yield Entry(table, key_of(table, values), row["updated_at"], values)

    def _changes(self, person: str, tables: Sequence[str], there: Collection[Key]) -> Iterator[tuple[Key, str]]:
        """Yields (decision, time) for each change in the journal, including steps that were undone or redone."""
        wanted = [*tables, *(["comment_span"] if "comment" in tables else [])]
        rows = self._project.query(
            "SELECT j.table_name, j.before, j.after, a.updated_at FROM journal j JOIN action a ON a.id = j.action_id"
            " WHERE j.table_name IN (SELECT value FROM json_each(?))",
            (json.dumps(wanted),),
        )
        for table, before, after, stamp in rows:
            for image in (json.loads(one) for one in (before, after) if one is not None):
                if table == "comment_span":
                    place = ("comment", canonical([image["comment_id"]]))
                    if place in there:
                        yield place, stamp
                elif image["annotator_id"] == person and image.get("origin" if table == "comment" else "") in {
                    None, "person",
                } and not image.get("imported"):  # fmt: skip
                    yield (table, key_of(table, image)), stamp

    def placeable(self, person: str, entries: Mapping[Key, Entry]) -> dict[Key, bool]:
        """Returns whether each entry can be applied: what it refers to exists, and no other person's row is in its
        place. A comment that other people's work refers to is kept even if its annotator removed it."""
        found: dict[Key, bool] = {}
        tables = sorted({entry.table for entry in entries.values()}, key=list(KEYS).index)  # comments before links
        ids: dict[str, set[str]] = {}
        for table in tables:
            parents = [
                (row["from"], row["table"])
                for row in self._project.query(f'PRAGMA foreign_key_list("{table}")')
                if row["from"] != "annotator_id"
            ]
            for _, parent in parents:
                if parent not in ids:
                    ids[parent] = {row[0] for row in self._project.query(f'SELECT id FROM "{parent}"')}
            taken = {
                key_of(table, dict(row))
                for row in self._project.query(f'SELECT * FROM "{table}" WHERE annotator_id <> ?', (person,))
            } if table in ONE_FOR_ALL else set()  # fmt: skip
            used = self._used(person) if table == "comment" else set()
            for entry in entries.values():
                if entry.table != table:
                    continue
                if entry.row is None:
                    found[entry.place] = entry.key not in used
                elif (passage := passage_of(entry.row)) is not None:  # added with the link
                    known = {row[0] for row in self._project.query("SELECT id FROM revision")}
                    found[entry.place] = entry.row["comment_id"] in ids["comment"] and passage["revision_id"] in known
                elif table == "annotation_done":
                    of = dict(DONE.values()).get(entry.row["task"])
                    sql = f'SELECT 1 FROM "{of}" WHERE id = ?'
                    found[entry.place] = of is not None and any(self._project.query(sql, (entry.row["subject_id"],)))
                elif table == "unit_adjudication":
                    found[entry.place] = entry.key not in taken and self._is_there(entry.row["subject_id"])
                else:
                    there = all(entry.row[column] in ids[parent] for column, parent in parents)
                    found[entry.place] = there and entry.key not in taken
            if table in {"comment", "participant"}:  # later tables see rows that are added or removed
                own = ids.setdefault(table, {row[0] for row in self._project.query(f'SELECT id FROM "{table}"')})
                for entry in entries.values():
                    if entry.table == table and found[entry.place]:
                        (own.discard if entry.row is None else own.add)(json.loads(entry.key)[0])
        return found

    def _is_there(self, subject: str) -> bool:
        """Returns whether a unit's subject exists: a comment, a review or a survey."""
        sql = " UNION ALL ".join(
            f"SELECT 1 FROM {table} WHERE id = ?1" for table in ("comment", "source_text", "study")
        )
        return self._project.query_one(sql, (subject,)) is not None

    def _used(self, person: str) -> set[str]:
        """Returns the comments that other people's rows, or rows of other tasks, refer to."""
        used: set[str] = set()
        for (table,) in self._project.query("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            names = columns_of(table).names if not table.startswith("sqlite_") else ()
            if "annotator_id" in names and "comment_id" in names:
                others = "annotator_id <> ?" if table in DECISIONS["papers"] else "? <> ''"
                sql = f'SELECT DISTINCT comment_id FROM "{table}" WHERE {others} AND comment_id IS NOT NULL'
                used |= {canonical([row[0]]) for row in self._project.query(sql, (person,))}
        return used

    def write(self, act: Action, person: str, before: Mapping[Key, Entry], after: Iterable[Entry]) -> None:
        """Updates a person's rows from the state ``before`` to ``after``."""
        act.execute("PRAGMA defer_foreign_keys = ON")
        gone: dict[str, list[str]] = {}
        fresh: dict[str, list[dict[str, Any]]] = {}
        for entry in after:
            known = before.get(entry.place)
            if known is not None and known.row is not None and known != entry:
                gone.setdefault(entry.table, []).append(known.row["id"])
            if entry.row is not None and known != entry:
                fresh.setdefault(entry.table, []).append(
                    {**entry.row, "annotator_id": person, "updated_at": entry.stamp}
                )
        for table, keys in gone.items():
            if table == "comment":
                act.executemany("DELETE FROM comment_span WHERE comment_id = ?", [(key,) for key in keys])
            act.executemany(f'DELETE FROM "{table}" WHERE id = ?', [(key,) for key in keys])
        for table, rows in fresh.items():
            if table == "comment":
                spans = [{"comment_id": row["id"]} | _span(span) for row in rows for span in row.pop("spans")]
                _insert(act, table, rows)
                act.insert_all("comment_span", spans)
            elif table == "edit_link":
                for row in rows:
                    passage, key = passage_of(row), row["edit_id"]
                    if passage is not None and not act.db.table("edit").count_where("id = ?", [key]):
                        act.insert("edit", passage | {"id": key})
                _insert(act, table, rows)
            else:
                _insert(act, table, rows)

    def completed(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yields entries with all columns of their tables; columns missing in an older version get their default.
        Raises BadInput if a value doesn't have its column's type."""
        defaults: dict[str, dict[str, Any]] = {}
        beside: dict[str, dict[str, Any]] = {"comment": {"spans": []}, "edit_link": {"passage": ""}}
        kinds: dict[str, dict[str, tuple[type, ...]]] = {}
        for entry in entries:
            if entry.row is None:
                yield entry
                continue
            if entry.table not in defaults:
                rows = self._project.query(f'PRAGMA table_info("{entry.table}")')
                kinds[entry.table] = {"spans": (list,), "passage": (str,)} | {
                    row["name"]: (*_KINDS[row["type"]], *(() if row["notnull"] or row["pk"] else (type(None),)))
                    for row in rows
                }
                defaults[entry.table] = {
                    row["name"]: self._project.query(f"SELECT {row['dflt_value'] or 'NULL'}")[0][0]
                    for row in rows
                    if row["name"] not in _LEFT_OUT
                } | beside.get(entry.table, {})
            for name, value in entry.row.items():
                if type(value) not in kinds[entry.table][name]:
                    raise BadInput(
                        f"It has a decision with the invalid {name} {value!r}.", do="Ask for the file again."
                    )
            yield Entry(entry.table, entry.key, entry.stamp, defaults[entry.table] | dict(entry.row))


def passage_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the linked passage in a row of a results file as a row of ``edit`` without its key; None if the link is
    to an edit or the passage is invalid."""
    try:
        given = json.loads(row.get("passage") or "null")
        lists = [json.loads(given[name]) for name in ("source_ids", "target_ids")]
        sound = given["passage"] == 1 and all(isinstance(one, str) for ids in lists for one in ids)
        passage = {name: given[name] for name in columns_of("edit").names if name != "id"}
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return passage if sound and all(isinstance(ids, list) for ids in lists) else None


def _insert(act: Action, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    names = columns_of(table).names
    listed, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    act.executemany(
        f'INSERT INTO "{table}"({listed}) VALUES ({marks})', [tuple(row[name] for name in names) for row in rows]
    )


def _span(span: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(("role", "position", "start_offset", "end_offset"), span, strict=True))
