/** Approvals: a person's permission for one device to use one endpoint. Contract, "Approvals". */
import { type Approval, getApprovalsById } from '../../src/endpoints/approvals/approval-row.ts'
import { shownStatus } from '../../src/endpoints/approvals/approval-state.ts'
import {
  approveEndpointSession,
  MAX_APPROVAL_DAYS,
  type MintedApproval,
} from '../../src/endpoints/approvals/approve.ts'
import { approvalsOfDevices, approvalsOfEndpoints } from '../../src/endpoints/approvals/list-approvals.ts'
import { revokeApproval } from '../../src/endpoints/approvals/revoke-approval.ts'
import { getEndpointsById } from '../../src/endpoints/read/get-endpoint.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { DeviceType, visibleDevices } from '../devices/device.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { args, input, mutation } from '../root-field.ts'
import { childConnections } from './child-connections.ts'
import { EndpointType } from './endpoint.ts'
import { ApprovalStatusEnum } from './enums.ts'

export const ApprovalType = builder.objectRef<Approval>('Approval')

nodeIds('appr', 'Approval')
builder.node(ApprovalType, {
  description:
    "A person's permission for one device to use one endpoint, as long as it serves the same model. Visible to " +
    'callers who see the endpoint or the device. Its token is shown only once.',
  id: { resolve: member('id', (approval) => approval.id), description: 'TypeID, prefix `appr_`; sorts by time.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'mintedBy' in value,
  loadMany: (ids, ctx) => getApprovalsById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    endpointId: t.exposeID('endpointId', { description: 'Id of the endpoint.' }),
    deviceId: t.exposeID('deviceId', { description: 'Id of the device.' }),
    modelSha256: t.exposeString('modelSha256', {
      description: "Digest of the endpoint's model, which it is bound to.",
    }),
    jointMapFingerprint: t.exposeString('jointMap', {
      nullable: true,
      description:
        'Fingerprint of the map of joints that it is bound to; null if the robot fits as it is, or nothing is known ' +
        'of it.',
    }),
    status: t.field({ type: ApprovalStatusEnum, description: 'Current status.', resolve: shownStatus }),
    mintedBy: t.expose('mintedBy', { type: Account, description: 'The person who approved.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was given.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it and its token expire.' }),
    revokedBy: t.expose('revokedBy', {
      type: Account,
      nullable: true,
      description: 'The person who revoked it; null if it was not.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null if it was not.',
    }),
  }),
})

builder.objectFields(ApprovalType, (t) => ({
  endpoint: t.loadable({
    type: EndpointType,
    nullable: true,
    description: 'The endpoint; null if it is not visible to the caller.',
    load: (ids: string[], ctx: RequestContext) => getEndpointsById(ctx.deps.db, ctx.viewer, ids),
    resolve: ({ endpointId }) => endpointId,
  }),
  device: t.loadable({
    type: DeviceType,
    nullable: true,
    byPath: true,
    description: 'The device; null if it is not visible to the caller.',
    load: (ids: string[], ctx, _args, info) => visibleDevices(ctx, ids, info),
    resolve: ({ deviceId }) => deviceId,
  }),
}))

/** Options of a loadable field that resolves an approval's id to the approval. */
export const approvalById = {
  type: ApprovalType,
  nullable: true,
  load: (ids: string[], ctx: RequestContext) => getApprovalsById(ctx.deps.db, ctx.viewer, ids),
} as const

const ApprovalConnection = builder.connectionObject(
  {
    type: ApprovalType,
    name: 'ApprovalConnection',
    description: 'A page of approvals.',
    fields: (connection) => ({
      nodes: connection.field({ type: [ApprovalType], description: 'The approvals.', resolve: nodesOf<Approval> }),
    }),
  },
  { name: 'ApprovalEdge', description: 'An approval and its cursor.' },
)

const approvalArgs = args((t) => ({
  ...pageArgs(t),
  status: t.field({ type: ApprovalStatusEnum, description: 'Only approvals with this status.' }),
}))

builder.objectField(EndpointType, 'approvals', (t) =>
  t.loadable({
    type: ApprovalConnection,
    byPath: true,
    description: 'Approvals of devices for it, newest first. One statement for any number of endpoints.',
    args: approvalArgs,
    resolve: ({ id }) => id,
    load: childConnections(approvalsOfEndpoints),
  }),
)
builder.objectField(DeviceType, 'approvals', (t) =>
  t.loadable({
    type: ApprovalConnection,
    byPath: true,
    description: 'Approvals for it, newest first. One statement for any number of devices.',
    args: approvalArgs,
    resolve: ({ id }) => id,
    load: childConnections(approvalsOfDevices),
  }),
)

const MintedApprovalType = builder.objectRef<MintedApproval>('MintedApproval').implement({
  description: 'A new approval with its token, which is shown only here.',
  fields: (t) => ({
    approval: t.expose('approval', { type: ApprovalType, description: 'The approval.' }),
    token: t.exposeString('token', {
      description: 'JWT of type `svc-approval+jwt`: the `approvalToken` of `openEndpointSession`.',
    }),
  }),
})

mutation('approveEndpointSession', {
  type: MintedApprovalType,
  description:
    'Permits one device to use one endpoint until a time, and returns the token once. Only for people: no API ' +
    'key may. 409 if the endpoint has ended, and if the robot of the device does not fit its policy as it is or by ' +
    'the newest reviewed map of joints.',
  scope: 'session',
  input: input('The endpoint and the device to approve, and until when.', (t) => ({
    endpointId: t.id({ required: true, description: 'Id of the endpoint.' }),
    deviceId: t.id({ required: true, description: 'Id of the device.' }),
    expiresAt: t.field({
      type: 'DateTime',
      required: true,
      description: `When it expires, at most ${MAX_APPROVAL_DAYS} days ahead; fractions of a second are dropped.`,
    }),
  })),
  verb: approveEndpointSession,
})

mutation('revokeApproval', {
  type: ApprovalType,
  payload: { name: 'approval', description: 'The revoked approval.' },
  description:
    'Revokes an approval for ever and closes its open sessions. Idempotent. Only for people: no API key may. 409 ' +
    'if it has expired.',
  scope: 'session',
  input: input('The approval to revoke.', (t) => ({
    approvalId: t.id({ required: true, description: 'Id of the approval.' }),
  })),
  verb: revokeApproval,
})
