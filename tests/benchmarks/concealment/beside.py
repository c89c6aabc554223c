"""Words beside the pages' content: annotations, form fields, structure, metadata, attachments, a false OCR layer."""

from __future__ import annotations

from random import Random

from tests.benchmarks.concealment import wording
from tests.benchmarks.concealment.faces import standard_face
from tests.benchmarks.concealment.paper import Box, Page, Paper, fitted, host, shown
from tests.benchmarks.concealment.scan import scanned, scanned_lines
from tests.benchmarks.concealment.setting import Case
from tests.benchmarks.concealment.writer import numbers, text_string


def hidden_free_text(rng: Random) -> Case:
    """A FreeText annotation hidden by its flags, size, transparency or colour."""
    paper, text = host(rng), wording.secret(rng)
    page = rng.choice(paper.pages)
    box = page.in_file(rng.choice(page.free))
    flags, extra = rng.choice(((2, ""), (32, ""), (34, ""), (4, "/CA 0 /ca 0"), (4, "white"), (4, "zero")))
    look = f"/DA ({'1 1 1 rg' if extra == 'white' else '0 g'} /Helv 9 Tf)"
    if extra == "zero":
        box = Box(box.x0, box.y0, box.x0, box.y0)
    face = standard_face(paper.pdf, "Helvetica")
    colour = "1 g" if extra == "white" else "0 g"
    ops = f"{colour} {shown(paper.font(face), face, fitted(text, face, 9, box), 'lines')}" if extra != "zero" else ""
    if "CA" in extra:
        ops = f"{paper.resource('ExtGState', '<</ca 0 /CA 0>>')} gs {ops}"
    appearance = paper.form(ops, box)
    page.annotations.append(
        paper.pdf.add(
            f"<</Type /Annot /Subtype /FreeText /Rect {box.array()} /F {flags} /Contents {text_string(text)} {look}"
            f" {extra if 'CA' in extra else ''} /AP <</N {appearance} 0 R>>>>"
        )
    )
    return Case(paper.finish(), text, f"a FreeText annotation with flags {flags} {extra}; yielded by annotations")


def annotation_contents(rng: Random) -> Case:
    """The Contents of an annotation that shows no text on the page."""
    paper, text = host(rng), wording.secret(rng)
    page = rng.choice(paper.pages)
    line = rng.choice([line for line, _ in page.lines if len(line.text) > 20])
    box = page.in_file(Box(line.x, line.y - 2, line.x + 60, line.y + 8))
    corners = numbers(box.x0, box.y1, box.x1, box.y1, box.x0, box.y0, box.x1, box.y0)
    note = page.in_file(Box(2, 2, 3, 3))
    contents = text_string(text)
    kind = rng.choice(
        (
            f"/Text /Rect {note.array()} /F 2 /Name /Comment",
            f"/Highlight /Rect {box.array()} /QuadPoints [{corners}] /C [1 1 0.97] /CA 0.02",
            f"/Link /Rect {box.array()} /Border [0 0 0] /A <</S /URI /URI (https://example.org/)>>",
            f"/Square /Rect {note.array()} /CA 0 /F 4",
            f"/Popup /Rect {box.array()} /Open false",
        )
    )
    page.annotations.append(paper.pdf.add(f"<</Type /Annot /Subtype {kind} /Contents {contents}>>"))
    return Case(paper.finish(), text, "the Contents of an annotation without visible text; yielded by annotations")


def hidden_field(rng: Random) -> Case:
    """A form field whose value is not visible."""
    paper, text = host(rng), wording.secret(rng)
    page = rng.choice(paper.pages)
    box = page.in_file(rng.choice(page.free))
    flags, rect = rng.choice(((2, box), (32, box), (4, Box(0, 0, 0, 0)), (6, box)))
    where = rng.choice(("V", "V", "DV", "TU"))
    field = paper.pdf.add(
        f"<</Type /Annot /Subtype /Widget /FT /Tx /T (notes) /F {flags} /Rect {rect.array()} /Ff 4096"
        f" /DA (0 g /Helv 9 Tf) /{where} {text_string(text)}>>"
    )
    page.annotations.append(field)
    paper.catalog["AcroForm"] = f"<</Fields [{field} 0 R]>>"
    return Case(paper.finish(), text, f"the entry {where} of a hidden form field; yielded by fields")


def field_choices(rng: Random) -> Case:
    """A visible list field that shows a harmless choice; another choice is the concealed text."""
    paper, text = host(rng), wording.secret(rng)
    page = rng.choice(paper.pages)
    shape = rng.choice(page.free)
    box = page.in_file(Box(shape.x0, shape.y0 + 2, shape.x0 + 90, shape.y0 + 16))
    face = standard_face(paper.pdf, "Helvetica")
    appearance = paper.form(f"BT {paper.font(face)} 8 Tf {numbers(box.x0 + 2, box.y0 + 3)} Td (None) Tj ET", box)
    field = paper.pdf.add(
        f"<</Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (topic) /F 4 /Rect {box.array()} /V (None)"
        f" /Opt [(None) {text_string(text)}] /DA (0 g /Helv 8 Tf) /AP <</N {appearance} 0 R>>>>"
    )
    page.annotations.append(field)
    paper.catalog["AcroForm"] = f"<</Fields [{field} 0 R]>>"
    return Case(paper.finish(), text, "a choice of a list field that is not shown; yielded by fields")


def structure_text(rng: Random) -> Case:
    """ActualText or an expansion text of an element of the structure tree."""
    paper, text = host(rng), wording.secret(rng)
    entry = rng.choice(("ActualText", "ActualText", "E"))
    _tagged(rng, paper, rng.choice(("P", "Span", "H1")), f"/{entry} {text_string(text)}")
    return Case(paper.finish(), text, f"{entry} of a structure element; yielded by structure")


def figure_alternate(rng: Random) -> Case:
    """An alternative text of a figure that doesn't describe it."""
    paper, text = host(rng), wording.secret(rng)
    _tagged(rng, paper, "Figure", f"/Alt {text_string(text)}")
    return Case(paper.finish(), text, "Alt of a figure; yielded by structure")


def metadata(rng: Random) -> Case:
    paper, text = host(rng), wording.secret(rng)
    if rng.random() < 0.5:
        paper.info = {"Producer": "(pdfTeX)", rng.choice(("Subject", "Keywords", "Title")): text_string(text)}
    else:
        tag = rng.choice(("description", "subject"))
        packet = (
            "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF"
            " xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description"
            f" xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:{tag}><rdf:Alt><rdf:li xml:lang='x-default'>{text}"
            f"</rdf:li></rdf:Alt></dc:{tag}></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
        )
        paper.catalog["Metadata"] = f"{paper.pdf.stream(packet, '/Type /Metadata /Subtype /XML', deflate=False)} 0 R"
    return Case(paper.finish(), text, "document properties; yielded by metadata")


def outline_titles(rng: Random) -> Case:
    """Bookmarks that aren't headings of the paper."""
    paper, text = host(rng), wording.secret(rng, 24)
    for page in paper.pages:
        page.ref = paper.pdf.reserve()
    words, step = text.split(), rng.choice((4, 8, 60))
    titles = [" ".join(words[first : first + step]) for first in range(0, len(words), step)]
    root, items = paper.pdf.reserve(), [paper.pdf.reserve() for _ in titles]
    for row, (item, title) in enumerate(zip(items, titles, strict=True)):
        beside = f"/Prev {items[row - 1]} 0 R" if row else ""
        beside += f" /Next {items[row + 1]} 0 R" if row + 1 < len(items) else ""
        target = f"/Dest [{rng.choice(paper.pages).ref} 0 R /Fit]"
        paper.pdf.put(item, f"<</Title {text_string(title)} /Parent {root} 0 R {target} {beside}>>")
    paper.pdf.put(root, f"<</Type /Outlines /First {items[0]} 0 R /Last {items[-1]} 0 R /Count -{len(items)}>>")
    paper.catalog["Outlines"] = f"{root} 0 R"
    return Case(paper.finish(), text, "bookmarks that are no headings; yielded by outline")


def attachment(rng: Random) -> Case:
    """An attached file, or the description of one."""
    paper, text = host(rng), wording.secret(rng)
    described = rng.random() < 0.3
    content = "date,value\n1,2\n" if described else text
    file = paper.pdf.stream(content, "/Type /EmbeddedFile")
    name = rng.choice(("readme.txt", "notes.md", "data.csv"))
    spec = paper.pdf.add(
        f"<</Type /Filespec /F ({name}) /UF ({name}) /EF <</F {file} 0 R>> /Desc"
        f" {text_string(text) if described else '(Supplement)'} /AFRelationship /Supplement>>"
    )
    if not described and rng.random() < 0.4:
        page = rng.choice(paper.pages)
        page.annotations.append(
            paper.pdf.add(
                f"<</Type /Annot /Subtype /FileAttachment /Rect {Box(0, 0, 0, 0).array()} /F 2 /FS {spec} 0 R>>"
            )
        )
    else:
        paper.catalog["Names"] = f"<</EmbeddedFiles <</Names [({name}) {spec} 0 R]>>>>"
    return Case(paper.finish(), text, "an attached file or its description; yielded by attachments")


def script(rng: Random) -> Case:
    paper, text = host(rng), wording.secret(rng)
    code = rng.choice((f"// {text}", f"var note = '{text}';", f"/* {text} */ this.dirty = false;"))
    action = f"<</S /JavaScript /JS {text_string(code)}>>"
    if rng.random() < 0.5:
        paper.catalog["OpenAction"] = action
    else:
        paper.catalog["Names"] = f"<</JavaScript <</Names [(start) {paper.pdf.add(action)} 0 R]>>>>"
    return Case(paper.finish(), text, "JavaScript of the document; yielded by scripts")


def page_labels(rng: Random) -> Case:
    paper, text = host(rng), wording.secret(rng, 20)
    paper.catalog["PageLabels"] = f"<</Nums [0 <</S /D /P {text_string(text + ' ')}>>]>>"
    return Case(paper.finish(), text, "the prefix of the page labels; yielded by labels")


def layer_names(rng: Random) -> Case:
    paper, text = host(rng), wording.secret(rng, 20)
    group = paper.pdf.add(f"<</Type /OCG /Name {text_string(text)}>>")
    paper.catalog["OCProperties"] = f"<</OCGs [{group} 0 R] /D <</Order [{group} 0 R]>>>>"
    name = paper.resource("Properties", group)
    page = rng.choice(paper.pages)
    line, ops = rng.choice(page.lines)
    page.replace(line, f"/OC {name} BDC {ops} EMC")
    return Case(paper.finish(), text, "the name of a layer; yielded by layer_names")


def false_ocr_layer(rng: Random) -> Case:
    """Scanned pages whose invisible text layer has other words in some of its lines, or in all."""
    original, text = host(rng, upright=True), wording.secret(rng)
    paper = Paper()
    chosen = rng.randrange(len(original.pages))
    for row, page in enumerate(original.pages):
        lines = scanned_lines(page)
        scan = scanned(rng, paper, original, page)
        if row == chosen:
            words = text.split()
            first = rng.randint(0, max(0, len(lines) - 14))
            step = rng.choice((5, 7, 9))
            parts = [" ".join(words[at : at + step]) for at in range(0, len(words), step)]
            for at, part in enumerate(parts):
                if first + at < len(lines):
                    lines[first + at] = lines[first + at]._replace(text=part)
                else:
                    lines.append(lines[-1]._replace(text=part, y=lines[-1].y - 12))
        _layer(rng, paper, scan, lines)
    return Case(paper.finish(), text, "an OCR layer with other words than the scan; yielded by get_text")


def _layer(rng: Random, paper: Paper, page: Page, lines: list) -> None:
    face = standard_face(paper.pdf, "Times-Roman")
    name = paper.font(face)
    for line in lines:
        page.insert(rng, f"q {shown(name, face, [line], 'lines', '3 Tr')} Q", "end")


def _tagged(rng: Random, paper: Paper, kind: str, entries: str) -> None:
    """Tags one line of visible prose as an element of a structure tree with these entries."""
    page = rng.choice(paper.pages)
    page.ref = paper.pdf.reserve()
    line, ops = rng.choice([known for known in page.lines if len(known[0].text) > 20])
    page.replace(line, f"/{kind} <</MCID 0>> BDC {ops} EMC")
    root, element = paper.pdf.reserve(), paper.pdf.reserve()
    paper.pdf.put(element, f"<</Type /StructElem /S /{kind} /P {root} 0 R /Pg {page.ref} 0 R /K 0 {entries}>>")
    paper.pdf.put(root, f"<</Type /StructTreeRoot /K [{element} 0 R] /ParentTree <</Nums [0 [{element} 0 R]]>>>>")
    page.entries["StructParents"] = "0"
    paper.catalog |= {"StructTreeRoot": f"{root} 0 R", "MarkInfo": "<</Marked true>>"}


KINDS = {
    "hidden_free_text": hidden_free_text,
    "annotation_contents": annotation_contents,
    "hidden_field": hidden_field,
    "field_choices": field_choices,
    "structure_text": structure_text,
    "figure_alternate": figure_alternate,
    "metadata": metadata,
    "outline_titles": outline_titles,
    "attachment": attachment,
    "script": script,
    "page_labels": page_labels,
    "layer_names": layer_names,
    "false_ocr_layer": false_ocr_layer,
}
