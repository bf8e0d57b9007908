/** A change of a repo's files: the next `seq`, its sums, and the row that names the state it leads to. */
import { isId } from '@hub/formats/ids'
import type { AuditContext } from '../../operation/audit.ts'
import { bodyColumns, keepBody, type ReadBody } from '../../repos/bodies/kept-bodies.ts'
import { DATASET_INFO_PATH } from '../../repos/dataset-info.ts'
import { keepCard, type ReadReadme, readmeColumns, readmeSource } from '../../repos/readme/kept-cards.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertSelected, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

export type ChangeAction = 'complete' | 'delete' | 'reject' | 'restore' | 'purge'

const pathColumn = columns({ path: column.text('path') })

/** What the author of a change says about it, from the name of the verb's input to the row. */
export interface ChangeMessage {
  /** At most 500 characters. */
  readonly message?: string | null
}

/** Each path is a walk of the index, whatever the planner knows of the table: see the live paths of a commit. */
export const closeFiles = statement({
  name: 'files-close',
  columns: pathColumn,
  params: { repoId: param.text(), seq: param.int4(), paths: param.texts() },
  text: `update files set to_seq = :seq, closed_at = now()
    where id in (select l.id from unnest(:paths::text[]) as q(path) cross join lateral (select id from files
      where repo_id = :repoId and to_seq is null and path >= q.path and path <= q.path order by path limit 1) l) returning ${pathColumn.sql}`,
})

/**
 * Numbers of files and bytes. `changed` counts the paths that got other bytes; their bytes are in both `bytesAdded` and
 * `bytesRemoved`.
 */
export interface ChangeCounts {
  readonly added: number
  readonly removed: number
  readonly changed: number
  readonly bytesAdded: number
  readonly bytesRemoved: number
  /** Change in the number of the repo's verified files; may be negative. */
  readonly verified: number
}

const repoChangeRow = insertSelected('repo_changes', {
  repoId: sql('m.id'),
  seq: param.int4(),
  at: sql('clock.at'),
  action: param.enum('RepoChangeAction'),
  actorId: param.text.orNull(),
  credentialId: param.text.orNull(),
  runId: param.text.orNull(),
  message: param.text.orNull(),
  filesAdded: param.int4(),
  filesRemoved: param.int4(),
  filesChanged: param.int4(),
  bytesAdded: param.int8(),
  bytesRemoved: param.int8(),
  fileCount: sql('m.file_count'),
  totalBytes: sql('m.total_bytes'),
})

const commitColumn = columns({ commitId: column.text('commit_id') })

/** The facts of a data set go with the `meta/info.json` that they were read of; what a person has put stays. */
const forgetFacts = `delete from dataset_meta d where d.repo_id = :repoId and d.info_seq is not null
      and (not exists (select 1 from files f where f.repo_id = :repoId and f.path = '${DATASET_INFO_PATH}'
          and f.to_seq is null)
        or exists (select 1 from files f where f.repo_id = :repoId and f.path = '${DATASET_INFO_PATH}'
          and f.from_seq = d.info_seq and f.to_seq = :seq))`

/**
 * One statement. Times are read from the clock, not from the start of the transaction: a transaction that waited for
 * the repo's lock may have begun before the one that held it. Times never go back, even if the clock does.
 */
const insertChange = statement({
  name: 'repo-change',
  columns: commitColumn,
  params: { ...repoChangeRow.params, repoId: param.text(), verified: param.int4() },
  text: `with moved as (update repos set seq = :seq, file_count = file_count + :filesAdded::int - :filesRemoved::int,
        total_bytes = total_bytes + :bytesAdded::bigint - :bytesRemoved::bigint,
          verified_count = verified_count + :verified::int, updated_at = now(), ${readmeColumns},
          ${bodyColumns}
      from ${readmeSource} where repos.id = :repoId returning repos.id, file_count, total_bytes),
    clock as (select date_trunc('milliseconds', greatest(clock_timestamp(), max(c.at))) as at from repo_changes c
      where c.repo_id = :repoId and c.seq = :seq - 1),
    replaced as (update repo_changes c set replaced_at = clock.at from clock where c.repo_id = :repoId
      and c.seq = :seq - 1),
    forgotten as (${forgetFacts})
    ${repoChangeRow.sql} from moved m, clock returning ${commitColumn.sql}`,
})

/**
 * Moves the repo, whose row the caller has locked, from `seq - 1` to `seq`; its rows in `files` are those of the new
 * state already. Facts of a data set go with the file that they were read of; the repo gets the card of the README.md
 * among the files, and waits for a job if its body is in a file that is not read. The change names the run that made
 * it: `runId`, else that of the key. Returns the commit id of the new state, which the database draws at random. One
 * statement, one more with `readme`, the README.md that the change brings, and those of `keepBody` with `body`.
 */
export async function recordChange({
  tx,
  ctx,
  repoId,
  seq,
  action,
  runId = null,
  message = null,
  readme = null,
  body = null,
  counts,
}: ChangeMessage & {
  readonly tx: Tx
  readonly ctx: AuditContext
  readonly repoId: string
  readonly seq: number
  readonly action: ChangeAction
  readonly runId?: string | null
  readonly readme?: ReadReadme | null
  readonly body?: ReadBody | null
  readonly counts: ChangeCounts
}): Promise<string> {
  if (readme) await keepCard(tx, repoId, readme)
  if (body) await keepBody(tx, repoId, body)
  const viewer = ctx.viewer?.kind === 'anonymous' ? null : ctx.viewer
  const [made] = await tx.query(insertChange, {
    repoId,
    seq,
    action,
    actorId: viewer?.personId ?? null,
    credentialId: viewer?.credentialId ?? null,
    runId: runId ?? runOfKey(ctx),
    filesAdded: counts.added,
    filesRemoved: counts.removed,
    filesChanged: counts.changed,
    bytesAdded: counts.bytesAdded,
    bytesRemoved: counts.bytesRemoved,
    verified: counts.verified,
    message,
  })
  if (!made) throw new Error('The repo of a change is not there.')
  return made.commitId
}

/** A run's own key writes nothing but what the run makes. */
function runOfKey({ viewer }: AuditContext): string | null {
  const jobId = viewer && viewer.kind !== 'anonymous' ? viewer.job?.jobId : null
  return jobId && isId('run', jobId) ? jobId : null
}
