"""A partly written rebuttal of the sample's reviews: some comments answered, one of them wrongly."""

from engine.exchange.rebuttals import Rebuttals
from engine.project import Project
from engine.rebuttal.fitting import Asked, TemplateRanker
from engine.rebuttal.points import sentences_of
from engine.rebuttal.records import Action, Plan, Point
from engine.rebuttal.slots import outline
from engine.rebuttal.templates import starter

ANSWERED = 8
"""Number of the first reviewer's comments with a reply."""
OPENING = (
    "We thank the reviewer for the careful reading. Below we respond to each comment and say where the paper changed."
)


def write_rebuttal(project: Project, paper: str) -> None:
    """Writes replies from the sample's response letter; one claims a table that the revised paper doesn't have, and one
    is a template that isn't accepted yet."""
    reader = Rebuttals(project)
    store, desk = reader.store, reader.read(paper)
    store.set_plan(paper, Plan("openreview-5000", quoting="short"))
    section = desk.outline.sections[0]
    store.write(paper, section.opening, OPENING)
    for number, row in enumerate(section.rows[: ANSWERED + 1]):
        linked = bool(desk.edits.get(row.comment.id))
        action: Action = "task_done" if linked else "answer"
        if number == ANSWERED:
            asked = Asked(row.comment.comment)
            found = TemplateRanker(starter()).rank(asked)
            template = found[0].template if found else outline(row.comment, (), {})
            store.put_in(
                paper, row.point, template.text, piece=template.text, sentences=sentences_of(template.text),
                source=template.source, action=template.action,
            )  # fmt: skip
            continue
        words = " ".join(row.comment.response.split())
        if number == ANSWERED - 1:
            words = f"{words} We have added Table 9, which lists all settings."
        point = store.write(paper, Point("reply", row.comment.id), words)
        store.choose_action(paper, point, action)
