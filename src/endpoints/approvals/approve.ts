/** approveEndpointSession: a person permits one device to use one endpoint. Contract, "Approvals". */

import { newId } from '@hub/formats/ids'
import { assertSession } from '../../auth/policy.ts'
import { assertRecentSignIn } from '../../auth/recent-sign-in.ts'
import { findDevice } from '../../devices/find-device.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { insertSelected } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { hasEnded } from '../../work/job-state.ts'
import { findEndpoint, type HeldEndpoint, lockEndpoint } from '../endpoint-row.ts'
import { type Approval, readApproval } from './approval-row.ts'
import { type ApprovalClaims, signApproval } from './approval-token.ts'
import { mapInUse } from './map-in-use.ts'

export interface ApproveInput {
  readonly endpointId: string
  readonly deviceId: string
  /** RFC 3339; fractions of a second are dropped. */
  readonly expiresAt: string
}

/** A new approval and its token, which is not stored. */
export interface MintedApproval {
  readonly approval: Approval
  readonly token: string
}

/** The longest time that a person can look ahead for a robot. */
export const MAX_APPROVAL_DAYS = 90

const insertedColumns = columns({ issuedAt: column.int8('floor(extract(epoch from created_at))::int8') })

const approvalRow = insertSelected('approvals', {
  id: param.text(),
  endpointId: param.text(),
  deviceId: param.text(),
  modelSha256: param.text(),
  jointMap: param.text.orNull(),
  status: 'issued',
  mintedBy: param.text(),
  expiresAt: param.timestamptz(),
})

const insertApproval = statement({
  name: 'approval-insert',
  columns: insertedColumns,
  params: { ...approvalRow.params, maxDays: param.int4() },
  text: `${approvalRow.sql} where :expiresAt::timestamptz > now() and :expiresAt::timestamptz <= now() + make_interval(days => :maxDays)
    returning ${insertedColumns.sql}`,
})

/** What is stored of an approval that was made: the claims give the same token again. */
interface Minted {
  readonly approval: Approval
  readonly kid: string
  readonly claims: Omit<ApprovalClaims, 'iss'>
}

/**
 * Mints an approval; only a person in a session may, who sees the endpoint and the device. Errors: 401, 403 for any key
 * and without a recent sign-in, 404, 409 `conflict.terminal`, `conflict.robot_fit`, 422 an expiry in the past or more than
 * `MAX_APPROVAL_DAYS` ahead.
 */
export async function approveEndpointSession(ctx: RequestContext, input: ApproveInput): Promise<MintedApproval> {
  const { signingKeys } = ctx.deps
  const minted = await guarded(
    ctx,
    async () => {
      assertSession(ctx.viewer)
      await findDevice(ctx, input.deviceId)
      await findEndpoint(ctx, input.endpointId)
      return assertRecentSignIn(ctx.viewer).personId
    },
    async (allowed, personId): Promise<Minted> => {
      const { kid } = await signingKeys.current()
      return commitVerb(allowed, async (tx) => {
        const endpoint = await lockEndpoint(tx, input.endpointId)
        assertApprovable(endpoint)
        const id = newId('appr')
        const expiresAt = wholeSecond(input.expiresAt)
        const { endpointId, deviceId } = input
        const { modelSha256 } = endpoint
        const jointMap = (await mapInUse(tx, ctx.viewer, input))?.fingerprint ?? null
        const approved = { endpointId, deviceId, modelSha256, jointMap }
        const row = { id, ...approved, mintedBy: personId, expiresAt, maxDays: MAX_APPROVAL_DAYS }
        const [inserted] = await tx.query(insertApproval, row)
        if (!inserted) throw badExpiry()
        const after = { approvalId: id, deviceId, modelSha256, expiresAt, ...(jointMap !== null && { jointMap }) }
        await audit(tx, allowed, {
          action: 'endpoint.approve',
          accountId: endpoint.ownerId,
          targetId: endpoint.id,
          after,
        })
        const exp = Date.parse(expiresAt) / 1000
        const bound = { model_sha256: modelSha256, ...(jointMap !== null && { joint_map: jointMap }) }
        const claims = { jti: id, sub: deviceId, endpoint: endpointId, ...bound }
        const approval = await readApproval(tx, ctx.viewer, id)
        return { approval, kid, claims: { ...claims, iat: inserted.issuedAt, exp } }
      })
    },
  )
  const key = await signingKeys.signer(minted.kid)
  return { approval: minted.approval, token: await signApproval(key, minted.claims) }
}

function assertApprovable({ status }: HeldEndpoint): void {
  if (!hasEnded(status)) return
  const detail = `The endpoint has ended: it is ${status}; approve the device for another one.`
  throw new HubError('conflict.terminal', detail)
}

/** Tokens count in seconds; the row ends with its token. */
const wholeSecond = (time: string) => new Date(Math.floor(Date.parse(time) / 1000) * 1000).toISOString()

const badExpiry = () =>
  invalid('validation.value', `must be in the future, at most ${MAX_APPROVAL_DAYS} days ahead`, ['expiresAt'])
