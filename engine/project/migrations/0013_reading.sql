-- Schema 13. Which reading of a document's text counts, where several versions of the parser have read it.

ALTER TABLE document ADD COLUMN parser TEXT NOT NULL DEFAULT ''; -- as in parsed_document; '': the first one

-- Until now, that was the newest.
UPDATE document SET parser = coalesce((SELECT p.parser FROM parsed_document p WHERE p.sha256 = document.sha256
  ORDER BY p.created_at DESC LIMIT 1), '');
