/**
 * openEndpointSession: a device's use of an endpoint, under a person's approval. Spec, "POST
 * /v1/endpoints/{endpoint_id}/sessions". What follows can move a robot, so anything unexpected is refused, and every
 * refusal of the approval reads the same.
 */

import { newId } from '@hub/formats/ids'
import { requireCredential } from '../../auth/policy.ts'
import { findDevice } from '../../devices/find-device.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import type { HeldApproval } from '../approvals/approval-row.ts'
import { assertApprovedMap, type MapInUse, mapInUse } from '../approvals/map-in-use.ts'
import { findEndpoint, type HeldEndpoint, lockEndpoint } from '../endpoint-row.ts'
import { countSessions } from './close-sessions.ts'
import { assertServes } from './endpoint-serves.ts'
import { type EndpointSession, lockSession, readSession } from './session-row.ts'
import { nextSession } from './session-state.ts'
import { type SessionClaims, signSessionToken } from './session-token.ts'
import { RefusedApproval, type ShownApproval, showsApproval, useApproval } from './use-approval.ts'

export interface OpenSessionInput {
  readonly endpointId: string
  readonly deviceId: string
  readonly approvalToken?: string | null
}

/** What is stored of a session that was opened: the claims give the same token again. */
interface Opened {
  readonly session: EndpointSession
  readonly url: string
  readonly contractFingerprint: string | null
  readonly kid: string
  readonly claims: SessionClaims
}

/** EndpointSessionOpened of the spec. */
export interface OpenedSession extends Pick<Opened, 'session' | 'url' | 'contractFingerprint'> {
  /** What its device does to numbers; null where it does nothing. */
  readonly jointMap: MapInUse | null
  readonly sessionToken: string
  readonly expiresAt: string
  readonly modelSha256: string
}

const insertedColumns = columns({
  issuedAt: column.int8('floor(extract(epoch from opened_at))::int8'),
  expires: column.int8('extract(epoch from expires_at)::int8'),
})

const endpointSessionRow = insertInto('endpoint_sessions', {
  id: param.text(),
  endpointId: param.text(),
  deviceId: param.text(),
  approvalId: param.text(),
  status: 'open',
  openedBy: param.text(),
  priced: param.bool(),
  expiresAt: sql(
    `date_trunc('second', least(:approvedUntil::timestamptz, now() + make_interval(secs => :ttlSeconds)))`,
    { approvedUntil: param.timestamptz(), ttlSeconds: param.float8() },
  ),
})

const insertSession = statement({
  name: 'endpoint-session-insert',
  columns: insertedColumns,
  params: endpointSessionRow.params,
  text: `${endpointSessionRow.sql} returning ${insertedColumns.sql}`,
})

/**
 * Opens a session. Errors in order: 401, 403 the scope, 404 a device or endpoint that the caller does not see (an
 * approval for both stands in for seeing the endpoint), the one 403 `forbidden.approval`, 409 `conflict.model_changed`,
 * `conflict.not_claimed`, `conflict.terminal`, `conflict.stopping`, `conflict.sessions_full`, then
 * `conflict.robot_fit` and `conflict.fit_changed`.
 */
export async function openEndpointSession(ctx: RequestContext, input: OpenSessionInput): Promise<OpenedSession> {
  const { signingKeys } = ctx.deps
  // Not among what is stored of the request: a map may have 256 KiB.
  let jointMap: MapInUse | null = null
  const opened = await guarded(
    ctx,
    () => guard(ctx, input),
    (allowed, shown) => open(allowed, input, shown, useMap),
    assertUsable,
  )
  const { kid, claims, ...shown } = opened
  const sessionToken = await signSessionToken(await signingKeys.signer(kid), claims)
  return {
    ...shown,
    jointMap,
    sessionToken,
    expiresAt: new Date(claims.exp * 1000).toISOString(),
    modelSha256: claims.model_sha256,
  }

  /** A replay prints the token again, so everything that it rests on must still hold. */
  async function assertUsable({ session }: Opened, shown: ShownApproval): Promise<void> {
    await ctx.deps.db.withTx(async (tx) => {
      await useMap(tx, await useApproval(tx, shown, input))
      nextSession('serve', await lockSession(tx, session.id))
    })
  }

  async function useMap(tx: Tx, approval: HeldApproval): Promise<void> {
    jointMap = await mapInUse(tx, ctx.viewer, input)
    assertApprovedMap(jointMap, approval.jointMap)
  }
}

async function guard(ctx: RequestContext, input: OpenSessionInput): Promise<ShownApproval> {
  await findDevice(ctx, input.deviceId)
  const shown = await showsApproval(ctx.deps.signingKeys, input.approvalToken)
  const isForBoth = shown.claims?.endpoint === input.endpointId && shown.claims.sub === input.deviceId
  if (!isForBoth) await findEndpoint(ctx, input.endpointId)
  return shown
}

async function open(
  ctx: AllowedContext,
  input: OpenSessionInput,
  shown: ShownApproval,
  useMap: (tx: Tx, approval: HeldApproval) => Promise<void>,
): Promise<Opened> {
  const { kid } = await ctx.deps.signingKeys.current()
  try {
    return await commitVerb(ctx, async (tx) => {
      const endpoint = await lockEndpoint(tx, input.endpointId)
      const approval = await useApproval(tx, shown, input)
      const url = assertServes(endpoint, approval.modelSha256)
      await useMap(tx, approval)
      const claims = await insert(ctx, tx, endpoint, { ...approval, deviceId: input.deviceId })
      await countSessions(tx, endpoint.id, { opened: 1 })
      tx.afterCommit(() => ctx.deps.events.hint(endpoint.id))
      const session = await readSession(tx, ctx.viewer, claims.jti)
      return { session, url, contractFingerprint: endpoint.contractFingerprint, kid, claims }
    })
  } catch (error) {
    if (error instanceof RefusedApproval) await auditRefusal(ctx, input, shown, error)
    throw error
  }
}

interface Used {
  readonly id: string
  readonly deviceId: string
  readonly modelSha256: string
  readonly jointMap: string | null
  readonly expiresAt: string
}

async function insert(ctx: AllowedContext, tx: Tx, endpoint: HeldEndpoint, approval: Used): Promise<SessionClaims> {
  const id = newId('esess')
  const { deviceId, modelSha256, jointMap } = approval
  const [row] = await tx.query(insertSession, {
    id,
    endpointId: endpoint.id,
    deviceId,
    approvalId: approval.id,
    openedBy: requireCredential(ctx.viewer).credentialId,
    priced: endpoint.priced,
    approvedUntil: approval.expiresAt,
    ttlSeconds: ctx.deps.config.endpointSessionTtlSeconds,
  })
  if (!row) throw new Error('The session was not inserted.')
  const after = { sessionId: id, deviceId, approvalId: approval.id }
  await audit(tx, ctx, {
    action: 'endpoint.session_open',
    accountId: endpoint.ownerId,
    targetId: endpoint.id,
    after,
  })
  const named = { jti: id, sub: deviceId, aud: endpoint.id, endpoint: endpoint.id, model_sha256: modelSha256 }
  const bound = { approval: approval.id, ...(jointMap !== null && { joint_map: jointMap }) }
  return { ...named, ...bound, iat: row.issuedAt, exp: row.expires }
}

/** The owner of the endpoint learns the true reason; the caller does not. */
async function auditRefusal(
  ctx: AllowedContext,
  { endpointId, deviceId }: OpenSessionInput,
  shown: ShownApproval,
  { reason }: RefusedApproval,
): Promise<void> {
  await ctx.deps.db.withTx(async (tx) => {
    const { ownerId: accountId } = await lockEndpoint(tx, endpointId)
    const after = { reason, deviceId, approvalId: shown.claims?.jti ?? null }
    await audit(tx, ctx, { action: 'endpoint.session_refused', accountId, targetId: endpointId, after })
  })
}
