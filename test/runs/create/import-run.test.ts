import { idTimeMs, newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectRunObjects } from '../../../src/jobs/collect-job-objects.ts'
import type { AccountRef } from '../../../src/operation/context.ts'
import { HubError } from '../../../src/platform/errors.ts'
import { importRun } from '../../../src/runs/create/import-run.ts'
import { readJobObject } from '../../../src/work/job-objects.ts'
import { testDb } from '../../support/database.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
})
afterAll(() => world?.close())

const artifacts = { configYaml: 'lr: 0.1\n', metricsSummary: 'step,reward\n1,2\n', scorecardJson: { cells: [] } }

async function storedKeys(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of world.disk.list('runs/')) keys.push(key)
  return keys
}
/** Of any age. */
const collect = () => collectRunObjects(world.deps, world.disk, new AbortController().signal, -1000)

describe('the objects of an import', () => {
  it('can be read by the keys of the run, and are not collected', async () => {
    const run = await importRun(world.as(ada), { artifacts })
    await collect()
    const read = (key: string | null) => readJobObject(world.deps, key ?? '')
    expect(await read(run.configKey)).toBe(artifacts.configYaml)
    expect(await read(run.metricsKey)).toBe(artifacts.metricsSummary)
    expect(JSON.parse(await read(run.scorecardKey))).toEqual(artifacts.scorecardJson)
    expect(await storedKeys()).toHaveLength(3)
  })

  it('are collected if no run was created', async () => {
    const before = await storedKeys()
    const db = { ...world.deps.db, withTx: () => Promise.reject(new HubError('unavailable', 'The database is gone.')) }
    const ctx = world.as(ada)
    await expect(importRun({ ...ctx, deps: { ...world.deps, db } }, { artifacts })).rejects.toThrow('is gone')
    expect(await storedKeys()).toHaveLength(before.length + 3)
    await collectRunObjects(world.deps, world.disk, new AbortController().signal)
    expect(await storedKeys()).toHaveLength(before.length + 3)
    await collect()
    expect((await storedKeys()).sort()).toEqual(before.sort())
  })

  it('need an object store', async () => {
    const bare = world.with({ objects: null })
    await expect(importRun(bare.as(ada), { artifacts })).rejects.toMatchObject({ type: 'not_configured.object_store' })
  })

  it('may be null where they are optional', async () => {
    const nothing = { owner: null, parentRunId: null, template: null, dataset: null, robot: null, status: null }
    const input = { ...nothing, hyperparams: null, artifacts: { ...artifacts, scorecardJson: null } }
    const run = await importRun(world.as(ada), input)
    expect([run.status, run.recipe.template, run.scorecardKey, run.gate]).toEqual(['succeeded', 'external', null, null])
  })
})

describe('an id', () => {
  it('contains its time of creation', () => {
    const before = Date.now()
    const made = idTimeMs(newId('run'))
    expect(made).toBeGreaterThanOrEqual(before)
    expect(made).toBeLessThanOrEqual(Date.now())
  })
})
