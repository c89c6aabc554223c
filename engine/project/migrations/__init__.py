"""The chain of migrations: ``NNNN_name.sql`` leads from schema NNNN-1 to NNNN. Released steps stay as they are."""

import re
import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib import resources

from engine.project.database import transaction
from engine.project.journal import create_triggers


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; ``version`` is the schema that it leads to."""

    version: int
    script: str


@cache
def chain() -> tuple[Migration, ...]:
    found = []
    for file in resources.files(__name__).iterdir():
        match = re.fullmatch(r"(\d{4})_\w+\.sql", file.name)
        if match:
            found.append(Migration(int(match[1]), file.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda step: step.version))


def latest_version() -> int:
    """The schema that this program writes."""
    return chain()[-1].version


def migrate(connection: sqlite3.Connection) -> None:
    """Brings the open file to the latest schema, each step with its version in one transaction."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    for step in chain():
        if step.version <= version:
            continue
        with transaction(connection, "EXCLUSIVE"):
            for statement in statements(step.script):
                connection.execute(statement)
            create_triggers(connection)
            connection.execute(f"PRAGMA user_version = {step.version}")


def statements(script: str) -> list[str]:
    """The single statements of a script (executescript would commit on its own)."""
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    if pending.strip() and not all(part.strip().startswith("--") or not part.strip() for part in pending.splitlines()):
        raise ValueError("the script ends in the middle of a statement")
    return found
