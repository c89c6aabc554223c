-- Schema 4. Labels of review sentences: what heads suggest and what people decided.

-- labels: human work -----------------------------------------------------------------------------------------------
CREATE TABLE sentence_label (            -- what a person, or a file, says of one sentence in one layer
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES source_text(id),
  start_offset INTEGER NOT NULL CHECK (start_offset >= 0),
  end_offset INTEGER NOT NULL CHECK (end_offset > start_offset),
  layer TEXT NOT NULL CHECK (layer IN ('polarity', 'aspect', 'theme', 'review_action', 'actionable', 'action')),
  labels TEXT NOT NULL,                  -- list of label ids of resources/taxonomies; empty: none of them holds
  origin TEXT NOT NULL,                  -- 'person' | 'model:<heads>@<version>' (accepted) | 'import:<file name>'
  confidence REAL,                       -- of an accepted suggestion, when it was made
  imported INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1)), -- came with a file: everybody sees it below their own
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (source_id, start_offset, end_offset, layer, annotator_id, imported)
) STRICT;

CREATE TABLE sentence_label_decision (   -- what was offered, taken and refused measures the heads, so the offer is copied
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL REFERENCES source_text(id),
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  layer TEXT NOT NULL,
  decision TEXT NOT NULL CHECK (decision IN ('accepted', 'rejected')),
  labels TEXT NOT NULL,                  -- what was offered
  confidence REAL NOT NULL,
  origin TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (source_id, start_offset, end_offset, layer, annotator_id)
) STRICT;

INSERT INTO journalled_table(name) VALUES ('sentence_label'), ('sentence_label_decision');

-- labels: results --------------------------------------------------------------------------------------------------
CREATE TABLE sentence_suggestion (       -- what heads and rules offer; a new run over a text replaces its former one
  source_id TEXT NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  layer TEXT NOT NULL,
  labels TEXT NOT NULL,                  -- list of label ids, the surest first
  confidence TEXT NOT NULL,              -- list of chances, one a label
  origin TEXT NOT NULL,                  -- 'model:<heads>@<version>' | 'rules:<name>@<version>'
  created_at TEXT NOT NULL,
  PRIMARY KEY (source_id, start_offset, end_offset, layer)
) STRICT, WITHOUT ROWID;

CREATE TABLE trained_heads (             -- heads that were trained on the labels of this project
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  card TEXT NOT NULL,                    -- data, split, seed, figures, as in resources/heads/*.json
  weights BLOB NOT NULL,                 -- safetensors
  used INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)), -- for its layers, instead of the heads that ship
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
