/** A worker takes a film, has the page drawn, and sends what it made. */
import { type FilmWorker, workOnFilms } from '@hub/check-worker/serve/film-work'
import type { CheckOutcome } from '@hub/check-worker/serve/serve-check'
import { createHubClient } from '@hub/client/internal'
import { beforeAll, expect, it } from 'vitest'
import { rolloutsOf } from '../rollouts/support.ts'
import { contractHub, type Person, sha256Of } from '../support/hub.ts'

const hub = contractHub()
const png = new TextEncoder().encode('a picture')
let ada: Person
let key: string
let robot: string
type Made = Parameters<NonNullable<FilmWorker['make']>>[0]

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await hub.repo(ada, { kind: 'robot' })
})

const ask = async (body: object): Promise<string> => {
  const repo = await hub.repo(ada)
  expect((await hub.call(ada, 'POST', `/v1/repos/${repo}/episode-films`, { robot, ...body })).status).toBe(202)
  return repo
}
const filmOf = async (repo: string) => (await hub.call(ada, 'GET', `/v1/repos/${repo}/episode-films`)).json.items[0]

async function work(make: NonNullable<FilmWorker['make']>): Promise<CheckOutcome[]> {
  const ended: CheckOutcome[] = []
  await workOnFilms({
    ...{ client: createHubClient({ url: hub.running.url, token: key }), token: key, program: '/bin/chromium' },
    ...{ name: 'box', owner: ada.handle, once: true, waitS: 1, stop: new AbortController().signal },
    ...{ logLine: () => {}, ended: (one) => ended.push(one), make },
  })
  return ended
}

it('opens the page of the episode on the robot with the map in use, and the hub has the bytes', async () => {
  const repo = await ask({ kind: 'still', episode: 3, frame: 40 })
  const asked: Made[] = []
  const outcomes = await work(async (request) => {
    asked.push(request)
    return { still: png, video: null }
  })
  const film = await filmOf(repo)
  expect(outcomes).toEqual([{ check: film.id, status: 'succeeded', error: null }])
  expect(asked).toMatchObject([
    { program: '/bin/chromium', hub: hub.running.url, token: key, frame: 40, video: false, size: { width: 640 } },
  ])
  expect(asked[0]?.path).toBe(`/${repo}/episodes?episode=3&frame=40&robot=${encodeURIComponent(robot)}&kept=0`)
  expect(await (await fetch(film.url)).text()).toBe('a picture')
})

it('sends the video where one is asked for, of ten seconds at most', async () => {
  const repo = await ask({ kind: 'video', episode: 1 })
  await work(async ({ video, mostS }) => {
    expect([video, mostS]).toEqual([true, 10])
    return { still: png, video: new TextEncoder().encode('a video') }
  })
  const film = await filmOf(repo)
  const answer = await fetch(film.url)
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['video/webm', 'a video'])
})

it('opens the page of a recorded rollout on the robot of its result, which stands on the model', async () => {
  const { model, robot: robotWithFiles, publish } = rolloutsOf(hub)
  const [from, on] = [await model(ada), await robotWithFiles(ada)]
  const motion = Buffer.from('a motion')
  const contents = [motion.toString('base64')]
  expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/blobs`, { contents })).status).toBe(200)
  const episodes = [{ seed: 3, sha256: sha256Of(motion), size: motion.length }]
  const { json: result } = await publish(ada, from, on, { episodes })
  const body = { kind: 'still', rollout: result.id, episode: 3, frame: 12 }
  expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/episode-films`, body)).status).toBe(202)
  const asked: string[] = []
  await work(async ({ path }) => {
    asked.push(path)
    return { still: png, video: null }
  })
  const one = encodeURIComponent(`${from.repo}/${result.id}`)
  expect(asked).toEqual([`/${on.repo}/rollouts?one=${one}&seed=3&kept=1&frame=12`])
  expect(await filmOf(from.repo)).toMatchObject({ rollout_id: result.id, episode: 3, status: 'succeeded' })
})

it('says why it made none', async () => {
  const repo = await ask({ kind: 'still', episode: 0 })
  await work(async () => {
    throw new Error('The page shows no robot at this frame.')
  })
  expect(await filmOf(repo)).toMatchObject({ status: 'failed', error: 'The page shows no robot at this frame.' })
})

it('goes on with other work where the hub does not keep its reason', async () => {
  const repo = await ask({ kind: 'still', episode: 0 })
  // Cut in the middle of a character: half of it is not text.
  const [outcome] = await work(async () => {
    throw new Error(`${'x'.repeat(3999)}🤖`)
  })
  expect(outcome?.status).toBe('failed')
  expect((await filmOf(repo)).error.length).toBeLessThanOrEqual(4000)
})

it('stops when another worker has the film, and tells nothing of it', async () => {
  const repo = await ask({ kind: 'still', episode: 0 })
  const outcomes = await work(async () => {
    await hub.sql(
      `update episode_films set attempt = attempt + 1, worker = 'other' where repo_id = (select id from repos where slug = $1)`,
      [repo.split('/')[1]],
    )
    return { still: png, video: null }
  })
  expect(outcomes).toMatchObject([{ status: 'lost', error: expect.stringContaining('Attempt 1') }])
  expect(await filmOf(repo)).toMatchObject({ status: 'running', worker: 'other' })
})

it('stops when the film is deleted meanwhile, and sends nothing of it', async () => {
  const repo = await ask({ kind: 'still', episode: 0 })
  const { id } = await filmOf(repo)
  const outcomes = await work(async () => {
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${repo}/episode-films/${id}`)).status).toBe(204)
    return { still: png, video: null }
  })
  expect(outcomes).toMatchObject([{ check: id, status: 'lost' }])
  expect(await filmOf(repo)).toBeUndefined()
})
