-- What a scrape of /metrics reads, from indexes alone: all running checks (so far only those with a time limit), and what a month cost by kind of work.
DROP INDEX robot_checks_running;
CREATE INDEX robot_checks_running ON robot_checks (id) WHERE status = 'running';
CREATE INDEX ledger_month ON ledger (at) INCLUDE (job_kind, amount_usd);
