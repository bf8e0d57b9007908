import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteFiles } from '../../../src/files/delete-files.ts'
import type { AccountRef } from '../../../src/operation/context.ts'
import { listCheckpoints } from '../../../src/runs/checkpoints/list-checkpoints.ts'
import { testDb } from '../../support/database.ts'
import { makeWorld, type World, type WorldRepo } from '../../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
let bob: AccountRef
let trained: WorldRepo
let empty: WorldRepo
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  bob = await world.user()
  trained = await world.repo(ada, { kind: 'model' })
  empty = await world.repo(ada, { kind: 'model' })
  const paths = [
    'checkpoints/step_1000/policy/a.bin',
    'checkpoints/step_200/manifest.json',
    'checkpoints/step_200/policy/a.bin',
  ]
  for (const path of [...paths, 'checkpoints/best/a.bin', 'checkpoints/step_', 'readme.md'])
    await world.upload(world.as(ada), trained, path, Buffer.from(path))
})
afterAll(() => world?.close())

describe('the checkpoints of a run', () => {
  it('are directories of its output repo, oldest step first, with their files', async () => {
    const [list] = await listCheckpoints(world.as(ada), [trained.id])
    expect(list).toMatchObject({
      repo: { id: trained.id, fullName: `${ada.handle}/${trained.repo}` },
      notFineTunable: null,
      items: [
        {
          step: 200,
          path: 'checkpoints/step_200',
          bytes: 34 + 33,
          files: [
            { path: 'checkpoints/step_200/manifest.json', size: 34, mime: 'application/json' },
            { path: 'checkpoints/step_200/policy/a.bin' },
          ],
        },
        { step: 1000, path: 'checkpoints/step_1000' },
      ],
    })
  })

  it('omit deleted ones', async () => {
    const repo = await world.repo(ada, { kind: 'model' })
    await world.upload(world.as(ada), repo, 'checkpoints/step_1/a', Buffer.from('a'))
    await deleteFiles(world.as(ada), { owner: repo.owner, repo: repo.repo, paths: ['checkpoints/step_1/a'] })
    expect(await listCheckpoints(world.as(ada), [repo.id])).toMatchObject([{ items: [] }])
  })

  it('are never empty without a reason why the run cannot be a parent', async () => {
    const answers = await listCheckpoints(world.as(ada), [null, empty.id])
    expect(answers).toEqual([
      { items: [], repo: null, notFineTunable: 'The run has no output repo yet.' },
      {
        items: [],
        repo: { id: empty.id, fullName: `${ada.handle}/${empty.repo}` },
        notFineTunable: 'The run has published no checkpoint yet.',
      },
    ])
  })

  it('are hidden from callers who cannot see the repo', async () => {
    for (const ctx of [world.as(bob), world.as(ada, { kind: 'key', repoIds: [empty.id] })]) {
      expect(await listCheckpoints(ctx, [trained.id])).toEqual([
        { items: [], repo: null, notFineTunable: 'The output repo of the run is not visible to you.' },
      ])
    }
  })

  it('of many runs are read in order by one statement', async () => {
    const lists = await listCheckpoints(world.as(ada), [empty.id, null, trained.id, trained.id])
    expect(lists.map((list) => 'items' in list && list.items.length)).toEqual([0, 0, 2, 2])
  })
})
