"""The benchmark's tables: papers, reviews, rubrics and people's ratings (human work), and judges' scores (results)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.project import Action, Store, record, records
from engine.review_drafting.benchmark.records import BenchmarkPaper, BenchmarkReview, Judgement, PaperRubric, ReviewSet
from engine.review_drafting.rubrics import meta_rubrics
from engine.shown import shortened

JudgeKind = Literal["checks", "language model"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    id: str
    title: str
    papers: int
    reviews: int


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """One run of a judge over the reviews of a benchmark; ``seconds`` is its duration, ``complete`` whether it
    finished."""

    id: str
    benchmark_id: str
    judge: JudgeKind
    origin: str
    prompt_version: str
    seconds: float
    created_at: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Rating:
    """A person's score of a review on one dimension; ``score`` None means undecided."""

    review_id: str
    dimension: str
    score: int | None
    note: str
    annotator_id: str


class BenchmarkStore(Store):
    """Reads and writes benchmarks; each change is one undo step. Drafting never uses this store."""

    def benchmarks(self) -> tuple[Benchmark, ...]:
        """Returns all benchmarks in the order they were created."""
        rows = self._project.query(
            "SELECT b.id, b.title, (SELECT count(*) FROM benchmark_paper p WHERE p.benchmark_id = b.id) AS papers,"
            " (SELECT count(*) FROM benchmark_review r JOIN benchmark_paper p ON p.id = r.paper_id"
            "  WHERE p.benchmark_id = b.id) AS reviews FROM benchmark b ORDER BY b.position, b.id"
        )
        return tuple(records(Benchmark, rows))

    def read(self, benchmark_id: str) -> ReviewSet:
        """Returns papers, reviews and rubrics of a benchmark, in order."""
        papers = self._project.query(
            "SELECT coalesce(document_id, '') AS document_id, * FROM benchmark_paper WHERE benchmark_id = ?"
            " ORDER BY position, id",
            (benchmark_id,),
        )
        reviews = self._project.query(
            "SELECT r.content AS review, r.* FROM benchmark_review r JOIN benchmark_paper p ON p.id = r.paper_id"
            " WHERE p.benchmark_id = ? ORDER BY p.position, r.position, r.id",
            (benchmark_id,),
        )
        rubrics: dict[str, list[PaperRubric]] = defaultdict(list)
        for row in self._project.query(
            "SELECT r.* FROM benchmark_rubric r JOIN benchmark_paper p ON p.id = r.paper_id WHERE p.benchmark_id = ?"
            " ORDER BY r.created_at, r.id",
            (benchmark_id,),
        ):
            rubrics[row["paper_id"]].append(record(PaperRubric, row))
        return ReviewSet(
            papers=tuple(records(BenchmarkPaper, papers)),
            reviews=tuple(records(BenchmarkReview, reviews)),
            rubrics={paper: tuple(made) for paper, made in rubrics.items()},
        )

    def create(self, title: str) -> str:
        """Creates an empty benchmark; returns its key."""
        with self._project.action(f"Create benchmark “{title}”") as act:
            return act.insert("benchmark", {"title": title, "position": act.next_position("benchmark")})

    def remove(self, benchmark_id: str) -> None:
        """Removes a benchmark with its papers, reviews, rubrics and ratings in one undo step."""
        held = self.read(benchmark_id)
        title = shortened(self._project.row("benchmark", benchmark_id)["title"], 40)
        with self._project.action(f"Remove benchmark “{title}”") as act:
            for review in held.reviews:
                act.delete("rubric_rating", review_id=review.id)
            for paper in held.papers:
                act.delete("benchmark_rubric", paper_id=paper.id)
                act.delete("benchmark_review", paper_id=paper.id)
            act.delete("benchmark_paper", benchmark_id=benchmark_id)
            act.delete("benchmark", id=benchmark_id)

    def add(self, benchmark_id: str, found: ReviewSet, origin: str) -> tuple[int, int]:
        """Adds the content of a file; returns the numbers of new papers and reviews.

        A paper already exists if its key in the file, or else its title, is the same; a review that exists word for
        word isn't added again. Rubrics replace those of their dimensions.
        """
        there = self.read(benchmark_id)
        by_key = {paper.external_id: paper.id for paper in there.papers if paper.external_id}
        by_title = {_folded(paper.title): paper.id for paper in there.papers}
        known = {(review.paper_id, review.source, review.reviewer, review.review) for review in there.reviews}
        new_papers = new_reviews = 0
        place: dict[str, str] = {}
        with self._project.action("Add reviews to the benchmark") as act:
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

    def set_document(self, paper_id: str, document_id: str | None) -> None:
        """Sets which PDF of the project is this paper; None clears it."""
        with self._project.action("Choose the paper's PDF") as act:
            act.update("benchmark_paper", paper_id, {"document_id": document_id})

    def set_kept(self, reviews: Iterable[BenchmarkReview]) -> int:
        """Stores which reviews are kept, with the reason for the others; returns how many changed."""
        wanted = list(reviews)
        before = {
            row["id"]: (bool(row["kept"]), row["why_left_out"])
            for row in self._project.query("SELECT id, kept, why_left_out FROM benchmark_review")
        }
        changed = [one for one in wanted if before.get(one.id) not in (None, (one.kept, one.why_left_out))]
        if changed:
            with self._project.action("Choose reviews to keep") as act:
                for one in changed:
                    act.update("benchmark_review", one.id, {"kept": one.kept, "why_left_out": one.why_left_out})
        return len(changed)

    def put_rubrics(self, rubrics: Mapping[str, Sequence[PaperRubric]]) -> None:
        """Stores rubrics by paper, replacing those of their dimensions; calls in quick succession are one undo step."""
        with self._project.action("Make rubrics", coalesce="rubrics") as act:
            for paper_id, made in rubrics.items():
                self._put_rubrics(act, paper_id, made)

    def edit_rubric(self, paper_id: str, rubric: PaperRubric) -> None:
        """Stores a person's change of one rubric; continued typing is one undo step."""
        mark = f"rubric:{paper_id}:{rubric.dimension}"
        with self._project.action("Edit rubric", coalesce=mark) as act:
            self._put_rubrics(act, paper_id, [rubric.model_copy(update={"origin": "person"})])

    def ratings(self, benchmark_id: str, annotator_id: str | None = None) -> tuple[Rating, ...]:
        """Returns all ratings, or those of one annotator."""
        rows = self._project.query(
            "SELECT x.* FROM rubric_rating x JOIN benchmark_review r ON r.id = x.review_id"
            " JOIN benchmark_paper p ON p.id = r.paper_id WHERE p.benchmark_id = ?"
            " AND (? IS NULL OR x.annotator_id = ?) ORDER BY x.created_at, x.id",
            (benchmark_id, annotator_id, annotator_id),
        )
        return tuple(records(Rating, rows))

    def rate(self, review_id: str, dimension: str, score: int | None, note: str = "") -> None:
        """Stores the acting annotator's score of a review on a dimension; None clears it and keeps the note."""
        place = {"review_id": review_id, "dimension": dimension, "annotator_id": self._project.annotator_id}
        mark = f"rate:{review_id}:{dimension}"
        # The title doesn't say whose review it is, since someone may be scoring blind.
        paper = self._project.row("benchmark_paper", self._project.row("benchmark_review", review_id)["paper_id"])
        what = next((meta.title for meta in meta_rubrics() if meta.id == dimension), dimension)
        title = f"Score {what} of a review of “{shortened(paper['title'], 40)}”"
        with self._project.action(title, coalesce=mark) as act:
            act.keep("rubric_rating", place, {"score": score, "note": note})

    def begin_run(self, benchmark_id: str, judge: JudgeKind, origin: str, prompt_version: str = "") -> str:
        """Starts a run of a judge, whose scores are stored as they arrive; returns its key."""
        run = {"benchmark_id": benchmark_id, "judge": judge, "origin": origin, "prompt_version": prompt_version}
        with self._project.results("Judge reviews") as write:
            key = write.insert("judge_run", run | {"complete": False})
            write.touched("judge_run", {key})
        return key

    def add_scores(
        self,
        run_id: str,
        review: BenchmarkReview,
        given: Sequence[Judgement],
        rubrics: Sequence[PaperRubric],
        raw: str,
        *,
        origin: str,
    ) -> None:
        """Stores scores of a review, with the rubrics used and the model's output. ``origin`` is the run's, which says
        where a model runs only once it is loaded."""
        against = {rubric.dimension: rubric.model_dump_json() for rubric in rubrics}
        place = {"run_id": run_id, "review_id": review.id, "raw": raw}
        with self._project.results("Judge reviews") as write:
            write.insert_all(
                "judge_score", [place | one.model_dump() | {"rubric": against.get(one.dimension, "")} for one in given]
            )
            write.update("judge_run", run_id, {"origin": origin})
            write.touched("judge_run", {run_id})

    def end_run(self, run_id: str, seconds: float) -> None:
        """Marks a run as complete."""
        with self._project.results("Judge reviews") as write:
            write.update("judge_run", run_id, {"complete": True, "seconds": seconds})
            write.touched("judge_run", {run_id})

    def runs(self, benchmark_id: str) -> tuple[JudgeRun, ...]:
        """Returns runs with scores, newest first; those that were cancelled or failed aren't ``complete`` and come
        last, so that they don't take the place of a whole one."""
        rows = self._project.query(
            "SELECT * FROM judge_run r WHERE benchmark_id = ?"
            " AND (complete = 1 OR EXISTS (SELECT 1 FROM judge_score s WHERE s.run_id = r.id))"
            " ORDER BY complete DESC, created_at DESC, id DESC",
            (benchmark_id,),
        )
        return tuple(records(JudgeRun, rows))

    def judgements(self, run_id: str) -> dict[str, dict[str, Judgement]]:
        """Returns a run's scores by review and dimension."""
        found: dict[str, dict[str, Judgement]] = defaultdict(dict)
        for row in self._project.query("SELECT * FROM judge_score WHERE run_id = ?", (run_id,)):
            found[row["review_id"]][row["dimension"]] = record(Judgement, row)
        return dict(found)

    def _insert_paper(self, act: Action, benchmark_id: str, paper: BenchmarkPaper, origin: str) -> str:
        values = paper.model_dump(exclude={"id"}) | {"document_id": paper.document_id or None, "origin": origin}
        place = act.next_position("benchmark_paper", benchmark_id=benchmark_id)
        return act.insert("benchmark_paper", values | {"benchmark_id": benchmark_id, "position": place})

    def _insert_review(self, act: Action, paper_id: str, review: BenchmarkReview, origin: str) -> str:
        values = review.model_dump(exclude={"id", "review"}) | {"content": review.review.model_dump_json()}
        place = {"paper_id": paper_id, "position": act.next_position("benchmark_review", paper_id=paper_id)}
        return act.insert("benchmark_review", values | place | {"origin": origin})

    def _put_rubrics(self, act: Action, paper_id: str, rubrics: Iterable[PaperRubric]) -> None:
        for rubric in rubrics:
            values = rubric.model_dump()
            act.keep("benchmark_rubric", {"paper_id": paper_id, "dimension": values.pop("dimension")}, values)


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())
