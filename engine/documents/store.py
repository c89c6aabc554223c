"""Stores the documents of a project: the files that people added, and what the parser read in them."""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from engine.documents.codec import decode, encode
from engine.documents.records import PARSER, PackedDocument, ParsedDocument, StoredDocument
from engine.errors import BadInput
from engine.project import Project, record, records, values_of

_CACHED = 6


class DocumentStore:
    """Queries and changes ``document`` and ``parsed_document``. Thread-safe."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._cache: OrderedDict[tuple[str, str], ParsedDocument] = OrderedDict()
        self._lock = threading.Lock()

    def documents(self) -> tuple[StoredDocument, ...]:
        """Returns all documents, in the order in which they were added."""
        return tuple(records(StoredDocument, self._project.query("SELECT * FROM document ORDER BY created_at, id")))

    def document(self, document_id: str) -> StoredDocument:
        """Returns one document. Raises KeyError if there is none with this key."""
        return record(StoredDocument, self._project.row("document", document_id))

    def add_document(self, pdf: bytes, filename: str, *, title: str = "", pages: int | None = None) -> str:
        """Adds a PDF to the project and returns its key; a file that exists already keeps its key.

        Raises BadInput if the bytes aren't a PDF.
        """
        if b"%PDF-" not in pdf[:1024]:
            raise BadInput(f"{filename} is not a PDF.", "It was not added.", "Choose a PDF file.")
        sha256 = self._project.put_blob(pdf, "application/pdf")
        row = self._project.query_one("SELECT id FROM document WHERE sha256 = ? ORDER BY created_at", (sha256,))
        if row is not None:
            return str(row[0])
        values = {"sha256": sha256, "filename": filename, "title": title, "pages": pages}
        with self._project.action(f"Add document “{filename}”") as act:
            return act.insert("document", values | {"origin": f"import:{filename}"})

    def pdf_bytes(self, document_id: str) -> bytes:
        """Returns the file as it was added. Raises KeyError, or EnvironmentProblem if it is damaged or missing."""
        return self._project.get_blob(self.document(document_id).sha256)

    def save_parsed(self, document_id: str, parsed: ParsedDocument) -> None:
        """Stores what a parser read. Raises ValueError if it was read from another file."""
        counts = len(parsed.pages), len(parsed.paragraphs)
        packed = PackedDocument(parsed.sha256, parsed.parser, *counts, parsed.seconds, parsed.warnings, encode(parsed))
        self.save_packed(document_id, packed)

    def save_packed(self, document_id: str, parsed: PackedDocument) -> None:
        """Stores what the parser read, encoded by the worker. Raises ValueError like ``save_parsed``."""
        document = self.document(document_id)
        if parsed.sha256 != document.sha256:
            raise ValueError("this was read from another file")
        with self._project.results(f"Read {document.filename}") as write:
            write.delete("parsed_document", sha256=parsed.sha256, parser=parsed.parser)
            write.insert("parsed_document", values_of(parsed, "warnings"))
            write.touched("parsed_document", [parsed.sha256])
        with self._lock:
            self._cache.pop((parsed.sha256, parsed.parser), None)

    def parsed(self, document_id: str) -> ParsedDocument | None:
        """Returns a document's content as read by its preferred parser, else by the first one; None if not read yet."""
        key = self._reading(document_id)
        if key is None:
            return None
        with self._lock:
            cached = self._cache.get(key)
            if cached is not None:
                self._cache.move_to_end(key)
                return cached
        content = self._project.query_one("SELECT content FROM parsed_document WHERE sha256 = ? AND parser = ?", key)
        if content is None:
            return None
        parsed = decode(bytes(content[0]))
        with self._lock:
            self._cache[key] = parsed
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return parsed

    def is_read(self, document_id: str) -> bool:
        """Returns whether a parser has read the document."""
        return self._reading(document_id) is not None

    def is_read_earlier(self, document_id: str) -> bool:
        """Returns whether the document's current text was read by another version of this parser."""
        key = self._reading(document_id)
        return key is not None and key[1] != PARSER and key[1].startswith(PARSER.split()[0])

    def use_reading(self, document_ids: Iterable[str]) -> None:
        """Makes what the current parser read in these documents their text."""
        with self._project.action("Read paper again") as act:
            for key in document_ids:
                act.update("document", key, {"parser": PARSER})

    def _reading(self, document_id: str) -> tuple[str, str] | None:
        """Returns hash and parser of the current reading, None without any."""
        row = self._project.query_one(
            "SELECT p.sha256, p.parser FROM document d JOIN parsed_document p ON p.sha256 = d.sha256 WHERE d.id = ?"
            " ORDER BY p.parser = d.parser DESC, p.created_at LIMIT 1",
            (document_id,),
        )
        return None if row is None else (str(row[0]), str(row[1]))
