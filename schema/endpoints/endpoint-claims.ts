/** Mutations that change an endpoint's state: claim, report, stop. Spec, "Inference endpoints". */

import { plainText, sha256Text } from '@hub/formats/text-rules'
import { z } from 'zod'
import { claimEndpoint } from '../../src/endpoints/claim/claim-endpoint.ts'
import { stopEndpoint } from '../../src/endpoints/end/stop-endpoint.ts'
import { type ReportedEndpoint, reportEndpoint } from '../../src/endpoints/report/report-endpoint.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { workerName } from '../runs/claim-input.ts'
import { EndpointType } from './endpoint.ts'
import { EndpointReportStatusEnum, EndpointSessionStatusEnum } from './enums.ts'
import { targetEndpoint } from './target-endpoint.ts'

/** A URL that a robot opens, with no credential in it: every viewer of the endpoint reads it. */
const socketUrl = z
  .string()
  .min(6)
  .max(512)
  .refine(isSocketUrl, 'must be a ws:// or wss:// URL with a host and no user name, password or fragment')

function isSocketUrl(text: string): boolean {
  if (!/^wss?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return false
  const { hostname, username, password, hash } = new URL(text)
  return hostname !== '' && username === '' && password === '' && hash === '' && !text.includes('#')
}

builder.objectField(EndpointType, 'closedSessions', (t) =>
  t.stringList({
    most: 1000,
    nullable: true,
    description:
      'Ids of its closed sessions whose tokens have not expired, newest first, at most 1,000: its server refuses ' +
      'their tokens. Only in the result of a report; null otherwise.',
    resolve: (endpoint) => {
      const { closedSessions } = endpoint as Partial<ReportedEndpoint>
      return closedSessions ? [...closedSessions] : null
    },
  }),
)

mutation('claimEndpoint', {
  type: EndpointType,
  payload: { name: 'endpoint', description: 'The claimed endpoint, which the caller now reports on.' },
  description:
    'Claims a queued endpoint for a server that has loaded its bytes; of concurrent claims exactly one succeeds. ' +
    '409 if it is already claimed (naming the holder), has ended or is hosted; 422 for other bytes.',
  scope: 'key:train',
  target: targetEndpoint,
  input: input('The endpoint to claim, and where robots reach its server.', (t) => ({
    endpointId: t.id({ required: true, description: 'Id of the endpoint.' }),
    worker: workerName(t, 'server'),
    url: t.string({
      required: true,
      ...rule(socketUrl),
      description: "WebSocket URL of the server, reachable from the robot's network; `wss://` for a hosted endpoint.",
    }),
    modelSha256: t.string({
      required: true,
      ...rule(sha256Text),
      description: 'Digest of the bytes that the server has loaded.',
    }),
  })),
  verb: claimEndpoint,
})

const milliseconds = z.number().min(0).max(1e9)
/** Far above what any session has, and small enough that their sums are exact. */
const MAX_CHUNKS = 1e12

const SessionStateInput = builder.inputType('EndpointSessionStateInput', {
  description: 'All that a server says of one session; replaces what it said before.',
  fields: (t) => ({
    sessionId: t.id({ required: true, ...rule(plainText(64)), description: 'Id of the session.' }),
    state: t.field({
      type: EndpointSessionStatusEnum,
      description: '`CLOSED` when the link to the device is gone; default `OPEN`. A closed session stays closed.',
    }),
    chunksServed: t.field({
      type: 'SafeInt',
      ...rule(z.int().min(0).max(MAX_CHUNKS)),
      description: 'Action chunks served; default 0.',
    }),
    gpuSeconds: t.float({
      ...rule(z.number().min(0).max(1e9)),
      description:
        'GPU time: the time it was open, divided in each interval by the number of sessions open then; default 0.',
    }),
    serviceMsP50: t.float({ ...rule(milliseconds), description: 'Service time per chunk in ms, median.' }),
    serviceMsP95: t.float({ ...rule(milliseconds), description: 'The same, 95th percentile.' }),
    closedReason: t.string({ ...rule(plainText(64)), description: 'Why it was closed.' }),
  }),
})

mutation('reportEndpoint', {
  type: EndpointType,
  payload: { name: 'endpoint', description: 'The endpoint, with `closedSessions` and `stopRequestedAt` to act on.' },
  description:
    "The server's report, every few seconds, from the credential that claimed the endpoint; 409 for any other. " +
    '`STOPPED` or `FAILED` ends the endpoint, closes its sessions and bills them.',
  scope: 'key:train',
  target: targetEndpoint,
  input: input("The server's report.", (t) => ({
    endpointId: t.id({ required: true, description: 'Id of the endpoint.' }),
    status: t.field({ type: EndpointReportStatusEnum, description: 'Default `RUNNING`.' }),
    sessions: t.field({
      type: [SessionStateInput],
      ...rule(z.array(z.unknown()).max(200)),
      description: 'Sessions of the endpoint, each once; those that are not named keep their numbers.',
    }),
    error: t.string({ ...rule(plainText(4000)), description: 'Reason of the failure; expected with `FAILED`.' }),
    logChunk: t.string({
      ...rule(plainText(65_536)),
      description: 'End of the log of the server; that of the last report is kept.',
    }),
  })),
  verb: reportEndpoint,
})

mutation('stopEndpoint', {
  type: EndpointType,
  payload: { name: 'endpoint', description: 'The endpoint after the change.' },
  description:
    'Stops a queued endpoint at once; asks the server of a running one to stop, which it sees in the answer to ' +
    'its next report. Idempotent. 409 if the endpoint has ended.',
  scope: 'key:train',
  target: targetEndpoint,
  input: input('The endpoint to stop.', (t) => ({
    endpointId: t.id({ required: true, description: 'Id of the endpoint.' }),
  })),
  verb: stopEndpoint,
})
