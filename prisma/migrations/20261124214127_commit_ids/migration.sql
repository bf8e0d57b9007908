-- Every state of a repo gets a commit id. The default is random for each row, so that the rows there are get one, and so
-- does a change that an older hub makes while this one starts.
ALTER TABLE repo_changes
  ADD COLUMN commit_id text NOT NULL DEFAULT substr(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'::text), 1, 40),
  ADD COLUMN message text,
  ADD CONSTRAINT repo_changes_commit_form CHECK (commit_id ~ '^[0-9a-f]{40}$'),
  ADD CONSTRAINT repo_changes_message_length CHECK (char_length(message) <= 500);
CREATE UNIQUE INDEX repo_changes_repo_id_commit_id_key ON repo_changes (repo_id, commit_id);

ALTER TABLE repos
  ADD COLUMN empty_commit_id text NOT NULL DEFAULT substr(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'::text), 1, 40),
  ADD CONSTRAINT repos_empty_commit_form CHECK (empty_commit_id ~ '^[0-9a-f]{40}$');

-- Names of snapshots may begin with a digit. No name that was allowed is refused, save one of 40 hex digits, which reads as
-- a commit id: such a name stays where it is, and `snapshot:NAME` reads it.
ALTER TABLE repo_snapshots
  DROP CONSTRAINT repo_snapshots_name_form,
  ADD CONSTRAINT repo_snapshots_name_form CHECK (name ~* '^[a-z0-9][a-z0-9._-]{0,63}$' AND name !~* '^run_');
