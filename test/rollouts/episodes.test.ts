/** Episodes that results keep: stored with the result or not at all, counted by the quota, dropped with the result. */
import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { pruneClosedRows } from '../../src/jobs/collect-rows.ts'
import { dropEpisodes } from '../../src/jobs/drop-episodes.ts'
import { MAX_EPISODE_BYTES, MAX_KEPT_EPISODES } from '../../src/rollouts/limits.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'
import { outcomes, rolloutsOf } from './support.ts'

const hub = contractHub()
const { model, robot, publish } = rolloutsOf(hub)
const { signal } = new AbortController()
type Repo = Awaited<ReturnType<typeof model>>
let ada: Person
let arm: Repo

beforeAll(async () => {
  ada = await hub.person()
  arm = await robot(ada)
})

const made = (seed: number, bytes = randomBytes(100)) => ({
  bytes,
  named: { seed, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
})

const send = (who: Person | string, to: Repo, ...episodes: readonly { readonly bytes: Buffer }[]) =>
  hub.call(who, 'POST', `/v1/repos/${to.repo}/blobs`, {
    contents: episodes.map(({ bytes }) => bytes.toString('base64')),
  })

const episodesOf = async (of: Repo, id: string, who: Person | null = ada) =>
  (await hub.call(who, 'GET', `/v1/repos/${of.repo}/rollouts/${id}/episodes`)).json.episodes as Json[]

async function roomOf({ handle }: { readonly handle: string }) {
  const [row] = await hub.sql<{ stored: string; reserved: string; pending: number }>(
    `select storage_bytes as stored, reserved_bytes as reserved, pending_uploads as pending from accounts
     where handle = $1`,
    [handle],
  )
  return { stored: Number(row?.stored), reserved: Number(row?.reserved), pending: row?.pending }
}

const stateOf = async (bytes: Buffer) => {
  const digest = createHash('sha256').update(bytes).digest('hex')
  return (await hub.sql<{ state: string }>('select state::text from blobs where claimed = $1', [digest])).map(
    ({ state }) => state,
  )
}

describe('the episodes of a result', () => {
  it('are its worst seeds first, with their bytes, for those who see the result', async () => {
    const from = await model(ada)
    const before = await roomOf(ada)
    const kept = [made(1), made(3)]
    expect((await send(ada, from, ...kept)).status).toBe(200)
    const { status, json } = await publish(ada, from, arm, { episodes: kept.map(({ named }) => named) })
    expect(status).toBe(200)
    const found = await episodesOf(from, json.id, await hub.person())
    expect(found.map(({ outcome, sha256, size }) => ({ seed: outcome.seed, sha256, size }))).toEqual([
      kept[1]?.named,
      kept[0]?.named,
    ])
    expect(found[0]?.outcome).toEqual(outcomes(4, [3])[2])
    const answer = await fetch(found[0]?.url)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(kept[1]?.bytes)
    expect(await roomOf(ada)).toEqual({ ...before, stored: before.stored + 200 })
  })

  it('are stored, or the result is not', async () => {
    const from = await model(ada)
    const [sent, missing] = [made(1), made(2)]
    await send(ada, from, sent)
    const refused = async (...episodes: Json[]) => {
      const answer = await publish(ada, from, arm, { episodes })
      return [answer.status, types(answer), places(answer)]
    }
    expect(await refused(sent.named, missing.named)).toEqual([
      422,
      ['upload.part_missing'],
      [['body', 'episodes', 1, 'sha256']],
    ])
    expect(await refused(sent.named, { ...sent.named, seed: 9 })).toEqual([
      422,
      ['validation.value'],
      [['body', 'episodes', 1, 'seed']],
    ])
    expect((await refused(sent.named, sent.named))[1]).toEqual(['validation.duplicate'])
    expect((await refused({ ...sent.named, size: MAX_EPISODE_BYTES + 1 }))[0]).toBe(422)
    const many = Array.from({ length: MAX_KEPT_EPISODES + 1 }, () => sent.named)
    expect((await refused(...many))[2]).toEqual([['body', 'episodes']])
    expect((await hub.call(ada, 'GET', `/v1/repos/${from.repo}/rollouts`)).json.items).toEqual([])
    // What was sent is still there for the right request.
    expect((await publish(ada, from, arm, { episodes: [sent.named] })).status).toBe(200)
  })

  it('are kept once: sent again they change nothing, others are added, and the first of a seed stays', async () => {
    const from = await model(ada)
    const [one, two, other] = [made(3), made(2), made(3)]
    await send(ada, from, one)
    const asked = { episodes: [one.named] }
    const [first, same] = await Promise.all([publish(ada, from, arm, asked), publish(ada, from, arm, asked)])
    expect([first.status, same.status, same.json]).toEqual([200, 200, first.json])
    const before = await roomOf(ada)
    // The bytes are not needed once more; bytes that are sent in vain are given back.
    expect((await publish(ada, from, arm, asked)).json).toEqual(first.json)
    await send(ada, from, two, other)
    const more = await publish(ada, from, arm, { episodes: [two.named, other.named] })
    expect(more.json).toEqual(first.json)
    expect((await episodesOf(from, first.json.id)).map(({ sha256 }) => sha256)).toEqual([
      one.named.sha256,
      two.named.sha256,
    ])
    expect(await roomOf(ada)).toEqual({ ...before, stored: before.stored + 100 })
    expect(await stateOf(other.bytes)).not.toContain('live')
  })

  it("take the place of an agent's with other numbers", async () => {
    const from = await model(ada)
    const agent = await hub.key(ada, { agent: true })
    const [agents, own] = [made(3), made(3)]
    await send(ada, from, agents, own)
    await publish(agent, from, arm, { episodes: [agents.named] })
    const { json } = await publish(ada, from, arm, { outcomes: outcomes(4), episodes: [own.named] })
    expect(await episodesOf(from, json.id)).toMatchObject([{ sha256: own.named.sha256 }])
    await dropEpisodes(hub.running.deps, signal)
    expect([await stateOf(agents.bytes), await stateOf(own.bytes)]).toEqual([['doomed'], ['live']])
  })

  it.each(['model', 'robot'] as const)('go with the %s, and give their bytes back', async (which) => {
    const owner = await hub.person()
    const [from, on] = [await model(owner), await robot(ada)]
    const before = await roomOf(owner)
    const kept = made(3)
    await send(owner, from, kept)
    await publish(owner, from, on, { episodes: [kept.named] })
    expect((await roomOf(owner)).stored).toBe(before.stored + 100)
    const [gone, by] = which === 'model' ? [from, owner] : [on, ada]
    const files = which === 'model' ? before.stored : 0
    expect((await hub.call(by, 'DELETE', `/v1/repos/${gone.repo}`)).status).toBe(204)
    await Promise.all([dropEpisodes(hub.running.deps, signal), dropEpisodes(hub.running.deps, signal)])
    expect(await roomOf(owner)).toEqual({ ...before, stored: before.stored - files })
    expect(await stateOf(kept.bytes)).toEqual(['doomed'])
  })

  it('stay when the same bytes are purged as a file, and where an older hub would delete what no file has', async () => {
    const from = await model(ada)
    const kept = made(3)
    await send(ada, from, kept)
    const { json } = await publish(ada, from, arm, { episodes: [kept.named] })
    await hub.upload(ada, from.repo, { 'm.json': kept.bytes })
    await hub.sql(
      `update files set blob_id = (select e.blob_id from rollout_episodes e where e.rollout_id = $1) where path = 'm.json'`,
      [json.id],
    )
    const purged = await hub.call(ada, 'POST', `/v1/repos/${from.repo}/files/purge`, { paths: ['m.json'] })
    expect(purged.status).toBe(200)
    expect(await stateOf(kept.bytes)).toContain('live')
    await hub.sql(`update blobs set state = 'doomed', doomed_at = now() where claimed = $1`, [kept.named.sha256])
    expect(await stateOf(kept.bytes)).toContain('live')
    const [episode] = await episodesOf(from, json.id)
    expect(Buffer.from(await (await fetch(episode?.url)).arrayBuffer())).toEqual(kept.bytes)
  })

  it('move with their model to the quota of its new owner', async () => {
    const owner = await hub.person()
    const org = await hub.org([{ user: owner.handle, role: 'owner' }])
    const from = await model(owner)
    const kept = made(3)
    await send(owner, from, kept)
    const { json } = await publish(owner, from, arm, { episodes: [kept.named] })
    const { stored } = await roomOf(owner)
    const moved = await hub.call(owner, 'POST', `/v1/repos/${from.repo}/move`, { owner: org })
    expect(moved.status).toBe(200)
    expect([await roomOf(owner), await roomOf({ handle: org })]).toMatchObject([{ stored: 0 }, { stored }])
    const name = { ...from, repo: `${org}/${from.repo.split('/')[1]}` }
    expect(await episodesOf(name, json.id, owner)).toHaveLength(1)
  })

  it('keep their bytes when a file with the same ones is deleted', async () => {
    const from = await model(ada)
    const kept = made(3)
    await send(ada, from, kept)
    await publish(ada, from, arm, { episodes: [kept.named] })
    const copy = await hub.call(ada, 'POST', `/v1/repos/${from.repo}/blobs`, {
      contents: [kept.bytes.toString('base64')],
    })
    const add = [{ path: 'same.json', ...copy.json.blobs[0] }]
    expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/commits`, { add })).status).toBe(200)
    const deleted = await hub.call(ada, 'POST', `/v1/repos/${from.repo}/commits`, { delete: ['same.json'] })
    expect(deleted.status).toBe(200)
    await hub.sql(`update files set closed_at = now() - interval '30 days' where closed_at is not null`)
    await pruneClosedRows(hub.running.deps, signal)
    expect(await stateOf(kept.bytes)).toContain('live')
  })
})
