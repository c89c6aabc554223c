"""The jobs that write a rebuttal. No Qt here."""

from __future__ import annotations

from pathlib import Path

from desktop_app.writing import Beside, IntoFolder, Written, write_beside, write_export
from engine.documents.service import DocumentService
from engine.exchange.rebuttal_forms import Form, Leaving, make
from engine.jobs import Task


def folder_task(leaving: Leaving, folder: Path, service: DocumentService) -> Task[IntoFolder, Written]:
    """The job that writes the posts into a folder."""
    return write_export("rebuttal.export", folder, lambda _report: make("posts", leaving, "", service))


def file_task(form: Form, leaving: Leaving, path: Path, service: DocumentService) -> Task[Beside, tuple[str, ...]]:
    """The job that writes one file; it returns its path."""
    return write_beside("rebuttal.export", path, lambda _report: make(form, leaving, path.name, service).files)
