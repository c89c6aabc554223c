-- Schema 5. Clusters of review sentences, candidate rebuttals, and the preferences between them.

-- human work -------------------------------------------------------------------------------------------------------
CREATE TABLE preference_cluster (        -- review sentences of one attitude root and theme, and the action that answers them
  id TEXT PRIMARY KEY,
  root TEXT NOT NULL,
  theme TEXT NOT NULL,
  action TEXT NOT NULL,
  external_id TEXT NOT NULL DEFAULT '',  -- the name in the file it came from
  schedule TEXT NOT NULL DEFAULT 'exhaustive' CHECK (schedule IN ('exhaustive', 'adaptive')),
  repeats REAL NOT NULL DEFAULT 0.1 CHECK (repeats BETWEEN 0 AND 1), -- share of pairs shown again with sides swapped
  overlap REAL NOT NULL DEFAULT 1 CHECK (overlap BETWEEN 0 AND 1),   -- share of pairs that everybody judges
  team TEXT NOT NULL DEFAULT '[]',       -- names among whom the other pairs are dealt; names, since keys differ by file
  basis TEXT NOT NULL DEFAULT 'all',     -- whose judgements rank: 'all', 'adjudicated', or an annotator's name
  suitable_from REAL NOT NULL DEFAULT 0.5 CHECK (suitable_from BETWEEN 0 AND 1),
  specific_to REAL NOT NULL DEFAULT 0.5 CHECK (specific_to BETWEEN 0 AND 1),
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'import:<file name>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX preference_cluster_by_position ON preference_cluster(position, id);

-- Sentences and candidates are copies: a cluster outlives the review it was made from, so source_id refers to nothing.
CREATE TABLE cluster_sentence (          -- a review sentence of a cluster, in the order in which it is shown
  id TEXT PRIMARY KEY,
  cluster_id TEXT NOT NULL REFERENCES preference_cluster(id),
  text TEXT NOT NULL,
  source_id TEXT NOT NULL DEFAULT '',    -- the source_text that it was copied from; '' without one
  start_offset INTEGER,
  end_offset INTEGER,
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX cluster_sentence_by_cluster ON cluster_sentence(cluster_id, position);

CREATE TABLE rebuttal_candidate (        -- a rebuttal sentence that may be canonical for its cluster
  id TEXT PRIMARY KEY,
  cluster_id TEXT NOT NULL REFERENCES preference_cluster(id),
  text TEXT NOT NULL,
  decision TEXT CHECK (decision IN ('in', 'out')), -- a person's word; NULL: suitability and specificity decide
  source_id TEXT NOT NULL DEFAULT '',
  start_offset INTEGER,
  end_offset INTEGER,
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX rebuttal_candidate_by_cluster ON rebuttal_candidate(cluster_id, position);

CREATE TABLE preference_judgement (      -- one look at one pair
  id TEXT PRIMARY KEY,
  cluster_id TEXT NOT NULL REFERENCES preference_cluster(id),
  left_id TEXT NOT NULL REFERENCES rebuttal_candidate(id),  -- the side is the log of what stood where
  right_id TEXT NOT NULL REFERENCES rebuttal_candidate(id),
  answer TEXT NOT NULL CHECK (answer IN ('left', 'right', 'tie', 'unsuitable', 'skip')),
  note TEXT NOT NULL DEFAULT '',
  milliseconds INTEGER CHECK (milliseconds >= 0), -- from the pair's first paint to the key; NULL: not known
  repeat INTEGER NOT NULL DEFAULT 0 CHECK (repeat IN (0, 1)), -- the same pair again, sides swapped
  origin TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (left_id <> right_id)
) STRICT;
CREATE INDEX preference_judgement_by_cluster ON preference_judgement(cluster_id, annotator_id, created_at);
CREATE INDEX preference_judgement_by_left ON preference_judgement(left_id);
CREATE INDEX preference_judgement_by_right ON preference_judgement(right_id);

CREATE TABLE preference_adjudication (   -- what holds where annotators differ on a pair; their judgements stay as they are
  id TEXT PRIMARY KEY,
  cluster_id TEXT NOT NULL REFERENCES preference_cluster(id),
  first_id TEXT NOT NULL REFERENCES rebuttal_candidate(id),  -- the smaller key of the two
  second_id TEXT NOT NULL REFERENCES rebuttal_candidate(id),
  verdict TEXT NOT NULL CHECK (verdict IN ('first', 'second', 'tie', 'unsuitable')),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),       -- who decided
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (first_id, second_id),
  CHECK (first_id < second_id)
) STRICT;
CREATE INDEX preference_adjudication_by_cluster ON preference_adjudication(cluster_id);

CREATE TABLE cluster_description (       -- a description that a person wrote
  id TEXT PRIMARY KEY,
  cluster_id TEXT NOT NULL REFERENCES preference_cluster(id),
  text TEXT NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (cluster_id, annotator_id)
) STRICT;

CREATE TABLE description_choice (        -- the blind choice between a written and an extracted description
  id TEXT PRIMARY KEY,
  cluster_id TEXT NOT NULL REFERENCES preference_cluster(id),
  written TEXT NOT NULL,                 -- both as they stood when they were compared
  extracted TEXT NOT NULL,
  left_kind TEXT NOT NULL CHECK (left_kind IN ('written', 'extracted')),
  choice TEXT NOT NULL CHECK (choice IN ('written', 'extracted', 'tie')),
  milliseconds INTEGER CHECK (milliseconds >= 0),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (cluster_id, annotator_id)
) STRICT;

INSERT INTO journalled_table(name) VALUES
  ('preference_cluster'), ('cluster_sentence'), ('rebuttal_candidate'), ('preference_judgement'),
  ('preference_adjudication'), ('cluster_description'), ('description_choice');

-- results ----------------------------------------------------------------------------------------------------------
CREATE TABLE extracted_description (     -- the most central sentence of a cluster
  cluster_id TEXT PRIMARY KEY,
  sentence_id TEXT NOT NULL,
  text TEXT NOT NULL,
  mean_cosine REAL NOT NULL,             -- to the other sentences of the cluster
  sentences INTEGER NOT NULL,            -- how many there were
  origin TEXT NOT NULL,                  -- 'model:<encoder>@<fingerprint>'
  created_at TEXT NOT NULL
) STRICT;
