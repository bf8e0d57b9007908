/** Background jobs that have failed for good, and sending them again. Contract, "The operator". */
import { assertOperator } from '../accounts/operator-only.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { FAILED_QUEUE } from '../store/failed-queue.ts'
import { param, statement } from '../store/statement.ts'

/** The newest of them that are listed. */
export const MAX_FAILED_JOBS = 100

/** An error is told in a line of so many characters. */
const MAX_ERROR = 300

/** Of a job that ran too long, pg-boss keeps the message one level deeper. */
const message = "coalesce(j.output->>'message', j.output #>> '{value,message}', j.output::text, '')"

const failedColumns = columns({
  id: column.text('j.id::text'),
  queue: column.text("coalesce(j.source_name, '')"),
  failedAt: column.timestamptz('j.created_on'),
  sentAt: column.timestamptz.orNull('j.source_created_on'),
  attempts: column.int4('coalesce(j.source_retry_count, 0) + 1'),
  error: column.text(`left(split_part(${message}, E'\\n', 1), ${MAX_ERROR})`),
})

/** A job that the queue does not try again. */
export type FailedJob = RowOf<typeof failedColumns>

/** Along pg-boss's own index of waiting jobs, from its end: all of this queue have one priority. */
export const newestFailed = statement({
  name: 'failed-jobs',
  exact: 'aggregate',
  columns: failedColumns,
  text: `select ${failedColumns.sql} from pgboss.job j
    where j.name = '${FAILED_QUEUE}' and j.state < 'active' and not j.blocked
    order by j.name desc, j.priority, j.created_on desc limit ${MAX_FAILED_JOBS}`,
})

const takenColumns = columns({
  queue: column.text.orNull('j.source_name'),
  input: column.text("coalesce(j.data, '{}')::text"),
  singletonKey: column.text.orNull('j.singleton_key'),
})

/** A job whose kind this hub does not have any more stays. */
const takeFailed = statement({
  name: 'failed-job-take',
  columns: takenColumns,
  params: { id: param.text() },
  text: `delete from pgboss.job j where j.name = '${FAILED_QUEUE}' and j.id = (:id::text)::uuid
      and exists (select from pgboss.queue q where q.name = j.source_name)
    returning ${takenColumns.sql}`,
})

/** failedJobs: the newest that failed for good in the last seven days. Errors: 401, 403 for all but the operator. */
export async function listFailedJobs({ viewer, deps }: RequestContext): Promise<readonly FailedJob[]> {
  assertOperator(viewer, deps.config)
  return deps.db.query(newestFailed)
}

/** The queue, which takes what it had before: its name and input are as they were sent. */
type SendAgain = (tx: Tx, job: string, input: object, options: { singletonKey?: string }) => Promise<void>

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * retryFailedJob: sends the job again and takes it off the list, in one transaction; of two requests one does. Errors:
 * 401, 403 for all but the operator, 404 for a job that is not there any more or whose kind this hub does not have.
 */
export function retryFailedJob(ctx: RequestContext, { id }: { readonly id: string }): Promise<{ readonly id: string }> {
  const { config, queue } = ctx.deps
  return guarded(
    ctx,
    () => assertOperator(ctx.viewer, config),
    (allowed, { account }) =>
      commitVerb(allowed, async (tx) => {
        const [taken] = uuid.test(id) ? await tx.query(takeFailed, { id }) : []
        if (!taken || taken.queue === null) throw notFound('The failed job')
        const { singletonKey } = taken
        const send = queue.send as unknown as SendAgain
        await send(tx, taken.queue, JSON.parse(taken.input), singletonKey === null ? {} : { singletonKey })
        const after = { job: taken.queue }
        await audit(tx, allowed, { action: 'job.retry', accountId: account.id, targetId: id, after })
        return { id }
      }),
  )
}
