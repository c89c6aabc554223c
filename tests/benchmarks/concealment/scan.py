"""Turns pages into pictures, as a scanner does."""

from __future__ import annotations

import io
import random

import pymupdf
from PIL import Image, ImageFilter

from tests.benchmarks.concealment.paper import Line, Page, Paper
from tests.benchmarks.concealment.writer import numbers


def scanned(rng: random.Random, paper: Paper, original: Paper, page: Page) -> Page:
    """Adds to ``paper`` a page with a picture of a page of ``original``, grey and slightly blurred."""
    alone = Paper()
    alone.pdf, alone._resources, alone._resources_ref = original.pdf, original._resources, original._resources_ref
    alone.root, alone._tree, alone.pages = original.root, original._tree, [page]
    with pymupdf.open(stream=alone.finish(), filetype="pdf") as document:
        picture = document[0].get_pixmap(dpi=rng.choice((100, 130)), colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (picture.width, picture.height), picture.samples)
    image = image.filter(ImageFilter.GaussianBlur(0.5)).point(lambda level: 20 + level * 0.88)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=rng.choice((60, 75)))
    name = paper.resource(
        "XObject",
        paper.pdf.stream(
            out.getvalue(),
            f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} /ColorSpace /DeviceGray"
            " /BitsPerComponent 8 /Filter /DCTDecode",
            deflate=False,
        ),
    )
    scan = Page(page.width, page.height)
    scan.blocks.append(f"q {numbers(page.width, 0, 0, page.height, 0, 0)} cm {name} Do Q")
    paper.pages.append(scan)
    return scan


def scanned_lines(page: Page) -> list[Line]:
    """Returns the lines of visible prose on a page, in reading order."""
    return [line for line, _ in page.lines]
