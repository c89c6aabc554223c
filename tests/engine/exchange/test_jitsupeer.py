"""JitsuPeer's files: read what the release looks like, and what is written comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.exchange import jitsupeer as j
from engine.rebuttal.canonical.records import (
    AnsweredReview,
    CanonicalCollection,
    CanonicalRebuttal,
    Cluster,
    DescribedReview,
    ScoredCandidate,
)
from engine.rebuttal.records import ACTS
from tests.engine.rebuttal import jitsupeer_files as released

texts = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=40).map(str.strip)
words = texts.filter(lambda text: bool(text) and "[SEP]" not in text and not text.endswith("'"))
actions = st.sampled_from([act.id for act in ACTS])


def test_scoring_is_tab_separated_whatever_its_name_says(tmp_path: Path) -> None:
    (tmp_path / "scoring_train.csv").write_text(
        "descs\tscores\n"
        "Unclear, but fine [SEP] rebuttal_by-cr [SEP] We will do it, soon.\t0.25\n"
        '"Quoted ""words"" [SEP] rebuttal_done [SEP] Done."\t1.0\n'
    )
    first, second = j.read_scoring(tmp_path, "train")
    assert first == ScoredCandidate("Unclear, but fine", "task_will_be_done", "We will do it, soon.", 0.25)
    assert second.description == 'Quoted "words"' and second.action == "task_done" and second.score == 1


def test_stray_quotes_of_the_answers_belong_to_neither_part(tmp_path: Path) -> None:
    (tmp_path / "canonical_rebuttals_dev.csv").write_text(
        "reviews\tcanonical_rebuttals\n"
        "why no baseline?' [SEP] 'rebuttal_answer\tPlease see Section 2.\n"
        "\"It's small, they say' [SEP] 'rebuttal_social\"\tThank you.\n"
        "nothing here' [SEP] 'rebuttal_other\tNo rebuttal\n"
    )
    assert j.read_answers(tmp_path, "dev") == (
        AnsweredReview("why no baseline?", "answer", "Please see Section 2."),
        AnsweredReview("It's small, they say", "thanks", "Thank you."),
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("descs,scores\na,1\n", "no column"),
        ("descs\tscores\nonly a description\t1.0\n", "line 2 isn't"),
        ("descs\tscores\na [SEP] b [SEP] c\thigh\n", "“high”"),
        ("descs\tscores\na [SEP] b [SEP] c\n", "1 cells"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "scoring_dev.csv").write_text(content)
    with pytest.raises(BadInput, match=said):
        j.read_scoring(tmp_path, "dev")


@given(st.lists(st.tuples(words, actions, words, st.floats(0, 1))), st.lists(st.tuples(words, words)))
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    scored: list[tuple[str, str, str, float]],
    described: list[tuple[str, str]],
) -> None:
    folder = tmp_path_factory.mktemp("jitsupeer")
    candidates = tuple(ScoredCandidate(*row) for row in scored)
    reviews = tuple(DescribedReview(*row) for row in described)
    answers = tuple(AnsweredReview(row[0], row[1], row[2]) for row in scored)
    (folder / "scoring_train.csv").write_text(released.write_scoring(candidates), encoding="utf-8", newline="")
    (folder / "descriptions_train.csv").write_text(released.write_descriptions(reviews), encoding="utf-8", newline="")
    (folder / "canonical_rebuttals_train.csv").write_text(released.write_answers(answers), encoding="utf-8", newline="")
    assert j.read_scoring(folder, "train") == candidates
    assert j.read_descriptions(folder, "train") == reviews
    assert j.read_answers(folder, "train") == answers


COLLECTION = CanonicalCollection(
    clusters=(
        Cluster("other", "DAT-own", ("Odd fit.",)),
        Cluster(
            "clarity", "methodology", ("Hard to read.", "What is k?"), ("It is 3.",), ("answer",), "Hard to follow"
        ),
    ),
    canonical=(CanonicalRebuttal("clarity", "methodology", "answer", "It stands in Section 2."),),
    scored=(
        CanonicalRebuttal("clarity", "methodology", "answer", "It stands in Section 2.", 0.125),
        CanonicalRebuttal("clarity", "methodology", "task_done", "We rewrote it.", 1.0),
    ),
)


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_a_collection_comes_back_whole(tmp_path: Path) -> None:
    files = j.write_collection(COLLECTION)
    assert {name.split("/")[0] for name in files} == {"Arg_other", "Asp_clarity", j.TABLES}
    assert j.is_collection(written(tmp_path, files))
    assert j.read_collection(tmp_path) == COLLECTION


def test_actions_as_folders_and_tables_by_other_endings(tmp_path: Path) -> None:
    files = j.write_collection(COLLECTION)
    files["Asp_clarity/actions/rebuttal_done/MET.txt"] = "We rewrote it.\nWe added a sketch.\n"
    del files["Asp_clarity/actions/MET.txt"]
    files[f"{j.TABLES}/all_cluster_descs.txt"] = files.pop(f"{j.TABLES}/all_cluster_descs.tsv")
    found = j.read_collection(written(tmp_path, files)).clusters[1]
    assert found.rebuttals == ("We rewrote it.", "We added a sketch.")
    assert found.actions == ("task_done", "task_done") and found.description == "Hard to follow"


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="for each aspect"):
        j.read_collection(tmp_path)
    files = j.write_collection(COLLECTION)
    files["Asp_clarity/actions/MET.txt"] = "rebuttal_done\nrebuttal_done\n"
    del files[f"{j.TABLES}/all_canonical_rebuttals_scores.tsv"]
    found = j.read_collection(written(tmp_path, files))
    assert found.scored == () and found.clusters[1].actions == ()
    assert len(found.warnings) == 2


@pytest.mark.data
def test_the_release_is_read_whole(data_folder: Path) -> None:
    folder = data_folder / "jitsupeer"
    known = {act.id for act in ACTS}
    scoring = j.read_scoring(folder, "train") + j.read_scoring(folder, "dev")
    answers = j.read_answers(folder, "train") + j.read_answers(folder, "dev")
    assert {c.action for c in scoring} | {a.action for a in answers} <= known
    assert all(0 <= c.score <= 1 and c.text and c.description for c in scoring)
    assert not any("[SEP]" in a.review for a in answers)
    assert len(scoring) == 5335 and len(answers) == 12209 and len(j.read_descriptions(folder, "dev")) == 187
