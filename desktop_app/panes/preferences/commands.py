"""The commands of the preferences pane, with their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.commands import Command, PaneCommands, given

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


def commands() -> list[Command]:
    """All commands, in the order of the key overview."""

    own: PaneCommands[PreferencesPane] = PaneCommands("preferences", lambda pane: pane.has_clusters())

    def judge(pane: PreferencesPane) -> bool:
        return pane.can_judge()

    def pair(pane: PreferencesPane) -> bool:
        return pane.can_judge_pair()

    def candidate(pane: PreferencesPane) -> bool:
        return pane.has_candidate()

    def differ(pane: PreferencesPane) -> bool:
        return pane.has_disagreement()

    return [
        own("left", "Prefer left", "The left one is the better rebuttal.", lambda pane: pane.judge("left"), "F", judge),
        own("tie", "Tie", "Both are equally good.", lambda pane: pane.judge("tie"), "G", judge),
        own(
            "unsuitable", "Both unsuitable", "Neither can serve as a canonical rebuttal.",
            lambda pane: pane.judge("unsuitable"), "H", pair,
        ),
        own(
            "right", "Prefer right", "The right one is the better rebuttal.", lambda pane: pane.judge("right"), "J",
            judge,
        ),
        own(
            "skip", "Skip", "Leaves the pair for the end, with the note if there is one.",
            lambda pane: pane.judge("skip"), "S", pair,
        ),
        own(
            "note", "Note", "Writes a note on the pair at hand; it is kept with the decision.",
            lambda pane: pane.write_note(), "M", pair, "note-pencil",
        ),
        own(
            "skip_note", "Skip with a note", "Asks for a note first; Enter skips the pair.",
            lambda pane: pane.skip_with_note(), "Shift+S", pair,
        ),
        own("next_cluster", "Next cluster", "Brings the next cluster to hand.", lambda pane: pane.step(1), "N"),
        own(
            "previous_cluster", "Previous cluster", "Brings the previous cluster to hand.", lambda pane: pane.step(-1),
            "P",
        ),
        own(
            "done", "Done with this cluster",
            "Says that you are done with the cluster, or not yet: once others are, too, you see each other's work.",
            lambda pane: pane.toggle_done(), "Shift+D", lambda pane: pane.can_change(), "user-circle",
        ),
        own(
            "next_open", "Next undecided", "Goes to the next cluster with pairs left, or pair to adjudicate.",
            lambda pane: pane.next_open(), "Space", icon="skip-forward",
        ),
        *(
            own(f"show_{name}", title, words, given(lambda pane, at: pane.show_view(at), at), f"Alt+{at + 1}")
            for at, (name, title, words) in enumerate(_VIEWS)
        ),
        own(
            "add_cluster", "New cluster…", "Makes a cluster by hand: root, theme, action, sentences, candidates.",
            lambda pane: pane.add_cluster(), "Ctrl+Alt+N", lambda pane: pane.can_write(), "plus",
        ),
        own(
            "rename_cluster", "Name cluster…", "Gives the cluster another root, theme or action.",
            lambda pane: pane.rename_cluster(), "F2", lambda pane: pane.can_change(), "pencil-simple",
        ),
        own(
            "delete_cluster", "Delete cluster", "Takes the cluster away with your judgements in it.",
            lambda pane: pane.delete_cluster(), when=lambda pane: pane.can_change(), icon="trash",
        ),
        own(
            "from_labels", "Clusters from labelled sentences",
            "Makes a cluster of each root and theme that labelled review sentences have, with their answers.",
            lambda pane: pane.from_labels(), when=lambda pane: pane.can_write(), icon="tag",
        ),
        own(
            "import", "Import clusters or judgements…", "Takes a table of clusters, or of judgements, in.",
            lambda pane: pane.import_file(), when=lambda pane: pane.can_write(), icon="download-simple",
        ),
        own(
            "import_folder", "Import a folder of clusters…", "Takes a folder in the layout of JitsuPeer in.",
            lambda pane: pane.import_folder(), when=lambda pane: pane.can_write(), icon="folder-open",
        ),
        own(
            "take_in", "Take candidate in", "The candidate is judged, whatever its scores.",
            lambda pane: pane.decide("in"), "Y", candidate, "check",
        ),
        own(
            "leave_out", "Leave candidate out", "The candidate is not judged, whatever its scores.",
            lambda pane: pane.decide("out"), "X", candidate, "minus",
        ),
        own(
            "by_scores", "Let scores decide", "Suitability and specificity say whether the candidate is judged.",
            lambda pane: pane.decide(None), "0", candidate,
        ),
        own(
            "remove_candidate", "Remove candidate", "Takes the candidate away, if nobody judged it.",
            lambda pane: pane.remove_candidate(), when=candidate, icon="trash",
        ),
        own(
            "remove_sentence", "Remove review sentence", "Takes the review sentence out of the cluster.",
            lambda pane: pane.remove_sentence(), when=lambda pane: pane.has_sentence(), icon="trash",
        ),
        own(
            "find_candidates", "Find candidates", "Looks for rebuttal sentences that answer these review sentences.",
            lambda pane: pane.find_candidates(), "A", lambda pane: pane.can_change(), "magnifying-glass",
        ),
        own(
            "add_texts", "Add sentences and candidates…", "Adds further review sentences and candidates by hand.",
            lambda pane: pane.add_texts(), when=lambda pane: pane.can_change(), icon="plus",
        ),
        own(
            "extract", "Extract description", "Finds the most central review sentence of the cluster.",
            lambda pane: pane.extract(), "E", lambda pane: pane.can_change(), "text-aa",
        ),
        own(
            "to_library", "Put into the library", "Makes the candidate at hand a template of this project's library.",
            lambda pane: pane.to_library(), "T", lambda pane: pane.has_winner(), "books",
        ),
        own(
            "trust", "Rank by the most competent", "Ranks by the annotator with the highest competence alone.",
            lambda pane: pane.trust(), "C", lambda pane: pane.can_trust(), "user",
        ),
        own(
            "adjudicate_first", "A is better", "Decides that A is the better of the pair at hand.",
            lambda pane: pane.adjudicate("first"), "1", differ,
        ),
        own(
            "adjudicate_second", "B is better", "Decides that B is the better of the pair at hand.",
            lambda pane: pane.adjudicate("second"), "2", differ,
        ),
        own(
            "adjudicate_tie", "Adjudicate as tie", "Decides that both are equally good.",
            lambda pane: pane.adjudicate("tie"), "3", differ,
        ),
        own(
            "adjudicate_unsuitable", "Adjudicate as unsuitable", "Decides that neither can serve.",
            lambda pane: pane.adjudicate("unsuitable"), "4", differ,
        ),
        own(
            "adjudicate_reopen", "Take adjudication back", "The pair is open again.",
            lambda pane: pane.adjudicate(None), "R", differ,
        ),
        *(
            own(
                f"export_{name.replace('-', '_')}", entry[0], entry[1],
                given(lambda pane, name: pane.export(name), name),
                icon="export",
            )
            for name, entry in EXPORTS.items()
        ),
    ]  # fmt: skip
