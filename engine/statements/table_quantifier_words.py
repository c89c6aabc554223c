"""Phrases that say how many cells of a table pass which test; matched against the text of a ``Reading``."""

import operator
import re
from collections.abc import Callable, Sequence

from engine.resource_files import resource_table
from engine.statements.grids import Entry
from engine.statements.table_cells import Clause
from engine.statements.table_counting import reaches
from engine.statements.table_phrases import ABOUT, COUNTED, fold

Compare = Callable[[float, float], bool]
WITH = (
    r"(?:- )?(?!is\b|are\b|has\b)(?:[a-z]+ ){0,2}(?:that |which )?"
    r"(?:with|us(?:es|ing)|plus|extended by|augmented(?: with)?|based on|of) "
)
"""Joins the parts of a name: "the base model with extras"."""
LIST = rf"M\d+(?: (?:{WITH}|(?:(?:, and|,|and|or) )?(?:the )?)M\d+)*"
COUNT = rf"(?:N\d+|{'|'.join(COUNTED[1:])})"
TO = (
    r"(?: (?:an?|the|mark|level|values?|scores?|threshold|limit|of|as|much|many|even|only|just|or|equal|to"
    rf"|{ABOUT}))*? N(?P<n>\d+)"
)
MOVES = r"(?:(?:drop|fall|dip|sink|slip|go|goe|rise|climb|get|move|stay|lie|remain|keep|run)s? )?"
TESTS: tuple[tuple[re.Pattern[str], Compare], ...] = tuple(
    (re.compile(rf"(?:{words})(?![a-z]){TO}\b"), test)
    for words, test in (
        (
            rf"\b{MOVES}(?:above|over|beyond|past|in excess of|exceed\w*|surpass\w*|(?:go|goes) beyond"
            r"|(?<!no )(?:more|greater|higher|larger|longer|bigger) than)",
            operator.gt,
        ),
        (r"\b(?:clears?|pass(?:es)?|tops)(?= (?:the (?:mark|threshold|limit) of )?N)", operator.gt),
        (
            r"\b(?:at least|no (?:less|lower|fewer|smaller|shorter) than|reach\w*|(?:makes?|made|gets?|got) it to"
            r"|a minimum of)",
            operator.ge,
        ),
        (rf"\b{MOVES}(?:below|under|beneath|short of|(?<!no )(?:less|fewer|lower|smaller|shorter) than)", operator.lt),
        (r"\b(?:at most|no (?:more|higher|larger|greater|longer) than|up to|a maximum of)", operator.le),
    )
)
"""Tests of a number by a bound, as phrases before the bound."""
WITHIN = re.compile(
    r"\b(?P<how>outside(?: of)?|beyond|between|within|inside|in(?= the (?:interval|range))|leaves?)"
    r"(?: the)?(?: (?:interval|range|band|window))?"
    r"(?: (?:from|of|between))? N(?P<low>\d+)(?: %)? (?:and|to|up to|–|-) N(?P<high>\d+)\b"
)
NEGATED = re.compile(r"\b(?:not|never|n t|t|cannot|fails? to)(?: [a-z]+){0,2} $")
ONE = (
    (r"\b(every|each|any|no|the only|not a single|which|this|that)(?: single)? one\b", r"\1"),
    (r"(?<!other )(?<!remaining )\bone(?= (?:\w+s|may|can|could|would|should)\b(?! (?:ha[sd]|have|with|whose)\b))", ""),
    (r"(?<!not )(?<!no )\ba (?:single|lone)(?: one)?\b", "one"),
    (r"\ba (?:pair|couple) of\b", "two"),
    (r"\b(reviewers?|referees?|comment|question|point|remark) (?:N\d+|one|two|three|four)\b", r"\1"),
    (r"\bno more(?: and|,|or)* no (?:fewer|less)\b", ""),
)
THE_REST = re.compile(
    rf"[,;]? (?:while |whereas |and |but )?the (?:other|remaining)(?: (?P<n>{COUNT}))?"
    r"(?: [a-z]+)? (?:do|does|did|is|are) not\b"
)
ECHO = re.compile(
    rf"[,;]? (?:while|whereas|and|but|which)(?: only)? (?P<who>{LIST})(?: [a-z]+)?"
    r" (?:do|does|did|is|are|ha[sd]|have)\b(?= ?\.?$)"
)
TOTAL = re.compile(
    rf"\b(?P<how>(?:out )?of|among|across|over|all|both|each of|every|for)(?: (?:the|all|our|these|its|their|listed))*"
    rf" (?P<n>{COUNT})\b(?! (?:out )?of\b)"
)
SHARE = re.compile(
    r"\b(?:(?P<how>more|less|fewer) than |(?P<ge>at (?:least|most)) )?N(?P<n>\d+)"
    r"(?= of (?:the|all|our|their|its|these|them)\b)"
)
MOST = re.compile(r"(?<!at )(?<!the )\bmost (?:of\b|(?!N)[a-z]+s\b)|\b(?P<big>majority)\b|\b(?P<small>minority)\b")
NUMBER = re.compile(
    rf"(?P<how>\b(?:at least|at most|no (?:fewer|less|more) than|up to|a minimum of|a maximum of) )?\b(?P<n>{COUNT})\b"
)
ALL = re.compile(r"\b(?:all|every|each|whichever|whatever|everything|always|consistently|invariably|throughout|both)\b")
NONE = re.compile(r"\b(?:none|no|nothing|neither|never|nowhere|not (?:a single|one|any)|without any)\b")
WHEN = re.compile(r"\W*(?:\w+ )?(?:after|before|during|since|until|when|while|once|under|for|without|if|unless)\b")
"""Begins a condition rather than a remark."""
NEARLY = re.compile(r"\b(?:almost|nearly|virtually|practically|hardly|barely) (?:all|every|each|any|no|none|half)\b")
LOOSE = re.compile(
    r"\bwithout M\d|\b(?:some|several|few|many|various|might|could|would|expect\w*|almost|nearly|hardly|barely)\b"
)
OTHERS = re.compile(r"\b(?:others?|rest|remaining|not)\b")
"""Words for what isn't among those counted, or that deny a statement."""
ONLY = (
    re.compile(rf"\bonly (?:the |for |in |at |on |with |by |under )*(?P<who>{LIST})"),
    re.compile(
        rf"(?P<who>{LIST})(?: (?!M\d)[a-z-]+){{0,3}}? (?:is|are|was|were|constitutes?|represents?|remains?"
        r"|forms?|makes? up|being) the (?:only|sole|single|one|unique|lone)\b"
    ),
    re.compile(
        rf"\bthe (?:only|sole|single|unique|lone)\b[^,]*?,? (?:is|are|was|were|being|namely|,)(?: the)?"
        rf" (?P<who>{LIST})(?= ?[.,]?$)"
    ),
    re.compile(rf"(?P<who>{LIST})(?: [a-z]+)? alone\b"),
    re.compile(rf"\b(?:nothing|none|no [a-z]+) (?:but|other than|besides) (?:the )?(?P<who>{LIST})"),
)
EXCEPT = (
    re.compile(
        r"\b(?:exceptions? (?:of|being|is|are)|except(?:ing)?(?: for| in| on| at)?|(?:apart|aside) from|other than"
        r"|bar(?:ring)?|save(?: for)?|but(?! (?:not|the other|also))|excluding|excepting"
        r"|besides|leaving aside|leaving out)(?: (?:the|single|sole|only|one|a|for|largest|smallest|highest|lowest|,))*"
        rf" (?P<who>{LIST})"
    ),
    re.compile(
        rf"(?P<who>{LIST})(?: [a-z]+)? (?:being|is|are|as|was|were) (?:the |an? )?"
        r"(?:sole |only |single |lone )?exceptions?\b"
    ),
)
NAMELY = re.compile(rf"(?:\bnamely|\bviz \.?|\bi \. e \.,?|[:–—])(?: [a-z]+){{0,3}} (?P<who>{LIST})")
ENDS = re.compile(
    r"\b(?:rang(?:e|es|ed|ing)|span(?:s|ned|ning)?|var(?:y|ies|ied)|extremes?|both (?:ends|of which|bounds|limits)"
    r"|(?:lies?|runs?|moves?) (?:between|from))\b"
    r"|\b(?:lowest|smallest|least|minim(?:um|al))\b.*\b(?:highest|largest|greatest|maxim(?:um|al))\b"
    r"|\b(?:highest|largest|greatest|maxim(?:um|al))\b.*\b(?:lowest|smallest|least|minim(?:um|al))\b"
)
EACH = re.compile(r"\b(?:over|across|among)(?: (?:the|all|its|our|their|these))+(?= [a-z])")
AVERAGE = re.compile(r"\b(?:averag(?:e[ds]?|ing)|mean|on average)\b")
KIND_ENDS = re.compile(
    r"[^a-zM]|(?:ha[sd]|have|having|with|whose|that|which|in|on|at|for|from|by|is|are|was|were|be|the|an?|of|over|under"
    r"|across|among|when|where|do|does|did|one|if|to|than|and|or|shows?|exceeds?|stays?|reach\w*|drops?|falls?|keeps?|achiev\w+"
    r"|obtain\w*|yields?|requires?|needs?|takes?|contains?|uses?|runs?|goes|gets?|span\w*|rang\w+|lies?|sits?)$"
)
_WORDS: dict[str, str] = resource_table("table_words.toml")
FILLER = frozenset(fold(w) for w in str(_WORDS["quantifying"]).split())


def bounded(clause: Clause, test: Compare, n: int, negated: bool) -> Callable[[Entry], bool | None]:
    """Returns the test of cells by a number of a clause, or its opposite."""
    passes = reaches(clause, test, n)

    def own(entry: Entry) -> bool | None:
        found = passes(entry)
        return None if found is None else found != negated

    return own


def inside(clause: Clause, ends: Sequence[int], outside: bool) -> Callable[[Entry], bool | None]:
    """Returns the test whether cells are between two numbers of a clause, or outside."""
    above, below = reaches(clause, operator.ge, ends[0]), reaches(clause, operator.le, ends[1])

    def own(entry: Entry) -> bool | None:
        over, under = above(entry), below(entry)
        return None if over is None or under is None else (over and under) != outside

    return own
