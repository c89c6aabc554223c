# ruff: noqa: S608 (only table names of this module are put into statements; values are always bound)
"""The benchmark's tables: papers, reviews, rubrics and ratings by hand (human work), and what judges gave (results)."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.project import Action, Project, new_id, now
from engine.review_drafting.benchmark.records import (
    BenchmarkPaper,
    BenchmarkReview,
    Judgement,
    KeyPoint,
    PaperRubric,
    ReviewSet,
)
from engine.review_drafting.records import Review

JudgeKind = Literal["checks", "language model"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Reviews of several sources on the same papers."""

    id: str
    title: str
    papers: int
    reviews: int


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """One judge over the reviews of a benchmark; ``seconds`` is what it took."""

    id: str
    benchmark_id: str
    judge: JudgeKind
    origin: str
    prompt_version: str
    seconds: float
    created_at: str


@dataclass(frozen=True, slots=True)
class Rating:
    """A person's score of a review on one dimension; ``score`` None: not decided."""

    review_id: str
    dimension: str
    score: int | None
    note: str
    annotator_id: str


class BenchmarkStore:
    """Readers and verbs; each verb is one undo step. Drafting never asks this store."""

    def __init__(self, project: Project) -> None:
        self._project = project

    # --- benchmarks, papers, reviews --------------------------------------------------------------------------------
    def benchmarks(self) -> tuple[Benchmark, ...]:
        """All, in the order in which they were made."""
        rows = self._project.query(
            "SELECT b.id, b.title, (SELECT count(*) FROM benchmark_paper p WHERE p.benchmark_id = b.id) AS papers,"
            " (SELECT count(*) FROM benchmark_review r JOIN benchmark_paper p ON p.id = r.paper_id"
            "  WHERE p.benchmark_id = b.id) AS reviews FROM benchmark b ORDER BY b.position, b.id"
        )
        return tuple(Benchmark(row["id"], row["title"], row["papers"], row["reviews"]) for row in rows)

    def read(self, benchmark_id: str) -> ReviewSet:
        """Papers, reviews and rubrics of a benchmark, in order."""
        papers = self._project.query(
            "SELECT * FROM benchmark_paper WHERE benchmark_id = ? ORDER BY position, id", (benchmark_id,)
        )
        reviews = self._project.query(
            "SELECT r.* FROM benchmark_review r JOIN benchmark_paper p ON p.id = r.paper_id WHERE p.benchmark_id = ?"
            " ORDER BY p.position, r.position, r.id",
            (benchmark_id,),
        )
        rubrics: dict[str, list[PaperRubric]] = defaultdict(list)
        for row in self._project.query(
            "SELECT r.* FROM benchmark_rubric r JOIN benchmark_paper p ON p.id = r.paper_id WHERE p.benchmark_id = ?"
            " ORDER BY r.created_at, r.id",
            (benchmark_id,),
        ):
            rubrics[row["paper_id"]].append(_rubric(row))
        return ReviewSet(
            papers=tuple(map(_paper, papers)),
            reviews=tuple(map(_review, reviews)),
            rubrics={paper: tuple(made) for paper, made in rubrics.items()},
        )

    def create(self, title: str, *, initiator: object | None = None) -> str:
        """Makes an empty benchmark; its key."""
        key, moment = new_id(), now()
        with self._project.action(f"Begin benchmark “{title}”", initiator=initiator) as act:
            act.execute(
                "INSERT INTO benchmark(id, title, position, annotator_id, created_at, updated_at)"
                " VALUES (?, ?, (SELECT coalesce(max(position), 0) + 1 FROM benchmark), ?, ?, ?)",
                (key, title, self._project.annotator_id, moment, moment),
            )
        return key

    def rename(self, benchmark_id: str, title: str, *, initiator: object | None = None) -> None:
        """Gives a benchmark another title."""
        with self._project.action("Rename benchmark", coalesce=f"bench:{benchmark_id}", initiator=initiator) as act:
            act.execute("UPDATE benchmark SET title = ?, updated_at = ? WHERE id = ?", (title, now(), benchmark_id))

    def remove(self, benchmark_id: str, *, initiator: object | None = None) -> None:
        """Takes a benchmark out with its papers, reviews, rubrics and ratings; one undo brings all back."""
        inside = "(SELECT id FROM benchmark_paper WHERE benchmark_id = ?)"
        with self._project.action("Remove benchmark", initiator=initiator) as act:
            act.execute(
                "DELETE FROM rubric_rating WHERE review_id IN"
                f" (SELECT id FROM benchmark_review WHERE paper_id IN {inside})",
                (benchmark_id,),
            )
            for table in ("benchmark_rubric", "benchmark_review"):
                act.execute(f"DELETE FROM {table} WHERE paper_id IN {inside}", (benchmark_id,))
            act.execute("DELETE FROM benchmark_paper WHERE benchmark_id = ?", (benchmark_id,))
            act.execute("DELETE FROM benchmark WHERE id = ?", (benchmark_id,))

    def add(
        self, benchmark_id: str, found: ReviewSet, origin: str, *, initiator: object | None = None
    ) -> tuple[int, int]:
        """Adds what a file holds: how many papers are new, and how many reviews.

        A paper is the one that is there if its key in the file, or else its title, is the same; a review that is there
        word for word is not added again. Rubrics replace those of their dimensions.
        """
        there = self.read(benchmark_id)
        by_key = {paper.external_id: paper.id for paper in there.papers if paper.external_id}
        by_title = {_folded(paper.title): paper.id for paper in there.papers}
        known = {(review.paper_id, review.source, review.reviewer, review.review) for review in there.reviews}
        new_papers = new_reviews = 0
        place: dict[str, str] = {}
        with self._project.action("Add reviews to the benchmark", initiator=initiator) as act:
            for paper in found.papers:
                home = by_key.get(paper.external_id) or by_title.get(_folded(paper.title))
                if home is None:
                    home = self._insert_paper(act, benchmark_id, paper, origin)
                    by_title[_folded(paper.title)] = home
                    new_papers += 1
                place[paper.id] = home
            for review in found.reviews:
                home = place[review.paper_id]
                mark = (home, review.source, review.reviewer, review.review)
                if mark not in known:
                    known.add(mark)
                    self._insert_review(act, home, review, origin)
                    new_reviews += 1
            for key, rubrics in found.rubrics.items():
                self._put_rubrics(act, place[key], rubrics)
        return new_papers, new_reviews

    def add_review(
        self, paper_id: str, source: str, review: Review, *, origin: str, initiator: object | None = None
    ) -> str:
        """Adds one review of a source to a paper; its key."""
        made = BenchmarkReview(id="", paper_id=paper_id, source=source, review=review)
        with self._project.action(f"Add a review by {source}", initiator=initiator) as act:
            return self._insert_review(act, paper_id, made, origin)

    def set_document(self, paper_id: str, document_id: str | None, *, initiator: object | None = None) -> None:
        """Says which PDF of the project is this paper; None takes it back."""
        with self._project.action("Choose the paper's PDF", initiator=initiator) as act:
            act.execute(
                "UPDATE benchmark_paper SET document_id = ?, updated_at = ? WHERE id = ?",
                (document_id, now(), paper_id),
            )

    def set_kept(self, reviews: Iterable[BenchmarkReview], *, initiator: object | None = None) -> int:
        """Writes which reviews stay, with the reason where they do not; returns how many that changes."""
        wanted = list(reviews)
        before = {
            row["id"]: (bool(row["kept"]), row["why_left_out"])
            for row in self._project.query("SELECT id, kept, why_left_out FROM benchmark_review")
        }
        changed = [one for one in wanted if before.get(one.id) not in (None, (one.kept, one.why_left_out))]
        if changed:
            with self._project.action("Choose which reviews stay", initiator=initiator) as act:
                for one in changed:
                    act.execute(
                        "UPDATE benchmark_review SET kept = ?, why_left_out = ?, updated_at = ? WHERE id = ?",
                        (int(one.kept), one.why_left_out, now(), one.id),
                    )
        return len(changed)

    def remove_review(self, review_id: str, *, initiator: object | None = None) -> None:
        """Takes a review out, with what people gave it."""
        with self._project.action("Remove review from the benchmark", initiator=initiator) as act:
            act.execute("DELETE FROM rubric_rating WHERE review_id = ?", (review_id,))
            act.execute("DELETE FROM benchmark_review WHERE id = ?", (review_id,))

    # --- rubrics ----------------------------------------------------------------------------------------------------
    def put_rubrics(self, rubrics: Mapping[str, Sequence[PaperRubric]], *, initiator: object | None = None) -> None:
        """Writes rubrics by paper; each replaces that of its dimension."""
        with self._project.action("Make rubrics", initiator=initiator) as act:
            for paper_id, made in rubrics.items():
                self._put_rubrics(act, paper_id, made)

    def edit_rubric(self, paper_id: str, rubric: PaperRubric, *, initiator: object | None = None) -> None:
        """A person's change of one rubric; typing on is one undo step."""
        mark = f"rubric:{paper_id}:{rubric.dimension}"
        with self._project.action("Edit rubric", coalesce=mark, initiator=initiator) as act:
            self._put_rubrics(act, paper_id, [rubric.model_copy(update={"origin": "person"})])

    # --- ratings by hand --------------------------------------------------------------------------------------------
    def ratings(self, benchmark_id: str, annotator_id: str | None = None) -> tuple[Rating, ...]:
        """What people gave, or one of them."""
        rows = self._project.query(
            "SELECT x.* FROM rubric_rating x JOIN benchmark_review r ON r.id = x.review_id"
            " JOIN benchmark_paper p ON p.id = r.paper_id WHERE p.benchmark_id = ?"
            " AND (? IS NULL OR x.annotator_id = ?) ORDER BY x.created_at, x.id",
            (benchmark_id, annotator_id, annotator_id),
        )
        return tuple(
            Rating(row["review_id"], row["dimension"], row["score"], row["note"], row["annotator_id"]) for row in rows
        )

    def rate(
        self, review_id: str, dimension: str, score: int | None, note: str = "", *, initiator: object | None = None
    ) -> None:
        """The acting person's score of a review on a dimension; None takes it back and keeps the note."""
        key, moment, me = new_id(), now(), self._project.annotator_id
        with self._project.action(
            "Score a review", coalesce=f"rate:{review_id}:{dimension}", initiator=initiator
        ) as act:
            there = self._project.query_one(
                "SELECT id FROM rubric_rating WHERE review_id = ? AND dimension = ? AND annotator_id = ?",
                (review_id, dimension, me),
            )
            if there is None:
                act.execute(
                    "INSERT INTO rubric_rating(id, review_id, dimension, score, note, annotator_id, created_at,"
                    " updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (key, review_id, dimension, score, note, me, moment, moment),
                )
            else:
                act.execute(
                    "UPDATE rubric_rating SET score = ?, note = ?, updated_at = ? WHERE id = ?",
                    (score, note, moment, there["id"]),
                )

    # --- judges -----------------------------------------------------------------------------------------------------
    def save_run(
        self,
        benchmark_id: str,
        judge: JudgeKind,
        origin: str,
        judgements: Mapping[str, Sequence[Judgement]],
        rubrics: Mapping[str, Sequence[PaperRubric]],
        *,
        raw: Mapping[str, str] | None = None,
        prompt_version: str = "",
        seconds: float = 0.0,
    ) -> str:
        """Keeps a judge's scores by review, with the rubrics (by review) as they were judged against; the run's key."""
        key, moment = new_id(), now()
        with self._project.results("Judge reviews") as write:
            write.touched("judge_run", {key})
            write.execute(
                "INSERT INTO judge_run(id, benchmark_id, judge, origin, prompt_version, complete, seconds, created_at,"
                " updated_at) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?)",
                (key, benchmark_id, judge, origin, prompt_version, seconds, moment, moment),
            )
            for review_id, given in judgements.items():
                against = {rubric.dimension: rubric for rubric in rubrics.get(review_id, ())}
                for one in given:
                    rubric = against.get(one.dimension)
                    write.execute(
                        "INSERT INTO judge_score(run_id, review_id, dimension, score, rationale, rubric, raw)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (
                            key, review_id, one.dimension, one.score, one.rationale,
                            rubric.model_dump_json() if rubric else "", (raw or {}).get(review_id, ""),
                        ),
                    )  # fmt: skip
        return key

    def runs(self, benchmark_id: str) -> tuple[JudgeRun, ...]:
        """Finished runs, the newest first."""
        rows = self._project.query(
            "SELECT * FROM judge_run WHERE benchmark_id = ? AND complete = 1 ORDER BY created_at DESC, id DESC",
            (benchmark_id,),
        )
        return tuple(
            JudgeRun(
                row["id"], row["benchmark_id"], row["judge"], row["origin"], row["prompt_version"], row["seconds"],
                row["created_at"],
            )
            for row in rows
        )  # fmt: skip

    def judgements(self, run_id: str) -> dict[str, dict[str, Judgement]]:
        """A run's scores by review and dimension."""
        found: dict[str, dict[str, Judgement]] = defaultdict(dict)
        for row in self._project.query("SELECT * FROM judge_score WHERE run_id = ?", (run_id,)):
            found[row["review_id"]][row["dimension"]] = Judgement(
                dimension=row["dimension"], score=row["score"], rationale=row["rationale"]
            )
        return dict(found)

    # --- rows -------------------------------------------------------------------------------------------------------
    def _insert_paper(self, act: Action, benchmark_id: str, paper: BenchmarkPaper, origin: str) -> str:
        key, moment = new_id(), now()
        act.execute(
            "INSERT INTO benchmark_paper(id, benchmark_id, external_id, title, text, document_id, decision, fields,"
            " position, origin, annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM benchmark_paper WHERE benchmark_id = ?), ?, ?, ?, ?)",
            (
                key, benchmark_id, paper.external_id, paper.title, paper.text, paper.document_id or None,
                paper.decision, json.dumps(paper.fields), benchmark_id, origin, self._project.annotator_id, moment,
                moment,
            ),
        )  # fmt: skip
        return key

    def _insert_review(self, act: Action, paper_id: str, review: BenchmarkReview, origin: str) -> str:
        key, moment = new_id(), now()
        act.execute(
            "INSERT INTO benchmark_review(id, paper_id, source, reviewer, role, content, kept, why_left_out, position,"
            " origin, annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
            " (SELECT coalesce(max(position), 0) + 1 FROM benchmark_review WHERE paper_id = ?), ?, ?, ?, ?)",
            (
                key, paper_id, review.source, review.reviewer, review.role, review.review.model_dump_json(),
                int(review.kept), review.why_left_out, paper_id, origin, self._project.annotator_id, moment, moment,
            ),
        )  # fmt: skip
        return key

    def _put_rubrics(self, act: Action, paper_id: str, rubrics: Iterable[PaperRubric]) -> None:
        for rubric in rubrics:
            moment = now()
            points = json.dumps([point.model_dump() for point in rubric.key_points], ensure_ascii=False)
            there = self._project.query_one(
                "SELECT * FROM benchmark_rubric WHERE paper_id = ? AND dimension = ?", (paper_id, rubric.dimension)
            )
            if there is None:
                act.execute(
                    "INSERT INTO benchmark_rubric(id, paper_id, dimension, description, key_points, origin,"
                    " annotator_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        new_id(), paper_id, rubric.dimension, rubric.description, points, rubric.origin,
                        self._project.annotator_id, moment, moment,
                    ),
                )  # fmt: skip
            elif _rubric(there) != rubric:
                act.execute(
                    "UPDATE benchmark_rubric SET description = ?, key_points = ?, origin = ?, updated_at = ?"
                    " WHERE id = ?",
                    (rubric.description, points, rubric.origin, moment, there["id"]),
                )


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _paper(row: sqlite3.Row) -> BenchmarkPaper:
    return BenchmarkPaper(
        id=row["id"],
        external_id=row["external_id"],
        title=row["title"],
        text=row["text"],
        document_id=row["document_id"] or "",
        decision=row["decision"],
        fields=tuple((name, value) for name, value in json.loads(row["fields"])),
    )


def _review(row: sqlite3.Row) -> BenchmarkReview:
    return BenchmarkReview(
        id=row["id"],
        paper_id=row["paper_id"],
        source=row["source"],
        reviewer=row["reviewer"],
        role=row["role"],
        review=Review.model_validate_json(row["content"]),
        kept=bool(row["kept"]),
        why_left_out=row["why_left_out"],
    )


def _rubric(row: sqlite3.Row) -> PaperRubric:
    return PaperRubric(
        dimension=row["dimension"],
        description=row["description"],
        key_points=tuple(KeyPoint.model_validate(point) for point in json.loads(row["key_points"])),
        origin=row["origin"],
    )
