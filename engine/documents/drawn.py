"""Compares what a page draws with the text that it yields. Uses MuPDF; runs in the worker.

There are three sources: MuPDF's trace of every text (how it is drawn), the page rendered as pixels, and the glyphs
drawn separately (``glyph_shapes.py``). Text is hidden if it is set to leave no ink, has the colour of its background,
leaves nothing visible at its position or something else is visible there, or if its glyphs aren't the characters that
they yield. Whatever couldn't be examined is listed.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pymupdf

from engine.documents.beside_pages import beside_the_pages
from engine.documents.glyph_shapes import Use, examine, scratch_page
from engine.documents.hidden import WHY, Finding, Inspection, Unexamined, joined, not_examined, tells, without_shown
from engine.documents.misread import misread
from engine.documents.objects import MOST, of_type, oversized, read_objects
from engine.documents.records import Box
from engine.documents.traced import TracedPage, failures, read_page
from engine.documents.unlike import covered, doubted, judged
from engine.shown import find_phrases

# --- Text in layers (optional content) that a page does not show -----------------------------------------------------

_REFERENCE = re.compile(r"(\d+) \d+ R")
_NUMBER = re.compile(r"\d*\.?\d+|\d+\.")
_ZOOM = (0.5, 4.0)
"""Lowest and highest magnification at which people read."""
_MOST_NESTED = 200
_RULE = re.compile(r"\[|\]|/\w+|\d+ \d+ R")


def in_layers(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> tuple[list[Finding], list[Finding], list[Unexamined]]:
    """Returns the text that appears when all layers are switched on, unless both MuPDF and a reader that follows the
    whole standard (MuPDF omits parts) show it by default."""
    del data, shown
    optional = of_type(objects, "OCG", "OCMD")
    if not optional:
        return [], [], []
    findings: list[Finding] = []
    left: list[Unexamined] = []
    try:
        on = _seen(document, objects, optional)
        plain, standard = (pymupdf.open(stream=document.tobytes(garbage=0), filetype="pdf") for _ in range(2))
        for copy in (plain, standard):
            for number in optional:
                shows = copy is plain or on[number]
                copy.update_object(number, "<</Type/Unconditional>>" if shows else "<</Type/OCG/Name()>>")
        off = " ".join(f"{n} 0 R" for n in optional if not on[n])
        plain.xref_set_key(plain.pdf_catalog(), "OCProperties", "null")
        standard.xref_set_key(standard.pdf_catalog(), "OCProperties", f"<</OCGs[{off}]/D<</OFF[{off}]>>>>")
    except failures():
        return [], [], [Unexamined(0, "its layers could not be switched on")]
    with plain, standard:
        for index in range(min(document.page_count, plain.page_count, standard.page_count)):
            tick()
            try:
                page = document.load_page(index)
                first, second = (
                    Counter(_place(w) for w in one.load_page(index).get_text("words")) for one in (document, standard)
                )
                more = [w for w in plain.load_page(index).get_text("words") if not (first & second)[_place(w)]]
            except failures():
                left.append(Unexamined(index + 1, "its layers could not be switched on"))
                continue
            text = joined(w[4] for w in more)
            if tells(text, "layer off"):
                matrix = page.rotation_matrix
                rects = [pymupdf.Rect(w[:4]) * matrix for w in more]
                boxes = tuple(Box(index + 1, *(round(v, 2) for v in rect)) for rect in rects)
                findings.append(Finding("layer off", index + 1, text, WHY["layer off"], boxes))
    return findings, [], left


def _place(word: Sequence[Any]) -> tuple[object, ...]:
    return (word[4], round(word[0]), round(word[1]))


def _seen(document: Any, objects: Mapping[int, str], optional: Sequence[int]) -> dict[int, bool]:
    """Returns which layers and membership rules are visible on a screen after opening (ISO 32000-2, 8.11)."""

    known = set(optional)

    def value(number: int, key: str) -> str:
        """Returns the value with the arrays and dictionaries that it refers to inserted."""
        text = str(document.xref_get_key(number, key)[1])
        for _ in range(_MOST_NESTED):
            inner = (m for m in _REFERENCE.finditer(text) if (n := int(m[1])) in objects and n not in known)
            place = next((m for m in inner if objects[int(m[1])].startswith(("[", "<<"))), None)
            if place is None:
                return text
            text = f"{text[: place.start()]}{objects[int(place[1])]}{text[place.end() :]}"
        raise ValueError("a rule of its layers is too long")

    def layers(number: int, key: str) -> list[int]:
        return [n for n in map(int, _REFERENCE.findall(value(number, key))) if n in known]

    def named(key: str) -> list[int]:
        return layers(document.pdf_catalog(), f"OCProperties/D/{key}")

    base = document.xref_get_key(document.pdf_catalog(), "OCProperties/D/BaseState")[1]
    on = dict.fromkeys(optional, base != "/OFF") | dict.fromkeys(named("ON"), True) | dict.fromkeys(named("OFF"), False)
    for number in named("AS"):
        state, user, least, most = (
            document.xref_get_key(number, f"Usage/{key}")[1]
            for key in ("View/ViewState", "User", "Zoom/min", "Zoom/max")
        )
        if state == "/OFF" or user != "null" or _number(least, 0) > _ZOOM[1] or _number(most, 99) < _ZOOM[0]:
            on[number] = False
    for number in (n for n in optional if "/OCMD" in objects[n]):
        rule = value(number, "VE")
        if rule.count("[") > _MOST_NESTED:
            raise ValueError("a rule of its layers is too long")
        if rule.startswith("["):
            on[number] = _holds(_RULE.findall(rule)[::-1], on)
            continue
        groups = [on[n] for n in layers(number, "OCGs")]
        policy = document.xref_get_key(number, "P")[1]
        choose = all if policy in ("/AllOn", "/AllOff") else any
        on[number] = not groups or choose(one == (policy not in ("/AllOff", "/AnyOff")) for one in groups)
    return on


def _number(value: str, other: float) -> float:
    return float(value) if _NUMBER.fullmatch(value) else other


def _holds(rule: list[str], on: Mapping[int, bool]) -> bool:
    """Evaluates a visibility expression of layers; ``rule`` holds its tokens in reverse order and is consumed."""
    part = rule.pop() if rule else "0"
    if part != "[":
        return on.get(int(part.split()[0]), True) if part[0].isdigit() else True
    operator = rule.pop() if rule else ""
    values = []
    while rule and rule[-1] != "]":
        values.append(_holds(rule, on))
    del rule[-1:]
    if operator == "/Not":
        return not all(values)
    return any(values) if operator == "/Or" else all(values)


# --- Text of earlier versions of a file, and of pages that it contains but does not show ------------------------------

_MOST_VERSIONS = 4
_MOST_PAGES = 60


def leftovers(
    document: Any, objects: Mapping[int, str], data: bytes, shown: Sequence[str], tick: Callable[[], None]
) -> tuple[list[Finding], list[Finding], list[Unexamined]]:
    """Returns sentences of earlier versions (which a changed PDF may keep) and unused pages that no page shows."""
    texts: list[str] = []
    left: list[Unexamined] = []
    try:
        texts += _unused_pages(document, objects, tick)
        texts += _earlier_versions(data, tick)
    except failures():
        left.append(Unexamined(0, "its earlier versions or unused pages couldn't be read"))
    text = joined(without_shown(joined(texts), shown))
    if not tells(text, "earlier version"):
        return [], [], left
    return [Finding("earlier version", 0, text, WHY["earlier version"])], [], left


def _unused_pages(document: Any, objects: Mapping[int, str], tick: Callable[[], None]) -> list[str]:
    used = {document.page_xref(n) for n in range(document.page_count)}
    unused = [n for n in of_type(objects, "Page") if n not in used][:_MOST_PAGES]
    texts = []
    for number in unused:
        tick()
        with scratch_page(document, (2_000, 2_000), {}, "") as page:
            for key in ("Contents", "Resources"):
                document.xref_set_key(page.xref, key, document.xref_get_key(number, key)[1])
            texts.append(" ".join(w[4] for w in document.reload_page(page).get_text("words")))
    return texts


def _earlier_versions(data: bytes, tick: Callable[[], None]) -> list[str]:
    ends: list[int] = []
    at = data.find(b"%%EOF")
    while at >= 0:
        ends.append(at + 5)
        at = data.find(b"%%EOF", at + 5)
    texts = []
    # In a linearised file, the first end mark isn't that of a version.
    first = 1 if b"/Linearized" in data[:2048] else 0
    for end in ends[first:-1][-_MOST_VERSIONS:]:
        with pymupdf.open(stream=data[:end], filetype="pdf") as earlier:
            if earlier.needs_pass:
                continue
            for page in range(min(earlier.page_count, _MOST_PAGES)):
                tick()
                texts.append(" ".join(w[4] for w in earlier.load_page(page).get_text("words")))
    return texts


SECONDS = 60.0
"""Limit of processor time, in seconds; what remains is reported as unexamined. Processor time makes repeated runs
examine the same parts; ``_LONGEST`` limits the elapsed time on a busy machine."""
_LONGEST = 100.0
_SHORT = "the file took too long"


def inspect_document(
    document: Any, progress: Callable[[float, str], None], data: bytes = b"", seconds: float = SECONDS
) -> Inspection:
    """Looks for hidden text in an open ``pymupdf.Document``; earlier versions are searched for in ``data``, the bytes
    of the file. Lists what couldn't be examined, at all or within ``seconds`` of processor time."""
    started, worked = time.perf_counter(), time.process_time()
    if document.needs_pass:
        return Inspection(0, True, unexamined=(Unexamined(0, "the PDF is protected by a password"),))
    count = int(document.page_count)
    encrypted = bool((document.metadata or {}).get("encryption"))
    missed: list[Unexamined] = []
    hidden: list[Finding] = []
    injection: list[Finding] = []

    def late() -> bool:
        return time.process_time() - worked > seconds or time.perf_counter() - started > _LONGEST

    try:
        objects = read_objects(document)
    except failures() as error:
        why = f"its objects can't be read ({_reason(error)})"
        return not_examined(count, why, encrypted=encrypted, seconds=_since(started))
    if document.xref_length() - 1 > MOST:
        missed.append(Unexamined(0, f"it has more than {MOST:,} objects"))
    if huge := oversized(document, objects):
        return not_examined(count, huge, encrypted=encrypted, seconds=_since(started))
    pages: list[TracedPage] = []
    for index in range(count):
        progress(index / count, f"page {index + 1} of {count}")
        if late():
            missed.append(Unexamined(index + 1, _SHORT))
            continue
        try:
            page = read_page(document, index)
            judged(page)
        except failures() as error:
            missed.append(Unexamined(index + 1, f"it can't be drawn ({_reason(error)})"))
            continue
        pages.append(page)
    uses: set[Use] = set().union(*(page.uses for page in pages))
    try:
        shapes = examine(document, objects, uses, lambda: progress(1.0, "letters"))
    except failures() as error:
        shapes = {}
        missed.append(Unexamined(0, f"its fonts can't be drawn ({_reason(error)})"))
    for page in pages:
        try:
            if why := misread(page, shapes):
                missed.append(Unexamined(page.number, why))
            doubted(page, shapes)
            if page.doubtful:
                progress(page.number / count, f"page {page.number} of {count}")
                if late():
                    missed.append(Unexamined(page.number, _SHORT))
                else:
                    covered(document, page, shapes)
        except failures() as error:
            missed.append(Unexamined(page.number, f"its text can't be drawn by itself ({_reason(error)})"))
        if page.cut:
            missed.append(Unexamined(page.number, page.cut))
        hidden += page.findings()
        injection += page.spoken()
    shown = [page.text for page in pages]
    for look in (in_layers, leftovers, beside_the_pages):
        if late():
            missed.append(Unexamined(0, _SHORT))
            break
        more, spoken, left = look(document, objects, data, shown, lambda: progress(1.0, "what is on no page"))
        hidden += more
        injection += spoken
        missed += left
    injection += [
        Finding("phrase", f.page, f.text[a:b], f"{why}; it is hidden: {f.why}", f.boxes)
        for f in hidden
        for a, b, why in find_phrases(f.text)
        if not any(i.page == f.page and f.text[a:b] in i.text for i in injection)
    ]
    if document.is_repaired:
        missed.append(Unexamined(0, "it is damaged, and what was lost is unknown"))
    unexamined = tuple(dict.fromkeys(missed))
    return Inspection(count, encrypted, tuple(hidden), tuple(injection), _since(started), unexamined)


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 3)


def _reason(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return words[:80] or type(error).__name__
