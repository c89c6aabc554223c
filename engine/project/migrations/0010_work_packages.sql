-- Schema 10. Work packages: what a lead handed out to whom, and what came back.

CREATE TABLE work_round (                -- items of one kind that were handed out together
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  task TEXT NOT NULL CHECK (task IN ('papers', 'reviews', 'sentences', 'pairs', 'survey')), -- what the items are
  guidelines TEXT NOT NULL DEFAULT '',   -- Markdown, for everybody who works on it
  training TEXT NOT NULL DEFAULT '[]',   -- list of {item, answer}: what everybody does first, with the answers as feedback
  settings TEXT NOT NULL DEFAULT '{}',   -- object: overlap, raters, seed, hide_authors
  position INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id), -- the lead
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE work_package (              -- one person's part; annotator_id is that person
  id TEXT PRIMARY KEY,
  round_id TEXT NOT NULL REFERENCES work_round(id),
  role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator', 'observer')),
  items TEXT NOT NULL DEFAULT '[]',      -- list of items in the order in which they come, parts of an item divided by colons
  held TEXT NOT NULL DEFAULT '[]',       -- list of what came back and has no row: taken back, or of what is not here
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (round_id, annotator_id)
) STRICT;

CREATE TABLE work_return (               -- a results file that was imported; annotator_id is whose it is
  id TEXT PRIMARY KEY,
  package_id TEXT NOT NULL REFERENCES work_package(id),
  content_hash TEXT NOT NULL,
  filename TEXT NOT NULL,
  written_at TEXT NOT NULL,              -- as the file says
  decisions INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (package_id, content_hash)
) STRICT;

INSERT INTO journalled_table(name) VALUES ('work_round'), ('work_package'), ('work_return');
