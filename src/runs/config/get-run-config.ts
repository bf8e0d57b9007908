/**
 * getRunConfig (spec, "GET /v1/runs/{run_id}/config"): the resolved config as leaf values, and the diff against the
 * parent's.
 */
import type { RequestContext } from '../../operation/context.ts'
import { turns } from '../../platform/turns.ts'
import { getRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { declaredKeys } from './declared.ts'
import { type ConfigDescription, describeConfig } from './describe-config.ts'
import { configOfParent, type StoredConfig, storedConfig } from './stored-config.ts'

export interface RunConfig extends ConfigDescription {
  readonly runId: string
  readonly parentRunId: string | null
  /** Why there are no keys or no diff; null if there are both. */
  readonly reason: string | null
}

/**
 * For a run visible to the caller; an invisible parent is treated like one without a config. 503 without an object
 * store, 502 for a config that it has lost.
 */
export async function getRunConfig(ctx: RequestContext, run: Run): Promise<RunConfig> {
  const parent = run.parentRunId === null ? null : await getRun(ctx, run.parentRunId)
  const [own, others] = await Promise.all([
    configOf(ctx, run, storedConfig),
    parent && configOf(ctx, parent, configOfParent),
  ])
  const base = others && 'keys' in others ? others : null
  await turns.next()
  const declared = declaredKeys(run.recipe.hyperparams, parent?.recipe.hyperparams)
  const ids = { runId: run.id, parentRunId: run.parentRunId }
  if ('fault' in own) return { ...describeConfig(nothing, null, []), ...ids, reason: own.fault }
  return { ...describeConfig(own, base, declared), ...ids, reason: base ? null : parentReason(run, parent, others) }
}

const nothing = { shape: 'other', keys: [] } as const

async function configOf(ctx: RequestContext, run: Run, read: typeof storedConfig): Promise<StoredConfig> {
  if (run.configKey !== null) return read(ctx.deps, run.id, run.configKey)
  const isOpen = run.status === 'queued' || run.status === 'running'
  return { fault: isOpen ? 'The run has no resolved config yet.' : 'The run has no resolved config.' }
}

function parentReason(run: Run, parent: Run | null, config: StoredConfig | null): string {
  if (run.parentRunId === null) return 'The run has no parent to compare with.'
  if (!parent) return 'The parent run is not visible to you.'
  return `Cannot compare with the parent run: ${config && 'fault' in config ? config.fault : ''}`
}
