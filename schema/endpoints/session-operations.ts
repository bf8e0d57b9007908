/** Opening and reporting sessions, by the driver of a robot. Spec, openEndpointSession and reportEndpointSession. */

import { wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { findDevice } from '../../src/devices/find-device.ts'
import type { MapInUse } from '../../src/endpoints/approvals/map-in-use.ts'
import { findEndpoint } from '../../src/endpoints/endpoint-row.ts'
import { type OpenedSession, openEndpointSession } from '../../src/endpoints/sessions/open-session.ts'
import { reportEndpointSession } from '../../src/endpoints/sessions/report-session.ts'
import { findSessionOfDevice } from '../../src/endpoints/sessions/session-row.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { SessionType } from './session.ts'

const MapInUseType = builder.objectRef<MapInUse>('MapInUse').implement({
  description: 'The map of joints that a device needs on an endpoint: it is fixed by the approval.',
  fields: (t) => ({
    fingerprint: t.exposeString('fingerprint', { description: 'SHA-256 of the canonical JSON of `map`.' }),
    map: t.field({
      type: 'JSON',
      description: 'From joints of the policy to those of the robot, as in `JointMap`.',
      resolve: ({ map }) => map,
    }),
  }),
})

const OpenedType = builder.objectRef<OpenedSession>('EndpointSessionOpened').implement({
  description: 'A new session, and what its device needs to connect to the server.',
  fields: (t) => ({
    session: t.expose('session', { type: SessionType, description: 'The session.' }),
    url: t.exposeString('url', { description: 'WebSocket URL of the server.' }),
    sessionToken: t.exposeString('sessionToken', {
      description:
        'JWT of type `svc-session+jwt`, which the device sends to the server as its `api_key` header. Shown only here.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the token expires.' }),
    modelSha256: t.exposeString('modelSha256', { description: 'Digest of the model that is served.' }),
    contractFingerprint: t.exposeString('contractFingerprint', {
      nullable: true,
      description: 'SHA-256 of the contract between policy and robot; null if the model declares none.',
    }),
    jointMap: t.expose('jointMap', {
      type: MapInUseType,
      nullable: true,
      description:
        'What the device does to the numbers of each action, and the other way round to those of its joints; null ' +
        'where they go over as they are.',
    }),
  }),
})

mutation('openEndpointSession', {
  type: OpenedType,
  description:
    'Opens a session of a device on an endpoint under an approval. 404 for a device that the caller cannot see, ' +
    'then one 403 for every fault of the approval, then 409 for an endpoint that serves another model or none, for ' +
    'a robot that does not fit, and for another map of joints than was approved.',
  scope: 'key:write',
  target: async (ctx, { endpointId, deviceId }) => {
    await findDevice(ctx, deviceId)
    await findEndpoint(ctx, endpointId)
  },
  input: input('Which device, and its approval.', (t) => ({
    endpointId: t.id({ required: true, description: 'Id of the endpoint.' }),
    deviceId: t.id({ required: true, description: 'Id of the device.' }),
    approvalToken: t.string({ description: 'The token of an approval; 403 without a valid one.' }),
  })),
  verb: openEndpointSession,
})

const count = z.int().min(0)
const milliseconds = z.number().min(0)
const ofSession = 'of the whole session'

mutation('reportEndpointSession', {
  type: SessionType,
  payload: { name: 'session', description: 'The session after the report.' },
  description:
    "Stores a device's numbers of its session, and closes it with `closed`. A number replaces the one before; " +
    'one that is left out or null stays. 409 for a closed session.',
  scope: 'key:write',
  target: findSessionOfDevice,
  input: input('Measurements of the device.', (t) => ({
    endpointId: t.id({ required: true, description: 'Id of the endpoint.' }),
    sessionId: t.id({ required: true, description: 'Id of the session.' }),
    chunksApplied: t.field({ type: 'SafeInt', ...rule(count), description: `Action chunks applied, ${ofSession}.` }),
    rttMsP50: t.float({ ...rule(milliseconds), description: `Round trip in ms, median ${ofSession}.` }),
    rttMsP95: t.float({ ...rule(milliseconds), description: `Round trip in ms, 95th percentile ${ofSession}.` }),
    deadlineMisses: t.field({ type: 'SafeInt', ...rule(count), description: `Late chunks, ${ofSession}.` }),
    degradedCount: t.field({
      type: 'SafeInt',
      ...rule(count),
      description: `How often the device's fail-safe fired, ${ofSession}.`,
    }),
    closed: t.boolean({ description: 'Whether the session has ended; false by default.' }),
    closedReason: t.string({
      ...rule(wordText),
      description: 'Why, at most 64 characters, such as `stopped`; recorded with `closed`.',
    }),
  })),
  verb: reportEndpointSession,
})
