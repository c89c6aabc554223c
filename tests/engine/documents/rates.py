"""What the hidden-text check finds of the attacked papers, and how often it alarms at honest ones."""

from __future__ import annotations

from engine.documents.service import DocumentService
from tests.engine.documents.attacks import SPEAKING, WAYS, attacked, caught
from tests.engine.documents.honest import LOOKS, clean


def found(service: DocumentService, each: int, first: int = 0) -> dict[str, float]:
    """For every way the share found, 0 to 1, of ``each`` PDFs with the seeds from ``first`` on."""
    seeds = range(first, first + each)
    return {
        way: sum(caught(way, service.inspect(attacked(way, seed).pdf)) for seed in seeds) / each
        for way in (*WAYS, *SPEAKING)
    }


def alarms(service: DocumentService, each: int, first: int = 0) -> dict[str, float]:
    """For every look the share of honest papers at which something was found."""
    seeds = range(first, first + each)
    return {look: sum(not service.inspect(clean(look, seed)).clean for seed in seeds) / each for look in LOOKS}
