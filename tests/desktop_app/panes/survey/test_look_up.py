"""A paper that was entered by its identifier alone is looked up, if and only if a connector is switched on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.panes.survey.participant import ParticipantPane
from desktop_app.panes.survey.state import RATINGS
from desktop_app.window import MainWindow
from engine.papers import connectors
from tests.desktop_app.panes.survey.surveys import begun, open_survey
from tests.engine.papers.catalogue_server import Catalogue

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2001.01234v1</id>
<title>On reading one paper</title><summary>It can be read.</summary><published>2020-01-01</published>
<author><name>Bea Other</name></author></entry></feed>"""


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Catalogue]:
    served = Catalogue(lambda _path: (200, ATOM.encode()))
    monkeypatch.setattr(connectors, "ADDRESSES", dict.fromkeys(connectors.CONNECTORS, served.url))
    yield served
    served.close()


@pytest.fixture
def pane(window: MainWindow) -> ParticipantPane:
    found = open_survey(window, begun([]))
    found.go_to(RATINGS)
    return found


def _only_paper(pane: ParticipantPane) -> tuple[str, str]:
    assert pane.state.store is not None and pane.state.survey is not None
    (row,) = pane.state.store.rows(pane.state.survey.participant.id)
    return row.paper.title, row.paper.abstract


@pytest.mark.loopback
def test_nothing_is_asked_by_default(window: MainWindow, pane: ParticipantPane, catalogue: Catalogue) -> None:
    assert window.status.network.text() == "network: none"
    pane.add_entry("arXiv:2001.01234")
    assert _only_paper(pane) == ("", "") and catalogue.paths == []


@pytest.mark.loopback
def test_what_is_found_completes_the_paper(
    qtbot: QtBot, window: MainWindow, pane: ParticipantPane, catalogue: Catalogue
) -> None:
    window.settings.set("network.arxiv", True)
    assert window.status.network.text() == "network: arXiv"
    pane.add_entry("arXiv:2001.01234")
    qtbot.waitUntil(lambda: _only_paper(pane) == ("On reading one paper", "It can be read."), timeout=10_000)
    assert catalogue.paths == ["/query?id_list=2001.01234"]
    assert pane.project is not None and pane.project.undo_title == "Complete paper"
    window.settings.set("network.arxiv", False)
    assert window.status.network.text() == "network: none"


@pytest.mark.loopback
def test_a_catalogue_that_fails_is_told_and_the_paper_stays(
    qtbot: QtBot, window: MainWindow, pane: ParticipantPane, catalogue: Catalogue
) -> None:
    catalogue.close()
    window.settings.set("network.arxiv", True)
    pane.add_entry("arXiv:2001.01234")
    qtbot.waitUntil(lambda: any("arXiv" in notice.what for notice in pane.banner.notices), timeout=10_000)
    assert _only_paper(pane) == ("", "")
