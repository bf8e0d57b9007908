/** Devices, approvals and sessions for tests that read like the contract. */
import { putEndpoint } from './endpoints.ts'
import { type contractHub, type Json, newName, type Person, type Who } from './hub.ts'

const mintText = `mutation ($input: ApproveEndpointSessionInput!) { approveEndpointSession(input: $input) {
  token approval { id status modelSha256 expiresAt createdAt mintedBy { handle } endpoint { id } device { id name } } } }`

export const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

/** The type of the first entry of a graph's errors. */
export const refusal = ({ errors }: Json): string | undefined => errors?.[0].extensions.problem.errors[0].type

export function sessionWorld(hub: ReturnType<typeof contractHub>) {
  const device = async (who: Person, input: Json = {}): Promise<string> => {
    const text = `mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { device { id } } }`
    const { data } = await hub.graphql(who, text, { input: { name: newName('arm'), ...input } })
    return data.registerDevice.device.id
  }
  const endpoint = (who: Person, given: Partial<Parameters<typeof putEndpoint>[1]> = {}): Promise<string> =>
    putEndpoint(hub.running.deps.db, { ownerId: who.id, status: 'running', ...given })
  const mint = (who: Who, endpointId: string, deviceId: string, expiresAt = inHours(1)): Promise<Json> =>
    hub.graphql(who, mintText, { input: { endpointId, deviceId, expiresAt } })
  const approve = async (who: Who, endpointId: string, deviceId: string): Promise<{ id: string; token: string }> => {
    const { approval, token } = (await mint(who, endpointId, deviceId)).data.approveEndpointSession
    return { id: approval.id, token }
  }
  const revoke = (who: Who, approvalId: string): Promise<Json> =>
    hub.graphql(
      who,
      `mutation { revokeApproval(input: { approvalId: "${approvalId}" }) { approval { id status revokedAt revokedBy { handle } } } }`,
    )
  const open = (who: Who, endpointId: string, body: Json, headers: Record<string, string> = {}) =>
    hub.call(who, 'POST', `/v1/endpoints/${endpointId}/sessions`, body, headers)
  const report = (who: Who, endpointId: string, sessionId: string, body: Json, headers: Record<string, string> = {}) =>
    hub.call(who, 'POST', `/v1/endpoints/${endpointId}/sessions/${sessionId}/report`, body, headers)
  /** An endpoint and a device of this person, an approval, and an open session. */
  const opened = async (who: Person, given: Partial<Parameters<typeof putEndpoint>[1]> = {}) => {
    const [endpointId, deviceId] = [await endpoint(who, given), await device(who)]
    const approval = await approve(who, endpointId, deviceId)
    const { json } = await open(who, endpointId, { device_id: deviceId, approval_token: approval.token })
    return { endpointId, deviceId, approval, token: json.session_token, sessionId: json.session.id as string, json }
  }
  const row = async (table: 'endpoints' | 'approvals' | 'endpoint_sessions', id: string): Promise<Json> =>
    (await hub.sql<Json>(`select * from ${table} where id = $1`, [id]))[0]
  const audited = (endpointId: string): Promise<Json[]> =>
    hub.sql<Json>('select action, after, actor_id from audit_log where target_id = $1 order by id', [endpointId])
  return { device, endpoint, mint, approve, revoke, open, report, opened, row, audited }
}
