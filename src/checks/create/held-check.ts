/** A check as a spend hold records it. */
import { z } from 'zod'
import type { HeldRequest } from '../../billing/holds/file-hold.ts'
import type { HostedSettings } from '../../platform/config.ts'
import { type Usd, usdLess } from '../../platform/money.ts'
import type { CheckAction, Document } from '../check-shape.ts'
import type { CheckRequest, ModelRequest } from './check-request.ts'
import { maxCostUsd } from './choose-executor.ts'

/** The request with the member names of `/v1`; members that were not given are absent. */
export function recordedCheck({ robotRepo, controlHz, ...rest }: CheckRequest): Readonly<Record<string, unknown>> {
  const members = { ...rest, robot_repo: robotRepo, control_hz: controlHz }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null))
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** The shape that `recordedCheck` writes. */
const recorded = z.object({
  kind: z.enum(['robot', 'model']),
  robot_repo: z.string().optional(),
  model: z.custom<ModelRequest>(isObject).optional(),
  entry: z.string().optional(),
  base: z.string().optional(),
  control_hz: z.number().optional(),
  action: z.custom<CheckAction>((value) => typeof value === 'string').optional(),
  options: z.custom<Document>(isObject).optional(),
  executor: z.enum(['worker', 'hosted']).optional(),
  drop: z.custom<Document>(isObject).optional(),
})

/** The inverse of `recordedCheck`; throws if `record` is not one of its results. */
export function checkOfRecord(record: unknown): CheckRequest {
  const { robot_repo: robotRepo, control_hz: controlHz, ...rest } = recorded.parse(record)
  return { ...rest, robotRepo: robotRepo ?? null, controlHz: controlHz ?? null }
}

/** The hold of a check. `leftUsd` is the rest of the allowance, which is less than the check can cost. */
export function heldCheck(
  settings: HostedSettings,
  repos: { readonly ownerId: string; readonly ownerHandle: string },
  request: CheckRequest,
  leftUsd: Usd,
): HeldRequest {
  const mostUsd = maxCostUsd(settings)
  const what = request.kind === 'robot' ? `the robot ${request.robotRepo}` : `the policy ${request.model?.repo}`
  return {
    kind: 'robot_check',
    accountId: repos.ownerId,
    request: recordedCheck(request),
    summary: `Check ${what} on the hub's CPU: up to ${settings.checkMaxSeconds} s at ${settings.checkRateUsdPerHour} USD/h.`,
    estimateUsd: mostUsd,
    reserveUsd: mostUsd,
    allowanceUsd: usdLess(leftUsd, mostUsd),
  }
}
