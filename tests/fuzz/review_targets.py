"""Targets that read letters, reviews and revisions."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.seeds import dumped, lines
from tests.fuzz.target import Context, one, target


@target(
    "letter",
    one("l.md", seeds.LETTER),
    one("l.tex", seeds.TEX),
    lambda: one("l.docx", seeds.docx()),
    one("n.json", dumped(seeds.NOTES)),
    lambda: one("l.pdf", seeds.pdf()),
    data=("**/*.tex", "**/*.docx"),
)
def _letter(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange.response_letter import read_replies
    from engine.exchange.response_reading import read_letter_file
    from engine.reviews.letter import read_letter
    from engine.reviews.store import ReviewStore
    from tests.engine.rebuttal.outlines import make_outline

    text = read_letter_file(path, context.service).text
    with context.importing() as project:
        ReviewStore(project).import_bundle(read_letter(text), path.name)
    read_replies(text, make_outline(["", "One."]))


@target("docx", lambda: one("l.docx", seeds.docx()))
def _docx(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.docx_text import docx_text, is_docx

    data = path.read_bytes()
    is_docx(data)
    docx_text(data, path.name)


@target("latex", one("l.tex", seeds.TEX))
def _latex(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.latex_text import is_latex, latex_text

    text = read_text(path).text
    is_latex(text)
    latex_text(text, path.name)


@target("markup", one("l.html", seeds.HTML), one("l.org", seeds.ORG))
def _markup(folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.response_reading import html_text, markup_text, org_text

    read = read_text(path)
    markup_text(read, path.name, folder)
    html_text(read.text)
    org_text(read.text)


@target("review", one("r.txt", seeds.REVIEW), one("r.md", seeds.LETTER))
def _review(_folder: Path, path: Path, context: Context) -> None:

    from engine.exchange.encoding import read_text
    from engine.exchange.plain_text import read_review
    from engine.exchange.review_markdown import read_review as read_fields
    from engine.reviews.sentences import split_sentences
    from engine.reviews.store import ReviewStore

    text = read_text(path).text
    read_review(text, path.name)
    bundle = read_review(text, path.name, media_type="text/markdown")
    with context.importing() as project:
        ReviewStore(project).import_bundle(bundle, path.name)
    read_fields(text)
    split_sentences(text)


@target(
    "sniff",
    one("a.jsonl", seeds.EDITS),
    one("b.json", dumped(seeds.S2ORC)),
    one("c.json", dumped(seeds.ANNOTATIONS)),
    one("d.csv", "comment_id,edit_id\nc1,e1\n"),
    one("e.md", seeds.LETTER),
    lambda: one("f.docx", seeds.docx()),
    one("g.json", dumped(seeds.NOTES)),
    one("h.tex", seeds.TEX),
)
def _sniff(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.sniff import sniff

    sniff(path)


@target("openreview", one("n.json", dumped(seeds.NOTES)), one("n.jsonl", lines(*seeds.NOTES["notes"])))
def _openreview(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.openreview import read_notes, read_openreview
    from engine.reviews.store import ReviewStore

    text = read_text(path).text
    read_notes(text, path.name, [])
    with context.importing() as project:
        ReviewStore(project).import_bundle(read_openreview(text, path.name), path.name)


@target(
    "form", one("f.json", dumped(seeds.FORM)), one("n.json", dumped({"summary": "s", "rating": 2, "drop": ["2: yes"]}))
)
def _form(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.review_form import read_form

    text = read_text(path).text
    read_form(text, path.name)


@target(
    "review sets",
    one("s.json", dumped(seeds.SETS)),
    one("o.jsonl", lines(seeds.OWN_SET)),
    one("n.json", dumped(seeds.NOTES)),
    one("m.md", seeds.LETTER),
)
def _review_sets(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.review_sets import read_review_set

    read_review_set(read_text(path).text, path.name)


@target("annotated", {"d/f/r_annotated.txt": seeds.ANNOTATED.encode()}, {"train/r.json": dumped(seeds.PAIR)})
def _annotated(folder: Path, _path: Path, context: Context) -> None:
    from engine.exchange.labelled_folders import read_labelled_folder
    from engine.reviews.labels.store import LabelStore

    with context.importing() as project:
        LabelStore(project).import_reviews(read_labelled_folder(folder).reviews, "folder")


@target("labelled folder", {"d/f/r_annotated.txt": seeds.ANNOTATED.encode()})
def _labelled_task(folder: Path, _path: Path, context: Context) -> None:
    from engine.exchange.labelled_folders import import_folder_task
    from engine.jobs import QuietReport

    with context.importing() as project:
        task = import_folder_task(project, folder)
        task.run(QuietReport())


# --- revisions --------------------------------------------------------------------------------------------------------


@target("aries", one("e.jsonl", seeds.EDITS), one("c.jsonl", seeds.COMMENTS), one("l.jsonl", seeds.LABELS))
def _aries(_folder: Path, path: Path, context: Context) -> None:
    from engine.exchange import aries
    from engine.reviews.store import ReviewStore

    file = aries.read_file(path.read_bytes(), path.name)
    kinds = {aries.kind_of(record) for record in file.records()}
    if "edits" in kinds:
        aries.paper_edits(file)
    if "labels" in kinds:
        aries.outside_links(aries.edit_labels(file))
    if "comments" in kinds:
        bundle = aries.review_comments(file)
        with context.importing() as project:
            ReviewStore(project).import_bundle(bundle, path.name)
        [aries.comment_line(comment, "d") for comment in bundle.comments]


@target(
    "corpus",
    {
        "paper_edits.jsonl": seeds.EDITS,
        "review_comments.jsonl": seeds.COMMENTS,
        "edit_labels.jsonl": seeds.LABELS,
        "s2orc/old.json": dumped(seeds.S2ORC),
        "s2orc/new.json": dumped({**seeds.S2ORC, "paper_id": "new"}),
    },
)
def _corpus(folder: Path, _path: Path, _context: Context) -> None:
    from engine.research.alignment.corpus import read_papers

    read_papers(folder)


@target("s2orc", one("s.json", dumped(seeds.S2ORC)))
def _s2orc(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.aries import read_s2orc
    from engine.exchange.encoding import read_text

    read_s2orc(read_text(path).text, path.name)


@target("web annotation", one("a.jsonld", dumped(seeds.ANNOTATIONS)))
def _annotations(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.links_csv import resolve_links
    from engine.exchange.web_annotation import read_links

    resolve_links(read_links(read_text(path).text, path.name).links, (), ())


@target(
    "links", one("l.csv", 'comment_id,edit_id,state,confidence,comment,target_text\nc1,e1,linked,0.5,\'=x,"y\nz"\n')
)
def _links(_folder: Path, path: Path, _context: Context) -> None:
    from engine.exchange.encoding import read_text
    from engine.exchange.links_csv import read_links

    read_links(read_text(path).text, path.name)
