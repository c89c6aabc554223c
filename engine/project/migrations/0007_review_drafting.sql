-- Schema 7. Drafts of reviews, their evidence, the runs that assisted, and the benchmark of reviews.

-- review drafting: human work ---------------------------------------------------------------------------------------
CREATE TABLE review_draft (              -- a review of one document that a person writes
  id TEXT PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES document(id),
  title TEXT NOT NULL,                   -- as the person calls it
  form TEXT NOT NULL,                    -- the venue's form: its id among those that ship, or 'imported'
  form_content TEXT NOT NULL DEFAULT '', -- an imported form as JSON, kept whole; '': the form ships
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'import:<file name>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX review_draft_by_document ON review_draft(document_id);

CREATE TABLE review_field (              -- what stands in a field of the form now
  id TEXT PRIMARY KEY,
  draft_id TEXT NOT NULL REFERENCES review_draft(id),
  field TEXT NOT NULL,                   -- the field's key in the form (summary, weaknesses, rating...)
  value TEXT NOT NULL DEFAULT '',
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (draft_id, field)
) STRICT;

CREATE TABLE review_version (            -- all fields as they stood at a moment: history, comparison, restoring
  id TEXT PRIMARY KEY,
  draft_id TEXT NOT NULL REFERENCES review_draft(id),
  reason TEXT NOT NULL,                  -- why it was kept: 'kept by hand', 'before restoring', 'after a run'...
  content TEXT NOT NULL,                 -- object of field and value
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX review_version_by_draft ON review_version(draft_id, created_at);

CREATE TABLE evidence_card (             -- a place in the paper, with what the reviewer says of it
  id TEXT PRIMARY KEY,
  draft_id TEXT NOT NULL REFERENCES review_draft(id),
  kind TEXT NOT NULL CHECK (kind IN ('quote', 'section', 'appendix', 'table', 'figure', 'algorithm', 'equation',
                                     'statement', 'page', 'line')),
  ref TEXT NOT NULL DEFAULT '',          -- 'Table 2', 'Section 3.1'; for a quotation what stands near it, or ''
  quote TEXT NOT NULL DEFAULT '',
  prefix TEXT NOT NULL DEFAULT '',
  suffix TEXT NOT NULL DEFAULT '',
  paragraph_id TEXT NOT NULL DEFAULT '',
  start INTEGER NOT NULL DEFAULT 0,
  "end" INTEGER NOT NULL DEFAULT 0,
  page INTEGER NOT NULL DEFAULT 0,       -- from 1; 0 where nobody knows
  boxes TEXT NOT NULL DEFAULT '[]',      -- list of [page, x0, y0, x1, y1]
  stance TEXT NOT NULL DEFAULT 'note' CHECK (stance IN ('strength', 'weakness', 'question', 'note')),
  note TEXT NOT NULL DEFAULT '',         -- the reviewer's words
  field TEXT NOT NULL DEFAULT '',        -- the field that it was put into; '': none yet
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'model:<stage>@<version>' (accepted)
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX evidence_card_by_draft ON evidence_card(draft_id, position);

CREATE TABLE review_suggestion_decision ( -- what of a run was taken or refused: that measures the stages
  id TEXT PRIMARY KEY,
  draft_id TEXT NOT NULL REFERENCES review_draft(id),
  run_id TEXT NOT NULL,
  point_id TEXT NOT NULL,                -- the point within the run's review
  stage TEXT NOT NULL,                   -- where the point came from
  text TEXT NOT NULL,                    -- as it was offered
  decision TEXT NOT NULL CHECK (decision IN ('accepted', 'rejected')),
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (draft_id, run_id, point_id, annotator_id)
) STRICT;

CREATE TABLE review_prompt (             -- a prompt as a person edited it; the newest of an id is in force
  id TEXT PRIMARY KEY,
  prompt TEXT NOT NULL,                  -- the id of the prompt that ships
  version INTEGER NOT NULL CHECK (version >= 1),
  text TEXT NOT NULL,                    -- '': from here on the prompt that ships is in force again
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (prompt, version)
) STRICT;

-- review drafting: results ------------------------------------------------------------------------------------------
CREATE TABLE review_run (                -- the stages run over a document; kept whole, so that it can be replayed
  id TEXT PRIMARY KEY,
  draft_id TEXT NOT NULL DEFAULT '',     -- the draft that it was for; '': none
  document_sha256 TEXT NOT NULL,
  origin TEXT NOT NULL,                  -- 'model:stages@<version>' | 'model:<language model>@<its version>'
  model TEXT NOT NULL DEFAULT '',        -- the language model's id; '': the deterministic way
  settings TEXT NOT NULL,                -- object: which stages are on, seed, temperature
  inputs TEXT NOT NULL,                  -- object: hashes of what was read (visible text, library, rubrics, model)
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
  problem TEXT NOT NULL DEFAULT '',
  seconds REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX review_run_by_document ON review_run(document_sha256, created_at);

CREATE TABLE review_stage_run (          -- one stage of a run
  run_id TEXT NOT NULL REFERENCES review_run(id) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  position INTEGER NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('deterministic', 'language model')),
  version TEXT NOT NULL,                 -- of the stage's implementation
  prompt TEXT NOT NULL DEFAULT '',       -- id of the prompt; '': none
  prompt_version TEXT NOT NULL DEFAULT '',
  prompt_text TEXT NOT NULL DEFAULT '',  -- the prompt itself, so that a run can be read without its file
  input_hash TEXT NOT NULL,              -- of everything that the stage was given
  output TEXT NOT NULL,                  -- the stage's record as JSON; '' where it failed
  raw TEXT NOT NULL DEFAULT '[]',        -- list of what the language model wrote, as it wrote it
  problem TEXT NOT NULL DEFAULT '',      -- why it failed; '': it did not
  seconds REAL NOT NULL,
  PRIMARY KEY (run_id, stage)
) STRICT, WITHOUT ROWID;

-- benchmark: human work ---------------------------------------------------------------------------------------------
CREATE TABLE benchmark (                 -- reviews of several sources on the same papers
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  position INTEGER NOT NULL,
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE benchmark_paper (
  id TEXT PRIMARY KEY,
  benchmark_id TEXT NOT NULL REFERENCES benchmark(id),
  external_id TEXT NOT NULL DEFAULT '',  -- the key in the file that it came from
  title TEXT NOT NULL,
  text TEXT NOT NULL DEFAULT '',         -- as the file gave it; '': the document is read
  document_id TEXT REFERENCES document(id),
  decision TEXT NOT NULL DEFAULT '',     -- the venue's
  fields TEXT NOT NULL DEFAULT '[]',     -- list of [name, value] that the file had besides
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'import:<file name>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX benchmark_paper_by_benchmark ON benchmark_paper(benchmark_id, position);

CREATE TABLE benchmark_review (          -- a review in the common schema
  id TEXT PRIMARY KEY,
  paper_id TEXT NOT NULL REFERENCES benchmark_paper(id),
  source TEXT NOT NULL,                  -- whose reviews these are: 'human', a system, a draft of this project
  reviewer TEXT NOT NULL DEFAULT '',
  role TEXT NOT NULL DEFAULT 'candidate' CHECK (role IN ('candidate', 'human', 'reference')),
  content TEXT NOT NULL,                 -- the review schema as JSON
  kept INTEGER NOT NULL DEFAULT 1 CHECK (kept IN (0, 1)), -- 0: a filter or a person left it out
  why_left_out TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'import:<file name>' | 'model:...'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX benchmark_review_by_paper ON benchmark_review(paper_id, position);

CREATE TABLE benchmark_rubric (          -- a rubric made for one paper; drafting never reads this table
  id TEXT PRIMARY KEY,
  paper_id TEXT NOT NULL REFERENCES benchmark_paper(id),
  dimension TEXT NOT NULL,               -- the meta-rubric that it is made from
  description TEXT NOT NULL,
  key_points TEXT NOT NULL DEFAULT '[]', -- list of what a review must meet
  origin TEXT NOT NULL,                  -- 'person' | 'model:...'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (paper_id, dimension)
) STRICT;

CREATE TABLE rubric_rating (             -- a person's score of a review on one dimension
  id TEXT PRIMARY KEY,
  review_id TEXT NOT NULL REFERENCES benchmark_review(id),
  dimension TEXT NOT NULL,
  score INTEGER CHECK (score BETWEEN -2 AND 2), -- NULL: not decided
  note TEXT NOT NULL DEFAULT '',
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (review_id, dimension, annotator_id)
) STRICT;

INSERT INTO journalled_table(name) VALUES
  ('review_draft'), ('review_field'), ('review_version'), ('evidence_card'), ('review_suggestion_decision'),
  ('review_prompt'), ('benchmark'), ('benchmark_paper'), ('benchmark_review'), ('benchmark_rubric'),
  ('rubric_rating');

-- benchmark: results ------------------------------------------------------------------------------------------------
CREATE TABLE judge_run (                 -- one judge over the reviews of a benchmark
  id TEXT PRIMARY KEY,
  benchmark_id TEXT NOT NULL,
  judge TEXT NOT NULL CHECK (judge IN ('checks', 'language model')),
  origin TEXT NOT NULL,                  -- 'model:checks@<version>' | 'model:<language model>@<its version>'
  prompt_version TEXT NOT NULL DEFAULT '',
  settings TEXT NOT NULL DEFAULT '{}',
  complete INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)), -- readers ignore a run that is not
  seconds REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX judge_run_by_benchmark ON judge_run(benchmark_id, created_at);

CREATE TABLE judge_score (
  run_id TEXT NOT NULL REFERENCES judge_run(id) ON DELETE CASCADE,
  review_id TEXT NOT NULL,
  dimension TEXT NOT NULL,
  score INTEGER NOT NULL CHECK (score BETWEEN -2 AND 2),
  rationale TEXT NOT NULL DEFAULT '',
  rubric TEXT NOT NULL DEFAULT '',       -- the rubric as it was judged against
  raw TEXT NOT NULL DEFAULT '',          -- what a language model wrote
  PRIMARY KEY (run_id, review_id, dimension)
) STRICT, WITHOUT ROWID;
