/** Inference endpoints: type and queries. Spec, "Inference endpoint" and "Inference endpoints". */
import { z } from 'zod'
import type { Endpoint, EndpointArtifact } from '../../src/endpoints/endpoint-shape.ts'
import { getEndpoint, getEndpointsById } from '../../src/endpoints/read/get-endpoint.ts'
import { changedEndpoints, listEndpoints } from '../../src/endpoints/read/list-endpoints.ts'
import { watchEndpoint } from '../../src/endpoints/read/watch-endpoint.ts'
import { Account } from '../accounts/account.ts'
import { listUpdates } from '../accounts/list-updates.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { args, query, subscription } from '../root-field.ts'
import { JobInterface } from '../runs/job.ts'
import { RepoRef } from '../runs/run-parts.ts'
import { EndpointArtifactKindEnum, EndpointStatusEnum } from './enums.ts'

export const EndpointArtifactType = builder.objectRef<EndpointArtifact>('EndpointArtifact').implement({
  description: 'The artifact of a model repo that an endpoint serves, pinned by the digest that the hub computed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: EndpointArtifactKindEnum, description: 'Whether it is a file or a directory.' }),
    path: t.exposeString('path', {
      description: 'Path of the ONNX file or of the checkpoint directory; empty for a checkpoint at the root.',
    }),
    sha256: t.exposeString('sha256', {
      description:
        'SHA-256 of the ONNX file; of a checkpoint, over the lines `<path in it> <sha256>` of its files in byte ' +
        'order of path.',
    }),
    policyFormat: t.exposeString('policyFormat', {
      nullable: true,
      description: '`vla-lib` or `vla-lib-peft`; null for an ONNX file.',
    }),
    files: t.exposeInt('files', { description: 'Number of files.' }),
    bytes: t.expose('bytes', { type: 'SafeInt', description: 'Their size.' }),
  }),
})

type TimeField = 'claimedAt' | 'startedAt' | 'heartbeatAt' | 'stopRequestedAt' | 'finishedAt' | 'dispatchedAt'
type TextField = 'name' | 'contractFingerprint' | 'url' | 'claimedBy' | 'hostedCallId' | 'stopReason' | 'error'
type MillisecondsField = 'serviceMsP95' | 'rttMsP95'

export const EndpointType = builder.objectRef<Endpoint>('Endpoint')

nodeIds('ep', 'Endpoint')
builder.node(EndpointType, {
  interfaces: [JobInterface],
  description:
    'An inference endpoint: a model that a server serves to robots, each in a session that a person approved.',
  id: { resolve: member('id', (endpoint) => endpoint.id), description: 'TypeID, prefix `ep_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'sessionsOpen' in value,
  loadMany: (ids, ctx) => getEndpointsById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    status: t.expose('status', { type: EndpointStatusEnum, description: 'Current status.' }),
    executor: t.expose('executor', { type: RunExecutorEnum, description: 'Who serves it.' }),
    modelRepoRef: t.expose('modelRepo', {
      type: RepoRef,
      description: 'Id and name of the model repo, as in the request.',
    }),
    artifact: t.expose('artifact', { type: EndpointArtifactType, description: 'The artifact that is served.' }),
    modelSha256: t.exposeString('modelSha256', {
      description: "The artifact's digest, to which approvals and the claim are bound.",
    }),
    controlClass: t.expose('controlClass', {
      type: ControlClassEnum,
      description: 'Control class of the policy; never `REFLEX`.',
    }),
    owner: t.expose('owner', { type: Account, description: 'The account that is billed.' }),
    createdBy: t.expose('createdBy', {
      type: Account,
      nullable: true,
      description: 'The person who created it; null if a key of the operator did.',
    }),
    tier: t.exposeString('tier', {
      description: 'The smallest hardware tier that fits the model; billed on `HOSTED`.',
    }),
    params: t.expose('params', { type: 'SafeInt', description: 'Parameters of the model.' }),
    vramBytes: t.expose('vramBytes', {
      type: 'SafeInt',
      description: 'Memory of the weights: parameters x 2 bytes, and 20 % headroom.',
    }),
    rateUsdPerHour: t.exposeFloat('rateUsdPerHour', {
      description: 'Rate of the tier at creation, USD per GPU-hour, four decimals; 0 for a worker.',
    }),
    maxHours: t.exposeFloat('maxHours', {
      nullable: true,
      description: 'Hours from the claim after which the hub ends it; null for no cap.',
    }),
    budgetUsd: t.exposeFloat('budgetUsd', { nullable: true, description: 'Hard cap of its cost; null for none.' }),
    priced: t.exposeBoolean('priced', { description: 'True for a hosted endpoint, which is billed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
    costUsd: t.exposeFloat('costUsd', {
      nullable: true,
      description: 'Cost of its sessions in USD: so far while it runs, and as billed at its end. Null before a claim.',
    }),
    sessionsOpen: t.exposeInt('sessionsOpen', { description: 'Sessions that are open.' }),
    sessionsTotal: t.exposeInt('sessionsTotal', { description: 'Sessions that were ever opened.' }),
    chunksServed: t.expose('chunksServed', {
      type: 'SafeInt',
      description: 'Action chunks served in all sessions, as the server counts them.',
    }),
    gpuSeconds: t.exposeFloat('gpuSeconds', {
      description: 'GPU time of all sessions in seconds: at most the time since the claim.',
    }),
  }),
})

/** Times, texts and measured durations, each null until it is known. */
builder.objectFields(EndpointType, (t) => {
  const time = (name: TimeField, description: string) =>
    t.field({ type: 'DateTime', nullable: true, description, resolve: member(name, (endpoint) => endpoint[name]) })
  const text = (name: TextField, description: string) =>
    t.string({ nullable: true, description, resolve: member(name, (endpoint) => endpoint[name]) })
  const milliseconds = (name: MillisecondsField, description: string) =>
    t.float({ nullable: true, description, resolve: member(name, (endpoint) => endpoint[name]) })
  return {
    name: text('name', 'Name for people; null if none was given.'),
    contractFingerprint: text(
      'contractFingerprint',
      'SHA-256 of the contract between policy and robot; null if the model declares none.',
    ),
    url: text('url', 'WebSocket URL of its server; null until it is claimed.'),
    claimedBy: text('claimedBy', 'Name of the server that claimed it.'),
    claimedAt: time('claimedAt', 'When its server claimed it.'),
    startedAt: time('startedAt', 'Same as `claimedAt`.'),
    heartbeatAt: time('heartbeatAt', 'When its server last claimed or reported.'),
    stopRequestedAt: time(
      'stopRequestedAt',
      'When it was first asked to stop: its server closes every session and reports `STOPPED`. Null if it was not.',
    ),
    stopReason: text(
      'stopReason',
      'Why it was asked to stop or was ended: `cancel`, `budget`, `max_hours`, `spend_cap` or `dispatch`.',
    ),
    finishedAt: time('finishedAt', 'When it ended.'),
    hostedCallId: text('hostedCallId', 'Id of the hosted call that serves it; null for a worker.'),
    dispatchedAt: time('dispatchedAt', 'When that call was made.'),
    error: text('error', 'Why it failed, or what its server last said of a fault.'),
    serviceMsP95: milliseconds(
      'serviceMsP95',
      'Service time per chunk in ms, 95th percentile: the worst of its open sessions, or of the last that were. ' +
        "The server's measure.",
    ),
    rttMsP95: milliseconds('rttMsP95', "Round trip per chunk in ms, likewise. The devices' measure."),
  }
})

query('endpoint', {
  type: EndpointType,
  nullable: true,
  description: 'An inference endpoint by id; null if it does not exist or is not visible to the caller.',
  scope: 'key:read',
  args: args((t) => ({ id: t.id({ required: true, description: 'TypeID, `ep_…`.' }) })),
  read: (ctx, { id }) => getEndpoint(ctx, id),
})

export const EndpointConnection = builder.connectionObject(
  {
    type: EndpointType,
    name: 'EndpointConnection',
    description: 'A page of inference endpoints.',
    fields: (connection) => ({
      nodes: connection.field({ type: [EndpointType], description: 'The endpoints.', resolve: nodesOf<Endpoint> }),
    }),
  },
  { name: 'EndpointEdge', description: 'An endpoint and its cursor.' },
)

query('endpoints', {
  type: EndpointConnection,
  description:
    "Inference endpoints that are billed to the caller or to one of the caller's orgs, newest first. Filters are " +
    'combined with AND. A server finds work with `status: QUEUED, executor: WORKER`.',
  scope: 'key:read',
  args: args((t) => ({
    ...pageArgs(t),
    status: t.field({ type: EndpointStatusEnum, description: 'Only endpoints with this status.' }),
    executor: t.field({ type: RunExecutorEnum, description: 'Only endpoints with this executor.' }),
    modelRepo: t.string({
      ...rule(z.string().max(130)),
      description: 'Only endpoints of this model, `owner/slug`; any other text gives an empty page.',
    }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Only endpoints billed to this account (handle); an unknown handle gives an empty page.',
    }),
  })),
  read: async (ctx, args) => {
    const input = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    return new Connection(await listEndpoints(ctx, input), Boolean(input.after))
  },
})

subscription('endpointUpdated', {
  type: EndpointType,
  description:
    'The current endpoint, then the endpoint after each change, until it has ended or is no longer visible to ' +
    'the caller.',
  scope: 'key:read',
  args: args((t) => ({ endpointId: t.id({ required: true, description: 'Id of the endpoint.' }) })),
  events: (ctx, { endpointId }) => watchEndpoint(ctx, endpointId),
})

listUpdates('endpointsUpdated', {
  typeName: 'EndpointsUpdate',
  nouns: 'endpoints',
  node: EndpointType,
  list: changedEndpoints,
})
