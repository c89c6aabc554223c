"""Review sentences about a parsed paper, true ones and false ones, made from the paper itself by a seed.

True: quotations cut out of it, its figures, tables, equations, sections and appendices, numbers that stand in its
tables, each as reviewers write them. False: quotations with a word or a number changed, turned round, put together or
made up, tables' numbers changed, and places that it does not have.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.documents.numbers import find_quantities
from engine.documents.places import Place, Places
from engine.review_drafting.grounding import ground
from engine.statements.table_doubts import trusted


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
    "It is said that ``{}'' without a reason.",
    'The authors write: "{}."',
)
_PLACES = (
    "{} shows results that are hard to interpret.",
    "As {} makes clear, the method is weaker than claimed.",
    "The claim rests on {} alone.",
    "The authors argue with {}, which is unconvincing.",
    "The main result (see {}) is not convincing.",
    "- {}: the text and the figures disagree.",
)
_NUMBERS = (
    "{table} reports {number}, which seems too good.",
    "The value of {number} in {table} is surprising.",
    "According to {table}, the result is {number}.",
    "In {table} the authors list {number} without any error bars.",
    "The authors report {number} ({table}).",
)
_FORMS: dict[str, tuple[str, ...]] = {
    "table": ("Table {}", "Tab. {}", "table {}", "Tbl. {}", "Table{}", "TABLE {}"),
    "figure": ("Figure {}", "Fig. {}", "Fig {}", "figure {}", "Figs. {}", "Figure {}a", "Fig. {} (left)"),
    "equation": ("Eq. ({})", "Equation {}", "eq. {}", "Eqn. ({})", "equation ({})", "Eq ({})"),
    "section": ("Section {}", "Sec. {}", "Sec {}", "§{}", "section {}", "Sect. {}"),
    "appendix": ("Appendix {}", "App. {}", "appendix {}", "Section {} of the appendix"),
    "algorithm": ("Algorithm {}", "Alg. {}"),
}


def planted(places: Places, rng: random.Random, each: int) -> Iterator[Planted]:
    """``each`` true and false cases of every kind for which the paper has material."""
    for _ in range(each):
        yield from _quotation(places, rng)
        yield from _place(places, rng)
        yield from _number(places, rng)


# --- quotations -------------------------------------------------------------------------------------------------------


def _quotation(places: Places, rng: random.Random) -> Iterator[Planted]:
    bodies = [p for p in places.document.paragraphs if p.kind == "body" and len(p.text) > 200]
    words = rng.choice(bodies).text.split()
    size = rng.randint(5, 14)
    at = rng.randrange(max(1, len(words) - size))
    chosen = [re.sub(r"[“”\"„«»‘’`']", "", w) for w in words[at : at + size]]
    frame = rng.choice(_QUOTES)
    real = " ".join(chosen)
    if sum(w.isalpha() for w in chosen) < 4:
        return
    yield Planted("quotation", frame.format(_as_typed(real, rng)), True)
    yield from _with_a_gap(words, frame, rng, _plain(places))
    other = rng.choice(bodies).text.split()
    inner = [n for n in range(1, len(chosen) - 1) if len(chosen[n]) > 3 and chosen[n].isalpha()]
    if inner:
        changed = list(chosen)
        changed[rng.choice(inner)] = rng.choice([w for w in other if w.isalpha() and len(w) > 3])
        yield from _false("quotation, a word changed", " ".join(changed), frame, places)
        turned = list(chosen)
        turned.insert(rng.choice(inner), "not")
        yield from _false("quotation, turned round", " ".join(turned), frame, places)
    digits = [n for n, w in enumerate(chosen) if re.fullmatch(r"\d{2,}[.,]?", w)]
    if digits:
        changed, place = list(chosen), rng.choice(digits)
        changed[place] = str(int(re.sub(r"\D", "", chosen[place])) + rng.randint(1, 9))
        yield from _false("quotation, a number changed", " ".join(changed), frame, places)
    long = [w for w in chosen if w.isalpha()]
    mixed = rng.sample(long, len(long))
    if len(long) > 4 and mixed != long:
        yield from _false("quotation, made up", " ".join(mixed), frame, places)


def _false(kind: str, text: str, frame: str, places: Places) -> Iterator[Planted]:
    """A false quotation, unless the paper happens to hold it as plain text."""
    if text not in _plain(places):
        yield Planted(kind, frame.format(text), False)


def _plain(places: Places) -> str:
    return " ".join(" ".join(p.text for p in places.document.paragraphs).split())


def _with_a_gap(words: list[str], frame: str, rng: random.Random, plain: str) -> Iterator[Planted]:
    if len(words) < 24:
        return
    at = rng.randrange(len(words) - 22)
    first, last = ([re.sub(r"[“”\"„«»‘’`']", "", w) for w in words[n : n + 6]] for n in (at, at + 14))
    if any(sum(w.isalpha() for w in part) < 4 or re.search(r"[\[\]…]|\.\.", " ".join(part)) for part in (first, last)):
        return
    gap = rng.choice((" ... ", " [...] ", " … ", "... "))
    yield Planted("quotation with a gap", frame.format(" ".join(first) + gap + " ".join(last)), True)
    behind = f"{re.escape(' '.join(words[at + 14 : at + 20]))}.{{0,2500}}{re.escape(' '.join(words[at : at + 6]))}"
    if not re.search(behind, plain):
        yield Planted("quotation, parts exchanged", frame.format(" ".join(last) + gap + " ".join(first)), False)


def _as_typed(text: str, rng: random.Random) -> str:
    """As reviewers type or paste it: other dashes, ligatures, a hyphen at a line's end, a capital in brackets."""
    match rng.randrange(8):
        case 0:
            return text.replace("fi", "\ufb01").replace("fl", "\ufb02")
        case 1:
            return text.replace("-", "\u2010").replace("–", "-")
        case 2:
            return "  ".join(text.split())
        case 3:
            return text.replace(" ", "\n", 1)
        case 4:
            long = next((w for w in text.split() if w.isalpha() and len(w) > 7), "")
            return text.replace(long, f"{long[:4]}-\n{long[4:]}", 1) if long else text
        case 5:
            return f"[{text[0].upper()}]{text[1:]}" if text[0].isalpha() else text
        case 6:
            return text.rstrip(".,;:") + ","
        case _:
            return text


# --- places -----------------------------------------------------------------------------------------------------------


def _place(places: Places, rng: random.Random) -> Iterator[Planted]:
    numbered: dict[str, list[Place]] = {}
    for place in (*places.captioned, *places.equations, *places.sections):
        kind = "appendix" if place.kind == "section" and place.number[:1].isalpha() else place.kind
        if place.number and kind in _FORMS:
            numbered.setdefault(kind, []).append(place)
    for kind, found in numbered.items():
        real = rng.choice(found)
        said = rng.choice(_FORMS[kind]).format(real.number)
        yield Planted(f"place: {kind}", rng.choice(_PLACES).format(said), True)
    captioned = [p for kind in ("figure", "table") for p in numbered.get(kind, ()) if p.number.isdigit()]
    for kind in ("figure", "table"):
        same = sorted({int(p.number) for p in captioned if p.kind == kind})
        if len(same) > 1:
            one, two = sorted(rng.sample(same, 2))
            both = f"{kind.capitalize()}s {one} and {two}"
            yield Planted("places in a list", rng.choice(_PLACES).format(both), True)
    titled = [s for s in places.sections if 3 < len(s.title) < 60 and not re.search(r"[\"“”‘’']", s.title)]
    if titled:
        yield Planted("section by title", rng.choice(_PLACES).format(f"the section “{rng.choice(titled).title}”"), True)
    kind = rng.choice(tuple(_FORMS))
    beyond = max([int(n) for p in places.captioned if (n := p.number).isdigit()], default=0) + rng.randint(8, 40)
    said = rng.choice(_FORMS[kind]).format(rng.choice("QRTW") if kind == "appendix" else beyond)
    yield Planted(f"absent {kind}", rng.choice(_PLACES).format(said), False)
    near = max([int(p.number) for p in captioned if p.kind == "figure"], default=0) + 1
    if captioned and not any(re.search(rf"\bFig(?:ure|s|\.|ures)?\.? {near}\b", t) for t in _texts(places)):
        yield Planted("absent figure, the next number", rng.choice(_PLACES).format(f"Figure {near}"), False)
    title = rng.choice(("Quantum Appendices", "Notes on Ballroom Dancing", "Threats From Volcanoes"))
    yield Planted("absent section by title", rng.choice(_PLACES).format(f"the section “{title}”"), False)


def _texts(places: Places) -> Iterator[str]:
    return (p.text for p in places.document.paragraphs)


# --- numbers of tables ------------------------------------------------------------------------------------------------


def _number(places: Places, rng: random.Random) -> Iterator[Planted]:
    # What may have been read wrongly decides nothing (tests/engine/statements/test_table_doubts.py).
    tables = [t for t in trusted(places.tables) if sum(len(places.numbers[p.id]) for p in places.text_of(t)) > 5]
    if not tables:
        return
    table = rng.choice(tables)
    held = [q for p in places.text_of(table) if p.id != table.caption_id for q in places.numbers[p.id]]
    strong = [q for q in held if q.decimals > 0 or q.percent or abs(q.value) >= 10]
    if not strong:
        return
    real, frame = rng.choice(strong), rng.choice(_NUMBERS)
    name = rng.choice(_FORMS["table"]).format(table.number)
    bare = real.text.strip().lstrip("–−-+")
    yield Planted("number", frame.format(table=name, number=bare), True)
    if real.decimals >= 2 and "e" not in bare.lower() and abs(real.value) >= 1:
        rounded = f"{abs(real.value):.{real.decimals - 1}f}" + ("%" if real.percent else "")
        yield Planted("number, rounded", frame.format(table=name, number=rounded), True)
    if real.decimals >= 2 and not real.percent and 0.1 <= abs(real.value) < 1:
        share = f"{100 * abs(real.value):.{real.decimals - 2}f}%"
        yield Planted("number, as a percentage", frame.format(table=name, number=share), True)
    for kind, wrong in (("wrong number", _digit(bare, rng)), ("wrong number, digits exchanged", _exchanged(bare))):
        said = find_quantities(wrong)
        if len(said) == 1 and places.number_in_table(said[0], table) is None:
            yield Planted(kind, frame.format(table=name, number=wrong), False)


def _digit(text: str, rng: random.Random) -> str:
    digits = list(text)
    at = rng.choice([n for n, c in enumerate(digits) if c.isdigit()])
    digits[at] = rng.choice([d for d in "123456789" if d != digits[at]])
    return "".join(digits)


def _exchanged(text: str) -> str:
    """The first two digits that differ and are not noughts change places."""
    for n in range(len(text) - 1):
        a, b = text[n : n + 2]
        if a.isdigit() and b.isdigit() and a != b and "0" not in (a, b):
            return text[:n] + b + a + text[n + 2 :]
    return text


@dataclass
class Tally:
    """Of the planted cases how many were judged right, by kind and truth: contradicted
    and not found mean false."""

    right: Counter[tuple[str, bool]] = field(default_factory=Counter)
    count: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def judge(self, places: Places, cases: Iterable[Planted]) -> None:
        """Check each case against its paper."""
        for case in cases:
            red = bool(ground(case.text, places).unfounded)
            self.count[case.kind, case.true] += 1
            self.right[case.kind, case.true] += red != case.true

    def shares(self) -> dict[tuple[str, bool], float]:
        """The share judged right, 0 to 1, by kind and truth."""
        return {key: self.right[key] / self.count[key] for key in sorted(self.count)}
