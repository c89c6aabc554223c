"""Names in work packages: hidden in texts, and replaced by what somebody is to the person."""

from __future__ import annotations

import json

from engine.operations.package_content import _hidden, _numbered


def test_names_are_hidden_in_lists_inside_of_lists() -> None:
    names = ("Zoe Writer",)
    fields = json.dumps([["Summary", "By Zoe Writer."], 3, None])
    assert json.loads(_hidden(fields, names)) == [["Summary", f"By {'█' * 10}."], 3, None]
    assert _hidden("[sic] Zoe Writer", names) == f"[sic] {'█' * 10}" and _hidden(None, names) is None


def test_others_are_named_by_what_they_are_to_the_person() -> None:
    names = {"a": "Ann", "b": "Ben", "l": "Lea", "c": "Cem"}
    others = {"b": "Annotator 1", "l": "Lead", "c": "Annotator 2"}
    assert _numbered(names, "a", "l") == {"a": "Ann", **others}
    assert _numbered(names | {"a": "Lead"}, "a", "l") == {"a": "Lead", **others, "l": "Lead (another)"}
