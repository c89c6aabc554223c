"""Renders every pane in light and dark, at 1280x800 and 1920x1200, empty and full, into screenshots/.

``full`` is the sample project where it was made, otherwise a project with a few acts. Call: make screenshots. With
``--guide`` the pictures of the user guide are made again instead, from the sample project.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QRect
from sample_paper.survey import half_answer

from desktop_app.headless import picture, settle
from desktop_app.panes import PANES
from desktop_app.panes.agreement.pane import AgreementPane
from desktop_app.panes.expertise.pane import ExpertisePane
from desktop_app.panes.rebuttal.pane import RebuttalPane
from desktop_app.panes.review.choices import PAGES
from desktop_app.panes.review.pane import ReviewPane
from desktop_app.panes.survey.pane import RESULTS, SurveyPane
from desktop_app.panes.survey.participant import ParticipantPane
from desktop_app.panes.survey.state import RATINGS, STEPS
from desktop_app.project_control import SAMPLES, shipped_sample
from desktop_app.settings import Settings, WindowState
from desktop_app.theme import Scheme, theme
from desktop_app.window import MainWindow, application
from engine.agreement.records import Subject

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
GUIDE = FOLDER.parent / "docs" / "guide" / "images"
GUIDE_HEIGHTS = {
    "home": 480,
    "linking": 600,
    "labels": 800,
    "agreement": 700,
    "analysis": 800,
    "calibration": 800,
    "preferences": 800,
    "rebuttal": 800,
    "survey": 800,
    "expertise": 800,
    "benchmark": 800,
    "review": 610,
}
"""The panes in the guide, and the height of their pictures in pixels from the top."""
GUIDE_BYTES = 300_000
"""Greatest size of a picture in the guide, in bytes."""
SIZES = ((1280, 800), (1920, 1200))
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def render(window: MainWindow, state: str) -> int:
    """Takes pictures of every pane, then of the overlays; returns the number of pictures."""
    count = 0
    for width, height in SIZES:
        window.resize(width, height)
        for scheme in SCHEMES:
            theme().configure(scheme)
            ending = f"{state}-{scheme}-{width}x{height}.png"
            for spec in PANES:
                window.show_pane(spec.id)
                settle(window)
                picture(window, FOLDER / f"{spec.id}-{ending}")
                count += 1
            window.show_pane("home")
            for name, toggle in (
                ("palette", window.open_palette),
                ("keys", window.toggle_keys),
                ("jobs", window.tray.toggle),
            ):
                toggle()
                settle(window)
                picture(window, FOLDER / f"{name}-{ending}")
                toggle()
                count += 1
    return count


@contextmanager
def adjudicating(window: MainWindow) -> Iterator[AgreementPane]:
    """Shows the agreement pane to an annotator who may adjudicate: done with the paper, without decisions."""
    project = window.bridge.project
    assert project is not None
    before = dict(project.annotators())[project.annotator_id]
    window.control.act_as("Third reader")
    window.show_pane("agreement")
    pane = window.panes["agreement"]
    assert isinstance(pane, AgreementPane)
    if not pane.annotator.is_done():
        pane.annotator.toggle_done()
    settle(window)
    yield pane
    window.control.act_as(before)


def show_units(window: MainWindow, pane: AgreementPane, of: Subject) -> None:
    """Shows the units of a kind of decision, with everyone's decisions."""
    pane.subject.setCurrentIndex(pane.subject.findData(of))
    window.run_command("agreement.done")
    settle(window)
    window.run_command("agreement.view_units")
    pane.all.list.setFocus()
    settle(window)


def render_agreement(window: MainWindow) -> int:
    """Takes pictures of the sample's coverage and the comparison of two annotators; returns their number."""
    window.show_pane("linking")
    count = 0
    for shown in ("coverage", "guidelines", "agreement"):
        if shown == "agreement":
            window.show_pane(shown)
        else:
            window.run_command(f"linking.{shown}")
        for width, height in SIZES:
            window.resize(width, height)
            for scheme in SCHEMES:
                theme().configure(scheme)
                settle(window)
                picture(window, FOLDER / f"{shown}-two-{scheme}-{width}x{height}.png")
                count += 1
        if shown != "agreement":
            window.run_command(f"linking.{shown}")
    with adjudicating(window) as pane:
        show_units(window, pane, "preferences")
        count += shoot(window, "units")
        pane.subject.setCurrentIndex(0)
    return count


def render_analysis(window: MainWindow) -> int:
    """Takes pictures of the sample's proposals and labels, in Linking and in the analysis; returns their number."""
    window.show_pane("linking")
    settle(window)
    window.run_command("linking.propose_again")
    settle(window)
    count = shoot(window, "proposal")
    window.run_command("linking.propose")
    window.show_pane("analysis")
    for command in ("propose", "find_labels"):
        window.run_command(f"analysis.{command}")
        settle(window)
    for number in "31211322":
        window.run_command(f"analysis.answer_{number}")
    for view in ("judging", "labels", "figures"):
        window.run_command(f"analysis.show_{view}")
        settle(window)
        count += shoot(window, f"analysis-{view}")
    window.run_command("analysis.show_judging")
    window.run_command("analysis.blind")
    count += shoot(window, "analysis-blind")
    window.run_command("analysis.blind")
    return count


def render_benchmark(window: MainWindow) -> int:
    """Takes pictures of the sample's scored reviews and the comparison of their sources; returns their number."""
    window.show_pane("benchmark")
    settle(window)
    window.run_command("benchmark.show_reviews")
    count = shoot(window, "benchmark-scores")
    window.run_command("benchmark.show_comparison")
    return count + shoot(window, "benchmark-comparison")


def begin_judging(window: MainWindow, *, described: bool = True) -> None:
    """Selects a pair of rebuttals in the sample, whose second cluster first asks for the better description. Without
    ``described``, stops at that question."""
    window.show_pane("preferences")
    settle(window)
    window.run_command("preferences.next_cluster")
    if described:
        window.run_command("preferences.left")
    settle(window)


def render_preferences(window: MainWindow) -> int:
    """Takes pictures of a pair, and of the other views of the sample's first cluster, which two annotators judged."""
    begin_judging(window, described=False)
    count = shoot(window, "preferences-description")
    window.run_command("preferences.left")
    settle(window)
    count += shoot(window, "preferences-pair")
    window.run_command("preferences.previous_cluster")
    for view in ("candidates", "ranking", "annotators"):
        window.run_command(f"preferences.show_{view}")
        settle(window)
        count += shoot(window, f"preferences-{view}")
    window.run_command("preferences.show_judging")
    return count


def label_a_little(window: MainWindow) -> None:
    """Decides on some sentences of the sample's first review and selects one with several suggestions."""
    for _ in range(5):
        window.run_command("labels.accept")
    for _ in range(4):
        window.run_command("labels.next")
    settle(window)


def render_labels(window: MainWindow) -> int:
    """Takes pictures of the sample's labels, some of them decided; returns their number."""
    window.show_pane("labels")
    settle(window)
    label_a_little(window)
    return shoot(window, "labels-decided")


def render_rebuttal(window: MainWindow) -> int:
    """Takes pictures of the sample's rebuttal: a template, the preview, the checks before sending."""
    window.show_pane("rebuttal")
    settle(window)
    window.run_command("rebuttal.template_1")
    count = shoot(window, "rebuttal-template")
    for view in ("preview", "send"):
        window.run_command(f"rebuttal.{view}")
        settle(window)
        count += shoot(window, f"rebuttal-{view}")
    window.run_command("rebuttal.write")
    pane = window.panes["rebuttal"]
    assert isinstance(pane, RebuttalPane)
    pane.choose_preset("neurips-page")
    settle(window)
    count += shoot(window, "rebuttal-page")
    pane.choose_preset("openreview-5000")
    return count


def run_laboratory(window: MainWindow) -> ExpertisePane:
    """Runs algorithms on the sample's answers, with every profile length."""
    window.show_pane("expertise")
    settle(window)
    pane = window.panes["expertise"]
    assert isinstance(pane, ExpertisePane)
    pane.set_up.tick(("fusion", "tpms", "bm25", "trivial"))
    for command in ("run", "curve"):
        window.run_command(f"expertise.{command}")
        settle(window, limit_ms=300_000)
    pane.sort("loss")
    pane.tabs.setCurrentWidget(pane.board_page)
    pane.details.tabs.setCurrentIndex(0)
    return pane


def render_laboratory(window: MainWindow) -> int:
    """Takes pictures of the laboratory's views, and of why a score is high; returns their number."""
    pane = run_laboratory(window)
    count = shoot(window, "expertise-board")
    for name in ("participants", "curves"):
        window.run_command("expertise.next_view")
        settle(window)
        count += shoot(window, f"expertise-{name}")
    pane.details.tabs.setCurrentIndex(1)
    settle(window)
    count += shoot(window, "expertise-why")
    window.run_command("expertise.next_view")
    return count


def begin_reviewing(window: MainWindow) -> ReviewPane:
    """Selects the sentence of the sample's review that refers to no place."""
    window.show_pane("review")
    settle(window)
    pane = window.panes["review"]
    assert isinstance(pane, ReviewPane)
    pane.write()
    pane.step_open(-1)
    settle(window)
    return pane


def render_review(window: MainWindow) -> int:
    """Takes pictures of the sample's review: a wrong sentence, missing things, the model's view, a new review."""
    pane = begin_reviewing(window)
    count = shoot(window, "review-red")
    pane.step_open(-1)
    pane.go_to_place()
    count += shoot(window, "review-missing")
    pane.paper_view.toggle_model()
    count += shoot(window, "review-model")
    pane.paper_view.toggle_model()
    for page in PAGES:
        window.run_command(f"review.show_{page}")
        settle(window)
        count += shoot(window, f"review-{page}")
    pane.drawer.close_drawer()
    pane.begin("neurips")
    settle(window)
    count += shoot(window, "review-new")
    window.run_command("edit.undo")
    return count


def shoot(window: MainWindow, name: str) -> int:
    """Takes pictures of the window as it is, in all sizes and schemes; returns their number."""
    for width, height in SIZES:
        window.resize(width, height)
        for scheme in SCHEMES:
            theme().configure(scheme)
            settle(window)
            picture(window, FOLDER / f"{name}-full-{scheme}-{width}x{height}.png")
    return len(SIZES) * len(SCHEMES)


def open_half_answered(window: MainWindow) -> ParticipantPane:
    """Opens the sample's study as a participant who has entered some answers."""
    window.control.open_study(SAMPLES / "survey.rejoinder-study")
    project = window.bridge.project
    assert project is not None
    half_answer(project)
    pane = window.panes["participant"]
    assert isinstance(pane, ParticipantPane)
    return pane


def render_participant(window: MainWindow) -> int:
    """Takes pictures of a survey's pages, before the first answer and partly answered; returns their number."""
    window.control.open_study(SAMPLES / "survey.rejoinder-study")
    settle(window)
    count = _participant_pictures(window, "begun", 1)
    window.control.leave_survey()
    open_half_answered(window)
    count += _participant_pictures(window, "half", len(STEPS))
    window.control.leave_survey()
    return count


def _participant_pictures(window: MainWindow, state: str, pages: int) -> int:
    pane = window.panes["participant"]
    assert isinstance(pane, ParticipantPane)
    count = 0
    for width, height in SIZES:
        window.resize(width, height)
        for scheme in SCHEMES:
            theme().configure(scheme)
            for page in range(pages):
                pane.go_to(page)
                settle(window)
                picture(window, FOLDER / f"participant-{page + 1}-{state}-{scheme}-{width}x{height}.png")
                count += 1
    return count


def render_guide(window: MainWindow) -> list[str]:
    """Takes the guide's pictures, light, in the sample project (*Home* before, since it shows the project's path);
    returns the problems found."""
    GUIDE.mkdir(parents=True, exist_ok=True)
    theme().configure("light")
    window.resize(*SIZES[0])
    wrong = []
    for pane, height in GUIDE_HEIGHTS.items():
        if pane != "home" and window.bridge.project is None:
            window.control.open_sample()
        window.show_pane(pane)
        path = GUIDE / f"guide-{pane}-light.png"
        if not settle(window):
            wrong.append(f"{path.name}: the pane was still at work when its picture was taken")
        if pane == "preferences":
            begin_judging(window)
        if pane == "rebuttal":
            window.run_command("rebuttal.previous")
            settle(window)
        if pane == "labels":
            label_a_little(window)
        if pane == "expertise":
            run_laboratory(window)
            settle(window)
        if pane == "review":
            begin_reviewing(window)
        if pane == "survey":
            survey = window.panes["survey"]
            assert isinstance(survey, SurveyPane)
            survey.tabs.setCurrentIndex(RESULTS)
            settle(window)
        wrong += _guide_picture(window, path, height)
        if pane == "expertise":
            window.run_command("expertise.next_view")
            settle(window)
            wrong += _guide_picture(window, GUIDE / "guide-participants-light.png", height)
        if pane == "agreement":
            with adjudicating(window) as agreement:
                wrong += _guide_picture(window, path, height)
                show_units(window, agreement, "preferences")
                wrong += _guide_picture(window, GUIDE / "guide-units-light.png", SIZES[0][1])
                agreement.subject.setCurrentIndex(0)
        if pane == "linking":
            window.run_command("linking.coverage")
            settle(window)
            wrong += _guide_picture(window, GUIDE / "guide-coverage-light.png", 600)
            window.run_command("linking.coverage")
    answering = open_half_answered(window)
    answering.go_to(RATINGS)
    assert answering.state.survey is not None
    answering.ratings.focus_row(answering.state.survey.rows[2].id)
    settle(window)
    wrong += _guide_picture(window, GUIDE / "guide-participant-light.png", SIZES[0][1])
    window.control.leave_survey()
    return wrong


def _guide_picture(window: MainWindow, path: Path, height: int) -> list[str]:
    """Saves the upper part of the window; returns the problems found."""
    window.grab(QRect(0, 0, window.width(), height)).save(str(path))
    size = path.stat().st_size
    return [f"{path.name}: {size} bytes are more than {GUIDE_BYTES}"] if size > GUIDE_BYTES else []


def main() -> int:
    """Takes all pictures and prints where they are; returns 1 if there are problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guide", action="store_true", help="the pictures of the user guide, into docs/guide/images")
    guide = parser.parse_args().guide
    if guide and shipped_sample() is None:
        parser.error("the guide shows the sample project, which was not made yet: make sample")
    with tempfile.TemporaryDirectory(prefix="rejoinder-") as own:
        os.environ["REJOINDER_HOME"] = own
        application()
        window = MainWindow(Settings(), WindowState())
        window.show()
        if guide:
            said = [f"{len(GUIDE_HEIGHTS) + 4} pictures in {GUIDE}"]
            wrong = render_guide(window)
        else:
            wrong = []
            count = render(window, "empty")
            if shipped_sample() is not None:
                window.control.open_sample()
            else:
                window.control.create(Path(own) / "deep-review")
            window.control.back_up()
            settle(window)
            count += render(window, "full")
            if shipped_sample() is not None:
                count += render_analysis(window)
                count += render_agreement(window)
                count += render_benchmark(window)
                count += render_preferences(window)
                count += render_review(window)
                count += render_labels(window)
                count += render_rebuttal(window)
                count += render_laboratory(window)
            count += render_participant(window)
            said = [f"{count} pictures in {FOLDER}"]
        window.stop_work()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    print("\n".join(said + wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
