/** Rows of runs for tests: a run in any state, put there as it is, without the verbs that would lead to it. */
import { newId } from '@hub/formats/ids'
import type { Querier } from '../../src/store/db.ts'

export interface RunGiven {
  readonly id?: string
  readonly kind?: 'cloud' | 'external' | 'orchestration'
  readonly status?: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled'
  readonly executor?: 'worker' | 'hosted' | null
  readonly ownerId: string
  readonly createdBy?: string | null
  readonly filedBy?: string
  readonly recipe?: Record<string, unknown>
  readonly repoIds?: readonly string[]
  readonly claimCredential?: string
  readonly hostedCallId?: string | null
  /** Further columns by name; text is cast by the column. */
  readonly set?: Readonly<Record<string, unknown>>
}

/** Inserts a run and returns its id. A running one is held by `claimCredential` for another five minutes. */
export async function putRun(db: Querier, given: RunGiven): Promise<string> {
  const { status = 'queued', kind = 'cloud', recipe = { template: 'act', dataset: [] } } = given
  const executor = given.executor === undefined ? (kind === 'external' ? null : 'worker') : given.executor
  const running = status === 'running'
  const ended = status !== 'queued' && !running
  const row: Record<string, unknown> = {
    id: given.id ?? newId('run'),
    kind,
    status,
    executor,
    owner_id: given.ownerId,
    created_by: given.createdBy === undefined ? given.ownerId : given.createdBy,
    filed_by: given.filedBy ?? 'sess_unknown',
    template: recipe.template ?? 'act',
    robot: recipe.robot ?? null,
    recipe: JSON.stringify(recipe),
    recipe_hash: 'a'.repeat(64),
    repo_ids: given.repoIds ?? [],
    hosted_call_id: given.hostedCallId ?? null,
    ...(running && {
      claim_credential: given.claimCredential ?? 'key_unknown',
      // Its own call's key holds a hosted run.
      ...(executor === 'hosted' && { hosted_credential: given.claimCredential ?? 'key_unknown' }),
      claimed_by: 'runner',
      attempt: 1,
      claimed_at: new Date().toISOString(),
      started_at: new Date().toISOString(),
      heartbeat_at: new Date().toISOString(),
      lease_expires_at: new Date(Date.now() + 300_000).toISOString(),
    }),
    ...(ended && { finished_at: new Date().toISOString() }),
    ...given.set,
  }
  const columns = Object.keys(row)
  const text = `insert into runs (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`
  await db.query({ name: '', text }, Object.values(row))
  return String(row.id)
}
