from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange.template_files import (
    library_files,
    read_csv,
    read_jsonl,
    read_templates,
    write_libraries,
    write_templates,
)
from engine.rebuttal.records import ACTIONS, PERSONAL, REGISTERS, Template
from engine.rebuttal.template_store import PersonalLibrary
from engine.rebuttal.templates import read_toml, roots, starter, themes

words = st.lists(
    st.sampled_from(["We", "{section}", "“now”", "=1+1", "100 %", "\\alpha", "says;", "\x7f"]), min_size=1, max_size=12
)
template = st.builds(
    Template,
    id=st.from_regex(r"[a-z]{1,4}(-[a-z0-9]{1,3}){0,2}", fullmatch=True),
    action=st.sampled_from(ACTIONS),
    text=words.map(" ".join),
    roots=st.lists(st.sampled_from(roots()), unique=True, max_size=2).map(tuple),
    themes=st.lists(st.sampled_from(themes()), unique=True, max_size=2).map(tuple),
    register=st.sampled_from(REGISTERS),
    provenance=st.sampled_from(["", "Ada", "=cmd"]),
    version=st.integers(1, 9),
    library=st.just("team"),
    score=st.one_of(st.none(), st.floats(0, 1)),
    note=st.sampled_from(["", "Use with care, rarely."]),
)


@given(st.lists(template, max_size=5, unique_by=lambda t: t.id))
def test_libraries_come_back_from_every_format(library: list[Template]) -> None:
    def text(format_: str) -> str:
        return write_templates(library, format_).files[0].content.decode()  # type: ignore[arg-type]

    assert list(read_jsonl(text("jsonl"), "x", "team")) == library
    assert list(read_csv(text("csv"), "x", "team")) == library
    assert list(read_toml(text("toml"), library="team")) == library


def test_the_starter_library_leaves_and_comes_back(tmp_path: Path) -> None:
    for format_ in ("jsonl", "csv", "toml"):
        (file,) = write_templates(starter(), format_).files  # type: ignore[arg-type]
        (tmp_path / file.name).write_bytes(file.content)
        found = read_templates(tmp_path / file.name, "mine").templates
        assert [replace(t, library="starter") for t in found] == list(starter())


def test_a_jitsupeer_folder_becomes_a_library(tmp_path: Path) -> None:
    library = [
        Template("a", "task_done", "We added it.", ("clarity",), ("methodology",), score=0.75),
        Template("b", "answer", "It is so.", ("substance",), ("results",)),
        Template("d", "answer", "It was so.", ("clarity",), ("methodology",), score=0.6),
        Template("e", "answer", "It may be so.", ("clarity",), ("methodology",), score=0.2),
        Template("c", "thanks", "Thanks."),
    ]
    export = write_templates(library, "jitsupeer")
    assert any("1 template for any root" in sentence for sentence in export.loss)
    for file in export.files:
        path = tmp_path / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    found = read_templates(tmp_path, "jitsu").templates
    heard = {(t.action, t.text, t.roots, t.themes, t.score) for t in found}
    assert heard == {
        ("task_done", "We added it.", ("clarity",), ("methodology",), 1.0),  # alone in its cluster: the best
        ("answer", "It was so.", ("clarity",), ("methodology",), 1.0),
        ("answer", "It may be so.", ("clarity",), ("methodology",), 0.0),
        ("answer", "It is so.", ("substance",), ("results",), None),
    }


def test_each_library_is_a_file_and_a_folder_of_them_is_read(tmp_path: Path) -> None:
    both = [
        Template("a", "answer", "It is so.", library="Team"), Template("a", "thanks", "Thanks.", library="To/m"),
        Template("b", "thanks", "Many thanks.", library="To?m"),
    ]  # fmt: skip
    export = write_libraries(both, "jsonl")
    assert [file.name for file in export.files] == ["Team.jsonl", "To-m.jsonl", "To-m-2.jsonl"]
    assert export.loss == (), "ids that two libraries share are no loss in files of their own"
    for file in export.files:
        (tmp_path / file.name).write_bytes(file.content)
    (tmp_path / "notes.txt").write_text("not one of them", encoding="utf-8")
    files = library_files(tmp_path)
    assert [file.name for file in files] == ["Team.jsonl", "To-m-2.jsonl", "To-m.jsonl"]
    found = [template.text for file in files for template in read_templates(file, file.stem).templates]
    assert sorted(found) == sorted(template.text for template in both)
    assert library_files(tmp_path / "Team.jsonl") == (tmp_path / "Team.jsonl",)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no template library"):
        library_files(tmp_path / "empty")
    assert len(write_libraries(both, "jitsupeer").files) == len(write_templates(both, "jitsupeer").files)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="isn't a folder"):
        read_templates(tmp_path, "x")
    with pytest.raises(BadInput, match="column"):
        read_csv("id,text\na,b\n", "x.csv", "x")
    with pytest.raises(BadInput, match="twice"):
        read_jsonl('{"id":"a","action":"answer","text":"x"}\n' * 2, "x", "x")


def test_the_persons_library_is_kept_in_a_file_of_its_own(tmp_path: Path) -> None:
    library = PersonalLibrary(tmp_path / "templates.json")
    assert library.templates() == ()
    first = library.keep("We  now say\nso in {section}.", "task_done", root="clarity", themes=("results",))
    assert first.text == "We now say so in {section}." and first.library == PERSONAL and first.id == "own-1"
    assert library.keep("No.", "reject_request").id == "own-2"
    assert library.add((Template("x", "answer", "Yes."), Template("own-1", "answer", "Same version."))) == 1
    assert [t.id for t in PersonalLibrary(tmp_path / "templates.json").templates()] == ["own-1", "own-2", "x"]
    restore = library.remove("own-1")
    library.remove("own-1")()
    assert [t.id for t in library.templates()] == ["own-2", "x"], "another window may have removed it"
    restore()
    assert [t.id for t in library.templates()] == ["own-1", "own-2", "x"]
    with pytest.raises(BadInput):
        library.keep("", "answer")
