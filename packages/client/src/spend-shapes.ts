/**
 * The fields of spend holds and of a month's spend that the client reads (spec, "Spend hold"). Unknown fields pass
 * through.
 */

import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { type Answer, type Body, conformsTo } from './agreement.ts'
import { readAs } from './run-shapes.ts'
import { nullable, pageOf } from './shapes.ts'
import type * as v1 from './v1.ts'

const number = readAs(z.number())
const account = z.looseObject({ handle: z.string() })

export const remoteHold = conformsTo<v1.SpendHold>()(
  z.looseObject({
    id: z.string().refine((id) => isId('spend', id), 'is not a hold id'),
    status: z.string(),
    kind: z.string(),
    account,
    filed_by: z.looseObject({ name: z.string() }),
    summary: z.string(),
    estimate_usd: number,
    reserve_usd: number,
    allowance_usd: number,
    cap: z.looseObject({ mode: nullable(z.string()), limit_usd: nullable(number), month_usd: number }),
    created_at: z.string(),
    expires_at: z.string(),
    decided_by: nullable(account),
    reason: nullable(z.string()),
    result_id: nullable(z.string()),
  }),
)
export type RemoteHold = z.output<typeof remoteHold>

export const holdPage = conformsTo<Answer<'listSpendHolds'>>()(pageOf(remoteHold))

/** Whether a create was held instead of done. */
export const isHeld = (made: { readonly id: string }): made is RemoteHold => made.id.startsWith('spend_')

export const spendSummary = conformsTo<v1.SpendSummary>()(
  z.looseObject({
    account,
    month: z.string(),
    ends_at: z.string(),
    recorded_usd: number,
    reserved_usd: number,
    month_usd: number,
    kinds: z.array(
      z.looseObject({
        kind: z.string(),
        entries: number,
        recorded_usd: number,
        under_way: number,
        reserved_usd: number,
      }),
    ),
    cap: nullable(z.looseObject({ mode: z.string(), limit_usd: number })),
    cap_passed_at: nullable(z.string()),
    allowance_limit_usd: nullable(number),
    allowance: nullable(z.looseObject({ remaining_usd: number })),
  }),
)
export type RemoteSpend = z.output<typeof spendSummary>

export type NewCap = Body<'setSpendCap'>
