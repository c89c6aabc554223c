"""What can be canonical, where clusters come from, and which sentence is central."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.exchange.jitsupeer import read_answers
from engine.jobs import QuietReport, Report
from engine.project import Project
from engine.rebuttal.preferences.candidates import most_central, scored, specificity, suitability
from engine.rebuttal.preferences.records import Candidate, Cluster, NewCluster, NewSentence, Sentence
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.preferences.tasks import (
    action_of,
    answer_linker,
    answers,
    clusters_from_labels,
    clusters_of,
    extract_descriptions,
    find_candidates,
    linked_answers,
    passages,
)
from engine.rebuttal.templates import starter
from engine.reviews.labels.records import LayerLabel, SentenceLabels, Suggestion
from engine.reviews.labels.store import LabelStore
from engine.reviews.records import Comment, ReviewBundle, SourceText, Span
from engine.reviews.store import ReviewStore
from tests.engine.expertise.word_embedder import WordEmbedder

GENERAL = "We agree that this part was hard to follow, and we have rewritten it."
TIED = "In Table 3, the F1 of GridNet-XL rises from 71.2 to 74.5 % (Smith et al., 2019)."


@pytest.mark.data
def test_the_default_filter_keeps_what_the_paper_chose(data_folder: Path, tmp_path: Path) -> None:
    with Project.create(tmp_path / "a.rejoinder", "A", "Ada") as project:
        (cluster,) = PreferenceStore(project).add_clusters([NewCluster("clarity", "overall", "answer")])
    for part in ("train", "dev"):
        chosen = sorted({one.rebuttal for one in read_answers(data_folder / "jitsupeer", part)})
        kept = scored(cluster, [Candidate(str(at), text) for at, text in enumerate(chosen)])
        assert sum(one.judged for one in kept) >= 0.95 * len(chosen)


def test_suitability_tells_an_answer_from_a_fragment_and_says_why() -> None:
    good = suitability(GENERAL)
    assert good.value > 0.8 and any("speaks for the authors" in words for words, _ in good.reasons)
    for poor in ("Q3: see below", "Why would one do that?", "> The paper is unclear.", "It depends."):
        assert suitability(poor).value < 0.5, poor
    reasons = suitability("Why would one do that?").reasons
    assert ("is a question", pytest.approx(-1.6)) in reasons


def test_the_starter_library_counts_as_suitable_and_general() -> None:
    plain = [template.text for template in starter() if "{" not in template.text]
    assert len(plain) >= 15
    assert np.mean([suitability(text).value >= 0.5 for text in plain]) > 0.9
    assert np.mean([specificity(text).value <= 0.5 for text in plain]) > 0.95


def test_specificity_counts_what_ties_a_sentence_to_one_paper() -> None:
    assert specificity(GENERAL).value < 0.35 < 0.8 < specificity(TIED).value
    heard = " ".join(words for words, _ in specificity(TIED).reasons)
    for part in ("4 figures", "1 citation ", "names: ", "1 place in the paper"):
        assert part in heard
    assert specificity("").value == 0


def test_a_person_goes_before_the_scores_and_thresholds_move() -> None:
    cluster = Cluster("c", "clarity", "overall", "task_done")
    candidates = [Candidate("1", GENERAL), Candidate("2", TIED), Candidate("3", TIED, decision="in")]
    found = scored(cluster, candidates)
    assert [entry.judged for entry in found] == [True, False, True]
    assert [entry.decided for entry in found] == [False, False, True]
    strict = Cluster("c", "clarity", "overall", "task_done", suitable_from=0.99)
    assert [entry.judged for entry in scored(strict, candidates)] == [False, False, True]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("We have added the missing reference.", "task_done"),
        ("We will add it to the next version.", "task_will_be_done"),
        ("We leave this for future work.", "future_work"),
        ("Thank you for the careful reading.", "thanks"),
        ("We respectfully disagree.", "reject_criticism"),
        ("We agree that this was unclear.", "concede_criticism"),
        ("This is beyond the scope of one paper.", "reject_request"),
        ("Seven.", None),
    ],
)
def test_rules_of_actions(text: str, action: str | None) -> None:
    assert action_of(text) == action


REVIEW = "The setup is unclear. The figures are hard to read. Nice title."
LETTER = "> The setup is unclear.\n\nWe agree. We have rewritten it."


def comments() -> list[Comment]:
    response = "We agree. We have rewritten it."
    start = LETTER.index("We agree")
    return [
        Comment(
            "k", "letter", "R1", "The setup is unclear.", response=response, spans=(Span(2, 23),),
            response_spans=(Span(start, start + len(response)),),
        ),
        Comment("l", "letter", "R1", "Something else.", response="We thank you."),
    ]  # fmt: skip


def test_answers_are_found_by_place_or_by_words() -> None:
    for sentence in (
        NewSentence("The setup is unclear.", "review", 0, 21),
        NewSentence("whatever it says", "letter", 5, 12),
    ):
        found = linked_answers([sentence], comments())
        assert [answer.text for answer in found] == ["We agree.", "We have rewritten it."]
        assert all(LETTER[a.start : a.end] == a.text for a in found)
    assert linked_answers([NewSentence("The figures are hard to read.")], comments()) == ()
    assert [a.start for a in answers(Comment("m", "x", "R", "c", response="One. Two."))] == [None, None]


def test_of_a_comment_of_several_sentences_only_what_answers_the_clusters_own_is_taken() -> None:
    comment = Comment(
        "m", "x", "R1", "The setup of the market is unclear. Why was no baseline with fixed counters reported?",
        response="We have rewritten the setup of the market.\n\nA baseline with fixed counters is reported now.",
    )  # fmt: skip
    link = answer_linker(WordEmbedder, QuietReport())
    for asked, said in (
        ("The setup of the market is unclear.", "We have rewritten the setup of the market."),
        ("Why was no baseline with fixed counters reported?", "A baseline with fixed counters is reported now."),
    ):
        assert [a.text for a in linked_answers([NewSentence(asked)], [comment], link)] == [said]
        assert len(linked_answers([NewSentence(asked)], [comment])) == 2, "without a linker the whole response counts"
    whole = NewSentence(comment.comment)
    assert len(linked_answers([whole], [comment], link)) == 2
    assert [p.suffix for p in passages(comment.response)] == ["\n\n", " "]


def labels(
    start: int, end: int, aspect: str, polarity: str = "negative", themes: tuple[str, ...] = ()
) -> SentenceLabels:
    return SentenceLabels("review", Span(start, end), polarity=polarity, aspect=aspect, themes=themes)


def test_labelled_sentences_become_clusters_by_root_theme_and_action() -> None:
    labelled = [
        (REVIEW[0:21], labels(0, 21, "clarity", themes=("methodology",))),
        (REVIEW[22:51], labels(22, 51, "clarity", themes=("methodology",))),
        (REVIEW[52:], labels(52, len(REVIEW), "clarity", "positive")),
    ]
    (only,) = clusters_of(labelled, comments())
    assert (only.root, only.theme, only.action) == ("clarity", "methodology", "answer") and only.candidates == ()
    assert [s.text for s in only.sentences] == ["The setup is unclear.", "The figures are hard to read."]
    many = [
        *comments(),
        *(Comment(f"k{n}", "l2", "R2", "The setup is unclear.", response=f"We have fixed part {n}.") for n in range(3)),
    ]
    (made,) = clusters_of(labelled, many)
    assert made.action == "task_done" and len(made.candidates) == 4
    assert clusters_of(labelled[:1], comments()) == ()


def test_the_central_sentence_has_the_highest_mean_cosine_to_the_others() -> None:
    sentences = [Sentence(str(n), f"text {n}") for n in range(3)]
    vectors = np.array([[1, 0], [np.sqrt(0.5), np.sqrt(0.5)], [0, 1]], dtype=np.float32)
    found = most_central(sentences, vectors, "model:x@1")
    assert found is not None and found.sentence_id == "1" and found.mean_cosine == pytest.approx(np.sqrt(0.5), abs=1e-6)
    alone = most_central(sentences[:1], vectors[:1], "model:x@1")
    assert alone is not None and alone.mean_cosine == 0
    assert most_central([], vectors[:0], "model:x@1") is None


class LengthEncoder:
    """Vectors that depend on the number of words alone."""

    fingerprint = "length"

    def encode(self, texts: Sequence[str], report: Report | None = None) -> np.ndarray:
        angles = np.array([len(text.split()) / 10 for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_jobs_on_a_project(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.rejoinder", "P", "Ada") as project:
        reviews = ReviewStore(project)
        bundle = ReviewBundle(
            (SourceText("review", "R1", REVIEW), SourceText("letter", "L", LETTER)), tuple(comments())
        )
        keys = [text.id for text in reviews.import_bundle(bundle, "r.md").texts]
        store = PreferenceStore(project)
        offered = [
            Suggestion(keys[0], Span(*place), LayerLabel(layer, (label,), (0.9,), "model:x@1"))  # type: ignore[arg-type]
            for place in ((0, 21), (22, 51))
            for layer, label in (("aspect", "clarity"), ("polarity", "negative"))
        ]
        LabelStore(project).save_suggestions(keys[0], offered)
        task = clusters_from_labels(project)
        assert task.run(QuietReport()) == 1 and task.run(QuietReport()) == 0
        (cluster,) = store.clusters()
        assert (cluster.root, cluster.theme) == ("clarity", "overall")
        finding = find_candidates(project, cluster.id)
        assert [finding.run(QuietReport()) for _ in range(2)] == [2, 0]
        job = extract_descriptions(project, (cluster.id,), encoder=LengthEncoder)
        assert job.run(QuietReport()) == 1
        extract = store.extract(cluster.id)
        assert extract is not None and extract.sentences == 2 and extract.origin == "model:encoder@length"
        (empty,) = store.add_clusters([NewCluster("a", "b", "c")])
        again = extract_descriptions(project, (empty.id,), encoder=LengthEncoder)
        assert again.run(QuietReport()) == 0
