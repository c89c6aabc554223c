-- Schema 8. Edits are listed in groups: running text, and what is folded by default.

ALTER TABLE edit ADD COLUMN "group" TEXT NOT NULL DEFAULT 'text' CHECK ("group" IN ('text', 'captions', 'tables', 'mathematics', 'code', 'references', 'authors', 'other'));
