/** Publishing next to other requests: in whatever order they come, what is left is whole. */

import { describe, expect, it } from 'vitest'
import { type Answer, contractHub, type Json, newName, sha256Of, types } from '../support/hub.ts'
import { arm, cardText, publishing, type Reported } from './support/publishing.ts'

const hub = contractHub()
const { robotCheck, modelCheck, publish, post, treeOf } = publishing(hub)
const ROUNDS = 6
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted()

/** No reservation and no copy of the check is left open, and every object of a file is there. */
async function expectWhole({ check, person }: Reported): Promise<void> {
  const open = await hub.sql(
    `select id from uploads where account_id = $1 and state in ('pending', 'completing', 'assembled')`,
    [check],
  )
  expect(open).toEqual([])
  const [sums] = await hub.sql<Json>(
    `select a.reserved_bytes, a.pending_uploads, a.storage_bytes - coalesce((select sum(b.size) from files f join blobs b on b.id = f.blob_id
       join repos r on r.id = f.repo_id where r.owner_id = a.id and f.to_seq is null), 0)::int8
       - (select sum(stored_bytes) from robot_checks c where c.owner_id = a.id)::int8 as drift from accounts a where a.id = $1`,
    [person.id],
  )
  expect(sums).toEqual({ reserved_bytes: 0, pending_uploads: 0, drift: 0 })
  const live = await hub.sql<{ key: string }>(
    `select b.storage_key as key from files f join blobs b on b.id = f.blob_id join repos r on r.id = f.repo_id
     where r.owner_id = $1 and f.to_seq is null`,
    [person.id],
  )
  for (const { key } of live) expect(await hub.running.deps.objects?.head(key)).not.toBeNull()
}

describe('publishing a check', () => {
  it('twice at once is won by one; the others are 409', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await robotCheck()
      const answers = await Promise.all([1, 2, 3].map(() => publish(made.person, made.check)))
      expect(statuses(answers)).toEqual([200, 409, 409])
      for (const lost of answers.filter(({ status }) => status === 409))
        expect(['conflict.already_published', 'conflict.in_progress']).toContain(types(lost)[0])
      expect(await treeOf(made.person, made.repo)).toEqual({
        'arm.xml': sha256Of(arm()),
        'robot_card.json': sha256Of(cardText()),
      })
      await expectWhole(made)
    }
  })

  it('into two repos at once is won by one: the other repo gets nothing', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await modelCheck()
      const names = [newName(), newName()].map((slug) => `${made.person.handle}/${slug}`)
      const answers = await Promise.all(names.map((repo) => publish(made.person, made.check, { repo })))
      expect(statuses(answers)).toEqual([200, 409])
      const found = await Promise.all(names.map((name) => hub.call(made.person, 'GET', `/v1/repos/${name}`)))
      expect(statuses(found)).toEqual([200, 404])
      await expectWhole(made)
    }
  })

  it('into a repo that another check makes at the same moment publishes both', async () => {
    const person = await hub.person()
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = await modelCheck({ artifacts: { 'manifest.json': '{"a":1}' } }, person)
      const other = await modelCheck({ artifacts: { 'policy/weights.bin': 'w' } }, person)
      const repo = `${person.handle}/${newName()}`
      const answers = await Promise.all([one, other].map(({ check }) => publish(person, check, { repo })))
      expect(answers.map(({ status, json }) => [status, json.errors])).toEqual([
        [200, undefined],
        [200, undefined],
      ])
      expect(Object.keys(await treeOf(person, repo)).toSorted()).toEqual(['manifest.json', 'policy/weights.bin'])
      await expectWhole(one)
    }
  })

  it('while a snapshotted file is overwritten links all over the old file, or nothing beside the new one', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await robotCheck()
      const sent = await hub.sendFile(made.person, made.repo, 'arm.xml', arm('new'))
      const [published, completed] = await Promise.all([
        publish(made.person, made.check),
        hub.complete(made.person, made.repo, [sent]),
      ])
      expect(completed.status).toBe(200)
      const tree = await treeOf(made.person, made.repo)
      expect(tree['arm.xml']).toBe(sha256Of(arm('new')))
      if (published.status === 200) expect(Object.keys(tree)).toHaveLength(2)
      else expect([types(published), Object.keys(tree)]).toEqual([['conflict.source_changed'], ['arm.xml']])
      await expectWhole(made)
    }
  })

  it('while other files are added judges the card again and publishes', async () => {
    const made = await robotCheck()
    const uploads = Array.from({ length: 4 }, (_, at) =>
      hub.upload(made.person, made.repo, { [`notes-${at}.txt`]: 'x' }),
    )
    const [published] = await Promise.all([publish(made.person, made.check), ...uploads])
    expect([200, 409]).toContain(published.status)
    if (published.status === 409) expect(types(published)).toEqual(['conflict.in_progress'])
    else expect(Object.keys(await treeOf(made.person, made.repo))).toHaveLength(6)
    await expectWhole(made)
  })

  it('while its repo is deleted publishes before, or is refused', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const made = await robotCheck()
      const [published, gone] = await Promise.all([
        publish(made.person, made.check),
        hub.call(made.person, 'DELETE', `/v1/repos/${made.repo}`),
      ])
      expect(gone.status).toBe(204)
      if (published.status !== 200) expect(types(published)).toEqual(['conflict.repo_gone'])
      const open = await hub.sql(`select id from uploads where account_id = $1 and state = 'completing'`, [made.check])
      expect(open).toEqual([])
      const [sums] = await hub.sql<Json>(
        `select a.storage_bytes - c.stored_bytes as files, a.reserved_bytes from accounts a join robot_checks c on c.owner_id = a.id where a.id = $1`,
        [made.person.id],
      )
      expect(sums).toEqual({ files: 0, reserved_bytes: 0 })
    }
  })

  it('while someone cancels it is published: a check that has ended is not canceled', async () => {
    const made = await robotCheck()
    const [published, canceled] = await Promise.all([
      publish(made.person, made.check),
      post(made.person, made.check, 'cancel'),
    ])
    expect([published.status, canceled.status, types(canceled)]).toEqual([200, 409, ['conflict.terminal']])
  })

  it('under one Idempotency-Key at once answers one publication to both', async () => {
    const made = await robotCheck()
    const once = { 'idempotency-key': newName() }
    const [one, other] = await Promise.all([1, 2].map(() => publish(made.person, made.check, {}, once)))
    expect([one?.status, other?.status, other?.json.published]).toEqual([200, 200, one?.json.published])
  })
})
