"""What leaves a project: texts of others do nothing in it, and it says nothing of whose machine it was made on."""

from __future__ import annotations

import ast
import getpass
import html.parser
import importlib
import importlib.util
import io
import json
import re
import socket
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from engine.documents.service import DocumentService
from engine.exchange.latex import latex_formula, latex_line
from engine.exchange.records import ExportFile
from engine.project import Project
from engine.shown import inert_markdown, visible, visible_line
from tests.engine.exchange.every_writer import every_file
from tests.hostile import COLOUR, ESCAPE, MARK, OVERRIDE, PICTURE, hostile_project

ROOT = Path(__file__).resolve().parents[3]
EXCHANGE = ROOT / "engine" / "exchange"
Files = list[tuple[str, ExportFile]]
OWN_MARKDOWN = {"review markdown", "review disclosure", "review.md", "rebuttal posts", "rebuttal letter"}


@pytest.fixture(scope="module")
def service() -> Iterator[DocumentService]:
    with DocumentService() as made:
        yield made


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory, service: DocumentService
) -> Iterator[tuple[Files, set[str], Path]]:
    """All files, which of ``writers`` ran, and where: of a hostile project, made by a person whose machine is known by
    its names."""
    folder = tmp_path_factory.mktemp(f"{USER}-private")
    path = hostile_project(tmp_path_factory.mktemp("hostile")).replace(folder / f"{USER}-project.rejoinder")
    with pytest.MonkeyPatch.context() as patch, recorded(patch) as ran:
        for name in ("USER", "LOGNAME", "USERNAME", "LNAME"):
            patch.setenv(name, USER)
        patch.setenv("HOME", str(folder))
        patch.setenv("HOSTNAME", HOST)
        patch.setattr(socket, "gethostname", lambda: HOST)
        patch.setenv("TZ", "Pacific/Chatham")
        time.tzset()
        assert getpass.getuser() == USER
        with Project.open(path) as project, project.results("Rename the annotators") as write:
            for (key, _), name in zip(project.annotators(), (OWN, OTHER), strict=False):
                write.execute("UPDATE annotator SET name = name || ? WHERE id = ?", (name, key))
            write.execute("UPDATE review_run SET model = ?", (str(folder / "models" / "tiny"),))
            write.execute("UPDATE review_stage_run SET way = 'language model'")
            write.touched("annotator", [])
        with Project.open(path, read_only=True) as project:
            files = list(every_file(project, service, folder))
    time.tzset()
    yield files, ran, folder


@contextmanager
def recorded(patch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Names each of ``writers`` that is called, wherever a module of the engine or of the tests holds it: a profiler
    takes longer than all the files."""
    ran: set[str] = set()

    def recording(name: str, function: Callable[..., object]) -> Callable[..., object]:
        @wraps(function)
        def called(*args: object, **options: object) -> object:
            ran.add(name)
            return function(*args, **options)

        return called

    found = {}
    for name in writers():
        stem, _, function = name.partition(".")
        made = getattr(importlib.import_module(f"engine.exchange.{stem}"), function)
        found[id(made)] = recording(name, made)
    for module in [one for name, one in sys.modules.items() if name.startswith(("engine.", "tests."))]:
        for name, value in list(vars(module).items()):
            if id(value) in found:
                patch.setattr(module, name, found[id(value)])
    yield ran


def writers() -> set[str]:
    """Every public function of engine/exchange that makes a file, or the text of one."""
    found = set()
    for path in EXCHANGE.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.returns is not None:
                made = ast.unparse(node.returns)
                if re.search(r"\bExport\b|ExportFile", made) or node.name.startswith("write_"):
                    found.add(f"{path.stem}.{node.name}")
    return found


def test_every_writer_was_called(written: tuple[Files, set[str], Path]) -> None:
    """A new writer is not covered here until ``every_writer`` calls it."""
    assert len(writers()) > 40
    without = set() if importlib.util.find_spec("cassis") else {"uima_cas.write_cas"}  # dkpro-cassis is an extra
    assert writers() - written[1] == without


def test_names_of_files_stay_in_their_folder(written: tuple[Files, set[str], Path]) -> None:
    for writer, file in written[0]:
        parts = file.name.split("/")
        assert ".." not in parts and "" not in parts and visible_line(file.name) == file.name, (writer, file.name)


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _of(files: Files, *endings: str) -> Iterator[tuple[str, bytes]]:
    return ((f"{writer}: {file.name}", file.content) for writer, file in files if file.name.endswith(endings))


def test_html_holds_no_tag_of_others(written: tuple[Files, set[str], Path]) -> None:
    pages = list(_of(written[0], ".html"))
    assert len(pages) >= 2
    for name, content in pages:
        tags = _Tags()
        tags.feed(content.decode())
        assert MARK in "".join(tags.words), name
        for tag, attributes in tags.seen:
            assert tag not in {"script", "iframe", "object", "embed", "link", "base", "form", "a"}, name
            assert tag != "img" or (attributes["src"] or "").startswith("data:image/"), name
            assert not any(key.startswith("on") for key in attributes), name
            assert not any(PICTURE in (attributes.get(key) or "") for key in ("src", "href", "style", "srcset")), name


def test_markdown_of_others_loads_nothing(written: tuple[Files, set[str], Path]) -> None:
    """Replies are the writer's own Markdown and stay as they are; what they quote does not."""
    from markdown_it import MarkdownIt

    seen = 0
    for name, content in _of(written[0], ".md"):
        own = name.split(":")[0] in {
            "review markdown",
            "review disclosure",
            "review.md",
            "rebuttal posts",
            "rebuttal letter",
        }
        quoted = "\n".join(line for line in content.decode().splitlines() if not own or line.startswith((">", "#")))
        for block in MarkdownIt("commonmark", {"html": True}).parse(quoted):
            for token in (block, *(block.children or ())):
                assert token.type not in ("html_block", "html_inline", "image"), (name, token.content[:80])
        seen += MARK in quoted
    assert seen >= 3


def test_latex_of_others_is_set_as_it_reads(written: tuple[Files, set[str], Path]) -> None:
    seen = 0
    for name, content in _of(written[0], ".tex"):
        text = content.decode()
        seen += MARK in text
        own = text.replace("\\usepackage[utf8]{inputenc}", "")
        assert not re.search(r"\\(?:input|include|write|openin|openout|read|catcode|csname|immediate)", own), name
        assert ESCAPE not in text and OVERRIDE not in text, name
        body = text.partition("\\begin{document}")[2] or text
        body = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", body, flags=re.DOTALL)
        assert not re.search(r"(?<!\\)[#%]", body), name
    assert seen >= 1


def test_word_documents_hold_no_part_of_others(written: tuple[Files, set[str], Path]) -> None:
    documents = list(_of(written[0], ".docx"))
    assert documents
    for name, content in documents:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            body = archive.read("word/document.xml")
            ET.fromstring(body)
            assert MARK.encode() in body and b"&lt;img" in body and b"<img" not in body, name
            for part in archive.namelist():
                if part.endswith(".rels"):
                    targets = re.findall(r'Target="([^"]*)"', archive.read(part).decode())
                    assert not any(re.match(r"(?i)file|/|data", one) and PICTURE in one for one in targets), name


def test_pdfs_load_nothing(written: tuple[Files, set[str], Path]) -> None:
    import pymupdf

    pages = 0
    for name, content in _of(written[0], ".pdf"):
        with pymupdf.open(stream=content, filetype="pdf") as document:
            assert not document.embfile_count(), name
            for page in document:
                pages += 1
                assert not any(link.get("file") or PICTURE in link.get("uri", "") for link in page.get_links()), name
                pixels = page.get_pixmap(dpi=40).samples
                assert bytes(COLOUR) not in pixels, name
    assert pages > 10


def test_figures_are_sound_xml(written: tuple[Files, set[str], Path]) -> None:
    figures = list(_of(written[0], ".svg"))
    assert len(figures) > 10
    for name, content in figures:
        for node in ET.fromstring(content).iter():
            assert node.tag.rpartition("}")[2] not in {"script", "foreignObject", "a"}, name
            assert "mathdefault" not in (node.text or ""), f"{name} has a formula as text"
            link = next((value for key, value in node.attrib.items() if key.endswith("href")), "")
            assert not link or link.startswith(("#", "data:")), name


def test_json_is_read_back(written: tuple[Files, set[str], Path]) -> None:
    for _name, content in _of(written[0], ".json", ".jsonld", ".rejoinder-study", ".rejoinder-answers"):
        json.loads(content)
    for _name, content in _of(written[0], ".jsonl"):
        for line in content.decode().splitlines():
            assert not line.strip() or json.loads(line) is not None


@pytest.mark.parametrize(
    "formula",
    [
        "$a<b$",
        r"$$x\\input$$",
        r"$\alpha_{i} \le \frac{1}{2}$",
        r"$$\begin{pmatrix}a&b\\c&d\end{pmatrix}$$",
        r"$\mathbb{R}^n \to 50\%$",
    ],
)
def test_formulas_reach_latex(formula: str) -> None:
    assert latex_formula(formula) == formula


@pytest.mark.parametrize(
    "formula",
    [
        r"$\input{/etc/passwd}$", r"$\write18{id}$", r"$^^5cinput x$", r"$\catcode`\$=12$",
        r"$\csname input\endcsname$",
        r"$a}\end{document}{$", r"$\begin{filecontents}{x}$", r"$\begin {verbatim}$", "$a % b$", r"$\def\a{}$",
        r"$\href{x}{y}$", r"$a \\% b$", r"$\\\input x$",
    ],
)  # fmt: skip
def test_what_is_no_mathematics_is_text(formula: str) -> None:
    made = latex_formula(formula)
    assert made.startswith(r"\$") and not re.search(r"\\(?!textbackslash|textasciicircum|[${}%&#_])", made)


def test_a_title_is_one_line_of_latex() -> None:
    assert latex_line("a\n\n\\b\x1b\u202e") == r"a \textbackslash{}b"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a<b and `List<int>`", True), ("$x<y$", True), ("~~~\ncode <b>\n~~~", False), ("<img src=x>", False),
        ("![x](y)", False), ("see [a](https://a.org)", True), ("\\`<b>`", False),
    ],
)  # fmt: skip
def test_markdown_is_escaped_where_it_would_load(given: str, kept: bool) -> None:
    assert (inert_markdown(given) == given) is kept
    assert visible(inert_markdown(given)).replace("\\", "") == given.replace("\\", "")


# --- who wrote it, and where --------------------------------------------------------------------------------------

NODE = socket.gethostname()
USER, HOST, OWN, OTHER = "quillonia", "verasby-laptop", "Quillonia Verasby", "Tobermory Ashgrove"
NAMED = {
    "annotations": "creator of each link, of a study with several annotators",
    "links.csv": "its column annotator, by which the table is read back",
    "csv": "its tables have a column annotator",
    "parquet": "its tables have a column annotator, which the data card says",
    "agreement disagreements": "two named annotators are compared",
    "agreement figures": "two named annotators are compared",
    "preferences judgements": "its column annotator, by which the table is read back",
    "preferences crowd-kit": "its column worker, which the format needs",
    "preferences ranking": "a row for each annotator",
}
"""The only writers that may name annotators, and why. What goes to a venue (rebuttals, reviews, what was done about
comments, the marked paper) is not among them."""


def _inside(name: str, content: bytes) -> bytes:
    """Everything that a file says, packed or not: its bytes, the members of archives, the objects of a PDF."""
    parts = [name.encode(), content]
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts += [archive.comment, *(entry.encode() for entry in archive.namelist())]
            parts += [archive.read(entry) for entry in archive.namelist()]
    if content[:5] == b"%PDF-":
        import pymupdf

        with pymupdf.open(stream=content, filetype="pdf") as document:
            parts += [json.dumps(document.metadata).encode(), document.get_xml_metadata().encode()]
            parts += [page.get_text().encode() for page in document]
            for xref in range(1, document.xref_length()):
                parts += [document.xref_object(xref).encode(), document.xref_stream(xref) or b""]
    return b"\n".join(parts)


def _says(content: bytes, words: str) -> bool:
    return any(words.encode(coding) in content for coding in ("utf-8", "utf-16-le", "utf-16-be"))


def test_nothing_says_on_whose_machine_it_was_made(written: tuple[Files, set[str], Path]) -> None:
    files, _, folder = written
    assert len(files) > 100
    for writer, file in files:
        content = _inside(file.name, file.content)
        for words in (USER, HOST, str(folder), str(Path(sys.prefix)), str(ROOT), *([NODE] if len(NODE) > 5 else [])):
            assert not _says(content, words), (writer, file.name, words)


def test_only_what_compares_people_names_them(written: tuple[Files, set[str], Path]) -> None:
    naming = {
        writer
        for writer, file in written[0]
        if any(_says(_inside(file.name, file.content), name) for name in (OWN, OTHER, *OWN.split(), *OTHER.split()))
    }
    assert naming == set(NAMED)


def test_metadata_name_no_author_and_no_clock(written: tuple[Files, set[str], Path]) -> None:
    """No time of the person's zone either, which says where they are."""
    import pymupdf

    seen = 0
    for writer, file in written[0]:
        if file.name.endswith(".pdf"):
            with pymupdf.open(stream=file.content, filetype="pdf") as document:
                kept = {key: value for key, value in document.metadata.items() if value}
                assert set(kept) <= {"format", "title", "producer"}, (writer, file.name, kept)
                assert kept.get("producer", "Rejoinder") == "Rejoinder" and not document.get_xml_metadata(), writer
                seen += 1
        elif file.name.endswith((".docx", ".xlsx")):
            with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
                core = archive.read("docProps/core.xml").decode()
                for tag in ("creator", "lastModifiedBy"):
                    said = re.search(rf"<[\w:]*{tag}[^>]*>([^<]*)<", core)
                    assert said is None or said[1] in ("", "openpyxl"), (writer, said)
                stamps = re.findall(r">(\d{4}-\d\d-\d\dT[^<]*)<", core)
                assert all(stamp.endswith("Z") for stamp in stamps), (writer, stamps)
                seen += 1
        elif file.name.endswith((".png", ".svg")):
            assert b"matplotlib" not in file.content[:600].lower() or file.name.endswith(".svg"), file.name
            assert b"<dc:date>" not in file.content and b"tIME" not in file.content, file.name
    assert seen > 10


def test_a_marked_paper_forgets_what_its_file_said_of_its_makers() -> None:
    import pymupdf

    from engine.documents.marking import mark_pdf

    fields = ("author", "subject", "keywords", "creator", "producer", "title")
    with pymupdf.open() as document:
        document.new_page()
        document.set_metadata({**dict.fromkeys(fields, OWN), "creationDate": "D:20260501120000+12'45'"})
        document.xref_set_key(int(document.xref_get_key(-1, "Info")[1].split()[0]), "Source", f"(/home/{USER}/p.tex)")
        document.set_xml_metadata(f"<x:xmpmeta xmlns:x='adobe:ns:meta/'>{OWN}</x:xmpmeta>")
        paper = document.tobytes()
    assert _says(_inside("p.pdf", paper), USER) and _says(_inside("p.pdf", paper), OWN)
    with pymupdf.open(stream=paper, filetype="pdf") as document:
        made = _inside("m.pdf", mark_pdf(document, [], b"", "Marked", outline="Marks").content)
    assert b"Marked" in made
    assert not _says(made, USER) and not _says(made, OWN) and b"12'45'" not in made
