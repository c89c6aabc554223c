"""JSON of other programs: where it is wrong is said, and what no program can use never comes through."""

from __future__ import annotations

import pytest

from engine.errors import BadInput
from engine.exchange import aries, limits
from engine.exchange.encoding import file_in, read_bytes
from engine.exchange.jsontext import json_lines, layout, parse_json, try_json


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1,\n "b" 2}', r"f isn't valid JSON: .* \(line 2, column 6\)"),
        ('{"a" 1}', r"f isn't valid JSON: .* \(column 6\)"),
        ('[{"a": "cut', r"f isn't valid JSON: Unterminated string \(column 8\)\. The file seems to be incomplete\."),
        ('[{"a": 1}, ', r"f isn't valid JSON: Expecting value \(column 12\)\. The file seems to be incomplete\."),
        ('{"a": "\\x", "b": 1}', r"f isn't valid JSON: Invalid \\escape \(column 8\)\. Nothing"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * (limits.JSON_DEPTH + 1) + "]" * (limits.JSON_DEPTH + 1), "nested too deeply"),
        ("9" * 5000, "unusable number"),
        ("[" + "1," * limits.JSON_VALUES + "1]", "more than"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse_json(text, "f")
    assert try_json(text) is None


def test_depth_within_the_limit_is_read() -> None:
    assert parse_json("[" * limits.JSON_DEPTH + "]" * limits.JSON_DEPTH, "f")


def test_half_characters_are_replaced_and_whole_ones_kept() -> None:
    assert parse_json(r'{"\ud800": ["a\udfffb", "\ud83d\ude00"]}', "f") == {"\ufffd": ["a\ufffdb", "😀"]}


def test_constants_that_json_does_not_know() -> None:
    assert parse_json("[Infinity]", "f") == [float("inf")]
    with pytest.raises(BadInput, match="number"):
        parse_json("[NaN]", "f", finite=True)


def test_lines_are_counted_with_the_empty_ones() -> None:
    assert list(json_lines('\n{"a": 1}\n\n{}', "f")) == [(2, '{"a": 1}', {"a": 1}), (4, "{}", {})]
    with pytest.raises(BadInput, match="f, line 3 isn't a JSON object"):
        list(json_lines("{}\n\n[]", "f"))


def test_the_boundary_names_the_place_and_what_is_missing() -> None:
    with pytest.raises(BadInput, match="Line 3 isn't a paper: “title” is missing"), layout("Line 3", "a paper"):
        dict[str, str]()["title"]
    with pytest.raises(BadInput, match="Line 3 isn't a paper"), layout("Line 3", "a paper"):
        int(float("inf"))
    with pytest.raises(RuntimeError), layout("Line 3", "a paper"):
        raise RuntimeError  # of ours


def test_paragraphs_of_aries_are_numbers() -> None:
    edit = b'{"edit_id": 1, "source_idxs": %s, "target_idxs": []}'
    line = b'{"doc_id": 1, "source_pdf_id": 2, "target_pdf_id": 3, "edits": [' + edit + b"]}"
    assert aries.paper_edits(aries.read_file(line % b"[0]", "f"))[0].edits[0].source_idxs == (0,)
    for wrong in (b'["0"]', b"{}", b"1", b"null"):
        with pytest.raises(BadInput, match="a list of paragraphs"):
            aries.paper_edits(aries.read_file(line % wrong, "f"))


@pytest.mark.parametrize("name", ["../x.json", "a/b", "..", "x\0", "x" * 300, "\ud800"])
def test_names_in_files_lead_nowhere_else(name: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "in").mkdir()
    (tmp_path / "x.json").write_text("{}")
    assert file_in(tmp_path / "in", name) is None
    assert file_in(tmp_path, "x.json", folder=name) is None
    assert file_in(tmp_path, "x.json") == tmp_path / "x.json"


def test_large_files_and_pipes_are_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    import os

    monkeypatch.setattr(limits, "FILE_BYTES", 10)
    (tmp_path / "f").write_bytes(b"x" * 11)
    with pytest.raises(BadInput, match="too large"):
        read_bytes(tmp_path / "f")
    assert read_bytes(tmp_path / "f", 3) == b"xxx"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="isn't a regular file"):
        read_bytes(tmp_path / "pipe")
