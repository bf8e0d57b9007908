-- What the header of a repo's README.md says. A hub that is older than this leaves the columns of a repo as they are.
CREATE TABLE readme_cards (
  blob_id text NOT NULL,
  facts json NOT NULL,
  tags text[] DEFAULT ARRAY[]::text[] NOT NULL,
  labels text[] DEFAULT ARRAY[]::text[] NOT NULL,
  sources json DEFAULT '[]'::json NOT NULL,
  data json,
  CONSTRAINT readme_cards_pkey PRIMARY KEY (blob_id),
  CONSTRAINT readme_cards_blob_id_fkey FOREIGN KEY (blob_id) REFERENCES blobs(id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT readme_cards_bounds CHECK (cardinality(tags) <= 100 AND cardinality(labels) <= 100 AND octet_length(data::text) <= 262144)
);

ALTER TABLE repos
  ADD COLUMN card_facts json,
  ADD COLUMN card_tags text[] DEFAULT ARRAY[]::text[] NOT NULL,
  ADD COLUMN card_labels text[] DEFAULT ARRAY[]::text[] NOT NULL,
  ADD COLUMN card_bytes integer DEFAULT 0 NOT NULL,
  ADD COLUMN card_pending boolean DEFAULT false NOT NULL;

-- The README.md of each repo is read by a job.
UPDATE repos r SET card_pending = true
  WHERE EXISTS (SELECT 1 FROM files f WHERE f.repo_id = r.id AND f.path = 'README.md' AND f.to_seq IS NULL);
CREATE INDEX repos_card_pending ON repos (id) WHERE card_pending;

-- One index for tags of both kinds, and for everything that a card can be found by. It has what the index of the repo's own tags had.
CREATE INDEX repos_labels ON repos USING gin ((tags || card_tags || card_labels));
DROP INDEX repos_tags;
