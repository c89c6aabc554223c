"""Reviews to annotation tools and back: comments, links, states and labels come back, in one step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.formats import READERS, WRITERS, Wanted
from engine.operations.marked import Tool, import_marked, read_marked
from engine.papers.store import PaperStore
from engine.project import Project
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Comment, Span
from engine.reviews.store import ReviewStore
from tests.hostile import SAMPLE

TOOLS: tuple[Tool, ...] = ("brat", "webanno-tsv", "cas-json", "cas-xmi")


def opened(path: Path) -> Project:
    """The sample, as the annotator who linked most."""
    with Project.open(path, read_only=True) as project:
        rows = project.query("SELECT annotator_id FROM edit_link GROUP BY 1 ORDER BY count(*) DESC")
        name = dict(project.annotators())[rows[0][0]]
    return Project.open(path, annotator=name)


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = Path(shutil.copyfile(SAMPLE, tmp_path / "sample.rejoinder"))
    with opened(path) as project:
        for text in ReviewStore(project).texts():
            words = len(text.text[:60].rstrip())
            LabelStore(project).set_label(text.id, Span(0, words), "polarity", ["negative"])
            LabelStore(project).set_label(text.id, Span(0, words), "theme", [])
    return path


def written(path: Path, folder: Path, tool: Tool) -> str:
    """Writes the files with the work of the annotator who linked most; returns their key."""
    if tool.startswith("cas"):
        pytest.importorskip("cassis")
    with opened(path) as project:
        whose = project.annotator_id
        export = WRITERS[tool].make(project, Wanted("out"))
    folder.mkdir()
    for file in export.files:
        (folder / file.name).write_bytes(file.content)
    said = " ".join(export.loss)
    assert "Titles, kinds and other fields" in export.loss[0]
    assert ("Control characters" in said) is (tool == "cas-xmi")
    assert ("Spaces at the ends of lines" in said) is (tool == "webanno-tsv")
    return whose


def comments(project: Project) -> list[Comment]:
    return sorted(ReviewStore(project).comments(), key=lambda c: c.id)


@pytest.mark.parametrize("tool", TOOLS)
def test_links_states_and_comments_come_back_into_the_project(labelled: Path, tmp_path: Path, tool: Tool) -> None:
    whose = written(labelled, tmp_path / "out", tool)
    with Project.open(labelled, annotator="Third") as project:
        before = comments(project)
        done = READERS[tool].read(project, [tmp_path / "out"])
        assert "0 new texts, 0 new comments" in done.sentences[0] and not done.problems
        assert comments(project) == before and LabelStore(project).counts() == {"polarity": 4, "theme": 4}
        third = project.annotator_id
        links = "SELECT comment_id, edit_id FROM edit_link WHERE annotator_id = ? AND EXISTS (SELECT 1 FROM"
        links += " comment_span s WHERE s.comment_id = edit_link.comment_id AND s.role = 'comment') ORDER BY 1, 2"
        assert [tuple(r) for r in project.query(links, (third,))] == [tuple(r) for r in project.query(links, (whose,))]
        assert project.query(links, (third,))
        states = "SELECT comment_id, state FROM comment_state WHERE annotator_id = ? ORDER BY 1"
        assert [tuple(r) for r in project.query(states, (third,))] == [
            tuple(r) for r in project.query(states, (whose,))
        ]
        project.undo()
        assert LabelStore(project).counts() == {}
        assert not project.query(links, (third,)) and not project.query(states, (third,))


@pytest.mark.parametrize("tool", TOOLS)
def test_texts_with_comments_and_labels_come_into_an_empty_project(labelled: Path, tmp_path: Path, tool: Tool) -> None:
    written(labelled, tmp_path / "out", tool)
    with opened(labelled) as project:
        texts = {text.id: text for text in ReviewStore(project).texts()}
        old = [comment for comment in comments(project) if comment.spans]
        labels = LabelStore(project).counts()
    with Project.create(tmp_path / "new.rejoinder", annotator="Ann") as project:
        taken = import_marked(project, tmp_path / "out", tool)
        assert (taken.texts, taken.comments) == (len(texts), len(old))
        store = ReviewStore(project)
        found = {text.title: text for text in store.texts()}
        assert {key: one.text.split() for key, one in found.items()} == {k: t.text.split() for k, t in texts.items()}
        new = {(found_id(store, c), c.spans): c for c in comments(project)}
        assert len(new) == len(old)
        for comment in old:
            twin = new[comment.source_id, tuple(map(tight(texts[comment.source_id].text), comment.spans))
                       if tool == "webanno-tsv" else comment.spans]  # fmt: skip
            assert (twin.reviewer, twin.actionable, twin.action) == (
                comment.reviewer, comment.actionable, comment.action,
            )  # fmt: skip
            if tool != "webanno-tsv":
                assert (twin.context_spans, twin.response_spans) == (comment.context_spans, comment.response_spans)
        assert LabelStore(project).counts() == labels
        assert any("both PDFs of the paper are needed" in warning for warning in taken.warnings)


@pytest.mark.parametrize("titles", [("One",), ("One", "Two")])
def test_a_new_text_belongs_to_the_only_paper_or_to_none(tmp_path: Path, titles: tuple[str, ...]) -> None:
    (tmp_path / "review.ann").write_text("T1\tComment 0 11\tWhy twelve?\n")
    (tmp_path / "review.txt").write_text("Why twelve? Say how.")
    with Project.create(tmp_path / "p.rejoinder") as project:
        papers = [PaperStore(project).add_paper(title) for title in titles]
        import_marked(project, tmp_path / "review.ann", "brat")
        (found,) = project.query("SELECT paper_id FROM source_text")
        assert found[0] == (papers[0] if len(papers) == 1 else None)


def found_id(store: ReviewStore, comment: Comment) -> str:
    return store.text(comment.source_id).title


def tight(text: str):  # type: ignore[no-untyped-def]
    def spans(span: Span) -> Span:
        words = text[span.start : span.end]
        start = span.start + len(words) - len(words.lstrip())
        return Span(start, start + len(words.strip()))

    return spans


def test_what_was_marked_in_the_tool_becomes_a_comment(labelled: Path, tmp_path: Path) -> None:
    written(labelled, tmp_path / "out", "brat")
    with Project.open(labelled, annotator="Third") as project:
        text = ReviewStore(project).texts()[0]
        file = tmp_path / "out" / f"{text.id}.ann"
        start = text.text.index(" ") + 1
        marked = f"T9001\tComment {start} {start + 5}\t{text.text[start : start + 5]}\nT9002\tOdd 0 1\t{text.text[0]}\n"
        marked += '#9001\tAnnotatorNotes T9001\t{"edits": "nowhere"}\n'
        file.write_text(file.read_text(encoding="utf-8") + marked, encoding="utf-8")
        before = {comment.id for comment in comments(project)}
        taken = import_marked(project, file, "brat")
        (made,) = [comment for comment in comments(project) if comment.id not in before]
        assert made.spans == (Span(start, start + 5),) and made.source_id == text.id
        assert taken.comments == 1 and "layers Odd" in taken.warnings[0]
        assert "1 of " in taken.warnings[1] and "an edit that isn't in this comparison" in taken.warnings[1]


def test_nothing_is_imported_of_a_folder_with_one_bad_file(labelled: Path, tmp_path: Path) -> None:
    written(labelled, tmp_path / "out", "brat")
    (tmp_path / "out" / "zz.ann").write_text("T1\tComment 0 900\tx\n")
    (tmp_path / "out" / "zz.txt").write_text("x")
    with Project.create(tmp_path / "new.rejoinder") as project:
        with pytest.raises(BadInput, match="outside the text"):
            import_marked(project, tmp_path / "out", "brat")
        assert ReviewStore(project).texts() == ()
    (tmp_path / "out" / "zz.txt").unlink()
    for path, said in ((tmp_path / "out" / "zz.ann", "zz.txt is missing"), (tmp_path, "contains no")):
        with pytest.raises(BadInput, match=said):
            read_marked(path, "brat")


def test_marks_of_somebody_who_is_not_done_stay_out_of_files(tmp_path: Path) -> None:
    """Also of papers whose versions were not compared, and of texts that belong to no paper."""
    from engine.agreement.store import AgreementStore
    from engine.operations.marked import with_reviews

    with Project.create(tmp_path / "p.rejoinder", "P", "Ann") as project:
        store = ReviewStore(project)
        papers = [PaperStore(project).add_paper(title) for title in ("One", "Two", "Empty")]
        texts = [store.add_text("Review", "Why twelve? Say how.", paper_id=paper).texts[0].id for paper in papers[:2]]
        for text in texts:
            store.add_comment(text, [Span(0, 11)])
        assert [len(one.comments) for one in with_reviews(project)] == [1, 1]
        assert [[text.id for text in one.texts] for one in with_reviews(project, papers[1])] == [[texts[1]]]
        assert with_reviews(project, papers[2]) == ()
        project.set_annotator("Ben")
        assert [len(one.comments) for one in with_reviews(project)] == [0, 0]
        for name in ("Ann", "Ben"):
            project.set_annotator(name)
            AgreementStore(project).set_done(papers[0], True)
        assert [len(one.comments) for one in with_reviews(project)] == [1, 0]
        with project.action("Detach") as act:
            act.execute("UPDATE source_text SET paper_id = NULL")
        assert [[text.id for text in one.texts] for one in with_reviews(project)] == [texts]


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_is_exported_where_there_are_no_reviews(tmp_path: Path, tool: Tool) -> None:
    with Project.create(tmp_path / "p.rejoinder") as project:
        PaperStore(project).add_paper("One")
        with pytest.raises(BadInput, match="no reviews to export"):
            WRITERS[tool].make(project, Wanted("out"))


@pytest.mark.parametrize("ending", [".ann", ".txt"])
def test_files_that_are_not_utf_8_are_named(tmp_path: Path, ending: str) -> None:
    for file in (".ann", ".txt"):
        (tmp_path / f"review{file}").write_bytes(b"\xff" if file == ending else b"")
    with pytest.raises(BadInput, match=rf"review\{ending} isn't UTF-8"):
        read_marked(tmp_path / "review.ann", "brat")
