/**
 * makeRunKey (an addition of this hub): a key for what a run starts, such as a trainer that pushes its policy. It is as
 * the key of a hosted run: it reads the repos that the run names, writes the run's output repo and the private model
 * repos that it makes, and is dead once the run has ended, or the credential that asked for it.
 */
import { newId } from '@hub/formats/ids'
import { assertNotJob, assertRunsFor } from '../../auth/policy.ts'
import { mintJobKey } from '../../hosting/job-key.ts'
import type { RequestContext } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { findRun, lockRun, nextStatus } from '../run-row.ts'

/** The run, and the attempt under which the caller holds it. */
export interface MakeRunKeyInput {
  readonly runId: string
  readonly attempt?: number | null
}

/** What the answer has. */
export interface RunKey {
  readonly id: string
  readonly token: string
}

const outputColumn = columns({ repoIds: column.texts('array_remove(array[u.output_repo_id], null)') })

/** The keys of the run before are revoked: a run has one. */
const replaceKeys = statement({
  name: 'run-key-replace',
  columns: outputColumn,
  params: { runId: param.text(), ownerId: param.text() },
  // By the account, which has an index; a run has no key of another.
  text: `with before as (update api_keys set revoked_at = now()
      where account_id = :ownerId and job_id = :runId and revoked_at is null)
    select ${outputColumn.sql} from runs u where u.id = :runId`,
})

/**
 * Returns the token, which is not stored, so that no replay has it: a repeat makes another key in its place. Errors:
 * 401, 403 also for the key of a job, 404, 409 `conflict.not_claimer`, `conflict.terminal`.
 */
export async function makeRunKey(ctx: RequestContext, input: MakeRunKeyInput): Promise<RunKey> {
  const found = await findRun(ctx, input.runId)
  const viewer = assertRunsFor(ctx.viewer, found.ownerId)
  assertNotJob(viewer, 'make a key')
  const { credentialId, personId } = viewer
  const id = newId('key')
  const token = await ctx.deps.db.withTx(async (tx) => {
    const run = await lockRun(tx, found.id)
    nextStatus('report', run, { credentialId, attempt: input.attempt ?? null })
    const [output] = await tx.query(replaceKeys, { runId: run.id, ownerId: run.ownerId })
    const job = { id: run.id, ownerId: run.ownerId, createdBy: personId, repoIds: output?.repoIds ?? [] }
    return mintJobKey(tx, { ...job, by: ctx, madeWith: credentialId }, id, 'write')
  })
  return { id, token }
}
