/** Devices, approvals and sessions: what people manage in the graph, and what the driver of a robot does over `/v1`. */
import type { Caller } from './call.ts'
import {
  devicePage,
  mintedApproval,
  openedSession,
  type RemoteDevice,
  registeredDevice,
  revokedApproval,
} from './device-shapes.ts'
import { pages } from './pages.ts'

const deviceFields = 'id name owner { handle } robotRepoName createdAt'
const listText = `query ($owner: String, $after: String) { devices(owner: $owner, first: 100, after: $after) {
  nodes { ${deviceFields} } pageInfo { endCursor hasNextPage } } }`
const registerText = `mutation ($input: RegisterDeviceInput!) {
  registerDevice(input: $input) { device { ${deviceFields} } } }`
const approveText = `mutation ($input: ApproveEndpointSessionInput!) {
  approveEndpointSession(input: $input) { token approval { id status expiresAt jointMapFingerprint } } }`
const revokeText = `mutation ($input: RevokeApprovalInput!) {
  revokeApproval(input: $input) { approval { id status expiresAt } } }`

/** The operations on devices, as functions of one caller. */
export function deviceCalls(caller: Caller) {
  const { call, graph } = caller

  return {
    /** Pages of at most 100 devices, newest first. */
    list: (owner?: string) =>
      pages<RemoteDevice>(caller.url, async (cursor) => {
        const { devices } = await graph(listText, { owner, after: cursor }, devicePage)
        const { hasNextPage, endCursor } = devices.pageInfo
        return { items: devices.nodes, next_cursor: hasNextPage ? endCursor : null }
      }),
    /**
     * Registers a robot; `owner` is the caller, or one of their orgs. Needs a person's session. Errors: 404 the owner or
     * the robot repo is not there or not visible, 409 the owner has a device of this name.
     */
    register: async (input: { name: string; owner?: string; robotRepo?: string }) =>
      (await graph(registerText, { input }, registeredDevice)).registerDevice.device,
    /**
     * Permits a device to use an endpoint until a time (RFC 3339); the token is not shown again. Needs a person's
     * session.
     */
    approve: async (endpointId: string, deviceId: string, expiresAt: string) => {
      const input = { endpointId, deviceId, expiresAt }
      return (await graph(approveText, { input }, mintedApproval)).approveEndpointSession
    },
    /** Ends an approval and its open sessions. Needs a person's session. */
    revoke: async (approvalId: string) =>
      (await graph(revokeText, { input: { approvalId } }, revokedApproval)).revokeApproval.approval,
    /**
     * Opens a session under the token of an approval; a repeat under the same key prints the same token while it lasts.
     */
    openSession: (endpointId: string, deviceId: string, approvalToken: string, key?: string) =>
      call('POST /v1/endpoints/{endpoint_id}/sessions', openedSession, {
        path: { endpoint_id: endpointId },
        body: { device_id: deviceId, approval_token: approvalToken },
        key,
      }),
  }
}
