"""Rules that reword a sentence, and rules that change its meaning.

``reworded`` keeps the meaning: synonyms, "we" as "the authors", clauses in another order, active and passive, asides
left out. ``CORRUPTIONS`` change it: numbers, names, comparatives, subject and object, negation. All take
``random.Random``; none uses a language model.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher

_VERBS = """
show shows showed shown showing = demonstrate demonstrates demonstrated demonstrated demonstrating
demonstrate demonstrates demonstrating = show shows showing
illustrate illustrates illustrating = show shows showing
indicate indicates indicated indicating = suggest suggests suggested suggesting
require requires required requiring = need needs needed needing
provide provides provided providing = offer offers offered offering
propose proposes proposed proposing = suggest suggests suggested suggesting
describe describes described describing = outline outlines outlined outlining
introduce introduces introduced introducing = present presents presented presenting
computes computed computing = calculates calculated calculating
calculate calculates calculated calculating = compute computes computed computing
conduct conducts conducted conducting = carry|out carries|out carried|out carrying|out
investigate investigates investigated investigating = examine examines examined examining
examine examines examined examining = investigate investigates investigated investigating
choose chooses chose chosen choosing = select selects selected selected selecting
select selects selected selecting = pick picks picked picking
construct constructed constructing = build built building
create creates created creating = produce produces produced producing
generate generates generated generating = produce produces produced producing
evaluate evaluates evaluated evaluating = assess assesses assessed assessing
assess assesses assessed assessing = evaluate evaluates evaluated evaluating
ensure ensures ensured ensuring = guarantee guarantees guaranteed guaranteeing
utilize utilizes utilized utilizing = use uses used using
occur occurs occurred occurring = happen happens happened happening
retain retains retained retaining = keep keeps kept keeping
enhance enhances enhancing = improve improves improving
attempt|to attempts|to attempted|to attempting|to = try|to tries|to tried|to trying|to
rely|on relies|on relied|on relying|on = depend|on depends|on depended|on depending|on
focus|on focuses|on focused|on focusing|on = concentrate|on concentrates|on concentrated|on concentrating|on
lead|to leads|to led|to leading|to = result|in results|in resulted|in resulting|in
resulted|in resulting|in = led|to leading|to
correspond|to corresponds|to corresponded|to corresponding|to = match matches matched matching
consist|of consists|of consisted|of consisting|of = comprise comprises comprised comprising
aim|to aims|to aimed|to aiming|to = intend|to intends|to intended|to intending|to
"""
_OTHERS = """
approach approaches method methods = method methods approach approaches
technique techniques problem problems issue issues = method methods issue issues problem problems
advantage advantages drawback drawbacks = benefit benefits disadvantage disadvantages
dataset datasets amount amounts ability abilities = data|set data|sets quantity quantities capability capabilities
researchers paper = scientists article
difficult simple similar various = hard straightforward comparable different
several many numerous = multiple numerous many
entire additional appropriate suitable rapid novel = whole further suitable appropriate fast new
previous primary crucial vital = earlier main essential essential
often usually typically particularly = frequently typically usually especially
especially primarily mainly easily currently previously = particularly mainly primarily readily at|present earlier
nearly almost solely therefore thus hence = almost nearly only consequently consequently therefore
because although whereas every another = since even|though while each a|further
due|to such|as in|order|to with|respect|to as|well|as = because|of like to regarding and|also
a|number|of instead|of rather|than in|addition|to = several rather|than instead|of besides
are|able|to is|able|to in|the|case|of = can can for
used using uses = employed employing employs
"""
NUMBER_WORDS = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen", "twenty",
)  # fmt: skip
_GRADED = """
more=less higher=lower larger=smaller greater=smaller better=worse faster=slower longer=shorter earlier=later
increase=decrease increases=decreases increased=decreased increasing=decreasing highest=lowest largest=smallest
best=worst longest=shortest fastest=slowest before=after maximum=minimum maximize=minimize always=never
often=rarely frequently=rarely usually=rarely typically=rarely many=few high=low large=small long=short strong=weak
fast=slow positive=negative stronger=weaker improve=worsen improves=worsens improved=worsened
reduce=increase reduces=increases reduced=increased easier=harder simpler=more|complicated deeper=shallower
wider=narrower at|least=at|most cheap=expensive easy=difficult simple=complicated rare=common most|of=few|of
quickly=slowly
"""
_OPPOSITES = """
possible=impossible necessary=unnecessary likely=unlikely known=unknown significant=insignificant
sufficient=insufficient correct=incorrect accurate=inaccurate efficient=inefficient independent=dependent
dependent=independent consistent=inconsistent available=unavailable useful=useless successful=unsuccessful
able=unable include=exclude includes=excludes including=excluding included=excluded similar=dissimilar
effective=ineffective reliable=unreliable identical=different allow=prevent supported=rejected accept=reject
with=without succeed=fail complete=incomplete
"""
_BASES = {
    "used": "use", "found": "find", "showed": "show", "chose": "choose", "selected": "select", "proposed": "propose",
    "applied": "apply", "measured": "measure", "observed": "observe", "computed": "compute", "compared": "compare",
    "collected": "collect", "developed": "develop", "implemented": "implement", "removed": "remove", "tested": "test",
    "evaluated": "evaluate", "performed": "perform", "considered": "consider", "obtained": "obtain", "added": "add",
    "defined": "define", "included": "include", "trained": "train", "calculated": "calculate", "generated": "generate",
    "identified": "identify", "created": "create", "built": "build", "employed": "employ", "ran": "run", "set": "set",
}  # fmt: skip
_PRESENT = tuple(sorted({*_BASES.values(), "assume", "present", "focus", "believe", "expect", "need", "know", "see"}))
_PASSIVE = {
    "use": "used", "propose": "proposed", "present": "presented", "describe": "described", "introduce": "introduced",
    "evaluate": "evaluated", "apply": "applied", "compare": "compared", "consider": "considered", "compute": "computed",
    "define": "defined", "implement": "implemented", "develop": "developed", "select": "selected",
    "measure": "measured",
}  # fmt: skip
_NOT_ALONE = re.compile(
    r"(?:this|these|those|that|it|its|they|their|he|she|such|here|there|both|another|other|the former|the latter|"
    r"as |so |then|i\b|to this|in this|for this|on this|at this|with this|by this|from this|the same|"
    r"all of|one of|note|make|store|use|keep|place|put|submit|give|record|write|do|be|let|consider|recall|"
    r"avoid|add|save)\b",
    re.IGNORECASE,
)
_BARE = re.compile(r"[A-Z0-9][\w ,.;:()%'’“”\"+/–—-]+\.")
_SUBORDINATE = r"If|When|Because|Although|Once|Unless|Whenever|Even though"
_FRONTED = r"In|For|With|By|On|At|From|During|To|Using|Across|Within|Unlike|After|Before"
_FIXED = re.compile(
    r"(?:In|For|On|At|By|With|To|From) (?:example|instance|particular|general|addition|contrast|short|other|fact|"
    r"practice|most|principle|turn|the other|one hand|first|second|summary|the one)"
)

Names = Sequence[str]
Corruption = Callable[[str, str, Names, random.Random], "str | None"]
"""Maps a sentence, the text around it, and the names in its paper to a sentence with another meaning, or None."""


def _pairs(table: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for line in table.strip().splitlines():
        left, _, right = line.partition(" = ")
        for a, b in zip(left.split(), right.split(), strict=True):
            pairs.setdefault(a.replace("|", " "), b.replace("|", " "))
    return pairs


def _equals(table: str) -> list[tuple[str, str]]:
    halves = (pair.replace("|", " ").partition("=") for pair in table.split())
    return [(word, other) for word, _, other in halves]


SYNONYMS = {**_pairs(_VERBS), **_pairs(_OTHERS)}
_GRADES = _equals(_GRADED)
_ONE_WAY = {
    "rarely", "few", "smaller", "few of", "more complicated", "increase", "increases", "increased", "common",
    "complicated",
}  # fmt: skip
_GRADES += [(b, a) for a, b in _GRADES if b not in _ONE_WAY]
_CONTRARY = _equals(_OPPOSITES)


def usable(sentence: str) -> bool:
    """Returns whether a sentence can be quoted alone: 9 to 38 plain words, no reference to preceding text, no
    command."""
    words = sentence.split()
    plain = _BARE.fullmatch(sentence) and not re.search(r"[\[\]]|\(\s*\)|\bet al|\bI\b|\bmy\b|^\W|\s,|\.\.", sentence)
    letters = sum(w.isalpha() for w in re.sub(r"[,.;:()]", "", sentence).split())
    listed = re.search(r"\((?:[ivx]+|\d|[a-h])\)", sentence)
    balanced = not listed and sentence.count("(") == sentence.count(")") and sentence.count("“") == sentence.count("”")
    return bool(
        plain and balanced and 9 <= len(words) <= 38 and letters > 0.8 * len(words) and not _NOT_ALONE.match(sentence)
    )


def reworded(sentence: str, rng: random.Random) -> tuple[str, str] | None:
    """Returns the sentence reworded, without full stop, if possible with a lower-case first word, and the way.

    Ways: "reordered", "voice" (active and passive), "shortened" or "reworded". None if the rules change too little.
    """
    text, kind = _without_openers(sentence.removesuffix(".")), "reworded"
    others: list[tuple[str, Callable[[str], str | None]]] = [("reordered", _reordered), ("shortened", _shortened)]
    rng.shuffle(others)
    structures = [("voice", _passive), ("voice", _active), *others]
    for name, change in structures:
        changed = change(text)
        if changed:
            text, kind = changed, name
            break
    text = _lowered(text)
    text = _third_person(text)
    text = _synonyms(text, rng)
    alike = SequenceMatcher(None, sentence.lower().rstrip(".").split(), text.lower().split(), autojunk=False).ratio()
    return (text, kind) if alike <= (0.93 if kind == "reworded" else 0.97) and len(text.split()) >= 7 else None


def _without_openers(text: str) -> str:
    openers = (
        r"(?:However|Therefore|Thus|Hence|Moreover|Furthermore|In addition|Additionally|Finally|Consequently|"
        r"Nevertheless|Nonetheless|Indeed|Also|Interestingly|Importantly|Notably|In particular|Accordingly|Note that|"
        r"First|Second|Third|In fact|Of course|Similarly|As a result|For example|For instance|In contrast), "
    )
    found = re.match(openers + r"|(?:Thus|Therefore|Hence|Note that) (?=we |the )", text)
    return text[found.end()].upper() + text[found.end() + 1 :] if found and len(text) > found.end() + 30 else text


def _reordered(text: str) -> str | None:
    found = re.fullmatch(rf"({_SUBORDINATE}|{_FRONTED}) ([^,;:()]{{8,110}}), ([^,;:()]{{20,}})", text)
    lead = r"(?:and|or|but|by|with|using|in|on|for|to|as|at|which|where|who|including|such|so|not|from|while|if|when)\b"
    if found and not _FIXED.match(text) and not re.match(lead, found[3]):
        rest = re.sub(r"^then ", "", found[3])
        return f"{rest[0].upper()}{rest[1:]} {found[1].lower()} {found[2]}"
    found = re.fullmatch(r"([^,;:()]{25,}),? (because|although|even though) ([^,;:()]{12,})", text)
    if found and not re.search(
        r"\b(?:not|only|mainly|partly|simply|and|or|that|which|perhaps|probably)$|\bnot\b", found[1]
    ):
        return f"{found[2].capitalize()} {found[3]}, {_lowered(found[1])}"
    return None


def _passive(text: str) -> str | None:
    found = re.fullmatch(
        rf"We ({'|'.join(_PASSIVE)}|{'|'.join(v for v in _PASSIVE.values())})"
        r" ((?:an? |the |our )?(?:[\w-]+ ){1,4}?)(to|for|with|in|from|on|based on|using) ([^,;:]{8,})",
        text,
    )
    if not found or re.search(r"\b(?:that|how|which|and|as|to|of|it|this|them|whether|what|if)\b", found[2]):
        return None
    thing = found[2].strip()
    last = thing.split()[-1]
    plural = last.endswith("s") and not last.endswith(("ss", "us", "is")) and not thing.startswith(("a ", "an "))
    present = found[1] in _PASSIVE
    be = ("are" if plural else "is") if present else ("were" if plural else "was")
    done = _PASSIVE.get(found[1], found[1])
    return f"{thing[0].upper()}{thing[1:]} {be} {done} by the authors {found[3]} {found[4]}"


def _active(text: str) -> str | None:
    """Rewrites a passive as "The authors ...", unless it names another agent."""
    found = re.fullmatch(
        r"((?:The|A|An|All|Each|Both)? ?(?:[\w-]+ ){1,6}?)(?:was|were) (?:then |also )?"
        r"(performed|calculated|measured|computed|collected|removed|excluded|estimated|selected|evaluated|analy[sz]ed|"
        r"tested|trained|generated|compared|obtained|implemented|chosen|recorded|assessed|normali[sz]ed) "
        r"((?:to|for|with|using|in|from|on|at|as|after|when|by \w+ing) .{8,})",
        text,
    )
    if not found or re.search(r"\b(?:that|which|by|and|who|it|this|there|what|as)\b", found[1].lower()):
        return None
    if re.search(r"\bby (?:the|a|an|[A-Z])|\bpreviously\b|\bearlier\b", found[3]):
        return None
    done = {"chosen": "chose"}.get(found[2], found[2])
    return f"The authors {done} {_lowered(found[1].strip())} {found[3]}"


def _shortened(text: str) -> str | None:
    without = re.sub(r" \([^()]*\)", "", text)
    without = re.sub(r", (?:which|where) [^,;()]+(?:,(?! and\b)|$)", "", without)
    without = re.sub(
        r"\b(?:very|simply|indeed|clearly|of course|in turn|in fact|for example|for instance|however),? ", "", without
    )
    found = re.match(
        r"([^,;:]{45,}?)(?:,| ;) (?:and|but|so) (?:we|it|they|the|this|these|our|there|is|are|has)\b", without
    )
    if found and not re.search(
        r"\b(?:if|either|both|neither|between|when|while|although|because|not|unless)\b", found[1], re.IGNORECASE
    ):
        without = found[1]
    return without if len(without) < len(text) - 3 and without.count("“") == without.count("”") else None


def _third_person(text: str) -> str:
    """Replaces "we" with "the authors", later "they", and "our" with "their"."""
    text = re.sub(
        r"\bin this (paper|work|study|article|thesis|section|chapter)\b", r"in the \1", text, flags=re.IGNORECASE
    )
    text = re.sub(r"\bthis (paper|work|study|article|thesis)\b", r"the \1", text, flags=re.IGNORECASE)
    seen = "the authors" in text
    while found := re.search(r"\b[Ww]e\b", text):
        text = f"{text[: found.start()]}{'they' if seen else 'the authors'}{text[found.end() :]}"
        seen = True
    for first, third in (("our", "their"), ("us", "the authors"), ("ours", "theirs"), ("ourselves", "themselves")):
        text = re.sub(rf"\b{first}\b", third, text, flags=re.IGNORECASE)
    return text


def _synonyms(text: str, rng: random.Random) -> str:
    """Replaces about two thirds of the words with a synonym; verbs not after articles, where they may be nouns."""
    for word in sorted(SYNONYMS, key=lambda w: -len(w)):
        if word not in text or rng.random() < 0.35 or (word.startswith("method") and "class" in text):
            continue
        before = r"(?<!\bthe )(?<!\ban )(?<!\ba )" if word in _AMBIGUOUS else ""
        if word == "many":
            before = r"(?<!\bas )(?<!\bhow )(?<!\bso )(?<!\btoo )(?<!\bthis )"
        after = r"(?! for\b| of\b)" if word.startswith(("need", "approach")) else ""
        replaced, count = re.subn(
            rf"{before}(?<![\w-]){word}(?![\w-]){after}", f"\0{SYNONYMS[word]}\1".replace(" ", "\2"), text, count=1
        )
        if count:
            text = re.sub(r"\b([Aa])n?(?= \0)", lambda m: m[1], replaced)
    text = re.sub(r"\b([Aa]) \0(?=[aeio])", r"\1n ", text)
    return text.replace("\0", "").replace("\1", "").replace("\2", " ")


_AMBIGUOUS = frozenset({"lead to", "leads to", "aim to", "aims to", "focus on", "attempt to", "attempts to", "uses"})
"""Not replaced after an article, where they may be nouns."""


def _lowered(text: str) -> str:
    """Returns the text with a lower-case first word, unless it may be a name or an abbreviation."""
    first = text.split(" ", 1)[0]
    known = re.fullmatch(
        r"(?:We|Our|The|This|These|That|Those|It|Its|Their|They|An?|In|On|At|For|From|With|By|To|If|When|Because|Although|Since|While|Once|Unless|Each|Every|All|Some|"
        r"Many|Most|Several|Both|Only|No|Any|Using|Given|After|Before|During|Even|Also|One|Two|Three|Four|Five|Users?|"
        r"Researchers|Results|Data|Methods|Whenever|Across|Within|Unlike|Under|Although|There|Of|As|Despite|Instead|Without)",
        first,
    )
    return text[0].lower() + text[1:] if known else text


# --- saying something else -------------------------------------------------------------------------------------------


def numbers(sentence: str, around: str, names: Names, rng: random.Random) -> str | None:
    """Changes one number, in digits or as a word, to one that the section doesn't contain."""
    pattern = rf"(?<![\w.,+/#-])(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS)})"
    pattern += r"(?![\w,]*\d|[\w-]*[A-Za-z]|%? or (?:more|less|fewer|greater|higher|lower)|\s*[–-])"
    places = [m for m in re.finditer(pattern, sentence) if not re.search(
        r"(?:Fig(?:ure|s?\.)|Tables?|Sections?|Chapters?|Appendix|Algorithm|Eqs?\.|Equations?|Steps?|Lemma|Theorem|Type|"
        r"and|version|than|least|most|over|about|up to|around|under|below|above|nearly|almost)\s$",
        sentence[: m.start()], re.IGNORECASE)]  # fmt: skip
    rng.shuffle(places)
    for found in places:
        if found[0] in NUMBER_WORDS:
            other = rng.choice([w for w in NUMBER_WORDS if w != found[0]])
        else:
            value = float(found[0].replace(",", ""))
            changed = (
                value * rng.choice((0.3, 0.5, 0.7, 1.5, 2, 3))
                if value > 10 or value % 1
                else value + rng.choice((2, 3, 5))
            )
            if 1800 < value < 2100 and value % 1 == 0:
                changed = value + rng.choice((-9, -7, -4, -3))
            digits = len(found[0].partition(".")[2])
            other = f"{changed:,.{digits}f}" if "," in found[0] else f"{changed:.{digits}f}"
        if other != found[0] and not re.search(rf"(?<![\w.]){re.escape(other)}(?!\w)", around):
            return sentence[: found.start()] + other + sentence[found.end() :]
    return None


def other_name(sentence: str, around: str, names: Names, rng: random.Random) -> str | None:
    """Replaces a name with one of the same shape from elsewhere in the paper that this section doesn't contain."""
    own = [m for m in re.finditer(NAME, sentence) if m[0] in names and m.start() > 0]
    rng.shuffle(own)
    for found in own:
        shape = found[0].isupper()
        others = [n for n in names if n.isupper() == shape and n.lower() not in around.lower() and _unlike(n, found[0])]
        if others and sentence.count(found[0]) == 1:
            return sentence[: found.start()] + rng.choice(others) + sentence[found.end() :]
    return None


def comparatives(sentence: str, around: str, names: Names, rng: random.Random) -> str | None:
    """Reverses one comparative, superlative or graded word."""
    return _turned(sentence, _GRADES, rng)


def swapped(sentence: str, around: str, names: Names, rng: random.Random) -> str | None:
    """Swaps two parts: subject and object, the chosen and the rejected, from and to."""
    thing = r"((?:an? |the |their )?(?:[\w-]+ ){0,5}?[\w-]+)"
    tail = r"((?: (?:in|for|with|at|on|by|when|and|to|of|as|from|that|which|is|are)\b.*|[,;:].*)?)"
    place = r"((?: (?:in|for|with|at|on|by|when|from)\b.*)?)"
    chosen = r"(.*\b(?:using|use|of|on|with|employ\w*|is|are|by|for|in) )"
    bad = (
        r"\b(?:they|authors|it|we|which|that|who|this|these|is|are|was|were|be|not|there|what|and|or|if|when|can|to)\b"
    )
    verbs = (
        "outperforms?|depends? on|contains?|includes?|requires?|needs?|follows?|precedes?|replaces?|causes?|leads? to|"
        "results? in|"
        "determines?|provides?|offers?|produces?|implements?|extends?|generali[sz]es?|affects?|influences?|controls?|dominates?|"
        "predicts?|describes?|outlines?|supports?|constrains?|exceeds?|"
        "(?:is|are|was|were) (?!tied|relat|link|connect|correlat|coupl|compar|associat|combin|match)"
        "(?:\\w+ed|given|driven|shown|found|built|taken|drawn|part|chosen) (?:by|of|from|into|in|on)"
    )
    forms = [
        (rf"^{thing} ((?:also |then |typically |usually )?(?:{verbs})) {thing}{place}$", (1, 3)),
        (rf"^{thing} ((?:is|are|was|were|has|have|gives?|performs?|requires?)\b.*\bthan) {thing}()$", (1, 3)),
        (rf"(.*\b)from {thing} to {thing}{tail}$", (2, 3)),
        (rf"{chosen}{thing} (?:rather than|instead of) {thing}{tail}$", (2, 3)),
    ]
    rng.shuffle(forms)
    for form, (one, two) in forms:
        found = re.match(form, sentence)
        if not found or re.search(bad, found[one].lower()) or re.search(bad, found[two].lower()):
            continue
        a, b = found[one].strip(), found[two].strip()
        if form.startswith(r"(.*\b)from") and re.search(
            r"\brang|\bvar[iy]|\bback\b|vice versa|\d", f"{found[1]}{a}{b}{found[4]}"
        ):
            continue
        if {a.split(" ")[0].lower(), b.split(" ")[0].lower()} & set(_PRESENT):
            continue
        if a.lower() == b.lower() or set(a.lower().split()) & set(b.lower().split()) - {"the", "a", "an", "of"}:
            continue
        start, end = found.span(one), found.span(two)
        return sentence[: start[0]] + b + sentence[start[1] : end[0]] + a + sentence[end[1] :]
    return None


def negated(sentence: str, around: str, names: Names, rng: random.Random) -> str | None:
    """Adds or removes a negation, or replaces a word with its opposite."""
    removed = re.sub(
        r"\b(is|are|was|were|will|should|does|do|did|has|have|can) not\b|\b(can)not\b",
        lambda m: m[1] or m[2],
        sentence,
        count=1,
    )
    if removed != sentence and "not only" not in sentence:
        return removed
    if re.search(
        r"\b(?:not|no|never|neither|nor|without|none|few|hardly|only|cannot)\b|n't\b", sentence, re.IGNORECASE
    ):
        return None
    options: list[str] = []
    found = re.match(r"(?:the authors|they) (?:then |also |first )?(\w+)", sentence)
    if found and found[1] in _BASES:
        options.append(f"{sentence[: found.start(1)]}did not {_BASES[found[1]]}{sentence[found.end(1) :]}")
    if found and found[1] in _PRESENT:
        options.append(f"{sentence[: found.start(1)]}do not {sentence[found.start(1) :]}")
    found = re.search(
        r"\b(is|are|was|were|can|will|should|must|has|have|does|do|did)\b(?! (?:to|a number)\b)", sentence
    )
    before = sentence[: found.start()] if found else ""
    clause = re.compile(
        r"\b(?:that|which|who|whose|when|if|because|while|where|although|whether|how|what|since|unless|once|as)\b|,"
    )
    if found and 0 < len(before.split()) <= 9 and not clause.search(before.lower()):
        rest = sentence[found.end() :]
        no = "cannot" if found[1] == "can" else f"{found[1]} not"
        if found[1] in ("has", "have") and not re.match(
            r" (?:\w+ly |also )?(?:\w+ed|been|\w+en|had|made|done|found|shown|led|built)\b", rest
        ):
            no = f"{'does' if found[1] == 'has' else 'do'} not have"
        options.append(f"{before}{no}{rest}")
    return rng.choice(options) if options else _turned(sentence, _CONTRARY, rng)


CORRUPTIONS: dict[str, Corruption] = {
    "number": numbers, "name": other_name, "comparative": comparatives, "swapped": swapped, "negated": negated,
}  # fmt: skip
NAME = re.compile(r"\b(?:[A-Z][A-Z0-9]{1,}(?:-[A-Z0-9]+)*|[A-Z][a-z]+[A-Z]\w*|[A-Z][a-z]{2,})\b")
_NO_NAMES = frozenset({
    "After", "Algorithm", "All", "Also", "Although", "And", "Appendix", "Because", "Before", "But", "Chapter",
    "Each", "Equation", "Fig", "Figs", "Figure", "Finally", "First", "For", "From", "Given", "Here", "However",
    "Its", "Let", "Not", "Note", "One", "Our", "Second", "Section", "Sections", "Since", "Such", "Supplementary",
    "Table", "Tables", "That", "The", "Their", "Then", "There", "These", "They", "This", "Those", "Three",
    "Thus", "Two", "Using", "When", "Where", "While", "With",
})  # fmt: skip


def names_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns names and abbreviations that occur at least twice in a paper, not at the start of a sentence."""
    counts: dict[str, int] = {}
    texts = list(texts)
    lower = {word for text in texts for word in re.findall(r"\b[a-z]{3,}\b", text)}
    for text in texts:
        for found in NAME.finditer(text):
            if re.search(r"[\w,;] $", text[: found.start()]) and not {found[0], found[0].lower()} & (_NO_NAMES | lower):
                counts[found[0]] = counts.get(found[0], 0) + 1
    return tuple(sorted(name for name, count in counts.items() if count > 1))


def _unlike(a: str, b: str) -> bool:
    return a.lower() not in b.lower() and b.lower() not in a.lower() and a.lower()[:4] != b.lower()[:4]


def _turned(sentence: str, pairs: Sequence[tuple[str, str]], rng: random.Random) -> str | None:
    """Replaces one word of ``pairs`` that occurs once in the sentence with its counterpart."""
    options = []
    for word, other in pairs:
        found = re.findall(rf"(?<![\w-]){word}(?![\w-])", sentence)
        if len(found) == 1 and not re.search(rf"(?<![\w-]){other}(?![\w-])", sentence):
            if word in ("more", "with", "high", "long", "before", "after", "best") and re.search(
                rf"{word} (?:or|over|respect|and more|level|order|than one|the \w+ of)\b|once more|no longer|as long|"
                r"of (?:our|their) knowledge",
                sentence,
            ):
                continue
            options.append(re.sub(rf"(?<![\w-]){word}(?![\w-])", other, sentence))
    return rng.choice(options) if options else None
