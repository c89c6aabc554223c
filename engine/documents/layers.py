"""Text in layers (optional content) that a page does not show. Runs in the worker."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.documents.hidden import WHY, Finding, Unexamined, joined, tells
from engine.documents.objects import of_type
from engine.documents.records import Box
from engine.documents.traced import failures

_REFERENCE = re.compile(r"(\d+) \d+ R")
_NUMBER = re.compile(r"\d*\.?\d+|\d+\.")
_ZOOM = (0.5, 4.0)
"""Magnifications at which people read."""
_MOST_NESTED = 200
_RULE = re.compile(r"\[|\]|/\w+|\d+ \d+ R")


def in_layers(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> tuple[list[Finding], list[Finding], list[Unexamined]]:
    """The text that a page yields once nothing makes parts of it optional, unless both MuPDF and a reader that follows
    all rules of the standard (MuPDF leaves some out) show it."""
    del data, shown
    import pymupdf

    optional = of_type(objects, "OCG", "OCMD")
    if not optional:
        return [], [], []
    findings: list[Finding] = []
    left: list[Unexamined] = []
    try:
        on = _seen(document, objects, optional)
        plain, standard = (pymupdf.open(stream=document.tobytes(garbage=0), filetype="pdf") for _ in range(2))
        for copy in (plain, standard):
            for number in optional:
                shows = copy is plain or on[number]
                copy.update_object(number, "<</Type/Unconditional>>" if shows else "<</Type/OCG/Name()>>")
        off = " ".join(f"{n} 0 R" for n in optional if not on[n])
        plain.xref_set_key(plain.pdf_catalog(), "OCProperties", "null")
        standard.xref_set_key(standard.pdf_catalog(), "OCProperties", f"<</OCGs[{off}]/D<</OFF[{off}]>>>>")
    except failures():
        return [], [], [Unexamined(0, "its layers could not be switched on")]
    with plain, standard:
        for index in range(min(document.page_count, plain.page_count, standard.page_count)):
            tick()
            try:
                page = document.load_page(index)
                first, second = (
                    Counter(_place(w) for w in one.load_page(index).get_text("words")) for one in (document, standard)
                )
                more = [w for w in plain.load_page(index).get_text("words") if not (first & second)[_place(w)]]
            except failures():
                left.append(Unexamined(index + 1, "its layers could not be switched on"))
                continue
            text = joined(w[4] for w in more)
            if tells(text, "layer off"):
                matrix = page.rotation_matrix
                rects = [pymupdf.Rect(w[:4]) * matrix for w in more]
                boxes = tuple(Box(index + 1, *(round(v, 2) for v in rect)) for rect in rects)
                findings.append(Finding("layer off", index + 1, text, WHY["layer off"], boxes))
    return findings, [], left


def _place(word: Sequence[Any]) -> tuple[object, ...]:
    return (word[4], round(word[0]), round(word[1]))


def _seen(document: Any, objects: Mapping[int, str], optional: Sequence[int]) -> dict[int, bool]:
    """Which layers and rules show what they hold on a screen when the file is opened (ISO 32000-2, 8.11)."""

    known = set(optional)

    def value(number: int, key: str) -> str:
        """With the arrays and dictionaries that it refers to in their places."""
        text = str(document.xref_get_key(number, key)[1])
        for _ in range(_MOST_NESTED):
            inner = (m for m in _REFERENCE.finditer(text) if (n := int(m[1])) in objects and n not in known)
            place = next((m for m in inner if objects[int(m[1])].startswith(("[", "<<"))), None)
            if place is None:
                return text
            text = f"{text[: place.start()]}{objects[int(place[1])]}{text[place.end() :]}"
        raise ValueError("a rule of its layers is too long")

    def layers(number: int, key: str) -> list[int]:
        return [n for n in map(int, _REFERENCE.findall(value(number, key))) if n in known]

    def named(key: str) -> list[int]:
        return layers(document.pdf_catalog(), f"OCProperties/D/{key}")

    base = document.xref_get_key(document.pdf_catalog(), "OCProperties/D/BaseState")[1]
    on = dict.fromkeys(optional, base != "/OFF") | dict.fromkeys(named("ON"), True) | dict.fromkeys(named("OFF"), False)
    for number in named("AS"):
        state, user, least, most = (
            document.xref_get_key(number, f"Usage/{key}")[1]
            for key in ("View/ViewState", "User", "Zoom/min", "Zoom/max")
        )
        if state == "/OFF" or user != "null" or _number(least, 0) > _ZOOM[1] or _number(most, 99) < _ZOOM[0]:
            on[number] = False
    for number in (n for n in optional if "/OCMD" in objects[n]):
        rule = value(number, "VE")
        if rule.count("[") > _MOST_NESTED:
            raise ValueError("a rule of its layers is too long")
        if rule.startswith("["):
            on[number] = _holds(_RULE.findall(rule)[::-1], on)
            continue
        groups = [on[n] for n in layers(number, "OCGs")]
        policy = document.xref_get_key(number, "P")[1]
        choose = all if policy in ("/AllOn", "/AllOff") else any
        on[number] = not groups or choose(one == (policy not in ("/AllOff", "/AnyOff")) for one in groups)
    return on


def _number(value: str, other: float) -> float:
    return float(value) if _NUMBER.fullmatch(value) else other


def _holds(rule: list[str], on: Mapping[int, bool]) -> bool:
    """Whether an expression of layers is true; ``rule``: its parts from the last one on, which are used up."""
    part = rule.pop() if rule else "0"
    if part != "[":
        return on.get(int(part.split()[0]), True) if part[0].isdigit() else True
    operator = rule.pop() if rule else ""
    values = []
    while rule and rule[-1] != "]":
        values.append(_holds(rule, on))
    del rule[-1:]
    if operator == "/Not":
        return not all(values)
    return any(values) if operator == "/Or" else all(values)
