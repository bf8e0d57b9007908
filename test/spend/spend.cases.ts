import { newId } from '@hub/formats/ids'
import { defineCases, type Team } from '../support/define-cases.ts'

/** A hold on the org that the team's key filed. */
const holdOf = async ({ hub, org, key }: Team): Promise<string> => {
  const [made] = await hub.sql<{ id: string }>(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
      select $1, 'pending', 'run', a.id, (select id from api_keys where token_sha256 = sha256('${key}')), 'a key', $2::json, 'x', 1, 1, 0,
        now() + interval '1 day' from accounts a where a.handle = $3 returning id`,
    [newId('spend'), JSON.stringify({ recipe: { template: 'act' }, owner: org }), org],
  )
  return made?.id ?? ''
}

/** Whatever sees a hold asks first: the key of a check sees none. */
const jobKey = 404

export const cases = defineCases({
  approveSpendHold: {
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/spend/holds/${await holdOf(team)}/approve`, body: undefined }),
      gone: 'It returns the hold, which keeps the id of a deleted job.',
      left: 404,
      limited: 200,
      lowered: 200,
      bySession: true,
    },
  },
  denySpendHold: {
    body: { reason: 'no' },
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/spend/holds/${await holdOf(team)}/deny`, body: { reason: 'no' } }),
      gone: 'It decides on what its path names.',
      left: 404,
      limited: 200,
      lowered: 200,
      bySession: true,
    },
  },
  cancelSpendHold: {
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/spend/holds/${await holdOf(team)}/cancel`, body: undefined }),
      gone: 'It decides on what its path names.',
      // Whoever filed it may cancel it, also after leaving the org.
      left: 200,
      limited: 200,
    },
  },
})
