-- One index for each filter of a list of runs, in the order of the list. None has a column that a report of progress changes.
CREATE INDEX runs_project ON runs (owner_id, project, id DESC) WHERE (project IS NOT NULL);
CREATE INDEX runs_group ON runs (owner_id, run_group, id DESC) WHERE (run_group IS NOT NULL);
CREATE INDEX runs_template ON runs (owner_id, template, id DESC);
-- With the owner among the tags, so that those of other accounts are not read.
CREATE INDEX runs_tags ON runs USING gin ((tags || owner_id)) WHERE (tags <> '{}');
