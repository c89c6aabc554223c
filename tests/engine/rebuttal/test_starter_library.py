"""The library that ships, read as a whole: what it answers, and that no two of its templates say the same."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from engine.rebuttal.fitting import OPENINGS
from engine.rebuttal.records import ACTIONS, Template
from engine.rebuttal.slots import find_slots
from engine.rebuttal.templates import requests, roots, starter

PLACES = {"section", "table", "figure", "equation", "appendix", "page"}
NAMED_PLACES = re.compile(
    r"\b(introduction|abstract|title|related work|whole paper|references|archive)\b", re.IGNORECASE
)
AMERICAN = re.compile(
    r"\b(\w+(?<!s)iz(e[sd]?|ing|ation)|analyz\w+|colors?|behaviors?|favors?|centers?|modeling|labeled|artifacts?)\b"
)
ALIKE = 0.5
"""Of all words of two templates, how many both may have at most."""


def words(template: Template) -> set[str]:
    return set(re.findall(r"[a-z]{2,}", template.text.casefold()))


def test_every_template_answers_one_request_and_every_request_has_templates() -> None:
    library = {template.id: template for template in starter()}
    answering = [key for key, template in library.items() if template.action not in OPENINGS]
    assert sorted(key for request in requests() for key in request.templates) == sorted(answering)
    for request in requests():
        assert len(set(request.sentences)) == len(request.sentences) >= 5, request.id
        assert len(request.templates) >= 2 and len({library[key].action for key in request.templates}) >= 2, request.id
        assert len({library[key].roots for key in request.templates}) == 1, "its templates are for the same aspects"
        assert not request.title.endswith("."), "follows “to”"
    assert {template.action for template in library.values()} == set(ACTIONS)
    assert {root for template in library.values() for root in template.roots} == set(roots())


def test_no_two_templates_say_nearly_the_same() -> None:
    library = [(template.id, words(template)) for template in starter()]
    alike = [(a, b) for (a, one), (b, two) in combinations(library, 2) if len(one & two) >= ALIKE * len(one | two)]
    assert alike == []


@pytest.mark.parametrize("template", starter(), ids=lambda t: t.id)
def test_a_template_is_short_with_few_slots_in_british_spelling(template: Template) -> None:
    slots = [slot.name for slot in find_slots(template.text)]
    assert len(slots) == len(set(slots)) <= 4
    assert 40 <= len(template.text) <= 250
    assert AMERICAN.findall(template.text) == []


@pytest.mark.parametrize("template", [t for t in starter() if t.action == "task_done"], ids=lambda t: t.id)
def test_what_is_done_says_where(template: Template) -> None:
    assert {slot.name for slot in find_slots(template.text)} & PLACES or NAMED_PLACES.search(template.text)
    assert not re.search(r"\bwe will\b", template.text, re.IGNORECASE)


@pytest.mark.parametrize("template", [t for t in starter() if t.action == "task_will_be_done"], ids=lambda t: t.id)
def test_what_is_promised_is_in_the_future(template: Template) -> None:
    assert re.search(r"\bwill\b", template.text)
