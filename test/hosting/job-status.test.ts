/** What a Job and its pods say of a call. */
import { expect, it } from 'vitest'
import type { CallStatus } from '../../src/hosting/backend.ts'
import { statusOf, waitOf } from '../../src/hosting/kubernetes/job-status.ts'

const backoff = { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the limit' }
const terminated = (exitCode: number, reason: string) => ({
  containerStatuses: [
    { name: 'sidecar', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
    { name: 'function', state: { terminated: { exitCode, reason } } },
  ],
})
const preempted = {
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'preempted' }],
}
type Given = ReturnType<typeof JSON.parse>
const ended = (how: string): CallStatus => ({ is: 'ended', how })

it.each<[string, Given, Given, CallStatus]>([
  ['waits for a node', null, { phase: 'Pending' }, { is: 'running' }],
  ['runs', null, { phase: 'Running' }, { is: 'running' }],
  ['is about to fail', { type: 'FailureTarget', reason: 'BackoffLimitExceeded' }, {}, { is: 'running' }],
  ['ended by an error', backoff, terminated(3, 'Error'), ended('its container function ended with code 3.')],
  [
    'had no memory',
    backoff,
    terminated(137, 'OOMKilled'),
    ended('its container function ended with code 137 (OOMKilled).'),
  ],
  [
    'was evicted',
    backoff,
    { reason: 'Evicted', message: 'The node was low on resource: memory.', ...terminated(137, 'Error') },
    ended('its pod has failed (Evicted: The node was low on resource: memory).'),
  ],
  ['was preempted', backoff, preempted, ended('its pod was disrupted (PreemptionByScheduler: preempted).')],
  ['went with its node', backoff, {}, ended('its Job has failed (BackoffLimitExceeded: Job has reached the limit).')],
  ['was too slow', { type: 'Failed', reason: 'DeadlineExceeded' }, {}, ended('its Job reached its deadline.')],
  ['succeeded', { type: 'Complete' }, {}, ended('its container ended with code 0.')],
])('a call whose pod %s', (_what, condition, pod, status) => {
  const job = { status: { conditions: condition ? [{ status: 'True', ...condition }] : [] } }
  expect(statusOf(job, [{ status: pod }])).toEqual(status)
  expect(statusOf({ ...job, metadata: { deletionTimestamp: new Date() } }, [])).toEqual({ is: 'unknown' })
})

it.each<[string, Given, string | null]>([
  [
    'no node',
    {
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available.' },
      ],
    },
    'its pod has no node (Unschedulable: 0/3 nodes are available)',
  ],
  [
    'no image',
    {
      containerStatuses: [
        { name: 'function', state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } } },
      ],
    },
    'its container function waits (ImagePullBackOff: not found)',
  ],
  ['started', { containerStatuses: [{ name: 'function', state: { running: {} } }] }, null],
])('a pod that has %s says what it waits for', (_what, status, wait) => {
  expect(waitOf([{ status }])).toBe(wait)
})
