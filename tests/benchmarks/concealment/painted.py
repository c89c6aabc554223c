"""Text in the colour of its background."""

from __future__ import annotations

import zlib
from random import Random

from tests.benchmarks.concealment.paper import Box
from tests.benchmarks.concealment.setting import Case, gray_rgb, rgb, setting, white
from tests.benchmarks.concealment.writer import numbers


def white_on_white(rng: Random) -> Case:
    s = setting(rng)
    s.page.insert(rng, f"q {white(rng)} {s.ops()} Q")
    return s.case("white text on the white page")


def near_white(rng: Random) -> Case:
    s = setting(rng)
    colour = gray_rgb(rng, rng.uniform(0.978, 0.996), rng.choice((0, 0.004)))
    s.page.insert(rng, f"q {rgb(colour)} {s.ops()} Q")
    return s.case(f"text in the colour {colour} on the white page")


def same_as_box(rng: Random) -> Case:
    s = setting(rng)
    colour = gray_rgb(rng, rng.uniform(0.1, 0.9), 0.1)
    near = tuple(min(1.0, part + rng.choice((0, 0, 0.004, 0.008))) for part in colour)
    box = s.box.grown(3)
    caption = ""
    if rng.random() < 0.5:
        shade = "1 g" if sum(colour) < 1.4 else "0 g"
        caption = f"{shade} BT {s.font} 7 Tf {numbers(box.x0 + 2, box.y0 + 2)} Td {s.face.encode('Figure 1')} Tj ET"
    s.page.insert(rng, f"q {rgb(colour)} {box.path()} f {caption} {rgb(near)} {s.ops()} Q", "end")
    return s.case("text in the colour of the box that it is painted on")


def special_white(rng: Random) -> Case:
    """White or nearly white in a colour space other than the device colour spaces."""
    s = setting(rng)
    profile = s.paper.pdf.stream(_srgb_profile(), "/N 3 /Alternate /DeviceRGB")
    space, values = rng.choice(
        (
            ("[/Lab <</WhitePoint [0.9505 1 1.089] /Range [-100 100 -100 100]>>]", "99.4 0 0"),
            (f"[/ICCBased {profile} 0 R]", "0.99 0.99 1"),
            ("[/CalRGB <</WhitePoint [0.9505 1 1.089]>>]", "0.995 1 1"),
            ("[/CalGray <</WhitePoint [0.9505 1 1.089] /Gamma 2.2>>]", "0.996"),
            ("[/Indexed /DeviceRGB 2 <00ff00fefeff000000>]", "1"),
            ("/DeviceCMYK", "0.006 0 0.004 0"),
        )
    )
    name = s.paper.resource("ColorSpace", space)
    s.page.insert(rng, f"q {name} cs {values} scn {s.ops()} Q")
    return s.case(f"text in nearly white of the colour space {space[:12]}")


def tint_zero(rng: Random) -> Case:
    """A spot colour without tint."""
    s = setting(rng)
    spot = "<</FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0.9 0.8 0.1] /N 1>>"
    two = s.paper.pdf.stream("{0 0 4 2 roll}", "/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1]")
    space, values = rng.choice(
        (
            (f"[/Separation /Crimson /DeviceCMYK {spot}]", "0"),
            (f"[/Separation /Crimson /DeviceCMYK {spot}]", "0.006"),
            (f"[/DeviceN [/Gold /Silver] /DeviceCMYK {two} 0 R]", "0 0"),
            ("[/Separation /Paper /DeviceGray <</FunctionType 2 /Domain [0 1] /C0 [1] /C1 [1] /N 1>>]", "1"),
        )
    )
    name = s.paper.resource("ColorSpace", space)
    s.page.insert(rng, f"q {name} cs {values} scn {s.ops()} Q")
    return s.case("text in a spot colour with no tint")


def overprint_white(rng: Random) -> Case:
    s = setting(rng)
    state = s.paper.resource("ExtGState", f"<</OP true /op true /OPM {rng.choice((0, 1))}>>")
    s.page.insert(rng, f"q {state} gs 0 0 0 0 {rng.choice(('k', 'k 0 0 0 0 K'))} {s.ops()} Q")
    return s.case("text that overprints with no ink")


def pattern_like_background(rng: Random) -> Case:
    """Text filled with a tiling pattern or a shading that looks like the background."""
    s = setting(rng)
    colour = rng.choice(((1, 1, 1), gray_rgb(rng, 0.85, 0.1)))
    box = s.box.grown(4)
    if rng.random() < 0.5:
        pattern = s.paper.pdf.stream(
            f"{rgb(colour)} 0 0 8 8 re f",
            "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 8 8]"
            " /XStep 8 /YStep 8 /Resources <<>>",
        )
    else:
        part = numbers(*colour)
        function = f"<</FunctionType 2 /Domain [0 1] /C0 [{part}] /C1 [{part}] /N 1>>"
        pattern = s.paper.pdf.add(
            "<</Type /Pattern /PatternType 2 /Shading <</ShadingType 2 /ColorSpace /DeviceRGB"
            f" /Coords [0 0 600 0] /Function {function} /Extend [true true]>>>>"
        )
    name = s.paper.resource("Pattern", pattern)
    s.page.insert(rng, f"q {rgb(colour)} {box.path()} f /Pattern cs {name} scn {s.ops()} Q", "end")
    return s.case("text filled with a pattern that looks like the box behind it")


def gradient_on_gradient(rng: Random) -> Case:
    """A gradient box, and text filled with the same gradient."""
    s = setting(rng)
    first, last = (numbers(*gray_rgb(rng, rng.uniform(0.2, 0.9), 0.1)) for _ in range(2))
    box = s.box.grown(4)
    # A pattern's coordinates are those of the file's page, whatever the matrix.
    across = s.page.in_file(box)
    horizontal = rng.random() < 0.5
    ends = numbers(across.x0, 0, across.x1, 0) if horizontal else numbers(0, across.y0, 0, across.y1)
    function = f"<</FunctionType 2 /Domain [0 1] /C0 [{first}] /C1 [{last}] /N 1>>"
    pattern = s.paper.pdf.add(
        "<</Type /Pattern /PatternType 2 /Shading <</ShadingType 2 /ColorSpace /DeviceRGB"
        f" /Coords [{ends}] /Function {function} /Extend [true true]>>>>"
    )
    name = s.paper.resource("Pattern", pattern)
    s.page.insert(rng, f"q /Pattern cs {name} scn {box.path()} f {s.ops()} Q", "end")
    return s.case("text filled with the gradient of the box behind it")


def noise_image(rng: Random) -> Case:
    """Small text over a photo-like image: in the image's mean colour, or filled with the image itself."""
    s = setting(rng, sizes=(2, 3.2), longest=40)
    box = s.box.grown(4)
    wide, high = int(box.width), max(8, int(box.height))
    base = [rng.randint(70, 180) for _ in range(3)]
    pixels = bytes(min(255, max(0, part + rng.randint(-60, 60))) for _ in range(wide * high) for part in base)
    image = s.paper.pdf.stream(
        zlib.compress(pixels),
        f"/Type /XObject /Subtype /Image /Width {wide} /Height {high} /ColorSpace /DeviceRGB /BitsPerComponent 8"
        " /Filter /FlateDecode",
        deflate=False,
    )
    name = s.paper.resource("XObject", image)
    place = f"{numbers(box.width, 0, 0, box.height, box.x0, box.y0)} cm {name} Do"
    if rng.random() < 0.5:
        fill = rgb([part / 255 for part in base])
    else:
        a, b, c, d, e, f = s.page.matrix()
        pattern = s.paper.pdf.stream(
            place,
            f"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox {box.array()} /XStep 2000 /YStep 2000"
            f" /Matrix [{numbers(a, b, c, d, e, f)}] /Resources <</XObject <<{name} {image} 0 R>>>>",
        )
        fill = f"/Pattern cs {s.paper.resource('Pattern', pattern)} scn"
    s.page.insert(rng, f"q {place} Q q {fill} {s.ops()} Q", "end")
    return s.case("small text that is lost in the noise of the image under it")


def white_strokes(rng: Random) -> Case:
    """Outlined text with white outlines, or filled and outlined in white."""
    s = setting(rng)
    mode, width = rng.choice(((1, "0"), (1, "0.3"), (2, "0.2"), (5, "0")))
    s.page.insert(rng, f"q 1 G {white(rng)} {width} w {s.ops(f'{mode} Tr')} Q")
    return s.case(f"text in rendering mode {mode} with white strokes")


def scattered_letters(rng: Random) -> Case:
    """Single letters in white between the words of visible lines, in reading order."""
    s = setting(rng, longest=20)
    ops, size = [], rng.choice((3, 5, 8))
    letters = iter(s.text)
    for line, _ in rng.sample(s.page.lines, len(s.page.lines)):
        x = line.x
        while x < line.x + 180:
            letter = next(letters, None)
            if letter is None:
                break
            ops.append(f"1 0 0 1 {numbers(x, line.y + 0.2)} Tm {s.face.encode(letter)} Tj")
            x += rng.uniform(9, 24)
    ops += [f"1 0 0 1 20 20 Tm {s.face.encode(letter)} Tj" for letter in letters]
    s.page.insert(rng, f"q {white(rng)} BT {s.font} {size} Tf {' '.join(ops)} ET Q", rng.choice(("start",)))
    return s.case("single letters in white, scattered over lines of prose")


def white_stripe_in_heading_box(rng: Random) -> Case:
    """A dark heading box that ends early: the heading is visible on it, white words continue on the white page."""
    s = setting(rng, sizes=(6, 8), longest=24, tallest=40)
    box = Box(s.box.x0 - 2, s.box.y0 - 14, s.box.x0 + 120, s.box.y0 - 2)
    colour = gray_rgb(rng, rng.uniform(0.1, 0.35), 0.08)
    heading = f"BT {s.font} 8 Tf {numbers(box.x0 + 4, box.y0 + 3)} Td {s.face.encode('Key findings')} Tj ET"
    s.page.insert(rng, f"q {rgb(colour)} {box.path()} f 1 g {heading} {s.ops()} Q", "end")
    return s.case("white text beside a dark box that makes white look like a legitimate colour")


def _srgb_profile() -> bytes:
    """Returns a small ICC profile: sRGB."""
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # Bytes 24 to 35 are the time of creation; the same seed must give the same file.
    return profile[:24] + bytes((7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0)) + profile[36:]


KINDS = {
    "white_on_white": white_on_white,
    "near_white": near_white,
    "same_as_box": same_as_box,
    "special_white": special_white,
    "tint_zero": tint_zero,
    "overprint_white": overprint_white,
    "pattern_like_background": pattern_like_background,
    "gradient_on_gradient": gradient_on_gradient,
    "noise_image": noise_image,
    "white_strokes": white_strokes,
    "scattered_letters": scattered_letters,
    "white_beside_dark_box": white_stripe_in_heading_box,
}
