/** Sessions of endpoints: type, edges and lists. Spec, "EndpointSession" and listEndpointSessions. */
import { getEndpointsById } from '../../src/endpoints/read/get-endpoint.ts'
import {
  changedSessions,
  sessionsOfApprovals,
  sessionsOfDevices,
  sessionsOfEndpoints,
} from '../../src/endpoints/sessions/list-sessions.ts'
import { type EndpointSession, getSessionsById } from '../../src/endpoints/sessions/session-row.ts'
import { listUpdates } from '../accounts/list-updates.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { DeviceType, visibleDevices } from '../devices/device.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { nullInV1 } from '../null-in-v1.ts'
import { args } from '../root-field.ts'
import { ApprovalType, approvalById } from './approval.ts'
import { childConnections } from './child-connections.ts'
import { EndpointType } from './endpoint.ts'
import { EndpointSessionStatusEnum } from './enums.ts'

type NumberField = 'serviceMsP50' | 'serviceMsP95' | 'rttMsP50' | 'rttMsP95'
type CountField = 'chunksApplied' | 'deadlineMisses' | 'degradedCount'

export const SessionType = builder.objectRef<EndpointSession>('EndpointSession')

nodeIds('esess', 'EndpointSession')
builder.node(SessionType, {
  description:
    "A device's use of an endpoint under an approval. Visible to callers who see the endpoint or the device. " +
    'Server and device each report their own numbers.',
  id: { resolve: member('id', (session) => session.id), description: 'TypeID, prefix `esess_`; sorts by time.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'degradedCount' in value,
  loadMany: (ids, ctx) => getSessionsById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => {
    const number = (name: NumberField, description: string) =>
      t.float({ nullable: true, description, resolve: member(name, (session) => session[name]) })
    const count = (name: CountField, description: string) =>
      t.field({ type: 'SafeInt', nullable: true, description, resolve: member(name, (session) => session[name]) })
    return {
      endpointId: t.exposeID('endpointId', { description: 'Id of the endpoint.' }),
      deviceId: t.exposeID('deviceId', { nullable: true, description: 'Id of the device.' }),
      approvalId: t.exposeID('approvalId', { nullable: true, description: 'Id of the approval.' }),
      status: t.expose('status', { type: EndpointSessionStatusEnum, description: 'Current status.' }),
      openedAt: t.expose('openedAt', { type: 'DateTime', description: 'When it was opened.' }),
      expiresAt: t.expose('expiresAt', {
        type: 'DateTime',
        ...nullInV1,
        description:
          'When its token expires: with the approval, or after the lifetime of sessions ' +
          '(ENDPOINT_SESSION_TTL_S), whichever is sooner.',
      }),
      closedAt: t.expose('closedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was closed; null while it is open.',
      }),
      closedReason: t.exposeString('closedReason', {
        nullable: true,
        description:
          'As the device or the server gave it; `expired` or `revoked` if the hub closed it. Null if none was given.',
      }),
      lastReportAt: t.expose('lastReportAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When the server or the device last reported it.',
      }),
      chunksServed: t.expose('chunksServed', {
        type: 'SafeInt',
        description: 'Action chunks that the server has served.',
      }),
      gpuSeconds: t.exposeFloat('gpuSeconds', {
        description: "GPU time in seconds, by the server: its share of the endpoint's time.",
      }),
      serviceMsP50: number('serviceMsP50', "Service time per chunk in ms, median; the server's measure."),
      serviceMsP95: number('serviceMsP95', 'Service time per chunk in ms, 95th percentile.'),
      chunksApplied: count('chunksApplied', 'Action chunks that the device has applied; null until it reports.'),
      rttMsP50: number('rttMsP50', "Round trip per chunk in ms, median; the device's measure."),
      rttMsP95: number('rttMsP95', 'Round trip per chunk in ms, 95th percentile.'),
      deadlineMisses: count('deadlineMisses', 'Chunks that reached the device too late.'),
      degradedCount: count('degradedCount', "Number of times that the device's own fail-safe fired."),
      costUsd: t.exposeFloat('costUsd', {
        nullable: true,
        description:
          'Cost in USD: GPU time x rate of the tier once closed, as billed once the endpoint has ended. 0 on a ' +
          'worker; null while it is open.',
      }),
      priced: t.exposeBoolean('priced', { description: 'Whether it is billed.' }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Same as `openedAt`.' }),
    }
  },
})

builder.objectFields(SessionType, (t) => ({
  endpoint: t.loadable({
    type: EndpointType,
    nullable: true,
    description: 'The endpoint; null if it is not visible to the caller.',
    load: (ids: string[], ctx) => getEndpointsById(ctx.deps.db, ctx.viewer, ids),
    resolve: ({ endpointId }) => endpointId,
  }),
  approval: t.loadable({
    ...approvalById,
    description: 'The approval that it was opened under.',
    resolve: ({ approvalId }) => approvalId,
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

const SessionConnection = builder.connectionObject(
  {
    type: SessionType,
    name: 'EndpointSessionConnection',
    description: 'A page of endpoint sessions.',
    fields: (connection) => ({
      nodes: connection.field({ type: [SessionType], description: 'The sessions.', resolve: nodesOf<EndpointSession> }),
    }),
  },
  { name: 'EndpointSessionEdge', description: 'A session and its cursor.' },
)

const sessionArgs = args((t) => ({
  ...pageArgs(t),
  status: t.field({ type: EndpointSessionStatusEnum, description: 'Only sessions with this status.' }),
}))

builder.objectField(EndpointType, 'sessions', (t) =>
  t.loadable({
    type: SessionConnection,
    byPath: true,
    description: 'Its sessions, newest first. One statement for any number of endpoints.',
    args: sessionArgs,
    resolve: ({ id }) => id,
    load: childConnections(sessionsOfEndpoints),
  }),
)
builder.objectField(DeviceType, 'sessions', (t) =>
  t.loadable({
    type: SessionConnection,
    byPath: true,
    description: 'Its sessions, newest first. One statement for any number of devices.',
    args: sessionArgs,
    resolve: ({ id }) => id,
    load: childConnections(sessionsOfDevices),
  }),
)
builder.objectField(ApprovalType, 'sessions', (t) =>
  t.loadable({
    type: SessionConnection,
    byPath: true,
    description: 'The sessions that were opened under it, newest first. One statement for any number of approvals.',
    args: sessionArgs,
    resolve: ({ id }) => id,
    load: childConnections(sessionsOfApprovals),
  }),
)

listUpdates('sessionsUpdated', {
  typeName: 'EndpointSessionsUpdate',
  nouns: 'sessions on endpoints',
  node: SessionType,
  list: changedSessions,
})
