import { cpuStopwatch, cpuWithin } from '@hub/testing/cpu'
import { beforeAll, describe, expect, it } from 'vitest'
import { goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

// Its own 20,000 robots make the cost of its listings measurable.
const hub = contractHub({}, { alone: true })
let ada: Person
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  robot = await hub.repo(ada, { kind: 'robot' })
})

const json = { 'content-type': 'application/json' }
const put = (body: string) => hub.send(ada, 'PUT', `/v1/robots/${robot}/card`, { headers: json, body })
const validate = (card: string) =>
  hub.send(ada, 'POST', `/v1/robots/${robot}/validate`, { headers: json, body: `{"card":${card}}` })
const mutation = (name: string, fields: string) =>
  `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${fields} } }`

/** The codes that reject a card: by put and by validate, each in `/v1` and in the graph. */
async function refusals(card: string): Promise<Record<string, unknown>> {
  const [owner, repo] = robot.split('/')
  const inGraph = async (name: string, fields: string) => {
    const body = `{"query":${JSON.stringify(mutation(name, fields))},"variables":{"input":{"owner":"${owner}","repo":"${repo}","document":${card}}}}`
    return (await hub.send(ada, 'POST', '/graphql', { headers: json, body })).json
  }
  const [putRest, validateRest, putGraph, validateGraph] = await Promise.all([
    put(card),
    validate(card),
    inGraph('putRobotCard', 'card { dof }'),
    inGraph('validateRobotCard', 'ok checks { code status }'),
  ])
  const typesOf = (errors: Json) => [...new Set(errors.map(({ type }: Json) => type))]
  const failing = (checks: Json, fail: string) => [
    ...new Set(checks.filter(({ status }: Json) => status === fail).map(({ code }: Json) => code)),
  ]
  return {
    put: [putRest.status, typesOf(putRest.json.errors ?? [])],
    validate: [validateRest.status, failing(validateRest.json.checks ?? [], 'fail')],
    putGraph: [putGraph.errors?.[0].extensions.status, typesOf(putGraph.errors?.[0].extensions.problem.errors ?? [])],
    validateGraph: [
      validateGraph.errors?.[0].extensions.status ?? 200,
      failing(validateGraph.data?.validateRobotCard.checks ?? [], 'FAIL'),
    ],
  }
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
/** An interface with members written a second time: the last ones count. */
const face = (change: string) => `{"dof":2,"interface":${JSON.stringify(goodInterface()).slice(0, -1)},${change}}}`

describe('a card of a hostile shape is rejected under card.schema, by put and validate in both dialects', () => {
  it.each([
    ['a list', '[]'],
    ['a text', '"card"'],
    ['a number', '7'],
    ['false', 'false'],
    ['an empty object', '{}'],
    ['an infinite number', '{"dof":1,"mass_kg":1e999}'],
    ['an infinite number of a vendor', '{"dof":1,"actuators":[{"name":"m","x":{"y":[-1e999]}}]}'],
    ['a mass below zero', '{"dof":1,"mass_kg":-0.1}'],
    ['a degree of freedom below zero', '{"dof":-1}'],
    ['more degrees of freedom than an integer has', '{"dof":2147483648}'],
    ['a version past the integers', face('"version":9007199254740993')],
    ['a rate of zero', face('"control_rate_hz":0')],
    ['a list of nulls', '{"dof":1,"actuators":[null]}'],
    ['a list in the place of a map', '{"dof":1,"limits":[]}'],
    ['a null in a map of numbers', face('"default_pose":{"elbow":null}')],
    ['an empty name', face('"feet":[""]')],
    ['an unknown member', '{"dof":1,"colour":"red"}'],
    ['an unknown member of the interface', face('"colour":"red"')],
    ['an unknown member of a group', face('"parts":[{"name":"a","kind":"arm","joints":[],"colour":1}]')],
    ['an unknown member of a limit', '{"dof":1,"limits":{"a":{"min":1}}}'],
    [
      'an unknown member of a claim',
      '{"dof":1,"validation":{"engine":"e","checked_at":"2026-01-01T00:00:00Z","checks":[],"ok":true}}',
    ],
    ['members that only an answer has', '{"dof":1,"interface_fingerprint":null,"updated_at":null}'],
    ['a path that climbs', '{"dof":1,"mjcf_path":"a/../../b.xml"}'],
    ['an absolute path', '{"dof":1,"mjcf_path":"/etc/passwd"}'],
    ['an unknown camera slot', face('"cameras":[{"name":"c","vla_slot":"camera9"}]')],
    ['a hundred and one levels', `{"dof":1,"actuators":[{"name":"m","x":${nested(101)}}]}`],
    ['a hundred thousand levels', `{"dof":1,"actuators":[{"name":"m","x":${nested(100_000)}}]}`],
    ['more than 50,000 values', `{"dof":1,"actuators":[{"name":"m","x":[${'1,'.repeat(60_000)}1]}]}`],
  ])('%s', async (_what, card) => {
    expect(await refusals(card)).toEqual({
      put: [422, ['card.schema']],
      validate: [200, ['card.schema']],
      putGraph: [422, ['card.schema']],
      validateGraph: [200, ['card.schema']],
    })
  })

  it.each([
    ['no JSON', '{"dof":1', 400],
    ['NaN', '{"dof":NaN}', 400],
    ['more than a megabyte', `{"dof":1,"description_md":"${'x'.repeat(1024 * 1024)}"}`, 413],
  ])('and what is not a body at all otherwise: %s', async (_what, body, status) => {
    expect((await put(body)).status).toBe(status)
  })
})

describe('a typed card', () => {
  const [free, claim] = [
    (value: string) => `"actuators":[{"name":"m","vendor":{"x":${value}}}]`,
    (value: string) =>
      `"validation":{"engine":"e","checkedAt":"2026-01-01T00:00:00Z","checks":[{"code":"c","status":"PASS","message":"","names":[],"loc":${value}}]}`,
  ]
  it.each([
    ['an infinite number in a map', '"limits":{"j":{"lower":1e999}}', 'input.card.limits.j.lower'],
    ['an infinite number of a vendor', free('1e999'), 'input.card.actuators.0.vendor.x'],
    ['a member named __proto__', free('{"__proto__":{}}'), 'input.card.actuators.0.vendor.x'],
    ['a hundred thousand levels of a vendor', free(nested(100_000)), 'input.card.actuators'],
    ['a hundred thousand levels in the place of a claim', claim(nested(100_000)), 'input.card.validation'],
  ])('with %s is refused too, at its place', async (_what, member, place) => {
    const [owner, repo] = robot.split('/')
    const query = JSON.stringify(mutation('putRobotCard', 'card { dof }'))
    const body = `{"query":${query},"variables":{"input":{"owner":"${owner}","repo":"${repo}","card":{"dof":1,${member}}}}}`
    const { extensions } = (await hub.send(ada, 'POST', '/graphql', { headers: json, body })).json.errors[0]
    expect(extensions.problem.errors.map(({ type, loc }: Json) => [type, loc.join('.')])).toEqual([
      ['card.schema', place],
    ])
  })
})

describe('a card that is only large', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `joint_${at}`)

  it('is stored, with 10,000 joints in everything, and returned within a second or two', async () => {
    const numbers = Object.fromEntries(names.map((name, at) => [name, at / 7]))
    const card = {
      dof: names.length,
      interface: {
        ...goodInterface({
          joint_order: names,
          end_effectors: [],
          parts: [{ name: 'all', kind: 'other', joints: names }],
        }),
        actuation: [{ mode: 'position', joints: names }],
        default_pose: numbers,
      },
    }
    // The hub is in this process.
    const stored = async () => {
      const answer = await put(JSON.stringify(card))
      expect([answer.status, answer.json.interface.default_pose]).toEqual([200, numbers])
    }
    expect(await cpuWithin(4_000, stored)).toBeLessThan(4_000)
  })

  it('does not block other requests while it is checked', async () => {
    const wrong = {
      dof: 1,
      interface: goodInterface({ joint_order: [...names, ...names], feet: names, default_pose: { elbw: 1 } }),
    }
    const large = Array.from({ length: 4 }, () => validate(JSON.stringify(wrong)))
    // The hub's thread is this one, and what it does in a request is what the request waits for.
    const waits: number[] = []
    let done = false
    void Promise.all(large).then(() => {
      done = true
    })
    while (!done) {
      const spentMs = cpuStopwatch()
      expect((await hub.send(null, 'GET', '/healthz')).status).toBe(200)
      waits.push(spentMs())
    }
    for (const { status } of await Promise.all(large)) expect(status).toBe(200)
    expect(Math.max(...waits)).toBeLessThan(1500)
  })

  it('is at most as large in a response as in a request, whatever its numbers', async () => {
    const card = JSON.stringify({
      dof: 1,
      actuators: [{ name: 'm', curve: Array.from({ length: 40_000 }, () => 1e308) }],
    })
    const answer = await put(card)
    expect(answer.status).toBe(200)
    const read = await hub.send(ada, 'GET', `/v1/robots/${robot}/card`)
    expect(read.text.length).toBeLessThan(card.length + 500)
    const [row] = await hub.sql<{ bytes: number; size: number }>(
      'select card_bytes as bytes, octet_length(card::text) as size from robot_cards where repo_id = (select id from repos where slug = $1)',
      [robot.split('/')[1]],
    )
    expect([row?.bytes, row?.size]).toEqual([Buffer.byteLength(card), Buffer.byteLength(card)])
  })
})

describe('among 20,000 robots with cards', () => {
  let fingerprint = ''

  beforeAll(async () => {
    await hub.sql(
      `insert into repos (id, kind, owner_id, slug, visibility, tags, updated_at)
        select 'repo_' || lpad(n::text, 26, '0'), 'robot', $1, 'many-' || n, 'public', '{}', now() from generate_series(1, 20000) n`,
      [ada.id],
    )
    await hub.sql(
      `insert into robot_cards (repo_id, card, card_bytes, interface_fingerprint)
        select 'repo_' || lpad(n::text, 26, '0'), '{"dof":1}', 9, encode(sha256(n::text::bytea), 'hex') from generate_series(1, 20000) n`,
    )
    await hub.sql('analyze repos, robot_cards')
    const [row] = await hub.sql<{ fingerprint: string }>(
      `select interface_fingerprint as fingerprint from robot_cards where repo_id = 'repo_' || lpad('777', 26, '0')`,
    )
    fingerprint = row?.fingerprint ?? ''
  })

  /** The slugs of a listing, and how PostgreSQL plans the statement of its page. */
  async function planned(path: string): Promise<{ slugs: string[]; plan: string }> {
    const { pool } = hub.running.deps.db
    const query = pool.query.bind(pool) as (config: Json, values?: unknown) => Promise<Json>
    const plans: string[] = []
    pool.query = (async (config: Json, values?: unknown) => {
      if (/page\.found/.test(config?.text ?? '')) {
        const { rows } = await query({ text: `explain ${config.text}`, values: config.values })
        plans.push(rows.map((row: Json) => row['QUERY PLAN']).join('\n'))
      }
      return query(config, values)
    }) as typeof pool.query
    try {
      const { json } = await hub.call(null, 'GET', path)
      expect(plans).toHaveLength(1)
      return { slugs: json.items.map(({ slug }: Json) => slug), plan: plans[0] ?? '' }
    } finally {
      pool.query = query as typeof pool.query
    }
  }
  const scans = /Seq Scan on (?:repos|robot_cards)/

  it('one is found by its fingerprint through the index of fingerprints', async () => {
    const { slugs, plan } = await planned(`/v1/repos?interface_fingerprint=${fingerprint}`)
    expect(slugs).toEqual(['many-777'])
    expect(plan).toContain('robot_cards_interface_fingerprint_idx')
    expect(plan).not.toMatch(scans)
  })

  it.each(['', '&kind=robot', '&sort=updated', '&kind=model'])(
    'a page of a hundred looks at its own cards alone: %s',
    async (query) => {
      const { slugs, plan } = await planned(`/v1/repos?limit=100${query}`)
      expect(slugs).toHaveLength(query === '&kind=model' ? 0 : 100)
      expect(plan).not.toMatch(scans)
    },
  )
})
