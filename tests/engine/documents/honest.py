"""Honest papers that look as suspicious as honest papers do: what a careless check takes for hidden text.

All are made from a seed: a paper of the tests' typesetter, and something put into it.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pymupdf

from tests.engine.documents.attacks import base, put, spot
from tests.engine.documents.typeset import conference_paper, prose


def _dark_figure(page: Any, rng: random.Random) -> None:
    page.draw_rect(pymupdf.Rect(70, 728, 540, 770), color=None, fill=(0.1, 0.1, rng.random() / 2))
    put(page, (80, 750), prose(rng, 1)[:90], color=(1, 1, 1))


def _labels_on_colours(page: Any, rng: random.Random) -> None:
    for column in range(6):
        x = 70 + 80 * column
        page.draw_rect(pymupdf.Rect(x, 735, x + 70, 750), color=None, fill=(rng.random(), 0.2, 0.3))
        put(page, (x + 2, 746), f"class label {column} here", color=(1, 1, 1), fontsize=7)


def _small_labels(page: Any, rng: random.Random) -> None:
    for row in range(8):
        put(page, (80 + 40 * row, 745), f"gene {rng.randrange(900)}", fontsize=3.2)


def _watermark(page: Any, rng: random.Random) -> None:
    put(page, (120, 500), "DRAFT", fontsize=90, color=(0.85, 0.85, 0.85))
    put(page, (80, 30 + rng.uniform(0, 4)), "Confidential copy for review, do not share", color=(0.6, 0.6, 0.6))


def _highlight(page: Any, rng: random.Random) -> None:
    words = page.get_text("words")
    for word in rng.sample(words, min(12, len(words))):
        page.add_highlight_annot(pymupdf.Rect(word[:4]))


def _comments(page: Any, rng: random.Random) -> None:
    page.add_text_annot(spot(rng), "Please check whether this number is right before we send it.")
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, 72, 200, 84), "uri": "https://example.org"})


def _scanned(page: Any, rng: random.Random) -> None:
    """A picture of a page with the recognised text laid over it without ink."""
    del rng
    document = page.parent
    words = page.get_text("words")
    drawn = page.get_pixmap(dpi=100)
    scan = document.new_page(width=page.rect.width, height=page.rect.height)
    scan.insert_image(scan.rect, pixmap=drawn)
    for x0, _y0, _x1, y1, word, *_ in words:
        scan.insert_text((x0, y1 - 3), word, fontsize=9, render_mode=3)


def _printers_marks(page: Any, rng: random.Random) -> None:
    put(page, (72, 785), f"paper_{rng.randrange(99)}.indd  {rng.randrange(40)}   03.02.2026  14:05:11", fontsize=6)
    page.set_cropbox(pymupdf.Rect(0, 0, 612, 770))


def _cropped_labels(page: Any, rng: random.Random) -> None:
    """Ticks of a figure that its frame cuts off."""
    put(page, (80, 745), f"0.{rng.randrange(9)} axis 12", fontsize=7)
    number = page.get_contents()[-1]
    content = page.parent.xref_stream(number)
    page.parent.update_stream(number, b"q 10 10 1 1 re W n\n" + content + b"\nQ")


def _sideways(page: Any, rng: random.Random) -> None:
    del rng
    page.insert_text(
        (30, 500), "Preprint of a paper under review, second version", fontsize=12, rotate=90, color=(0.5,) * 3
    )
    page.set_rotation(90)


def _pale_but_readable(page: Any, rng: random.Random) -> None:
    shade = rng.uniform(0.5, 0.75)
    put(page, spot(rng), prose(rng, 1)[:80], color=(shade, shade, shade))


def _plain(page: Any, rng: random.Random) -> None:
    del page, rng


def _ground_behind_text(page: Any, rng: random.Random) -> None:
    """A tinted box laid under the text that stands there."""
    page.draw_rect(pymupdf.Rect(60, 100, 560, 300), color=None, fill=(1, 1, 0.8 + rng.random() / 8), overlay=False)


def _table_with_a_coloured_head(page: Any, rng: random.Random) -> None:
    page.draw_rect(pymupdf.Rect(72, 724, 540, 736), color=None, fill=(0.1, 0.25, 0.4 + rng.random() / 3))
    for column, name in enumerate(("Method name", "Mean accuracy", "Run time", "Number of pages read")):
        put(page, (76 + 116 * column, 733), name, color=(1, 1, 1), fontname="hebo")
    for row in range(3):
        if row % 2:
            page.draw_rect(pymupdf.Rect(72, 736 + 11 * row, 540, 747 + 11 * row), color=None, fill=(0.9, 0.93, 0.97))
        for column in range(4):
            put(page, (76 + 116 * column, 745 + 11 * row), f"row {row} value {rng.randrange(100)}")


def _listing(page: Any, rng: random.Random) -> None:
    page.draw_rect(pymupdf.Rect(72, 724, 540, 770), color=(0.7, 0.7, 0.7), fill=(0.95, 0.95, 0.95))
    for line in range(4):
        put(page, (78, 735 + 10 * line), f"for page in pages[{rng.randrange(90)}:]: read(page)", fontname="cour")
        put(page, (300, 735 + 10 * line), "# a remark on what this line does", fontname="cour", color=(0.6, 0.6, 0.6))


def _prompts_of_its_own(page: Any, rng: random.Random) -> None:
    """A paper on language models that prints the prompts of its experiments."""
    lines = (
        "You are a helpful assistant. You must answer with yes or no only, and give no reasons.",
        "As a language model you should translate the following sentence into French.",
        "Instructions for the model: please read the passage and answer the question below it.",
        "Summarize the dialogue between the two speakers in one sentence. Do not mention their names.",
        "We asked each annotator to give a high score to fluent answers and a low score to others.",
    )
    for number, line in enumerate(rng.sample(lines, 3)):
        put(page, (76, 735 + 11 * number), line, fontname="cour", fontsize=7)


def _gradient(page: Any, rng: random.Random) -> None:
    """A picture of many colours with a caption in it, light on dark."""
    picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 120, 20), False)
    base_colour = rng.randrange(60)
    for row in range(20):
        for column in range(120):
            picture.set_pixel(column, row, (base_colour + row, base_colour + column // 2, 90 + row * 2))
    page.insert_image(pymupdf.Rect(72, 724, 540, 770), pixmap=picture, keep_proportion=False)
    put(page, (80, 750), "(a) The street on a day of rain, as the camera saw it", color=(1, 1, 1), fontsize=10)


def _dark_page(page: Any, rng: random.Random) -> None:
    """A slide among the pages: light text on a dark ground."""
    slide = page.parent.new_page(width=720, height=405)
    slide.draw_rect(slide.rect, color=None, fill=(0.05, 0.07, 0.15 + rng.random() / 5))
    for line in range(6):
        put(slide, (60, 80 + 40 * line), prose(rng, 1)[:60], fontsize=20, color=(0.95, 0.95, 0.9))


def _filled_form(page: Any, rng: random.Random) -> None:
    x, y = spot(rng)
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "title"
    field.field_value = "The title of this very submission, once more"
    field.rect = pymupdf.Rect(x, y - 10, x + 300, y + 4)
    page.add_widget(field)


def _description(page: Any, rng: random.Random) -> None:
    page.parent.set_metadata(
        {
            "title": "On Reading What Is There",
            "author": "Ada Example; Ben Sample",
            "subject": "A study of reviews and how their scores are given, with recommendations for editors",
            "keywords": f"peer review, language models, instructions, volume {rng.randrange(40)}",
        }
    )


def _layer_on(page: Any, rng: random.Random) -> None:
    layer = page.parent.add_ocg(f"Figures {rng.randrange(100)}", on=True)
    put(page, spot(rng), "A label of the figure that stands in a layer of its own", oc=layer)


def _footnotes(page: Any, rng: random.Random) -> None:
    for line in range(3):
        put(page, (72, 735 + 7 * line), f"{line + 1} {prose(rng, 1)[:110]}", fontsize=5)


def _struck_out(page: Any, rng: random.Random) -> None:
    """Words with a line through them, and a frame drawn over others: both can be read."""
    x, y = spot(rng)
    put(page, (x, y), "These words were struck out by the authors in this version")
    page.draw_line((x, y - 3), (x + 220, y - 3), color=(0.8, 0, 0), width=0.6)
    page.draw_rect(pymupdf.Rect(70, 100, 540, 130), color=(0, 0.4, 0), width=1)


@cache
def _plot(seed: int) -> bytes:
    """A figure as plotting programs write it: axes, ticks, a legend, grids, shaded areas."""
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    rng = random.Random(seed)
    with mpl.rc_context({"pdf.fonttype": 42 if seed % 2 else 3, "font.size": 7}):
        figure = Figure(figsize=(5, 1.6))
        axes = figure.subplots(1, 2)
        for number in range(3):
            values = [rng.random() + number for _ in range(9)]
            axes[0].plot(values, label=f"method {number} on the test pages")
            axes[0].fill_between(range(9), [v - 0.2 for v in values], [v + 0.2 for v in values], alpha=0.3)
        axes[0].legend(fontsize=5)
        axes[0].set_ylabel("mean accuracy")
        image = axes[1].imshow([[rng.random() for _ in range(6)] for _ in range(4)], cmap="viridis", aspect="auto")
        for row in range(4):
            for column in range(6):
                axes[1].text(column, row, f"{rng.random():.2f}", ha="center", va="center", color="w", fontsize=5)
        figure.colorbar(image)
        written = io.BytesIO()
        FigureCanvasPdf(figure).print_pdf(written)
    return written.getvalue()


def _plotted_figure(page: Any, rng: random.Random) -> None:
    made = page.parent.new_page(width=612, height=792)
    for row in range(3):
        with pymupdf.open(stream=_plot(rng.randrange(4)), filetype="pdf") as drawing:
            made.show_pdf_page(pymupdf.Rect(72, 80 + 200 * row, 540, 240 + 200 * row), drawing, 0)
        put(made, (72, 255 + 200 * row), f"Figure {row + 1}: {prose(rng, 1)}")


@cache
def _conference(columns: int, seed: int) -> bytes:
    return conference_paper(seed, 3, columns=columns, line_numbers=seed % 2 == 0, running_head="Under review").finish()


def _whole_paper(page: Any, rng: random.Random) -> None:
    """Two columns, floats, a table, equations, footnotes, references, perhaps line numbers."""
    with pymupdf.open(stream=_conference(1 + rng.randrange(2), rng.randrange(3)), filetype="pdf") as paper:
        page.parent.insert_pdf(paper)


LOOKS: dict[str, Callable[[Any, random.Random], None]] = {
    "plain": _plain,
    "dark figure": _dark_figure,
    "labels on colours": _labels_on_colours,
    "small labels": _small_labels,
    "watermark": _watermark,
    "highlight": _highlight,
    "comments": _comments,
    "scanned": _scanned,
    "printer's marks": _printers_marks,
    "cropped labels": _cropped_labels,
    "sideways": _sideways,
    "pale": _pale_but_readable,
    "tinted box": _ground_behind_text,
    "coloured table head": _table_with_a_coloured_head,
    "listing": _listing,
    "prompts": _prompts_of_its_own,
    "picture with words": _gradient,
    "dark page": _dark_page,
    "filled form": _filled_form,
    "description": _description,
    "layer on": _layer_on,
    "small footnotes": _footnotes,
    "struck out": _struck_out,
    "plotted figure": _plotted_figure,
    "whole paper": _whole_paper,
}


def clean(look: str, seed: int) -> bytes:
    """An honest paper with something in it that a careless check takes for hidden text."""
    rng = random.Random(f"{look} {seed}")
    document = base(rng)
    LOOKS[look](document.load_page(rng.randrange(document.page_count)), rng)
    return bytes(document.tobytes())
