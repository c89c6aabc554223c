"""The open bundle: what is exported and imported again is the same, and what others made is never trusted."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import BadInput, Cancelled, EnvironmentProblem
from engine.exchange import limits
from engine.operations import bundle
from engine.operations.bundle import MANIFEST, is_bundle, read_bundle, write_bundle
from engine.operations.bundle_schema import HISTORY, described, tables
from engine.project import Project, migrations
from engine.project.merge import merge_files
from tests.engine.operations.marked_project import World, fill
from tests.engine.operations.random_acts import Acts, make
from tests.hostile import SAMPLE, hostile_project

NAMES = sorted(Acts(None).verbs)  # type: ignore[arg-type]
ROOT = Path(__file__).resolve().parents[3]
Rows = dict[str, list[tuple[Any, ...]]]


def everything(project: Project, *, history: bool = True) -> Rows:
    """Every row of every table, the files in them included; of parsed documents what is packed."""
    found = {}
    names = {row[0] for row in project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    left = {"project_info", "journal_context", "sqlite_sequence", "sqlite_stat1", *(() if history else HISTORY)}
    for name in names - left:
        columns = [row["name"] for row in project.query(f'PRAGMA table_info("{name}")')]
        rows = project.query(f'SELECT * FROM "{name}" ORDER BY {", ".join(map(str, range(1, len(columns)))) or "1"}')
        found[name] = [
            tuple(
                zlib.decompress(v) if (name, c) == ("parsed_document", "content") else v
                for c, v in zip(columns, row, strict=True)
            )
            for row in rows
        ]
    return found


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("random") / "filled.rejoinder"
    make(path)
    return path


@given(
    acts=st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 11), st.integers(0, 11)), max_size=10),
    history=st.booleans(), ending=st.sampled_from(["", ".zip"]),
)  # fmt: skip
@settings(
    max_examples=30, deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
def test_a_project_exported_and_imported_again_is_equal(
    filled: Path, tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int, int]], history: bool, ending: str
) -> None:
    folder = tmp_path_factory.mktemp("bundle")
    path, bundle, new = folder / "p.rejoinder", folder / f"bundle{ending}", folder / "new.rejoinder"
    shutil.copyfile(filled, path)
    with Project.open(path, annotator="Ada") as project:
        player = Acts(project)
        for act in acts:
            player.do(*act)
        written = write_bundle(project, bundle, history=history)
        before, facts = everything(project, history=history), (project.id, project.title, project.info("created_at"))
        undo = project.undo_title
    assert read_bundle(bundle, new).rows == written.rows
    with Project.open(new, read_only=True) as project:
        assert everything(project, history=history) == before
        assert (project.id, project.title, project.info("created_at")) == facts
        assert history or not any(everything(project)[table] for table in HISTORY)
    if history and undo:
        with Project.open(path, annotator="Ada") as one, Project.open(new, annotator="Ada") as other:
            one.undo(), other.undo()
            names = set(before) - {"action"}
            one_, other_ = everything(one), everything(other)
            assert [one_[name] for name in names] == [other_[name] for name in names]
    shutil.rmtree(folder)


@pytest.mark.parametrize("history", [False, True])
def test_addresses_are_only_in_a_bundle_with_the_history(tmp_path: Path, history: bool) -> None:
    with Project.create(tmp_path / "p.rejoinder", "A survey", "Ada") as project:
        Acts(project).study(0, 1)
        write_bundle(project, tmp_path / "bundle", history=history)
    written = b"".join(file.read_bytes() for file in (tmp_path / "bundle").rglob("*") if file.is_file())
    assert b"person 1" in written and (b"ada@example.org" in written) is history


@pytest.mark.parametrize("history", [False, True])
def test_every_table_of_the_sample_comes_back_and_equal_projects_give_equal_bundles(
    tmp_path: Path, history: bool
) -> None:
    with Project.open(SAMPLE, read_only=True) as project:
        written = write_bundle(project, tmp_path / "one.zip", history=history)
        before = everything(project, history=history)
    assert len(written.rows) > 50
    read_bundle(tmp_path / "one.zip", tmp_path / "new.rejoinder")
    with Project.open(tmp_path / "new.rejoinder", read_only=True) as project:
        assert everything(project, history=history) == before
        write_bundle(project, tmp_path / "two.zip", history=history)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_texts_of_others_come_back_to_the_character(tmp_path: Path) -> None:
    path = hostile_project(tmp_path)
    with Project.open(path, annotator="Ada") as project:
        with project.results("Odd values") as write:
            write.execute(
                "UPDATE revision SET seconds = 1e999, parameters = '[NaN, 1]', unchanged = '{\"a\":1, \"a\":2}'"
            )
            write.execute("UPDATE suggestion_run SET parameters = '[\"\\ud800\"]', seconds = -1e999")
        write_bundle(project, tmp_path / "b", history=True)
        before = everything(project)
    read_bundle(tmp_path / "b", tmp_path / "new.rejoinder")
    with Project.open(tmp_path / "new.rejoinder", read_only=True) as project:
        assert everything(project) == before
    for file in (tmp_path / "b" / "data").iterdir():
        for line in file.read_bytes().decode().split("\n")[:-1]:
            json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_the_imported_copy_merges_with_the_project(tmp_path: Path, filled: Path) -> None:
    first, new = tmp_path / "first.rejoinder", tmp_path / "new.rejoinder"
    shutil.copyfile(filled, first)
    with Project.open(first, annotator="Ada") as project:
        write_bundle(project, tmp_path / "b.zip")
        Acts(project).do("rename", 0, 0)
    read_bundle(tmp_path / "b.zip", new)
    with Project.open(new, annotator="Bo") as project:
        Acts(project).do("label", 1, 3)
    report = merge_files(first, new, tmp_path / "merged.rejoinder")
    assert not report.conflicts and report.added == {"sentence_label": 1} and not report.updated


# --- the schema -----------------------------------------------------------------------------------------------------


def test_the_documented_schema_is_the_schema_of_the_project_file() -> None:
    """If this fails: `rejoinder project export PROJECT OUT --format bundle`; docs/bundle.md is OUT/README.md."""
    assert (ROOT / "docs" / "bundle.md").read_text(encoding="utf-8") == described()


def test_every_column_of_the_project_file_is_described_with_its_comment(filled: Path) -> None:
    known = {table.name: [column.name for column in table.columns] for table in tables(migrations.latest_version())}
    with Project.open(filled, read_only=True) as project:
        names = {row[0] for row in project.query("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        left = {"project_info", "journal_context", "journalled_table", "sqlite_sequence", "sqlite_stat1"}
        assert names - left == set(known)
        for name, columns in known.items():
            assert columns == [row["name"] for row in project.query(f'PRAGMA table_info("{name}")')]
    text = described()
    for step in migrations.chain():
        left_out = r"CREATE TABLE (project_info|journal_context|journalled_table) .*?STRICT;"
        script = re.sub(left_out, "", step.script, flags=re.DOTALL)
        script = script.replace("-- apart from all answers", "")  # which bundles made untrue
        for line in script.splitlines():
            code, mark, comment = line.partition("-- ")
            if mark and code.strip():
                words = comment.replace("|", "\\|").replace("<", "\\<")
                assert words[1:] in text, f"{comment} isn't in the description"


def test_a_bundle_of_an_older_schema_is_brought_up_to_date(tmp_path: Path, filled: Path) -> None:
    with Project.open(filled, read_only=True) as project:
        write_bundle(project, tmp_path / "b")
    older = {table.name: [column.name for column in table.columns] for table in tables(7)}
    manifest = json.loads((tmp_path / "b" / MANIFEST).read_text())
    manifest["rejoinder"]["schema"] = 7
    manifest["resources"] = []
    (tmp_path / "b" / MANIFEST).write_text(json.dumps(manifest))
    for name, columns in older.items():
        path = tmp_path / "b" / "data" / f"{name}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        path.write_text("".join(json.dumps({key: row[key] for key in columns}) + "\n" for row in rows))
    assert read_bundle(tmp_path / "b", tmp_path / "new.rejoinder").rows["edit"] > 0
    with Project.open(tmp_path / "new.rejoinder", read_only=True) as project:
        assert {row[0] for row in project.query('SELECT "group" FROM edit')} == {"text"}


# --- what others made -----------------------------------------------------------------------------------------------


def _line(name: str, change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Changes the first row of a table, and takes its hash out."""

    def apply(folder: Path) -> None:
        path = folder / "data" / f"{name}.jsonl"
        first, *others = path.read_text(encoding="utf-8").splitlines()
        values = json.loads(first)
        change(values)
        path.write_text("\n".join((json.dumps(values), *others)) + "\n", encoding="utf-8")
        _manifest(lambda m: m["resources"].clear())(folder)

    return apply


def _manifest(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        values = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        change(values)
        (folder / MANIFEST).write_text(json.dumps(values), encoding="utf-8")

    return apply


def _outside(folder: Path) -> None:
    (folder.parent / "secret.bin").write_bytes(b"secret")
    _line("blob", lambda row: row.update(bytes="files/../../secret.bin"))(folder)


SPOILED: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no manifest": (lambda f: (f / MANIFEST).unlink(), "isn't a bundle: it has no"),
    "manifest not UTF-8": (lambda f: (f / MANIFEST).write_bytes(b"\xff"), "datapackage.json isn't UTF-8"),
    "manifest is no JSON": (lambda f: (f / MANIFEST).write_text("{"), "isn't valid JSON"),
    "another program's": (_manifest(lambda m: m.pop("rejoinder")), "another program"),
    "newer": (_manifest(lambda m: m["rejoinder"].update(schema=10_000)), "newer Rejoinder"),
    "no schema": (_manifest(lambda m: m["rejoinder"].update(schema=0)), "another program"),
    "a number that is none": (_manifest(lambda m: m["rejoinder"].update(schema="9")), "another program"),
    "unknown table": (_manifest(lambda m: m["resources"].append({"name": "evil"})), "unknown table: evil"),
    "resources are none": (_manifest(lambda m: m.update(resources=[1])), "aren't a list of objects"),
    "no key": (_manifest(lambda m: m.update(id="")), "has no id, title or date for"),
    "changed table": (lambda f: (f / "data/comment.jsonl").write_bytes(b"\n"), "was changed after it was exported"),
    "table cut off": (lambda f: (f / "data/comment.jsonl").write_bytes(b'{"id": "'), "isn't valid JSON"),
    "table gone": (lambda f: (f / "data/comment.jsonl").unlink(), "is missing"),
    "not UTF-8": (lambda f: (f / "data/comment.jsonl").write_bytes(b"\xff\n"), "isn't UTF-8"),
    "no object": (lambda f: (f / "data/comment.jsonl").write_bytes(b"[1]\n"), "isn't a JSON object"),
    "unknown field": (_line("comment", lambda row: row.update(evil=1)), "isn't a field of comment"),
    "another type": (_line("comment", lambda row: row.update(position="1")), "isn't a valid integer"),
    "a truth value": (_line("comment", lambda row: row.update(position=True)), "isn't a valid integer"),
    "too large a number": (_line("comment", lambda row: row.update(position=2**70)), "violates the schema"),
    "a choice that is none": (_line("comment", lambda row: row.update(actionable=7)), "violates the schema"),
    "null": (_line("comment", lambda row: row.update(comment=None)), "violates the schema"),
    "a field without a default is gone": (_line("comment", lambda row: row.pop("comment")), "violates the schema"),
    "a row twice": (_line("comment", lambda row: row.update(id="")), "that doesn't exist"),
    "a reference into nothing": (_line("comment", lambda row: row.update(source_id="?")), "source_text that"),
    "file outside": (_outside, "names a file outside the bundle"),
    "file damaged": (lambda f: next((f / "files").glob("*.pdf")).write_bytes(b"%PDF"), "damaged"),
    "file gone": (lambda f: next((f / "files").glob("*.pdf")).unlink(), "is missing"),
    "another file": (_line("blob", lambda row: row.update(sha256="0" * 64)), "the file doesn't have this SHA-256"),
}  # fmt: skip


@pytest.fixture
def folder(filled: Path, tmp_path: Path) -> Path:
    with Project.open(filled, read_only=True) as project:
        write_bundle(project, tmp_path / "b")
    return tmp_path / "b"


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_bundle_is_refused_and_nothing_is_left_of_it(folder: Path, name: str) -> None:
    spoil, said = SPOILED[name]
    spoil(folder)
    there = sorted(folder.parent.iterdir())
    with pytest.raises(BadInput, match=said):
        read_bundle(folder, folder.parent / "new.rejoinder")
    assert sorted(folder.parent.iterdir()) == there


def test_a_bundle_whose_project_fails_its_check_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "file_problems", lambda *_: ("row 7 is missing from an index",))
    with pytest.raises(BadInput, match="b doesn't make a valid project: row 7 is missing from an index"):
        read_bundle(folder, folder.parent / "new.rejoinder")
    assert not (folder.parent / "new.rejoinder").exists()


def test_files_are_named_by_what_they_are_and_damaged_ones_are_kept_as_they_are(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", annotator="Ada") as project:
        fill(project, World("mine", project.set_annotator("Ada")))
        write_bundle(project, tmp_path / "b")
        whole = bytes(project.query("SELECT content FROM parsed_document")[0][0])
    endings = {file.suffix: file.read_bytes() for file in (tmp_path / "b" / "files").iterdir()}
    assert {".bin", ".safetensors"} <= set(endings) and endings[".bin"] == whole


def test_a_parsed_document_that_is_none_is_refused(tmp_path: Path) -> None:
    with Project.open(SAMPLE, read_only=True) as project:
        write_bundle(project, tmp_path / "b")
    content = b'{"format": 1}'
    name = f"files/{hashlib.sha256(content).hexdigest()}.json"
    (tmp_path / "b" / name).write_bytes(content)
    _line("parsed_document", lambda row: row.update(content=name))(tmp_path / "b")
    with pytest.raises(BadInput, match="stored text of this document is damaged"):
        read_bundle(tmp_path / "b", tmp_path / "new.rejoinder")


@pytest.mark.parametrize("limit", ["BUNDLE_BYTES", "BUNDLE_FILE_BYTES", "BUNDLE_MEMBERS", "FILE_BYTES"])
def test_what_is_too_large_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    zipped = Path(shutil.make_archive(str(folder), "zip", folder))
    monkeypatch.setattr(limits, limit, 5)  # the PDFs of the project have 10 bytes
    with pytest.raises(BadInput, match="too large"):
        read_bundle(zipped, folder.parent / "new.rejoinder")


@pytest.fixture(scope="module")
def zipped(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Rows]:
    """A project as one file, and what is in it."""
    bundle = tmp_path_factory.mktemp("zipped") / "b.zip"
    with Project.open(filled, read_only=True) as project:
        write_bundle(project, bundle)
        return bundle.read_bytes(), everything(project, history=False)


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), cut=st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_zip_file_gives_a_clear_error_or_the_project(
    zipped: tuple[bytes, Rows], tmp_path_factory: pytest.TempPathFactory, place: float, byte: int, cut: bool
) -> None:
    home = tmp_path_factory.mktemp("damaged")
    content, before = bytearray(zipped[0]), zipped[1]
    at = int(place * len(content))
    if cut:
        del content[at:]
    else:
        content[at] = byte
    (home / "b.zip").write_bytes(content)
    try:
        read_bundle(home / "b.zip", home / "new.rejoinder")
    except BadInput:
        assert not (home / "new.rejoinder").exists()
    else:
        with Project.open(home / "new.rejoinder", read_only=True) as project:
            assert everything(project, history=False) == before
    shutil.rmtree(home)


def test_packed_by_hand_in_a_folder_of_its_own_it_is_read_as_well(folder: Path, tmp_path: Path) -> None:
    zipped = Path(shutil.make_archive(str(tmp_path / "hand"), "zip", tmp_path, "b"))
    assert is_bundle(zipped) and is_bundle(folder) and is_bundle(folder / MANIFEST)
    assert read_bundle(zipped, tmp_path / "1.rejoinder").rows == read_bundle(folder, tmp_path / "2.rejoinder").rows
    (tmp_path / "other.zip").write_bytes(b"PK")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    for name in ("other.zip", "empty.zip", "none.zip", "."):
        assert not is_bundle(tmp_path / name)
        with pytest.raises(BadInput):
            read_bundle(tmp_path / name, tmp_path / "new.rejoinder")


def test_a_long_table_can_be_cancelled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[float] = []
    monkeypatch.setattr("engine.operations.bundle._OFTEN", 1)
    rows = read_bundle(folder, folder.parent / "new.rejoinder", reported.append).rows
    assert len(reported) == sum(rows.values()) + len(tables(migrations.latest_version()))
    with Project.open(folder.parent / "new.rejoinder", read_only=True) as project:
        reported.clear()
        write_bundle(project, folder.parent / "again", progress=reported.append)
    assert len(reported) >= sum(rows.values())


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_a_bundle_is_whole_or_not_there_and_writes_over_nothing(filled: Path, tmp_path: Path, name: str) -> None:
    def stop(fraction: float) -> None:
        if fraction > 0.5:
            raise Cancelled

    with Project.open(filled, read_only=True) as project:
        with pytest.raises(Cancelled):
            write_bundle(project, tmp_path / name, progress=stop)
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(EnvironmentProblem):
            write_bundle(project, tmp_path / "nowhere" / name)
        write_bundle(project, tmp_path / name)
        with pytest.raises(BadInput, match="already exists"):
            write_bundle(project, tmp_path / name)
    (tmp_path / "new.rejoinder").write_text("mine")
    with pytest.raises(BadInput, match="already exists"):
        read_bundle(tmp_path / name, tmp_path / "new.rejoinder")
    assert (tmp_path / "new.rejoinder").read_text() == "mine"


def test_what_a_bundle_says_of_its_rows_and_how_json_and_files_are_in_it(filled: Path, tmp_path: Path) -> None:
    with Project.open(filled, read_only=True) as project:
        fractions: list[float] = []
        written = write_bundle(project, tmp_path / "b", progress=fractions.append)
        known = {table.name: table for table in tables(migrations.latest_version())}
        there = {name: len(rows) for name, rows in everything(project, history=False).items() if rows and name in known}
    assert written.rows == read_bundle(tmp_path / "b", tmp_path / "new.rejoinder").rows == there
    assert fractions == sorted(fractions) and fractions[0] == 0 and 0.9 < fractions[-1] < 1
    manifest = json.loads((tmp_path / "b" / MANIFEST).read_text(encoding="utf-8"))
    for resource in manifest["resources"]:
        content = (tmp_path / "b" / resource["path"]).read_bytes()
        assert (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}") == (resource["bytes"], resource["hash"])
        for line in content.decode().splitlines():
            for column in known[resource["name"]].columns:
                cell = json.loads(line)[column.name]
                assert column.kind != "any" or not str(cell).startswith(("[", "{")) or not isinstance(cell, str)
                assert column.kind != "file" or (tmp_path / "b" / cell).is_file()
    assert {file.suffix for file in (tmp_path / "b" / "files").iterdir()} == {".pdf"}


def test_a_name_that_is_too_long_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="too long"):
        read_bundle(tmp_path / "nowhere", tmp_path / f"{'n' * 250}.rejoinder")


def test_a_column_may_be_null_where_the_file_takes_null() -> None:
    """Of each column without a default, a row that lacks it is refused where the bundle says that it is required."""
    from engine.project.schema import empty

    with closing(empty(migrations.latest_version())) as made:
        made.execute("PRAGMA foreign_keys = OFF")
        made.execute("PRAGMA ignore_check_constraints = ON")
        for table in tables(migrations.latest_version()):
            for column in table.columns:
                values = {one.name: "1" if one.kind in {"integer", "number"} else b"x" if one.kind == "file" else "x"
                          for one in table.columns} | {column.name: None}  # fmt: skip
                marks = ", ".join("?" * len(values))
                statement = f'INSERT INTO "{table.name}"({", ".join(map(json.dumps, values))}) VALUES ({marks})'
                try:
                    made.execute(statement, tuple(values.values()))
                    taken = True
                except sqlite3.IntegrityError:
                    taken = False
                made.execute(f'DELETE FROM "{table.name}"')
                number = column.kind == "integer" and table.key == (column.name,)  # SQLite gives it one
                assert taken is (not column.required or number), f"{table.name}.{column.name}"


def test_a_project_of_a_newer_schema_is_not_exported(filled: Path, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(filled, tmp_path / "newer.rejoinder"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {migrations.latest_version() + 1}")
    with Project.open(path) as project, pytest.raises(BadInput, match=r"newer\.rejoinder was written by a newer"):
        write_bundle(project, tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_fields_are_described_as_resources_of_a_data_package() -> None:
    for table in tables(migrations.latest_version()):
        resource = table.resource()
        assert resource["name"] == table.name and resource.get("description", "") == table.meaning
        assert resource["schema"]["primaryKey"] == list(table.key)
        for column, field in zip(table.columns, resource["schema"]["fields"], strict=True):
            file = column.kind == "file"
            said = column.meaning or ("the path of a file in this bundle" if file else "")
            assert (field["name"], field.get("description", "")) == (column.name, said)
            assert field["type"] == ("string" if file else column.kind)
            assert field.get("constraints") == ({"required": True} if column.required else None)
        keys = {column.name: column.refers for column in table.columns if column.refers}
        found = {
            one["fields"][0]: f"{one['reference']['resource']}.{one['reference']['fields'][0]}"
            for one in resource["schema"].get("foreignKeys", ())
        }
        assert found == keys
