"""Tabs over the views of a pane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget


def view_tabs(name: str, titles: Sequence[str], parent: QWidget) -> QTabBar:
    """Tabs alone; what they switch is the pane's."""
    tabs = QTabBar(parent)
    tabs.setAccessibleName(name)
    tabs.setDrawBase(False)
    for title in titles:
        tabs.addTab(title)
    return tabs


def tabbed(name: str, pages: Mapping[str, QWidget], parent: QWidget) -> QTabWidget:
    """Pages by title, with plain tabs."""
    tabs = QTabWidget(parent)
    tabs.setAccessibleName(name)
    tabs.tabBar().setAccessibleName(name)
    tabs.setDocumentMode(True)
    tabs.tabBar().setDrawBase(False)
    for title, page in pages.items():
        tabs.addTab(page, title)
    return tabs
