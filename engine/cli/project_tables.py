"""``rejoinder project tables``, ``rows`` and ``query``: a project's content for scripts, read-only."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from engine.cli.output import PATH, json_text, path_argument, remark
from engine.errors import BadInput, not_read
from engine.exchange.io import FRAME_FILES, csv_text, frame_file
from engine.files import write_whole
from engine.frames import FRAMES
from engine.project import Project
from engine.shown import shortened, visible, visible_line

Table = tuple[Sequence[str], Sequence[Sequence[Any]]]
"""The names of the columns, and the rows."""
Command = TypeVar("Command", bound=Callable[..., object])
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def _format(command: Command) -> Command:
    formats = click.Choice(["table", "csv", "tsv", "json", "jsonl"])
    command = click.option("--json", "style", flag_value="json", help="Same as --format json.")(command)
    return click.option("--format", "style", type=formats, default="table")(command)


@click.command()
@path_argument
@_format
def tables(path: Path, style: str) -> None:
    """List a project's tables with their columns and row counts."""
    with Project.open(path, read_only=True) as project:
        found = sorted((table.name, table.count, [*table.columns_dict]) for table in project.db.tables)
    listed = style in {"json", "jsonl"}
    rows = [(name, count, columns if listed else " ".join(columns)) for name, count, columns in found]
    _print((("table", "rows", "columns"), rows), style, widest=None)


@click.command()
@path_argument
@click.argument("table")
@click.option("--where", help="A condition in SQL, such as \"reviewer = 'R2'\".")
@click.option("--limit", type=click.IntRange(min=0), help="Maximum number of rows to print.")
@_format
def rows(path: Path, table: str, where: str | None, limit: int | None, style: str) -> None:
    """Print the rows of a table. For files stored in it, only the size is printed."""
    with Project.open(path, read_only=True) as project:
        names = project.db.table_names()
        if table not in names:
            raise not_read(f"{path.name} has no table “{table}”.", f"Choose one of: {', '.join(sorted(names))}.")
        condition = f" WHERE {where}" if where else ""
        sql = f'SELECT * FROM "{table}"{condition} LIMIT ?'  # noqa: S608 - the user's own SQL, which can only read
        found = _read(project, sql, (-1 if limit is None else limit,))
    _print(found, style)


@click.command()
@path_argument
@click.argument("sql")
@_format
def query(path: Path, sql: str, style: str) -> None:
    """Print the result of a SELECT statement. Other statements are refused."""
    with Project.open(path, read_only=True) as project:
        found = _read(project, sql)
    _print(found, style)


@click.command()
@path_argument
@click.argument("name", type=click.Choice(sorted(FRAMES)))
@click.argument("target", type=PATH)
def frame(path: Path, name: str, target: Path) -> None:
    """Export a project's data frame to a .csv, .tsv, .xlsx or .parquet file."""
    if target.suffix.lower() not in FRAME_FILES and (target.is_file() or not target.exists()):  # or a pipe, for CSV
        raise BadInput(
            f"{target.name} isn't a supported kind of table.",
            "Nothing was written.",
            f"Use a name that ends in {', '.join(FRAME_FILES)}.",
        )
    with Project.open(path, read_only=True) as project:
        write_whole(target, frame_file(target.name, FRAMES[name](project)).content)
    remark(f"Wrote {target.name}.")


def _read(project: Project, sql: str, parameters: Sequence[object] = ()) -> Table:
    """Returns the result of a user's statement, which is only allowed to read tables."""
    connection = project.connection()
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY)
    try:
        cursor = connection.execute(sql, parameters)
        columns = tuple(column[0] for column in cursor.description or ())
        if not columns:
            raise not_read("The query is empty.", "Write a SELECT statement.")
        return columns, [tuple(row) for row in cursor]
    except (sqlite3.Error, sqlite3.Warning) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_AUTH:
            raise BadInput(
                "This statement isn't a plain query.", "It was not run.", "Only SELECT statements can be used here."
            ) from error
        what = visible_line(str(error)).rstrip(".")
        raise not_read(
            f"The query can't be run: {what}.",
            f"`rejoinder project tables {project.path.name}` lists the tables and their columns.",
        ) from error
    finally:
        connection.set_authorizer(None)


def _print(table: Table, style: str, widest: int | None = 60) -> None:
    """Prints a table; ``widest`` is the maximum width of a cell in tables for people, None for no limit."""
    columns, found = table
    cells = [[f"({len(cell):,} bytes)" if isinstance(cell, bytes) else cell for cell in row] for row in found]
    if style in {"json", "jsonl"}:
        if twice := next((name for name in columns if columns.count(name) > 1), ""):
            raise not_read(f"Two columns of the result are named {twice}.", "Name them apart with AS.")
        objects = [dict(zip(columns, row, strict=True)) for row in cells]
        texts = [json_text(one, None) for one in objects] if style == "jsonl" else [json_text(objects)]
        click.echo("".join(f"{text}\n" for text in texts), nl=False)
        return
    shown = [[visible(cell) if isinstance(cell, str) else cell for cell in row] for row in ([*columns], *cells)]
    if style in {"csv", "tsv"}:
        click.echo(csv_text(shown, delimiter="," if style == "csv" else "\t"), nl=False)
        return
    lines = [[_line(cell, widest) for cell in row] for row in shown]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _line(cell: object, widest: int | None) -> str:
    text = "" if cell is None else str(cell)
    return shortened(text, len(text) + 1 if widest is None else widest)
