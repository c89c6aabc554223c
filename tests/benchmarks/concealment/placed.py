"""Text that is too small to see, squeezed flat, stacked in one place, or outside the displayed page."""

from __future__ import annotations

from random import Random

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import standard_face
from tests.benchmarks.concealment.paper import Box, Line, Page, fitted, host, shown, wrapped
from tests.benchmarks.concealment.setting import Case, Setting, over_prose, rgb, setting
from tests.benchmarks.concealment.writer import number, numbers


def tiny_size(rng: Random) -> Case:
    """A font size below 1 point, set directly or by a matrix."""
    s = setting(rng)
    size = rng.uniform(0.15, 0.8)
    lines = [Line(s.box.x0, s.box.y1 - 2 * size * (row + 1), size, text) for row, text in enumerate(_rows(s, size))]
    colour = rgb((rng.uniform(0, 0.6),) * 3)
    if rng.random() < 0.5:
        ops = shown(s.font, s.face, lines, s.style)
    else:
        scale = number(size)
        ops = " ".join(
            f"BT {s.font} 1 Tf {scale} 0 0 {scale} {numbers(line.x, line.y)} Tm {s.face.encode(line.text)} Tj ET"
            for line in lines
        )
    s.page.insert(rng, f"q {colour} {ops} Q")
    return s.case(f"text of {size:.2f} points")


def squeezed_flat(rng: Random) -> Case:
    """Letters of normal width without height."""
    s = rng.choice((setting, over_prose))(rng)
    height = rng.choice((0.0004, 0.001, 0.004))
    ops = " ".join(
        f"BT {s.font} 1 Tf {numbers(line.size, 0, 0, height, line.x, line.y)} Tm {s.face.encode(line.text)} Tj ET"
        for line in s.lines
    )
    s.page.insert(rng, f"q {ops} Q")
    return s.case("text scaled to no height")


def squeezed_narrow(rng: Random) -> Case:
    """Letters of normal height without width."""
    s = setting(rng, sizes=(3, 7))
    percent = rng.choice((0.02, 0.1, 0.3))
    if rng.random() < 0.5:
        ops = s.ops(f"{percent} Tz")
    else:
        ops = " ".join(
            f"BT {s.font} 1 Tf {numbers(line.size * percent / 100, 0, 0, line.size, line.x, line.y)} Tm"
            f" {s.face.encode(line.text)} Tj ET"
            for line in s.lines
        )
    s.page.insert(rng, f"q 0.8 g {ops} Q")
    return s.case("text scaled to no width", "drawn_letters")


def outside_crop_box(rng: Random) -> Case:
    bleed = tuple(rng.choice((0, 10, 60)) for _ in range(3))
    paper = host(rng, bleed=(bleed[0], rng.randint(90, 160), *bleed[1:]))
    page = rng.choice(paper.pages)
    box = Box(30, 4 - page.bleed[1], page.width - 30, -6)
    text, face = wording.secret(rng), standard_face(paper.pdf, rng.choice(("Times-Roman", "Helvetica")))
    s = Setting(paper, page, box, text, face, paper.font(face), fitted(text, face, rng.uniform(6, 12), box), "lines")
    page.insert(rng, f"q {s.ops()} Q")
    return s.case("text inside the media box and outside the crop box", "get_text_unclipped")


def outside_media_box(rng: Random) -> Case:
    s = setting(rng, sizes=(6, 12))
    right, up = rng.choice(((900, 0), (-900, 0), (0, 1000), (0, -1000), (3000, 3000)))
    s.page.insert(rng, f"q {numbers(1, 0, 0, 1, right, up)} cm {s.ops()} Q")
    return s.case("text outside the media box", "get_text_unclipped")


def stacked_letters(rng: Random) -> Case:
    """Letters drawn in one place, so that they look like a dot or blot."""
    s = setting(rng, sizes=(1.5, 3))
    size, where = s.lines[0].size, Line(s.box.x0, s.box.y0 + 4, 0, "")
    if rng.random() < 0.5:
        shown_letters = " ".join(f"{numbers(1, 0, 0, 1, where.x, where.y)} Tm {s.face.encode(c)} Tj" for c in s.text)
        ops = f"BT {s.font} {number(size)} Tf {shown_letters} ET"
    else:
        # A monospaced font with a character spacing of minus its width.
        face = standard_face(s.paper.pdf, "Courier")
        ops = (
            f"BT {s.paper.font(face)} {number(size)} Tf {number(-0.6 * size)} Tc {numbers(where.x, where.y)} Td"
            f" {face.encode(s.text)} Tj ET"
        )
    s.page.insert(rng, f"q {ops} Q")
    return s.case("letters stacked on one spot", "drawn_letters")


def microtext_in_rule(rng: Random) -> Case:
    """A rule between paragraphs, with text inside the rule or as the rule itself."""
    s = setting(rng, longest=40)
    size = rng.uniform(0.3, 0.7)
    gray = rng.choice((0, 0.2, 0.4))
    y = s.box.y0 + 6
    line = Line(s.box.x0, y, size, s.text)
    width = s.face.width(s.text) * size
    middle, end = y + 0.3 * size, line.x + max(width, 160)
    rule = f"{number(size * 1.3)} w {numbers(line.x - 1, middle)} m {numbers(end, middle)} l S"
    if rng.random() < 0.25:
        rule = ""
    s.page.insert(rng, f"q {gray} g {gray} G {rule} {shown(s.font, s.face, [line], 'lines')} Q")
    return s.case("text of less than a point in a rule of the same colour")


def microtext_in_dot(rng: Random) -> Case:
    """A block of text as small as a full stop."""
    s = setting(rng)
    line = rng.choice([line for line, _ in s.page.lines if len(line.text) > 20])
    size = rng.uniform(0.02, 0.08)
    rows = wrapped(s.text, s.face, size, 1.2)
    x, y = line.x - rng.uniform(2, 6), line.y
    lines = [Line(x, y + 1.2 - 1.1 * size * row, size, text) for row, text in enumerate(rows)]
    s.page.insert(rng, f"q 0 g {shown(s.font, s.face, lines, 'matrix')} Q")
    return s.case("a block of text as small as a full stop")


def mirrored_micro(rng: Random) -> Case:
    """Mirrored, upside-down or rotated text below 1.5 points, in pale grey."""
    s = setting(rng, sizes=(0.6, 1.3))
    a, b, c, d = rng.choice(((-1, 0, 0, 1), (-1, 0, 0, -1), (1, 0, 0, -1), (0, 1, -1, 0)))
    x, y = rng.uniform(200, 300), rng.choice((s.box.y0 + 8, 9))
    rows = wrapped(s.text, s.face, s.lines[0].size, 150)
    lines = [Line(0, -1.2 * s.lines[0].size * row, s.lines[0].size, text) for row, text in enumerate(rows)]
    gray = rng.uniform(0.5, 0.8)
    s.page.insert(rng, f"q {number(gray)} g {numbers(a, b, c, d, x, y)} cm {shown(s.font, s.face, lines, 'lines')} Q")
    return s.case("mirrored or upside-down text of about one point")


def giant_letters(rng: Random) -> Case:
    """White letters larger than the page, painted before everything else."""
    s = setting(rng, longest=25)
    size = rng.choice((1500, 3000))
    step = "1 0 0 1 20 30 Tm"
    letters = " ".join(f"{step} {s.face.encode(letter)} Tj" for letter in s.text)
    s.page.insert(rng, f"q 1 g BT {s.font} {size} Tf {letters} ET Q", "start")
    return s.case("white letters larger than the page", "drawn_letters")


def tiny_page(rng: Random) -> Case:
    """A page of a few points among the others, with tiny text or text beside the page."""
    paper = host(rng, upright=True)
    text, face = wording.secret(rng), standard_face(paper.pdf, "Helvetica")
    side = rng.choice((3, 4, 6))
    page = Page(side, side)
    box = Box(0, 0, side, side)
    lines = fitted(text, face, 0.4, box) if rng.random() < 0.5 else [Line(side + 1, 1, 9, text)]
    page.blocks.append(shown(paper.font(face), face, lines, "lines"))
    paper.pages.insert(rng.randint(1, len(paper.pages)), page)
    return Case(paper.finish(), text, f"a page of {side} points; yielded by get_text_unclipped")


def hairline_strokes(rng: Random) -> Case:
    """Outlined text with a dash pattern without visible dashes, or a hairline in almost white."""
    s = setting(rng)
    state = rng.choice(("[0 400] 395 d 0 w 0.99 G", "[0.01 900] 450 d 0.1 w 0 G", "0 w 0.985 G"))
    s.page.insert(rng, f"q {state} {s.ops('1 Tr')} Q")
    return s.case("outlined text with strokes that leave no visible ink")


def _rows(s: Setting, size: float) -> list[str]:
    return wrapped(s.text, s.face, size, s.box.width)


KINDS = {
    "tiny_size": tiny_size,
    "squeezed_flat": squeezed_flat,
    "squeezed_narrow": squeezed_narrow,
    "outside_crop_box": outside_crop_box,
    "outside_media_box": outside_media_box,
    "stacked_letters": stacked_letters,
    "microtext_in_rule": microtext_in_rule,
    "microtext_in_dot": microtext_in_dot,
    "mirrored_micro": mirrored_micro,
    "giant_letters": giant_letters,
    "tiny_page": tiny_page,
    "hairline_strokes": hairline_strokes,
}
