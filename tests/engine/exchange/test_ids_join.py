"""One thing has one id whatever format it left a project in, so that files of several formats can be joined."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from engine.exchange.labelled_folders import write_disapere, write_peer_review_analyze
from engine.exchange.openreview import read_openreview
from engine.formats import WRITERS, Wanted
from engine.frames import FRAMES
from engine.project import Project
from engine.reviews.labels.records import LabelledReview
from engine.reviews.labels.store import REVIEW_FIELD, LabelStore
from engine.reviews.records import SourceText, Span
from engine.reviews.store import ReviewStore
from tests.hostile import SAMPLE


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """The sample, as the annotator who linked most, with a label in each review."""
    path = Path(shutil.copyfile(SAMPLE, tmp_path / "sample.rejoinder"))
    with Project.open(path, read_only=True) as before:
        (key,) = before.query("SELECT annotator_id FROM edit_link GROUP BY 1 ORDER BY count(*) DESC LIMIT 1")[0]
        name = dict(before.annotators())[key]
    with Project.open(path, annotator=name) as project:
        for text in ReviewStore(project).texts():
            LabelStore(project).set_label(text.id, Span(0, 20), "polarity", ["negative"])
        yield project


def files(project: Project, format_: str) -> dict[str, str]:
    made = WRITERS[format_].make(project, Wanted("out")).files
    return {file.name: file.content.decode("utf-8-sig") for file in made}


def known(project: Project, table: str, *columns: str) -> set[str]:
    """The ids that tables of the Parquet data set hold."""
    frame = FRAMES[table](project)
    return {str(value) for column in columns for value in frame[column].dropna() if value}


def test_reviews_comments_and_edits_have_the_same_ids_everywhere(project: Project) -> None:
    reviews = known(project, "reviews", "source_id")
    comments = known(project, "comments", "comment_id")
    edits = known(project, "edits", "edit_id")
    for format_ in ("brat", "webanno-tsv"):
        assert {PurePosixPath(name).stem for name in files(project, format_) if "." in name} >= reviews, format_
    assert {json.loads(one)["metadata"]["review_id"] for one in files(project, "disapere").values()} == reviews
    stems = {PurePosixPath(name).stem for name in files(project, "peer-review-analyze")}
    assert stems == {f"{one}_annotated" for one in reviews}

    (annotations,) = files(project, "w3c").values()
    for what, ids in (("text", reviews), ("comment", comments), ("edit", edits)):
        found = set(re.findall(rf"urn:rejoinder:{what}:([\w-]+)", annotations))
        assert found and found <= ids, what

    rows = list(csv.DictReader(io.StringIO(files(project, "links")["out"])))
    assert {row["comment_id"] for row in rows} == comments
    assert {row["edit_id"] for row in rows if row["edit_id"]} <= edits

    aries = files(project, "aries")
    labels = known(project, "edits", "label")
    (paper,) = map(json.loads, aries["paper_edits.jsonl"].splitlines())
    assert {edit["edit_id"] for edit in paper["edits"]} == labels
    names = {json.loads(line)["comment_id"] for line in aries["review_comments.jsonl"].splitlines()}
    assert names <= comments | known(project, "comments", "external_id") and len(names) == len(comments)


@pytest.mark.parametrize("format_", ["disapere", "peer-review-analyze"])
def test_reviews_of_a_data_set_keep_its_ids(tmp_path: Path, format_: str) -> None:
    """Also where two of them have one id: then both go by their keys."""
    texts = (
        SourceText(name, "t", f"Text {n} is long.", "text/plain") for n, name in enumerate(["B1-x", "Same", "Same"])
    )
    of_set = tuple(LabelledReview("F1", text, ()) for text in texts)
    with Project.create(tmp_path / "new.rejoinder", "P", "Ada") as other:
        for text in LabelStore(other).import_reviews(of_set, "set"):
            LabelStore(other).set_label(text.id, Span(0, 4), "polarity", ["negative"])
        keys = known(other, "reviews", "source_id")
        write = {"disapere": lambda found: write_disapere(found, {}), "peer-review-analyze": write_peer_review_analyze}
        found = {PurePosixPath(one.name).stem for one in write[format_](LabelStore(other).labelled_reviews()).files}
        found = {name.removesuffix("_annotated") for name in found}
        assert "B1-x" in found and len(found) == 3 and found - {"B1-x"} < keys
        frame = FRAMES["reviews"](other)
        assert {"B1-x", "Same"} == set(frame[frame["field"] == REVIEW_FIELD]["value"])


def test_notes_of_openreview_stay_what_they_are_called(tmp_path: Path) -> None:
    content = {"review": "Please say why. 😀", "rating": "8: Top 50%"}
    note = {"id": "rNote", "forum": "fForum", "replyto": "fForum", "signatures": ["P/AnonReviewer1"]}
    note |= {"invitation": "P/-/Official_Review", "content": content}
    with Project.create(tmp_path / "new.rejoinder", "P", "Ada") as project:
        bundle = read_openreview(json.dumps([note]), "notes.json")
        (text,) = ReviewStore(project).import_bundle(bundle, "notes.json").texts
        LabelStore(project).set_label(text.id, Span(0, 15), "polarity", ["negative"])
        assert list(files(project, "disapere")) == ["rNote.json"]
