"""Review sentences about a parsed paper, true ones and false ones, made from the paper itself by a seed.

True: quotations cut out of it, its figures, tables and sections, numbers that stand in its tables. False: quotations
with a word exchanged, moved or made up, tables' numbers changed, figures, tables and sections that it does not have.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.documents.numbers import agrees, find_quantities
from engine.documents.places import Places


@dataclass(frozen=True)
class Planted:
    """A sentence of a review, what was planted in it, and whether it is true."""

    kind: str
    text: str
    true: bool


_QUOTES = (
    "The authors state “{}”, which needs support.",
    "I was puzzled by “{}” and would like to see evidence.",
    'The sentence "{}" overstates the results.',
    "The paper claims that “{}”.",
)
_PLACES = (
    "{} shows results that are hard to interpret.",
    "As {} makes clear, the method is weaker than claimed.",
    "The claim rests on {} alone.",
    "The authors argue with {}, which is unconvincing.",
)
_NUMBERS = (
    "{table} reports {number}, which seems too good.",
    "The value of {number} in {table} is surprising.",
    "According to {table}, the result is {number}.",
    "In {table} the authors list {number} without any error bars.",
)


def planted(places: Places, rng: random.Random, each: int) -> Iterator[Planted]:
    """``each`` true and false cases of every kind for which the paper has material."""
    for _ in range(each):
        yield from _quotation(places, rng)
        yield from _place(places, rng)
        yield from _number(places, rng)


def _quotation(places: Places, rng: random.Random) -> Iterator[Planted]:
    bodies = [p for p in places.document.paragraphs if p.kind == "body" and len(p.text) > 200]
    words = rng.choice(bodies).text.split()
    size = rng.randint(5, 14)
    at = rng.randrange(max(1, len(words) - size))
    chosen = [re.sub(r"[“”\"„«»‘’]", "", w) for w in words[at : at + size]]
    frame = rng.choice(_QUOTES)
    real = " ".join(chosen)
    yield Planted("quotation", frame.format(_as_typed(real, rng)), True)
    other = rng.choice(bodies).text.split()
    inner = [n for n in range(1, len(chosen) - 1) if len(chosen[n]) > 3 and chosen[n].isalpha()]
    if inner:
        changed = list(chosen)
        changed[rng.choice(inner)] = rng.choice([w for w in other if w.isalpha() and len(w) > 3])
        text = " ".join(changed)
        if text != real:
            yield Planted("quotation, a word changed", frame.format(text), False)
    long = [w for w in chosen if w.isalpha()]
    mixed = rng.sample(long, len(long))
    if len(long) > 4 and mixed != long:
        yield Planted("quotation, made up", frame.format(" ".join(mixed)), False)


def _as_typed(text: str, rng: random.Random) -> str:
    """As reviewers type or paste it: other dashes and marks, ligatures, a hyphen at a line's end."""
    match rng.randrange(5):
        case 0:
            return text.replace("fi", "\ufb01").replace("fl", "\ufb02")
        case 1:
            return text.replace("-", "\u2010").replace("–", "-")
        case 2:
            return "  ".join(text.split())
        case 3:
            return text.replace(" ", "\n", 1)
        case _:
            return text


def _place(places: Places, rng: random.Random) -> Iterator[Planted]:
    captioned = [p for p in places.captioned if p.kind in ("figure", "table")]
    if captioned:
        real = rng.choice(captioned)
        yield Planted("place", rng.choice(_PLACES).format(f"{real.kind.capitalize()} {real.number}"), True)
    titled = [s for s in places.sections if 3 < len(s.title) < 60 and '"' not in s.title]
    if titled:
        yield Planted("place", rng.choice(_PLACES).format(f"the section “{rng.choice(titled).title}”"), True)
    kind = rng.choice(("Figure", "Table", "Fig.", "Algorithm", "Equation"))
    beyond = max([int(n) for p in places.captioned if (n := p.number).isdigit()], default=0) + rng.randint(8, 40)
    yield Planted("absent place", rng.choice(_PLACES).format(f"{kind} {beyond}"), False)


def _number(places: Places, rng: random.Random) -> Iterator[Planted]:
    tables = [t for t in places.tables if len(places.numbers_of(t)) > 5]
    if not tables:
        return
    table = rng.choice(tables)
    held = [q for q, p in places.numbers_of(table) if p.paragraph_id != table.caption_id]
    strong = [q for q in held if q.decimals > 0 or q.percent or abs(q.value) >= 10]
    if not strong:
        return
    real, frame = rng.choice(strong), rng.choice(_NUMBERS)
    name = f"Table {table.number}"
    yield Planted("number", frame.format(table=name, number=real.text.strip().lstrip("–−-+")), True)
    for _ in range(20):
        digits = list(real.text.strip().lstrip("–−-+"))
        at = rng.choice([n for n, c in enumerate(digits) if c.isdigit()])
        digits[at] = rng.choice([d for d in "123456789" if d != digits[at]])
        wrong = "".join(digits)
        said = find_quantities(wrong)
        if len(said) == 1 and not any(agrees(said[0], q) for q, _ in places.numbers_of(table)):
            yield Planted("wrong number", frame.format(table=name, number=wrong), False)
            return
