"""The commands of the preferences pane, with their keys."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands

if TYPE_CHECKING:
    from desktop_app.panes.preferences.pane import PreferencesPane

EXPORTS = {
    "clusters": (
        "Export clusters…", "Writes all clusters with their sentences, candidates and descriptions as CSV.",
        "Judgements, and how clusters are judged, are left out.",
    ),
    "jitsupeer": (
        "Export a folder as JitsuPeer…",
        "Writes clusters, descriptions, canonical rebuttals and PageRanks in the layout of JitsuPeer.",
    ),
    "judgements": ("Export judgements…", "Writes every judgement that you may see as CSV."),
    "crowd-kit": (
        "Export for crowd-kit…", "Writes preferences and ties as the two tables that crowd-kit reads.",
        "Times, notes, repetitions, skipped and unsuitable pairs are left out.",
    ),
    "ranking": ("Export tables…", "Writes ranking, annotators and kappa as CSV."),
    "figures": ("Export figures…", "Writes the ranking with its intervals as PDF, SVG and PNG, and its data as CSV."),
}  # fmt: skip
"""Title and help of each format, then what its files do not hold."""


_VIEWS = (
    ("judging", "Judge", "Shows the pair at hand."),
    ("candidates", "Candidates", "Shows candidates, review sentences, description, and how the cluster is judged."),
    ("ranking", "Ranking", "Shows the ranking with its intervals."),
    ("annotators", "Annotators", "Shows who judged, how far they agree, and where they differ."),
)


def preference_commands(pane: PreferencesPane) -> list[Command]:
    """All commands, in the order of the key overview."""

    own = PaneCommands(pane.pane_id, pane.has_clusters)

    judge, pair, candidate, differ = pane.can_judge, pane.can_judge_pair, pane.has_candidate, pane.has_disagreement
    return [
        own("left", "Prefer left", "The left one is the better rebuttal.", partial(pane.judge, "left"), "F", judge),
        own("tie", "Tie", "Both are equally good.", partial(pane.judge, "tie"), "G", judge),
        own(
            "unsuitable", "Both unsuitable", "Neither can serve as a canonical rebuttal.",
            partial(pane.judge, "unsuitable"), "H", pair,
        ),
        own("right", "Prefer right", "The right one is the better rebuttal.", partial(pane.judge, "right"), "J", judge),
        own("skip", "Skip", "Leaves the pair for the end, with the note if there is one.", partial(pane.judge, "skip"),
            "S", pair),
        own("note", "Note", "Writes a note on the pair at hand; it is kept with the decision.", pane.write_note, "M",
            pair, "note-pencil"),
        own("skip_note", "Skip with a note", "Asks for a note first; Enter skips the pair.", pane.skip_with_note,
            "Shift+S", pair),
        own("next_cluster", "Next cluster", "Brings the next cluster to hand.", lambda: pane.step(1), "N"),
        own("previous_cluster", "Previous cluster", "Brings the previous cluster to hand.", lambda: pane.step(-1), "P"),
        own("done", "Done with this cluster",
            "Says that you are done with the cluster, or not yet: once others are, too, you see each other's work.",
            pane.toggle_done, "Shift+D", pane.can_change, "user-circle"),
        own("next_open", "Next undecided", "Goes to the next cluster with pairs left, or pair to adjudicate.",
            pane.next_open, "Space", icon="skip-forward"),
        *(
            own(f"show_{name}", title, words, partial(pane.show_view, at), f"Alt+{at + 1}")
            for at, (name, title, words) in enumerate(_VIEWS)
        ),
        own("add_cluster", "New cluster…", "Makes a cluster by hand: root, theme, action, sentences, candidates.",
            pane.add_cluster, "Ctrl+Alt+N", pane.can_write, "plus"),
        own("rename_cluster", "Name cluster…", "Gives the cluster another root, theme or action.", pane.rename_cluster,
            "F2", pane.can_change, "pencil-simple"),
        own("delete_cluster", "Delete cluster", "Takes the cluster away with your judgements in it.",
            pane.delete_cluster, "", pane.can_change, "trash"),
        own("from_labels", "Clusters from labelled sentences",
            "Makes a cluster of each root and theme that labelled review sentences have, with their answers.",
            pane.from_labels, "", pane.can_write, "tag"),
        own("import", "Import clusters or judgements…", "Takes a table of clusters, or of judgements, in.",
            pane.import_file, "", pane.can_write, "download-simple"),
        own("import_folder", "Import a folder of clusters…", "Takes a folder in the layout of JitsuPeer in.",
            pane.import_folder, "", pane.can_write, "folder-open"),
        own("take_in", "Take candidate in", "The candidate is judged, whatever its scores.",
            partial(pane.decide, "in"), "Y", candidate, "check"),
        own("leave_out", "Leave candidate out", "The candidate is not judged, whatever its scores.",
            partial(pane.decide, "out"), "X", candidate, "minus"),
        own("by_scores", "Let scores decide", "Suitability and specificity say whether the candidate is judged.",
            partial(pane.decide, None), "0", candidate),
        own("remove_candidate", "Remove candidate", "Takes the candidate away, if nobody judged it.",
            pane.remove_candidate, "", candidate, "trash"),
        own("remove_sentence", "Remove review sentence", "Takes the review sentence out of the cluster.",
            pane.remove_sentence, "", pane.has_sentence, "trash"),
        own("find_candidates", "Find candidates", "Looks for rebuttal sentences that answer these review sentences.",
            pane.find_candidates, "A", pane.can_change, "magnifying-glass"),
        own("add_texts", "Add sentences and candidates…", "Adds further review sentences and candidates by hand.",
            pane.add_texts, "", pane.can_change, "plus"),
        own("extract", "Extract description", "Finds the most central review sentence of the cluster.",
            pane.extract, "E", pane.can_change, "text-aa"),
        own("to_library", "Put into the library", "Makes the candidate at hand a template of this project's library.",
            pane.to_library, "T", pane.has_winner, "books"),
        own("trust", "Rank by the most competent", "Ranks by the annotator with the highest competence alone.",
            pane.trust, "C", pane.can_trust, "user"),
        own("adjudicate_first", "A is better", "Decides that A is the better of the pair at hand.",
            partial(pane.adjudicate, "first"), "1", differ),
        own("adjudicate_second", "B is better", "Decides that B is the better of the pair at hand.",
            partial(pane.adjudicate, "second"), "2", differ),
        own("adjudicate_tie", "Adjudicate as tie", "Decides that both are equally good.",
            partial(pane.adjudicate, "tie"), "3", differ),
        own("adjudicate_unsuitable", "Adjudicate as unsuitable", "Decides that neither can serve.",
            partial(pane.adjudicate, "unsuitable"), "4", differ),
        own("adjudicate_reopen", "Take adjudication back", "The pair is open again.",
            partial(pane.adjudicate, None), "R", differ),
        *(
            own(f"export_{name.replace('-', '_')}", entry[0], entry[1], partial(pane.export, name), "",
                icon="export")
            for name, entry in EXPORTS.items()
        ),
    ]  # fmt: skip
