/** Who executes a check, and at which price. Pure. Spec, "POST /v1/robot-checks": `hosted` where the deployment has it for the owner, else `worker`. */
import { appRefusal, type HostedWork, ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { HostedSettings } from '../../platform/config.ts'
import { HubError } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import type { JobExecutor } from '../../work/held-job.ts'

/** The check function's CPU. Contract, "Money, tiers, limits". */
export const CHECK_RATE_USD_PER_HOUR: Usd = '0.2000'

export interface CheckPlace {
  readonly executor: JobExecutor
  readonly priced: boolean
  readonly rateUsdPerHour: Usd | null
}

const onWorker: CheckPlace = { executor: 'worker', priced: false, rateUsdPerHour: null }
const hosted: CheckPlace = { executor: 'hosted', priced: true, rateUsdPerHour: CHECK_RATE_USD_PER_HOUR }

/** Errors, for an explicit `hosted`: 503 no hosted app, 403 an owner that is not hosted, 403 an agent's key. */
export function chooseExecutor(
  settings: HostedSettings,
  owner: string,
  isAgent: boolean,
  asked: JobExecutor | null,
): CheckPlace {
  if (asked === 'worker') return onWorker
  const work: HostedWork = { isSim: false, owner, loc: ['executor'], what: 'The check' }
  const refusal = appRefusal(work, settings) ?? ownerRefusal(work, settings) ?? agentRefusal(isAgent)
  if (refusal === null) return hosted
  if (asked === null) return onWorker
  throw refusal
}

/** An agent's key spends nothing before a person has said yes. */
function agentRefusal(isAgent: boolean): HubError | null {
  if (!isAgent) return null
  const type = 'forbidden.hosted_allowance'
  const detail =
    'The check would be hosted, and an agent key has no allowance; a person or another key has to submit it.'
  return new HubError(type, detail, { items: [{ type, detail, loc: ['executor'] }] })
}
