"""Checks a paper's references: tables, figures and citations that don't exist, or that are never referred to.

PDF parsing may miss captions and entries. So each check searches the whole text for a caption or name, however it was
classified, and reports nothing if the paper's numbers or its list have gaps. See ``pointers.py``.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, takewhile

from engine.documents.numbers import from_roman
from engine.documents.records import Paragraph
from engine.review_drafting.reading import place, stretch, where
from engine.review_drafting.records import Anchor, Caption, Check, PaperReading
from engine.review_drafting.stages.pointers import finding, numbered
from engine.reviews.anonymity import find_identifying
from engine.shown import counted, listed

_KINDS = ("table", "figure")
_SHOWN = 3
_ENOUGH = 3
"""With fewer captions of a kind, or citations, the paper's practice isn't known."""


# --- tables and figures -----------------------------------------------------------------------------------------------
def unmentioned(paper: PaperReading) -> Iterator[Check]:
    """Yields tables and figures that the text never refers to, if it refers to one of them by number. Ignores those in
    an appendix ("see Appendix B" covers all of it) and after a reference list that isn't at the end. Yields nothing if
    a reference of this kind is unresolved, since it may be the missing one."""
    paragraphs = paper.places.document.paragraphs
    last = max((n for n, p in enumerate(paragraphs) if p.kind == "reference"), default=0)
    ends = frozenset(("reference",) if any(p.kind == "heading" for p in paragraphs[last:]) else ())
    before = {p.id for p in takewhile(lambda p: p.kind not in ends and not _appends(p), paragraphs)}
    main = [c for c in paper.captions if c.paragraph_id in before]
    lost = [
        m[0]
        for p in paper.places.document.paragraphs
        for m in _UNRESOLVED.finditer(p.text)
        if re.search(r"\?\?|ref\W|X[XY]", m[0])
    ]
    for kind in _KINDS:
        if any(not name[0].isalpha() or name.casefold().startswith(kind[:3]) for name in lost):
            continue
        captions = {number: c for c in main if c.kind == kind and (number := _numeral(c.number))}
        pointed = _pointed(paper, kind)
        twice = Counter(c.number for c in paper.captions if c.kind == kind)  # one of them may begin a sentence
        missing = [
            caption
            for number, caption in captions.items()
            if number not in pointed and twice[caption.number] == 1 and not _RENAMED.match(caption.text)
        ]
        if len(captions) >= _ENOUGH and 0 < len(missing) < len(captions):
            anchors = [_of(caption, f"{kind.capitalize()} {caption.number}") for caption in missing[:_SHOWN]]
            # The text may speak of it under a wrong number.
            named = [f"{anchor.ref} (p. {anchor.page})" for anchor in anchors]
            more = [counted(len(missing) - _SHOWN, "other")] * (len(missing) > _SHOWN)
            words = f"Outside the captions, the text doesn't name {' or '.join((*named, *more))}."
            them = "each" if len(anchors) > 1 else "it"
            yield finding("unmentioned", words, f"Refer to {them} by its number, or leave it out.", *anchors)


_LATIN = re.compile(r"\b(?i:tab(?:les?)?|fig(?:ure)?s?)\.?[\s~]*[IVXL]+\b(?:(?:\s|,|and|&|to|–|-)+[IVXL]+\b)*")


def _numeral(number: str) -> int:
    """Returns the value of an Arabic or Roman number, otherwise 0."""
    return int(number) if number.isdigit() else from_roman(number)


def _appends(paragraph: Paragraph) -> bool:
    return paragraph.kind == "heading" and bool(
        re.match(r"\W*(?:\d+\W+)?(?:appendi|supplement)", paragraph.text, re.IGNORECASE)
    )


_RENAMED = re.compile(r"\W*\w+\.?\s*\d+[.:]?\s+(?:Supplement\w* )?(?:Fig|Tab)")
"""A caption with another name in it: "Figure 5: Figure S1: Errors"."""


def _pointed(paper: PaperReading, kind: str) -> set[int]:
    """Returns the numbers of this kind that the text refers to, anywhere on a page, including by "the table below"; an
    item's own caption doesn't count."""
    found: set[int] = set()
    goes_on = False
    for paragraph in paper.places.document.paragraphs:
        own = {_numeral(c.number) for c in paper.captions if c.paragraph_id == paragraph.id and c.kind == kind}
        text = _LATIN.sub(
            lambda m: re.sub(r"[IVXL]+\b", lambda n: str(_numeral(n[0])), m[0]), _ASIDE.sub("", paragraph.text)
        )
        pointers = [m for m in _ANY_POINTER.finditer(text) if m["kind"].casefold().startswith(kind[:3])]
        for match in pointers:
            # "Figure 4 shows" begins a sentence, not a caption.
            caption = match.start() < 3 and not re.match(r"\s+[a-z]+s\b", text[match.end() :])
            found |= set(numbered(match["numbers"])) - (own if caption else set())
        found |= {int(number) for number in _MISNAMED.findall(paragraph.text)}
        beside = [match[0].casefold() for match in _BESIDE.finditer(paragraph.text)]
        if any(kind in words or ("table" not in words and "figure" not in words) for words in beside):
            found |= {
                _numeral(c.number) for c in paper.captions if c.kind == kind and abs(c.page - paragraph.page) <= 1
            }
        if paragraph.kind == "body":  # "Figures 11 and" at the end of a column
            if goes_on and (first := re.match(r"\W*(\d{1,2})\b", paragraph.text)):
                found.add(int(first[1]))
            goes_on = bool(re.search(r"(?:\d\s*(?:,|and|&)|Fig(?:ures?|s?\.)|Tables?)\s*$", paragraph.text))
    return found


_MISNAMED = re.compile(
    r"\b(?!Fig|Sec|Chap|App|Tab|Theo|Lem|Cor|Prop|Alg|Eq|List)[A-Z][a-z]+ (\d{1,2}) (?:shows?|gives?|illustrates?"
    r"|depicts?|plots?|presents?|displays?|summari[sz]es?|compares?|reports?)\b"
)
"""A reference with another word: "Example 5 shows" next to Figure 5."""


_ANY_POINTER = re.compile(
    r"(?<!\w)(?P<kind>Tab[a-z]{0,3}\.?|Fig[a-z]{0,4}\.?)[\s~:]*"
    r"(?P<numbers>\(?\d{1,2}(?:[\s(),;&/–—~-]|and|to|or|(?<![a-z])[a-z](?![a-z])|\d{1,2}(?!\d))*)",
    re.IGNORECASE,
)
"""Tables and figures by number, including misspelt ("Tabel 6") and with parts ("Figs. 3(a), 4(b) and 5"). Prefers too
many numbers over too few."""
_ASIDE = re.compile(r"(?<=\d) \([^()\d]{1,40}\)(?= )")
"""A remark on one of several: "Figures 4 (for speed) and 5"."""
_SHOWN_BESIDE = r"(?:results|examples?|plots?|charts?|graphs?|images?|diagrams?|maps?|photos?|photographs?)"
_BESIDE = re.compile(
    r"\b(?:following|above|below|next|previous|this) (?:tables?|figures?)\b(?!\s*\d)"
    r"|\b(?:tables?|figures?) (?:\w+ )?(?:below|above)\b"
    rf"|\b{_SHOWN_BESIDE} (?:shown |given |presented )?(?:below|above)\b|\b(?:above|below) {_SHOWN_BESIDE}\b"
    r"|\b(?:plotted|shown|given|displayed|depicted|illustrated|listed|summari[sz]ed) (?:above|below)\b"
    r"|\bbelow (?:is|are)\b"
    r"|\b(?:first|second|third|fourth|last|final) (?:figure|table)\b"
    r"|\bthe (?:table|figure) (?:gives|shows|lists|plots|presents|reports|displays|illustrates|summari[sz]es)\b",
    re.IGNORECASE,
)


def _of(caption: Caption, name: str) -> Anchor:
    return Anchor(
        kind="table" if caption.kind == "table" else "figure", ref=name, paragraph_id=caption.paragraph_id,
        page=caption.page, found=True,
    )  # fmt: skip


# --- unresolved references --------------------------------------------------------------------------------------------
_UNRESOLVED = re.compile(
    r"\b(?:Fig(?:ure|\.)?s?|Tables?|Tab\.|Sect?(?:ion|\.)?s?|Eqn?(?:uation|\.)?s?|Appendix|Chapter|Algorithm|Lemma|Theorem"
    r"|Listing)[\s~]*(?:\(\?\?\)|\?\?|XXX+\b|XYZ\b(?!-)|\\?@?ref[{(][\w:.-]+[)}])"
    r"|\[(?:[\w\s,;]*[,;]\s*)?\?(?:\s*[,;]\s*[\w?]+)*\s*\]|(?<=[a-z] )\(\?+(?:[,;]\s*\?+)*\)"
    r"|\b(?!(?:etc|al)\.)[a-z]{2,}[.,]\?(?=(?:, ?\?)* [A-Za-z])"
    r"|(?:(?<=\bin )|(?<=\bby )|(?<=\bof )|(?<=\bsee )|(?<=\bfrom )|(?<=\bwith ))\?\?(?=[\s,.;)])"
    r"|\bTODO\b|\bFIXME\b|\[citation needed\]|\[(?:TBD|REFS?|CITE|CITATION)\]"
    r"|\b(?:Reference source not found|Bookmark not defined)\b"
    r"|(?<=[a-z], )\?{2,}(?=[);])|(?<!\w)X(?:X|\.X+) ?%"
)


_MARK = re.compile(r"\([+\-–−±/*✓✗]+\)|\b(?:marked|denoted|flagged) (?:by|as|with) (?:an? )?\(\?\)")
"""Next to such marks "(?)" is one of them: "low risk (+), high risk (-), no information (?)"."""


_MANUAL = re.compile(r"\\label\b|\bcommands?\b")
"""Words of instructions that mention "\\ref", such as those left over from a template."""


def unresolved(paper: PaperReading) -> Iterator[Check]:
    """Yields cross-references and citations that are question marks in the PDF, as one finding; "(?)" isn't a citation
    in a paper that cites by "[3]"."""
    numeric = sum(bool(_NUMERIC.search(sentence.text)) for sentence in paper.sentences) >= _ENOUGH
    found = [
        Anchor(kind="quote", ref=place(p.section), quote=m[0], paragraph_id=p.id, start=m.start(), end=m.end(),
               page=p.page, found=True)
        for p in paper.places.document.paragraphs
        if p.kind in ("body", "caption")
        for m in _UNRESOLVED.finditer(p.text)
        if not (m[0].startswith("(?") and (numeric or _MARK.search(p.text)))
        and not ("ref" in m[0] and _MANUAL.search(p.text))
    ]  # fmt: skip
    if found:
        places = listed([f"“{anchor.quote}” {where(anchor)}" for anchor in found[:_SHOWN]])
        more = f"; at least {len(found)} in all" if len(found) > _SHOWN else ""  # a bare "?" isn't recognised
        words = f"The text contains unresolved references or notes: {places}{more}."
        yield finding("unresolved", words, "Resolve them.", *found[:_SHOWN], certain=True)


# --- citations --------------------------------------------------------------------------------------------------------
_NUMERIC = re.compile(r"(?<![\]–-])\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\](?![–-]?\[)")
_CITED = re.compile(
    r"(?P<name>[A-Z][\w’'-]+(?:[- ][A-Z][\w’'-]+)?)(?: et al\.?,?| (?:and|&) [A-Z][\w’'-]+(?:[- ][A-Z][\w’'-]+)?,?|,)?"
    r"(?:\s*[(\[]|\s+|(?<=,))(?P<year>(?:19|20)\d\d)[a-z]?(?=[\])\s,;.])"
)


def citations_beyond(paper: PaperReading) -> Iterator[Check]:
    """Yields numbered citations beyond the last entry of the reference list; two numbers may be an interval."""
    last = len(paper.references)
    numbers = {
        int(number): (sentence, match)
        for sentence in paper.sentences
        for match in _NUMERIC.finditer(sentence.text)
        if len(cited := re.findall(r"\d+", match[1])) != 2
        for number in cited
    }
    labels = [re.match(r"\W*(\d{1,3})\b", text) for text in paper.references]
    counted = [int(label[1]) for label in labels if label]
    # Several entries may have been parsed as one, or an entry as something else.
    label = re.compile(rf"(?<![\w–-])(?:\[{last + 1}\]|\(?{last + 1}[.)])\s+[A-Z]")
    paragraphs = paper.places.document.paragraphs
    others = (p.text for p in paragraphs if p.kind != "body" or label.match(p.text))
    # The list may go on after a break, its labels lost.
    goes_on = any(p.kind == "body" and before.kind == "reference" for before, p in pairwise(paragraphs))
    if last < 2 * _ENOUGH or counted != list(range(1, last + 1)) or goes_on or any(map(label.search, others)):
        return
    beyond = sorted(number for number in numbers if last < number <= 2 * last)
    if beyond:
        anchors = [stretch(sentence, *match.span()) for sentence, match in (numbers[number] for number in beyond)]
        places = listed([f"“{anchor.quote}” {where(anchor)}" for anchor in dict.fromkeys(anchors[:_SHOWN])])
        words = f"The reference list ends with {last}, but the text cites later entries: {places}."
        yield finding(
            "missing-citation", words, "Add the entries, or correct the numbers.", *anchors[:_SHOWN], certain=True
        )


def names_missing(paper: PaperReading) -> Iterator[Check]:
    """Yields authors cited by name and year of whom neither the list nor anything after its start speaks, if nearly all
    others are there. Accents, hyphens and a slip of one letter don't matter."""
    paragraphs = paper.places.document.paragraphs
    start = next((n for n, p in enumerate(paragraphs) if p.kind == "reference"), len(paragraphs))
    listed_names = {w for p in paragraphs[start:] for w in _plain_words(p.text)} | {
        w for p in paragraphs if p.kind in ("reference", "other", "footnote") for w in _plain_words(p.text)
    }
    cited: dict[str, Anchor] = {}
    for sentence in paper.sentences:
        for match in _BY_NAME.finditer(sentence.text):
            name = "name" if match["name"] else "inside"
            cited.setdefault(match[name], stretch(sentence, match.start(name), match.end()))
    lacking = [anchor for name, anchor in cited.items() if not _among(name, listed_names)]
    if len(cited) >= _ENOUGH and len(paper.references) >= len(cited) and 0 < len(lacking) <= max(1, len(cited) // 10):
        places = listed([f"“{anchor.quote}” {where(anchor)}" for anchor in lacking[:_SHOWN]])
        words = f"These citations have no entry in the reference list: {places}."
        yield finding("missing-citation", words, "Add the entries, or correct the names.", *lacking[:_SHOWN])


_MONTH = r"(?:Jan|Febr)uary|March|April|May\b|Ju(?:ne|ly)|August|(?:Sept|Nov|Dec)ember|October"
_SURNAME = rf"(?!{_MONTH})[A-Z][^\W\d_]+(?:[-’'][^\W\d_]+)*"
_OTHERS = rf"(?: et al\.?,?| (?:and|&) {_SURNAME},?|,)?"
_BY_NAME = re.compile(
    rf"\b(?P<name>{_SURNAME}){_OTHERS} \((?:19|20)\d\d[a-z]?\)"
    rf"|(?:\(|; )(?P<inside>{_SURNAME}){_OTHERS} (?:19|20)\d\d[a-z]?(?=[;)])"
)


def _among(name: str, words: set[str]) -> bool:
    from rapidfuzz import fuzz, process

    own = _plain_words(name)  # a name may be hyphenated at the end of a line
    there = [process.extractOne(word, words, scorer=fuzz.ratio, score_cutoff=80) for word in (*own, "".join(own))]
    return all(there[:-1]) or bool(there[-1])


def _plain_words(text: str) -> list[str]:
    """Returns the words of a text without accents and case."""
    bare = unicodedata.normalize("NFKD", text)
    return re.findall(r"[a-z]{2,}", "".join(c for c in bare if not unicodedata.combining(c)).casefold())


# --- anonymity --------------------------------------------------------------------------------------------------------
_ANONYMOUS = re.compile(
    r"\banonymous (?:authors?|submission|acl|emnlp|naacl|cvpr|iccv|eccv|neurips|nips|icml|iclr|aaai|paper)\b"
    r"|\bdouble[- ]blind\b|\bauthor names? (?:withheld|removed)\b",
    re.IGNORECASE,
)
_OWN_SITE = re.compile(
    r"\b(?:our|we|this (?:work|paper|article|study))\b|\bavailab|\breleased?\b"
    r"|\b(?:codes?|scripts?|data|implementation|supplement\w*)\b[^.]{0,30}\b(?:is|are|at|under|from|on|see)\b",
    re.IGNORECASE,
)
"""Phrases about the authors' own site rather than a library that was used."""
_TELLING = re.compile(r"grant|\w+ed by|thank|approv|ethic|\b(?:scholar|fellow)ship", re.IGNORECASE)
_THANKS = re.compile(r"\W*(?:section )?\W*(?:acknowledg|funding)", re.IGNORECASE)
"""Sections that aren't among the sentences of a paper."""
_SURE = {"link": ("github.com", "gitlab.com", "bitbucket.org"), "acknowledgement": (), "self-citation": (), "path": ()}


def identity_leaks(paper: PaperReading) -> Iterator[Check]:
    """Yields what identifies the authors of a paper that claims to be anonymous on its first page, as one finding."""
    front = [p.text for p in paper.places.document.paragraphs if p.page <= 1]
    if not _ANONYMOUS.search(" ".join(front)) and "Anonymous" not in front:
        return
    found = [
        stretch(sentence, one.span.start, one.span.end)
        for sentence in paper.sentences
        for one in find_identifying(sentence.text)
        if one.kind in _SURE
        and (not (hosts := _SURE[one.kind]) or any(host in one.words.casefold() for host in hosts))
        and (one.kind != "link" or (_OWN_SITE.search(sentence.text) and not _CITED.search(sentence.text)))
        and (one.kind != "acknowledgement" or _TELLING.search(one.words))  # "our lab" doesn't identify anyone
        and not one.words.startswith("as a")  # the name of a part of the method
        and (one.kind != "self-citation" or _NUMERIC.search(sentence.text) or _YEAR.search(sentence.text))
    ]
    found += [
        Anchor(kind="quote", ref=place(p.section), quote=one.words, paragraph_id=p.id, start=one.span.start,
               end=one.span.end, page=p.page, found=True)
        for p in paper.places.document.paragraphs
        if p.kind == "body" and _THANKS.match(place(p.section))
        for one in find_identifying(p.text)
        if one.kind == "acknowledgement" and _TELLING.search(one.words)
    ]  # fmt: skip
    if found:
        places = listed([f"“{anchor.quote}” {where(anchor)}" for anchor in found[:_SHOWN]])
        words = f"The submission is anonymous, and this may reveal who wrote it: {places}."
        yield finding("identity", words, "Reword these passages so that they don't identify anyone.", *found[:_SHOWN])


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
