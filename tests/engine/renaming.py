"""What typing a paper's title would do: steps that coalesce."""

from __future__ import annotations

from engine.project import Project


def rename_paper(project: Project, paper_id: str, title: str) -> None:
    """Gives a paper another title; what is typed within a minute is one step."""
    with project.action("Rename paper", coalesce=f"paper-title:{paper_id}") as act:
        act.update("paper", paper_id, {"title": title})
