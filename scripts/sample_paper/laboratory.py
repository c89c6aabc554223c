"""Runs the similarity algorithms that need no further model on the sample's survey."""

from engine.expertise.laboratory import Choice, Data, Laboratory, Setup
from engine.expertise.laboratory_store import LaboratoryStore
from engine.expertise.store import SurveyStore
from engine.expertise.tasks import run_algorithms
from engine.jobs import QuietReport
from engine.models import load_encoder
from engine.project import Project

ALGORITHMS = ("fusion", "encoder", "tpms", "bm25", "trivial")


def compare_algorithms(project: Project) -> None:
    """Runs the algorithms and stores the results, as the Expertise pane does."""
    survey, store = SurveyStore(project), LaboratoryStore(project)
    study = survey.studies("organiser")[0]
    gold = survey.gold_standard(study.id, with_texts=True)
    laboratory = Laboratory(Data(study.id, study.title, gold), load_encoder)
    choices = tuple(Choice(key) for key in ALGORITHMS)
    task = run_algorithms(laboratory, store, choices, Setup())
    task.run(QuietReport())
