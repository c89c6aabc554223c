-- Schema 14. Which score a change in a scenario belongs to, and where a stage's language model ran.

ALTER TABLE calibration_change ADD COLUMN score_name TEXT; -- as in calibration_scenario; NULL: it counts for every score

-- Until now, every change counted for every score. A value belongs to the score that its scenario shows, so that what is
-- shown stays as it was.
UPDATE calibration_change SET score_name = (SELECT s.score_name FROM calibration_scenario s WHERE s.id = scenario_id)
  WHERE kind NOT IN ('exclude_review', 'exclude_referee');

ALTER TABLE review_stage_run ADD COLUMN device TEXT NOT NULL DEFAULT ''; -- where its language model ran, and in which precision; '': not known
