-- What each metric of a run comes to, so that a list sorts by one without reading points. A hub that is older than this writes metrics and leaves summary_seq behind.
CREATE TABLE run_metric_summaries (
  run_id text NOT NULL,
  key text NOT NULL,
  owner_id text NOT NULL,
  position integer NOT NULL,
  count bigint NOT NULL,
  last double precision NOT NULL,
  last_step double precision NOT NULL,
  min double precision NOT NULL,
  min_step double precision NOT NULL,
  max double precision NOT NULL,
  max_step double precision NOT NULL,
  mean double precision NOT NULL,
  CONSTRAINT run_metric_summaries_pkey PRIMARY KEY (run_id, key),
  CONSTRAINT run_metric_summaries_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT run_metric_summaries_bounds CHECK (char_length(key) <= 256 AND position BETWEEN 1 AND 1000 AND count > 0)
) WITH (fillfactor = 80);

-- Without the values, so that a report changes no index.
CREATE INDEX run_metric_summaries_owner_id_key_run_id_idx ON run_metric_summaries (owner_id, key, run_id DESC);

ALTER TABLE runs
  ADD COLUMN summary_seq bigint DEFAULT 0 NOT NULL,
  ADD COLUMN summary_pending boolean DEFAULT false NOT NULL;

-- The metrics of each run that has some are counted by a job.
UPDATE runs SET summary_pending = true WHERE metrics_seq > 0;
CREATE INDEX runs_summary_pending ON runs (id) WHERE summary_pending;
