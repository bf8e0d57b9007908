/** updateRun (contract, "Keeping runs"): changes what people keep a run by, and can name its parent. */

import { assertNotJob, assertRunsFor } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { invalid } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { findParent, lockParent } from '../create/run-request.ts'
import { type KeptFields, type KeptRow, keptColumns, keptNames, keptParams, keptValues } from '../kept-fields.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { findRun, type HeldRun } from '../run-row.ts'

export interface UpdateRunInput extends KeptFields {
  readonly runId: string
  /** An earlier run, for one that has no parent yet. Null and absent change nothing. */
  readonly parentRunId?: string | null
}

const keptOf = (row: string) =>
  ['project', 'name', 'notes', 'tags', 'run_group', 'job_type'].map((name) => `${row}.${name}`).join(', ')

/** The values after the change: `given` names the fields that the request has. */
const changed = `case when 'project' = any(:given::text[]) then :project::text else u.project end as project,
  case when 'name' = any(:given::text[]) then :name::text else u.name end as name,
  case when 'notes' = any(:given::text[]) then :notes::text else u.notes end as notes,
  case when 'tags' = any(:given::text[]) then :tags::text[] else u.tags end as tags,
  case when 'group' = any(:given::text[]) then :runGroup::text else u.run_group end as run_group,
  case when 'jobType' = any(:given::text[]) then :jobType::text else u.job_type end as job_type`

/** Returns what was there before; no row if nothing changes. The row is locked before it is read. */
const change = statement({
  name: 'run-update',
  columns: keptColumns,
  params: { runId: param.text(), given: param.texts(), ...keptParams },
  text: `with prior as (select id, ${keptOf('r')} from runs r where id = :runId for update),
      wanted as (select u.id, ${changed} from prior u)
    update runs r set (project, name, notes, tags, run_group, job_type) = (${keptOf('wanted')}), updated_at = now()
    from prior u join wanted on wanted.id = u.id
    where r.id = u.id and (${keptOf('u')}) is distinct from (${keptOf('wanted')})
    returning ${keptColumns.sql}`,
})

const adoptedColumn = columns({ id: column.text('r.id') })
/** A parent is older than its child, so that no run descends from itself. No row if it is not, or if there is one. */
const adopt = statement({
  name: 'run-adopt',
  columns: adoptedColumn,
  params: { runId: param.text(), parentId: param.text() },
  text: `update runs r set parent_run_id = p.id, updated_at = now() from runs p
    where r.id = :runId and r.parent_run_id is null and p.id = :parentId and p.created_at < r.created_at
    returning ${adoptedColumn.sql}`,
})

/**
 * Returns the run after the change; one that changes nothing writes nothing. Errors: 401, 403 (also for a job's key,
 * and for a caller who does not belong to the billed account), 404, 422 (also for a parent that the caller cannot see,
 * that is not older, or of a run that has another).
 */
export function updateRun(ctx: RequestContext, input: UpdateRunInput): Promise<Run> {
  return guarded(
    ctx,
    () => mayEdit(ctx, input.runId),
    (allowed, run) =>
      commitVerb(allowed, async (tx) => {
        await nameParent(allowed, tx, run, input.parentRunId ?? null)
        await applyChange(allowed, tx, run, input)
        return readRun(tx, allowed.viewer, run.id)
      }),
  )
}

/** An agent's key may: these are words, which cost nothing and can be set again. */
async function mayEdit(ctx: RequestContext, runId: string): Promise<HeldRun> {
  const found = await findRun(ctx, runId)
  const viewer = assertRunsFor(ctx.viewer, found.ownerId, 'write')
  assertNotJob(viewer, 'edit a run')
  return found
}

async function nameParent(ctx: RequestContext, tx: Tx, run: HeldRun, parentId: string | null): Promise<void> {
  if (parentId === null) return
  const parent = await findParent(ctx, parentId)
  await lockParent(tx, parent)
  const [adopted] = await tx.query(adopt, { runId: run.id, parentId })
  if (adopted) {
    const after = { parentRunId: parentId }
    await audit(tx, ctx, { action: 'run.update', accountId: run.ownerId, targetId: run.id, before: {}, after })
    return tx.afterCommit(() => ctx.deps.events.hint(run.id))
  }
  const { parentRunId } = await readRun(tx, ctx.viewer, run.id)
  if (parentRunId === parentId) return
  const detail =
    parentRunId === null
      ? `${parentId} is not older than ${run.id}: a run goes on from an earlier one.`
      : `${run.id} already has another parent; it stays.`
  throw invalid('validation.value', detail, ['parentRunId'])
}

async function applyChange(ctx: RequestContext, tx: Tx, run: HeldRun, input: UpdateRunInput): Promise<void> {
  const names = keptNames.filter((name) => input[name] !== undefined)
  const values = keptValues(input)
  const [prior] = await tx.query(change, { runId: run.id, given: names, ...values })
  if (!prior) return
  const { runGroup, ...rest } = values
  const [before, after] = [audited(prior, names), audited({ ...rest, group: runGroup }, names)]
  await audit(tx, ctx, { action: 'run.update', accountId: run.ownerId, targetId: run.id, before, after })
  tx.afterCommit(() => ctx.deps.events.hint(run.id))
}

/** The fields that were given; of notes, which may be long, the number of characters. */
const audited = (kept: KeptRow, names: readonly (keyof KeptRow)[]) =>
  Object.fromEntries(
    names.map((name) => (name === 'notes' ? ['notesCharacters', [...(kept.notes ?? '')].length] : [name, kept[name]])),
  )
