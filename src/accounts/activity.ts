/** What the people of the caller's accounts did lately: the entries of the audit log that are worth telling. */
import { assertSession } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/** The most entries that are told. */
export const MAX_ACTIVITY = 50

/** Without what machines do all the time (claims, reports), and what is a person's own (keys, sessions). */
export const toldActions: readonly string[] = [
  'repo.create',
  'repo.move',
  'repo.delete',
  'files.commit',
  'files.complete',
  'files.delete',
  'files.restore',
  'snapshot.create',
  'run.create',
  'run.import',
  'run.cancel',
  'robot_check.create',
  'robot_check.publish',
  'endpoint.create',
  'endpoint.stop',
  'endpoint.approve',
  'endpoint.approval_revoke',
  'device.register',
  'spend.approve',
  'spend.deny',
  'spend.cap',
  'org.create',
  'org.member.put',
  'org.member.remove',
]

/** Of each account the newest entries, among which those to tell are looked for: a bound on what is read. */
const LOOKED_AT = 300

const idColumn = columns({ id: column.text('told.id') })

const newest = statement({
  name: 'activity',
  exact: 'per-parent',
  columns: idColumn,
  params: { accountIds: param.texts(), actions: param.texts(), limit: param.int4() },
  text: `select ${idColumn.sql} from unnest(:accountIds::text[]) key(id) cross join lateral (
      select a.id from (
        select e.id, e.action, e.actor_id from audit_log e
        where e.account_id = any(array[key.id]) order by e.account_id, e.id desc limit ${LOOKED_AT}) a
      where a.actor_id is not null and a.action = any(:actions::text[]) order by a.id desc limit :limit::int) told
    order by told.id desc limit :limit::int`,
})

/** Ids of the newest entries of the person and their orgs, newest first. Errors: 401, 403 for a key. */
export async function recentActivity(ctx: RequestContext, limit: number): Promise<string[]> {
  const { accountIds } = assertSession(ctx.viewer)
  const rows = await ctx.deps.db.query(newest, { accountIds, actions: toldActions, limit })
  return rows.map(({ id }) => id)
}
