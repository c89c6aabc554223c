-- Schema 9. A model's answer may hold several edits and keeps its seed; a rejected suggestion may say what was wrong.

ALTER TABLE proposal ADD COLUMN more TEXT NOT NULL DEFAULT '[]';   -- list of further edits: paragraph_id, placement, text
ALTER TABLE proposal ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE suggestion_decision ADD COLUMN mistakes TEXT NOT NULL DEFAULT '[]';  -- list of the categories of ARIES, section 5.3
