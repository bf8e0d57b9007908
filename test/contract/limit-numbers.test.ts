/** The numbers of every limit: the same in the Problem of `/v1`, in its headers, and in `extensions.problem` of the graph. Contract, "Rejected requests". */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_PENDING_HOLDS } from '../../src/billing/holds/file-hold.ts'
import { type LimitType, limitHeadersOf, limitKinds } from '../../src/platform/limit-facts.ts'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub, type Json, newName, type Person, sha256Of, type Who } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'
import { sessionWorld } from '../support/sessions.ts'
import { numbersIn } from '../support/shown-numbers.ts'

const program = hostedFunction()
afterAll(() => program.remove())
const hub = contractHub({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'listed,capped',
  HOSTED_ALLOWANCE_USD: '0.3',
  HOSTED_COMMAND: program.command,
  ...reachingCheckout,
  HOSTED_MAX_PROCESSES: '1',
  ROBOT_CHECK_DAILY_QUOTA: '2',
  STORAGE_QUOTA_BYTES: '1000',
})

/** A request that meets the limit, in both dialects. */
interface Refused {
  readonly who: Who
  readonly v1: readonly [path: string, body: Json]
  readonly graph: readonly [mutation: string, input: Json, selection: string]
  readonly numbers: Json
}

const ofRun = 'result { __typename }'
const recipeOf = (hours: number) => ({ template: 'act', executor: 'hosted', gpu: 'l4', max_hours: hours })
const runRequest = (hours: number) => ({
  v1: ['/v1/runs', { recipe: recipeOf(hours) }] as const,
  graph: ['createRun', { recipe: { template: 'act', executor: 'HOSTED', gpu: 'l4', maxHours: hours } }, ofRun] as const,
})
const checkRequest = (robot: string, executor: 'worker' | 'hosted') => {
  const robotCheck = { entry: 'arm.xml' }
  return {
    v1: [
      '/v1/robot-checks',
      { ...robotCheck, kind: 'robot', robot_repo: robot, control_hz: 50, action: 'position', executor },
    ] as const,
    graph: [
      'createRobotCheck',
      {
        ...robotCheck,
        kind: 'ROBOT',
        robotRepo: robot,
        controlHz: 50,
        action: 'POSITION',
        executor: executor.toUpperCase(),
      },
      ofRun,
    ] as const,
  }
}
const presignRequest = (name: string, size: number) => {
  const file = { path: 'a', size, sha256: sha256Of('a') }
  const [owner, repo] = name.split('/')
  return {
    v1: [`/v1/repos/${name}/files/presign-upload`, { files: [file] }] as const,
    graph: ['presignUpload', { owner, repo, files: [file] }, 'uploads { path }'] as const,
  }
}
const made = async (who: Who, { v1: [path, body] }: Pick<Refused, 'v1'>, status = 201) => {
  const answer = await hub.call(who, 'POST', path, body)
  expect([answer.status, answer.json.errors]).toEqual([status, undefined])
  return answer.json
}
async function robotOf(person: Person): Promise<string> {
  const robot = await hub.repo(person, { kind: 'robot' })
  await hub.upload(person, robot, { 'arm.xml': '<mujoco/>' })
  return robot
}

let listed: Person
let capped: Person
beforeAll(async () => {
  listed = await hub.person('listed')
  capped = await hub.person('capped')
})

const soon = expect.any(Number)
const refusals: Partial<Record<LimitType, () => Promise<Refused>>> = {
  'quota.gpu_hours': async () => {
    await made(listed, runRequest(20))
    return { who: listed, ...runRequest(4.5), numbers: { limit: 24, used: 20, left: 4, retry_after_s: soon } }
  },
  'quota.spend_cap': async () => {
    await hub.sql(`update accounts set spend_cap_usd = 1, spend_cap_mode = 'STOP' where id = $1`, [capped.id])
    await made(capped, runRequest(1))
    const month = new Date()
    const resets_at = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1)).toISOString()
    const numbers = { limit: 1, used: 0.7992, left: 0.2008, retry_after_s: soon, resets_at }
    return { who: capped, ...runRequest(1), numbers }
  },
  'quota.spend_holds': async () => {
    const agent = await hub.key(listed, { scope: 'train', agent: true })
    const { id } = await made(agent, runRequest(1), 202)
    await hub.sql(
      `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
        select id || n, status, kind, account_id, filed_by, filed_by_name, request, summary, 1, 1, 0, expires_at from spend_holds, generate_series(1, $2) n where id = $1`,
      [id, MAX_PENDING_HOLDS - 1],
    )
    return { who: agent, ...runRequest(1), numbers: { limit: 100, used: 100, left: 0, retry_after_s: soon } }
  },
  'quota.robot_checks': async () => {
    const who = await hub.person()
    const request = checkRequest(await robotOf(who), 'worker')
    for (const _twice of [1, 2]) await made(who, request)
    return { who, ...request, numbers: { limit: 2, used: 2, left: 0, retry_after_s: soon } }
  },
  'forbidden.hosted_allowance': async () => {
    const who = await hub.person()
    const request = checkRequest(await robotOf(who), 'hosted')
    await made(who, request)
    return { who, ...request, numbers: { limit: 0.3, used: 0.2, left: 0.1, resets_at: expect.stringMatching(/Z$/) } }
  },
  'quota.storage': async () => {
    const who = await hub.person()
    const name = await hub.repo(who)
    await hub.upload(who, name, { b: 'x'.repeat(300) })
    return { who, ...presignRequest(name, 701), numbers: { limit: 1000, used: 300, left: 700 } }
  },
  'quota.uploads': async () => {
    const who = await hub.person()
    const name = await hub.repo(who)
    await hub.sql('update accounts set pending_uploads = 10000 where id = $1', [who.id])
    return { who, ...presignRequest(name, 1), numbers: { limit: 10_000, used: 10_000, left: 0 } }
  },
  'quota.snapshots': async () => {
    const who = await hub.person()
    const name = await hub.repo(who)
    const [owner, repo] = name.split('/')
    await hub.sql('update repos set snapshot_count = 1000 where slug = $1', [repo])
    return {
      who,
      v1: [`/v1/repos/${name}/snapshots`, { name: 'one' }],
      graph: ['createSnapshot', { owner, repo, name: 'one' }, 'snapshot { id }'],
      numbers: { limit: 1000, used: 1000, left: 0 },
    }
  },
  'quota.films': async () => {
    const who = await hub.person()
    const [name, robot] = [await hub.repo(who), await robotOf(who)]
    const [owner, repo] = name.split('/')
    await hub.sql(
      `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame, status)
        select 'film_' || n, r.id, r.owner_id, r.seq, b.id, b.seq, 0, 'still', n, 0, 'queued'
        from repos r, repos b, generate_series(1, 50) n where r.slug = $1 and b.slug = $2`,
      [repo, robot.split('/')[1]],
    )
    return {
      who,
      v1: [`/v1/repos/${name}/episode-films`, { kind: 'still', episode: 0, robot }],
      graph: ['requestEpisodeFilm', { owner, repo, kind: 'STILL', episode: 0, robot }, 'film { id }'],
      numbers: { limit: 50, used: 50, left: 0 },
    }
  },
  'conflict.sessions_full': async () => {
    const who = await hub.person()
    const world = sessionWorld(hub)
    const [endpointId, deviceId] = [await world.endpoint(who), await world.device(who)]
    const { token } = await world.approve(who, endpointId, deviceId)
    await hub.sql('update endpoints set sessions_open = 200, sessions_total = 200 where id = $1', [endpointId])
    return {
      who,
      v1: [`/v1/endpoints/${endpointId}/sessions`, { device_id: deviceId, approval_token: token }],
      graph: ['openEndpointSession', { endpointId, deviceId, approvalToken: token }, 'session { id }'],
      numbers: { limit: 200, used: 200, left: 0 },
    }
  },
  too_large: async () => {
    const who = await hub.person()
    const size = 50 * 1024 ** 3
    const request = presignRequest(await hub.repo(who), size + 1)
    return { who, ...request, numbers: { unit: 'bytes', limit: size, used: size + 1 } }
  },
}

describe('a limit', () => {
  it.each(Object.entries(refusals))('%s says the same numbers in both dialects', async (type, prepare) => {
    const { who, v1, graph, numbers } = await prepare()
    const refused = await hub.call(who, 'POST', ...v1)
    const kind = limitKinds[type as LimitType]
    expect(refused.json.type).toBe(`/problems/${type}`)
    expect(numbersIn(refused.json)).toEqual({ unit: kind.unit, ...numbers })
    expect(Object.keys(numbersIn(refused.json)).sort()).toEqual(['unit', ...kind.members].sort())
    const names = limitHeadersOf(type)
    const shown = (header: string | undefined) => (header ? (refused.headers.get(header) ?? undefined) : undefined)
    const { limit, used, retry_after_s } = refused.json
    expect([shown('retry-after'), shown(names.limit), shown(names.used)]).toEqual([
      retry_after_s?.toString(),
      names.limit && String(limit),
      names.used && String(used),
    ])
    const [mutation, input, selection] = graph
    const inputType = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!`
    const text = `mutation ($input: ${inputType}) { ${mutation}(input: $input) { ${selection} } }`
    const { data, errors } = await hub.graphql(who, text, { input })
    expect([data, errors[0].path]).toEqual([{ [mutation]: null }, [mutation]])
    const { problem } = errors[0].extensions
    expect([problem.type, problem.status]).toEqual([refused.json.type, refused.status])
    const wait = (of: Json) => ({ ...numbersIn(of), retry_after_s: undefined })
    expect(wait(problem)).toEqual(wait(refused.json))
    // The seconds between the two requests.
    expect(Math.abs((problem.retry_after_s ?? 0) - (retry_after_s ?? 0))).toBeLessThan(120)
    expect(problem.retry_after_s === undefined).toBe(retry_after_s === undefined)
  })

  it('of one operation of the graph has them too, and under its name in the first entry', async () => {
    const problemOf = async (query: string) => {
      const { errors } = await hub.graphql(null, query)
      return errors[0].extensions.problem
    }
    const cost = await problemOf('{ repos(first: 100) { nodes { files(first: 1000) { nodes { path } } } } }')
    const { limit, used } = cost
    expect([cost.type, cost.unit, used > limit]).toEqual(['/problems/limit.cost', 'objects', true])
    expect(cost.errors[0].limit).toEqual({ name: 'objects', maximum: limit, actual: used })
    const deep = await problemOf(`{ ${'repos { nodes { owner { '.repeat(6)} id ${'} } }'.repeat(6)} }`)
    expect([deep.type, deep.unit, deep.limit]).toEqual(['/problems/validation.limit', 'depth', 15])
    expect(deep.errors[0].limit).toEqual({ name: 'depth', maximum: deep.limit, actual: deep.used })
  })

  it('is known by this file whatever its type', () => {
    // Of one operation; of requests in a minute; of what is refused before there is a request; and of the graph alone.
    const others = [
      'quota.invitations',
      'quota.orgs',
      'quota.passkeys',
      'limit.cost',
      'validation.limit',
      'rate.limited',
      'too_large.headers',
    ]
    expect([...Object.keys(refusals), ...others].sort()).toEqual(Object.keys(limitKinds).sort())
  })
})

describe('a rate', () => {
  const slow = contractHub({ RATE_LIMIT_PER_MINUTE: '3' })

  it('has the numbers of RateLimit and Retry-After in the Problem, in both dialects', async () => {
    const who = await slow.person()
    for (let at = 0; at < 3; at += 1) await slow.call(who, 'GET', '/v1/me')
    const refused = await slow.call(who, 'GET', '/v1/me')
    const { retry_after_s: wait } = refused.json
    expect(numbersIn(refused.json)).toEqual({ unit: 'requests', limit: 3, used: 4, left: 0, retry_after_s: wait })
    expect(refused.json.errors[0].limit).toEqual({ name: 'credential', maximum: 3, actual: 4 })
    expect(refused.headers.get('retry-after')).toBe(String(wait))
    expect(refused.headers.get('ratelimit-policy')).toBe('"credential";q=3;w=60')
    expect(refused.headers.get('ratelimit')).toBe(`"credential";r=0;t=${wait}`)
    const body = JSON.stringify({ query: '{ viewer { kind } }' })
    const headers = { 'content-type': 'application/json' }
    const graph = await slow.send(who, 'POST', '/graphql', { headers, body })
    const { problem } = graph.json.errors[0].extensions
    expect([graph.status, graph.headers.get('retry-after')]).toEqual([429, String(problem.retry_after_s)])
    expect(numbersIn(problem)).toMatchObject({ unit: 'requests', limit: 3, used: 5, left: 0 })
  })

  it('of the cost of operations as well, and its answer says when to try again', async () => {
    const who = await slow.person()
    const query = '{ repos(first: 100) { nodes { runs(first: 30) { nodes { id } } } } }'
    const ask = () =>
      slow.send(who, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
    const refused = await ask()
    const { problem } = refused.json.errors[0].extensions
    expect([refused.status, problem.type, problem.unit, problem.limit]).toEqual([
      429,
      '/problems/rate.limited',
      'objects',
      3000,
    ])
    expect(refused.headers.get('retry-after')).toBe(String(problem.retry_after_s))
    expect(problem.errors[0].limit).toMatchObject({ name: 'credential-cost', maximum: 3000, actual: problem.used })
  })
})

it('an error without a limit says when to try again under the same name', async () => {
  const who = await hub.person()
  const started = await hub.call(null, 'POST', '/v1/auth/device', { name: newName() })
  const refused = await hub.call(who, 'POST', '/v1/auth/device/token', { device_code: started.json.device_code })
  expect([refused.status, numbersIn(refused.json)]).toEqual([400, { retry_after_s: started.json.interval }])
  expect(refused.headers.get('retry-after')).toBe(String(started.json.interval))
})
