"""Parsed papers as ARIES has them: S2ORC JSON, one file a version."""

from dataclasses import dataclass
from pathlib import Path

from engine.errors import not_imported, not_read
from engine.exchange.encoding import file_in, read_text
from engine.exchange.jsontext import parse_json, text_of


@dataclass(frozen=True, slots=True)
class S2orcParagraph:
    """A paragraph; ``index`` from 0 runs on from the body through the back matter, as edit indices do."""

    index: int
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class S2orcDocument:
    paper_id: str
    paragraphs: tuple[S2orcParagraph, ...]


def read_s2orc(text: str, name: str) -> S2orcDocument:
    """A paper from S2ORC JSON, with its parse at the top or under ``pdf_parse``. Raises BadInput for other JSON."""
    record = parse_json(text, name)
    parse = record.get("pdf_parse", record) if isinstance(record, dict) else None
    if not isinstance(parse, dict) or not isinstance(parse.get("body_text"), list):
        raise not_imported(f"{name} isn't an S2ORC parse: it has no body_text.")
    paragraphs: list[S2orcParagraph] = []
    for key in ("body_text", "back_matter"):
        found = parse.get(key) or []
        if not isinstance(found, list):
            raise not_imported(f"{name} has no list of paragraphs in {key}.", "Export it again.")
        for entry in found:
            if not isinstance(entry, dict):
                raise not_imported(f"{name} has a paragraph in {key} that isn't an object.", "Export it again.")
            section, words = text_of(entry.get("section")), text_of(entry.get("text"))
            paragraphs.append(S2orcParagraph(len(paragraphs), section, words))
    return S2orcDocument(text_of(record.get("paper_id") or parse.get("paper_id")), tuple(paragraphs))


def root_of(folder: Path) -> Path:
    """Where the files of ARIES are in a folder: in it, or in its folder ``revisions``. Raises BadInput."""
    for place in (folder, folder / "revisions"):
        if (place / "paper_edits.jsonl").is_file():
            return place
    raise not_read(
        f"There are no annotated revisions in {folder}.",
        "Choose the folder with paper_edits.jsonl, review_comments.jsonl, edit_labels.jsonl and s2orc/.",
    )


def read_version(root: Path, pdf_id: str) -> S2orcDocument:
    """A version of a paper by its id. Raises BadInput where its file is missing or something else."""
    path = file_in(root / "s2orc", f"{pdf_id}.json")
    if path is None:
        raise not_read(f"The parsed paper {pdf_id[:80]} is missing.", "Extract s2orc.tar.gz next to the other files.")
    return read_s2orc(read_text(path).text, path.name)


def check_places(edit_id: str, indices: tuple[int, ...], paper_id: str, count: int) -> None:
    """Raises BadInput where an edit names a paragraph that its paper, of ``count`` paragraphs, lacks."""
    beyond = [at for at in indices if not 0 <= at < count]
    if beyond:
        raise not_read(
            f"Edit {edit_id} names paragraph {beyond[0]}, but {paper_id} has {count}.",
            "Check that edits and parsed papers belong together.",
        )
