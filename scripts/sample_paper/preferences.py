"""Two invented clusters with candidate rebuttals, and two annotators' judgements of their pairs."""

import numpy as np

from engine.agreement.store import AgreementStore
from engine.jobs import QuietReport
from engine.project import Project
from engine.rebuttal.preferences.candidates import scored
from engine.rebuttal.preferences.records import Answer, Cluster, NewCluster, NewSentence, Plan
from engine.rebuttal.preferences.scheduler import Queue
from engine.rebuttal.preferences.store import PreferenceStore
from engine.rebuttal.preferences.tasks import extract_descriptions
from sample_paper.simulated_annotators import TIE, annotators_of, answer_chances

TASK = "preferences"
SEED = 11

CLARITY = NewCluster(
    "clarity",
    "methodology",
    "task_done",
    tuple(
        NewSentence(text)
        for text in (
            "It is hard to tell from the text how a customer chooses a queue.",
            "The rule by which counters open and close should be written out.",
            "I had to read the section on the simulation three times to see what is drawn at random.",
            "The notation for waiting times changes halfway through.",
            "A small diagram of the model would help the reader a great deal.",
            "What happens in one simulation step is never described in one place.",
        )
    ),
    tuple(
        NewSentence(text)
        for text in (
            "Thank you for pointing this out; we have rewritten the description of the method, step by step.",
            "We agree that this was hard to follow, and we have added a step-by-step description.",
            "We have clarified this in the revised version.",
            "We have added a figure of the model and now define every symbol where it is first used.",
            "We apologise for the confusion and have rewritten this part.",
            "We have moved the definitions to one place and checked that the notation is the same throughout.",
            "Done.",
            "In the revised Section 3.2, customers join the shortest of 4 queues with probability 0.85 (Eq. 7).",
        )
    ),
    "The description of the method is hard to follow.",
)
SUBSTANCE = NewCluster(
    "substance",
    "experiments",
    "task_will_be_done",
    tuple(
        NewSentence(text)
        for text in (
            "Forty repeats are too few to trust the differences between the rules.",
            "Only one market was simulated; a second one would make the claim stronger.",
            "No simple baseline such as a fixed number of counters is reported.",
            "The paper does not show how sensitive the results are to the arrival rate.",
        )
    ),
    tuple(
        NewSentence(text)
        for text in (
            "We will add the missing comparison to the final version.",
            "This is a good suggestion, and we will run the experiment and report it in the final version.",
            "We will extend the experiments as suggested and discuss what changes.",
            "We will include further repeats with intervals in the final version.",
            "We plan to add this.",
        )
    ),
    "The experiments are too few to support the claim.",
)
QUALITY = (1.3, 1.6, 0.2, 0.7, 0.1, 0.5, -2.0, -1.4)
"""Strength of the first cluster's candidates for the simulated annotators."""


def judge_pairs(project: Project, first: str, second: str) -> None:
    """Adds the clusters. Both annotators judge the first one completely and are done with it; the second one, on the
    adaptive schedule, is for the user to try."""
    store = PreferenceStore(project)
    clarity, substance = store.add_clusters([CLARITY, SUBSTANCE])
    store.set_plan(clarity.id, Plan("exhaustive", 0.3))
    store.set_plan(substance.id, Plan("adaptive", 0.1))
    clarity, substance = store.clusters()
    *_, done, last = store.candidates(clarity.id)
    store.decide_candidates([last.id], "in")
    store.decide_candidates([done.id], "out")
    extract = extract_descriptions(project, (clarity.id, substance.id))
    extract.run(QuietReport())
    for number, name in enumerate((first, second)):
        project.set_annotator(name)
        _judge(project, store, clarity, name, number)
        AgreementStore(project).set_done(clarity.id, True, task=TASK)
    project.set_annotator(first)
    extracted = store.extract(clarity.id)
    assert extracted is not None
    store.choose_description(clarity.id, CLARITY.description, extracted.text, "extracted", "written", milliseconds=4100)


def _judge(project: Project, store: PreferenceStore, cluster: Cluster, name: str, number: int) -> None:
    """Judges every pair. Answers depend only on annotator and pair, not on the keys, which differ in each build."""
    place = {candidate.id: at for at, candidate in enumerate(store.candidates(cluster.id))}
    annotators = annotators_of(0.45, "close calls", TIE)
    judged = [entry.candidate.id for entry in scored(cluster, store.candidates(cluster.id)) if entry.judged]
    queue = Queue(cluster.id, judged, cluster.plan, name)
    own = list(store.judgements(cluster.id, annotator_id=project.annotator_id))
    step = queue.exhaustive(own)
    while step.pair is not None:
        left, right = step.pair.left_id, step.pair.right_id
        first, second = sorted((place[left], place[right]))
        generator = np.random.default_rng([SEED, number, first, second, int(step.pair.repeat)])
        _, chances = answer_chances(annotators, np.array([QUALITY[first], QUALITY[second]]))
        better: tuple[Answer, ...] = ("left", "right", "tie") if place[left] == first else ("right", "left", "tie")
        answer = better[int(generator.choice(3, p=chances[0]))]
        took = int(generator.lognormal(8.4, 0.4))
        own.append(store.judge(cluster.id, left, right, answer, milliseconds=took, repeat=step.pair.repeat))
        step = queue.exhaustive(own)
