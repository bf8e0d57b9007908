import { newId } from '@hub/formats/ids'
import { defineCases, type Reader } from '../support/define-cases.ts'

/** Twelve decided holds of the reader; the id of one. */
const holds = async ({ hub, ada }: Reader) => {
  const made = await hub.sql<{ id: string }>(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at, decided_at, result_id)
      select id, 'approved', 'run', $1, 'x', 'x', '{}', 'x', 1, 1, 0, now(), now(), 'run_01h455vb4pex5vsknk084sn0' || (10 + n)
      from unnest($2::text[]) with ordinality as made(id, n) returning id`,
    [ada.id, Array.from({ length: 12 }, () => newId('spend'))],
  )
  return made[0]?.id ?? ''
}

export const cases = defineCases({
  listHardwareTiers: { costs: [{ given: async () => ['/v1/hardware_tiers'], statements: 2 }] },
  // The credential; the cap, the kinds, the allowance.
  getSpendSummary: { costs: [{ given: async () => ['/v1/spend'], statements: 4 }] },
  setSpendCap: { body: ({ handle }) => ({ account: handle, usd: 1, mode: 'notify' }) },
  // The credential, the page, the months.
  listSpendHolds: {
    costs: [
      {
        given: async (reader) => {
          await holds(reader)
          return [2, 12].map((limit) => `/v1/spend/holds?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  getSpendHold: { costs: [{ given: async (reader) => [`/v1/spend/holds/${await holds(reader)}`], statements: 3 }] },
})
