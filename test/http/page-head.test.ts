/** What a link to a page says of it to people who are not signed in: of public repos, and of nothing else. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '@hub/formats/ids'
import Fastify from 'fastify'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { registerPages } from '../../src/http/pages.ts'
import { sharedHead } from '../../src/http/shared-head.ts'
import { rolloutsOf } from '../rollouts/support.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
const generic = readFileSync(join(import.meta.dirname, '../../generated/web/index.html'), 'utf8')
const open = (path: string, headers: Record<string, string> = {}, who: Person | null = null) =>
  hub.send(who, 'GET', path, { headers: { accept: 'text/html', ...headers } })

/** The `meta` of a page by their names, with the characters that were escaped. */
async function headOf(path: string): Promise<Record<string, string>> {
  const { status, text } = await open(path)
  expect(status).toBe(200)
  const all = [...text.matchAll(/<meta (?:property|name)="([^"]*)" content="([^"]*)" \/>/g)]
  return Object.fromEntries(all.map(([, name = '', content = '']) => [name, unescaped(content)]))
}
const unescaped = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const dataSet = async (meta: object, change: object = {}) => {
  const name = await hub.repo(ada, { visibility: 'public', ...change })
  expect((await hub.call(ada, 'PUT', `/v1/datasets/${name}/meta`, meta)).status).toBe(200)
  return name
}

/** A film of a data set on a robot that a worker has made; its id. */
async function filmOf(
  name: string,
  robot: string,
  { kind, episode, frame = 0 }: { readonly kind: 'still' | 'video'; readonly episode: number; readonly frame?: number },
): Promise<string> {
  const id = newId('film')
  await hub.sql(
    `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame,
        status, storage_key, store_upload_id, size, sha256)
      select $1, r.id, r.owner_id, r.seq, b.id, b.seq, 0, $4::"EpisodeFilmKind", $5, $6, 'succeeded', $1, 'b', 1,
        repeat('a', 64)
      from repos r, repos b where r.slug = $2 and b.slug = $3`,
    [id, name.split('/')[1], robot.split('/')[1], kind, episode, frame],
  )
  return id
}

describe('a link to a public repo', () => {
  it('unfolds for a program that takes any type, and is an error for one that wants another', async () => {
    const [seen, hidden] = [await hub.repo(ada, { visibility: 'public' }), await hub.repo(ada)]
    for (const headers of [{ accept: '*/*' }, { accept: 'image/*, */*;q=0.1' }, {}] as Record<string, string>[]) {
      const answer = await hub.send(null, 'GET', `/${seen}`, { headers })
      expect([headers, answer.status, answer.text.includes('og:title')]).toEqual([headers, 200, true])
    }
    for (const [name, accept] of [
      [seen, 'application/json'],
      [hidden, '*/*'],
      [`${ada.handle}/none`, '*/*'],
      ['v2/repos', '*/*'],
    ] as const) {
      const answer = await hub.send(null, 'GET', `/${name}`, { headers: { accept } })
      expect([name, answer.status, answer.headers.get('content-type')]).toEqual([
        name,
        404,
        'application/problem+json; charset=utf-8',
      ])
    }
  })

  it('says what it is, with its picture, under one address', async () => {
    const robot = await hub.repo(ada, { kind: 'robot', visibility: 'public', description: 'Six joints.\nA gripper.' })
    await hub.upload(ada, robot, { 'preview.png': 'no picture, which no one looks at here', 'a.txt': 'x' })
    const head = await headOf(`/${robot}`)
    expect(head).toMatchObject({
      'og:site_name': 'Hub',
      'og:type': 'website',
      'og:title': robot,
      'og:description': 'A robot. Six joints. A gripper.',
      description: 'A robot. Six joints. A gripper.',
      'og:url': `${hub.running.url}/${robot}`,
      'og:image': `${hub.running.url}/v1/repos/${robot}/resolve/preview.png`,
      'twitter:card': 'summary_large_image',
    })
    const picture = await fetch(head['og:image'] ?? '')
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    const { text } = await open(`/${robot}/robot?view=1`)
    expect(text).toContain(`<title>Robot in 3D · ${robot} · Hub</title>`)
    expect(text).toContain(`<link rel="canonical" href="${hub.running.url}/${robot}/robot?view=1" />`)
    // All else of the document is the same, and it still names its script.
    const ofItsOwn = /<title>.*?(?=\n {4}<(?:link rel="m|script))/s
    expect(text.replace(ofItsOwn, '')).toBe(generic.replace(ofItsOwn, ''))
  })

  it('names an episode and a frame that the data set has', async () => {
    const name = await dataSet({ episode_count: 50, total_frames: 12_000, fps: 30, robot_type: 'lab/so100' })
    const address = `/${name}/episodes?episode=49&frame=11999&view=1,2,3`
    expect(await headOf(address)).toMatchObject({
      'og:title': `Episode 49, frame 11999 · ${name}`,
      'og:description': 'A data set of lab/so100, 50 episodes, 12,000 frames, 30 frames a second.',
      'og:url': `${hub.running.url}/${name}/episodes?episode=49&frame=11999&view=1%2C2%2C3`,
      'twitter:card': 'summary',
    })
    for (const episode of ['50', '-1', '1e1', '0x1', '4.5', '99999999999999999999', '"><script>', ''])
      expect([episode, (await headOf(`/${name}/episodes?episode=${episode}`))['og:title']]).toEqual([
        episode,
        `Episodes · ${name}`,
      ])
    expect((await headOf(`/${name}/episodes?episode=0&frame=12000`))['og:title']).toBe(`Episode 0 · ${name}`)
    // A worker made a picture of it, on a robot that is public.
    const [seen, hidden] = await Promise.all(
      ['public', 'private'].map((visibility) => hub.repo(ada, { kind: 'robot', visibility })),
    )
    const film = (on: string, frame = 11_999) => filmOf(name, on, { kind: 'still', episode: 49, frame })
    const [shown] = [await film(seen ?? ''), await film(hidden ?? '')]
    const picture = `${hub.running.url}/v1/repos/${name}/episode-films/${shown}/file`
    for (const shows of [address, `/${name}/episodes?episode=49`])
      expect((await headOf(shows))['og:image']).toBe(picture)
    expect(await headOf(`/${name}/episodes?episode=49&frame=1`)).not.toHaveProperty('og:image')
    expect(await headOf(`/${name}/episodes?episode=48`)).not.toHaveProperty('og:image')
    const unread = await hub.repo(ada, { visibility: 'public' })
    expect((await headOf(`/${unread}/episodes?episode=0`))['og:title']).toBe(`Episodes · ${unread}`)
  })

  it('has the newest video of its episode, at whatever frame, on a public robot and of the current files', async () => {
    const name = await dataSet({ episode_count: 3, total_frames: 90 })
    const [seen, hidden] = [
      await hub.repo(ada, { kind: 'robot', visibility: 'public' }),
      await hub.repo(ada, { kind: 'robot', visibility: 'private' }),
    ]
    const videos = async (query: string) => {
      const head = await headOf(`/${name}/episodes${query}`)
      return Object.fromEntries(Object.entries(head).filter(([key]) => key.startsWith('og:video')))
    }
    await filmOf(name, hidden, { kind: 'video', episode: 1 })
    await filmOf(name, seen, { kind: 'still', episode: 1 })
    expect(await videos('?episode=1')).toEqual({})
    await filmOf(name, seen, { kind: 'video', episode: 0 })
    const id = await filmOf(name, seen, { kind: 'video', episode: 1 })
    const video = {
      'og:video': `${hub.running.url}/v1/repos/${name}/episode-films/${id}/file`,
      'og:video:type': 'video/webm',
      'og:video:width': '640',
      'og:video:height': '360',
    }
    expect([await videos('?episode=1'), await videos('?episode=1&frame=7')]).toEqual([video, video])
    for (const query of ['', '?episode=2']) expect([query, await videos(query)]).toEqual([query, {}])
    await hub.upload(ada, name, { 'a.txt': 'changed' })
    expect(await videos('?episode=1')).toEqual({})
  })

  it('tells the newest result of a model on a robot that is public', async () => {
    const model = await hub.repo(ada, { kind: 'model', visibility: 'public' })
    const seen = await hub.repo(ada, { kind: 'robot', visibility: 'public' })
    const hidden = await hub.repo(ada, { kind: 'robot', visibility: 'private' })
    const add = async (robot: string, task: string) =>
      hub.sql(
        `insert into rollouts (id, model_repo_id, model_seq, model_commit, policy_path, policy_digest, robot_repo_id,
            robot_seq, robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest,
            mean_return, mean_seconds, software, key, by_agent)
          select $1::text, m.id, 1, repeat('a', 40), 'p.onnx', repeat('b', 64), r.id, 1, repeat('c', 40), $2,
            '{"task":{"name":"x"},"disturbance":{}}', repeat('d', 64), 0, 100, 87, 0.8, 0.9, 1, 2, '{}',
            encode(sha256(convert_to($1::text, 'UTF8')), 'hex'), false
          from repos m, repos r where m.id = $3 and r.id = $4`,
        [newId('roll'), task, ...(await Promise.all([model, robot].map(idOf)))],
      )
    const idOf = async (name: string) => (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.id
    await add(seen, 'reach')
    await add(hidden, 'secret')
    expect((await headOf(`/${model}/rollouts`))['og:description']).toBe(
      `reach on ${seen}: 87 of 100 rollouts succeeded. A model.`,
    )
    expect((await open(`/${model}/rollouts`)).text).not.toMatch(new RegExp(`${hidden}|secret`))
  })

  it('has the films of the kept motion that it names, where model and robot are public', async () => {
    const { model, robot, publish } = rolloutsOf(hub)
    const on = await robot(ada)
    const [seen, hidden] = [await model(ada), await model(ada, { visibility: 'private' })]
    const kept = async (from: typeof seen) => {
      const bytes = Buffer.from('a motion')
      await hub.call(ada, 'POST', `/v1/repos/${from.repo}/blobs`, { contents: [bytes.toString('base64')] })
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const { json } = await publish(ada, from, on, { episodes: [{ seed: 3, sha256, size: bytes.length }] })
      const made = async (kind: string, frame: number) => {
        const id = newId('film')
        await hub.sql(
          `insert into episode_films (id, repo_id, owner_id, seq, map_version, kept_id, kind, frame, status,
              storage_key, store_upload_id, size, sha256)
            select $1, m.id, m.owner_id, x.model_seq, 0, k.id, $3::"EpisodeFilmKind", $4, 'succeeded', $1, 'b', 1,
              repeat('a', 64)
            from rollouts x join repos m on m.id = x.model_repo_id join rollout_episodes k on k.rollout_id = x.id
            where x.id = $2`,
          [id, json.id, kind, frame],
        )
        return `${hub.running.url}/v1/repos/${from.repo}/episode-films/${id}/file`
      }
      const films = { 'og:image': await made('still', 7), 'og:video': await made('video', 0) }
      return { films, link: `/${on.repo}/rollouts?one=${encodeURIComponent(`${from.repo}/${json.id}`)}&kept=1` }
    }
    const [open, closed] = [await kept(seen), await kept(hidden)]
    const words = {
      'og:title': `Seed 3 of ${seen.repo} · ${on.repo}`,
      'og:description': `swing-up on ${on.repo}: 3 of 4 rollouts succeeded. A robot.`,
    }
    expect(await headOf(`${open.link}&seed=3`)).toMatchObject({ ...words, ...open.films })
    const other = await headOf(`${open.link}&seed=3&frame=8`)
    expect(other).toMatchObject({ ...words, 'og:video': open.films['og:video'] })
    expect(other).not.toHaveProperty('og:image')
    // Its files change, and the result says what was run.
    await hub.upload(ada, seen.repo, { 'policy.onnx': 'changed' })
    expect(await headOf(`${open.link}&seed=3`)).toMatchObject(open.films)
    const plain = await headOf(`/${on.repo}/rollouts`)
    for (const link of [
      `${open.link}&seed=1`,
      `${open.link}&seed=x`,
      `${closed.link}&seed=3`,
      `${open.link.replace(on.repo, (await robot(ada)).repo)}&seed=3`,
      `/${on.repo}/rollouts?one=a%00b/c/d&seed=3&kept=1`,
    ]) {
      const head = await headOf(link)
      expect([link, head['og:image'], head['og:video'], head['og:title']?.includes('Seed')]).toEqual([
        ...[link, undefined, undefined, false],
      ])
    }
    expect(plain['og:title']).toBe(`Rollouts · ${on.repo}`)
  })

  it('stays text, whatever it is called', async () => {
    const hostile = '"><script>alert(1)</script>\u202e\u0007<!-- $& $1 $` ﷽ 🤖'
    const name = await dataSet({ episode_count: 1, total_frames: 1, robot_type: hostile }, { description: hostile })
    const { text } = await open(`/${name}?x="><script>alert(2)</script>&y=%22onload=`)
    expect(text.match(/<script/g)).toHaveLength(generic.match(/<script/g)?.length ?? 0)
    expect(text).not.toMatch(/\p{Bidi_Control}|onload="|<!--/u)
    expect(text).not.toContain('\u0007')
    const inOneLine = '"><script>alert(1)</script> <!-- $& $1 $` ﷽ 🤖'
    expect((await headOf(`/${name}`))['og:description']).toBe(
      `A data set of ${inOneLine}, 1 episode, 1 frame. ${inOneLine}`,
    )
  })

  it('is short, and ends between characters', async () => {
    const name = await hub.repo(ada, { visibility: 'public', description: '🤖'.repeat(4000) })
    const { 'og:description': told = '' } = await headOf(`/${name}`)
    expect(told).toBe(`A data set. ${'🤖'.repeat(287)}…`)
    const { text } = await open(`/${name}/tree/${'a/'.repeat(900)}?map=${'b'.repeat(4000)}`)
    expect(text.length).toBeLessThan(generic.length + 10_000)
    expect(text).not.toContain('bbbb')
  })

  it('leads to the name that the repo has now', async () => {
    const name = await hub.repo(ada, { visibility: 'public', description: 'moved here' })
    const slug = newName('moved')
    expect((await hub.call(ada, 'POST', `/v1/repos/${name}/move`, { slug })).status).toBe(200)
    const moved = `${ada.handle}/${slug}`
    expect(await headOf(`/${name}/episodes`)).toMatchObject({
      'og:title': `Episodes · ${moved}`,
      'og:url': `${hub.running.url}/${moved}/episodes`,
    })
    // A private repo that takes the old name hides it.
    await hub.repo(ada, { slug: name.split('/')[1], visibility: 'private' })
    expect((await open(`/${name}/episodes`)).text).toBe(generic)
  })

  it('is asked for again each time, and sent again once it says something else', async () => {
    const name = await hub.repo(ada, { visibility: 'public', description: 'first' })
    const first = await open(`/${name}`)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect((await open(`/${name}`, { 'if-none-match': etag })).status).toBe(304)
    await hub.call(ada, 'PATCH', `/v1/repos/${name}`, { description: 'second' })
    const second = await open(`/${name}`, { 'if-none-match': etag })
    expect([second.status, second.text.includes('second')]).toEqual([200, true])
  })
})

describe('a link to the page of an account', () => {
  it('says who it is and what of theirs is public, with their picture', async () => {
    const bob = await hub.person()
    await hub.sql(`update accounts set name = $2 where id = $1`, [bob.id, 'Bob "the\u202e builder" <b>'])
    const org = await hub.org([{ user: bob.handle, role: 'owner' }])
    for (const visibility of ['public', 'private']) await hub.repo(bob, { visibility })
    const about = () => headOf(`/@${bob.handle}?x=1`)
    expect(await about()).not.toHaveProperty('og:image')
    expect(await about()).toMatchObject({
      ...{ description: 'A person with 1 public data set.', 'og:description': 'A person with 1 public data set.' },
      ...{ 'og:site_name': 'Hub', 'og:type': 'profile', 'profile:username': bob.handle, 'twitter:card': 'summary' },
      'og:title': `Bob "the builder" <b> (@${bob.handle})`,
      'og:url': `${hub.running.url}/@${bob.handle}`,
    })
    await hub.repo(bob, { kind: 'model', visibility: 'public' })
    for (const kind of ['robot', 'robot']) await hub.repo(bob, { kind, visibility: 'public' })
    await hub.sql(`update accounts set avatar_key = $2, avatar_bytes = 1 where id = $1`, [
      bob.id,
      `avatars/${bob.id}/images/00000000000001-aa.png`,
    ])
    expect(await about()).toMatchObject({
      'og:description': 'A person with 1 public data set, 1 public model, and 2 public robots.',
      'og:image': `${hub.running.url}/users/${bob.id}/avatar/00000000000001-aa.png`,
      'og:image:alt': `The picture of @${bob.handle}`,
    })
    await hub.repo(bob, { owner: org, visibility: 'public' })
    expect(await headOf(`/@${org}`)).toMatchObject({ 'og:description': 'An organization with 1 public data set.' })
    const { text } = await open(`/@${bob.handle}`)
    expect(text).not.toMatch(/<b>|\p{Bidi_Control}/u)
    // A program that asks for any type gets it too.
    const answer = await hub.send(null, 'GET', `/@${bob.handle}`, { headers: { accept: '*/*' } })
    expect(answer.text).toBe(text)
  })

  it('says as much as one to nobody where nothing of theirs is public, to every caller', async () => {
    const [quiet, gone] = [await hub.person(), await hub.person()]
    await hub.repo(quiet, { description: 'secret' })
    await hub.repo(gone, { visibility: 'public' })
    await hub.sql('update accounts set disabled_at = now() where id = $1', [gone.id])
    const told = async (handle: string, who: Person | null = null) => {
      const { status, text, headers } = await open(`/@${handle}`, {}, who)
      const kept = [...headers].filter(([header]) => !['date', 'x-request-id'].includes(header))
      return { status, text, headers: Object.fromEntries(kept) }
    }
    const nobody = await told(newName('none'))
    expect(nobody.text).toBe(generic)
    for (const handle of [quiet.handle, gone.handle, 'UPPER', 'v1']) expect(await told(handle)).toEqual(nobody)
    expect(await told(quiet.handle, quiet)).toEqual(nobody)
  })
})

describe('a link to what is not public', () => {
  it('is answered like one to nothing, to every caller', async () => {
    const name = await hub.repo(ada, { visibility: 'private', description: 'secret' })
    const told = async (path: string, who: Person | null = null) => {
      const { status, text, headers } = await open(path, {}, who)
      const kept = [...headers].filter(([header]) => !['date', 'x-request-id'].includes(header))
      return { status, text, headers: Object.fromEntries(kept) }
    }
    for (const page of ['', '/episodes?episode=0', '/tree/a', '/rollouts']) {
      const hidden = await told(`/${name}${page}`)
      expect(hidden).toEqual(await told(`/${ada.handle}/${newName('none')}${page}`))
      expect(hidden).toEqual(await told(`/${name}${page}`, ada))
      expect(hidden.text).toBe(generic)
    }
  })

  it.each(['/runs/run_01jz00000000000000000000000', '/ada/arm/settings', '/@ada', '/%00a/b', '/UPPER/case'])(
    'has the head of all pages at %s',
    async (path) => {
      expect((await open(path)).text).toBe(generic)
    },
  )
})

describe('a page whose head cannot be read', () => {
  const answer = async (head: Parameters<typeof sharedHead>[1], waitMs?: number) => {
    const { deps } = hub.running
    const app = Fastify()
    await registerPages(app, { objects: null, log: pino({ enabled: false }) }, sharedHead(deps, head, waitMs))
    const { statusCode, body } = await app.inject({ url: `/${name}`, headers: { accept: 'text/html' } })
    await app.close()
    return [statusCode, body === generic]
  }
  const limitAddress = async () => undefined
  let name: string
  beforeAll(async () => {
    name = await hub.repo(ada, { visibility: 'public' })
  })

  it('opens without it, and reads it where it can be', async () => {
    expect(await answer({ limitAddress, admit: (_request, work) => work() }, 60_000)).toEqual([200, false])
    expect(await answer({ limitAddress, admit: () => new Promise(() => {}) }, 1)).toEqual([200, true])
    const broken = async () => {
      throw new Error('a fault of the hub')
    }
    expect(await answer({ limitAddress, admit: broken })).toEqual([200, true])
    expect(await answer({ limitAddress: broken, admit: (_request, work) => work() })).toEqual([200, true])
  })
})

describe('an address that asks for too many pages', () => {
  const limited = contractHub({ RATE_LIMIT_PER_MINUTE: '10' })

  it('gets them without a head of their own', async () => {
    const page = async () => (await limited.send(null, 'GET', '/a/b', { headers: { accept: 'text/html' } })).status
    expect(await Promise.all([page(), page(), page(), page()])).toEqual([200, 200, 200, 200])
  })
})
