import { defineRows } from '../support/define-cases.ts'

const anUpload = (size: string, sha256: string) =>
  `insert into uploads (id, repo_id, account_id, owner_id, path, size, sha256, storage_key, store_upload_id, part_size)
   values ('x', 'x', 'x', 'x', 'a', ${size}, ${sha256}, 'x', 'x', 1)`

const aSelection = (name: string, count: string, total: string, episodes = `'0'`, note = 'null') =>
  `insert into episode_selections (repo_id, name, seq, episodes, count, total, fingerprint, note)
   values ('x', ${name}, 1, ${episodes}, ${count}, ${total}, repeat('a', 64), ${note})`

export const rows = defineRows({
  kept: ({ dataset, ada }) => ({
    episode_labels: `insert into episode_labels (id, repo_id, episode, choice, note, created_by) values
      ('label_00000000000000000000000001', '${dataset}', 3, 'drop', 'gripper slipped', '${ada}')`,
    episode_selections: `insert into episode_selections (repo_id, name, seq, episodes, count, total, fingerprint, created_by)
      values ('${dataset}', 'clean', 2, '0-3,7', 5, 8, repeat('a', 64), '${ada}')`,
  }),
  refused: {
    episode_labels_episode_counted: `insert into episode_labels (id, repo_id, episode) values ('x', 'x', -1)`,
    episode_selections_name_form: aSelection(`'A'`, '1', '2'),
    episode_selections_counted: aSelection(`'a'`, '3', '2'),
    episode_selections_episodes_form: aSelection(`'a'`, '1', '2', `'all'`),
    episode_selections_note_length: aSelection(`'a'`, '1', '2', `'0'`, `repeat('n', 4001)`),
    episode_labels_note_length: `insert into episode_labels (id, repo_id, episode, note) values ('x', 'x', 0, repeat('n', 4001))`,
    uploads_digest_form: anUpload('1', `'A'`),
    uploads_size_range: anUpload('53687091201', `repeat('a', 64)`),
    files_closed_whole: `insert into files (repo_id, path, from_seq, to_seq, blob_id) values ('x', 'a', 1, 2, 'x')`,
    files_seq_order: `insert into files (repo_id, path, from_seq, to_seq, closed_at, blob_id) values ('x', 'a', 2, 2, now(), 'x')`,
    repo_changes_counted: `insert into repo_changes (repo_id, seq, at, action, file_count, total_bytes) values ('x', 0, now(), 'complete', 0, 0)`,
    repo_changes_commit_form: `insert into repo_changes (repo_id, seq, commit_id, at, action, file_count, total_bytes) values ('x', 1, 'abc', now(), 'complete', 0, 0)`,
    repo_changes_message_length: `insert into repo_changes (repo_id, seq, message, at, action, file_count, total_bytes) values ('x', 1, repeat('m', 501), now(), 'complete', 0, 0)`,
    repo_snapshots_name_form: `insert into repo_snapshots (id, repo_id, name, seq) values ('x', 'x', 'RUN_1', 1)`,
    repo_snapshots_seq_counted: `insert into repo_snapshots (id, repo_id, name, seq) values ('x', 'x', 'a', -1)`,
    withdrawn_files_seq_order: `insert into withdrawn_files (repo_id, path, from_seq, to_seq, size, sha256, reason) values ('x', 'a', 2, 2, 1, 'x', 'purged')`,
    blobs_size_range: `insert into blobs (id, storage_key, size, claimed) values ('x', 'x', 53687091201, repeat('a', 64))`,
    blobs_digest_form: `insert into blobs (id, storage_key, size, claimed) values ('x', 'x', 1, 'A')`,
    blobs_doomed_dated: `insert into blobs (id, storage_key, size, claimed, state) values ('x', 'x', 1, repeat('a', 64), 'doomed')`,
  },
})
