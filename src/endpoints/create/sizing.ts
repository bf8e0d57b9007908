/**
 * The hardware of an endpoint, chosen by the size of its model, never by the caller. Pure. Spec, createEndpoint rule 3.
 */
import { type ErrorItem, HubError } from '../../platform/errors.ts'
import type { HardwareTier, TierTable } from '../../platform/tier-table.ts'

/** The tiers that endpoints choose among; the deployment's table says what they have and cost. */
const endpointTiers: readonly string[] = ['l4', 'a10g', 'a100', 'h100']

/** Bytes of a parameter in bf16 with 20 % headroom: 2 x 1.2, as a fraction. */
const BYTES_NUMERATOR = 12
const BYTES_DENOMINATOR = 5
/** Contract: GB counts 10^9 bytes here. */
const GB = 1e9

/** Memory that so many parameters need, in whole bytes, rounded up. */
export function vramBytesOf(params: number): number {
  return Number((BigInt(params) * BigInt(BYTES_NUMERATOR) + BigInt(BYTES_DENOMINATOR - 1)) / BigInt(BYTES_DENOMINATOR))
}

/** The largest number of parameters that a request may give: their bytes are still exact. */
export const MAX_PARAMS = 1e15

export interface Sizing {
  readonly tier: HardwareTier
  readonly params: number
  readonly vramBytes: number
}

/** The smallest tier that fits: by memory, then by rate. 422 at `params` for a model that none fits. */
export function sizeOf(params: number, tiers: TierTable): Sizing {
  const vramBytes = vramBytesOf(params)
  const own = tiers.filter(({ tier }) => endpointTiers.includes(tier))
  const tier = own.find(({ vramGb }) => vramGb * GB >= vramBytes)
  if (tier) return { tier, params, vramBytes }
  const largest = own.at(-1)
  const most = largest ? `the largest, ${largest.tier}, has ${largest.vramGb} GB` : 'this deployment has none'
  const detail = `${params} parameters need ${vramBytes} bytes of GPU memory, and no tier for endpoints has as many: ${most}.`
  const item: ErrorItem = { type: 'validation.value', detail, loc: ['params'] }
  throw new HubError('validation.value', detail, { items: [item] })
}
