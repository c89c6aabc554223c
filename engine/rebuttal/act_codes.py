"""What a rebuttal sentence does: the 17 actions of DISAPERE (Kennard et al. 2022, table 2), and the stance of each.

Ids are those of the templates (``engine.rebuttal.records.Action``) where there is one; the four others have no
canonical answer. Stance is a function of action.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ActStance = Literal["concur", "dispute", "none-arguing", "other"]


@dataclass(frozen=True, slots=True)
class ActInfo:
    """One action: its id, what people read, what DISAPERE and JitsuPeer call it, and the stance it takes."""

    id: str
    title: str
    code: str
    stance: ActStance


ACTS: tuple[ActInfo, ...] = (
    ActInfo("answer", "Answer", "rebuttal_answer", "concur"),
    ActInfo("task_done", "Task done", "rebuttal_done", "concur"),
    ActInfo("task_will_be_done", "Task will be done", "rebuttal_by-cr", "concur"),
    ActInfo("concede_criticism", "Concede criticism", "rebuttal_concede-criticism", "concur"),
    ActInfo("future_work", "Future work", "rebuttal_future", "concur"),
    ActInfo("accept_praise", "Accept praise", "rebuttal_accept-praise", "concur"),
    ActInfo("mitigate_criticism", "Mitigate criticism", "rebuttal_mitigate-criticism", "dispute"),
    ActInfo("reject_criticism", "Reject criticism", "rebuttal_reject-criticism", "dispute"),
    ActInfo("reject_request", "Reject request", "rebuttal_reject-request", "dispute"),
    ActInfo("refute_question", "Refute question", "rebuttal_refute-question", "dispute"),
    ActInfo("contradict_assertion", "Contradict assertion", "rebuttal_contradict-assertion", "dispute"),
    ActInfo("structuring", "Structuring", "rebuttal_structuring", "none-arguing"),
    ActInfo("summary", "Summary", "rebuttal_summary", "none-arguing"),
    ActInfo("thanks", "Social", "rebuttal_social", "none-arguing"),
    ActInfo("follow_up", "Follow-up question", "rebuttal_followup", "none-arguing"),
    ActInfo("other", "Other", "rebuttal_other", "none-arguing"),
    ActInfo("none", "None", "rebuttal_none", "other"),
)
BY_ID: Mapping[str, ActInfo] = {act.id: act for act in ACTS}
BY_CODE: Mapping[str, ActInfo] = {act.code: act for act in ACTS}


def stance_of(action: str) -> ActStance:
    """The stance of an action. Raises KeyError for an unknown id."""
    return BY_ID[action].stance
