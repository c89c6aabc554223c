"""The files inside a project, stored under the hash of their content."""

import hashlib

from engine.errors import EnvironmentProblem
from engine.project.database import DamagedProject
from engine.project.records import ProjectFile


def put(project: ProjectFile, content: bytes, media_type: str) -> str:
    """Stores a file and returns its SHA-256 in hex. Equal content is stored once."""
    key = hashlib.sha256(content).hexdigest()
    if project.query_one("SELECT 1 FROM blob WHERE sha256 = ?", (key,)) is None:
        with project.results("Keep file") as write:
            row = {"sha256": key, "media_type": media_type, "size": len(content), "bytes": content}
            write.db.table("blob").insert(row, ignore=True)
    return key


def get(project: ProjectFile, sha256: str) -> bytes:
    """Returns the content of a file.

    Raises:
        EnvironmentProblem: it is missing.
        DamagedProject: it no longer matches its hash.
    """
    row = project.query_one("SELECT bytes FROM blob WHERE sha256 = ?", (sha256,))
    if row is None:
        raise EnvironmentProblem("A file is missing from this project.", "It can't be shown.", "Import it again.")
    content = bytes(row[0])
    if hashlib.sha256(content).hexdigest() != sha256:
        raise DamagedProject(
            "A file inside the project is damaged.",
            "It can't be shown.",
            "Restore the last good backup, or import it again.",
        )
    return content


def problems(project: ProjectFile) -> list[str]:
    """Returns one sentence for each file that no longer matches its hash."""
    return [
        f"the stored file {row['sha256'][:12]}… no longer matches its hash"
        for row in project.query("SELECT sha256, bytes FROM blob")
        if hashlib.sha256(row["bytes"]).hexdigest() != row["sha256"]
    ]
