-- The words of a run, as src/runs/read/search-sql.ts has them, beside its owner: one index finds both. No report changes them after the first one,
-- so an update of a report stays on its page.
CREATE INDEX runs_words ON runs USING gin ((ARRAY[owner_id]), (lower(substr(coalesce(' ' || name, '') || coalesce(' ' || output_repo_name, '')
  || (' ' || template) || coalesce(' ' || robot, '') || (' ' || right(id, 6))
  || coalesce(' ' || project, '') || coalesce(' ' || run_group, ''), 2))) gin_trgm_ops);
