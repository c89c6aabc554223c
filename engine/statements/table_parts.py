"""Splits what a clause says about one subject into separate clauses, all of which must hold."""

import re
from dataclasses import replace

from engine.statements.grids import Layout
from engine.statements.table_mentions import Mention
from engine.statements.table_phrases import COMPARES, LIST, RIVALS, SECOND, comparison_in, extreme_in, label_words
from engine.statements.table_verbs import FALL, IMPROVE, OVER, RISE, UNDER, VERBS
from engine.statements.table_wording import plainly
from engine.statements.table_words import Reading

_STEP = "|".join(words for _, words in COMPARES)
_VERB = (
    r"(?:(?:does|do|did|is|are|was|were) not |cannot |fails? to )?(?:[a-z]+ly )?"
    rf"(?:{OVER}|{UNDER}|{RISE}|{FALL}|exceed\w*|improv\w+|achiev\w+|obtain\w*|gets?|got|reach\w*|yields?"
    r"|gives?|shows?|has|have|had|is|are|was|were|performs?)"
)
_OWN = rf"(?:the )?M\d+(?: (?:,|and|or) M\d+)* (?:[a-z]+ )?{_VERB}\b"
"""Another subject with its predicate."""
_PARTS_JOIN = re.compile(
    rf",? (?:and|but|yet|,)(?: (?:also|still|even|only|then|thus|instead|is|are))* (?={_VERB}\b"
    rf"|(?:an? )?(?:[a-z]+ly )?(?:{_STEP})\b[^,]*\b(?:than|to)\b)"
    r"|,? (?:which|that) (?:is|was|are|were) (?=(?:[a-z]+ ){0,2}N\d+ [a-z %]*\b(?:than|over)\b)"
    r"|, (?=(?:[a-z]+ ){0,2}N\d+ (?:\w+ )?(?:points? |% )?(?:more|less|higher|lower|better|worse)\b)"
    rf"|,? (?:as|and|but|,) (?={_OWN})|, (?={_OWN})"
)
"""Where another predicate of the preceding subject starts."""
CONTINUES = re.compile(
    rf"(?:(?:also|still|even|only|then|thus|is|are) )*(?:{_VERB}\b|(?:an? )?(?:[a-z]+ly )?(?:{_STEP})\b)", re.IGNORECASE
)
"""A continuation with the preceding subject."""
_AND_BEST = re.compile(r" (?:, )?(?:and|but|with)(?: also)? the (?=\w+est\b)")
OPPOSED = re.compile(
    rf"\b(?:{_STEP}) (?:with|for|in|at|under|on)\b[^,;]* and (?:{_STEP}) (?:with|for|in|at|under|on)\b"
)
""" "Higher with A and lower with B"."""
_FIRST_VERB = re.compile(rf" (?={_VERB}\b)")


def parts_of(reading: Reading, rows: int) -> list[list[Reading]]:
    """Returns the predicates of a clause, with the subject before each and the other side of a comparison after each
    that lacks one; each in its possible readings."""
    text = reading.text
    verb = _FIRST_VERB.search(text) or re.search(r"(?<=M\d) (?=[a-z]+s\b)", text)
    if verb is None or not re.search(r"\bM\d", text[: verb.start()]) or OPPOSED.search(text):
        return [[reading]]
    subject = text[: verb.start()]
    best = _AND_BEST.split(text[verb.start() :])
    if len(best) > 1 and all(map(extreme_in, best)):
        return [[only(reading, plainly(x))] for x in (subject + best[0], *(f"{subject} has the {x}" for x in best[1:]))]
    pieces: list[str] = []
    last = 0
    for found in _PARTS_JOIN.finditer(text, verb.end()):
        before, after = text[last : found.start()], text[found.end() :]
        said = comparison_in(before) or re.search(r"\bN\d", before)
        if not said or not comparison_in(after):
            continue
        if "N" not in after and not re.search(r"\bM\d", after):
            continue
        pieces.append(before if not pieces or re.match(_OWN, before) else f"{subject} {before}")
        last = found.end()
    if not pieces:
        return [[reading]]
    rest = text[last:]
    own_subjects = bool(re.match(_OWN, rest))
    own = "" if own_subjects else f"{subject} " if _FIRST_VERB.match(f" {rest}") else f"{subject} is "
    pieces.append(own + rest)
    other = next(filter(None, (_second(piece) for piece in reversed(pieces))), "")
    whole = [
        piece
        if _second(piece) or re.search(r"\bN\d", piece) or RIVALS.search(piece)
        else f"{piece.rstrip(' .,')} {other} ."
        for piece in pieces
    ]
    # "worse than A but better than B on C": whether C applies to both is open.
    where = re.search(r" (?:on|in|for|at|across|under|with|when) (?:[a-z]+ ){0,3}M\d+\b[^,]*$", whole[-1].rstrip(" ."))
    across = [own_subjects or _across(reading, rows, piece) for piece in whole]
    if any(across) and not all(across) and not (where and across[-1]):
        return [[reading]]
    also = [f" {where[0]}" if where and any(across) and not own else "" for own in across]
    return [
        [only(reading, plainly(f"{piece}{more}")) for more in dict.fromkeys(("", further))]
        for piece, further in zip(whole, also, strict=True)
    ]


def _across(reading: Reading, rows: int, piece: str) -> bool:
    """Returns whether a part says in which columns its rows are compared, or in which rows its columns."""
    axes = [reading.mentions[int(n)].dimension < rows for n in re.findall(r"\bM(\d+)", piece)]
    return len(set(axes)) > 1


def _second(text: str) -> str:
    """Returns what a text compares with, including the preceding word."""
    found = SECOND.search(text)
    listed = re.compile(LIST).match(text, found.end()) if found else None
    return text[found.start() : listed.end()] if found and listed else ""


_OURS = re.compile(
    r"(?:^\W*the(?= (?:method|approach)\b)|\b(?:our|their|your|the proposed|the authors '|the author ' s))"
    r"(?: (?:proposed|own|final|full|new|[a-z]+ed))*"
    r" (?:model|method|system|approach|algorithm|network|framework|pipeline)\b(?! M\d)(?! [a-z]+ model)"
)


def with_own(reading: Reading, layout: Layout) -> Reading:
    """Returns a clause with "our model" replaced by what the table calls ours; otherwise by the last row if most bold
    cells are in it, since tables usually have the authors' method last and the best cells bold. Only the first is
    exact."""
    found = _OURS.search(reading.text)
    ours = [(d, x) for d in layout.dimensions for x in layout.labels(d) if "our" in label_words(x)]
    bold = [e for e in layout.entries if e.bold]
    last = max((e.row for e in layout.entries), default=0)
    own = [e for e in layout.entries if e.row == last]
    if found is None or len(ours) > 1:
        return reading
    if not ours and (
        found[0].startswith("their") or len(bold) < 2 or 2 * sum(e.row == last for e in bold) <= len(bold)
    ):
        return reading
    dimension, label = ours[0] if ours else (0, own[0].labels[0])
    mention = Mention(dimension, frozenset({label}), 0, 0, exact=bool(ours))
    text = f"{reading.text[: found.start()]}M{len(reading.mentions)}{reading.text[found.end() :]}"
    return replace(reading, text=plainly(text), mentions=(*reading.mentions, mention))


_HURTS = "|".join(VERBS["hurt"].split())
_TRANSITIVE = re.compile(
    rf"^\W*M(\d+) (?:(?!hardly|barely|scarcely|only)[a-z]+ )?(?:{RISE}|{FALL}|{IMPROVE}|{_HURTS})\b(?P<what> M\d)?"
)


_WITHOUT = re.compile(r"(?:w/ ?o|without|no|[-–−])\b|[-–−] ?\w", re.IGNORECASE)


def against_other(reading: Reading, layout: Layout) -> Reading:
    """Returns "A improves the F1" as "A improves the F1 compared to B" if there are only A and B, or if A lacks a part
    of B."""
    found = _TRANSITIVE.search(reading.text)
    if found is None or SECOND.search(reading.text) or re.search(r"\b(?:from|to|than|without) ", reading.text):
        return reading
    subject = reading.mentions[int(found[1])]
    rest = frozenset(layout.labels(subject.dimension)) - subject.labels
    lacking = all(_WITHOUT.match(x) for x in subject.labels)  # the whole method is what lacks nothing
    if lacking:
        rest = frozenset(x for x in rest if {"our", "full", "complete"} & {*label_words(x)})
    if len(rest) != 1 or len(subject.labels) != 1 or not (found["what"] or lacking):
        return reading
    other = replace(subject, labels=rest, exact=True)
    text = f"{reading.text.rstrip(' .')} compared to M{len(reading.mentions)} ."
    return replace(reading, text=text, mentions=(*reading.mentions, other))


_ITS = re.compile(r"^\W*(its|their|it|they)\b")


def continued(reading: Reading, before: Reading | None, rows: int) -> Reading:
    """Returns a clause with "its" or "it" replaced by the only row that the clause before it names."""
    found = _ITS.search(reading.text)
    own = [m for m in before.mentions if m.dimension < rows] if before else []
    if found is None or len(own) != 1 or any(m.dimension == own[0].dimension for m in reading.mentions[:1]):
        return reading
    text = f"M{len(reading.mentions)}{reading.text[found.end() :]}"
    return replace(reading, text=plainly(text), mentions=(*reading.mentions, own[0]))


def only(reading: Reading, text: str) -> Reading:
    """Returns a reading of a part of its text, with the numbers in it."""
    numbers = [n for n in range(len(reading.numbers)) if re.search(rf"\bN{n}\b", text)]
    for new, old in enumerate(numbers):
        text = re.sub(rf"\bN{old}\b", f"N{new}", text)
    return replace(
        reading,
        text=text,
        numbers=tuple(reading.numbers[n] for n in numbers),
        units=tuple(reading.units[n] for n in numbers),
    )


_CLAUSE = re.compile(
    r"\s*(?:;|(?<=\w):(?=\s)|(?<=[a-z)\]]\.)\d*\s+(?=(?-i:[A-Z]))|,?\s+(?:while|whereas)\b|,\s+(?:but|although|though)\b"
    r"|,\s+in particular,"
    r"|,\s+and\s+(?=the (?:high|low|best|worst|larg|small)\w*))\s*",
    re.IGNORECASE,
)
MEANING = re.compile(
    r",?\s+(?:which (?:\w+ )?(?:shows?|indicates?|demonstrates?|suggests?|proves?|confirms?|highlights?|implies"
    r"|reveals?|means?)\b|(?:thus |thereby |therefore |clearly )?(?:showing|indicating|demonstrating|suggesting|proving"
    r"|confirming|highlighting|implying|revealing|meaning)\b|because\b).*$",
    re.IGNORECASE | re.DOTALL,
)
"""Conclusions that a statement draws from a table, which the table doesn't contain."""
_RELATIVE = re.compile(
    r",\s+(?:an?|the|our)\s+[^,;]*\b(?:that(?! (?:of|on|in|for|under|with)\b)|which|who)\b[^,;]*(?=\.?$)", re.IGNORECASE
)
_ASIDE = re.compile(r"^(?:despite|in spite of|notwithstanding)\b[^,]*,\s*", re.IGNORECASE)


def clauses_of(statement: str, layout: Layout) -> list[str]:
    """Returns the parts of a statement to check one by one, without the conclusions drawn from them."""
    body = _RELATIVE.sub("", MEANING.sub("", statement))
    statement = _ASIDE.sub("", body if len(body.split()) > 5 else statement)
    labels = [label.casefold() for d in layout.dimensions for label in layout.labels(d)]
    parts, last = [], 0
    for match in _CLAUSE.finditer(statement):
        before, after = statement[last : match.start()], statement[match.end() :]
        # Two values, one of which omits what the other says; an abbreviation ("Tab. 2", "Eval. With") doesn't end a
        # clause.
        words = re.search(r"\w", match[0]) and not re.match(r"(?i:the \w*(?:est|best|worst)) ", after)
        elliptic = words and re.search(r"\d", before) and re.search(r"\d", after)
        stopped = re.search(r"(\w+)\.\d*$", before)
        short = stopped and (len(stopped[1]) < 4 or any(f"{stopped[0]} {after[:3]}".casefold() in x for x in labels))
        # A label may contain a colon: "M0: baseline".
        named = re.search(r"\S+$", before + match[0].strip() if match[0].strip() == ":" else "")
        short = short or (match[0].strip() == ":" and len(before.split()) < 3)  # the subject: "Overall: mean = 3.1"
        short = short or (named and any(named[0].lstrip("([").casefold() in x for x in labels))
        refers = ":" in match[0] and re.match(r"(?:it is )?the (?:former|latter|first|second)\b", after)
        if not (elliptic or short or refers) and not (re.search(r"\bbut\b", match[0]) and CONTINUES.match(after)):
            parts.append(before)
            last = match.end()
    parts.append(statement[last:])
    return [part for part in parts if part and len(part.split()) > 2] or [statement]
