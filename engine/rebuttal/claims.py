"""Checks what a reply says about the revised paper: “we added Table 4”, “Section 3.2 now says …”, “recall is 91 %”.

Uses rules over words, not a model: a place ("Table 4", "Section 3.2", "line 120", a quotation) is a claim if its
sentence says that something was done or is there; any other sentence with a number or a table is one claim as a whole.
Places of the submitted version or in a quoted comment aren't claims. That a place was changed and that it says
something are two statements: the edits decide the first, the judge of ``engine.statements`` the second, and a claim
that makes both is *supported* only if both are.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.documents.places import Place, Places
from engine.documents.references import Reference, find_references
from engine.rebuttal.points import spans_of
from engine.reviews.records import Span
from engine.revision.aligners.replies import CHANGES, NEGATED, announcements, sentences
from engine.revision.records import Edit
from engine.shown import shortened
from engine.statements.named import states_number
from engine.statements.passages import LEAST_TERMS, statement_terms
from engine.statements.verdicts import Verdict, reliable
from engine.statements.words import blanked

if TYPE_CHECKING:
    from engine.statements.judge import Judgement

_DONE = re.compile(
    r"\b(?:(?P<added>added|included|inserted|introduced|new|additional)|"
    r"(?P<changed>now|revised|rewrote|rewritten|re-?phrased|extended|expanded|updated|corrected|fixed|clarified|changed|"
    r"replaced|reorgani[sz]ed|moved|(?P<removed>removed|deleted|dropped)|split|merged)|"
    r"adds|includes?|clarifies|reports?|reported|shows?|shown|states?|stated|says?|said|explains?|explained|describes?|"
    r"described|discuss(?:es|ed)?|contains?|gives?|given|lists?|listed|defines?|defined|reads?|see|found|appears?|"
    r"compar(?:es|ed))\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"[\s,)]*(?:\([^)]*\)\s*)?(?:(?:is|are|has|have|was|were|been|also|which|and)\s+){0,3}", re.IGNORECASE
)
"""What may be between a place and its verb ("Table 4 is new")."""
_BEFORE = re.compile(
    r"\b(?:submitted|original|previous|earlier|first|old) (?:version|submission|manuscript|draft)\b|\bpreviously\b|"
    r"\bused to\b",
    re.IGNORECASE,
)
_UNCOMPARED = "This couldn't be read reliably in both versions, so it isn't known what changed."
_INSTEAD = re.compile(r"[\s,]*(?:by|with|to|into|as)\s+(?:the (?:word|phrase|sentence|term)s?\s+)?[“\"‘'«]")
"""What follows the former words: "we replaced “a” by “b”"."""
_WILL = re.compile(
    r"(?:\b(?:will|shall|(?:plan|intend|promise|propose|commit|going|happy|glad|willing) (?:to|on)|currently \w+ing|"
    r"in the process of)|['’]ll|(?:['’]d| would) (?:gladly|happily))\b",
    re.IGNORECASE,
)
_PROMISES = re.compile(
    rf"\b(?:we|i|authors?)(?:\s+(?:are|am|would be|also|now|then|\w+ly))*\s*{_WILL.pattern}"
    rf"(?! (?:\w+ly )?(?:not|(?:be )?(?:respond|answer|repl|elaborat|try)))|\band will (?:\w+ly )?(?:{CHANGES})|"
    rf"\b(?:will|shall) be (?:{CHANGES}|releas|publish)|"
    r"\b(?:paper|manuscript|version|revision|section|appendix|table|figure|abstract|caption|sentence|paragraph|footnote|"
    r"discussion|comparison|analysis|claims?|wording|typos?)(?:\s+\w+){0,4}?\s+(?:will|shall|going to) (?!not)",
    re.IGNORECASE,
)
"""The authors or a part of their paper, followed by what will be done."""
_DONE_BRIEFLY = re.compile(
    r"(?:[\w’']+ ){0,3}(?:done|(?:fix|correct|add|chang|updat|remov|clarif|revis|includ|rephras|reword)(?:i?ed))\W*",
    re.IGNORECASE,
)
_IN_LETTER = re.compile(
    r"\b(?:in the following|below|in this (?:letter|response|reply|document)),? we (?:\w+ ){0,2}"
    r"(?:address|respond|answer|repl|discuss|clarif)",
    re.IGNORECASE,
)
"""What the letter does itself, not the paper."""
_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
_QUOTED = re.compile(r"^[ \t]*(?:>|%%).*$", re.MULTILINE)
"""Lines that quote a reviewer, and notes to co-authors."""
_FORMULA = re.compile(r"\$[^$]+\$|\b[a-zA-Z]\s?[<>=≤≥]\s?[\d.]+")
_QUOTE_WORDS = 3
"""A quotation of fewer words is a term, not a passage."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A place that a reply mentions, or without ``reference`` a sentence with a number. ``text`` is its wording.
    ``added``, ``changed``, ``removed``: the sentence says that the place is new, was worked on, or is gone.
    ``revised``: the sentence is about the paper as it is now. ``sentence`` is the whole sentence; ``alone``: it names
    no other place, so what it says is about this one."""

    reference: Reference | None
    text: str
    span: Span
    added: bool = False
    changed: bool = False
    revised: bool = False
    removed: bool = False
    sentence: str = ""
    alone: bool = True

    @property
    def key(self) -> str:
        if self.reference is None:
            return f"“{self.sentence}”"
        return f"“{self.reference.title}”" if self.reference.kind == "quote" else self.reference.label


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim and the result of checking it against the revised paper: ``why`` in words, ``place`` where it was found,
    or None. ``changed`` says whether the place was changed or added as claimed, None if the claim says neither;
    ``confirmed``: a person checked it, which isn't a verdict of the program."""

    claim: Claim
    verdict: Verdict
    why: str
    place: Place | None = None
    changed: Verdict | None = None
    confirmed: bool = False

    @property
    def said(self) -> str:
        """The result in a sentence that names the place."""
        key = self.claim.key
        if key.startswith("“"):
            return f"“{shortened(key[1:-1], 48)}”: {self.why}"
        return self.why if self.why.startswith(key) else f"{key}: {self.why}"


def find_claims(text: str) -> tuple[Claim, ...]:
    """Returns the claims of a reply in order; spans in code points. Leaves out quoted comments (“> …”), and sentences
    that are promises or about the submitted version."""
    found: list[Claim] = []
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        found += [replace(c, span=Span(start + c.span.start, start + c.span.end)) for c in _claims(paragraph[0])]
    return tuple(found)


@lru_cache(maxsize=512)
def _claims(text: str) -> tuple[Claim, ...]:
    """Returns the claims of a paragraph; cached, so that typing doesn't search the other paragraphs again."""
    if not _DONE.search(text) and not any(map(str.isdigit, text)):
        return ()
    found: list[Claim] = []
    quoted = [Span(*match.span()) for match in _QUOTED.finditer(text)]
    for sentence in spans_of(text):
        words = text[sentence.start : sentence.end]
        if any(span.start <= sentence.start < span.end for span in quoted):
            continue
        if _BEFORE.search(words):
            continue
        if _WILL.search(words) and not re.search(r"\b(?:added|now|have)\b", words, re.IGNORECASE):
            continue
        references = find_references(words)
        places = [r for r in references if r.kind != "quote" or len(r.title.split()) >= _QUOTE_WORDS]
        if not places or not _DONE.search(words):
            if states_number(words, references) or any(r.kind == "table" for r in places):
                found.append(Claim(None, words, sentence, sentence=words))
            continue
        revised = any(verb["added"] or verb["changed"] for verb in _DONE.finditer(words))
        revised = revised or any(r.kind != "quote" for r in places)
        for place in places:
            verb = _verb_of(words, place.start, place.end)
            span = Span(sentence.start + place.start, sentence.start + place.end)
            said = text[span.start : span.end]
            alone = sum(r.kind != "quote" for r in places) <= 1
            added, changed = bool(verb["added"]), bool(verb["changed"])
            former = changed and place.kind == "quote" and _INSTEAD.match(words, place.end)
            gone = bool(verb["removed"] or former)
            found.append(Claim(place, said, span, added, changed, revised, gone, words, alone))
    return tuple(found)


def check_claims(
    text: str,
    revised: Places,
    submitted: Places | None = None,
    edits: Sequence[Edit] = (),
    confirmed: Collection[str] = (),
    *,
    generated: Collection[str] = (),
) -> tuple[Checked, ...]:
    """Checks each claim of a reply against the revised paper. ``submitted`` and ``edits`` show what is new; without
    them that isn't checked. ``confirmed`` are keys of claims that a person checked. ``generated`` are sentences not yet
    accepted by a person, which aren't checked."""
    touched = {key for edit in edits for key in edit.target_ids}
    unaccepted = [(at, at + len(one)) for one in generated if (at := text.find(one)) >= 0]
    found = []
    for claim in find_claims(text):
        if any(start <= claim.span.start < end for start, end in unaccepted):
            found.append(Checked(claim, "not checked", "The sentence was generated and hasn't been accepted yet."))
        else:
            made = _check(claim, revised, submitted, touched)
            verdict, why = reliable(made.verdict, made.why, made.place, revised)
            found.append(replace(made, verdict=verdict, why=why, confirmed=claim.key in confirmed))
    return tuple(found)


def _judged(text: str, revised: Places) -> "Judgement":
    from engine.statements.judge import judge  # takes long to import, and finding claims doesn't need it

    return judge(text, revised)


def _check(claim: Claim, revised: Places, submitted: Places | None, touched: Collection[str]) -> Checked:
    reference = claim.reference
    if reference is None:
        # A quotation may be a reviewer's, or of the earlier text.
        quotes = [(r.start, r.end) for r in find_references(claim.sentence) if r.kind == "quote"]
        judged = _judged(blanked(claim.sentence, quotes), revised)
        return Checked(claim, judged.verdict, judged.why, judged.place)
    quoted = reference.kind == "quote"
    name, are = _named(reference)
    place = revised.resolve(reference)
    if place is None:
        if claim.removed and submitted is not None and (gone := submitted.resolve(reference)) is not None:
            there = f"{name} {'were' if are == 'are' else 'was'} on page {gone.page} of the submitted version"
            return Checked(claim, "supported", f"{there} and {are} not in the revised one.", None, "supported")
        known = None if quoted else revised.mentioned(reference)
        if known is not None:
            return Checked(
                claim, "not checked", f"The revised paper mentions {name}, but it wasn't found there.", known
            )
        # Authors also quote reviewers and other papers: only what is said about the current paper must be in it.
        verdict: Verdict = "not checked" if quoted and not claim.revised else "not found"
        return Checked(claim, verdict, f"{name} {are} not in the revised paper.")
    before = submitted.resolve(reference) if submitted is not None else None
    touches = _is_touched(place, revised, touched)
    changed: Verdict | None = None
    how = ""
    if claim.added or claim.changed:
        changed, how = _changed(claim, reference, place, before, touched=touches, compared=submitted is not None)
        doubted = submitted is not None and reliable(changed, how, before, submitted)[0] != changed
        if doubted or reliable(changed, how, place, revised)[0] != changed:
            changed, how = "not checked", _UNCOMPARED
    if changed == "contradicted":
        return Checked(claim, changed, how, place, changed)
    says, why = _says(claim, reference, revised, place)
    if says in ("contradicted", "not found"):
        return Checked(claim, says, why, place, changed)
    if changed == "supported" and says is None:
        return Checked(claim, "supported", f"{how} See page {place.page}.", place, changed)
    if says == "supported" and changed in (None, "supported"):
        return Checked(claim, "supported", f"{how} {why}".strip(), place, changed)
    first = how or f"{name} {are} on page {place.page}."
    rest = "" if says is None or not claim.alone else " It wasn't decided whether the paper says this."
    return Checked(claim, "place found", f"{first}{rest}", place, changed)


def _named(reference: Reference) -> tuple[str, str]:
    """Returns a place as the subject of a sentence, with its verb."""
    quoted = reference.kind == "quote"
    return "These words" if quoted else reference.label, "are" if quoted or reference.last else "is"


def _changed(
    claim: Claim, reference: Reference, place: Place, before: Place | None, *, touched: bool, compared: bool
) -> tuple[Verdict, str]:
    """Decides whether a place was changed or added as the sentence says, and explains it."""
    from rapidfuzz import fuzz

    name, are = _named(reference)
    if not compared:
        return (
            "not checked",
            f"{name} {are} on page {place.page}. Without the submitted PDF, it isn't known what changed.",
        )
    if before is None:
        return "supported", f"{name} {are} new."
    if fuzz.ratio(before.title.casefold(), place.title.casefold()) < 85:  # the numbers of others may have moved
        called = "caption" if place.kind in ("figure", "table", "algorithm") else "title"
        return "supported", f"{name} {are} new, or has another {called} than before."
    if touched:
        were = "were" if are == "are" else "was"
        return "supported", f"{name} {were} there before, and {were} changed."
    why = f"{name} {are} also in the submitted version, unchanged."
    # "Now" is also used for what was there before.
    return ("contradicted" if claim.added or place.kind not in ("page", "line") else "not checked"), why


def _says(claim: Claim, reference: Reference, revised: Places, place: Place) -> tuple[Verdict | None, str]:
    """Returns the judge's verdict on what the sentence says besides what was done and where; None if it says nothing
    else."""
    if not claim.alone:
        return None, ""
    # Words of a quotation aren't the reply's own, and another quotation of the sentence may be the former text.
    quotes = [r for r in find_references(claim.sentence) if r.kind == "quote"]
    own = [m.span() for words in (_DONE, _FORMULA) for m in words.finditer(claim.sentence)]
    own = [(a, b) for a, b in own if not any(r.start <= a < r.end for r in quotes)]
    others = [
        (r.start, r.end)
        for r in quotes
        if (r.title != reference.title if reference.kind == "quote" else _INSTEAD.match(claim.sentence, r.end))
    ]
    plain = blanked(claim.sentence, own + others)
    said, numbers = statement_terms(plain)
    judged = _judged(plain, revised)
    if judged.verdict in ("contradicted", "not found"):
        return judged.verdict, judged.why
    if reference.kind == "quote":
        # The words were found; that the rest of the sentence couldn't be decided doesn't change that.
        return "supported", judged.why if judged.verdict == "supported" else f"The quotation is on page {place.page}."
    if len(said) < LEAST_TERMS and not numbers:
        return None, ""
    return judged.verdict, judged.why


def _is_touched(place: Place, revised: Places, touched: Collection[str]) -> bool:
    if place.paragraph_id in touched:
        return True
    if place.kind == "table":
        table = revised.table(place.number)
        return table is not None and any(key in touched for key in table.paragraph_ids)
    if place.kind in ("section", "appendix"):
        heading = next((p.text.strip() for p in revised.document.paragraphs if p.id == place.paragraph_id), "")
        return any(
            p.id in touched and heading in (part.strip() for part in p.section.split(" > "))
            for p in revised.document.paragraphs
        )
    return place.kind in ("page", "line")


def _verb_of(words: str, start: int, end: int) -> re.Match[str]:
    """Returns the verb that a place belongs to: one directly after it, otherwise the nearest before it, otherwise the
    first."""
    verbs = list(_DONE.finditer(words))
    close = next((v for v in verbs if v.start() >= end and _BETWEEN.fullmatch(words, end, v.start())), None)
    before = next((verb for verb in reversed(verbs) if verb.end() <= start), None)
    return close or before or verbs[0]


def promises_change(text: str) -> bool:
    """Returns whether a reply says that the paper was changed or will be; quoted lines and notes to co-authors don't
    count."""
    own = _QUOTED.sub("", text)
    if any(_PROMISES.search(one) or _DONE_BRIEFLY.fullmatch(one) for one in sentences(own)):
        return True
    return any(not (NEGATED.search(one) or _IN_LETTER.search(one)) for one in announcements(own))
