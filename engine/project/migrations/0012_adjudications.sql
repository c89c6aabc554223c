-- Schema 12. What holds of any unit that people decided differently on, whether suggestions were on screen, and the
-- labels that comments had when a rebuttal was exported.

CREATE TABLE unit_adjudication (         -- what a person who is no party decided on one unit; everybody's work stays
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('links', 'states', 'spans', 'labels', 'ratings', 'scores')), -- pairs: preference_adjudication
  subject_id TEXT NOT NULL,              -- the comment, review, survey, score table or benchmark that the unit is of
  part TEXT NOT NULL DEFAULT '',         -- the layer of labels, or the scale of scores
  unit TEXT NOT NULL DEFAULT '',         -- edit | place in the review | paper of the library | what was scored; '': the comment
  value TEXT NOT NULL,                   -- as people decide: labels joined by ' + ', numbers as text
  annotator_id TEXT NOT NULL REFERENCES annotator(id), -- who decided
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (kind, subject_id, part, unit)
) STRICT;
CREATE INDEX unit_adjudication_by_unit ON unit_adjudication(unit);

INSERT INTO journalled_table(name) VALUES ('unit_adjudication');

ALTER TABLE comment_state ADD COLUMN suggested INTEGER CHECK (suggested IN (0, 1)); -- suggestions were on screen; NULL: not recorded
ALTER TABLE sentence_label ADD COLUMN suggested INTEGER CHECK (suggested IN (0, 1)); -- the same, of this layer

ALTER TABLE rebuttal_plan ADD COLUMN sent TEXT NOT NULL DEFAULT '{}'; -- labels as exported, by comment: they stay
