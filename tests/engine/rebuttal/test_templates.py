from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.rebuttal.records import Template
from engine.rebuttal.slots import SLOTS, fill, find_slots, next_slot, words_between
from engine.rebuttal.templates import problems, read_toml, starter

GOOD = {"id": "a-1", "action": "answer", "text": "We did {change}."}


def unknown_slots(text: str) -> list[str]:
    """What stands in braces and is no slot: a mistake in a template that ships, harmless in a reply."""
    return [braces for braces in re.findall(r"\{[^{}]*\}", text) if not find_slots(braces)]


def toml(**changes: object) -> str:
    entry = GOOD | changes
    lines = [f"{name} = {value!r}".replace("'", '"') for name, value in entry.items() if value is not None]
    return "format = 1\n[[template]]\n" + "\n".join(lines)


@pytest.mark.parametrize("template", starter(), ids=lambda t: t.id)
def test_every_template_that_ships_keeps_the_schema(template: Template) -> None:
    assert problems(template) == () and unknown_slots(template.text) == [] and template.provenance
    assert template.text[-1] in ".?!:"


def test_the_ids_of_what_ships_are_unique() -> None:
    ids = [template.id for template in starter()]
    assert len(ids) == len(set(ids)) >= 6


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"action": "shrug"}, "rebuttal action"),
        ({"roots": ["beauty"]}, "isn't an aspect"),
        ({"themes": ["weather"]}, "theme"),
        ({"register": "rude"}, "register"),
        ({"text": ""}, "no text"),
        ({"text": " a"}, "single spaces"),
        ({"text": "a" * 601}, "longer"),
        ({"id": "Not an id"}, "id"),
        ({"text": None}, "text"),
        ({"roots": "clarity"}, "list"),
        ({"colour": "red"}, "colour"),
        ({"version": 0}, "version"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, object], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        read_toml(toml(**changes), library="mine")


def test_a_file_says_its_format_and_gives_each_id_once() -> None:
    with pytest.raises(BadInput, match="format"):
        read_toml("[[template]]\n", library="mine")
    with pytest.raises(BadInput, match="twice"):
        read_toml(toml() + "\n" + toml().removeprefix("format = 1\n"), library="mine")
    with pytest.raises(BadInput, match="TOML"):
        read_toml("= 3", library="mine")
    (made,) = read_toml(toml(), library="mine")
    assert made == Template("a-1", "answer", "We did {change}.", library="mine")
    assert made.source == "template:mine/a-1"


def test_only_known_names_in_braces_are_slots() -> None:
    text = r"See {section}: $x_{i} \frac{a}{b} \text{term}$, the set {a, b}, {table} and {nonsense}."
    assert [slot.name for slot in find_slots(text)] == ["section", "table"]
    assert unknown_slots("in {section} and {nonsense}") == ["{nonsense}"]
    assert problems(Template("a", "answer", "In {nonsense}.")) == ()


def test_tab_goes_from_slot_to_slot_and_around() -> None:
    text = "a {section} b {table}"
    first, second = find_slots(text)
    assert next_slot(text, 0) == first
    assert next_slot(text, first.span.end) == second
    assert next_slot(text, len(text)) == first
    assert next_slot(text, second.span.start, forward=False) == first
    assert next_slot(text, 0, forward=False) == second
    assert next_slot("none", 0) is None


pieces = st.lists(
    st.one_of(st.sampled_from(sorted(SLOTS)).map(lambda n: "{" + n + "}"), st.text("ab é😀{}.\\", max_size=6))
)


@given(pieces.map(" ".join))
def test_spans_are_code_points_and_cut_out_the_slot(text: str) -> None:
    for slot in find_slots(text):
        assert text[slot.span.start : slot.span.end] == "{" + slot.name + "}"


@given(pieces.map(" ".join), st.dictionaries(st.sampled_from(sorted(SLOTS)), st.text("xyz{} ", max_size=8)))
def test_filling_changes_nothing_but_slots_with_a_value(text: str, values: dict[str, str]) -> None:
    assert fill(text, {}) == text
    filled = fill(text, values)
    rest = filled
    for part in words_between(fill(text, {})):
        at = rest.find(part)
        assert at >= 0
        rest = rest[at + len(part) :]
    if not any(values.get(slot.name) for slot in find_slots(text)):
        assert filled == text


def test_a_value_gets_a_capital_only_where_a_sentence_begins() -> None:
    filled = fill("{point} is new. {point} holds, see e.g.{point} and {point}.", {"point": "the margin"})
    assert filled == "The margin is new. The margin holds, see e.g.the margin and the margin."


@given(st.sampled_from(sorted(SLOTS)), st.sampled_from(sorted(SLOTS)))
def test_a_value_is_not_read_for_slots(name: str, other: str) -> None:
    expected = "X" if name == other else "{" + other + "}"
    assert fill("{" + name + "}", {name: "{" + other + "}", other: "x"}) == expected
