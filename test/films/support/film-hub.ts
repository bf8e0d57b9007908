/** A hub with a person, a key of theirs for workers, and a public robot: what a test of films does with them. */
import { beforeAll, expect } from 'vitest'
import type { ObjectStore } from '../../../src/store/objects/object-store.ts'
import { contractHub, type Json, type Person, sha256Of } from '../../support/hub.ts'

export const png = Buffer.from('\x89PNG\r\n\x1a\n and the rest of a picture', 'latin1')

export interface FilmPeople {
  readonly ada: Person
  readonly key: string
  readonly robot: string
}

export const pathOf = (repo: string) => `/v1/repos/${repo}/episode-films`

/** For the describe or file that calls it; `people` are there before its own `beforeAll`. */
export function filmHub() {
  const hub = contractHub()
  let made: FilmPeople | undefined
  const people = (): FilmPeople => {
    if (!made) throw new Error('No people before the tests begin.')
    return made
  }
  beforeAll(async () => {
    const ada = await hub.person()
    made = { ada, key: await hub.key(ada), robot: await hub.repo(ada, { kind: 'robot', visibility: 'public' }) }
  })

  const ask = (repo: string, body: Json = {}, who: Person | string = people().ada) =>
    hub.call(who, 'POST', pathOf(repo), { kind: 'still', episode: 0, robot: people().robot, ...body })
  const claim = async (worker = 'w', who: Person | string = people().key) =>
    (await hub.call(who, 'POST', '/v1/episode-films/claim-next', { worker })).json
  const report = (film: Json, body: Json, who: Person | string = people().key) =>
    hub.call(who, 'POST', `${pathOf(film.repo)}/${film.id}/report`, { attempt: film.attempt, ...body })
  const presign = (film: Json, body: Json = {}, who: Person | string = people().key) =>
    hub.call(who, 'POST', `${pathOf(film.repo)}/${film.id}/upload`, {
      ...{ attempt: film.attempt, size: png.length, sha256: sha256Of(png), ...body },
    })
  const list = async (repo: string, who: Person | string | null = people().ada) =>
    (await hub.call(who, 'GET', pathOf(repo))).json.items

  /** Bytes of an account; of ada unless said. */
  const stored = async (handle = people().ada.handle) =>
    (
      await hub.sql<{ bytes: number }>('select storage_bytes::int as bytes from accounts where handle = $1', [handle])
    )[0]?.bytes

  /** Uploads of a film in the store that are not complete. */
  const uploadsOf = async ({ id }: Json): Promise<string[]> => {
    const keys: string[] = []
    const objects = hub.running.deps.objects as ObjectStore
    for await (const { key } of objects.listUploads(new Date(Date.now() + 1000))) keys.push(key)
    return keys.filter((key) => key.includes(id))
  }

  /** Objects of a film in the store. */
  const objectsOf = async ({ id }: Json): Promise<string[]> => {
    const keys: string[] = []
    const objects = hub.running.deps.objects as ObjectStore
    for await (const { key } of objects.list(`films/${id}/`)) keys.push(key)
    return keys
  }

  /** A film that a worker has, with its bytes sent and not yet reported. */
  const sent = async (repo: string, body: Json = {}): Promise<Json> => {
    await ask(repo, body)
    const film = await claim()
    const { url } = (await presign(film)).json
    expect((await hub.put(url, new Uint8Array(png))).status).toBe(200)
    return film
  }

  /** From a request to the bytes. */
  const madeFilm = async (repo: string, body: Json = {}): Promise<Json> => {
    const ended = await report(await sent(repo, body), { status: 'succeeded' })
    expect([ended.status, ended.json.errors]).toEqual([200, undefined])
    return ended.json
  }

  return { hub, people, ask, claim, report, presign, list, stored, uploadsOf, objectsOf, sent, made: madeFilm }
}
