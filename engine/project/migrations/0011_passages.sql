-- Schema 11. Passages that people link where no edit was found, and edits of the comparison that are none.

ALTER TABLE edit ADD COLUMN passage INTEGER NOT NULL DEFAULT 0 CHECK (passage IN (0, 1)); -- a person selected it; shown while it is linked

CREATE TABLE dismissed_edit (            -- an annotator says that an edit is none
  id TEXT PRIMARY KEY,
  edit_id TEXT NOT NULL REFERENCES edit(id),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (edit_id, annotator_id)
) STRICT;

INSERT INTO journalled_table(name) VALUES ('dismissed_edit');
