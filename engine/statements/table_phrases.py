"""Phrases by which statements compare, count and bound the content of a table.

They are matched against the text of a ``Reading``: lower case, M0 for a mention, N0 for a number.
"""

import operator
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.quantities import unit_of
from engine.statements.table_verbs import FALL, IMPROVE, OVER, RISE, UNDER, VERBS
from engine.statements.words import stem

Direction = Literal["better", "worse", "more", "less"]
Role = Literal["value", "difference", "ratio", "bound", "count"]

_WORDS = resource_table("table_words.toml")

_GOOD = "(?:efficient|effective|accurate|precise|reliable|robust)"
COMPARES: tuple[tuple[Direction, str], ...] = (
    ("worse", rf"less {_GOOD}|worse|inferior|weaker|poorer|{UNDER}|(?:falls? )?behind|slower"),
    (
        "better",
        rf"{OVER}|edge[sd]? out|better|superior|stronger|ahead of|faster|more {_GOOD}|gains? over|advantage over"
        rf"|improvements? over|{IMPROVE}",
    ),
    (
        "more",
        rf"higher|greater|larger|more(?! (?:\w+ly|{_GOOD})\b)|exceed\w*|above|longer|bigger|heavier"
        rf"|{RISE}|(?:go(?:es)?|went) up",
    ),
    (
        "less",
        rf"lower|smaller|less(?! (?:\w+ly|{_GOOD})\b)|fewer|below|shorter|lighter"
        rf"|{FALL}|(?:go(?:es)?|went) down|cheaper",
    ),
)
EXTREMES: tuple[tuple[Direction, str], ...] = (
    ("better", rf"best|strongest|fastest|top|most {_GOOD}"),
    ("worse", r"worst|weakest|poorest|slowest"),
    ("more", r"highest|largest|greatest|maximum|maximal|biggest|longest|most (?:frequent|common|often)|the most"),
    ("less", r"lowest|smallest|least (?:frequent|common|often|likely)|the least|minimum|minimal|fewest|shortest"),
)
STATES = re.compile(
    r"better|worse|superior|inferior|stronger|weaker|poorer|faster|slower|higher|lower|larger|smaller|greater"
)
"""Words that compare states, unlike "improves", which describes a change."""
NEGATED = re.compile(r"\b(?:not|never|no|cannot|n t|t|fails? to|failed to|neither|nor|hardly|without)\b(?: \w+){0,3} $")
NOT = re.compile(r"\b(?:not|never|no|cannot|fails?|failed|neither|none|hardly|n t)\b")
ALL = re.compile(
    r"\b(?:(?:all|every|each|both)\b(?! (?:of )?(?:the )?M\d)|consistently|always|across the board|throughout)"
)
MOSTLY = re.compile(
    r"\b(?:most|mostly|generally|typically|majority|usually|often|largely|mainly|several|sometimes"
    r"|some(?! N\d)|certain)\b"
)
COUNTED = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
           "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")  # fmt: skip
NTH = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
VAGUE = re.compile(
    r"\b(?:all|every|each)\b.* but |\bN\d+ (?:or\b|/ ?N\d+ (?=[a-z]))"
    r"|\b(?:other than|except|exception|apart from|ignoring|disregarding|leaving|excluding|instead of|rather than"
    r"|without (?:[a-z]+ )?M\d+|no (?:[a-z]+ )?but|but not (?:on|in|at|for|with)|where (?:it|they)"
    r"|followed|preceded|former|latter|at (?:best|worst)|beyond|different|on (?:a )?par|competitive"
    r"|if|would|might|could|should|may|expect(?:ed)?|together|combined|in total"
    r"|halv(?:es?|ed|ing)|(?:doubl|tripl|quadrupl)(?:es?|ed|ing)|twice|half)\b"
    rf"|\b(?:is|are|was|were)(?: \w+ly)? (?:{OVER}|outdone|exceeded) by\b"
    r"|^\W*(?:of|among)(?: the| all)* M\d[^,MN]* ,|(?<!with )(?<! - )\bonly (?:[a-z]+ )*(?=M\d)|\bM\d+ only\b(?! N\d)"
    r"|\b(?:perform\w*|is|are|was|were|ha[sd]|have)(?: \w+){0,2}"
    r" (?:comparabl[ey]|similar(?:ly)?|close(?! to N)|(?:almost|nearly) the same)\b"
)
"""Words that leave open, exclude or restrict what is said, unless a rule below handles them."""
EXCEPT = re.compile(
    r"(?P<all>\b(?:all|every|each)\b[^,MN]*)"
    r"(?P<but>,? (?:but|except(?: for| on| in)?|apart from|other than|excluding)(?: the)?)"
    r" M\d+(?: (?:,|and|or|, and)(?: the)? M\d+)*"
)
"""An exception: "on all tasks but M3 and M4"."""
DEGREE = re.compile(
    r"\b(?:(?P<little>slightly|marginally|a (?:little|bit))|much|far|considerably|substantially|significantly"
    r"|drastically|dramatically|vastly|hugely|massively|sharply|steeply|markedly) $"
)
"""The degree of a difference."""
ALIKE = re.compile(r"\b(?:comparable|similar|same|fixed)(?: levels? of)?(?: [a-z]+)? $")
"""Precedes a mention that is kept equal rather than compared."""
_THINGS = r"(?:model|method|system|approach|baseline|variant|competitor|algorithm)"
OTHERS = re.compile(
    r"(?<!\bfor )(?<!\bon )(?<!\bin )(?<!\bacross )(?<!\bunder )"
    rf"(?:all|any|every|each|both)(?: of)?(?: the)? (?:others?\b|another|remaining|rest|[a-z]+ {_THINGS}s?\b"
    rf"|{_THINGS}\w*)"
    r"|the others\b|the rest\b|everything else"
)
ROWS = re.compile(r"\b(?:all|no other|every other|the other)(?: the)? (?:other )?(?:rows?|columns?|entries)\b")
"""Refers to a whole row or column as compared."""
RIVALS = re.compile(
    r"\b(?:other|others|existing|competing|previous|prior|remaining|baselines?|variants|state[- ]+of[- ]+the[- ]+art)\b"
)
"""What a subject is compared with without naming it."""
_LEAD = (
    r"(?: (?:the|that|those|of|its|their|both|in|on|for|with|using|when|a|an|than|over|,|models?|methods?|systems?"
    r"|one|plain|vanilla|standard|approach|baselines?|techniques?|performance|results?|under|after|by|simple|strong|our|other|from|trained|based|of|at))*"
)
LIST = r"M\d+(?: (?:,|and|or|, and|as well as|&)(?: the| both)? M\d+)*"
SECOND = re.compile(
    r"\b(?:than|over|upon|(?:superior|inferior) to|compared (?:to|with)|comparison (?:to|with)|against|relative to"
    rf"|versus|vs|behind|{UNDER}|{OVER}"
    r"|exceed\w*|ahead of|improv\w+ on|between|above|below|as for"
    r"|(?:times|fold)\b(?: \S+)*? (?:as|of|that|the)|fold)(?: \.)?"
    rf"(?: [a-z]+ (?:of|from)(?= ))?{_LEAD} (?={LIST})"
)
"""Precedes the second side of a comparison."""
AGENT = re.compile(
    r"\b(?:by|that of|those of|belongs? to|goes to|held by|(?:achieved|reported|obtained|found"
    r"|observed|seen|given|reached) (?:with|for|in|by|at)|(?:is|are|was|were) (?:for|at|in|with|under)|when)"
    rf"(?: using| with)?{_LEAD} (?={LIST})"
)
PLACE = re.compile(
    r"\b(?:for|on|in|at|under|within|across|among|(?<!that )(?<!those )of|to|regarding|against|terms of|respect to"
    r"|as (?:regards|for|to)(?: [a-z]+)?)"
    r"(?: the| both| all| each| number)? $"
)
"""Precedes a mention that says where rather than what."""
FROM_TO = re.compile(rf"\bfrom{_LEAD} M(\d+)\b(?: \w+){{0,3}}? to{_LEAD} M(\d+)\b")
VALUES_FROM_TO = re.compile(
    r"\bfrom (?:about |over |as \w+ as )?N(\d+) (?:[\w%()]+ ){0,6}?to (?:only |just |about |as \w+ as )?N(\d+)\b"
)
CHANGES = re.compile(
    rf"(?:\b(?:{RISE}|{FALL}|improv\w*|reduction|degradation)\b"
    r"|\b(?:goes|went|brings|brought)(?: [^,]*?)? (?:down|up)\b)"
)
ABOUT = r"about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca(?: \.)?|some|~|≈|close to|rounded"
AMOUNT = (
    r"(?:improvements?|gains?|increases?|decreases?|drops?|reductions?|differences?|gaps?|margins?|boosts?|advantages?"
    r"|declines?|rises?)"
)
RATIO = (
    r"(?<!M\d )\bratio\b(?! M\d).*\b(?:is|was|of|equals) (?:\w+ ){0,2}?NUM"
    r"|NUM (?:fold|times(?= (?:as|that|those|the|more|less|[a-z]+er)\b))|\bfactor of (?:\w+ )?NUM"
)
_COUNT = rf"N\d+|{'|'.join(COUNTED)}"
_MANY = (
    r"(?:(?:models?|methods?|systems?|rows?|columns?|entries|approaches|algorithms?|datasets?|variants?|values?|cases)\b"
    r"|(?!times|points)[a-z]{3,}s\b"
    r"(?= (?:with|shows?|ha[sd]|have|that|whose|where|(?:is|are) (?:above|below)|reach|exceed|stay)\b))"
)
COUNT = (
    re.compile(
        rf"\b(?P<least>at least |at most |only |exactly )?(?P<count>{_COUNT}) (?:out )?of (?:the |these |all |its )*"
        rf"(?P<of>{_COUNT})?"
    ),
    re.compile(
        rf"^(?:\W*(?:in|,|there (?:is|are)|that|[a-z]+ (?:shows?|reports?|see) (?:that )?) ?)*?"
        rf"(?P<least>at least |at most |only |exactly )?(?P<count>{_COUNT}) (?P<of>(?!))?(?:\w+ )?" + _MANY
    ),
    re.compile(rf"\b(?P<least>at least |at most |only |exactly )(?P<count>{_COUNT}) (?P<of>(?!))?(?:\w+ )?" + _MANY),
)
_STEP = (
    r"(?:higher|lower|better|worse|more|less|fewer|greater|larger|smaller|above|below|ahead|behind|faster|slower|longer"
    r"|shorter|heavier|lighter|warmer|hotter|colder|earlier|later|older|younger|taller|additional|extra)"
)
_FEW = r"(?:\w+ ){0,2}?"
_BESIDE_BOUND = (
    rf"(?:an? \w+ of|an?|the|values?|scores?|errors?|rates?|of|only|just|as|much|many|or|equal|to|even|still|{ABOUT})"
)
ROLES: tuple[tuple[Role, str], ...] = (
    ("ratio", RATIO),
    (
        "difference",
        rf"\b(?:by|{AMOUNT} of|{AMOUNT} (?:is|was|equals)) {_FEW}NUM"
        rf"|NUM {_FEW}(?:points? |% )?(?:\w+ )?(?:{_STEP}|{AMOUNT})\b"
        r"|\b(?:difference|gap|margin|(?:gain|advantage|lead|improvement)\b(?=.*\b(?:over|between|compared|than)\b))\b"
        rf".{{0,80}}\b(?:is|was|=|equals|amounts to|of) {_FEW}NUM"
        r"|\bdiffer\w*\b.{0,60} by NUM",
    ),
    (
        "count",
        r"NUM (?:out )?of (?:the |these |all |its )*(?:N\d+|\w+s\b)"
        r"|(?:of|in|for|the|all) (?:the |these |all )*NUM \w{3,}s\b|^\W*NUM \w{3,}s\b",
    ),
    (
        "bound",
        r"\b(?:above|over|(?:more|greater|higher|larger|less|lower|smaller|fewer) than|exceed\w*|at least|at most|below"
        rf"|under|surpass\w*|(?:none|no)\b.*\breach\w*) (?:{_BESIDE_BOUND} ){{0,3}}?NUM",
    ),
)
"""The role of a number, by the words around it; NUM is its position."""
BOUNDS: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = tuple(
    (re.compile(rf"(?<!\bby )\b(?:{words}) (?:{_BESIDE_BOUND} ){{0,3}}?N(\d+)(?! (?:fold|times|of M\d+)\b)"), test)
    for words, test in (
        (r"above|over|(?<!no )(?:more|greater|higher|larger) than|exceed\w*|surpass\w*", operator.gt),
        (r"at least|no (?:less|lower|fewer|smaller) than|(?:none|no)\b.*\breach\w*", operator.ge),
        (r"below|under|(?<!no )(?:less|lower|smaller|fewer) than", operator.lt),
        (r"at most|no (?:more|higher|larger|greater) than", operator.le),
    )
)
BESIDE = re.compile(
    r"\b(?:human|oracle|upper bound|cmp|impv?|improvement|delta|gain|diff|total|overall|sum)\b"
    r"|[Δ∆](?!.*[≤≥<>=])|(?-i:(?:^|\s)n(?:\s|$))",
    re.IGNORECASE,
)
"""Labels of rows that aren't among those compared."""
ELSEWHERE = re.compile(
    r"^(?:however|moreover|thus|also|and|in addition|similarly|,| )*(?:this|these|it(?! takes (?:\w+ )?N)|they"
    r"|the (?:difference|gap) (?:is|was))\b"
    r"|\bour (?:\w+ )?(?:model|method|system|approach|algorithm|network|framework)s?\b(?! M\d)"
    rf"|\b(?:{'|'.join(COUNTED[1:])}) in (?:{'|'.join(COUNTED[2:])})\b"
)
"""A subject that another sentence names, or a share in words ("three in four")."""


def stated(number: int, text: str) -> bool:
    """Returns whether a number is in the position of a value, not of a name ("method 1", "the small one")."""
    return bool(
        re.search(rf"(?:\b(?:is|was|are|were|of|at|by|with|being|reach\w*|only|{ABOUT})|[,(=:]) N{number}\b", text)
    )


def first_of(phrases: tuple[tuple[Direction, str], ...], text: str, after: str = "") -> re.Match[str] | None:
    """Returns the first match of some phrases, or the last one before "than" if there is one."""
    found = [m for _, words in phrases for m in re.finditer(rf"(?<!at )\b(?:{words})\b{after}", text)]
    than = text.find(" than ")
    before = [m for m in found if m.start() < than]
    if before:
        return max(before, key=lambda m: m.start())
    return min(found, key=lambda m: m.start(), default=None)


def ways_in(text: str) -> set[Direction]:
    """Returns all directions of the comparing words in a text."""
    text = re.sub(r"\bfall(?:s|ing)? behind\b", "behind", text)
    return {d for d, words in COMPARES if re.search(rf"(?<!at )\b(?:{words})\b", text)}


def comparison_in(text: str) -> tuple[Direction, re.Match[str]] | None:
    """Returns the comparing word and its direction; a higher performance is a better one."""
    found = _which(COMPARES, first_of(COMPARES, text))
    if found and found[0] in ("more", "less") and re.search(r"\bperformance\b", text):
        return "better" if found[0] == "more" else "worse", found[1]
    return found


def extreme_in(text: str) -> tuple[Direction, re.Match[str]] | None:
    """Returns the first superlative and its direction."""
    return _which(EXTREMES, first_of(EXTREMES, text))


def _which(
    phrases: tuple[tuple[Direction, str], ...], found: re.Match[str] | None
) -> tuple[Direction, re.Match[str]] | None:
    if found is None:
        return None
    return next(d for d, words in phrases if re.fullmatch(words, found[0])), found


# A table's labels and the words that mean them: spelling variants, abbreviations, long forms, parts.

TOKEN = re.compile(r"[^\W\d_]+(?:\d+(?![.\d]*\d*%)[^\W_]*)?|\d+(?:[.,]\d+)*(?:[^\W\d_]+)?|[^\w\s]")
F1 = re.compile(r"\bF[-–\s]?(?:[1₁][-–\s]?)?(?:scores?|measures?)\b|\bF-?1\b|\bFscore\b", re.IGNORECASE)
NUMBER_OF = re.compile(r"\b[Nn](?:o|um|r)\.\s(?:of\b|(?=[^\W\d]))|(?<!\w)#\s?(?=\w)|\b[Nn]umber of\b")
_ALIKE = str.maketrans("∆∑∏µΩ’‘◦º⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "ΔΣΠμΩ''°°01234567890123456789")
"""Mathematical signs mapped to letters that look the same, raised and lowered digits to digits."""
_PLAIN = str.maketrans("−–’∗", "--'*")
_LETTERS = "abcdefghijk"
_NOTES = re.compile(rf"(?<=[^\W\d_][{_LETTERS}])(?:,[{_LETTERS}])+(?!\S)")
"""Letters of additional footnotes after a word that has the letter of the first."""
_BESIDE = re.compile(r"^\((?:\d{1,2}|[a-z])\)\s*|\s*[(\[][^()\[\]]*[)\]]$|\s+\d\d\s?%\s?C\.?I\.?$")
"""Additions to a name in a label: an enumeration, a unit, an explanation, an interval's level."""
_CITED = re.compile(r"\s*\[[\d,\s?]+\]")
_SAME: dict[str, str] = _WORDS["same"]
_SHORT: dict[str, str] = _WORDS["short"]
MEASURED: dict[str, str] = _WORDS["measured"]
"""The words for what is measured in a unit, by unit."""
GLUE = frozenset(f"{_WORDS['glue']} {_WORDS['saying']}".split())
"""Words that don't indicate a table's topic."""
LITTLE = frozenset(_WORDS["little"].split())
LACK = frozenset(_WORDS["lacking"].split())
"""Words by which one label names what another lacks."""
_STEMS = frozenset(map(stem, GLUE))
_WAYS = re.compile(
    "|".join(
        (
            *(words for _, words in (*COMPARES, *EXTREMES)),
            *(w for kind in ("hurt", "help") for w in VERBS[kind].split()),
        )
    )
)


def same_letters(text: str) -> str:
    """Replaces each sign by the letter that looks the same; positions don't change."""
    return text.translate(_ALIKE)


@lru_cache(maxsize=20_000)
def squeezed(text: str) -> str:
    """Returns a text without spaces, with plain dashes and quotation marks, for comparison letter by letter."""
    return "".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold().split())


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """Normalises a word for comparison."""
    plural = len(word) > 2 and word[-1] == "s" and word[:-1].isupper()
    word = (word[:-1] if plural else word).casefold()
    word = _SAME.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = f"{word[:-3]}y" if len(word) > 4 and word.endswith("ies") else word[:-1]
    return _SAME.get(word, word)


EMPTY = GLUE | {fold(word) for word in GLUE}
_NO_ROOT = EMPTY - {"training", "original", "previous"}
"""Words that no other form of a label's word means."""


_STATISTICS = {name: name for name in ("mean", "median", "min", "max", "std", "total")} | {
    "average": "mean", "averaged": "mean", "avg": "mean", "minimum": "min", "maximum": "max", "stddev": "std",
    "sum": "total",
}  # fmt: skip


def statistics_in(text: str) -> set[str]:
    """Returns the statistics that a text names: mean, median, min, max, std, total."""
    return {_STATISTICS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _STATISTICS}


def says_little(word: str) -> bool:
    """Returns whether a word, in any of its forms, doesn't indicate a table's topic."""
    return word.lower() in GLUE or (word.islower() and (stem(word) in _STEMS or bool(_WAYS.fullmatch(word))))


@lru_cache(maxsize=20_000)
def label_words(label: str) -> tuple[str, ...]:
    label = NUMBER_OF.sub("number ", same_letters(unicodedata.normalize("NFKC", _NOTES.sub("", label))))
    return tuple(fold(t) for t in TOKEN.findall(F1.sub("f1", label)) if t[0].isalnum())


@lru_cache(maxsize=256)
def _bare(labels: tuple[str, ...]) -> dict[str, str]:
    """Returns labels of a dimension without additions to their names, if the result is unique or the same unit was
    added to several."""
    bare = {label: _BESIDE.sub("", _BESIDE.sub("", label)) for label in labels}
    found = {}
    for label, name in bare.items():
        alone = sum(other.casefold() == name.casefold() for other in bare.values()) == 1
        unit = unit_of(label[len(name) :].strip(" ()[]"))
        if name and name != label and (alone or unit) and re.search(r"[^\W\d_]", name):
            found[label] = name
    return found


def bare(label: str, layout: Layout, dimension: int) -> str:
    """Returns a label without additions to its name (a unit, an explanation), if no other label has the same name."""
    return _bare(layout.labels(dimension)).get(label, label)


_ENDING = re.compile(
    r"|ac?t?ion|a|al|ance|cy|te|e[drs]?|ence|ency|ent|ic|ied|ies|ing|ion|ity|ive|ment|or|sion|tion|t|y"
)
"""Endings of words with the same root."""
_NAMING = re.compile(r"age|e?ment|ance|ence|al|ion|ation")
"""Endings of nouns made of verbs."""


@lru_cache(maxsize=100_000)
def fits(form: str, word: str) -> bool:
    """Returns whether a word matches that of a label, or one that the label abbreviates ("disc." for
    "discriminative")."""
    if form == word:
        return True
    if min(len(form), len(word)) > 3 and form.isalpha() and word.isalpha() and stem(form) == stem(word):
        return not {form, word} & _NO_ROOT
    root = next((n for n, (a, b) in enumerate(zip(form, word, strict=False)) if a != b), min(len(form), len(word)))
    if root > 5 and _ENDING.fullmatch(form[root:]) and _ENDING.fullmatch(word[root:]) and not {form, word} & _NO_ROOT:
        return True  # "converts" for "conversion"
    root_ = stem(word) if word.isalpha() else ""
    if len(root_) > 3 and form.startswith(root_) and _NAMING.fullmatch(form[len(root_) :]):
        return not {form, word} & _NO_ROOT  # "leaks" for "leakage"
    note = form[-1] in _LETTERS or (form[-1].isdigit() and form[:-1].isalpha())
    if note and (len(word) > 3 or not word.isascii()) and word in (form[:-1], fold(form[:-1])):
        return True  # a footnote letter or digit attached to its word
    return (
        3 <= len(form) <= 6
        and max(7, len(form) + 3) <= len(word) <= 15
        and word.startswith(form)
        and not {form, word} & _NO_ROOT
    )


@lru_cache(maxsize=100_000)
def has_word(forms: tuple[str, ...], word: str) -> bool:
    """Returns whether a word matches one of a label's."""
    return any(fits(form, word) for form in forms)


def cut_short(word: str, form: str) -> bool:
    """Returns whether a word before a full stop ("tot.") abbreviates that of a label."""
    return len(form) > len(word) > 1 and form.startswith(word) and word.isalpha()


_YEARS = frozenset({"in", "of", "for", "from", "to", "than", "and", "between", "after", "since", "until", "before"})
"""Words before a year that names a column."""


def is_whole(label: str, said: str, near: Sequence[str], layout: Layout, dimension: int) -> bool:
    """Returns whether words that cover a label mean it: numbers only next to the name of their column or the heading
    above, letters only with the same case."""
    words = label_words(label)
    if not re.fullmatch(r"[\d.,]+", label) and label[:1].isdigit() and squeezed(label) == squeezed(said):
        return True  # "30-44", "60+"
    if "×" in label and squeezed(label).strip("()") in "".join(near):
        return True
    if re.fullmatch(r"\(\d\)|[\[(][\d., –-]+[\])]", label) and squeezed(label) in "".join(near):
        return True
    if len(words) < 3 and all(re.fullmatch(r"[\d.,]+", word) for word in words):
        names = {w for name in layout.names for w in label_words(name)}
        at = near.index(words[0]) if words[0] in near else 0
        before = {*near[:at][-1:], *[w for w in near[:at] if w not in ("of", "level", "a", "the")][-1:]}
        above = [d for d in layout.dimensions if dimension > d >= layout.rows]
        known = ({*label_words(layout.caption)} - LITTLE).union(
            *(label_words(x) for d in above for x in layout.labels(d))
        )
        year = re.fullmatch(r"(?:19|20)\d\d", words[0]) and before & _YEARS
        place = {"column", "row", "specification", "model"} & {*near} or {"setting", "variant"} & {*near[at + 1 :][:1]}
        labels = {fold(x) for x in layout.labels(dimension)} - {words[0]}
        pair = labels & {*near} and {*near} & {"between", "from", "and", ","}
        what = "of" not in near[:at] and {*near[at + 1 : at + 2]} & {*label_words(layout.caption)} - LITTLE
        return bool(names & {*near} or "=" in near or before & known or year or place or pair or what)
    if (
        len(words) == 1
        and not label.isalnum()
        and (squeezed(label) == squeezed(said) or (len(label) == 3 and squeezed(label) in "".join(near)))
    ):
        return True  # "A+", "/a/"
    if len(words) == 1 and words[0] in EMPTY and label.isupper() and said.islower() and said != label.lower():
        return False  # "the results" isn't RESULT
    if len(words) == 1 and words[0] in EMPTY and len(words[0]) <= 4:
        inside = said == label and said[0].isupper() and near[0] != words[0]
        return fold(said) == words[0] and (inside or said.casefold() not in LITTLE)
    plain = NUMBER_OF.sub("number ", same_letters(label))
    if sum(map(str.isalnum, plain)) <= 2:
        said = said.removesuffix("s") if label.isupper() and len(label) == 2 else said  # "NEs"
        said = re.sub(r"[^\w]", "", same_letters(said))
        named = any(said in layout.labels(d) for d in layout.dimensions)
        if len(said) == 1 and said not in "ai" and not named and all(len(x) == 1 for x in layout.labels(dimension)):
            return said.casefold() == label.casefold()
        said = (
            said.upper() if re.fullmatch(r"[A-Z]{2}", label) and said.islower() and said not in GLUE else said
        )  # "rf"
        return said == "".join(t for t in TOKEN.findall(F1.sub("f1", plain)) if t[0].isalnum()) and said not in "aAI"
    return True


@lru_cache(maxsize=20_000)
def forms_of(label: str, caption: str) -> frozenset[tuple[str, ...]]:
    """Returns the words of a label, and of its long forms."""
    return frozenset({label_words(label), *_long_forms(label, caption)})


def _long_forms(label: str, caption: str) -> Iterator[tuple[str, ...]]:
    """Yields what an abbreviated label stands for, by convention or by the caption."""
    yield label_words(_CITED.sub("", label))
    yield label_words(re.sub(r"\bw/ ?o?(?![a-z])", lambda w: "without " if "o" in w[0] else "with ", label))
    yield label_words(re.sub(r"(?<=[a-z]{2})(?=[A-Z][a-z])", " ", label))  # "windSpeed"
    if label in _SHORT:
        yield from map(label_words, _SHORT[label].split(" | "))
    elif any(len(word) == 1 and word in _SHORT for word in label.split()):  # "B3 P"
        yield label_words(" ".join(_SHORT.get(word, word) if len(word) == 1 else word for word in label.split()))
    if (named := re.fullmatch(r"\S \(([^\W\d_][^()\d]{4,40})\)", label)) and not unit_of(named[1].lower()):
        yield label_words(named[1])  # "k (coverage factor)"
    if (work := re.match(r"(\S.*?),? et\s+al\b", label)) is not None:
        yield label_words(work[1])
    if not 1 <= len(label) <= 12 or not caption or not re.search(r"[^\W\d]", label):
        return
    escaped = re.escape(label)
    said = re.search(
        rf"(?<!\w){escaped}[”\"'’]?\s*(?::|=|refers to|stands for|denotes|means|indicates|is)\s*(?:the\s+)?"
        r"([^,;.:()]{3,60})",
        caption,
    )
    if said:
        yield label_words(said[1])
    before = re.search(rf"((?:[\w-]+\s+){{1,8}})[(“\"']+{escaped}[)”\"',;]", caption)
    if before:
        words = re.findall(r"[^\W_]+", before[1])
        letters = [c for c in label.casefold() if c.isalpha()]
        for count in range(1, len(words) + 1):
            if letters and words[-count][0].casefold() == letters[0] and count <= max(2, len(letters)):
                yield label_words(" ".join(words[-count:]))
                return
