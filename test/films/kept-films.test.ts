/**
 * Films of episodes that a result of rollouts keeps: they stand on the model, are seen by those who see the result, and
 * go with it. Contract, "Films of episodes".
 */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { dropKeptFilms } from '../../src/films/drop-kept-films.ts'
import { settleFilms } from '../../src/films/settle-films.ts'
import { dropEpisodes } from '../../src/jobs/drop-episodes.ts'
import { rolloutsOf } from '../rollouts/support.ts'
import { type Json, type Person, places, sha256Of } from '../support/hub.ts'
import { filmHub, pathOf, png } from './support/film-hub.ts'

const { hub, people, ask, claim, presign, report, list, stored, objectsOf, made } = filmHub()
const { model, robot, publish } = rolloutsOf(hub)
const { signal } = new AbortController()
let ada: Person
let arm: Awaited<ReturnType<typeof robot>>

beforeAll(async () => {
  ada = people().ada
  arm = await robot(ada)
})

/** A model with a result that keeps these seeds, and what asks for a film of one. */
async function result(seeds: readonly number[] = [3], change: Json = {}, on = arm) {
  const from = await model(ada, change)
  const kept = seeds.map((seed) => ({ seed, bytes: randomBytes(50) }))
  const contents = kept.map(({ bytes }) => bytes.toString('base64'))
  expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/blobs`, { contents })).status).toBe(200)
  const episodes = kept.map(({ seed, bytes }) => ({ seed, sha256: sha256Of(bytes), size: bytes.length }))
  const { status, json } = await publish(ada, from, on, { episodes })
  expect(status).toBe(200)
  return { from, id: json.id as string, of: (seed: number) => ({ rollout: json.id, episode: seed, robot: null }) }
}

const fileOf = async (film: Json, who: Person | null) =>
  (await hub.send(who, 'GET', `${pathOf(film.repo)}/${film.id}/file`)).status

describe('a film of a kept episode', () => {
  it('is asked for once, made, and shown with the result that keeps the episode', async () => {
    const { from, id, of } = await result([1, 3])
    const before = (await stored()) ?? 0
    const film = await made(from.repo, of(3))
    expect(film).toMatchObject({
      ...{ repo: from.repo, robot: arm.repo, rollout_id: id, episode: 3, frame: 0, kind: 'still', status: 'succeeded' },
      ...{ sha256: sha256Of(png), map_version: 0, is_outdated: false },
    })
    expect(await stored()).toBe(before + png.length)
    expect((await ask(from.repo, of(3))).json.id).toBe(film.id)
    const others = [await ask(from.repo, of(1)), await ask(from.repo, { ...of(3), kind: 'video' })]
    expect(new Set([film.id, ...others.map(({ json }) => json.id)]).size).toBe(3)
    const shown = async (query: string) =>
      (await hub.call(null, 'GET', `${pathOf(from.repo)}?${query}`)).json.items.map((one: Json) => one.id)
    expect(await shown(`rollout=${id}&episode=1`)).toEqual([others[0]?.json.id])
    expect(await shown('episode=3')).toEqual([others[1]?.json.id, film.id])
    expect(await shown('rollout=roll_01jz0000000000000000000000')).toEqual([])
    const { data } = await hub.graphql(
      null,
      `query($owner: String!, $slug: String!, $id: ID!) { repo(owner: $owner, slug: $slug) {
        episodeFilms(rollout: $id, first: 1) { nodes { kind rolloutId episode robot } } } }`,
      { owner: from.repo.split('/')[0], slug: from.repo.split('/')[1], id },
    )
    expect(data.repo.episodeFilms.nodes).toEqual([{ kind: 'VIDEO', rolloutId: id, episode: 3, robot: arm.repo }])
    expect(await fileOf(film, null)).toBe(302)
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it('stays as it is when model and robot get other files, also while it is being made', async () => {
    const { from, of } = await result()
    await ask(from.repo, of(3))
    await hub.upload(ada, from.repo, { 'policy.onnx': 'other weights' })
    const film = await claim()
    expect(film).toMatchObject({ repo: from.repo, episode: 3, robot: arm.repo })
    await hub.upload(ada, arm.repo, { 'arm.xml': '<mujoco><worldbody/></mujoco>' })
    await settleFilms(hub.running.deps)
    const { url } = (await presign(film)).json
    await hub.put(url, new Uint8Array(png))
    expect((await report(film, { status: 'succeeded' })).json).toMatchObject({
      ...{ status: 'succeeded', is_outdated: false },
    })
  })

  it('is refused where no result keeps the episode', async () => {
    const { from, of } = await result()
    const dataset = await hub.repo(ada)
    const other = await result()
    for (const [repo, body, status, at] of [
      [from.repo, of(1), 422, [['body', 'episode']]],
      [from.repo, { ...of(3), robot: arm.repo }, 422, [['body', 'robot']]],
      [from.repo, { ...of(3), kind: 'video', frame: 2 }, 422, [['body', 'frame']]],
      // The policy was asked 75 times.
      [from.repo, { ...of(3), frame: 75 }, 422, [['body', 'frame']]],
      [from.repo, other.of(3), 404, [undefined]],
      [from.repo, { ...of(3), rollout: 'roll_01jz0000000000000000000000' }, 404, [undefined]],
      [from.repo, { ...of(3), rollout: 'no id' }, 404, [undefined]],
      [dataset, of(3), 409, [undefined]],
    ] as const) {
      const answer = await ask(repo, body)
      expect([body, answer.status, places(answer)]).toEqual([body, status, at])
    }
    const told = async (body: Json) => (await ask(from.repo, body)).json.errors[0].detail
    expect(await told({ ...of(3), frame: 75 })).toContain('its last one is 74. Give a frame from 0 to 74.')
    expect((await ask(from.repo, { ...of(3), frame: 74 })).status).toBe(202)
    expect(await told(of(1))).toContain('keeps no motion of seed 1: it keeps those of 3.')
    // A stranger sees the model, and may not write it.
    expect((await ask(from.repo, of(3), await hub.person())).status).toBe(403)
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it('is hidden while the model is, or the robot', async () => {
    const bob = await hub.person()
    const closed = await result([3], { visibility: 'private' })
    expect(await fileOf(await made(closed.from.repo, closed.of(3)), bob)).toBe(404)
    const on = await robot(ada)
    const open = await result([3], {}, on)
    const film = await made(open.from.repo, open.of(3))
    expect([await list(open.from.repo, bob), await fileOf(film, bob)]).toMatchObject([[{ id: film.id }], 302])
    expect((await hub.call(ada, 'PATCH', `/v1/repos/${on.repo}`, { visibility: 'private' })).status).toBe(200)
    expect([await list(open.from.repo, bob), await fileOf(film, bob)]).toEqual([[], 404])
    expect(await fileOf(film, ada)).toBe(302)
  })

  it('is deleted by a caller who can write the model, and its bytes no longer count', async () => {
    const { from, of } = await result()
    const before = await stored()
    const film = await made(from.repo, of(3))
    expect((await hub.call(ada, 'DELETE', `${pathOf(from.repo)}/${film.id}`)).status).toBe(204)
    expect([await stored(), await list(from.repo), await fileOf(film, ada)]).toEqual([before, [], 404])
    const audited = await hub.sql<{ before: Json }>(
      `select before from audit_log where action = 'episode_film.delete' and before ->> 'film' = $1`,
      [film.id],
    )
    expect(audited[0]?.before).toMatchObject({ episode: 3, robot: arm.repo })
    expect((await ask(from.repo, of(3))).json).toMatchObject({ status: 'queued' })
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it('goes with its result: no one sees it, then its bytes and the motion are given back', async () => {
    const on = await robot(ada)
    const start = (await stored()) ?? 0
    const { from, of } = await result([3], {}, on)
    const files = ((await stored()) ?? 0) - start - 50
    const film = await made(from.repo, of(3))
    await ask(from.repo, { ...of(3), kind: 'video' })
    const open = await claim()
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${on.repo}`)).status).toBe(204)
    expect([await fileOf(film, ada), (await report(open, {})).status]).toEqual([404, 404])
    expect(await list(from.repo, null)).toEqual([])
    // The motion stays until its films are gone.
    await dropEpisodes(hub.running.deps, signal)
    expect(await list(from.repo)).toHaveLength(2)
    await Promise.all([dropKeptFilms(hub.running.deps, signal), dropKeptFilms(hub.running.deps, signal)])
    await dropEpisodes(hub.running.deps, signal)
    const robotFiles = '<mujoco/>'.length
    expect([await list(from.repo), await stored()]).toEqual([[], start + files - robotFiles])
    await expect.poll(() => objectsOf(film)).toEqual([])
  })

  it('is refused where its result goes while it is asked for', async () => {
    const { from, id, of } = await result()
    const { db } = hub.running.deps
    const asked = await db.withTx(async (tx) => {
      await tx.query({ name: '', text: `delete from rollouts where id = '${id}'` })
      const request = ask(from.repo, of(3))
      const waiting = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%rollout_episodes%'`
      await expect.poll(async () => (await hub.sql(waiting)).length).toBe(1)
      return { request }
    })
    const answer = await asked.request
    expect([answer.status, places(answer), await list(from.repo)]).toEqual([422, [['body', 'episode']], []])
  })

  it('moves with its model to the quota of the new owner', async () => {
    const { from, of } = await result()
    const film = await made(from.repo, of(3))
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/move`, { owner: org })).status).toBe(200)
    const name = `${org}/${from.repo.split('/')[1]}`
    expect(await list(name)).toMatchObject([{ id: film.id, repo: name, status: 'succeeded' }])
  })
})
