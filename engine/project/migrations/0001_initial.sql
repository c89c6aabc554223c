-- Schema 1. Keys are UUIDv7 text, times ISO 8601 in UTC, lists and pairs JSON in TEXT, offsets code points.
-- Tables of human work are listed in journalled_table: they have a key named id, no blobs, and no cascades, since undo
-- plays single rows back. Tables of results (what parsers and models compute) refer to human work without a foreign key:
-- a result may outlive what it was computed from, and undo brings that back. Results that human work refers to are never
-- deleted.

CREATE TABLE project_info (              -- title, id, created_at, current annotator, holder
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE annotator (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE action (                    -- one act, one undo step
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  state TEXT NOT NULL CHECK (state IN ('done', 'undone', 'abandoned')),
  coalesce_key TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX action_by_state ON action(state, id);

CREATE TABLE journal (                   -- every row an act changed, before and after; never rewritten
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  action_id INTEGER NOT NULL REFERENCES action(id),
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  before TEXT,
  after TEXT
) STRICT;
CREATE INDEX journal_by_action ON journal(action_id);

CREATE TABLE journal_real (              -- doubles of a journalled row, bit for bit: JSON keeps only 15 digits
  seq INTEGER NOT NULL REFERENCES journal(seq),
  side TEXT NOT NULL CHECK (side IN ('before', 'after')),
  column_name TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (seq, side, column_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_context (           -- the action whose changes the triggers write down; NULL outside an action
  id INTEGER PRIMARY KEY CHECK (id = 1),
  action_id INTEGER
) STRICT;
INSERT INTO journal_context(id, action_id) VALUES (1, NULL);

CREATE TABLE journalled_table (name TEXT PRIMARY KEY) STRICT;

CREATE TABLE blob (                      -- files, by content; never journalled, collected by compact
  sha256 TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

-- papers and documents ---------------------------------------------------------------------------------------------
CREATE TABLE paper (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  abstract TEXT NOT NULL DEFAULT '',
  external_id TEXT NOT NULL DEFAULT '',  -- the id in the file it came from (ARIES doc_id), for export
  position INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX paper_by_position ON paper(position);

CREATE TABLE document (                  -- a file that a person brought in
  id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  filename TEXT NOT NULL,
  media_type TEXT NOT NULL DEFAULT 'application/pdf',
  title TEXT NOT NULL DEFAULT '',
  pages INTEGER,
  origin TEXT NOT NULL,                  -- 'import:<file name>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX document_by_hash ON document(sha256);

CREATE TABLE paper_version (             -- submitted, revised, camera-ready...: any pair can be compared
  id TEXT PRIMARY KEY,
  paper_id TEXT NOT NULL REFERENCES paper(id),
  document_id TEXT NOT NULL REFERENCES document(id),
  label TEXT NOT NULL,
  position INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX paper_version_by_paper ON paper_version(paper_id, position);

CREATE TABLE parsed_document (           -- result: what a parser read; one row a file and parser
  sha256 TEXT NOT NULL,
  parser TEXT NOT NULL,
  content BLOB NOT NULL,
  pages INTEGER NOT NULL,
  paragraphs INTEGER NOT NULL,
  seconds REAL NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (sha256, parser)
) STRICT;

CREATE TABLE anchor (                    -- a place in a document that a person pointed at
  id TEXT PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES document(id),
  owner_table TEXT NOT NULL DEFAULT '',  -- what it belongs to
  owner_id TEXT NOT NULL DEFAULT '',
  quote TEXT NOT NULL,
  prefix TEXT NOT NULL DEFAULT '',
  suffix TEXT NOT NULL DEFAULT '',
  paragraph_id TEXT NOT NULL DEFAULT '',
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  boxes TEXT NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  origin TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX anchor_by_document ON anchor(document_id);
CREATE INDEX anchor_by_owner ON anchor(owner_table, owner_id);

-- reviews ----------------------------------------------------------------------------------------------------------
CREATE TABLE source_text (               -- a review or letter as it came in: kept whole, never rewritten
  id TEXT PRIMARY KEY,
  paper_id TEXT REFERENCES paper(id),
  title TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('review', 'letter', 'meta-review', 'reply')),
  media_type TEXT NOT NULL CHECK (media_type IN ('text/plain', 'text/markdown')),
  reviewer TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL,
  fields TEXT NOT NULL DEFAULT '[]',     -- list of [name, value], in order of the source
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'import:<file name>' | 'person'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX source_text_by_paper ON source_text(paper_id, position);
CREATE INDEX source_text_by_position ON source_text(position);

CREATE TABLE comment (                   -- one request of a reviewer
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES source_text(id),
  external_id TEXT NOT NULL DEFAULT '',  -- the id in the file it came from (ARIES comment_id), for export
  reviewer TEXT NOT NULL DEFAULT '',
  comment TEXT NOT NULL,
  context TEXT NOT NULL DEFAULT '',
  response TEXT NOT NULL DEFAULT '',
  actionable INTEGER NOT NULL DEFAULT 1 CHECK (actionable IN (0, 1)),
  action TEXT CHECK (action IN ('compare', 'apply', 'use', 'define', 'discuss', 'report', 'explain', 'remove', 'other')),
  extra TEXT NOT NULL DEFAULT '[]',      -- list of [name, value]: fields of the import that this table has no place for
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'model:<name>@<version>' | 'import:<file name>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX comment_by_source ON comment(source_id, position);
CREATE INDEX comment_by_position ON comment(position);

CREATE TABLE comment_span (              -- several spans a role make one comment
  id TEXT PRIMARY KEY,
  comment_id TEXT NOT NULL REFERENCES comment(id),
  role TEXT NOT NULL CHECK (role IN ('comment', 'context', 'response')),
  position INTEGER NOT NULL,
  start_offset INTEGER NOT NULL CHECK (start_offset >= 0),
  end_offset INTEGER NOT NULL CHECK (end_offset >= start_offset)
) STRICT;
CREATE INDEX comment_span_by_comment ON comment_span(comment_id, role, position);

-- revision: results ------------------------------------------------------------------------------------------------
CREATE TABLE revision (                  -- a pair of versions of one paper
  id TEXT PRIMARY KEY,
  source_document_id TEXT NOT NULL,
  target_document_id TEXT NOT NULL,
  parameters TEXT NOT NULL DEFAULT '{}', -- parsers and thresholds of the comparison
  unchanged TEXT NOT NULL DEFAULT '[]',  -- list of [[source ids], [target ids]]
  seconds REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (source_document_id, target_document_id)
) STRICT;

CREATE TABLE edit (                      -- kept with current = 0 when a new comparison no longer finds it
  id TEXT PRIMARY KEY,
  revision_id TEXT NOT NULL REFERENCES revision(id),
  position INTEGER NOT NULL,
  current INTEGER NOT NULL DEFAULT 1 CHECK (current IN (0, 1)),
  label TEXT NOT NULL,                   -- for people and exports (e031)
  kind TEXT NOT NULL CHECK (kind IN ('added', 'deleted', 'minor', 'major', 'moved')),
  operation TEXT NOT NULL CHECK (operation IN ('add', 'delete', 'edit', 'move', 'split', 'merge', 'split+merge')),
  moved INTEGER NOT NULL CHECK (moved IN (0, 1)),
  source_ids TEXT NOT NULL,
  target_ids TEXT NOT NULL,
  source_text TEXT NOT NULL,
  target_text TEXT NOT NULL,
  section TEXT NOT NULL DEFAULT '',
  tokens_removed INTEGER NOT NULL,
  tokens_added INTEGER NOT NULL
) STRICT;
CREATE INDEX edit_by_revision ON edit(revision_id, current, position);

CREATE TABLE suggestion_run (
  id TEXT PRIMARY KEY,
  revision_id TEXT NOT NULL REFERENCES revision(id),
  strategy TEXT NOT NULL,                -- the aligner's id in the registry
  origin TEXT NOT NULL,                  -- 'model:<strategy>@<version or model hash>'
  parameters TEXT NOT NULL DEFAULT '{}',
  use_responses INTEGER NOT NULL CHECK (use_responses IN (0, 1)),
  complete INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)), -- readers ignore a run that is not
  seconds REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX suggestion_run_by_revision ON suggestion_run(revision_id, strategy, created_at);

CREATE TABLE suggestion (
  run_id TEXT NOT NULL REFERENCES suggestion_run(id) ON DELETE CASCADE,
  comment_id TEXT NOT NULL,
  edit_id TEXT NOT NULL REFERENCES edit(id),
  rank INTEGER NOT NULL CHECK (rank >= 1),
  score REAL NOT NULL,
  linked INTEGER NOT NULL CHECK (linked IN (0, 1)), -- over the strategy's threshold
  reasons TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (run_id, comment_id, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX suggestion_by_comment ON suggestion(comment_id, run_id);
CREATE INDEX suggestion_by_edit ON suggestion(edit_id);

-- revision: human work ---------------------------------------------------------------------------------------------
CREATE TABLE edit_link (
  id TEXT PRIMARY KEY,
  comment_id TEXT NOT NULL REFERENCES comment(id),
  edit_id TEXT NOT NULL REFERENCES edit(id),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  origin TEXT NOT NULL,                  -- 'person' | 'model:<strategy>@<version>' (accepted) | 'import:<file name>'
  confidence REAL,
  note TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (comment_id, edit_id, annotator_id)
) STRICT;
CREATE INDEX edit_link_by_edit ON edit_link(edit_id);

CREATE TABLE comment_state (             -- what a person decided on a comment; no row is undecided
  id TEXT PRIMARY KEY,
  revision_id TEXT NOT NULL REFERENCES revision(id),
  comment_id TEXT NOT NULL REFERENCES comment(id),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  state TEXT NOT NULL CHECK (state IN ('undecided', 'linked', 'answered', 'visual_only', 'not_addressed', 'no_edit_found')),
  note TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (revision_id, comment_id, annotator_id)
) STRICT;
CREATE INDEX comment_state_by_comment ON comment_state(comment_id);

CREATE TABLE suggestion_decision (       -- what was taken and refused measures the model, so score and rank are copied
  id TEXT PRIMARY KEY,
  comment_id TEXT NOT NULL REFERENCES comment(id),
  edit_id TEXT NOT NULL REFERENCES edit(id),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  decision TEXT NOT NULL CHECK (decision IN ('accepted', 'rejected')),
  origin TEXT NOT NULL,
  score REAL NOT NULL,
  rank INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (comment_id, edit_id, annotator_id)
) STRICT;
CREATE INDEX suggestion_decision_by_edit ON suggestion_decision(edit_id);

INSERT INTO journalled_table(name) VALUES
  ('paper'), ('document'), ('paper_version'), ('anchor'),
  ('source_text'), ('comment'), ('comment_span'),
  ('edit_link'), ('comment_state'), ('suggestion_decision');

-- calibration: human work ------------------------------------------------------------------------------------------
CREATE TABLE score_table (               -- a table of review scores that a person brought in
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  columns TEXT NOT NULL DEFAULT '{}',    -- which column of the file held what
  problems TEXT NOT NULL DEFAULT '[]',   -- list of [row, kind, sentence, what was decided]
  cutoff INTEGER CHECK (cutoff > 0),     -- how many items lie above the line
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'import:<file name>' | 'synthetic:<seed>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE score_review (              -- one referee's score of one item
  id TEXT PRIMARY KEY,
  table_id TEXT NOT NULL REFERENCES score_table(id),
  item TEXT NOT NULL,
  referee TEXT NOT NULL,
  score REAL NOT NULL,
  confidence REAL NOT NULL CHECK (confidence > 0),
  further TEXT NOT NULL DEFAULT '[]',    -- list of [column, score]: soundness and the like
  source_row INTEGER NOT NULL,           -- the row of the file it came from, the first line is 1
  position INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX score_review_by_table ON score_review(table_id, position);

CREATE TABLE calibration_scenario (      -- a named "what if" over a table
  id TEXT PRIMARY KEY,
  table_id TEXT NOT NULL REFERENCES score_table(id),
  name TEXT NOT NULL,
  method TEXT NOT NULL,                  -- the calibrator's id in the registry
  prior_precision REAL CHECK (prior_precision >= 0), -- lambda; NULL: the method's own choice
  score_name TEXT NOT NULL DEFAULT '',   -- which score is calibrated; '': the main one
  position INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX calibration_scenario_by_table ON calibration_scenario(table_id, position);

CREATE TABLE calibration_change (        -- one intervention of a scenario
  id TEXT PRIMARY KEY,
  scenario_id TEXT NOT NULL REFERENCES calibration_scenario(id),
  kind TEXT NOT NULL CHECK (kind IN ('exclude_review', 'exclude_referee', 'set_score', 'add_review',
                                     'pin_score', 'pin_bias', 'pin_trust')),
  review_id TEXT NOT NULL DEFAULT '',
  item TEXT NOT NULL DEFAULT '',
  referee TEXT NOT NULL DEFAULT '',
  value REAL,
  confidence REAL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX calibration_change_by_scenario ON calibration_change(scenario_id);

INSERT INTO journalled_table(name) VALUES
  ('score_table'), ('score_review'), ('calibration_scenario'), ('calibration_change');
