"""What is left to do in a project. Imports the stores of all domains, for which Home has a thread."""

from dataclasses import dataclass

from desktop_app.panes import PANES
from engine.agreement.store import PREFERENCES, AgreementStore
from engine.calibration.store import CalibrationStore
from engine.expertise.store import SurveyStore
from engine.papers.store import REVISED, SUBMITTED, PaperStore
from engine.project import Project
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.slots import answered_cell
from engine.rebuttal.store import RebuttalStore
from engine.review_drafting.benchmark.store import BenchmarkStore
from engine.review_drafting.forms import form_of
from engine.review_drafting.store import ReviewDraftStore
from engine.reviews.store import ReviewStore
from engine.revision.store import RevisionStore
from engine.shown import counted, shortened


@dataclass(frozen=True, slots=True)
class Left:
    """An item of the to-do list: its text, how many things are left (0: done), and the pane to do them in."""

    words: str
    count: int
    pane: str
    pane_title: str


def left_to_do(project: Project) -> tuple[Left, ...]:
    lines = (
        *_survey(project), *_calibration(project), *_preferences(project), *_rebuttal(project), *_reviews(project),
        *_benchmark(project),
    )  # fmt: skip
    linking = _linking(project)
    return (*linking, *lines) if any(left.count == 0 for left in linking) else lines


def _linking(project: Project) -> list[Left]:
    store, reviews, me = RevisionStore(project), ReviewStore(project), (project.annotator_id,)
    comments = reviews.comments(actionable=True, seen_by=me)  # comments that others marked are theirs to decide on
    known = {(one.source_document_id, one.target_document_id): one for one in store.revisions()}
    store_of_papers = PaperStore(project)
    papers = store_of_papers.papers()
    versions = {
        paper.id: {one.label: one.document_id for one in store_of_papers.versions(paper.id)} for paper in papers
    }
    pairs = {key: (of.get(SUBMITTED, ""), of.get(REVISED, "")) for key, of in versions.items()}
    compared = sum(pair in known for pair in pairs.values())
    missing = sum(all(pair) and pair not in known for pair in pairs.values())
    several, finished = len(papers) > 1, AgreementStore(project).own_done()
    first = "Compare the two versions" if missing else "Import and compare two versions"
    done, todo = (counted(number, "paper") if several and number else "the paper" for number in (compared, missing))
    lines = [
        _left(missing or not compared, f"Two versions of {done} compared", f"{first} of {todo}"),
        _left(0 if comments else 1, counted(len(comments), "comment") + " imported", "Import the reviews"),
    ]
    for paper in papers:
        revision = known.get(pairs[paper.id])
        if revision is None:
            continue
        title = f"“{shortened(paper.title, 40)}”: " * several
        own = reviews.comments(paper_id=store.texts_of(revision.id), actionable=True, seen_by=me)
        progress = store.progress(revision.id, [comment.id for comment in own])
        decided = counted(progress.decided, "comment decided", "comments decided")
        todo = counted(progress.undecided, "comment to decide", "comments to decide")
        if paper.id in finished:  # who adjudicates is done without deciding
            decided = f"{title or 'Linking: '}marked as done, {progress.decided} of {len(own)} decided"
            lines.append(_left(0, decided, ""))
        elif own:
            lines.append(_left(progress.undecided, title + decided, f"{title}{todo}, {progress.decided} decided"))
        if progress.needs_attention:
            broken = counted(progress.needs_attention, "link needs", "links need")
            lines.append(_left(progress.needs_attention, "", f"{title}{broken} attention: edit no longer found"))
    return lines


def _survey(project: Project) -> list[Left]:
    store = SurveyStore(project)
    lines = []
    for study in store.studies("organiser"):
        people = len(store.participants(study.id))
        done = f"“{shortened(study.title, 60)}”: answers of {counted(people, 'participant')} merged"
        todo = f"Send “{shortened(study.title, 60)}” to participants and merge their answers"
        lines.append(_left(0 if people else 1, done, todo, "survey"))
    return lines


def _calibration(project: Project) -> list[Left]:
    lines = []
    for table in CalibrationStore(project).tables():
        title = f"“{shortened(table.title, 60)}”"
        done = f"{title}: a cut-off after {counted(table.cutoff or 0, 'item')}"
        lines.append(_left(1 if table.cutoff is None else 0, done, f"{title}: choose a cut-off", "calibration"))
    return lines


def _reviews(project: Project) -> list[Left]:
    store = ReviewDraftStore(project)
    lines = []
    for draft in store.drafts():
        form, written = form_of(draft.form, draft.form_content), store.fields(draft.id)
        empty = sum(field.required and not written.get(field.key, "").strip() for field in form.fields)
        title = f"“{shortened(draft.title, 60)}”"
        todo = f"{title}: {counted(empty, 'field is', 'fields are')} empty"
        lines.append(_left(empty, f"{title}: every required field has text", todo, "review"))
    return lines


def _preferences(project: Project) -> list[Left]:
    standings = {key: one for key, one in PreferenceStore(project).standings().items() if one.candidates > 1}
    finished = AgreementStore(project).own_done(PREFERENCES)
    new = sum(one.own == 0 and key not in finished for key, one in standings.items())
    if not standings:
        return []
    done = counted(len(standings), "cluster of rebuttals judged", "clusters of rebuttals judged")
    return [_left(new, done, counted(new, "cluster") + " of rebuttals to judge", "preferences")]


def _rebuttal(project: Project) -> list[Left]:
    points = {key: point for key, point in RebuttalStore(project).replies().items() if point.text.strip()}
    if not points:
        return []
    replies = {key for key, point in points.items() if answered_cell(point) == "good"}
    comments = ReviewStore(project).comments(actionable=True, seen_by=(project.annotator_id,))
    without = sum(comment.id not in replies for comment in comments)
    answered = counted(len(comments) - without, "comment") + " answered in the rebuttal"
    return [_left(without, answered, counted(without, "comment") + " without a finished response", "rebuttal")]


def _benchmark(project: Project) -> list[Left]:
    store = BenchmarkStore(project)
    lines = []
    for benchmark in store.benchmarks():
        scored = {rating.review_id for rating in store.ratings(benchmark.id, project.annotator_id)}
        open_ = sum(review.kept and review.id not in scored for review in store.read(benchmark.id).reviews)
        if scored:
            done = f"All reviews of “{benchmark.title}” scored"
            lines.append(_left(open_, done, counted(open_, "review") + " to score", "benchmark"))
    return lines


def _left(count: int, done: str, todo: str, pane: str = "linking") -> Left:
    return Left(todo if count else done, count, pane, next(spec.title for spec in PANES if spec.id == pane))
