/** Who executes a check, and on which terms. Pure. Spec, "POST /v1/robot-checks": `hosted` where the deployment has it for the owner, else `worker`. */
import { type AllowanceUsage, isAllowance } from '../../billing/allowance.ts'
import { appRefusal, type HostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { HostedSettings } from '../../platform/config.ts'
import { HubError } from '../../platform/errors.ts'
import { costOfSeconds, type Usd } from '../../platform/money.ts'
import type { JobExecutor } from '../../work/held-job.ts'

/** The columns of a check that say who executes it, how long and at which rate. */
export interface CheckPlace {
  readonly executor: JobExecutor
  readonly priced: boolean
  readonly rateUsdPerHour: Usd | null
  readonly maxSeconds: number | null
}

export const onWorker: CheckPlace = { executor: 'worker', priced: false, rateUsdPerHour: null, maxSeconds: null }

/** The host of the check function. */
export function onHost({ checkRateUsdPerHour, checkMaxSeconds }: HostedSettings): CheckPlace {
  return { executor: 'hosted', priced: true, rateUsdPerHour: checkRateUsdPerHour, maxSeconds: checkMaxSeconds }
}

/** The most that a hosted check can cost. */
export function maxCostUsd({ checkRateUsdPerHour, checkMaxSeconds }: HostedSettings): Usd {
  return costOfSeconds(checkRateUsdPerHour, checkMaxSeconds)
}

/** `allowance`: hosted if it fits into the allowance of the account. `agent`: the same, and beyond it after a person's approval. */
export type HostingTerms = 'worker' | 'hosted' | 'allowance' | 'agent'

/** What a check asks for, and on whose behalf. */
export interface ExecutorRequest {
  /** Handle of the billed account. */
  readonly owner: string
  readonly isAgent: boolean
  /** Null: the hub chooses, and never refuses for it. */
  readonly asked: JobExecutor | null
}

/**
 * What the settings decide. Errors, for an explicit `hosted`: 503 no hosted app, then 403 an owner that is not listed where there is no allowance. An agent key
 * has no more than the allowance, also where its owner is listed.
 */
export function hostingTerms(settings: HostedSettings, { owner, isAgent, asked }: ExecutorRequest): HostingTerms {
  if (asked === 'worker') return 'worker'
  const work: HostedWork = { isSim: false, owner, loc: ['executor'], what: 'The check' }
  const notListed = ownerRefusal(work, settings)
  const refusal = appRefusal(work, settings) ?? (isAllowance(settings.allowanceUsd) ? null : notListed)
  if (refusal === null) return notListed ? 'allowance' : isAgent ? 'agent' : 'hosted'
  if (asked === null) return 'worker'
  throw refusal
}

/** 403 for an explicit `hosted` that does not fit: what is left, and when the month ends. */
export function allowanceRefusal(settings: HostedSettings, usage: AllowanceUsage): HubError {
  const type = 'forbidden.hosted_allowance'
  const { allowanceUsd } = settings
  const costUsd = maxCostUsd(settings)
  const { usedUsd, reservedUsd, remainingUsd, resetsAt } = usage
  const detail =
    `The check may cost up to ${costUsd} USD, and ${remainingUsd} USD of the hosted allowance of ${allowanceUsd} USD are left ` +
    `(${usedUsd} used, ${reservedUsd} reserved by checks under way) until it resets at ${resetsAt}; a worker may run it.`
  const facts = {
    cost_usd_max: Number(costUsd),
    limit_usd: Number(allowanceUsd),
    used_usd: Number(usedUsd),
    reserved_usd: Number(reservedUsd),
    remaining_usd: Number(remainingUsd),
    resets_at: resetsAt,
  }
  return new HubError(type, detail, { items: [{ type, detail, loc: ['executor'], ...facts }] })
}
