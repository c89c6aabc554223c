"""The chain of migrations: ``NNNN_name.sql`` leads from schema NNNN-1 to NNNN. Released steps are never changed."""

import re
import sqlite3
from dataclasses import dataclass
from functools import cache
from importlib import resources

from engine.project.database import transaction
from engine.project.journal import create_triggers


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; ``version`` is the schema it leads to."""

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
    """Returns the schema version that this program writes."""
    return chain()[-1].version


def migrate(connection: sqlite3.Connection) -> None:
    """Migrates the open file to the latest schema; each step and its version are one transaction."""
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
    """Splits a script into statements, because ``executescript`` would commit the open transaction."""
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    if pending.strip() and not all(part.strip().startswith("--") or not part.strip() for part in pending.splitlines()):
        raise ValueError("the script ends in the middle of a statement")
    return found
