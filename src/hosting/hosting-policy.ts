/**
 * Whether this deployment hosts work for an owner, and the order of its errors. Pure. Spec, createRun rules 3, 4 and 7.
 */

import type { CheckpointGateSpec, Recipe, RunExecutor } from '../planner/recipe/recipe.ts'
import type { HostedSettings, OwnerList } from '../platform/config.ts'
import { HubError, type Loc, type PlainErrorType } from '../platform/errors.ts'

/** The hosted part of a run. */
export interface HostedWork {
  /** The template is the sim template, which has its own list of owners. */
  readonly isSim: boolean
  /** Handle of the billed account. */
  readonly owner: string
  /** The place in the request that requests it. */
  readonly loc: Loc
  readonly what: string
}

/** The hosted part of a run: the run itself, or the rollouts of its gate; null if a worker executes all of it. */
export function hostedWork(recipe: Recipe, isSim: boolean, owner: string): HostedWork | null {
  const executor = recipe.executor ?? 'worker'
  if (executor === 'hosted') return { isSim, owner, loc: ['recipe', 'executor'], what: 'The run' }
  if (!recipe.gate || rolloutExecutor(recipe.gate, executor) === 'worker') return null
  return { isSim, owner, loc: ['recipe', 'gate', 'executor'], what: "The gate's rollouts" }
}

const rolloutExecutor = (gate: CheckpointGateSpec, run: RunExecutor): RunExecutor => gate.executor ?? run

const has = (owners: OwnerList, handle: string) => owners === 'everyone' || owners.includes(handle)

/** 503 if no hosted app is configured. Checked first. */
export function appRefusal(work: HostedWork, hosted: HostedSettings): HubError | null {
  if (hosted.appName !== null) return null
  return refusal(
    'not_configured.hosted_app',
    work,
    'would be hosted, and this deployment has no hosted app: HOSTED_APP_NAME is not set.',
  )
}

/**
 * 403 for an owner that is not on the list. Checked second; an estimate checks only this, since it is priced on every
 * deployment.
 */
export function ownerRefusal(work: HostedWork, hosted: HostedSettings): HubError | null {
  const { owner, isSim } = work
  if (has(isSim ? hosted.simOwners : hosted.owners, owner)) return null
  const list = isSim ? 'SIM_HOSTED_OWNERS' : 'HOSTED_OWNERS'
  return refusal(
    'forbidden.hosted_owner',
    work,
    `would be hosted, and ${owner} is not among ${list} of this deployment; a worker may run it.`,
  )
}

function refusal(type: PlainErrorType, { what, loc }: HostedWork, rest: string): HubError {
  const detail = `${what} ${rest}`
  return new HubError(type, detail, { items: [{ type, detail, loc }] })
}
