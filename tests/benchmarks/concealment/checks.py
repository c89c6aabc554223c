"""Checks that no kind is vacuous: the concealed words are extracted, and the visible content doesn't depend on them.

``python -m tests.benchmarks.concealment.checks [seeds] [kind ...]`` prints a line for each kind and exits with 1 if a
case fails.
"""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections.abc import Callable

import numpy as np
import pymupdf

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.setting import Case

UNCLIPPED = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES


def get_text(document: pymupdf.Document) -> str:
    """Returns the result of ``page.get_text()``."""
    return "\n".join(page.get_text() for page in document)


def get_text_unclipped(document: pymupdf.Document) -> str:
    """Returns the text of the whole content, also outside the page, as pdfminer and pypdf read it."""
    return "\n".join(page.get_text(flags=UNCLIPPED, clip=pymupdf.INFINITE_RECT()) for page in document)


def drawn_letters(document: pymupdf.Document) -> str:
    """Returns the letters in painting order, wherever they are: get_text omits one of two equal overlapping letters."""
    return "".join(chr(letter[0]) for page in document for span in page.get_texttrace() for letter in span["chars"])


def layers_ignored(document: pymupdf.Document) -> str:
    """Returns the text with every layer on, as extractors without support for layers read it."""
    document.xref_set_key(document.pdf_catalog(), "OCProperties", "null")
    with pymupdf.open(stream=document.tobytes(), filetype="pdf") as flat:
        return get_text(flat)


def invisible_unicode(document: pymupdf.Document) -> str:
    """Returns the ASCII text spelled by tag characters and variation selectors."""
    spelled = []
    for letter in get_text(document):
        code = ord(letter)
        if 0xE0020 <= code < 0xE007F:
            spelled.append(chr(code - 0xE0000))
        elif 0xE0100 <= code <= 0xE01EF:
            spelled.append(chr(code - 0xE0100 + 16))
    return "".join(spelled)


def annotations(document: pymupdf.Document) -> str:
    return _strings(document, "Annot", ("Contents", "RC"))


def fields(document: pymupdf.Document) -> str:
    found = []
    for page in document:
        for widget in page.widgets():
            found += [document.xref_get_key(widget.xref, key)[1] for key in ("V", "DV", "TU")]
            found += [str(widget.choice_values or "")]
    return "\n".join(found)


def structure(document: pymupdf.Document) -> str:
    return _strings(document, "StructElem", ("ActualText", "Alt", "E"))


def metadata(document: pymupdf.Document) -> str:
    return "\n".join([*(str(value) for value in document.metadata.values()), document.get_xml_metadata()])


def outline(document: pymupdf.Document) -> str:
    return "\n".join(title for _, title, *_ in document.get_toc())


def attachments(document: pymupdf.Document) -> str:
    found = [str(document.embfile_info(name)) for name in document.embfile_names()]
    found += [document.embfile_get(name).decode() for name in document.embfile_names()]
    for page in document:
        found += [note.get_file().decode() for note in page.annots() if note.type[1] == "FileAttachment"]
    return "\n".join(found)


def scripts(document: pymupdf.Document) -> str:
    found = [document.xref_get_key(number, "JS")[1] for number in range(1, document.xref_length())]
    return "\n".join([*found, document.xref_get_key(document.pdf_catalog(), "OpenAction/JS")[1]])


def labels(document: pymupdf.Document) -> str:
    return "\n".join(page.get_label() for page in document)


def layer_names(document: pymupdf.Document) -> str:
    return "\n".join(group["name"] for group in document.get_ocgs().values())


def objects(document: pymupdf.Document) -> str:
    """Returns every string of the file, as programs that read objects find it."""
    found = [document.xref_object(number, compressed=True) for number in range(1, document.xref_length())]
    return "\n".join(re.sub(r"\) */\w+|>>\d+<<|/P", " ", text) for text in found)


def first_revision(document: pymupdf.Document) -> str:
    data = document.stream
    with pymupdf.open(stream=data[: data.index(b"%%EOF") + 6], filetype="pdf") as earlier:
        return get_text(earlier)


EXTRACTORS: dict[str, Callable[[pymupdf.Document], str]] = {
    extractor.__name__: extractor
    for extractor in (
        get_text, get_text_unclipped, drawn_letters, layers_ignored, invisible_unicode, annotations, fields, structure,
        metadata, outline, attachments, scripts, labels, layer_names, objects, first_revision,
    )
}  # fmt: skip


def check(case: Case) -> None:
    """Raises AssertionError unless the extractor named at the end of ``why`` yields the concealed words, in order."""
    name = re.fullmatch(r".*; yielded by (\w+)", case.why, re.DOTALL)
    assert name, f"no extractor named: {case.why}"
    with pymupdf.open(stream=case.pdf, filetype="pdf") as document:
        yielded = EXTRACTORS[name[1]](document)
    assert 8 <= len(case.concealed.split()) <= 60, case.concealed
    assert _squashed(case.concealed) in _squashed(yielded), f"{case.why}\n{case.concealed}\n---\n{yielded[:3000]}"


def visible_difference(kind: Callable[[random.Random], Case], seed: int, dpi: int = 100) -> tuple[int, int]:
    """Returns how a rendering changes if other words of the same length are concealed: pixels, and the largest
    difference.

    Counts pixels that differ by more than 24 of 255 levels, over all pages, as a viewer shows them on screen.
    """
    with wording.disguised():
        other = kind(random.Random(seed))
    pixels = largest = 0
    case = kind(random.Random(seed))
    with pymupdf.open(stream=case.pdf) as first, pymupdf.open(stream=other.pdf) as second:
        for one, two in zip(first, second, strict=True):
            samples = [page.get_pixmap(dpi=dpi).samples for page in (one, two)]
            if samples[0] != samples[1]:
                one_page, other_page = (np.frombuffer(found, np.uint8).astype(int) for found in samples)
                difference = np.abs(one_page - other_page).reshape(-1, 3).max(axis=1)
                pixels += int((difference > 24).sum())
                largest = max(largest, int(difference.max()))
    return pixels, largest


def _strings(document: pymupdf.Document, kind: str, keys: tuple[str, ...]) -> str:
    found = []
    for number in range(1, document.xref_length()):
        if document.xref_get_key(number, "Type")[1] == f"/{kind}":
            found += [value for form, value in (document.xref_get_key(number, key) for key in keys) if form == "string"]
    return "\n".join(found)


def _squashed(text: str) -> str:
    """Returns letters and digits without repetition: extractors differ in line breaks, ligatures and double letters."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())
    return re.sub(r"(.)\1+", r"\1", plain)


def main(arguments: list[str]) -> int:
    from tests.benchmarks.concealment_kinds import HONEST, KINDS

    seeds = int(arguments[0]) if arguments else 3
    failed = 0
    for name, kind in KINDS.items():
        if arguments[1:] and name not in arguments[1:]:
            continue
        problems, visible = [], []
        for seed in range(seeds):
            try:
                check(kind(random.Random(seed)))
                visible.append(visible_difference(kind, seed))
            except Exception as error:
                problems.append(f"{seed}: {type(error).__name__} {str(error)[:400]}")
        failed += bool(problems)
        print(f"{name:28} pixels {[pixels for pixels, _ in visible]} largest {[most for _, most in visible]}")
        print("\n".join(f"    {problem}" for problem in problems), end="\n" if problems else "")
    for name, honest in HONEST.items():
        for seed in range(seeds):
            with pymupdf.open(stream=honest(random.Random(seed)), filetype="pdf") as document:
                failed += not get_text(document).strip()
        print(f"{name:28} honest")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
