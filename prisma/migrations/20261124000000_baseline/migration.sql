-- The schema of the hub when its history of migrations was joined into one script. What Prisma's schema cannot say (collations, checks, partial indexes,
-- functions, triggers) is here too, and a test holds the catalogue to it. Never edited: what is new is a migration of its own.

-- Case-insensitive substring search over slug and description.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TYPE "AccountKind" AS ENUM ('user', 'org');
CREATE TYPE "ApprovalStatus" AS ENUM ('issued', 'running', 'expired', 'revoked');
CREATE TYPE "BlobState" AS ENUM ('live', 'doomed');
CREATE TYPE "ChangeKind" AS ENUM ('run', 'robot_check', 'endpoint', 'endpoint_session', 'spend_hold');
CREATE TYPE "ControlClass" AS ENUM ('reflex', 'skill', 'planner');
CREATE TYPE "DeviceLoginState" AS ENUM ('pending', 'approved', 'denied', 'consumed');
CREATE TYPE "EndpointArtifactKind" AS ENUM ('onnx', 'checkpoint');
CREATE TYPE "EndpointSessionStatus" AS ENUM ('open', 'closed');
CREATE TYPE "EndpointStatus" AS ENUM ('queued', 'running', 'stopped', 'failed');
CREATE TYPE "HostedCallState" AS ENUM ('pending', 'spawned', 'ended');
CREATE TYPE "JobStatus" AS ENUM ('queued', 'running', 'succeeded', 'failed', 'canceled');
CREATE TYPE "KeyScope" AS ENUM ('read', 'write', 'train');
CREATE TYPE "LogStream" AS ENUM ('stdout', 'stderr');
CREATE TYPE "OrgRole" AS ENUM ('owner', 'member');
CREATE TYPE "RepoChangeAction" AS ENUM ('complete', 'delete', 'reject', 'restore', 'purge');
CREATE TYPE "RepoKind" AS ENUM ('dataset', 'model', 'robot');
CREATE TYPE "RobotCheckKind" AS ENUM ('robot', 'model');
CREATE TYPE "RunAttemptEnd" AS ENUM ('swept', 'reported', 'reclaimed', 'stopped');
CREATE TYPE "RunExecutor" AS ENUM ('worker', 'hosted');
CREATE TYPE "RunKind" AS ENUM ('cloud', 'external', 'orchestration');
CREATE TYPE "SpendCapMode" AS ENUM ('NOTIFY', 'STOP');
CREATE TYPE "SpendHoldKind" AS ENUM ('run', 'robot_check', 'endpoint');
CREATE TYPE "SpendHoldStatus" AS ENUM ('pending', 'approved', 'denied', 'canceled', 'expired');
CREATE TYPE "UploadState" AS ENUM ('pending', 'completing', 'assembled', 'completed', 'aborted');
CREATE TYPE "Visibility" AS ENUM ('private', 'public');
CREATE TYPE "WithdrawalReason" AS ENUM ('purged', 'rejected');

-- A report that only says that its sender is there renews times and nothing else. It is no change of a list, and noting it made such a report a tenth dearer.
-- PL/pgSQL keeps its plans for the session, where a function in SQL is planned again by each statement that calls it.
CREATE FUNCTION note_change(kind "ChangeKind", thing_id text, owner_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO changes AS c (thing_id, kind, owner_id, xid, at)
  VALUES (note_change.thing_id, note_change.kind, note_change.owner_id, pg_current_xact_id()::text::bigint, now())
  ON CONFLICT ON CONSTRAINT changes_pkey DO UPDATE SET xid = excluded.xid, at = excluded.at WHERE c.xid <> excluded.xid;
END $$;

CREATE FUNCTION note_deleted_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('run', old.id, old.owner_id);
  UPDATE changes SET deleted = true, created_by = old.created_by, filed_by = old.filed_by, repo_ids = old.repo_ids WHERE thing_id = old.id;
  RETURN NULL;
END $$;

CREATE FUNCTION note_hold_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('spend_hold', new.id, new.account_id);
  RETURN NULL;
END $$;

CREATE FUNCTION note_job_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    old.heartbeat_at := new.heartbeat_at;
    old.updated_at := new.updated_at;
    IF TG_TABLE_NAME = 'runs' THEN
      old.lease_expires_at := new.lease_expires_at;
    END IF;
    -- By their bytes: columns of type json have no other equality.
    IF old *= new THEN
      RETURN NULL;
    END IF;
  END IF;
  -- What `note_change` does, without a call of it.
  INSERT INTO changes AS c (thing_id, kind, owner_id, xid, at)
  VALUES (new.id, TG_ARGV[0]::"ChangeKind", new.owner_id, pg_current_xact_id()::text::bigint, now())
  ON CONFLICT ON CONSTRAINT changes_pkey DO UPDATE SET xid = excluded.xid, at = excluded.at WHERE c.xid <> excluded.xid;
  RETURN NULL;
END $$;

CREATE FUNCTION note_session_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM note_change('endpoint_session', new.id, (SELECT e.owner_id FROM endpoints e WHERE e.id = new.endpoint_id));
  RETURN NULL;
END $$;

-- The audit log is append-only.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TABLE account_measurements (
  account_id text NOT NULL,
  template text NOT NULL,
  tier text NOT NULL,
  batch integer NOT NULL,
  peak_vram_gb double precision NOT NULL,
  samples_per_s double precision NOT NULL,
  n_runs integer NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT account_measurements_pkey PRIMARY KEY (account_id, template, tier, batch)
);

CREATE TABLE accounts (
  id text NOT NULL,
  kind "AccountKind" NOT NULL,
  handle text NOT NULL COLLATE "C",
  name text,
  storage_bytes bigint DEFAULT 0 NOT NULL,
  reserved_bytes bigint DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  pending_uploads integer DEFAULT 0 NOT NULL,
  spend_cap_mode "SpendCapMode",
  spend_cap_usd numeric(14,4),
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_bytes_counted CHECK (((storage_bytes >= 0) AND (reserved_bytes >= 0))),
  CONSTRAINT accounts_handle_form CHECK (((handle ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$'::text) AND (length(handle) <= 64))),
  CONSTRAINT accounts_spend_cap_whole CHECK ((((spend_cap_usd IS NULL) = (spend_cap_mode IS NULL)) AND (spend_cap_usd >= (0)::numeric))),
  CONSTRAINT accounts_uploads_counted CHECK ((pending_uploads >= 0))
);
CREATE UNIQUE INDEX accounts_handle_key ON accounts (handle);

CREATE TABLE api_keys (
  id text NOT NULL,
  account_id text NOT NULL,
  created_by text,
  name text NOT NULL,
  scope "KeyScope" NOT NULL,
  token_sha256 bytea NOT NULL,
  limited boolean DEFAULT false NOT NULL,
  repo_ids text[] DEFAULT ARRAY[]::text[] NOT NULL,
  agent boolean DEFAULT false NOT NULL,
  daily_gpu_hour_quota numeric(12,4),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  job_id text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX api_keys_account_id_id_idx ON api_keys (account_id, id);
CREATE INDEX api_keys_created_by_idx ON api_keys (created_by);
-- A hosted job has a key of its own, so an account may have many more of those than its people made.
CREATE INDEX api_keys_made ON api_keys (account_id, id DESC) WHERE (job_id IS NULL);
CREATE UNIQUE INDEX api_keys_token_sha256_key ON api_keys (token_sha256);

CREATE TABLE approvals (
  id text NOT NULL,
  endpoint_id text NOT NULL,
  device_id text NOT NULL,
  model_sha256 text NOT NULL,
  status "ApprovalStatus" NOT NULL,
  minted_by text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  revoked_by text,
  revoked_at timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT approvals_pkey PRIMARY KEY (id),
  CONSTRAINT approvals_digest_form CHECK ((model_sha256 ~ '^[a-f0-9]{64}$'::text)),
  CONSTRAINT approvals_revoked_whole CHECK (((status = 'revoked'::"ApprovalStatus") = (revoked_at IS NOT NULL)))
);
CREATE INDEX approvals_device_id_id_idx ON approvals (device_id, id DESC);
CREATE INDEX approvals_endpoint_id_id_idx ON approvals (endpoint_id, id DESC);
CREATE INDEX approvals_live ON approvals (expires_at) WHERE (status = ANY (ARRAY['issued'::"ApprovalStatus", 'running'::"ApprovalStatus"]));

CREATE TABLE audit_log (
  id text NOT NULL,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  action text NOT NULL,
  account_id text,
  actor_id text,
  credential_id text,
  request_id text,
  target_id text NOT NULL,
  before jsonb DEFAULT '{}'::jsonb NOT NULL,
  after jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_account_id_id_idx ON audit_log (account_id, id DESC);
CREATE INDEX audit_log_target_id_id_idx ON audit_log (target_id, id DESC);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE blobs (
  id text NOT NULL,
  storage_key text NOT NULL,
  size bigint NOT NULL,
  etag text,
  claimed text NOT NULL,
  sha256 text,
  state "BlobState" DEFAULT 'live'::"BlobState" NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  verified_at timestamptz(3),
  doomed_at timestamptz(3),
  CONSTRAINT blobs_pkey PRIMARY KEY (id),
  CONSTRAINT blobs_digest_form CHECK (((sha256 ~ '^[a-f0-9]{64}$'::text) AND (claimed ~ '^[a-f0-9]{64}$'::text))),
  CONSTRAINT blobs_doomed_dated CHECK (((state = 'doomed'::"BlobState") = (doomed_at IS NOT NULL))),
  CONSTRAINT blobs_size_range CHECK (((size >= 0) AND (size <= '53687091200'::bigint)))
);
CREATE INDEX blobs_doomed ON blobs (doomed_at) WHERE (state = 'doomed'::"BlobState");
CREATE UNIQUE INDEX blobs_storage_key_key ON blobs (storage_key);
CREATE INDEX blobs_unverified ON blobs (id) WHERE ((sha256 IS NULL) AND (state = 'live'::"BlobState"));
-- Equal verified bytes are stored once.
CREATE UNIQUE INDEX blobs_verified ON blobs (sha256, size) WHERE ((sha256 IS NOT NULL) AND (state = 'live'::"BlobState"));

CREATE TABLE changes (
  thing_id text NOT NULL,
  kind "ChangeKind" NOT NULL,
  owner_id text NOT NULL,
  xid bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  deleted boolean DEFAULT false NOT NULL,
  created_by text,
  filed_by text,
  repo_ids text[] DEFAULT ARRAY[]::text[] NOT NULL,
  CONSTRAINT changes_pkey PRIMARY KEY (thing_id)
) WITH (fillfactor='70');
CREATE INDEX changes_owner_id_kind_xid_thing_id_idx ON changes (owner_id, kind, xid, thing_id);

CREATE TABLE dataset_meta (
  repo_id text NOT NULL,
  episode_count integer NOT NULL,
  total_frames bigint NOT NULL,
  fps double precision,
  robot_type text,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT dataset_meta_pkey PRIMARY KEY (repo_id)
);
CREATE INDEX dataset_meta_robot_type ON dataset_meta (lower(robot_type));

CREATE TABLE deleted_repos (
  repo_id text NOT NULL,
  deleted_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT deleted_repos_pkey PRIMARY KEY (repo_id)
);

CREATE TABLE deleted_runs (
  run_id text NOT NULL,
  created_by text,
  filed_by text NOT NULL,
  reserved boolean NOT NULL,
  max_hours numeric(20,10) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  repo_ids text[] DEFAULT ARRAY[]::text[],
  cleared_at timestamptz(3),
  CONSTRAINT deleted_runs_pkey PRIMARY KEY (run_id)
);
CREATE INDEX deleted_runs_left ON deleted_runs (deleted_at) WHERE (cleared_at IS NULL);
-- What a person reserved of GPU hours lately, and what is still to be cleared.
CREATE INDEX deleted_runs_reserved ON deleted_runs (created_by, created_at) WHERE reserved;

CREATE TABLE device_logins (
  id text NOT NULL,
  device_code_sha256 bytea NOT NULL,
  user_code text NOT NULL,
  state "DeviceLoginState" DEFAULT 'pending'::"DeviceLoginState" NOT NULL,
  name text NOT NULL,
  scope "KeyScope" NOT NULL,
  key_ttl_s integer NOT NULL,
  address text,
  network text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  poll_s integer DEFAULT 5 NOT NULL,
  polled_at timestamptz(3),
  decided_at timestamptz(3),
  decided_by text,
  key_id text,
  CONSTRAINT device_logins_pkey PRIMARY KEY (id),
  CONSTRAINT device_logins_bounds CHECK (((key_ttl_s > 0) AND (poll_s > 0))),
  CONSTRAINT device_logins_code_form CHECK ((user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'::text)),
  CONSTRAINT device_logins_decided_whole CHECK ((((state = 'pending'::"DeviceLoginState") = (decided_at IS NULL)) AND ((decided_at IS NULL) = (decided_by IS NULL)))),
  CONSTRAINT device_logins_key_of_consumed CHECK (((state = 'consumed'::"DeviceLoginState") = (key_id IS NOT NULL)))
);
CREATE INDEX device_logins_decided_by_user_code_idx ON device_logins (decided_by, user_code);
CREATE UNIQUE INDEX device_logins_device_code_sha256_key ON device_logins (device_code_sha256);
CREATE INDEX device_logins_expires_at_idx ON device_logins (expires_at);
CREATE INDEX device_logins_network_expires_at_idx ON device_logins (network, expires_at);
-- A code names one pending sign-in.
CREATE UNIQUE INDEX device_logins_pending ON device_logins (user_code) WHERE (state = 'pending'::"DeviceLoginState");

CREATE TABLE devices (
  id text NOT NULL,
  owner_id text NOT NULL,
  name text NOT NULL,
  robot_repo_id text,
  robot_repo_name text,
  created_by text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT devices_pkey PRIMARY KEY (id)
);
CREATE INDEX devices_owner_id_id_idx ON devices (owner_id, id DESC);
CREATE UNIQUE INDEX devices_owner_id_name_key ON devices (owner_id, name);

CREATE TABLE endpoint_sessions (
  id text NOT NULL,
  endpoint_id text NOT NULL,
  device_id text,
  approval_id text,
  status "EndpointSessionStatus" NOT NULL,
  opened_by text NOT NULL,
  opened_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  closed_at timestamptz(3),
  closed_reason text,
  last_report_at timestamptz(3),
  chunks_served bigint DEFAULT 0 NOT NULL,
  gpu_seconds numeric(14,3) DEFAULT 0 NOT NULL,
  service_ms_p50 double precision,
  service_ms_p95 double precision,
  chunks_applied bigint,
  rtt_ms_p50 double precision,
  rtt_ms_p95 double precision,
  deadline_misses bigint,
  degraded_count bigint,
  priced boolean DEFAULT false NOT NULL,
  cost_usd numeric(14,4),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT endpoint_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT endpoint_sessions_closed_dated CHECK (((status = 'closed'::"EndpointSessionStatus") = (closed_at IS NOT NULL))),
  CONSTRAINT endpoint_sessions_counted CHECK (((chunks_served >= 0) AND (gpu_seconds >= (0)::numeric) AND (cost_usd >= (0)::numeric)))
);
CREATE INDEX endpoint_sessions_approval_id_id_idx ON endpoint_sessions (approval_id, id DESC);
CREATE INDEX endpoint_sessions_device_id_id_idx ON endpoint_sessions (device_id, id DESC);
CREATE INDEX endpoint_sessions_endpoint_id_id_idx ON endpoint_sessions (endpoint_id, id DESC);
CREATE INDEX endpoint_sessions_endpoint_id_status_id_idx ON endpoint_sessions (endpoint_id, status, id DESC);
CREATE INDEX endpoint_sessions_open ON endpoint_sessions (endpoint_id) WHERE (status = 'open'::"EndpointSessionStatus");
CREATE TRIGGER endpoint_sessions_changed AFTER INSERT OR UPDATE ON endpoint_sessions FOR EACH ROW WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_session_change();

CREATE TABLE endpoints (
  id text NOT NULL,
  status "EndpointStatus" NOT NULL,
  executor "RunExecutor" NOT NULL,
  owner_id text NOT NULL,
  created_by text,
  filed_by text NOT NULL,
  name text,
  model_repo_id text NOT NULL,
  model_repo_name text NOT NULL,
  repo_ids text[],
  artifact_kind "EndpointArtifactKind" NOT NULL,
  artifact_path text NOT NULL,
  model_sha256 text NOT NULL,
  policy_format text,
  artifact_files integer NOT NULL,
  artifact_bytes bigint NOT NULL,
  repo_seq integer NOT NULL,
  contract_fingerprint text,
  control_class "ControlClass" NOT NULL,
  tier text NOT NULL,
  params bigint NOT NULL,
  vram_bytes bigint NOT NULL,
  priced boolean DEFAULT false NOT NULL,
  rate_usd_per_hour numeric(12,4),
  max_hours numeric(20,10),
  budget_usd numeric(14,4),
  url text,
  claimed_by text,
  claim_credential text,
  attempt integer DEFAULT 0 NOT NULL,
  claimed_at timestamptz(3),
  heartbeat_at timestamptz(3),
  hosted_call_id text,
  hosted_credential text,
  dispatched_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  stop_reason text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  error text,
  cost_usd numeric(14,4),
  sessions_open integer DEFAULT 0 NOT NULL,
  sessions_total integer DEFAULT 0 NOT NULL,
  chunks_served bigint DEFAULT 0 NOT NULL,
  gpu_seconds numeric(14,3) DEFAULT 0 NOT NULL,
  service_ms_p95 double precision,
  rtt_ms_p95 double precision,
  last_log_chunk text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT endpoints_counted CHECK ((sessions_open BETWEEN 0 AND sessions_total AND (chunks_served >= 0) AND (gpu_seconds >= (0)::numeric) AND (cost_usd >= (0)::numeric))),
  CONSTRAINT endpoints_ended_dated CHECK (((status = ANY (ARRAY['stopped'::"EndpointStatus", 'failed'::"EndpointStatus"])) = (finished_at IS NOT NULL))),
  CONSTRAINT endpoints_limits CHECK (((params > 0) AND (max_hours > (0)::numeric) AND (max_hours <= (720)::numeric) AND (budget_usd > (0)::numeric))),
  CONSTRAINT endpoints_pinned CHECK (((model_sha256 ~ '^[a-f0-9]{64}$'::text) AND (contract_fingerprint ~ '^[a-f0-9]{64}$'::text))),
  CONSTRAINT endpoints_priced_whole CHECK (((priced = (executor = 'hosted'::"RunExecutor")) AND (priced = (rate_usd_per_hour IS NOT NULL)))),
  CONSTRAINT endpoints_queued_is_free CHECK (((status = 'queued'::"EndpointStatus") <= ((claim_credential IS NULL) AND (url IS NULL)))),
  CONSTRAINT endpoints_running_is_claimed CHECK (((status = 'running'::"EndpointStatus") <= ((claim_credential IS NOT NULL) AND (attempt > 0) AND (url IS NOT NULL)))),
  CONSTRAINT endpoints_served_remotely CHECK ((control_class <> 'reflex'::"ControlClass"))
);
CREATE INDEX endpoints_model_repo_id_id_idx ON endpoints (model_repo_id, id);
CREATE INDEX endpoints_owner_id_id_idx ON endpoints (owner_id, id);
CREATE INDEX endpoints_owner_id_model_repo_id_id_idx ON endpoints (owner_id, model_repo_id, id);
CREATE INDEX endpoints_owner_id_status_id_idx ON endpoints (owner_id, status, id);
-- What the sweeps look through: limits of running endpoints, hosted ones without a call, sessions past their expiry or approval.
CREATE INDEX endpoints_running ON endpoints (id) WHERE (status = 'running'::"EndpointStatus");
CREATE INDEX endpoints_to_dispatch ON endpoints (id) WHERE ((status = 'queued'::"EndpointStatus") AND (executor = 'hosted'::"RunExecutor"));
-- What the claim looks through, in the order of ids.
CREATE INDEX endpoints_waiting ON endpoints (owner_id, id) WHERE ((status = 'queued'::"EndpointStatus") AND (executor = 'worker'::"RunExecutor"));
CREATE TRIGGER endpoints_changed AFTER INSERT OR UPDATE ON endpoints FOR EACH ROW WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_job_change('endpoint');

CREATE TABLE files (
  id bigserial NOT NULL,
  repo_id text NOT NULL,
  path text NOT NULL COLLATE "C",
  from_seq integer NOT NULL,
  to_seq integer,
  blob_id text NOT NULL,
  mime text,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  closed_at timestamptz(3),
  pinned boolean DEFAULT false NOT NULL,
  CONSTRAINT files_pkey PRIMARY KEY (id),
  CONSTRAINT files_closed_whole CHECK (((to_seq IS NULL) = (closed_at IS NULL))),
  CONSTRAINT files_seq_order CHECK ((to_seq > from_seq))
);
CREATE INDEX files_blob_id_idx ON files (blob_id);
-- Collection passes over what it found to be pinned.
CREATE INDEX files_closed ON files (closed_at) WHERE ((closed_at IS NOT NULL) AND (NOT pinned));
-- One live row for a path; the tree reads it in order.
CREATE UNIQUE INDEX files_live ON files (repo_id, path) WHERE (to_seq IS NULL);
-- The live files that have a blob, by repo: whether a caller can read its bytes somewhere.
CREATE INDEX files_live_blob ON files (blob_id, repo_id) WHERE (to_seq IS NULL);
-- What is looked at again when a run that pinned it is deleted.
CREATE INDEX files_pinned ON files (repo_id) WHERE pinned;
-- What was replaced since a snapshot.
CREATE INDEX files_replaced ON files (repo_id, to_seq) WHERE (to_seq IS NOT NULL);
CREATE INDEX files_repo_id_from_seq_idx ON files (repo_id, from_seq);
CREATE INDEX files_repo_id_path_from_seq_to_seq_idx ON files (repo_id, path, from_seq, to_seq);

CREATE TABLE hosted_calls (
  id text NOT NULL,
  job_kind text NOT NULL,
  job_id text NOT NULL,
  backend text NOT NULL,
  function_name text NOT NULL,
  tier text,
  sealed_token bytea,
  state "HostedCallState" NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  spawned_at timestamptz(3),
  ended_at timestamptz(3),
  max_seconds integer,
  missing_since timestamptz(3),
  next_try_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  place text,
  tries integer DEFAULT 0 NOT NULL,
  CONSTRAINT hosted_calls_pkey PRIMARY KEY (id),
  CONSTRAINT hosted_calls_states CHECK ((((state = 'pending'::"HostedCallState") = (sealed_token IS NOT NULL)) AND ((state = 'ended'::"HostedCallState") = (ended_at IS NOT NULL))))
);
CREATE INDEX hosted_calls_job_id_idx ON hosted_calls (job_id);
CREATE INDEX hosted_calls_live ON hosted_calls (backend, id) WHERE (state <> 'ended'::"HostedCallState");

CREATE TABLE hub_measurements (
  template text NOT NULL,
  tier text NOT NULL,
  batch integer NOT NULL,
  peak_vram_gb double precision NOT NULL,
  samples_per_s double precision NOT NULL,
  n_runs integer NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT hub_measurements_pkey PRIMARY KEY (template, tier, batch)
);

CREATE TABLE idempotency_keys (
  credential_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  body_sha256 bytea NOT NULL,
  attempt text NOT NULL,
  result json,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  instance integer,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (credential_id, method, path, key)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);

CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_account_id_idx ON identities (account_id);

CREATE TABLE ledger (
  id text NOT NULL,
  account_id text NOT NULL,
  job_kind text NOT NULL,
  job_id text NOT NULL,
  attempt integer NOT NULL,
  kind text NOT NULL,
  tier text,
  seconds numeric(14,3) NOT NULL,
  amount_usd numeric(14,4) NOT NULL,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT ledger_pkey PRIMARY KEY (id)
);
CREATE INDEX ledger_account_id_at_idx ON ledger (account_id, at);
CREATE INDEX ledger_account_id_id_idx ON ledger (account_id, id DESC);
CREATE UNIQUE INDEX ledger_job_id_attempt_kind_key ON ledger (job_id, attempt, kind);
CREATE INDEX ledger_month ON ledger (at) INCLUDE (job_kind, amount_usd);
-- The ledger is append-only.
CREATE TRIGGER ledger_append_only BEFORE DELETE OR UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE memberships (
  org_id text NOT NULL,
  user_id text NOT NULL,
  role "OrgRole" NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT memberships_pkey PRIMARY KEY (org_id, user_id)
);
CREATE INDEX memberships_user_id_idx ON memberships (user_id);

CREATE TABLE model_meta (
  repo_id text NOT NULL,
  policy_type text NOT NULL,
  base_model text,
  source_run_id text,
  control_class "ControlClass",
  robot text,
  embodiment_fingerprint text,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  robot_repo_id text,
  CONSTRAINT model_meta_pkey PRIMARY KEY (repo_id)
);
-- Names that no repo had are text.
CREATE INDEX model_meta_robot ON model_meta (lower(robot)) WHERE (robot_repo_id IS NULL);
CREATE INDEX model_meta_robot_repo ON model_meta (robot_repo_id) WHERE (robot_repo_id IS NOT NULL);

CREATE TABLE repo_changes (
  repo_id text NOT NULL,
  seq integer NOT NULL,
  at timestamptz(3) NOT NULL,
  replaced_at timestamptz(3),
  action "RepoChangeAction" NOT NULL,
  actor_id text,
  credential_id text,
  files_added integer DEFAULT 0 NOT NULL,
  files_removed integer DEFAULT 0 NOT NULL,
  files_changed integer DEFAULT 0 NOT NULL,
  bytes_added bigint DEFAULT 0 NOT NULL,
  bytes_removed bigint DEFAULT 0 NOT NULL,
  file_count integer NOT NULL,
  total_bytes bigint NOT NULL,
  withdrawn_count integer DEFAULT 0 NOT NULL,
  CONSTRAINT repo_changes_pkey PRIMARY KEY (repo_id, seq),
  CONSTRAINT repo_changes_counted CHECK (((seq > 0) AND (files_added >= 0) AND (files_removed >= 0) AND (files_changed >= 0) AND (bytes_added >= 0) AND (bytes_removed >= 0) AND (file_count >= 0) AND (total_bytes >= 0) AND (withdrawn_count >= 0)))
);
CREATE INDEX repo_changes_repo_id_at_seq_idx ON repo_changes (repo_id, at, seq);

CREATE TABLE repo_references (
  repo_id text NOT NULL,
  referrer_id text NOT NULL,
  reason text NOT NULL,
  owner_id text NOT NULL,
  referrer_kind text NOT NULL,
  CONSTRAINT repo_references_pkey PRIMARY KEY (repo_id, referrer_id, reason)
);
CREATE INDEX repo_references_referrer_id_idx ON repo_references (referrer_id);
CREATE INDEX repo_references_repo_id_owner_id_reason_referrer_id_idx ON repo_references (repo_id, owner_id, reason, referrer_id);

CREATE TABLE repo_snapshots (
  id text NOT NULL,
  repo_id text NOT NULL,
  name text NOT NULL,
  seq integer NOT NULL,
  note text,
  created_by text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT repo_snapshots_pkey PRIMARY KEY (id),
    -- No name is a number, a time or the id of a run.
  CONSTRAINT repo_snapshots_name_form CHECK (((name ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'::text) AND (lower("left"(name, 4)) <> 'run_'::text))),
  CONSTRAINT repo_snapshots_seq_counted CHECK ((seq >= 0))
);
CREATE INDEX repo_snapshots_repo_id_id_idx ON repo_snapshots (repo_id, id DESC);
CREATE UNIQUE INDEX repo_snapshots_repo_id_name_key ON repo_snapshots (repo_id, name);
CREATE INDEX repo_snapshots_repo_id_seq_idx ON repo_snapshots (repo_id, seq);

CREATE TABLE repos (
  id text NOT NULL,
  owner_id text NOT NULL,
  slug text NOT NULL COLLATE "C",
  kind "RepoKind" NOT NULL,
  visibility "Visibility" DEFAULT 'private'::"Visibility" NOT NULL,
  description text,
  tags text[] DEFAULT ARRAY[]::text[] NOT NULL,
  seq integer DEFAULT 0 NOT NULL,
  file_count integer DEFAULT 0 NOT NULL,
  total_bytes bigint DEFAULT 0 NOT NULL,
  verified_count integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  snapshot_bytes bigint DEFAULT 0 NOT NULL,
  snapshot_count integer DEFAULT 0 NOT NULL,
  CONSTRAINT repos_pkey PRIMARY KEY (id),
  CONSTRAINT repos_files_counted CHECK (((file_count >= 0) AND (total_bytes >= 0) AND ((verified_count >= 0) AND (verified_count <= file_count)))),
  CONSTRAINT repos_slug_form CHECK (((slug ~ '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$'::text) AND (length(slug) <= 64))),
  CONSTRAINT repos_snapshots_counted CHECK (((snapshot_count >= 0) AND (snapshot_bytes >= 0))),
  CONSTRAINT repos_tags_limit CHECK ((cardinality(tags) <= 20))
);
CREATE INDEX repos_description_trgm ON repos USING gin (lower(description) gin_trgm_ops);
CREATE INDEX repos_owner_id_id_idx ON repos (owner_id, id DESC);
CREATE UNIQUE INDEX repos_owner_id_slug_key ON repos (owner_id, slug);
CREATE INDEX repos_owner_id_updated_at_id_idx ON repos (owner_id, updated_at DESC, id DESC);
CREATE INDEX repos_private_created ON repos (owner_id, id DESC) WHERE (visibility = 'private'::"Visibility");
CREATE INDEX repos_private_updated ON repos (owner_id, updated_at DESC, id DESC) WHERE (visibility = 'private'::"Visibility");
-- Ordered streams of the repo listing.
CREATE INDEX repos_public_created ON repos (id DESC) WHERE (visibility = 'public'::"Visibility");
CREATE INDEX repos_public_kind_created ON repos (kind, id DESC) WHERE (visibility = 'public'::"Visibility");
CREATE INDEX repos_public_kind_updated ON repos (kind, updated_at DESC, id DESC) WHERE (visibility = 'public'::"Visibility");
CREATE INDEX repos_public_updated ON repos (updated_at DESC, id DESC) WHERE (visibility = 'public'::"Visibility");
CREATE INDEX repos_slug_trgm ON repos USING gin (lower(slug) gin_trgm_ops);
CREATE INDEX repos_tags ON repos USING gin (tags);

CREATE TABLE robot_cards (
  repo_id text NOT NULL,
  card json NOT NULL,
  interface_fingerprint text,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  card_bytes integer NOT NULL,
  CONSTRAINT robot_cards_pkey PRIMARY KEY (repo_id)
);
CREATE INDEX robot_cards_interface_fingerprint_idx ON robot_cards (interface_fingerprint);

CREATE TABLE robot_check_artifacts (
  check_id text NOT NULL,
  name text NOT NULL,
  storage_key text NOT NULL,
  store_upload_id text NOT NULL,
  size bigint NOT NULL,
  content_type text,
  sha256 text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT robot_check_artifacts_pkey PRIMARY KEY (check_id, name)
);
-- Artifacts whose upload is open, by the key under which the store lists it.
CREATE INDEX robot_check_artifacts_open ON robot_check_artifacts (storage_key) WHERE (sha256 IS NULL);

CREATE TABLE robot_check_log_chunks (
  check_id text NOT NULL,
  seq integer NOT NULL,
  attempt integer NOT NULL,
  stream "LogStream" NOT NULL,
  storage_key text,
  text text,
  byte_count integer NOT NULL,
  line_count integer NOT NULL,
  first_line bigint NOT NULL,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  line_from integer,
  CONSTRAINT robot_check_log_chunks_pkey PRIMARY KEY (check_id, seq)
);

CREATE TABLE robot_checks (
  id text NOT NULL,
  kind "RobotCheckKind" NOT NULL,
  status "JobStatus" NOT NULL,
  executor "RunExecutor" NOT NULL,
  owner_id text NOT NULL,
  created_by text,
  filed_by text NOT NULL,
  quota_account_id text NOT NULL,
  robot_repo_id text,
  robot_repo_name text,
  model_repo_id text,
  model_repo_name text,
  repo_ids text[],
  model json,
  entry text,
  base text,
  control_hz double precision,
  action text,
  options json,
  drop json,
  source_repo_id text,
  source_seq integer,
  source_prefix text DEFAULT ''::text NOT NULL,
  source_flat boolean DEFAULT false NOT NULL,
  sources_count integer DEFAULT 0 NOT NULL,
  sources_bytes bigint DEFAULT 0 NOT NULL,
  claimed_by text,
  claim_credential text,
  attempt integer DEFAULT 0 NOT NULL,
  claimed_at timestamptz(3),
  heartbeat_at timestamptz(3),
  hosted_call_id text,
  hosted_credential text,
  dispatched_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  stop_reason text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  error text,
  priced boolean DEFAULT false NOT NULL,
  rate_usd_per_hour numeric(12,4),
  cost_usd numeric(14,4),
  report json,
  draft json,
  intake json,
  engine json,
  card json,
  needs_you json,
  published json,
  published_at timestamptz(3),
  log_seq integer DEFAULT 0 NOT NULL,
  log_lines bigint DEFAULT 0 NOT NULL,
  log_bytes bigint DEFAULT 0 NOT NULL,
  log_tail text DEFAULT ''::text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  max_seconds integer,
  client_log_gaps bigint[] DEFAULT ARRAY[]::bigint[],
  client_log_seq bigint,
  stored_bytes bigint DEFAULT 0 NOT NULL,
  card_faults json,
  log_open_bytes integer,
  log_open_from integer,
  CONSTRAINT robot_checks_pkey PRIMARY KEY (id),
  CONSTRAINT robot_checks_about CHECK (
CASE kind
  WHEN 'robot'::"RobotCheckKind" THEN (robot_repo_id IS NOT NULL)
  ELSE (model_repo_id IS NOT NULL)
END),
  CONSTRAINT robot_checks_ended CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['succeeded'::"JobStatus", 'failed'::"JobStatus", 'canceled'::"JobStatus"])))),
  CONSTRAINT robot_checks_held CHECK (((status <> 'running'::"JobStatus") OR (claim_credential IS NOT NULL))),
  CONSTRAINT robot_checks_limited CHECK ((((executor = 'hosted'::"RunExecutor") = (max_seconds IS NOT NULL)) AND (max_seconds > 0))),
  CONSTRAINT robot_checks_log_open CHECK (((log_open_from IS NULL) = (log_open_bytes IS NULL))),
  CONSTRAINT robot_checks_published CHECK (((published_at IS NULL) OR (status = 'succeeded'::"JobStatus"))),
  CONSTRAINT robot_checks_tail CHECK ((octet_length(log_tail) <= 65536))
);
CREATE INDEX robot_checks_filed ON robot_checks (filed_by, id DESC);
-- What a person made for other accounts, of which they may be no more.
CREATE INDEX robot_checks_made_for_others ON robot_checks (created_by, id) WHERE (created_by <> owner_id);
CREATE INDEX robot_checks_made_for_others_by_robot ON robot_checks (created_by, robot_repo_id, status, executor, id) WHERE (created_by <> owner_id);
CREATE INDEX robot_checks_made_for_others_by_status ON robot_checks (created_by, status, executor, id) WHERE (created_by <> owner_id);
-- Checks of a model repo, newest first.
CREATE INDEX robot_checks_model ON robot_checks (owner_id, model_repo_id, id) WHERE (model_repo_id IS NOT NULL);
CREATE INDEX robot_checks_model_by_status ON robot_checks (owner_id, model_repo_id, kind, status, executor, id) WHERE (model_repo_id IS NOT NULL);
CREATE INDEX robot_checks_model_for_others ON robot_checks (created_by, model_repo_id, id) WHERE ((model_repo_id IS NOT NULL) AND (created_by <> owner_id));
CREATE INDEX robot_checks_model_for_others_by_status ON robot_checks (created_by, model_repo_id, kind, status, executor, id) WHERE ((model_repo_id IS NOT NULL) AND (created_by <> owner_id));
CREATE INDEX robot_checks_owner_id_id_idx ON robot_checks (owner_id, id);
CREATE INDEX robot_checks_owner_id_robot_repo_id_status_executor_id_idx ON robot_checks (owner_id, robot_repo_id, status, executor, id);
CREATE INDEX robot_checks_owner_id_status_executor_id_idx ON robot_checks (owner_id, status, executor, id);
-- Snapshots that keep files which their repo has replaced or lost.
CREATE INDEX robot_checks_pins ON robot_checks (source_repo_id, source_seq) WHERE ((source_repo_id IS NOT NULL) AND (published_at IS NULL) AND (status = ANY (ARRAY['queued'::"JobStatus", 'running'::"JobStatus", 'succeeded'::"JobStatus"])));
CREATE INDEX robot_checks_quota_account_id_created_at_idx ON robot_checks (quota_account_id, created_at);
CREATE INDEX robot_checks_repos ON robot_checks USING gin (repo_ids);
-- Checks of a repo.
CREATE INDEX robot_checks_robot ON robot_checks (owner_id, robot_repo_id, id) WHERE (robot_repo_id IS NOT NULL);
CREATE INDEX robot_checks_robot_by_status ON robot_checks (owner_id, robot_repo_id, kind, status, executor, id) WHERE (robot_repo_id IS NOT NULL);
CREATE INDEX robot_checks_robot_for_others ON robot_checks (created_by, robot_repo_id, id) WHERE ((robot_repo_id IS NOT NULL) AND (created_by <> owner_id));
CREATE INDEX robot_checks_robot_for_others_by_status ON robot_checks (created_by, robot_repo_id, kind, status, executor, id) WHERE ((robot_repo_id IS NOT NULL) AND (created_by <> owner_id));
-- What a scrape of /metrics reads, from an index alone.
CREATE INDEX robot_checks_running ON robot_checks (id) WHERE (status = 'running'::"JobStatus");
CREATE INDEX robot_checks_to_dispatch ON robot_checks (id) WHERE ((status = 'queued'::"JobStatus") AND (executor = 'hosted'::"RunExecutor"));
-- The queue, and what waits for the hosted backend.
CREATE INDEX robot_checks_waiting ON robot_checks (owner_id, id) WHERE ((status = 'queued'::"JobStatus") AND (executor = 'worker'::"RunExecutor"));
CREATE TRIGGER robot_checks_changed AFTER INSERT OR UPDATE ON robot_checks FOR EACH ROW WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_job_change('robot_check');

CREATE TABLE run_attempts (
  run_id text NOT NULL,
  attempt integer NOT NULL,
  credential text NOT NULL,
  claimed_by text NOT NULL,
  claimed_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  ended_at timestamptz(3),
  "end" "RunAttemptEnd",
  CONSTRAINT run_attempts_pkey PRIMARY KEY (run_id, attempt),
  CONSTRAINT run_attempts_ended_whole CHECK (((ended_at IS NULL) = ("end" IS NULL)))
);

CREATE TABLE run_datasets (
  run_id text NOT NULL,
  "position" integer NOT NULL,
  ref text NOT NULL,
  repo_id text,
  seq integer,
  CONSTRAINT run_datasets_pkey PRIMARY KEY (run_id, "position"),
  CONSTRAINT run_datasets_pinned_whole CHECK (((repo_id IS NULL) = (seq IS NULL)))
);
-- What pins the files of a repo.
CREATE INDEX run_datasets_pins ON run_datasets (repo_id, seq) WHERE (repo_id IS NOT NULL);

CREATE TABLE run_gate_results (
  run_id text NOT NULL,
  step bigint NOT NULL,
  rows json NOT NULL,
  pass_count integer NOT NULL,
  cell_count integer NOT NULL,
  alive_count integer NOT NULL,
  seed_count integer NOT NULL,
  rollout_id text,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT run_gate_results_pkey PRIMARY KEY (run_id, step),
  CONSTRAINT run_gate_results_counted CHECK (pass_count BETWEEN 0 AND cell_count AND alive_count BETWEEN 0 AND seed_count)
);

CREATE TABLE run_log_chunks (
  run_id text NOT NULL,
  seq integer NOT NULL,
  attempt integer NOT NULL,
  stream "LogStream" NOT NULL,
  storage_key text,
  text text,
  byte_count integer NOT NULL,
  line_count integer NOT NULL,
  first_line bigint NOT NULL,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  line_from integer,
  CONSTRAINT run_log_chunks_pkey PRIMARY KEY (run_id, seq),
  CONSTRAINT run_log_chunks_counted CHECK (((seq > 0) AND (byte_count >= 0) AND (line_count >= 0) AND (first_line >= 0))),
  CONSTRAINT run_log_chunks_stored_once CHECK (((storage_key IS NULL) <> (text IS NULL)))
);

CREATE TABLE run_measurements (
  template text NOT NULL,
  tier text NOT NULL,
  batch integer NOT NULL,
  peak_vram_gb double precision NOT NULL,
  samples_per_s double precision NOT NULL,
  n_runs integer NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT run_measurements_pkey PRIMARY KEY (template, tier, batch)
);

CREATE TABLE run_metrics (
  run_id text NOT NULL,
  seq bigint NOT NULL,
  attempt integer NOT NULL,
  step double precision,
  reward double precision,
  line json NOT NULL,
  at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  hidden boolean DEFAULT false NOT NULL,
  CONSTRAINT run_metrics_pkey PRIMARY KEY (run_id, seq)
);

CREATE TABLE runs (
  id text NOT NULL,
  kind "RunKind" NOT NULL,
  status "JobStatus" NOT NULL,
  executor "RunExecutor",
  owner_id text NOT NULL,
  created_by text,
  filed_by text NOT NULL,
  template text NOT NULL,
  robot text,
  recipe json NOT NULL,
  recipe_hash text NOT NULL,
  gpu_type text,
  max_hours numeric(20,10) DEFAULT 4 NOT NULL,
  budget_usd numeric(14,4),
  priced boolean DEFAULT false NOT NULL,
  rate_usd_per_hour numeric(12,4),
  parent_run_id text,
  repo_ids text[] DEFAULT ARRAY[]::text[] NOT NULL,
  claimed_by text,
  claim_credential text,
  attempt integer DEFAULT 0 NOT NULL,
  lost_leases integer DEFAULT 0 NOT NULL,
  claimed_at timestamptz(3),
  heartbeat_at timestamptz(3),
  lease_expires_at timestamptz(3),
  hosted_call_id text,
  dispatched_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  stop_reason text,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  error text,
  cost_usd numeric(14,4),
  output_repo_id text,
  output_repo_name text,
  config_key text,
  scorecard_key text,
  gates json,
  gate_passed integer,
  gate_total integer,
  latest_metrics json,
  peak_vram_gb double precision,
  samples_per_s double precision,
  gpu_tier text,
  progress jsonb,
  progress_at timestamptz(3),
  pace jsonb,
  reward_curve jsonb,
  log_seq integer DEFAULT 0 NOT NULL,
  log_lines bigint DEFAULT 0 NOT NULL,
  log_bytes bigint DEFAULT 0 NOT NULL,
  metrics_seq bigint DEFAULT 0 NOT NULL,
  client_log_seq bigint,
  client_metrics_seq bigint,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  client_log_gaps bigint[] DEFAULT ARRAY[]::bigint[],
  client_metrics_gaps bigint[] DEFAULT ARRAY[]::bigint[],
  used_seconds numeric(14,3) DEFAULT 0 NOT NULL,
  barred_credential text,
  barred_until timestamptz(3),
  hosted_credential text,
  config_bytes integer,
  scorecard_bytes integer,
  stored_bytes bigint DEFAULT 0 NOT NULL,
  summary_bytes integer,
  self_started boolean DEFAULT false NOT NULL,
  log_open_bytes integer,
  log_open_from integer,
  robot_repo_id text,
  CONSTRAINT runs_pkey PRIMARY KEY (id),
  CONSTRAINT runs_bytes_counted CHECK (((stored_bytes >= 0) AND (config_bytes >= 0) AND (scorecard_bytes >= 0) AND (summary_bytes >= 0))),
  CONSTRAINT runs_counted CHECK (((log_seq >= 0) AND (log_lines >= 0) AND (log_bytes >= 0) AND (metrics_seq >= 0) AND (lost_leases <= attempt))),
  CONSTRAINT runs_ended_dated CHECK (((status = ANY (ARRAY['succeeded'::"JobStatus", 'failed'::"JobStatus", 'canceled'::"JobStatus"])) = (finished_at IS NOT NULL))),
  CONSTRAINT runs_gates_counted CHECK (((gate_passed >= 0) AND (gate_passed <= gate_total))),
  CONSTRAINT runs_hash_form CHECK ((recipe_hash ~ '^[a-f0-9]{64}$'::text)),
  CONSTRAINT runs_imported_has_no_executor CHECK (((kind = 'external'::"RunKind") <= ((executor IS NULL) AND (status <> ALL (ARRAY['queued'::"JobStatus", 'running'::"JobStatus"]))))),
  CONSTRAINT runs_log_open CHECK (((log_open_from IS NULL) = (log_open_bytes IS NULL))),
  CONSTRAINT runs_queued_is_free CHECK (((status = 'queued'::"JobStatus") <= ((claim_credential IS NULL) AND (lease_expires_at IS NULL)))),
  CONSTRAINT runs_running_is_claimed CHECK (((status = 'running'::"JobStatus") <= ((claim_credential IS NOT NULL) AND (attempt > 0) AND (lease_expires_at IS NOT NULL))))
);
-- The facet counts read this alone.
CREATE INDEX runs_facets ON runs (owner_id) INCLUDE (kind, status, executor, robot, robot_repo_id, gate_total);
CREATE INDEX runs_filed ON runs (filed_by, id DESC);
CREATE INDEX runs_forks ON runs (parent_run_id, id DESC) WHERE (parent_run_id IS NOT NULL);
CREATE INDEX runs_gated ON runs (owner_id, id DESC) WHERE (gate_total > 0);
CREATE INDEX runs_hosted ON runs (owner_id, id DESC) WHERE (executor = 'hosted'::"RunExecutor");
CREATE INDEX runs_kind ON runs (owner_id, kind, id DESC) WHERE (kind <> 'cloud'::"RunKind");
-- Ordered streams of the run listing: by owner (above, and in parts), the owners that a person made runs for, what a credential filed, forks.
CREATE INDEX runs_made_for_others ON runs (created_by, owner_id) WHERE (created_by <> owner_id);
CREATE INDEX runs_owner_id_id_idx ON runs (owner_id, id DESC);
CREATE INDEX runs_owner_id_status_id_idx ON runs (owner_id, status, id DESC);
-- What a key limited to repos may see.
CREATE INDEX runs_repos ON runs USING gin (repo_ids);
-- The GPU hours that were reserved of late.
CREATE INDEX runs_reserved ON runs (created_by, created_at) WHERE (priced AND (status <> 'canceled'::"JobStatus"));
CREATE INDEX runs_robot ON runs (owner_id, lower(robot), id DESC) WHERE ((robot IS NOT NULL) AND (robot_repo_id IS NULL));
CREATE INDEX runs_robot_repo ON runs (owner_id, robot_repo_id, id DESC) WHERE (robot_repo_id IS NOT NULL);
CREATE INDEX runs_running ON runs (id) WHERE (status = 'running'::"JobStatus");
CREATE INDEX runs_to_dispatch ON runs (id) WHERE ((status = 'queued'::"JobStatus") AND (executor = 'hosted'::"RunExecutor"));
CREATE INDEX runs_unmeasured ON runs (id) WHERE (((config_key IS NOT NULL) AND (config_bytes IS NULL)) OR ((scorecard_key IS NOT NULL) AND (scorecard_bytes IS NULL)) OR ((kind = 'external'::"RunKind") AND (summary_bytes IS NULL)));
-- What claim-next reads: the runs that it may hand out.
CREATE INDEX runs_waiting ON runs (owner_id, id) WHERE ((status = 'queued'::"JobStatus") AND (executor = 'worker'::"RunExecutor") AND (NOT self_started));
-- Loading a backup is no change: it says so with `hub.loading`.
CREATE TRIGGER runs_changed AFTER INSERT OR UPDATE ON runs FOR EACH ROW WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_job_change('run');
CREATE TRIGGER runs_deleted AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION note_deleted_run();

CREATE TABLE sessions (
  id text NOT NULL,
  account_id text NOT NULL,
  issuer text,
  token_sha256 bytea,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  user_agent text,
  CONSTRAINT sessions_pkey PRIMARY KEY (id)
);
CREATE INDEX sessions_account_id_id_idx ON sessions (account_id, id DESC);
CREATE UNIQUE INDEX sessions_token_sha256_key ON sessions (token_sha256);

CREATE TABLE signing_keys (
  kid text NOT NULL,
  public_jwk jsonb NOT NULL,
  sealed_private bytea NOT NULL,
  not_before timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  retired_at timestamptz(3),
  withdrawn_at timestamptz(3),
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid),
  CONSTRAINT signing_keys_withdrawn_retired CHECK (((withdrawn_at IS NULL) OR (retired_at IS NOT NULL)))
);

CREATE TABLE spend_holds (
  id text NOT NULL,
  status "SpendHoldStatus" NOT NULL,
  kind "SpendHoldKind" NOT NULL,
  account_id text NOT NULL,
  filed_by text NOT NULL,
  filed_by_name text NOT NULL,
  created_by text,
  request json NOT NULL,
  summary text NOT NULL,
  estimate_usd numeric(14,4) NOT NULL,
  reserve_usd numeric(14,4) NOT NULL,
  allowance_usd numeric(14,4) NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  decided_at timestamptz(3),
  decided_by text,
  reason text,
  result_id text,
  CONSTRAINT spend_holds_pkey PRIMARY KEY (id),
  CONSTRAINT spend_holds_amounts CHECK (((estimate_usd >= (0)::numeric) AND (reserve_usd >= (0)::numeric) AND (allowance_usd >= (0)::numeric))),
  CONSTRAINT spend_holds_decided_dated CHECK (((status = 'pending'::"SpendHoldStatus") = (decided_at IS NULL))),
  CONSTRAINT spend_holds_result_of_approval CHECK (((status = 'approved'::"SpendHoldStatus") = (result_id IS NOT NULL)))
);
CREATE INDEX spend_holds_account_id_id_idx ON spend_holds (account_id, id DESC);
CREATE INDEX spend_holds_account_id_status_id_idx ON spend_holds (account_id, status, id DESC);
CREATE INDEX spend_holds_created_by_id_idx ON spend_holds (created_by, id DESC);
CREATE INDEX spend_holds_filed_by_id_idx ON spend_holds (filed_by, id DESC);
CREATE INDEX spend_holds_pending ON spend_holds (expires_at) WHERE (status = 'pending'::"SpendHoldStatus");
CREATE TRIGGER spend_holds_changed AFTER INSERT OR UPDATE ON spend_holds FOR EACH ROW WHEN ((current_setting('hub.loading'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION note_hold_change();

CREATE TABLE spend_reservations (
  job_id text NOT NULL,
  job_kind text NOT NULL,
  account_id text NOT NULL,
  amount_usd numeric(14,4) NOT NULL,
  allowance boolean NOT NULL,
  covers_to timestamptz(3),
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT spend_reservations_pkey PRIMARY KEY (job_id),
  CONSTRAINT spend_reservations_counted CHECK ((amount_usd >= (0)::numeric))
);
CREATE INDEX spend_reservations_account_id_idx ON spend_reservations (account_id);
CREATE INDEX spend_reservations_renewed ON spend_reservations (covers_to) WHERE (covers_to IS NOT NULL);

CREATE TABLE uploads (
  id text NOT NULL,
  repo_id text NOT NULL,
  account_id text NOT NULL,
  owner_id text NOT NULL,
  path text NOT NULL COLLATE "C",
  size bigint NOT NULL,
  sha256 text NOT NULL,
  content_type text,
  storage_key text NOT NULL,
  store_upload_id text NOT NULL,
  part_size integer NOT NULL,
  state "UploadState" DEFAULT 'pending'::"UploadState" NOT NULL,
  attempt text,
  attempt_at timestamptz(3),
  parts jsonb DEFAULT '[]'::jsonb NOT NULL,
  etag text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  touched_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  instance integer,
  CONSTRAINT uploads_pkey PRIMARY KEY (id),
  CONSTRAINT uploads_digest_form CHECK ((sha256 ~ '^[a-f0-9]{64}$'::text)),
  CONSTRAINT uploads_size_range CHECK (((size >= 0) AND (size <= '53687091200'::bigint)))
);
CREATE INDEX uploads_repo_id_idx ON uploads (repo_id);
-- The upload that a repeated presign resumes.
CREATE UNIQUE INDEX uploads_resumable ON uploads (account_id, repo_id, path, size, sha256) WHERE (state = ANY (ARRAY['pending'::"UploadState", 'completing'::"UploadState", 'assembled'::"UploadState"]));
CREATE INDEX uploads_unfinished ON uploads (touched_at) WHERE (state = ANY (ARRAY['pending'::"UploadState", 'completing'::"UploadState", 'assembled'::"UploadState"]));

CREATE TABLE user_code_misses (
  account_id text NOT NULL,
  started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  count integer NOT NULL,
  CONSTRAINT user_code_misses_pkey PRIMARY KEY (account_id)
);

CREATE TABLE withdrawn_files (
  id bigserial NOT NULL,
  repo_id text NOT NULL,
  path text NOT NULL,
  from_seq integer NOT NULL,
  to_seq integer NOT NULL,
  size bigint NOT NULL,
  sha256 text NOT NULL,
  reason "WithdrawalReason" NOT NULL,
  withdrawn_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT withdrawn_files_pkey PRIMARY KEY (id),
  CONSTRAINT withdrawn_files_seq_order CHECK ((to_seq > from_seq))
);
CREATE INDEX withdrawn_files_repo_id_path_from_seq_idx ON withdrawn_files (repo_id, path, from_seq);

-- References.
ALTER TABLE account_measurements ADD CONSTRAINT account_measurements_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE approvals ADD CONSTRAINT approvals_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE approvals ADD CONSTRAINT approvals_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES endpoints(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE approvals ADD CONSTRAINT approvals_minted_by_fkey FOREIGN KEY (minted_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE approvals ADD CONSTRAINT approvals_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE audit_log ADD CONSTRAINT audit_log_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE dataset_meta ADD CONSTRAINT dataset_meta_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE device_logins ADD CONSTRAINT device_logins_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE devices ADD CONSTRAINT devices_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE devices ADD CONSTRAINT devices_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE endpoint_sessions ADD CONSTRAINT endpoint_sessions_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE endpoint_sessions ADD CONSTRAINT endpoint_sessions_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE endpoint_sessions ADD CONSTRAINT endpoint_sessions_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES endpoints(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE endpoints ADD CONSTRAINT endpoints_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE endpoints ADD CONSTRAINT endpoints_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE files ADD CONSTRAINT files_blob_id_fkey FOREIGN KEY (blob_id) REFERENCES blobs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE identities ADD CONSTRAINT identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ledger ADD CONSTRAINT ledger_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE memberships ADD CONSTRAINT memberships_org_id_fkey FOREIGN KEY (org_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE memberships ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE model_meta ADD CONSTRAINT model_meta_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE repo_changes ADD CONSTRAINT repo_changes_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE repo_references ADD CONSTRAINT repo_references_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE repo_references ADD CONSTRAINT repo_references_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE repo_snapshots ADD CONSTRAINT repo_snapshots_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE repo_snapshots ADD CONSTRAINT repo_snapshots_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE repos ADD CONSTRAINT repos_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE robot_cards ADD CONSTRAINT robot_cards_repo_id_fkey FOREIGN KEY (repo_id) REFERENCES repos(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE robot_check_artifacts ADD CONSTRAINT robot_check_artifacts_check_id_fkey FOREIGN KEY (check_id) REFERENCES robot_checks(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE robot_checks ADD CONSTRAINT robot_checks_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE robot_checks ADD CONSTRAINT robot_checks_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE run_attempts ADD CONSTRAINT run_attempts_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_datasets ADD CONSTRAINT run_datasets_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE run_gate_results ADD CONSTRAINT run_gate_results_run_id_fkey FOREIGN KEY (run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE runs ADD CONSTRAINT runs_created_by_fkey FOREIGN KEY (created_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE SET NULL;
ALTER TABLE runs ADD CONSTRAINT runs_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE runs ADD CONSTRAINT runs_parent_run_id_fkey FOREIGN KEY (parent_run_id) REFERENCES runs(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE sessions ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE spend_holds ADD CONSTRAINT spend_holds_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE spend_holds ADD CONSTRAINT spend_holds_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE spend_reservations ADD CONSTRAINT spend_reservations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE user_code_misses ADD CONSTRAINT user_code_misses_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE CASCADE;
