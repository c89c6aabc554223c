-- Schema 6. Templates of canonical rebuttals, and the rebuttal as an outline of points.

-- rebuttal: human work ---------------------------------------------------------------------------------------------
CREATE TABLE rebuttal_template (         -- a template of a person's or a team's library; the starter library is a file
  id TEXT PRIMARY KEY,
  library TEXT NOT NULL,                 -- the name of the library it belongs to
  external_id TEXT NOT NULL,             -- its id in the file it came from, unique in its library
  action TEXT NOT NULL,                  -- rebuttal action
  roots TEXT NOT NULL DEFAULT '[]',      -- list of attitude roots; empty: any
  themes TEXT NOT NULL DEFAULT '[]',     -- list of themes; empty: any
  text TEXT NOT NULL,                    -- with slots such as {section}
  register TEXT NOT NULL DEFAULT 'neutral',
  provenance TEXT NOT NULL DEFAULT '',   -- who wrote it, for people
  version INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
  score REAL,                            -- its place in the ranking that it came from, if it came from one
  note TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL,
  origin TEXT NOT NULL,                  -- 'person' | 'import:<file name>' | 'ranking:<method>'
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (library, external_id)
) STRICT;
CREATE INDEX rebuttal_template_by_library ON rebuttal_template(library, position);

CREATE TABLE rebuttal_plan (             -- what holds for a whole rebuttal: the venue's limit, and whom to keep unnamed
  id TEXT PRIMARY KEY,
  paper_id TEXT REFERENCES paper(id),    -- NULL: reviews that belong to no paper
  preset TEXT NOT NULL,                  -- the limit's id in resources/limits.toml
  own_limits TEXT NOT NULL DEFAULT '{}', -- what the person changed of it: per_reply, per_reviewer, total, unit
  quoting TEXT NOT NULL DEFAULT 'short' CHECK (quoting IN ('full', 'short', 'number', 'none')),
  names TEXT NOT NULL DEFAULT '[]',      -- list of names and affiliations that must not leave
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX rebuttal_plan_by_paper ON rebuttal_plan(paper_id, annotator_id);

CREATE TABLE rebuttal_point (            -- the answer to a comment, or an opening or closing word to a reviewer
  id TEXT PRIMARY KEY,
  paper_id TEXT REFERENCES paper(id),
  kind TEXT NOT NULL CHECK (kind IN ('reply', 'opening', 'closing')),
  comment_id TEXT REFERENCES comment(id), -- of a reply; RebuttalStore.forget_comments and move_points know it
  reviewer TEXT NOT NULL DEFAULT '',     -- of an opening or closing; '' for all reviewers together
  action TEXT,                           -- rebuttal action; NULL while undecided
  text TEXT NOT NULL DEFAULT '',
  budget INTEGER CHECK (budget >= 0),    -- characters (or words) that it may take; NULL: its share of what is free
  generated TEXT NOT NULL DEFAULT '[]',  -- list of [sentence, origin] that no person has edited or accepted yet
  confirmed TEXT NOT NULL DEFAULT '[]',  -- list of claims that the person confirmed with own eyes
  outcome TEXT NOT NULL DEFAULT '' CHECK (outcome IN ('', 'satisfied', 'partly', 'unmoved')), -- what came of it
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (comment_id, annotator_id),
  CHECK ((kind = 'reply') = (comment_id IS NOT NULL))
) STRICT;
CREATE INDEX rebuttal_point_by_paper ON rebuttal_point(paper_id, annotator_id);

CREATE TABLE rebuttal_use (              -- a template or draft that was put into a point, or refused
  id TEXT PRIMARY KEY,
  comment_id TEXT REFERENCES comment(id), -- NULL for an opening or closing
  point_id TEXT NOT NULL DEFAULT '',     -- a plain key: points may go when comments are merged
  source TEXT NOT NULL,                  -- 'template:<library>/<id>' | 'model:<id>@<version>'
  verdict TEXT NOT NULL CHECK (verdict IN ('taken', 'refused')),
  text TEXT NOT NULL,                    -- what was put in, slots filled
  annotator_id TEXT NOT NULL REFERENCES annotator(id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX rebuttal_use_by_comment ON rebuttal_use(comment_id);
CREATE INDEX rebuttal_use_by_source ON rebuttal_use(source);

INSERT INTO journalled_table(name) VALUES
  ('rebuttal_template'), ('rebuttal_plan'), ('rebuttal_point'), ('rebuttal_use');

-- rebuttal: results ------------------------------------------------------------------------------------------------
CREATE TABLE rebuttal_draft (            -- what a language model wrote for a comment; kept whether or not it was taken
  id TEXT PRIMARY KEY,
  comment_id TEXT NOT NULL,
  origin TEXT NOT NULL,                  -- 'model:<id>@<version>'
  prompt_version TEXT NOT NULL,
  text TEXT NOT NULL,
  raw TEXT NOT NULL DEFAULT '',
  seconds REAL NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX rebuttal_draft_by_comment ON rebuttal_draft(comment_id, created_at);
