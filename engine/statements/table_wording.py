"""Rewrites a statement in the wording of a table: numbers in digits, abbreviations, and labels as printed."""

import re
from collections.abc import Collection

from engine.statements.grids import Layout
from engine.statements.table_phrases import COUNTED, LITTLE, fold, label_words

_ONE = re.compile(
    r"\b(?P<first>\w+)(?P<join> (?:to|and|or|than|over) (?:the )?)(?P<second>\w+ (?P<head>\w+))|\b(?P<own>\w+) ones?\b"
)


def _completed(statement: str, layout: Layout) -> str:
    """Adds omitted heads of labels to a statement: "from the low to the medium dose", "the low one"."""
    labels = {x.casefold(): x for d in layout.dimensions for x in layout.labels(d) if x.count(" ") == 1}

    def whole(found: re.Match[str]) -> str:
        if found["own"]:
            own = [x for x in labels if x.split()[0] == found["own"].casefold()]
            return labels[own[0]] if len(own) == 1 else found[0]
        first, second = f"{found['first']} {found['head']}", found["second"]
        known = {first.casefold(), second.casefold()} <= labels.keys()
        return f"{first}{found['join']}{second}" if known else found[0]

    return _ONE.sub(whole, statement)


def worded(statement: str, layout: Layout, known: Collection[str]) -> str:
    """Returns a statement in the wording of a table; ``known`` are the words of its labels."""
    for sign, words in ((">", "above|over|older than|more than"), ("<", "below|under|younger than|less than")):
        if numbers := {
            m[1] for d in layout.dimensions for x in layout.labels(d) if (m := re.search(rf"{sign}\s?(\d+)", x))
        }:
            statement = re.sub(rf"\b(?:{words}) (?=(?:{'|'.join(numbers)})\b)", f"{sign} ", statement)
    known = {*known, *label_words(layout.caption)}
    return _named_again(_in_digits(_initials(_completed(statement, layout), layout), known), layout)


_OF = r"(?= (?:as|that|those|the|more|less|fewer|(?!other)[a-z]+er)\b)"
_TIMES = (
    (r"\b(more|less|fewer) than half of (?:the|all|their|its) \w+", r"\1 than 50 % of them"),
    (r"\b(?:a|the) majority (?:of (?:the )?\w+ )?(?=(?:is|are|was|were)\b)", "more than 50 % "),
    (rf"\b(?:twice|double){_OF}", "2 fold"),
    (rf"\bdoubl(?:es?|ed|ing){_OF}", "is 2 fold"),
    (rf"\bhalf(?: of)?{_OF}", "0.5 fold"),
    (rf"\b(?:a|one) third(?: of)?{_OF}", "0.33 fold"),
    (rf"\b(?:a|one) quarter(?: of)?{_OF}", "0.25 fold"),
    (r"\b(?:a|one) third of\b", "33 % of"),
    (r"\b(?:a|one) quarter of\b", "25 % of"),
    (rf"(?<=\d) times{_OF}", " fold"),
)
"""Multiples in words, with their form in digits."""
_NUMBER = "|".join(COUNTED[1:])
_NTH = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _in_digits(statement: str, known: Collection[str]) -> str:
    """Converts multiples ("twice as many") to digits, and number words if a label contains them: "third iteration" to
    "iteration 3", "one shot" to "1-shot"."""

    def cardinal(found: re.Match[str]) -> str:
        n = str(COUNTED.index(found[1].lower()))
        named = found[3] == "times" or (n in known and fold(found[3]) in known)
        return f"{n}{found[2]}{found[3]}" if named else found[0]

    def ordinal(found: re.Match[str]) -> str:
        n = str(_NTH.index(found[1].lower()))
        *between, noun = found[2].split()
        named = n in known and fold(noun) in known and all(fold(w) in known for w in between)
        return f"{found[2]} {n}" if named else found[0]

    statement = re.sub(rf"\b({_NUMBER})([ -])(\w+)", cardinal, statement, flags=re.IGNORECASE)
    for words, digits in _TIMES:
        statement = re.sub(words, digits, statement, flags=re.IGNORECASE)
    for noun in (r"\w+ \w+", r"\w+"):
        statement = re.sub(rf"\b({'|'.join(_NTH[1:])}) ({noun})", ordinal, statement, flags=re.IGNORECASE)
    return statement


_CAPITALS = re.compile(r"\b[A-Z]{2,5}\b")
_JOINS = ("from", "for", "with", "than", "that", "this", "over", "under", "into", "between")
"""Words that no abbreviation stands for: "mass shrinks from" isn't MSF."""


def _initials(statement: str, layout: Layout) -> str:
    """Replaces what a label abbreviates by the abbreviation ("false positive rate" by "FP rate"), and the statement's
    own abbreviations by the only label with those initials."""
    labels = [label for d in layout.dimensions for label in layout.labels(d)]
    said = {*_CAPITALS.findall(statement)}
    for short in {x for label in labels for x in _CAPITALS.findall(label)} - said:
        words = r"[ -]".join(rf"(?!(?:{'|'.join((*LITTLE, *_JOINS))})\b)[{c}{c.lower()}]\w{{2,}}" for c in short)
        statement = re.sub(rf"\b{words}\b", short, statement)
    own = {w for label in labels for w in label_words(label)}
    for short in (x for x in said if fold(x) not in own and len(x) > 1):
        long = [x for x in labels if "".join(w[0] for w in label_words(x)).upper() == short]
        statement = re.sub(rf"\b{short}\b", long[0], statement) if len(long) == 1 else statement
    return statement


def _named_again(statement: str, layout: Layout) -> str:
    """Adds the name of a numeric column before each further number that is one of its labels: "a window of 50 is better
    than one of 25"."""
    for dimension in range(layout.rows):
        name, labels = layout.names[dimension], layout.labels(dimension)
        numbers = {x for x in labels if re.fullmatch(r"\d[\d.,]*", x)}
        words = [w for w in label_words(name) if re.search(rf"\b{re.escape(w)}", statement, re.IGNORECASE)]
        if len(numbers) > 1 and words:
            among = "|".join(map(re.escape, numbers))
            further = rf"\b(one of|than|at|of|to|and|with|from) (?=(?:{among})(?![\w%]|[.,]\d))"
            statement = re.sub(further, rf"\1 {words[0]} ", statement)
    return statement
