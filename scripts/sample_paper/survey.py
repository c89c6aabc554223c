"""The sample's expertise survey: an invented study, and answers of invented people, merged as they arrive."""

import random
from dataclasses import dataclass, replace

from engine.exchange.study_file import content_hash_of, preview_release, read_answers_file, study_file
from engine.expertise.merge_store import MergeStore
from engine.expertise.records import ProfileRow, Study, SurveyParticipant, SurveyRow
from engine.expertise.store import SurveyStore
from engine.expertise.survey import GRID, new_study
from engine.papers.records import LibraryPaper
from engine.project import Project

SEED, KEY = 20261121, "sample-study-gentle-traffic"
OWN_PAPERS = 6
TOPICS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "sensing": (
        ("Magnetic loops", "Cheap cameras", "Pneumatic tubes", "Radar poles", "Listening posts"),
        ("counting cars at night", "lane changes", "empty side streets", "heavy lorries", "bicycles in rain"),
        "Detectors miss vehicles where they are needed most. Calibration against hand counts shows how the error grows"
        " with speed, weather and the age of the device, and what a second detector is worth.",
    ),
    "signals": (
        ("Patient traffic lights", "Green waves", "Adaptive cycle times", "Walk buttons", "Priority phases"),
        ("school routes", "tram crossings", "ring roads", "evening queues", "uneven blocks"),
        "Signal plans are tuned for cars that are there, not for people who wait. A controller that learns its cycle"
        " from queues shortens the longest wait without lengthening the average one.",
    ),
    "modelling": (
        ("Sparse flow models", "Origin and destination matrices", "Kinematic waves", "Agent simulations", "Priors"),
        ("towns with few counters", "holiday weekends", "closed bridges", "unknown detours", "slow streets"),
        "Flows that nobody measured are inferred from the few that were. Constraints of conservation and a prior on"
        " turning shares give estimates with intervals that hold on held-out counters.",
    ),
    "transit": (
        ("Bus bunching", "Timetable slack", "Ferry boarding", "Night trams", "Shared stops"),
        ("short headways", "late connections", "wheelchair users", "island commuters", "snow days"),
        "Lines that share a stop borrow delay from each other. Holding strategies and honest timetables are compared on"
        " a year of arrivals, by what passengers wait and not by what vehicles do.",
    ),
    "behaviour": (
        ("Habits of route choice", "Courtesy at crossings", "Speed in front of schools", "Cargo bicycles", "Detours"),
        ("new residents", "older drivers", "rainy mornings", "families of four", "people who know the way"),
        "What travellers say and what they do differ. Diaries, interviews and anonymous traces are brought together to"
        " see which of the two a calmer street changes first.",
    ),
    "compression": (
        ("Entropy coding", "Delta streams", "Sketches", "Quantised summaries", "Error-correcting codes"),
        ("sensor readings", "a century of counts", "battery loggers", "lossy radio links", "rare events"),
        "Readings are sent over links that cost more energy than the measurement. A code that knows how the readings"
        " follow each other halves the bits and keeps the events that matter.",
    ),
}  # fmt: skip
NEAR = {
    ("sensing", "modelling"), ("sensing", "compression"), ("signals", "modelling"), ("signals", "transit"),
    ("transit", "behaviour"), ("signals", "behaviour"),
}  # fmt: skip
"""Related topics."""
PEOPLE = (
    ("Ida Marrowby", "sensing", "PhD student", "Denmark"), ("Osric Quill", "signals", "Faculty", "Ireland"),
    ("Petra Vantresca", "modelling", "Postdoc", "Italy"), ("Lubos Hartwell", "transit", "Faculty", "Czechia"),
    ("Noor Sandvik", "behaviour", "PhD student", "Norway"), ("Ravi Thistledown", "compression", "Postdoc", "India"),
    ("Ama Greenlock", "modelling", "PhD student", "Ghana"), ("Tove Bellweather", "signals", "Postdoc", "Sweden"),
    ("Kenji Overstreet", "sensing", "Researcher in industry", "Japan"), ("Mira Falkland", "transit", "", ""),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Invented:
    """A paper of the invented literature, and what it is about."""

    topic: str
    paper: LibraryPaper


def literature() -> tuple[Invented, ...]:
    """Returns all invented papers: every method of a topic combined with every object of it."""
    found: list[Invented] = []
    for topic, (methods, objects, abstract) in TOPICS.items():
        for one, method in enumerate(methods):
            for other, thing in enumerate(objects):
                number = len(found) + 1
                authors = [name for name, own, _, _ in PEOPLE if own == topic and (one + other) % 2 == 0]
                paper = LibraryPaper(
                    f"invented-{number}",
                    f"{method} for {thing}",
                    f"{method} are studied for {thing}. {abstract}",
                    2016 + (one * 3 + other) % 10,
                    "Symposium on Gentle Traffic",
                    tuple(authors) or (f"A. N. Other{number}",),
                    link=f"https://example.org/gentle-traffic/{number}",
                    open_access=number % 7 != 0,
                )
                found.append(Invented(topic, paper))
    return tuple(found)


def sample_study() -> Study:
    """Returns the study as its organiser has it; always the same."""
    return new_study(
        "Who knows what about gentle traffic?",
        organiser="Symposium on Gentle Traffic",
        contact="survey@gentle-traffic.example",
        key=KEY,
    )


def study_bytes() -> bytes:
    """Returns the study file."""
    return study_file(sample_study()).content


def answers_of(place: int) -> bytes:
    """Returns the answers file of one invented person."""
    name, topic, position, country = PEOPLE[place]
    chance, known = random.Random(SEED + place), literature()
    own = [one.paper for one in known if name in one.paper.authors][:OWN_PAPERS]
    others = [one for one in known if name not in one.paper.authors]
    read = chance.sample([one for one in others if one.topic == topic], 3)
    read += chance.sample([one for one in others if _beside(one.topic, topic)], 2 + place % 2)
    read += chance.sample([one for one in others if one.topic != topic and not _beside(one.topic, topic)], 2)
    rows = [
        SurveyRow(f"r{number}", "", one.paper, _nearest(_knows(topic, one.topic, chance)))
        for number, one in enumerate(read)
    ]
    answers = tuple((key, answer) for key, answer in (("position", position), ("country", country)) if answer)
    moment = f"2026-10-{place + 2:02d}T09:30:00+00:00"
    person = SurveyParticipant("", "", f"sample-person-{place + 1}", name, moment, answers)
    profile = [ProfileRow(f"o{number}", "", paper) for number, paper in enumerate(own)]
    study = replace(sample_study(), content_hash=content_hash_of(study_bytes()))
    return preview_release(study, person, rows, profile, written_at=moment).file.content


def _nearest(value: float) -> float:
    """Returns the rating of the scale nearest to a value, the higher one of two."""
    return min(GRID, key=lambda rating: (abs(rating - value), -rating))


def _beside(one: str, other: str) -> bool:
    return (one, other) in NEAR or (other, one) in NEAR


def _knows(mine: str, topic: str, chance: random.Random) -> float:
    centre = 4.5 if topic == mine else 3.0 if _beside(topic, mine) else 1.6
    return min(5.0, max(1.0, chance.gauss(centre, 0.5)))


def run_survey(project: Project) -> str:
    """Adds the study to the project and merges all answers; returns the study's key."""
    store, merge = SurveyStore(project), MergeStore(project)
    study_id = store.add_study(sample_study())
    store.set_content_hash(study_id, content_hash_of(study_bytes()))
    for place, (name, *_rest) in enumerate(PEOPLE):
        filename = f"{name.split()[-1].lower()}.rejoinder-answers"
        merge.apply(merge.plan(study_id, read_answers_file(answers_of(place), filename), filename))
    return study_id


def half_answer(project: Project) -> None:
    """Enters partial answers into an opened survey: a tie, own papers, one row without a rating."""
    store, known = SurveyStore(project), literature()
    participant = store.participants(store.studies("participant")[0].id)[0]
    name = PEOPLE[0][0]
    own = [one.paper for one in known if name in one.paper.authors]
    store.set_consent(participant.id, True)
    store.set_name(participant.id, name)
    store.set_answer(participant.id, "position", "PhD student")
    store.set_email(participant.id, "ida@marrowby.example")
    rows = store.add_publications(participant.id, [replace(paper, id="") for paper in own])
    store.keep([rows[3].id], False)
    values = ((1, 4.5), (3, 4.0), (27, 2.75), (52, 2.0), (76, 1.25), (104, 1.0), (131, 4.0), (58, None))
    for place, value in values:
        store.add_row(participant.id, replace(known[place].paper, id=""), value)
