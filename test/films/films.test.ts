/**
 * Films of episodes: asked for once, taken by one worker for a lease, sent by a signed URL, shown, counted and dropped.
 * Contract, "Films of episodes".
 */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { filmObjects } from '../../src/films/film-objects.ts'
import { settleFilms } from '../../src/films/settle-films.ts'
import { abortStrays } from '../../src/jobs/collect-objects.ts'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'
import { newJobKey } from '../../src/work/job-objects.ts'
import { type Json, type Person, sha256Of, types } from '../support/hub.ts'
import { filmHub, pathOf, png } from './support/film-hub.ts'

const { hub, people, ask, claim, report, presign, list, stored, uploadsOf, objectsOf, sent, made } = filmHub()
let ada: Person
let key: string
let robot: string

beforeAll(() => {
  ;({ ada, key, robot } = people())
})

const expire = (film: Json) =>
  hub.sql(`update episode_films set lease_expires_at = now() - interval '1 second' where id = $1`, [film.id])

describe('a film of an episode', () => {
  it('is asked for, taken once, sent, and shown in both APIs, to callers who can see it', async () => {
    const repo = await hub.repo(ada, { visibility: 'public' })
    const before = await stored()
    const asked = await ask(repo, { frame: 7 })
    expect([asked.status, asked.json]).toMatchObject([
      202,
      { repo, robot, kind: 'still', episode: 0, frame: 7, status: 'queued', attempt: 0, url: null, map_version: 0 },
    ])
    const claims = await Promise.all([claim('a'), claim('b', ada), claim('c')])
    const [film] = claims.filter((one) => one !== null && one !== undefined)
    expect(claims.filter((one) => one?.id === asked.json.id)).toHaveLength(1)
    const who = film.worker === 'b' ? ada : key
    expect((await report(film, {}, who)).json.status).toBe('running')
    expect((await report(film, { status: 'succeeded' }, who)).status).toBe(422)
    const { url } = (await presign(film, {}, who)).json
    expect((await hub.put(url, new Uint8Array(png))).status).toBe(200)
    const ended = await report(film, { status: 'succeeded' }, who)
    expect(ended.json).toMatchObject({ status: 'succeeded', size_bytes: png.length, sha256: sha256Of(png) })
    expect(await stored()).toBe((before ?? 0) + png.length)
    const [seen] = await list(repo, null)
    expect(seen).toMatchObject({ id: film.id, status: 'succeeded', worker: null, requester: null, is_outdated: false })
    const bytes = await fetch(seen.url)
    expect([bytes.headers.get('content-type'), Buffer.from(await bytes.arrayBuffer())]).toEqual(['image/png', png])
    const file = await hub.send(null, 'GET', `${pathOf(repo)}/${film.id}/file`)
    expect([file.status, file.headers.get('etag')]).toEqual([302, `"${sha256Of(png)}"`])
    expect(await (await fetch(file.headers.get('location') ?? '')).text()).toBe(png.toString('utf8'))
    const { data } = await hub.graphql(
      null,
      `query($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { episodeFilms(episode: 0) { nodes { kind isOutdated } } } }`,
      { owner: repo.split('/')[0], slug: repo.split('/')[1] },
    )
    expect(data.repo.episodeFilms.nodes).toEqual([{ kind: 'STILL', isOutdated: false }])
    // The same is made once; another frame, episode or version of the files is another film.
    const again = await ask(repo, { frame: 7 })
    expect([again.status, again.json.id, again.json.status]).toEqual([202, film.id, 'succeeded'])
    expect((await ask(repo, { frame: 8 })).json.id).not.toBe(film.id)
    await hub.upload(ada, repo, { 'a.txt': 'changed' })
    expect((await list(repo)).find((one: Json) => one.id === film.id).is_outdated).toBe(true)
    expect((await ask(repo, { frame: 7 })).json.id).not.toBe(film.id)
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it('is hidden while its robot is', async () => {
    const repo = await hub.repo(ada, { visibility: 'public' })
    const hidden = await hub.repo(ada, { kind: 'robot', visibility: 'private' })
    const film = await made(repo, { robot: hidden })
    expect(await list(repo)).toHaveLength(1)
    expect(await list(repo, null)).toEqual([])
    expect((await hub.send(null, 'GET', `${pathOf(repo)}/${film.id}/file`)).status).toBe(404)
    const bob = await hub.person()
    const own = await hub.repo(bob)
    expect((await ask(own, { robot: hidden }, bob)).status).toBe(404)
  })

  it('is refused for what it cannot show', async () => {
    const repo = await hub.repo(ada)
    await hub.call(ada, 'PUT', `/v1/datasets/${repo}/meta`, { episode_count: 3, total_frames: 9, robot_type: robot })
    const model = await hub.repo(ada, { kind: 'model' })
    for (const [name, body, status] of [
      [repo, { episode: 3 }, 422],
      [repo, { kind: 'video', frame: 2 }, 422],
      [repo, { robot: model }, 409],
      [repo, { robot: `${ada.handle}/none` }, 404],
      [model, {}, 409],
      [await hub.repo(ada), { robot: null }, 422],
    ] as const)
      expect([body, (await ask(name, body)).status]).toEqual([body, status])
    // An id may be as long as a body; the answer is not made of it.
    const long = await ask(model, { robot: null, rollout: 'x'.repeat(100_000) })
    expect([long.status, long.text.length < 20_000]).toEqual([404, true])
    // The robot that the data set names itself.
    expect((await ask(repo, { episode: 2, robot: null })).json).toMatchObject({ robot, status: 'queued' })
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it('goes to another worker when one is lost; the lost one is refused, and the third loss ends it', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const first = await claim('first')
    await presign(first)
    await expire(first)
    const second = await claim('second')
    expect(second).toMatchObject({ id: first.id, attempt: 2, worker: 'second' })
    for (const late of [await report(first, { status: 'succeeded' }), await presign(first)])
      expect([late.status, types(late)]).toEqual([409, ['conflict.not_claimer']])
    expect((await report(second, {}, ada)).status).toBe(409)
    await expire(second)
    await expire(await claim('third'))
    expect(await claim('fourth')).toBeNull()
    await settleFilms(hub.running.deps)
    expect((await list(repo))[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('3 times') })
    expect((await ask(repo)).json).toMatchObject({ id: first.id, status: 'queued', error: null })
    const fourth = await claim('fifth')
    expect((await report(fourth, { status: 'failed', error: 'no robot' })).json).toMatchObject({
      ...{ attempt: 4, status: 'failed', error: 'no robot' },
    })
  })

  it('fails where its files change before it is made, and while it is', async () => {
    const [waits, runs] = [await hub.repo(ada), await hub.repo(ada)]
    await ask(runs)
    const film = await claim()
    await ask(waits)
    for (const repo of [waits, runs]) await hub.upload(ada, repo, { 'a.txt': 'changed' })
    expect(await claim()).toBeNull()
    await settleFilms(hub.running.deps)
    const { url } = (await presign(film)).json
    await hub.put(url, new Uint8Array(png))
    await report(film, { status: 'succeeded' })
    for (const repo of [waits, runs])
      expect((await list(repo))[0]).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('changed'),
        url: null,
      })
  })

  it('has the bytes that were announced, within its limit', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const film = await claim()
    expect((await presign(film, { size: 2 * 1024 * 1024 + 1 })).status).toBe(413)
    const { url } = (await presign(film, { sha256: 'a'.repeat(64) })).json
    await hub.put(url, new Uint8Array(png))
    const other = await report(film, { status: 'succeeded' })
    expect([other.status, other.json.detail]).toEqual([422, expect.stringContaining('announced')])
    expect((await report(film, { status: 'failed', error: 'x' })).json.status).toBe('failed')
  })

  it('goes with its data set to another account, and with it for good, and its bytes too', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const repo = await hub.repo(ada)
    const before = await stored()
    await made(repo)
    const moved = await hub.call(ada, 'POST', `/v1/repos/${repo}/move`, { owner: org })
    expect(moved.status).toBe(200)
    expect(await stored()).toBe(before)
    const bytesOf = async () =>
      (await hub.sql<{ bytes: number }>('select storage_bytes::int as bytes from accounts where handle = $1', [org]))[0]
    expect(await bytesOf()).toEqual({ bytes: png.length })
    const name = moved.json.full_name
    await ask(name, { episode: 5 })
    const next = await hub.call(ada, 'POST', '/v1/episode-films/claim-next', { worker: 'w', owner: org })
    expect(next.json).toMatchObject({ repo: name, episode: 5 })
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
    expect(await bytesOf()).toEqual({ bytes: 0 })
  })

  it('counts for the account that has the data set once its bytes were checked', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const repo = await hub.repo(ada)
    const before = await stored()
    await ask(repo)
    const film = await claim()
    const { url } = (await presign(film)).json
    await hub.put(url, new Uint8Array(png))
    const objects = hub.running.deps.objects as ObjectStore
    const complete = objects.completeUpload.bind(objects)
    const spy = vi.spyOn(objects, 'completeUpload').mockImplementationOnce(async (...upload) => {
      expect((await hub.call(ada, 'POST', `/v1/repos/${repo}/move`, { owner: org })).status).toBe(200)
      return complete(...upload)
    })
    await report(film, { status: 'succeeded' })
    expect(spy).toHaveBeenCalledOnce()
    spy.mockRestore()
    const [{ bytes } = { bytes: -1 }] = await hub.sql<{ bytes: number }>(
      `select a.storage_bytes::int as bytes from accounts a where handle = $1`,
      [org],
    )
    expect([await stored(), bytes]).toEqual([before, png.length])
  })

  it('has one upload: one that was replaced is aborted, and so is that of a film that failed', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const film = await claim()
    await presign(film)
    const { url } = (await presign(film)).json
    await expect.poll(() => uploadsOf(film)).toHaveLength(1)
    expect((await hub.put(url, new Uint8Array(png))).status).toBe(200)
    await report(film, { status: 'failed', error: 'no robot' })
    const [row] = await hub.sql(`select storage_key, size, sha256 from episode_films where id = $1`, [film.id])
    expect(row).toEqual({ storage_key: null, size: null, sha256: null })
    await expect.poll(() => uploadsOf(film)).toEqual([])
  })

  it('whose worker was lost keeps nothing of what that one announced or sent', async () => {
    const repo = await hub.repo(ada)
    const before = await stored()
    await ask(repo)
    const lose = async () => {
      const film = await claim()
      const { url } = (await presign(film)).json
      expect((await hub.put(url, new Uint8Array(png))).status).toBe(200)
      expect(await uploadsOf(film)).toHaveLength(1)
      await expire(film)
      return film
    }
    // The next claim takes the bytes of the one before away, and the end of the film those of the last one.
    const film = await lose()
    const second = await claim()
    expect(second.id).toBe(film.id)
    await expect.poll(() => uploadsOf(film)).toEqual([])
    await expire(second)
    await lose()
    await settleFilms(hub.running.deps)
    expect((await list(repo))[0]).toMatchObject({ id: film.id, status: 'failed' })
    await expect.poll(() => uploadsOf(film)).toEqual([])
    // Also of bytes that were put together, and never reported.
    await ask(repo)
    const whole = await lose()
    const objects = hub.running.deps.objects as ObjectStore
    const [{ key, id } = { key: '', id: '' }] = await hub.sql<{ key: string; id: string }>(
      'select storage_key as key, store_upload_id as id from episode_films where id = $1',
      [film.id],
    )
    await objects.completeUpload(key, id, await objects.listParts(key, id))
    expect(await objectsOf(whole)).toEqual([key])
    await claim()
    await expect.poll(() => objectsOf(whole)).toEqual([])
    expect(await stored()).toBe(before)
    await hub.sql(`delete from episode_films where id = $1`, [film.id])
  })

  it('that goes with its repo leaves an upload that is aborted two hours later, that of a file after its week', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const film = await claim()
    await presign(film)
    const objects = hub.running.deps.objects as ObjectStore
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${repo}`)).status).toBe(204)
    expect(await uploadsOf(film)).toHaveLength(1)
    const [mine] = await uploadsOf(film)
    const aged = (key: string, hours: number) => ({
      key,
      uploadId: 'x',
      startedAt: new Date(Date.now() - hours * 3.6e6),
    })
    const aborted: string[] = []
    const store = {
      ...objects,
      // A store lists what is as old as it is asked for.
      async *listUploads(before: Date) {
        for (const one of [aged(mine ?? '', 3), aged(mine ?? '', 1), aged('blobs/new', 3), aged('blobs/old', 200)])
          if (one.startedAt <= before) yield one
      },
      async abortUpload(key: string) {
        aborted.push(key)
      },
    }
    await abortStrays(hub.running.deps, store, new AbortController().signal)
    expect(aborted).toEqual([mine, 'blobs/old'])
  })

  it('whose worker died leaves an upload that is aborted once it is old, unless the film still needs it', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const film = await claim()
    await presign(film)
    const objects = hub.running.deps.objects as ObjectStore
    await objects.createUpload(newJobKey(filmObjects.still, film.id), { contentType: 'image/png' })
    const { config } = hub.running.deps
    const deps = { ...hub.running.deps, config: { ...config, uploadTtlSeconds: -1 } }
    await abortStrays(deps, objects, new AbortController().signal)
    expect(await uploadsOf(film)).toHaveLength(1)
    await report(film, { status: 'failed', error: 'x' })
  })

  it('that was announced again while its bytes were checked has not succeeded', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const film = await claim()
    const { url } = (await presign(film)).json
    await hub.put(url, new Uint8Array(png))
    const objects = hub.running.deps.objects as ObjectStore
    const complete = objects.completeUpload.bind(objects)
    const spy = vi.spyOn(objects, 'completeUpload').mockImplementationOnce(async (...upload) => {
      await presign(film)
      return complete(...upload)
    })
    const early = await report(film, { status: 'succeeded' })
    spy.mockRestore()
    expect([early.status, types(early)]).toEqual([409, ['conflict.in_progress']])
    expect((await report(film, { status: 'failed', error: 'x' })).json.status).toBe('failed')
  })

  it.each([
    ['deleted', 404, 'not_found', (film: Json) => hub.call(ada, 'DELETE', `${pathOf(film.repo)}/${film.id}`)],
    ['ended by another report', 409, 'conflict.not_claimer', (film: Json) => report(film, { status: 'failed' })],
  ])('that was %s while its bytes were checked is not called lost', async (_what, status, type, end) => {
    const film = await sent(await hub.repo(ada))
    const objects = hub.running.deps.objects as ObjectStore
    const complete = objects.completeUpload.bind(objects)
    const spy = vi.spyOn(objects, 'completeUpload').mockImplementationOnce(async (...upload) => {
      const head = await complete(...upload)
      await end(film)
      await objects.delete([upload[0]])
      return head
    })
    const late = await report(film, { status: 'succeeded' })
    spy.mockRestore()
    expect([late.status, types(late)]).toEqual([status, [type]])
  })

  it('that no worker took within a day has failed', async () => {
    const repo = await hub.repo(ada)
    const { json } = await ask(repo)
    await hub.sql(`update episode_films set requested_at = now() - interval '25 hours' where id = $1`, [json.id])
    await settleFilms(hub.running.deps)
    expect((await list(repo))[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('within a day') })
  })

  it('is one of the last hundred of its data set', async () => {
    const repo = await hub.repo(ada)
    const first = await made(repo)
    const before = await stored()
    await hub.sql(
      `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame, status, error)
        select 'film_7zzzzzzzzzzzzzzzzzzzzz' || lpad(n::text, 4, '0'), repo_id, owner_id, seq, robot_repo_id,
          robot_seq, 0, 'still', n, 0, 'failed', 'x'
        from episode_films, generate_series(1, 99) n where id = $1`,
      [first.id],
    )
    await ask(repo, { episode: 1000 })
    expect((await hub.call(ada, 'GET', `${pathOf(repo)}?limit=100`)).json.items).toHaveLength(100)
    expect((await hub.send(ada, 'GET', `${pathOf(repo)}/${first.id}/file`)).status).toBe(404)
    expect(await stored()).toBe((before ?? 0) - png.length)
  })
})
