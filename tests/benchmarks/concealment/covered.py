"""Text that is drawn and then covered, clipped, blended away, or painted without any effect."""

from __future__ import annotations

import zlib
from random import Random

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import any_face
from tests.benchmarks.concealment.paper import Box, fitted, host
from tests.benchmarks.concealment.setting import Case, Setting, gray_rgb, over_prose, rectangle, rgb, setting, white
from tests.benchmarks.concealment.writer import numbers, object_body, stream_body, updated


def rendering_mode_3(rng: Random) -> Case:
    s = rng.choice((setting, over_prose))(rng)
    s.page.insert(rng, f"q {s.ops('3 Tr')} Q")
    return s.case("text in rendering mode 3: neither filled nor stroked")


def rendering_mode_7(rng: Random) -> Case:
    """Text that only extends the clip path, through which nothing, or something elsewhere, is painted."""
    s = rng.choice((setting, over_prose))(rng)
    after = rng.choice(("", "0.5 g 0 0 5 5 re f", "1 g 0 0 2000 2000 re f"))
    s.page.insert(rng, f"q {s.ops('7 Tr')} {after} Q", "start" if after.startswith("1 g") else "any")
    return s.case("text in rendering mode 7: it only clips")


def under_rectangle(rng: Random) -> Case:
    s = setting(rng)
    colour = rng.choice(
        ("1 g 1 G", "1 1 1 rg 1 1 1 RG", "0.95 0.95 0.9 rg 0.95 0.95 0.9 RG", "0 g 0 G", "0 0 0 0 k 0 0 0 0 K")
    )
    s.page.insert(rng, f"q 0.1 g {s.ops()} {colour} {rectangle(rng, s.box.grown(3))} Q", "end")
    return s.case("text under an opaque rectangle")


def under_image(rng: Random) -> Case:
    s = setting(rng)
    box, base = s.box.grown(3), [rng.randint(120, 255) for _ in range(3)]
    wide, high, noise = rng.randint(20, 120), rng.randint(10, 60), rng.choice((0, 12, 40))
    if rng.random() < 0.3:
        base, noise = [255] * 3, 0
    pixels = bytes(min(255, part + rng.randint(-noise, noise)) for _ in range(wide * high) for part in base)
    name = s.paper.resource("XObject", _image(s, wide, high, pixels))
    s.page.insert(rng, f"q {s.ops()} {_placed(box)} {name} Do Q", "end")
    return s.case("text under an opaque image")


def under_page_background(rng: Random) -> Case:
    """Text drawn first, then a white rectangle over the whole page, then the page's prose."""
    s = rng.choice((setting, over_prose))(rng)
    repeated = rng.random() < 0.5
    cover = f"q {white(rng)} {s.page.bounds.path()} f Q"
    s.page.insert(rng, f"{cover if repeated else ''} q 0 g {s.ops()} Q {cover}", "start")
    return s.case("text under the background of the page")


def under_form_or_shading(rng: Random) -> Case:
    """Text under a form XObject, a shading, an inline image or a very thick line."""
    s = setting(rng)
    box = s.box.grown(4)
    function = "<</FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0.96] /N 1>>"
    shading = f"<</ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 600 0] /Function {function} /Extend [true true]>>"
    middle = (box.y0 + box.y1) / 2
    cover = rng.choice(
        (
            f"{s.paper.painted_form(f'1 g {box.path()} f', box)} Do",
            f"{box.path()} W n {s.paper.resource('Shading', shading)} sh",
            f"{_placed(box)} BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI",
            f"1 G {numbers(box.height)} w {numbers(box.x0, middle)} m {numbers(box.x1, middle)} l S",
        )
    )
    s.page.insert(rng, f"q {s.ops()} {cover} Q", "end")
    return s.case("text under something other than a rectangle")


def under_annotation(rng: Random) -> Case:
    """Black text on the page under an annotation whose appearance is opaque white."""
    s = setting(rng)
    box = s.page.in_file(s.box.grown(3))
    look = s.paper.form(f"{white(rng)} {box.path()} f", box)
    kind = rng.choice(("/Square /C [1 1 1] /IC [1 1 1]", "/Stamp", "/FreeText /DA (/Helv 9 Tf) /Contents ()"))
    s.page.insert(rng, f"q {s.ops()} Q")
    s.page.annotations.append(
        s.paper.pdf.add(f"<</Type /Annot /Subtype {kind} /Rect {box.array()} /F 4 /AP <</N {look} 0 R>>>>")
    )
    return s.case("text under an annotation with an opaque white appearance")


def alpha_zero(rng: Random) -> Case:
    s = rng.choice((setting, over_prose))(rng)
    alpha = rng.choice((0, 0, 0.004, 0.01))
    state = s.paper.resource("ExtGState", f"<</ca {alpha} /CA {alpha}>>")
    s.page.insert(rng, f"q {state} gs 0 g {s.ops(rng.choice(('', '2 Tr 0.1 w')))} Q")
    return s.case(f"text with the constant alpha {alpha}")


def group_alpha(rng: Random) -> Case:
    """Black, opaque text in a form that is painted with alpha 0, usually as a transparency group."""
    s = setting(rng)
    group = "/Group <</S /Transparency /I true>>" if rng.random() < 0.7 else ""
    inner = s.paper.painted_form(f"q 0 g {s.ops()} Q", s.box.grown(4), group)
    if rng.random() < 0.5:
        inner = s.paper.painted_form(f"{inner} Do", s.box.grown(4), "/Group <</S /Transparency>>")
    state = s.paper.resource("ExtGState", f"<</ca {rng.choice((0, 0.006))} /CA 0>>")
    s.page.insert(rng, f"q {state} gs {inner} Do Q")
    return s.case("a form with opaque text that is painted with alpha 0")


def soft_mask(rng: Random) -> Case:
    s = rng.choice((setting, over_prose))(rng)
    group = "/Group <</S /Transparency /CS /DeviceGray>>"
    everywhere = s.page.bounds.grown(600)
    masks = (
        f"/S /Luminosity /G {s.paper.form(f'0 g {everywhere.path()} f', everywhere, group)} 0 R",
        f"/S /Luminosity /BC [0] /G {s.paper.form('', everywhere, group)} 0 R",
        f"/S /Alpha /G {s.paper.form('', everywhere, group)} 0 R",
        f"/S /Luminosity /G {s.paper.form('1 g 0 0 3 3 re f', Box(0, 0, 3, 3), group)} 0 R",
    )
    state = s.paper.resource("ExtGState", f"<</SMask <</Type /Mask {rng.choice(masks)}>>>>")
    s.page.insert(rng, f"q {state} gs 0 g {s.ops()} Q")
    return s.case("text behind a soft mask that is transparent everywhere")


def blended_away(rng: Random) -> Case:
    """A blend mode under which the text has no effect on what it is painted over."""
    s = setting(rng)
    box = s.box.grown(4)
    mode, background, colour = rng.choice(
        (
            ("Multiply", "1 g", "1 g"),
            ("Darken", gray_rgb(rng, 0.6, 0.1), "1 g"),
            ("Multiply", gray_rgb(rng, 0.5, 0.2), "1 g"),
            ("Screen", (0, 0, 0), "0 g"),
            ("Lighten", (1, 1, 1), "0 0.2 0.6 rg"),
            ("Screen", (1, 1, 1), "0.8 0 0 rg"),
            ("Difference", gray_rgb(rng, 0.5, 0.2), "0 g"),
            ("ColorDodge", (1, 1, 1), "0 g"),
        )
    )
    fill = background if isinstance(background, str) else rgb(background)
    state = s.paper.resource("ExtGState", f"<</BM /{mode}>>")
    s.page.insert(rng, f"q {fill} {box.path()} f {state} gs {colour} {s.ops()} Q", "end")
    return s.case(f"text that the blend mode {mode} makes vanish")


def clipped_away(rng: Random) -> Case:
    s = rng.choice((setting, over_prose))(rng)
    far = Box(s.box.x0, s.box.y1 + 300, s.box.x1, s.box.y1 + 340)
    clip = rng.choice(
        (
            f"{numbers(s.box.x0, s.box.y0)} 0 0 re W n",
            f"{far.path()} W n",
            f"{numbers(s.box.x0, s.box.y0)} m W n",
            "0 0 40 40 re W n 50 50 40 40 re W* n",
        )
    )
    s.page.insert(rng, f"q {clip} 0 g {s.ops()} Q")
    return s.case("text outside the clip path", "get_text_unclipped")


def clipped_form(rng: Random) -> Case:
    """A form XObject whose bounding box does not include the text in it."""
    s = setting(rng)
    away = Box(s.box.x0, s.box.y1 + 40, s.box.x1, s.box.y1 + 60)
    inner = s.paper.painted_form(f"0 g {s.ops()}", rng.choice((away, Box(0, 0, 0.01, 0.01))))
    s.page.insert(rng, f"q {inner} Do Q")
    return s.case("text outside the bounding box of its form", "get_text_unclipped")


def scaled_away_form(rng: Random) -> Case:
    """A form XObject painted with a matrix that makes it invisible."""
    s = setting(rng)
    wide, high = rng.choice(((0.0004, 0.0004), (1, 0.0005), (0.0005, 1)))
    # Forms whose bounding box shrinks to nothing are skipped by some readers.
    bounds = s.box.grown(200_000)
    inner = s.paper.painted_form(f"0 g {s.ops()}", bounds)
    if rng.random() < 0.5:
        inner = s.paper.painted_form(f"0 g {s.ops()}", bounds, f"/Matrix [{numbers(wide, 0, 0, high, 0, 0)}]")
        wide = high = 1
    s.page.insert(rng, f"q {numbers(wide, 0, 0, high, s.box.x0, s.box.y0)} cm {inner} Do Q")
    return s.case("a form scaled to almost nothing", "drawn_letters")


def behind_added_border(rng: Random) -> Case:
    """Text in the margin of a published file; an incremental update paints a white border over the margins."""
    paper = host(rng)
    text, page, face = wording.secret(rng), rng.choice(paper.pages), any_face(paper.pdf, rng)
    box = page.free[rng.choice((0, 1, 2))]
    s = Setting(paper, page, box, text, face, paper.font(face), fitted(text, face, rng.uniform(5, 9), box), "lines")
    page.insert(rng, f"q 0 g {s.ops()} Q")
    pdf = paper.finish()
    added = max(int(word) for word in pdf.split(b"/Size ")[-1].split()[:1])
    hole = Box(page.width * 0.08, box.y1 + 2, page.width * 0.92, page.height - 60)
    if box.y0 > page.height / 2:
        hole = Box(page.width * 0.08, 60, page.width * 0.92, box.y0 - 2)
    frame = f"q {numbers(*page.matrix())} cm 1 g {page.bounds.path()} {hole.path()} f* Q"
    body = object_body(pdf, page.ref).replace(
        b"/Contents %d 0 R" % page.contents, b"/Contents [%d 0 R %d 0 R]" % (page.contents, added)
    )
    # The page number in the margin is painted again, like a stamp.
    number = [f"q {numbers(*page.matrix())} cm {ops} Q" for line, ops in page.lines if line.text.isdigit()]
    extra = stream_body("\n".join([frame, *number]))
    return Case(
        updated(pdf, {page.ref: body, added: extra}),
        text,
        "an incremental update covers the margin with a white border; yielded by get_text",
    )


def under_later_white_text(rng: Random) -> Case:
    """Text covered by rows of white block glyphs painted over it."""
    s = setting(rng, sizes=(4, 8))
    cover = s.paper.pdf.stream("1000 0 0 -300 1000 1000 d1 0 -300 1000 1300 re f")
    font = s.paper.pdf.add(
        "<</Type /Font /Subtype /Type3 /FontBBox [0 -300 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0]"
        f" /CharProcs <</space {cover} 0 R>> /Encoding <</Differences [32 /space]>> /FirstChar 32 /LastChar 32"
        " /Widths [800] /Resources <<>>>>"
    )
    name = s.paper.resource("Font", font)
    size = s.lines[0].size
    rows = " ".join(
        f"1 0 0 1 {numbers(line.x - 2, line.y)} Tm ({' ' * (int(1.25 * s.box.width / size) + 4)}) Tj"
        for line in s.lines
    )
    s.page.insert(rng, f"q 0 g {s.ops()} 1 g BT {name} {numbers(size * 1.05)} Tf {rows} ET Q", "end")
    return s.case("text under white block glyphs of a Type 3 font")


def layer_off(rng: Random) -> Case:
    """Text in an optional content group that is off when the document is opened."""
    s = rng.choice((setting, over_prose))(rng)
    group = s.paper.pdf.add("<</Type /OCG /Name (Draft notes)>>")
    state = rng.choice((f"/OFF [{group} 0 R]", f"/BaseState /OFF /ON [] /Order [{group} 0 R]"))
    s.paper.catalog["OCProperties"] = f"<</OCGs [{group} 0 R] /D <<{state}>>>>"
    _layered(s, rng, group)
    return s.case("text of an optional content group that is off", "layers_ignored")


def layer_expression_off(rng: Random) -> Case:
    """Text whose membership dictionary evaluates to hidden."""
    s = rng.choice((setting, over_prose))(rng)
    on, off = (s.paper.pdf.add(f"<</Type /OCG /Name ({name})>>") for name in ("Main", "Extra"))
    s.paper.catalog["OCProperties"] = f"<</OCGs [{on} 0 R {off} 0 R] /D <</OFF [{off} 0 R]>>>>"
    rule = rng.choice(
        (
            f"/OCGs [{on} 0 R] /P /AllOff",
            f"/OCGs [{on} 0 R] /P /AnyOff",
            f"/OCGs [{off} 0 R]",
            f"/OCGs {off} 0 R /P /AnyOn",
        )
    )
    _layered(s, rng, s.paper.pdf.add(f"<</Type /OCMD {rule}>>"))
    return s.case("text that an optional content membership dictionary hides", "layers_ignored")


def layer_hidden_by_standard(rng: Random) -> Case:
    """Text hidden by a policy or visibility expression of the standard that MuPDF doesn't evaluate."""
    s = setting(rng)
    on, off = (s.paper.pdf.add(f"<</Type /OCG /Name ({name})>>") for name in ("Main", "Extra"))
    s.paper.catalog["OCProperties"] = f"<</OCGs [{on} 0 R {off} 0 R] /D <</OFF [{off} 0 R]>>>>"
    rule = rng.choice(
        (
            f"/OCGs [{on} 0 R {off} 0 R] /P /AllOn",
            f"/VE [/Not {on} 0 R]",
            f"/VE [/And {on} 0 R {off} 0 R] /OCGs {on} 0 R",
            f"/VE [/Or {off} 0 R [/Not {on} 0 R]]",
        )
    )
    _layered(s, rng, s.paper.pdf.add(f"<</Type /OCMD {rule}>>"))
    return s.case("text that a visibility expression hides in viewers that evaluate it")


def layer_for_print_only(rng: Random) -> Case:
    """Text in a layer that viewers switch off by its usage dictionary, but printers print."""
    s = setting(rng)
    group = s.paper.pdf.add(
        "<</Type /OCG /Name (Print) /Usage <</View <</ViewState /OFF>> /Print <</PrintState /ON>>"
        " /Export <</ExportState /ON>>>>>>"
    )
    events = f"/AS [<</Event /View /Category [/View] /OCGs [{group} 0 R]>>]"
    s.paper.catalog["OCProperties"] = f"<</OCGs [{group} 0 R] /D <</ON [{group} 0 R] {events}>>>>"
    _layered(s, rng, group)
    return s.case("text of a layer that is only printed", "layers_ignored")


def _layered(s: Setting, rng: Random, group: int) -> None:
    if rng.random() < 0.5:
        name = s.paper.resource("Properties", group)
        s.page.insert(rng, f"/OC {name} BDC q 0 g {s.ops()} Q EMC")
    else:
        inner = s.paper.painted_form(f"0 g {s.ops()}", s.box.grown(60), f"/OC {group} 0 R")
        s.page.insert(rng, f"q {inner} Do Q")


def _image(s: Setting, wide: int, high: int, pixels: bytes) -> int:
    return s.paper.pdf.stream(
        zlib.compress(pixels),
        f"/Type /XObject /Subtype /Image /Width {wide} /Height {high} /ColorSpace /DeviceRGB /BitsPerComponent 8"
        " /Filter /FlateDecode",
        deflate=False,
    )


def _placed(box: Box) -> str:
    return f"{numbers(box.width, 0, 0, box.height, box.x0, box.y0)} cm"


KINDS = {
    "rendering_mode_3": rendering_mode_3,
    "rendering_mode_7": rendering_mode_7,
    "under_rectangle": under_rectangle,
    "under_image": under_image,
    "under_page_background": under_page_background,
    "under_form_or_shading": under_form_or_shading,
    "under_annotation": under_annotation,
    "under_block_glyphs": under_later_white_text,
    "behind_added_border": behind_added_border,
    "alpha_zero": alpha_zero,
    "group_alpha": group_alpha,
    "soft_mask": soft_mask,
    "blended_away": blended_away,
    "clipped_away": clipped_away,
    "clipped_form": clipped_form,
    "scaled_away_form": scaled_away_form,
    "layer_off": layer_off,
    "layer_expression_off": layer_expression_off,
    "layer_hidden_by_standard": layer_hidden_by_standard,
    "layer_for_print_only": layer_for_print_only,
}
