-- What people keep runs by. Each limit is that of the request that writes it; a hub that is older than this leaves the columns as they are.
ALTER TABLE runs
  ADD COLUMN project text,
  ADD COLUMN name text,
  ADD COLUMN notes text,
  ADD COLUMN tags text[] DEFAULT ARRAY[]::text[] NOT NULL,
  ADD COLUMN run_group text,
  ADD COLUMN job_type text,
  ADD CONSTRAINT runs_kept_bounds CHECK (
    char_length(project) BETWEEN 1 AND 128
    AND char_length(name) BETWEEN 1 AND 200
    AND octet_length(notes) BETWEEN 1 AND 16384
    AND cardinality(tags) <= 32 AND char_length(array_to_string(tags, '')) <= 32 * 64
    AND char_length(run_group) BETWEEN 1 AND 128
    AND char_length(job_type) BETWEEN 1 AND 128
  );
