/**
 * Chooses the executor of a check, and its terms. Pure. Spec, "POST /v1/robot-checks": `hosted` if the deployment
 * offers it to the owner, else `worker`.
 */
import { type AllowanceUsage, isAllowance } from '../../billing/allowance.ts'
import { appRefusal, type HostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { HostedSettings } from '../../platform/config.ts'
import { HubError } from '../../platform/errors.ts'
import { mostOfSeconds, type Usd, usdSum } from '../../platform/money.ts'
import type { JobExecutor } from '../../work/held-job.ts'

/** The columns of a check for its executor, its time limit and its rate. */
export interface CheckPlace {
  readonly executor: JobExecutor
  readonly priced: boolean
  readonly rateUsdPerHour: Usd | null
  readonly maxSeconds: number | null
}

export const onWorker: CheckPlace = { executor: 'worker', priced: false, rateUsdPerHour: null, maxSeconds: null }

/** The place of a hosted check. */
export function onHost({ checkRateUsdPerHour, checkMaxSeconds }: HostedSettings): CheckPlace {
  return { executor: 'hosted', priced: true, rateUsdPerHour: checkRateUsdPerHour, maxSeconds: checkMaxSeconds }
}

/** The most that a hosted check can cost, rounded up. */
export function maxCostUsd({ checkRateUsdPerHour, checkMaxSeconds }: HostedSettings): Usd {
  return mostOfSeconds(checkRateUsdPerHour, checkMaxSeconds)
}

/**
 * `allowance`: hosted if the check fits into the account's allowance. `agent`: the same, and beyond the allowance after
 * a person's approval.
 */
export type HostingTerms = 'worker' | 'hosted' | 'allowance' | 'agent'

/** The requested executor, and the parties of the request. */
export interface ExecutorRequest {
  /** Handle of the billed account. */
  readonly owner: string
  readonly isAgent: boolean
  /** Null: the hub chooses, and never refuses the check because of its executor. */
  readonly asked: JobExecutor | null
}

/**
 * The terms that follow from the settings. Errors for an explicit `hosted`: 503 without a hosted app, then 403 for an
 * owner that is not listed if there is no allowance. An agent key is limited to the allowance, even if its owner is
 * listed.
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

/** 403 for an explicit `hosted` that exceeds the allowance, with the amount that is left and the end of the month. */
export function allowanceRefusal(settings: HostedSettings, usage: AllowanceUsage): HubError {
  const type = 'forbidden.hosted_allowance'
  const { allowanceUsd } = settings
  const costUsd = maxCostUsd(settings)
  const { usedUsd, reservedUsd, remainingUsd, resetsAt } = usage
  const detail =
    `The check may cost up to ${costUsd} USD, and ${remainingUsd} USD of the hosted allowance of ${allowanceUsd} USD are left ` +
    `(${usedUsd} used, ${reservedUsd} reserved by checks in progress) until it resets at ${resetsAt}; a worker may run it.`
  const item = {
    cost_usd_max: Number(costUsd),
    limit_usd: Number(allowanceUsd),
    used_usd: Number(usedUsd),
    reserved_usd: Number(reservedUsd),
    remaining_usd: Number(remainingUsd),
    resets_at: resetsAt,
  }
  return new HubError(type, detail, {
    items: [{ type, detail, loc: ['executor'], ...item }],
    facts: { limit: Number(allowanceUsd), used: Number(usdSum(usedUsd, reservedUsd)), resetsAt },
  })
}
