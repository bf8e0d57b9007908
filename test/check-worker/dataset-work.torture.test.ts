/** A worker checks the data set of a repo by ranges, and its report stands on it. */

import { type DatasetWorker, workOnDatasets } from '@hub/check-worker/serve/dataset-work'
import { mappedLimits, mapsToTry } from '@hub/check-worker/serve/limits-of-map'
import type { CheckOutcome } from '@hub/check-worker/serve/serve-check'
import { createHubClient } from '@hub/client/internal'
import { beforeAll, expect, it } from 'vitest'
import { madeDataset } from '../../packages/dataset/test/support/made-dataset.ts'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
})

async function queued(change?: (files: Map<string, Uint8Array>) => void): Promise<string> {
  const repo = await hub.repo(ada)
  const made = madeDataset(2, {
    rows: (episodes) => {
      const row = episodes[1]?.[12]
      if (row) row.state[1] = Number.NaN
    },
  })
  change?.(made)
  await hub.upload(ada, repo, Object.fromEntries([...made].map(([path, bytes]) => [path, Buffer.from(bytes)])))
  await hub.call(ada, 'POST', `/v1/repos/${repo}/dataset-check`)
  return repo
}

async function work(changes: Partial<DatasetWorker> = {}): Promise<CheckOutcome[]> {
  const ended: CheckOutcome[] = []
  await workOnDatasets({
    ...{ client: createHubClient({ url: hub.running.url, token: key }), name: 'box', owner: ada.handle, once: true },
    ...{ stop: new AbortController().signal, logLine: () => {}, ended: (one) => ended.push(one), waitS: 1 },
    ...changes,
  })
  return ended
}
const read = async (repo: string) => (await hub.call(ada, 'GET', `/v1/repos/${repo}/dataset-check`)).json

it('reports each fault at its episode, frame and joint, and what was not checked', async () => {
  const repo = await queued()
  expect(await work()).toEqual([{ check: repo, status: 'succeeded', error: null }])
  expect(await read(repo)).toMatchObject({
    ...{ status: 'succeeded', worker: 'box', episodes_done: 3, episodes_total: 3 },
    report: {
      ...{ layout: 2, episodes: 3, frames: 130, errors: 1, warnings: 0, counts: { not_finite: 1 } },
      findings: [{ code: 'not_finite', episode: 1, frame: 12, joint: 'elbow' }],
      unchecked: [
        expect.stringMatching(/^pictures of videos \(3 of \w+\)/),
        expect.stringContaining('no map leads from its joints'),
      ],
      summary: { tasks: [{ task: 'Pick cube 0', episodes: 2 }, { task: 'Pick cube 1' }] },
    },
  })
})

it('says why it decoded no picture', async () => {
  const repo = await queued()
  await work({ chromium: { missing: 'HUB_CHROMIUM is off.' } })
  expect((await read(repo)).report.unchecked).toContain(
    'pictures of videos (3 of avc1): not decoded for 3 of 3 episodes in them: HUB_CHROMIUM is off.',
  )
})

it('stops when another worker has the check, and tells nothing of it', async () => {
  const repo = await queued()
  const mine = new AbortController()
  const lose = `update dataset_checks set attempt = attempt + 1, worker = 'other'
    where repo_id = (select id from repos where slug = $1) returning repo_id`
  // The claim is lost between its answer and the first report.
  const client = createHubClient({ url: hub.running.url, token: key })
  const claim = client.v1.claimNextDatasetCheck
  const losing: DatasetWorker['client'] = {
    ...client,
    v1: {
      ...client.v1,
      claimNextDatasetCheck: async (given) => {
        const check = await claim(given)
        await hub.sql(lose, [repo.split('/')[1]])
        return check
      },
    },
  }
  expect(await work({ client: losing, stop: mine.signal })).toEqual([
    { check: repo, status: 'lost', error: expect.stringContaining('Attempt 1') },
  ])
  expect(await read(repo)).toMatchObject({ status: 'running', worker: 'other', report: null })
})

it('takes the limits of a robot in the numbers of the data set', () => {
  const joint = { sign: 1, scale: 1, offset: 0 } as const
  const joints = [
    { ...joint, from: 'shoulder', to: 'a' },
    { ...joint, from: 'elbow', to: 'b', sign: -1, scale: 0.5, offset: 1 } as const,
    { ...joint, from: 'gripper', to: 'c' },
  ]
  const limits = { a: { lower: -1, upper: null }, b: { lower: 0, upper: 2 }, d: { lower: 0, upper: 1 } }
  expect(Object.fromEntries(mappedLimits({ version: 1, joints, held: [], dropped: [] }, limits))).toEqual({
    shoulder: { lower: -1, upper: null },
    elbow: { lower: -2, upper: 2 },
  })
})

it('limits come by the newest reviewed map of each robot, else by its newest', () => {
  const version = (robot: string, of: number, reviewed: boolean) => ({
    ...{ robot, of, reviewed_at: reviewed ? '2026-01-01T00:00:00Z' : null },
  })
  const kept = [
    ...[version('ada/draft', 2, false), version('ada/draft', 1, false)],
    ...[version('ada/arm', 3, false), version('ada/arm', 2, true), version('ada/arm', 1, true)],
  ]
  expect(mapsToTry(kept).map(({ robot, of }) => [robot, of])).toEqual([
    ['ada/arm', 2],
    ['ada/draft', 2],
  ])
  expect(mapsToTry([])).toEqual([])
})
