"""The commands of the preferences pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given
from desktop_app.panes.preferences.choices import ANNOTATORS, CANDIDATES, EXPORTS, RANKING, VIEWS

if TYPE_CHECKING:
    from desktop_app.panes.preferences.pane import PreferencesPane
    from engine.rebuttal.preferences.records import Verdict

_VERDICTS: tuple[tuple[str, Verdict | None, str, str, str], ...] = (
    ("first", "first", "A is better", "Decide that A is better.", "1"),
    ("second", "second", "B is better", "Decide that B is better.", "2"),
    ("tie", "tie", "Adjudicate as tie", "Decide that both are equally good.", "3"),
    ("unsuitable", "unsuitable", "Adjudicate as unsuitable", "Decide that neither is suitable.", "4"),
    ("reopen", None, "Reopen adjudication", "Make the pair undecided again.", "R"),
)


def commands() -> list[Command]:
    own: PaneCommands[PreferencesPane] = PaneCommands("preferences", lambda pane: bool(pane.state.clusters))

    def judge(pane: PreferencesPane) -> bool:
        return pane.state.can_judge

    def pair(pane: PreferencesPane) -> bool:
        return pane.state.can_judge_pair

    def write(pane: PreferencesPane) -> bool:
        return pane.state.can_write

    def change(pane: PreferencesPane) -> bool:
        return pane.state.can_change

    def candidate(pane: PreferencesPane) -> bool:
        return pane.state.can_on(CANDIDATES) and pane.candidates.candidate is not None

    def disagreement(pane: PreferencesPane) -> bool:
        view = pane.annotators
        return pane.state.can_on(ANNOTATORS) and view.disagreement is not None and not view.party

    return [
        own("left", "Prefer left", "Judge the left one to be better.", lambda pane: pane.judge("left"), "F", judge),
        own("tie", "Tie", "Judge both to be equally good.", lambda pane: pane.judge("tie"), "G", judge),
        own("unsuitable", "Both unsuitable", "Judge neither to be suitable as a canonical rebuttal.",
            lambda pane: pane.judge("unsuitable"), "H", pair),
        own("right", "Prefer right", "Judge the right one to be better.", lambda pane: pane.judge("right"), "J", judge),
        own("skip", "Skip", "Move the pair to the end. Its note is kept.", lambda pane: pane.judge("skip"), "S", pair),
        own("note", "Note", "Add a note to this pair. It is saved with your decision.",
            lambda pane: pane.write_note(), "M", pair, "note-pencil"),
        own("skip_note", "Skip with a note", "Ask for a note first; Enter skips the pair.",
            lambda pane: pane.write_note(skipping=True), "Shift+S", pair),
        own("next_cluster", "Next cluster", "Go to the next cluster.", lambda pane: pane.list.rows.step(1), "N"),
        own("previous_cluster", "Previous cluster", "Go to the previous cluster.",
            lambda pane: pane.list.rows.step(-1), "P"),
        own("done", "Done with this cluster",
            "Mark the cluster as done, or not done. Once others are done too, you see each other's work.",
            lambda pane: pane.act(pane.annotator.toggle_done), "Shift+D", change, "user-circle"),
        own("next_open", "Next undecided", "Go to the next cluster with pairs left, or the next pair to adjudicate.",
            lambda pane: pane.next_open(), "Space", icon="skip-forward"),
        *(
            own(f"show_{name}", title, words, given(lambda pane, at: pane.tabs.setCurrentIndex(at), at),
                f"Alt+{at + 1}")
            for at, (name, title, words) in enumerate(VIEWS)
        ),
        own("add_cluster", "New cluster…", "Create a cluster: aspect, theme, action, sentences, candidates.",
            lambda pane: pane.add_cluster(), "Ctrl+Alt+N", write, "plus"),
        own("rename_cluster", "Rename cluster…", "Change the aspect, theme or action of the cluster.",
            lambda pane: pane.rename_cluster(), "F2", change, "pencil-simple"),
        own("delete_cluster", "Delete cluster", "Delete the cluster with your judgements.",
            lambda pane: pane.change(pane.state.verbs.delete_cluster), "", change, "trash"),
        own("from_labels", "Clusters from labelled sentences",
            "Create a cluster for each aspect and theme of labelled review sentences, with their answers.",
            lambda pane: pane.from_labels(), "", write, "tag"),
        own("import", "Import clusters or judgements…", "Import a table of clusters or of judgements.",
            lambda pane: pane.files.ask_for_table(), "", write, "download-simple", words="open load"),
        own("import_folder", "Import a folder of clusters…", "Import a folder in the JitsuPeer layout.",
            lambda pane: pane.files.ask_for_folder(), "", write, "folder-open"),
        own("take_in", "Include candidate", "Have the candidate judged, whatever its scores.",
            lambda pane: pane.decide("in"), "Y", candidate, "check"),
        own("leave_out", "Exclude candidate", "Leave the candidate out, whatever its scores.",
            lambda pane: pane.decide("out"), "X", candidate, "minus"),
        own("by_scores", "Let scores decide", "Let suitability and specificity decide whether the candidate is judged.",
            lambda pane: pane.decide(None), "0", candidate),
        own("remove_candidate", "Delete candidate", "Delete the candidate if nobody has judged it.",
            lambda pane: pane.change(lambda _key: pane.state.verbs.remove_candidate(pane.candidates.list.key)), "",
            candidate, "trash"),
        own("remove_sentence", "Remove review sentence", "Remove the review sentence from the cluster.",
            lambda pane: pane.change(lambda _key: pane.state.verbs.remove_sentence(pane.candidates.sentence_id)), "",
            lambda pane: pane.state.can_on(CANDIDATES) and bool(pane.candidates.sentence_id), "trash"),
        own("find_candidates", "Find candidates", "Look for rebuttal sentences that answer these review sentences.",
            lambda pane: pane.find_candidates(), "A", change, "magnifying-glass"),
        own("add_texts", "Add sentences and candidates…", "Add review sentences and candidates manually.",
            lambda pane: pane.add_texts(), "", change, "plus"),
        own("extract", "Extract description", "Find the most central review sentence of the cluster.",
            lambda pane: pane.extract(), "E", change, "text-aa"),
        own("to_library", "Add to library", "Make the selected candidate a template of this project's library.",
            lambda pane: pane.to_library(), "T",
            lambda pane: pane.state.can_on(RANKING) and bool(pane.ranking.candidate_id), "books"),
        own("trust", "Rank by the most competent", "Rank using only the judgements of the most competent annotator.",
            lambda pane: pane.rank_by(pane.state.most_competent), "C",
            lambda pane: pane.state.can_on(ANNOTATORS) and bool(pane.state.most_competent), "user"),
        *(
            own(f"adjudicate_{name}", title, words, given(lambda pane, verdict: pane.adjudicate(verdict), verdict), key,
                disagreement)
            for name, verdict, title, words, key in _VERDICTS
        ),
        *(
            own(f"export_{name.replace('-', '_')}", entry[0], entry[1],
                given(lambda pane, name: pane.files.ask_where(name), name),
                "Ctrl+E" if name == "ranking" else "", icon="export")
            for name, entry in EXPORTS.items()
        ),
    ]  # fmt: skip
