"""The project file: one SQLite database with undo, history, backups and change notifications."""

from engine.project.action import Action
from engine.project.backup import backups, last_good_backup, restore
from engine.project.database import DamagedProject
from engine.project.ids import new_id, now
from engine.project.people import PARTY, require_no_party
from engine.project.project import Project, Store
from engine.project.records import Backup, Changes, HistoryEntry, Holder
from engine.project.tables import keyed, record, records, row_of, values_of

__all__ = [
    "PARTY", "Action", "Backup", "Changes", "DamagedProject", "HistoryEntry", "Holder", "Project", "Store", "backups",
    "keyed", "last_good_backup", "new_id", "now", "record", "records", "require_no_party", "restore", "row_of",
    "values_of",
]  # fmt: skip
