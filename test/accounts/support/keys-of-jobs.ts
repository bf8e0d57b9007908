import type { contractHub, Json, Person, Who } from '../../support/hub.ts'

/**
 * Keys of two runs of an org that a member of it made: `key` is what the member's own run got for what its command
 * starts, `call` what the hub gave the hosted call of the other one. `by`: what the member claims and asks with.
 */
export async function keysOfJobs(hub: ReturnType<typeof contractHub>, member: Person, org: string, by: Who = member) {
  const body = { recipe: { template: 'act' }, worker: 'box', owner: org }
  const started = async (): Promise<string> => (await hub.call(by, 'POST', '/v1/runs/start', body)).json.id
  const [own, hosted] = [await started(), await started()]
  const text = 'mutation ($input: MakeRunKeyInput!) { makeRunKey(input: $input) { token } }'
  const key: string = (await hub.graphql(by, text, { input: { runId: own } })).data.makeRunKey.token
  const call = await hub.key(org, { scope: 'train', name: hosted })
  const [{ id } = { id: '' }] = await hub.sql<Json>(
    'update api_keys set job_id = $1, limited = true, created_by = $2 where name = $1 returning id',
    [hosted, member.id],
  )
  await hub.sql(`update runs set executor = 'hosted', hosted_credential = $2, claim_credential = $2 where id = $1`, [
    hosted,
    id,
  ])
  return { key, call }
}
