"""Whole papers of ARIES become papers of a project: paragraphs, edits, comments and links as the files have them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.documents.service import DocumentService
from engine.documents.store import DocumentStore
from engine.errors import BadInput
from engine.exchange.studies import Studies
from engine.formats import READERS, WRITERS, Wanted
from engine.operations.aries_papers import import_aries
from engine.papers.store import PaperStore
from engine.project import Project
from engine.project.invariants import violations

WORDS = "of the nine lakes that were sampled each spring and autumn by the same crew"
OLD = [("Introduction", "We count fish."), ("Introduction", f"Methods {WORDS}."), ("Results", "Fish are few.")]
NEW = [
    ("Introduction", "We count fish."),
    ("Introduction", f"Better methods {WORDS}, with nets."),
    ("Appendix", "More."),
]
EDITS = [([0], [0]), ([1], [1]), ([2], []), ([], [2])]


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def swap(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def s2orc(pdf_id: str, paragraphs: list[tuple[str, str]]) -> str:
    """The last paragraph is back matter."""
    body = [{"section": section, "text": text} for section, text in paragraphs]
    return json.dumps({"paper_id": pdf_id, "pdf_parse": {"body_text": body[:-1], "back_matter": body[-1:]}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers whose comments and edits have the same ids."""
    root = tmp_path / "aries"
    (root / "s2orc").mkdir(parents=True)
    edits, comments, labels = [], [], []
    for paper in ("lakes", "rivers"):
        for side, paragraphs in (("old", OLD), ("new", NEW)):
            text = s2orc(f"{paper}-{side}", [(section, text.replace("fish", paper)) for section, text in paragraphs])
            (root / "s2orc" / f"{paper}-{side}.json").write_text(text, encoding="utf-8")
        own = [{"edit_id": f"e{n}", "source_idxs": s, "target_idxs": t} for n, (s, t) in enumerate(EDITS)]
        ids = {"source_pdf_id": f"{paper}-old", "target_pdf_id": f"{paper}-new"}
        edits.append({"doc_id": paper, **ids, "edits": own})
        for n, words in enumerate(("Say how.", "Why so few?", "Fine.")):
            comments.append(
                {"doc_id": paper, "comment_id": f"c{n}", "comment": words, "comment_context": f"{words} Yes."}
            )
        linked = {"doc_id": paper, "comment_id": "c0", "positive_edits": ["e1"], "negative_edits": ["e2", "e3"]}
        none: dict[str, Any] = {"doc_id": paper, "comment_id": "c1", "positive_edits": [], "negative_edits": []}
        labels += [linked | {"state": "edits"}, none | {"negative_edits": ["e1", "e2", "e3"], "state": "response_only"}]
    write(root / "paper_edits.jsonl", edits)
    write(root / "review_comments.jsonl", comments)
    write(root / "edit_labels_dev.jsonl", labels[:2])
    write(root / "edit_labels_test.jsonl", labels[2:])
    return root


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.rejoinder", "ARIES", "Ada") as made:
        yield made
        assert violations(made) == ()


def lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.decode().splitlines()]


def test_what_comes_in_goes_out_the_same(folder: Path, project: Project) -> None:
    found = READERS["aries"].read(project, [folder])
    said = "aries: 2 papers with 6 edits, 6 comments and 2 links. 2 pairs of identical paragraphs didn't become edits."
    assert (found.sentences, found.problems) == ((said,), ())
    made = {file.name: file.content for file in WRITERS["aries"].make(project, Wanted("out")).files}
    assert lines(made["review_comments.jsonl"]) == lines((folder / "review_comments.jsonl").read_bytes())
    for before, after in zip(
        lines((folder / "paper_edits.jsonl").read_bytes()), lines(made["paper_edits.jsonl"]), strict=True
    ):
        kept = [{name: edit[name] for name in ("edit_id", "source_idxs", "target_idxs")} for edit in after["edits"]]
        assert after | {"edits": kept} == before | {"edits": before["edits"][1:]}, "all but the equal pair"
        assert [edit["kind"] for edit in after["edits"]] == ["minor", "deleted", "added"]
    labels = [lines((folder / f"edit_labels_{part}.jsonl").read_bytes()) for part in ("dev", "test")]
    assert lines(made["edit_labels.jsonl"]) == labels[0] + labels[1]
    for name in ("lakes-old", "rivers-new"):
        was = json.loads((folder / "s2orc" / f"{name}.json").read_text())["pdf_parse"]
        now = json.loads(made[f"s2orc/{name}.json"])["pdf_parse"]["body_text"]
        assert [(p["section"], p["text"]) for p in now] == [
            (p["section"], p["text"]) for p in was["body_text"] + was["back_matter"]
        ]


def test_paragraphs_have_places_on_pages_that_can_be_shown(folder: Path, project: Project) -> None:
    with DocumentService() as service:
        import_aries(project, folder, service)
        documents = DocumentStore(project)
        for stored in documents.documents():
            parsed = documents.parsed(stored.id)
            assert parsed is not None and not documents.is_read_earlier(stored.id), "nothing reads the pages over it"
            assert all(p.boxes and len(p.words) == len(p.text.split()) for p in parsed.paragraphs)
            for number, one in enumerate(parsed.paragraphs):
                assert (one.id, one.index, one.kind, one.raw) == (f"p{number:04d}", number, "body", one.text)
                assert one.offsets == tuple(range(len(one.text) + 1)) and one.page == one.boxes[0].page == 1
                assert {one.text[word.start : word.end] for word in one.words} == set(one.text.split())
                left, right = min(w.box.x0 for w in one.words), max(w.box.x1 for w in one.words)
                assert (one.boxes[0].x0, one.boxes[0].x1) == (left, right)
                assert one.boxes[0].y1 == max(word.box.y1 for word in one.words)
            tops = [p.boxes[0].y0 for p in parsed.paragraphs]
            assert tops == sorted(tops) and "These pages were made from the text" in parsed.warnings[0]
            read = {
                w.box: p.text[w.start : w.end]
                for p in service.parse(documents.pdf_bytes(stored.id)).paragraphs
                for w in p.words
            }
            assert all(read[w.box] == p.text[w.start : w.end] for p in parsed.paragraphs for w in p.words)
            opened = service.open(documents.pdf_bytes(stored.id))
            assert service.render(opened.sha256, 1, 1.0).width > 0


def test_pages_name_each_section_and_repeated_words_have_places_of_their_own(folder: Path, project: Project) -> None:
    (folder / "s2orc" / "lakes-old.json").write_text(s2orc("lakes-old", [*OLD, OLD[2]]), encoding="utf-8")
    with DocumentService() as service:
        import_aries(project, folder, service)
        documents = DocumentStore(project)
        (stored,) = [stored for stored in documents.documents() if stored.filename == "lakes-old.pdf"]
        few, again = documents.parsed(stored.id).paragraphs[2:]  # type: ignore[union-attr]
        assert few.text == again.text and few.boxes[0].y1 <= again.boxes[0].y0
        shown = service.parse(documents.pdf_bytes(stored.id)).paragraphs
        assert [p.section for p in shown if p.kind == "body"][2:] == ["Results", "Results"]


def test_it_is_one_step_and_comes_once(folder: Path, project: Project) -> None:
    with DocumentService() as service:
        import_aries(project, folder, service)
        steps = len(project.history())
        assert project.undo_title == "Import aries" and steps == 1
        with pytest.raises(BadInput, match="already contains lakes"):
            import_aries(project, folder, service)
        study = Studies(project).study(PaperStore(project).papers()[1].id)
        assert [text.title for text in study.texts] == ["rivers"] and len(study.comments) == 3 and len(study.links) == 1
        project.undo()
        assert PaperStore(project).papers() == ()
        project.redo()
        assert len(PaperStore(project).papers()) == 2


@pytest.mark.parametrize(
    ("breaks", "words"),
    [
        (lambda root: (root / "s2orc" / "rivers-new.json").unlink(), "rivers-new is missing"),
        (lambda root: (root / "paper_edits.jsonl").unlink(), "no annotated revisions"),
        (lambda root: (root / "s2orc" / "rivers-new.json").write_text(s2orc("", NEW[:1])), "names paragraph 1"),
        (lambda root: (root / "edit_labels_test.jsonl").write_text("{"), "edit_labels_test.jsonl"),
        (lambda root: swap(root / "paper_edits.jsonl", '[2], "target', '[], "target'), "e2 of lakes has no paragraph"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_and_nothing_comes_in(folder: Path, project: Project, breaks: Any, words: str) -> None:
    breaks(folder)
    with DocumentService() as service, pytest.raises(BadInput, match=words):
        import_aries(project, folder, service)
    assert PaperStore(project).papers() == () and project.history() == ()
