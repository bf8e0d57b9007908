/** Which objects of the store the rows of a database name. */

interface KeyColumn {
  /** `table.column`, as the catalogue has it. */
  readonly column: string
  /** Selects `key`, `sha256` (of bytes that the hub has verified, else null) and `required`. */
  readonly select: string
}

const named = (table: string, column: string, where = `${column} is not null`): KeyColumn => ({
  column: `${table}.${column}`,
  select: `select ${column} as key, null::text as sha256, true as required from ${table} where ${where}`,
})

/**
 * Each column that names objects. A doomed blob is left out: it never becomes live again, and collection deletes its
 * object twice without harm.
 */
export const keyColumns: readonly KeyColumn[] = [
  {
    column: 'blobs.storage_key',
    select: `select storage_key as key, sha256, true as required from blobs where state = 'live'`,
  },
  named('accounts', 'avatar_key'),
  named('run_log_chunks', 'storage_key'),
  {
    column: 'metric_archives.storage_key',
    select: `select storage_key as key, sha256, true as required from metric_archives where storage_key is not null`,
  },
  named('runs', 'config_key'),
  named('runs', 'scorecard_key'),
  {
    column: 'runs.id',
    select: `select 'runs/' || id || '/metrics.jsonl' as key, null::text as sha256, false as required from runs`,
  },
  named('robot_check_log_chunks', 'storage_key'),
  // Before a report has named it, an artifact is an upload in progress.
  named('robot_check_artifacts', 'storage_key', 'sha256 is not null'),
  // Until it has succeeded, a film is an upload in progress.
  {
    column: 'episode_films.storage_key',
    select: `select storage_key as key, sha256, true as required from episode_films where status = 'succeeded'`,
  },
]

/** Columns that look like one of these and name nothing that a restored hub needs, with the reason. */
export const otherKeyColumns: Readonly<Record<string, string>> = {
  'uploads.storage_key': 'an upload in progress begins again after a restore',
  'idempotency_keys.key': 'the key of a request',
  'run_metric_summaries.key': 'the name of a metric',
  'run_media.key': 'what a run logged it under',
  'run_media_keys.key': 'the same',
  'bodies.joints_key': 'a digest of the names of its joints',
  'rollouts.key': 'a digest of what the result is of',
  'passkeys.public_key': 'the public key of a passkey itself',
}

/** The keys in their byte order, from those of the columns that this database has. */
export function namedObjectsSql(has: (column: string) => boolean): string {
  const selects = keyColumns.filter(({ column }) => has(column)).map(({ select }) => select)
  const all =
    selects.length > 0
      ? selects.join(' union all ')
      : `select '' as key, null::text as sha256, true as required where false`
  return `select key, sha256, required from (${all}) named order by key collate "C"`
}
