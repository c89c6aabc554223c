"""Rewrites a statement in the wording of a table: numbers in digits, abbreviations, and labels as printed."""

import re
from collections.abc import Collection

from engine.resource_files import resource_table
from engine.statements.grids import Layout
from engine.statements.table_phrases import ABOUT, CHANGES, COUNTED, EMPTY, LIST, LITTLE, NTH, fits, fold, label_words
from engine.statements.table_verbs import OVER

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


_GREEK: dict[str, str] = resource_table("table_words.toml")["greek"]


def in_letters(statement: str, known: Collection[str]) -> str:
    """Replaces the names of Greek letters by those that a label contains: "tau_em" by "τ_em"."""
    letters = {name: letter for name, letter in _GREEK.items() if any(letter in word for word in known)}
    names = rf"\b({'|'.join(letters)})(?=_|\b)"
    return re.sub(names, lambda m: letters[m[0]], statement) if letters else statement


def worded(statement: str, layout: Layout, known: Collection[str]) -> str:
    """Returns a statement in the wording of a table; ``known`` are the words of its labels."""
    for sign, words in ((">", "above|over|older than|more than"), ("<", "below|under|younger than|less than")):
        if numbers := {
            m[1] for d in layout.dimensions for x in layout.labels(d) if (m := re.search(rf"{sign}\s?(\d+)", x))
        }:
            statement = re.sub(rf"\b(?:{words}) (?=(?:{'|'.join(numbers)})\b)", f"{sign} ", statement)
    if any("×" in x for d in layout.dimensions for x in layout.labels(d)):
        statement = re.sub(r"(?<=\d)\s?[xX]\s?(?=\d)", " × ", statement)
    known = {*known, *label_words(layout.caption)}
    if "cost" not in known:
        statement = _COSTS.sub("worsens by ", statement)
    statement = _GRADED.sub(lambda found: _measured(found, layout), statement)
    return _named_again(_in_digits(_initials(_completed(statement, layout), layout), known), layout)


_COSTS = re.compile(rf"\b(?:cost|hurt|harm)s? (?=(?:(?:only|just|over|{ABOUT}) )?(?:\d|half\b))")
_GRADED = re.compile(
    r"(?:(?P<be>\b(?:[Ii]t )?(?:is|are|was|were|does|do|did|has|have))(?P<mid>(?: (?!the\b)[^\s,;]+){0,4}?))?"
    r"(?: an?| (?P<the>the))? (?:(?P<much>more|less|most|least) (?P<long>[a-z]{4,})"
    r"|(?P<short>[a-z]{3,}?)(?P<est>er|est))\b(?P<than>(?= than| in\b| of\b|\W*$))?"
)
_ADJECTIVES: dict[str, str] = resource_table("table_words.toml")["adjectives"]
_SIZES = frozenset({"large", "big", "small", "long", "short"})
"""Adjectives that also compare other measures, if they are named."""
_ADJECTIVAL = re.compile(r"(?:ive|ent|ant|ic|al|[ai]ble|ful|ous|ate|ile|ary|less)$")


def _measured(found: re.Match[str], layout: Layout) -> str:
    """Returns "has a higher Depth" for "is deeper", "the lowest Depth" for "the least deep", if the table has just one
    label for what the adjective measures; without one, "higher" for "deeper"."""
    word = found["long"] or found["short"]
    bases = (word, f"{word}e", word[:-1], f"{word[:-1]}y") if found["short"] else (word,)
    base = next((x for x in bases if x in _ADJECTIVES), word if found["long"] and _ADJECTIVAL.search(word) else "")
    measures = _ADJECTIVES.get(base, "")
    labels = [x for d in layout.dimensions for x in dict.fromkeys(layout.labels(d))]
    wanted = [fold(w) for w in measures.strip("-").split()] or [fold(base)] if base else []
    own = [x for x in labels if any(form not in EMPTY and fits(form, w) for form in label_words(x) for w in wanted)]
    most = found["est"] == "est" or found["much"] in ("most", "least")
    alone = found["than"] is not None and (base not in _SIZES or own)
    known = own or measures if alone else own and base not in _SIZES
    if len(own) > 1 or not known or not (found["be"] or (most and own)):
        return found[0]
    down = measures.startswith("-") != (found["much"] in ("less", "least"))
    grade = f"{'low' if down else 'high'}{'est' if most else 'er'}"
    be = re.sub("(?i)^it ", "there ", found["be"] or "")
    if not own:
        return f"{be}{found['mid'] or ''}{' the' if found['the'] else ''} {grade}"
    has = be if be.startswith("there") else "has" if be else ""
    article = " the" if found["the"] else " a" if be and not most else ""
    return f"{has}{found['mid'] or ''}{article} {grade} {own[0]}"


_OF = r"(?= (?:as|that|those|the|more|less|fewer|(?!other)[a-z]+er)\b)"
_PARTS = ("", "", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_FRACTION = re.compile(
    rf"\b(?P<n>an?|{'|'.join(COUNTED[1:10])})[ -](?P<part>{'|'.join(_PARTS[2:])})s?\b(?: of)?"
    rf"(?:(?P<fold>{_OF})|(?<=of))"
)


def _share(found: re.Match[str]) -> str:
    """Returns "0.2 fold" or "20 % of" for "a fifth of"."""
    share = (COUNTED.index(found["n"]) if found["n"] in COUNTED else 1) / _PARTS.index(found["part"])
    return f"{round(share, 2):g} fold" if found["fold"] is not None else f"{round(100 * share)} % of"


_REWORDED = (
    (r"\b(more|less|fewer) than half of (?=(?:the|all|their|its|our) )", r"\1 than 50 % of "),
    (r"\b(?:a|the) majority (?:of (?:the )?\w+ )?(?=(?:is|are|was|were)\b)", "more than 50 % "),
    (rf"\b(?:twice|double){_OF}", "2 fold"),
    (rf"\bdoubl(?:es?|ed|ing){_OF}", "is 2 fold"),
    (rf"\bhalf(?: of)?{_OF}", "0.5 fold"),
    (rf"(?<=\d)(?: times|\s?[x×]){_OF}", " fold"),
    (r"\ban? hundred\b(?! and)", "100"),
    (r"\ba (thousand|million|billion)\b", r"1 \1"),
    (r"\bfirst(?=,? (?:and )?then\b)", "top"),
    (r",? which in turn\b", ", which also"),
    (r"\b(?:goes|went|gets|got) (?:up|down) to\b(?! the )", "reaches"),
    (r"(?<=to )zero(?=,| ?\.?$| (?:in|on|for|with|when|after)\b)", "0"),
    (r"^averaged (?:over|across)\b", "on average across"),
    (r"^(?:switching|moving|changing|passing) (?=from)", "going "),
    (r"\b(?:leaving out|dropping|disabling|ablating|taking out)(?= (?:the )?\w)", "removing"),
    (r"\b(?:ranks?|comes?|is|places?) first (?:in|on|by|for|with respect to)\b", "has the best"),
    (r"\b(?:ranks?|comes?|is|places?) last (?:in|on|by|for|with respect to)\b", "has the worst"),
    (r"\bis (?:the )?(?:runner-up|second best) (?:in|on|by|for|with respect to)\b", "has the second best"),
    (rf"\b(\d+|{'|'.join(COUNTED[1:])}) out of\b", r"\1 of"),
)
"""Multiples in words, with their form in digits, and turns of phrase, with plainer ones."""
_NUMBER = "|".join(COUNTED[1:])
_COUNTED = re.compile(r"\b(?:all|of|over|across|among)(?: (?:the|all|these))* $", re.IGNORECASE)


def _in_digits(statement: str, known: Collection[str]) -> str:
    """Converts multiples ("twice as many") to digits, and number words if a label contains them: "third iteration" to
    "iteration 3", "one shot" to "1-shot"."""

    def cardinal(found: re.Match[str]) -> str:
        n = str(COUNTED.index(found[1].lower()))
        counts = _COUNTED.search(found.string[: found.start()]) and found[3].endswith("s")  # "two of the five runs"
        named = found[3] in ("times", "points", "percent", "percentage", "thousand", "million", "billion") or (
            n in known and fold(found[3]) in known and not counts
        )
        return f"{n}{found[2]}{found[3]}" if named else found[0]

    def ordinal(found: re.Match[str]) -> str:
        n = str(NTH.index(found[1].lower()))
        *between, noun = found[2].split()
        named = n in known and fold(noun) in known and all(fold(w) in known and w not in LITTLE for w in between)
        return f"{found[2]} {n}" if named else found[0]

    hundreds = re.compile(rf"\b({_NUMBER}) hundred\b(?! and)", re.IGNORECASE)
    statement = hundreds.sub(lambda found: str(100 * COUNTED.index(found[1].lower())), statement)
    statement = re.sub(rf"\b({_NUMBER})([ -])(?!of\b|out\b)(\w+)", cardinal, statement, flags=re.IGNORECASE)
    statement = _FRACTION.sub(_share, statement)
    for words, digits in _REWORDED:
        statement = re.sub(words, digits, statement, flags=re.IGNORECASE)
    for noun in (r"\w+ \w+", r"\w+"):
        statement = re.sub(rf"\b({'|'.join(NTH[1:])}) ({noun})", ordinal, statement, flags=re.IGNORECASE)
    return statement


_CAPITALS = re.compile(r"\b[A-Z]{2,5}\b")
_JOINS = (
    r"\w+ly|from|for|with|than|that|this|over|under|into|between|trail\w*|exceed\w*|beat\w*|surpass\w*|\w+perform\w*"
)
"""Words that no abbreviation stands for: "mass shrinks from" isn't MSF."""


def _initials(statement: str, layout: Layout) -> str:
    """Replaces what a label abbreviates by the abbreviation ("false positive rate" by "FP rate"), and the statement's
    own abbreviations by the only label with those initials."""
    labels = [label for d in layout.dimensions for label in layout.labels(d)]
    said = {*_CAPITALS.findall(statement)}
    for short in {x for label in labels for x in _CAPITALS.findall(label)} - said:
        words = r"[ -]".join(
            rf"(?!(?i:{'|'.join((*LITTLE, *COUNTED, _JOINS))})\b)(?![A-Z]{{2}})[{c}{c.lower()}]\w{{2,}}" for c in short
        )
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


_NTH_WORD = rf"(?:{'|'.join(NTH[2:])})"
_TOP = r"(?:high|larg|great|bigg|long|low|small|short|few|b|wor)e?st"
_EST = {"higher": "highest", "larger": "largest", "greater": "greatest", "longer": "longest", "lower": "lowest",
        "smaller": "smallest", "shorter": "shortest", "better": "best", "worse": "worst", "top": "highest",
        "bottom": "lowest", "as low": "lowest", "as small": "smallest", "as high": "highest", "as large": "largest",
        "as great": "greatest"}  # fmt: skip
_NOUNS = r"(?:[a-z]+(?: [/-])? )*?[a-z]+s"
"""What the rows are, as in "of the four training/test pairs"."""


def _ranked(found: re.Match[str]) -> str:
    """Returns "M has the second highest value" for "only one of them has a higher value than M"."""
    own = found.groupdict()
    nth = own.get("nth") or (NTH[COUNTED.index(own["n"][5:]) + 1] if own["n"][:4] == "only" else "")
    among = f" of all {own['of'].removesuffix('s')}s" if own.get("of") else ""
    return f"{own['who']} has the {nth} {_EST[own['by']]} {own['what']}{among}"


_WHICH = r"(?P<has>has|have|had|shows?|obtains?|achieves?|reaches|attains?|gets?|is|are|was|were)"
_VALUE = r"(?:(?!M\d)[a-z]+ed )?(?:values?|entr(?:y|ies)|figures?)"
_ROW_OF = r"\b(?:for|in(?: the)? (?:case|rows?|columns?) of)"
_IS_NOT = r"(?:rather than|instead of|(?:, |and )+not)"


_PLACED = rf"(?P<who>M\d+) (?:is|comes|ranks) (?:(?P<nth>{_NTH_WORD})|first)\b"


def _placed(found: re.Match[str]) -> str:
    """Returns "A has the second highest M" for "sorted by M from highest, A is second"."""
    own = found.groupdict()
    return f"{own['who']} has the {own['nth'] + ' ' if own['nth'] else ''}{own['by']} {own['what']}"


def _of_two(found: re.Match[str]) -> str:
    """Returns "A has a higher M than B" for "between A and B, the former has the higher M"."""
    own = found.groupdict()
    first, second = (own["a"], own["b"])[:: -1 if own.get("which") == "latter" else 1]
    return f"{first} {own['has']} a {own['by']} {own['what']} than {second}"


_PLAINLY = tuple(
    (re.compile(words), plain)
    for words, plain in (
        (r"(?:\bthe (?!\w+est\b)[a-z]+ )?[\"“”] (M\d+) [\"“”]", r"\1"),
        (r"(^|[a-z,] )\( (M\d+) \)", r"\1\2"),
        (r"\b(?:the|an?) (M\d)", r"\1"),
        (r"(M\d+) (?:setting|model|method|mechanism|system|approach|baseline|variant|configuration|categor(?:y|ie)"
         r"|group|condition|feature|version|scenario|option)s?\b", r"\1"),
        (rf"\bbetween (?P<a>M\d+) and (?P<b>M\d+) , (?:it is )?the (?P<which>former|latter) (?:that )?{_WHICH} the"
         r" (?P<by>\w+er|worse|more|less) (?P<what>.*?)(?= ?\.?$)", _of_two),
        (rf"^\W*(?:of the two ,? ?)?(?:it is )?(?P<a>M\d+) {_IS_NOT} (?P<b>M\d+) (?:that )?{_WHICH} the"
         r" (?P<by>\w+er|worse|more|less) (?P<what>.*?)(?= ?\.?$)", _of_two),
        (rf"\b({_NTH_WORD}) - (?=\w+est\b)", r"\1 "),
        (r"\beach and (?=every\b)", ""),
        (r"\b(?:every|each)(?: single)? one of (?:the |these |all )*(?:N\d+ )?", "all "),
        (rf"^\W*(?:(?:when|if) (?:we |one )?)?(?:sort|rank|order)(?:ed)? by (?P<what>.*?) from (?P<by>{_TOP})"
         rf"(?: to \w+)? , {_PLACED}", _placed),
        (rf"^\W*(?:ranked|sorted|ordered) from (?P<by>{_TOP}) (?!to\b)(?P<what>.*?) , {_PLACED}", _placed),
        (r"\bit is (?:(?!only|not|neither)[a-z]+ ){0,2}(M\d+)(?: [a-z]+)? (?:that|which) (?=[a-z])", r"\1 "),
        (r"^\W*it is ((?:[a-z]+ )?N\d+)(?: %)? (?:that|which) ", r"\1 "),
        (r"(M\d+) (?:is|are|was|were) (?:\w+ly )?(?:beaten|outdone|outmatched) by (M\d+)", r"\2 outperforms \1"),
        (r"\bwithout exception , (?:the )?(?=[a-z][a-z –-]*s (?:show|have|are|reach|stay)\b)", "all "),
        (r"\bwithout exception\b", "consistently"),
        (r"(?: (?:is|are))? never (?:(?:falls?|drops?|goes|dips|sinks|gets) )?(?:below|under) (N\d+)"
         r"(?: (?:for|in|on|with|under) any(?: of the)? (?=[a-z]))?", r" is at least \1 for all "),
        (r"(?: (?:is|are))? never (?:(?:rises?|climbs?|goes|gets) (?:above|over|beyond)|above|over|exceeds|surpasses)"
         r" (N\d+)(?: (?:for|in|on|with|under) any(?: of the)? (?=[a-z]))?", r" is at most \1 for all "),
        (rf"^\W*{_ROW_OF} (M\d+) , (?:the|its) {_VALUE}\b(?! (?:of|for)\b)", r"\1"),
        (rf"\bthe {_VALUE} (?:for|of|in|on|at|under) (?=M\d)", ""),
        (r"(?<=\w) (?:reads|comes? (?:out at|to)|sits? at|stand(?:s)? at|amounts? to|corresponds to|(?:is|are)"
         r" (?:listed|given|reported|stated) (?:as|at|to be)) (?=(?:[a-z]+ )?N\d)", " is "),
        (r"\bnumber (?=M\d)", ""),
        (r"\bdividing (.*?M\d+) by that (?:of|for) (M\d+) (?:gives|yields|results in) ((?:[a-z]+ )?N\d+)",
         r"\1 is \3 fold that of \2"),
        (r"\b(for|of) (M\d+) (?:has|have|needs?) to be multiplied by ((?:[a-z]+ )?N\d+) to (?:arrive at|get|obtain"
         r"|reach) (?:that|those|the one) (?:for|of) (M\d+)", r"\1 \4 is \3 fold that of \2"),
        (rf"^\W*in terms of (?:the )?(?P<what>.*?) , {_PLACED} \( counting from the (?P<by>{_TOP}) \)", _placed),
        (r"\b(?:train|test|evaluat|runn)ing (?:on|with|using) (M\d+)", r"\1"),
        (rf"(M\d+) (?:is|are|was|were)(?: \w+ly)? (?:{OVER}|outdone|exceeded) by (M\d+)",
         r"\2 outperforms \1"),
        (rf"\b(?:ranks?|ranked|comes?|is|places?)(?: in)? ({_NTH_WORD})(?: place)?(?: (?:in|by|on|for|at)( .*?))?"
         rf",? when(?: [^MN]*)? (?:sorted|ordered|ranked|listed)(?: by)? from ({_TOP}) to {_TOP}(.*)",
         r"has the \1 \3\2\4"),
        (r"^\W*compared (?:to|with) (M\d+)(?: [a-z]+)? , (.*?)( ?\.?)$", r"\2 than \1\3"),
        (r"\b(?:varies|vary|varied|lies|lie|lay|is) between (N\d+)(?: [a-z%/]+)*(?: \( M\d+ \))? and (N\d+)"
         r"(?: [a-z%/]+)*(?: \( M\d+ \))?(?= (?:across|over|among)\b)", r"ranges from \1 to \2"),
        (rf"\b(?P<nth>{_NTH_WORD}) place from the (?P<by>top|bottom) (?:in|by|on|for) (?P<what>.*) goes to"
         r" (?P<who>M\d.*?)(?= ?[.,]|$)", _ranked),
        (r"\b(?P<n>none|no|only (?:one|two|three|four|five))(?: of)?(?: the| all)* (?:other )?"
         rf"(?:(?P<of>{_NOUNS}?)|[a-z]+(?: of [^ MN]+)?) (?:ha[sd]|have|show\w*|obtain\w*|achiev\w+|reach\w*|with)"
         rf"(?: an?)? (?P<by>{'|'.join(_EST)}) (?:an? )?(?P<what>.*?) (?:than|as) (?P<who>M\d+(?: M\d+)*)",
         _ranked),
        (r"\b(?:low|small)est and(?: the)? (?:high|larg)est (.*?) (?:is|are|was|were) (N\d+)(?: [a-z%/]+)* and (N\d+)",
         r"\1 ranges from \2 to \3"),
        (r"\b(?:low|small)est (.*?) is (N\d+)(?: [a-z%/]+)* and the (?:high|larg)est(?: one)? is (N\d+)",
         r"\1 ranges from \2 to \3"),
        (rf"\bout of (?:the |all )*(N\d+|{'|'.join(COUNTED[2:])}) ({_NOUNS}) , (N\d+|{'|'.join(COUNTED)})"
         r" (?=ha[sd]|have|show)",
         r"\3 of the \1 \2 "),
        (r"\b(above|below|over|under|exceeds?) (?:an? |the )?(?:[a-z]+ )?(M\d+(?: M\d+)*) of (N\d+)", r"has \2 \1 \3"),
        (r"(?:(?:the|an?) )?(?:model|method|system|approach|version|variant|one)s? "
         r"(?:trained|tested|evaluated|run) (?:on|with|using) (M\d+)",
         r"\1"),
        (r"(?<!M\d )\b(?:in|on|across|for) (?:all|every|each)(?: of)?(?: the)? (?:[a-z]+ )?(?:column|metric)s?\b",
         "consistently"),
        (r"\breplacing (M\d+) (?:by|with) (M\d+) ,? ?(.*?) becomes (\w+)", r"\3 is \4 for \2 than for \1"),
        (r"\b(?:we |one )?compar\w+ (M\d+) (?:with|to|and) (M\d+) ,? ?(.*?) of the former is (\w+)",
         r"\3 is \4 for \1 than for \2"),
        (r"\bbetween (M\d+) and (M\d+) ,? ?(.*?) ((?:in|de)creases|rises|falls|drops|grows) by (N\d+)",
         r"\3 \4 from \1 to \2 by \5"),
        (rf"({CHANGES.pattern}.*?) between (M\d+) and (M\d+)", r"\1 from \2 to \3"),
        (r"\b(from (?:[a-z]+ )*M\d+ .*?to (?:[a-z]+ )*M\d+.*?) adds (?:only )?(N\d+)", r"\1 increases by \2"),
        (r"\bfold as (M\d+)(?= (?:at|in|on|with|for|under)\b.* as\b)", r"fold as much \1"),
        (r"^(.*?) (?:loses|lost) (N\d+)((?: [a-z]+)* from (?:[a-z]+ )*M\d+ (?:[a-z]+ )*to (?:[a-z]+ )*M\d+)",
         r"\1 decreases\3 by \2"),
        (rf"^(\W*)between (M\d+) and (M\d+)(.*{CHANGES.pattern})", r"\1from \2 to \3\4"),
        (r"\b(?:gain|add)s? (N\d+)(?: points?)?((?: (?:of |in )?M\d+)*) (?=over\b|compared\b)", r"improves\2 by \1 "),
        (r"\bsaves? (N\d+) (?:of |in )?(M\d+) (?=over\b|compared\b)", r"reduces \2 by \1 "),
        (r"(M\d+)((?: [a-z]+)?) peak(?:s|ed) (?=(?:at|in|for|with|under)(?: the)? M\d)", r"\1\2 is highest "),
        (r"\b(?:occurs?|is (?:found|seen|observed|reached|obtained)) (?=(?:at|in|for|with|under)(?: the)? M\d)",
         r"is "),
        (r"(?<!under )(?<!on )(?<!in )(?<!at )(?<!for )(?<!with )(?<!M\d )(M\d+(?: [a-z]+){0,2}) of (N\d+)"
         r" (?:is|was|were|are|being) (?:obtained|achieved|reached|attained|reported|recorded|seen|found|observed"
         r"|given|shown|measured)"
         r"(?: by| for| with| in| at)*(?: the)? (M\d+.*?)(?= ?\.?$)", r"\3 has \1 of \2"),
        (r"(M\d+) and (M\d+) differs? by (N\d+)", r"difference between \1 and \2 is \3"),
        (r"(M\d+) and (M\d+) (?:is|are|was|were|lie) ((?:[a-z]+ )?N\d+ (?:% |points? )?)apart",
         r"difference between \1 and \2 is \3"),
        (rf"({LIST}(?: (?:do|does|did) not)?) (?:ha[sd]|have|shares?|shows?|reach|reaches|obtains?|gets?|achieves?)"
         r"(?: exactly)? the (?:very )?(?:same|identical)(?: values? (?:of|for|in|on))? (?=(?:[a-z]\w* ){0,3}M\d)",
         r"\1 tie in "),
        (rf"\bno difference between ({LIST})(?! [/(])", r"\1 tie"),
        (r"(M\d+) (?:ties|is tied|is level|draws) with (M\d+)(?! [/(])", r"\1 and \2 tie"),
        (rf"({LIST}) (?:is|are|was|were)(?: exactly)? (?:identical|tied|equal|level|the same)"
         r"(?= (?:in|on|for|with|regarding|at|\(|\W*$))", r"\1 tie"),
        (r"^\W*relative to (M\d+) , (.*?)( ?\.?)$", r"\2 than \1 relatively\3"),
        (r"\b(?:does|do|did) not reach (?=that of\b|those of\b|M\d)", "is lower than "),
        (r"^\W*the (\w+er|more|less) (?!M\d)([^,]{1,30}) , the (\w+er) (?:the )?(M\d.*?)( ?\.?)$",
         r"\4 is \3 with \1 \2\5"),
        (r"^\W*(as [^,]{1,30}) , (M\d.*?)( ?\.?)$", r"\2 \1\3"),
        (r"\bat the (?:bottom|end) when\b(?: the)? (\w+) .*\bsorted\b", r"the lowest of all \1"),
        (r"\bat the top when\b(?: the)? (\w+) .*\bsorted\b", r"the highest of all \1"),
        (r"\bnumber (?:of )?(rows|columns|models|methods) with (.*) (?:is|was|equals|amounts to) (N\d+|[a-z]+)\b",
         r"exactly \3 of the \1 have \2"),
    )
)  # fmt: skip
"""Phrases with the plain equivalents that the rules know."""


def plainly(text: str) -> str:
    """Replaces phrases in a text by their plain equivalents."""
    for words, plain in _PLAINLY:
        text = words.sub(plain, text)
    return text
