"""A project can hide suggestions: Linking shows none, a shared copy can't bring them back, the lead can."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.panes.linking.state import LinkingState
from engine.errors import BadInput
from engine.exchange.rebuttals import Rebuttals
from engine.operations.share import PARTS, Choice, share
from engine.project import Project
from engine.project.merge import merge_into
from engine.revision.coverage import coverage
from engine.revision.store import RevisionStore
from tests.states.linking_states import opened


def test_nothing_of_a_hidden_suggestion_is_left(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        assert state.suggestion is not None and state.can_suggest() and state.can_propose()
        state.hide_suggestions()
        study = state.study
        assert study.hides_suggestions and study.suggestions == {} and study.proposals == {}
        rows = state.selection.edit_rows
        assert [row.heading for row in rows if row.heading] == ["All edits · 4"]
        assert [row.edit.label for row in rows if row.edit] == ["e001", "e002", "e003", "e004"], "in the text's order"
        assert not any(row.why or row.likelihood or row.number or row.tip for row in rows)
        assert state.suggestion is None and state.offered is None and not state.has_suggestion()
        assert not (state.can_suggest() or state.can_propose() or state.can_propose_all()) and state.can_compare()
        found = coverage(study.comments, study.edits, study.links, study.states, study.suggestions)
        assert not any(row.candidates for row in found.rows)
        assert state.reader is not None and state.project is not None and study.paper is not None
        rebuttals = Rebuttals(state.project)
        read = rebuttals.read(study.paper.id)
        assert read.comments and not any(rebuttals.suggestions(read, comment.id) for comment in read.comments)
        state.selection.choose_edit(study.edits[0].id)
        state.link()
        assert [link.origin for link in state.study.links] == ["person"], "what was hidden is not taken for accepted"
        state.hide_suggestions()
        assert state.study.suggestions and not state.study.hides_suggestions and state.can_suggest()


def test_a_shared_copy_stays_without_suggestions_and_its_work_comes_back(tmp_path: Path) -> None:
    copy = tmp_path / "copy.rejoinder"
    with opened(tmp_path) as state:
        state.hide_suggestions()
        assert state.project is not None
        share(state.project, copy, Choice(parts=frozenset(part.id for part in PARTS)))
        state.hide_suggestions()
        with Project.open(copy, annotator="Bo") as theirs:
            other = LinkingState(theirs)
            other.is_empty()
            other.refresh(state.study.paper.id if state.study.paper else "")
            assert other.study.hides_suggestions and other.study.suggestions == {}
            assert not other.can_show_suggestions() and other.can_decide()
            with pytest.raises(BadInput, match="The person who shared this copy has"):
                other.hide_suggestions()
            other.set_state("answered")
        merge_into(state.project, copy)
        assert not RevisionStore(state.project).hides_suggestions, "a copy says nothing of the project's settings"
        again = tmp_path / "again.rejoinder"
        share(state.project, again, Choice())
        with Project.open(again, annotator="Bo") as theirs:
            assert RevisionStore(theirs).can_show_suggestions
