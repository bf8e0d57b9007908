/**
 * A film is deleted, or canceled while it waits or is made: its worker is refused, and its bytes are released once.
 * Contract, "Films of episodes".
 */
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectFilms } from '../../src/jobs/collect-job-objects.ts'
import { abortStrays } from '../../src/jobs/collect-objects.ts'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'
import { type Json, type Person, types } from '../support/hub.ts'
import { filmHub, pathOf, png } from './support/film-hub.ts'

const { hub, people, ask, claim, report, presign, list, stored, uploadsOf, objectsOf, sent, made } = filmHub()
let ada: Person
let key: string
let robot: string

beforeAll(() => {
  ;({ ada, key, robot } = people())
})

const remove = (film: Json, who: Person | string | null = ada) =>
  hub.send(who, 'DELETE', `${pathOf(film.repo)}/${film.id}`)
const store = () => hub.running.deps.objects as ObjectStore
const rowsOf = ({ id }: Json) => hub.sql(`select 1 from episode_films where id = $1`, [id])
/** Bytes of the films of a repo, as its row counts them. */
const counted = async (repo: string) =>
  (
    await hub.sql<{ bytes: number }>(`select film_bytes::int as bytes from repos where slug = $1`, [repo.split('/')[1]])
  )[0]?.bytes
const deletions = ({ id }: Json) =>
  hub.sql<{ before: Json; account_id: string }>(
    `select before, account_id from audit_log where action = 'episode_film.delete' and before ->> 'film' = $1`,
    [id],
  )

/** Does `race` once, before the store's own call goes on. */
function during(call: 'completeUpload' | 'createUpload' | 'abortUpload' | 'delete', race: () => Promise<unknown>) {
  const objects = store()
  const own = objects[call].bind(objects) as (...given: unknown[]) => Promise<unknown>
  const spy = vi.spyOn(objects, call as 'delete').mockImplementationOnce(async (...given) => {
    await race()
    return (await own(...given)) as undefined
  })
  onTestFinished(() => spy.mockRestore())
  return spy
}

describe('a film that is deleted', () => {
  it('is gone with its bytes, which count no more, and may be asked for again', async () => {
    const repo = await hub.repo(ada, { visibility: 'public' })
    const before = await stored()
    const film = await made(repo, { frame: 3 })
    expect([await stored(), await counted(repo)]).toEqual([(before ?? 0) + png.length, png.length])
    expect([(await remove(film)).status, (await remove(film)).status]).toEqual([204, 404])
    expect([await stored(), await counted(repo), await list(repo)]).toEqual([before, 0, []])
    expect((await hub.send(null, 'GET', `${pathOf(repo)}/${film.id}/file`)).status).toBe(404)
    await expect.poll(() => objectsOf(film)).toEqual([])
    expect(await deletions(film)).toMatchObject([
      { account_id: ada.id, before: { kind: 'still', frame: 3, robot, status: 'succeeded', bytes: png.length } },
    ])
    const again = await made(repo, { frame: 3 })
    expect(again.id).not.toBe(film.id)
  })

  it('is the same operation in the graph', async () => {
    const repo = await hub.repo(ada)
    const { json: film } = await ask(repo)
    const [owner, slug] = repo.split('/')
    const { data } = await hub.graphql(
      ada,
      `mutation($input: DeleteEpisodeFilmInput!) { deleteEpisodeFilm(input: $input) { id } }`,
      { input: { owner, repo: slug, filmId: film.id } },
    )
    expect([data.deleteEpisodeFilm, await list(repo)]).toEqual([{ id: film.id }, []])
    expect(await claim()).toBeNull()
  })

  it('is for callers who can write the data set, and 404 for those who do not see it', async () => {
    const [repo, hidden, other] = [
      await hub.repo(ada, { visibility: 'public' }),
      await hub.repo(ada),
      await hub.repo(ada),
    ]
    const bob = await hub.person()
    const [film, secret] = [(await ask(repo)).json, (await ask(hidden)).json]
    const statuses = async (one: Json, callers: readonly (Person | string | null)[]) =>
      Promise.all(callers.map(async (who) => (await remove(one, who)).status))
    const reader = await hub.key(ada, { scope: 'read' })
    expect(await statuses(film, [null, bob, reader])).toEqual([401, 403, 403])
    expect(await statuses(secret, [bob])).toEqual([404])
    expect(await statuses({ ...film, repo: other }, [ada])).toEqual([404])
    expect(await statuses({ ...film, id: 'film_x' }, [ada])).toEqual([404])
    expect([await rowsOf(film), await rowsOf(secret)].map((rows) => rows.length)).toEqual([1, 1])
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it.each([
    [
      'hidden',
      (owner: Person, name: string) => hub.call(owner, 'PATCH', `/v1/repos/${name}`, { visibility: 'private' }),
    ],
    ['deleted', (owner: Person, name: string) => hub.call(owner, 'DELETE', `/v1/repos/${name}`)],
  ])(
    'whose robot was %s is listed for the owner without it, counts, and is deleted all the same',
    async (_how, take) => {
      const [bob, repo, before] = [await hub.person(), await hub.repo(ada, { visibility: 'public' }), await stored()]
      const theirs = await hub.repo(bob, { kind: 'robot', visibility: 'public' })
      const film = await made(repo, { robot: theirs })
      const open = (await ask(repo, { robot: theirs, episode: 1 })).json
      expect((await take(bob, theirs)).status).toBeLessThan(300)
      expect(await list(repo, null)).toEqual([])
      const bare = { robot: null, url: null, is_outdated: false }
      const [waits, there] = await list(repo)
      expect([waits, there]).toMatchObject([
        { ...bare, id: open.id, status: 'queued' },
        { ...bare, id: film.id, status: 'succeeded', size_bytes: png.length },
      ])
      expect((await hub.send(ada, 'GET', `${pathOf(repo)}/${film.id}/file`)).status).toBe(404)
      expect([(await remove(open)).status, (await remove(film, key)).status]).toEqual([204, 204])
      expect([await rowsOf(open), await rowsOf(film), await stored(), await counted(repo)]).toEqual([[], [], before, 0])
      expect(await deletions(film)).toMatchObject([{ before: { robot: null, bytes: png.length } }])
    },
  )

  it('while it is made refuses its worker from then on, and takes its upload away at once', async () => {
    const repo = await hub.repo(ada)
    const before = await stored()
    await ask(repo)
    const film = await claim()
    const { url } = (await presign(film)).json
    expect((await remove(film, key)).status).toBe(204)
    await expect.poll(() => uploadsOf(film)).toEqual([])
    expect((await hub.put(url, new Uint8Array(png))).status).toBe(404)
    const late = [await report(film, {}), await report(film, { status: 'succeeded' }), await presign(film)]
    expect(late.map((one) => [one.status, types(one)])).toEqual(late.map(() => [404, ['not_found']]))
    expect([await claim(), await stored(), await counted(repo)]).toEqual([null, before, 0])
    expect(await deletions(film)).toMatchObject([{ before: { status: 'running', bytes: 0 } }])
  })

  it('that failed has no bytes to release', async () => {
    const repo = await hub.repo(ada)
    const before = await stored()
    const film = await sent(repo)
    await report(film, { status: 'failed', error: 'no robot' })
    expect([(await remove(film)).status, await stored(), await counted(repo)]).toEqual([204, before, 0])
  })
})

describe('a film that is deleted at the moment', () => {
  it('that its worker says that it is done has no object, and counts nowhere', async () => {
    const repo = await hub.repo(ada)
    const before = await stored()
    const film = await sent(repo)
    const spy = during('completeUpload', async () => expect((await remove(film)).status).toBe(204))
    const late = await report(film, { status: 'succeeded' })
    expect(spy).toHaveBeenCalled()
    // Its upload was aborted, or it was complete a moment before.
    expect([404, 409, 422]).toContain(late.status)
    expect((await report(film, {})).status).toBe(404)
    await expect.poll(() => objectsOf(film)).toEqual([])
    expect([await rowsOf(film), await stored(), await counted(repo)]).toEqual([[], before, 0])
  })

  it('that its bytes are complete, and not yet shown, has no object', async () => {
    const repo = await hub.repo(ada)
    const before = await stored()
    const film = await sent(repo)
    const objects = store()
    const head = objects.get.bind(objects)
    // It is read after it was completed.
    const spy = vi.spyOn(objects, 'get').mockImplementationOnce(async (...given) => {
      const answer = await head(...given)
      expect((await remove(film)).status).toBe(204)
      return answer
    })
    onTestFinished(() => spy.mockRestore())
    const late = await report(film, { status: 'succeeded' })
    expect([spy.mock.calls.length, late.status, types(late)]).toEqual([1, 404, ['not_found']])
    await expect.poll(() => objectsOf(film)).toEqual([])
    expect([await stored(), await counted(repo)]).toEqual([before, 0])
  })

  it('that its bytes are announced leaves no upload', async () => {
    const repo = await hub.repo(ada)
    await ask(repo)
    const film = await claim()
    const spy = during('createUpload', () => remove(film))
    const late = await presign(film)
    expect([spy.mock.calls.length, late.status, types(late)]).toEqual([1, 404, ['not_found']])
    await expect.poll(() => uploadsOf(film)).toEqual([])
  })

  it('that a worker takes it goes to no one, or is taken from them', async () => {
    for (let round = 0; round < 8; round += 1) {
      const repo = await hub.repo(ada)
      const { json: film } = await ask(repo)
      const [taken, answer] = await Promise.all([claim(), remove(film)])
      expect([answer.status, await rowsOf(film)]).toEqual([204, []])
      if (taken) expect((await report(taken, {})).status).toBe(404)
      const [{ before } = { before: null }] = await deletions(film)
      expect(before.status).toBe(taken ? 'running' : 'queued')
    }
  })

  it('twice is released once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const repo = await hub.repo(ada)
      const before = await stored()
      const film = await made(repo)
      const answers = await Promise.all([remove(film), remove(film), remove(film, key)])
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404])
      expect([await stored(), await counted(repo), (await deletions(film)).length]).toEqual([before, 0, 1])
    }
  })

  it('that its data set goes to another account is released there', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const [repo, before] = [await hub.repo(ada), await stored()]
    const film = await made(repo)
    const move = () => hub.call(ada, 'POST', `/v1/repos/${repo}/move`, { owner: org })
    const [moved, removed] = await Promise.all([move(), remove(film)])
    expect(moved.status).toBe(200)
    // The data set had its other name already.
    const under = removed.status === 404 ? await remove({ ...film, repo: moved.json.full_name }) : removed
    expect(under.status).toBe(204)
    expect([await stored(), await stored(org), await rowsOf(film)]).toEqual([before, 0, []])
  })

  it('that the store does not answer, or the hub ends, is collected later', async () => {
    const repo = await hub.repo(ada)
    const [film, begun] = [await made(repo), await sent(repo, { episode: 1 })]
    const before = await stored()
    const fault = () => Promise.reject(new Error('the store is away'))
    const [gone, kept] = [during('delete', fault), during('abortUpload', fault)]
    expect([(await remove(film)).status, (await remove(begun)).status]).toEqual([204, 204])
    expect(await stored()).toBe((before ?? 0) - png.length)
    await expect.poll(() => [gone.mock.calls.length, kept.mock.calls.length]).toEqual([1, 1])
    expect(await objectsOf(film)).toHaveLength(1)
    const { deps } = hub.running
    const { signal } = new AbortController()
    await collectFilms(deps, store(), signal, -1000)
    await abortStrays({ ...deps, config: { ...deps.config, uploadTtlSeconds: -1 } }, store(), signal)
    expect([await objectsOf(film), await objectsOf(begun), await uploadsOf(begun)]).toEqual([[], [], []])
  })
})
