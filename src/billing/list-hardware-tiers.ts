/**
 * listHardwareTiers (spec, "GET /v1/hardware_tiers"): the tiers, their rates and the owners that the deployment hosts.
 */
import type { RequestContext } from '../operation/context.ts'
import type { TierTable } from '../platform/tier-table.ts'
import { type HostedAllowance, readAllowance } from './allowance.ts'

export interface HostedExecution {
  readonly allowance: HostedAllowance | null
  readonly configured: boolean
  readonly everyone: boolean
  readonly owners: readonly string[]
}

export interface HardwareTierList {
  readonly items: TierTable
  readonly hosting: HostedExecution
}

/** Public. One statement for a caller with a credential, none for an anonymous caller. */
export async function listHardwareTiers(ctx: RequestContext): Promise<HardwareTierList> {
  const { tiers, hosted } = ctx.deps.config
  const everyone = hosted.owners === 'everyone'
  return {
    items: tiers,
    hosting: {
      allowance: await readAllowance(ctx),
      configured: hosted.appName !== null,
      everyone,
      owners: hosted.owners === 'everyone' ? [] : hosted.owners,
    },
  }
}
