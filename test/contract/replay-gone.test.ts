// @module-tag sampled
/**
 * A replay under an Idempotency-Key of what is gone: the cases of each POST of the route table that makes something, and how that is deleted. Every other POST says what
 * it does instead, so a new route fails here until it is one or the other.
 */

import { itOnce, sampled } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { allCases } from '../support/cases.ts'
import { type Gone, pathOfRepo, type Repeated, type Replay } from '../support/define-cases.ts'
import { type Answer, contractHub, newName, type Person, sha256Of, types, type Who } from '../support/hub.ts'
import { newTeam } from '../support/team.ts'

const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', HOSTED_MAX_PROCESSES: '1' })
let ada: Person
let agent: string

beforeAll(async () => {
  ada = await hub.person()
  agent = await hub.key(ada, { scope: 'train', agent: true })
})

const bytes = 'bytes'
const file = (path: string) => ({ path, size: bytes.length, sha256: sha256Of(bytes) })
const ok = async (asked: Promise<Answer>, status: number) => {
  const { status: got, json } = await asked
  expect([got, json?.errors]).toEqual([status, undefined])
  return json
}

interface Row extends Gone {
  readonly given: Replay['given']
}

const posts = routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation)
const rows: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.entries(allCases).flatMap(([operation, { replay }]) =>
    replay && typeof replay.gone === 'object' ? [[operation, { given: replay.given, ...replay.gone }] as const] : [],
  ),
)

const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')

/** Sends a request, and once more; `again` repeats it. */
async function sent({ path, body, who }: Repeated & { readonly who: Who }) {
  const once = { 'idempotency-key': newName() }
  const again = () => hub.call(who, 'POST', path, body, once)
  const first = await again()
  expect([first.status < 300, first.json.errors]).toEqual([true, undefined])
  const second = await again()
  expect([second.status < 300, replayed(second), second.json.id]).toEqual([true, 'true', first.json.id])
  return { made: first.json, again }
}

/** A team, and what its request made. */
async function sentBy(given: Row['given']) {
  const team = await newTeam(hub, ada)
  const request = await given(team)
  return { team, request, ...(await sent({ who: team.key, ...request })) }
}

async function expectGone(again: () => Promise<Answer>): Promise<void> {
  const later = await again()
  expect([later.status, types(later), replayed(later)]).toEqual([404, ['not_found'], null])
  expect(later.json.detail).toMatch(/^.+ does not exist or is not visible to you\.$/)
}

/** What a POST must say of itself, and does not; null where nothing is missing. */
function untold(operation: string): string | null {
  const cases = allCases[operation]
  if (cases?.replay === null || cases?.replay?.gone !== undefined) return null
  return `${operation}: in its cases (test/<subject>/*.cases.ts) replay.gone has to say how what it makes is deleted, or what it does instead of making something.`
}

describe('a replay', () => {
  itOnce('is of a route that has a row here, or makes nothing', () => {
    expect(posts.map(untold).filter((told) => told !== null)).toEqual([])
    const told = Object.entries(allCases).filter(([, { replay }]) => replay !== undefined)
    expect(told.map(([operation]) => operation).toSorted()).toEqual(posts.toSorted())
  })

  itOnce.each(Object.entries(rows))('of %s is 404 once what it made is deleted', async (_operation, row) => {
    const { team, request, made, again } = await sentBy(row.given)
    await row.remove(team, made, request)
    await expectGone(again)
    await expectGone(again)
  })

  const named = Object.entries(rows).filter(([, { retake }]) => retake !== undefined)
  itOnce.each(named)('of %s is 404 also when another has its name', async (_operation, row) => {
    const { team, request, made, again } = await sentBy(row.given)
    await row.remove(team, made, request)
    await row.retake?.(team, made, request)
    await expectGone(again)
  })

  const ofRepo: Readonly<Record<string, (name: string) => Repeated>> = {
    createSnapshot: (name) => ({ path: `/v1/repos/${name}/snapshots`, body: { name: 'v1' } }),
    deleteFiles: (name) => ({ path: `/v1/repos/${name}/files/delete`, body: { paths: ['a'] } }),
    restoreState: (name) => ({ path: `/v1/repos/${name}/restore`, body: { at: '1' } }),
    purgeFiles: (name) => ({ path: `/v1/repos/${name}/files/purge`, body: { paths: ['a'] } }),
    linkFiles: (name) => ({ path: `/v1/repos/${name}/files/link`, body: { files: [file('a')] } }),
    presignUpload: (name) => ({ path: `/v1/repos/${name}/files/presign-upload`, body: { files: [file('c')] } }),
  }
  it.each(sampled(Object.entries(ofRepo), 6))(
    'of %s is 404 in a repo that was deleted and made again under its name',
    async (_operation, requestOf) => {
      const name = await hub.repo(ada)
      await hub.upload(ada, name, { a: bytes })
      const { again } = await sent({ who: ada, ...requestOf(name) })
      await ok(hub.call(ada, 'DELETE', `/v1/repos/${name}`), 204)
      await expectGone(again)
      await ok(hub.call(ada, 'POST', '/v1/repos', { kind: 'dataset', slug: name.split('/')[1] }), 201)
      await hub.upload(ada, name, { a: bytes })
      await expectGone(again)
    },
  )

  itOnce('of a spend hold is 404 once the hold is gone', async () => {
    const body = { recipe: { template: 'act', executor: 'hosted', max_hours: 1 } }
    const { made, again } = await sent({ path: '/v1/runs', body, who: agent })
    expect(made.id).toMatch(/^spend_/)
    await hub.sql('delete from spend_holds where id = $1', [made.id])
    await expectGone(again)
  })

  itOnce(
    'of a file that was overwritten since, and of an upload that was completed since, is the first answer',
    async () => {
      const { team, request, made, again } = await sentBy((rows.linkFiles as Row).given)
      await hub.upload(ada, pathOfRepo(request.path).slice('/v1/repos/'.length), { b: 'other' })
      const later = await again()
      expect([later.status, later.json]).toEqual([200, made])
      const name = await team.repo()
      const path = `/v1/repos/${name}/files/presign-upload`
      const presigned = await sent({ path, body: { files: [file('a')] }, who: team.key })
      const upload = await hub.sendFile(team.key, name, 'a', bytes)
      expect(upload.upload_id).toBe(presigned.made.uploads[0].upload_id)
      await ok(hub.complete(team.key, name, [upload]), 200)
      expect((await presigned.again()).status).toBe(200)
    },
  )

  itOnce.each<[string, string]>([
    ['createRepo', 'update repos set owner_id = $2 where id = $1'],
    ['createRun', `update runs set owner_id = $2, created_by = $2, filed_by = 'sess_other' where id = $1`],
    ['createEndpoint', `update endpoints set owner_id = $2, created_by = $2, filed_by = 'sess_other' where id = $1`],
  ])('of %s is 404 also where the caller may still make one, but sees that one no more', async (operation, moved) => {
    const eve = await hub.person()
    const { made, again } = await sentBy((rows[operation] as Row).given)
    await hub.sql(moved, [made.id, eve.id])
    await expectGone(again)
  })
})
