-- The live files that have a blob, by repo: whether a caller can read its bytes somewhere.
CREATE INDEX files_live_blob ON files (blob_id, repo_id) WHERE to_seq IS NULL;
