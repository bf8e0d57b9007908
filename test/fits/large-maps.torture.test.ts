/** Kept maps as large as they may be: what one request reads of them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { bodyRepos } from './support/bodies.ts'

const hub = contractHub()
let ada: Person
let policy: string
let arm: string
const { model, robot } = bodyRepos(hub, () => ada)

/** Together 17.5 MiB: more than one statement reads. */
const ROBOTS = 70

/** Of 250 KiB: joints that neither side has. */
const joints = Array.from({ length: 125 }, (_, at) => ({
  ...{ from: `${at} ${'f'.repeat(970)}`, to: `${at} ${'t'.repeat(970)}`, sign: 1, scale: 1, offset: 0 },
}))

beforeAll(async () => {
  ada = await hub.person()
  policy = await model({ control_rate_hz: 711 })
  arm = await robot({ control_rate_hz: 711 })
  const map = { version: 1, joints, held: [], dropped: [] }
  const kept = await hub.call(ada, 'PUT', `/v1/repos/${policy}/joint-maps`, { robot: arm, if_version: 0, map })
  expect(kept.status).toBe(200)
  const slugs = [arm.split('/')[1], policy.split('/')[1]]
  const id = `'repo_' || lpad((n + 711000)::text, 26, '0')`
  for (const [text, values] of [
    [
      `insert into repos (id, owner_id, slug, kind, visibility) select ${id}, r.owner_id, 'copy-' || n, 'robot', 'private'
        from repos r, generate_series(2, ${ROBOTS}) n where r.slug = $1`,
      [slugs[0]],
    ],
    [
      `insert into repo_bodies (repo_id, kind, owner_id, is_public, is_robot, fingerprint)
        select ${id}, 'robot', r.owner_id, false, true, b.fingerprint
        from repos r join repo_bodies b on b.repo_id = r.id, generate_series(2, ${ROBOTS}) n where r.slug = $1`,
      [slugs[0]],
    ],
    [
      `insert into joint_maps (from_repo_id, to_repo_id, version, map, fingerprint)
        select m.from_repo_id, ${id}, 1, m.map, m.fingerprint
        from joint_maps m join repos r on r.id = m.from_repo_id, generate_series(2, ${ROBOTS}) n where r.slug = $1`,
      [slugs[1]],
    ],
  ] as const)
    await hub.sql(text, [...values])
})

async function graph(fields: string): Promise<Json> {
  const [owner, slug] = policy.split('/')
  const query = `{ repo(owner: "${owner}", slug: "${slug}") { ${fields} } }`
  return (await hub.call(ada, 'POST', '/graphql', { query })).json
}

describe(`${ROBOTS} maps of 250 KiB`, () => {
  it('end a page of what fits after 4 MiB, and the next one goes on', async () => {
    const seen = new Set<string>()
    let cursor = ''
    do {
      const { json } = await hub.call(ada, 'GET', `/v1/repos/${policy}/fits?limit=100${cursor}`)
      // Public robots of other tests stand beside them.
      const own = (json.items as Json[]).filter(({ robot: name }) => name.startsWith(`${arm.split('/')[0]}/`))
      expect(own.length).toBeLessThanOrEqual(17)
      for (const fit of own) {
        expect([fit.verdict, fit.map_version]).toEqual(['none', 1])
        seen.add(fit.robot)
      }
      cursor = json.next_cursor && `&cursor=${json.next_cursor}`
    } while (cursor)
    expect(seen.size).toBe(ROBOTS)
  })

  it('are listed without their JSON, of which a request has 16 MiB', async () => {
    const { data } = await graph('jointMaps(first: 100) { nodes { version } }')
    expect(data.repo.jointMaps.nodes).toHaveLength(ROBOTS)
    const whole = await graph('jointMaps(first: 100) { nodes { map } }')
    expect(whole.errors[0].extensions).toMatchObject({ problem: { status: 413, limit: 16 * 1024 * 1024 } })
    const page = await hub.call(ada, 'GET', `/v1/repos/${policy}/joint-maps?limit=60`)
    expect([page.status, page.json.items.length, page.json.items[59].map.joints]).toEqual([200, 60, joints])
  })

  it('do not make a robot that they lead to dearer to compare', async () => {
    const { data } = await graph(`none: compatibleWith(robot: "no/one") { verdict }
      arm: compatibleWith(robot: "${arm}") { verdict mapVersion }`)
    expect([data.repo.none, data.repo.arm]).toEqual([null, { verdict: 'NONE', mapVersion: 1 }])
  })
})
