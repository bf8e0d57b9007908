/** `hub data films` and `hub data film --delete`: what workers made of a data set, and how it goes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rolloutsOf } from '../rollouts/support.ts'
import { runHub } from '../support/command-line.ts'
import { sha256Of } from '../support/hub.ts'
import { filmHub, png } from './support/film-hub.ts'

const { hub, people, ask, claim, made, list } = filmHub()
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hub-films-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const run = (...args: string[]) => runHub(args, { HUB_URL: hub.running.url, HUB_TOKEN: people().ada.token, HOME: home })

it('lists films with their states and addresses, and deletes one that is there and one that waits', async () => {
  const repo = await hub.repo(people().ada)
  const there = await made(repo, { frame: 7 })
  const { json: waits } = await ask(repo, { kind: 'video', episode: 2 })
  const address = `${hub.running.url}/v1/repos/${repo}/episode-films/${there.id}/file`
  expect((await run('data', 'films', repo)).out).toBe(
    `${waits.id}  video  queued     episode 2\n` +
      `${there.id}  still  succeeded  episode 0, frame 7  ${png.length} B  ${address}\n2 films\n`,
  )
  expect((await run('data', 'films', repo, '--episode', '2')).out).toContain('1 film\n')
  expect(JSON.parse((await run('data', 'films', repo, '--json')).out).films).toHaveLength(2)
  expect((await run('data', 'film', repo, '--delete', waits.id)).out).toBe(`deleted the film ${waits.id} of ${repo}\n`)
  expect((await run('data', 'film', repo, '--delete', there.id, '--json')).out).toContain(there.id)
  expect(await list(repo)).toEqual([])
  const again = await run('data', 'film', repo, '--delete', there.id)
  expect([again.code === 0, again.err]).toEqual([false, expect.stringContaining(there.id)])
  const both = await run('data', 'film', repo, '--delete', there.id, '--on-hub', 'still')
  expect([both.code === 0, both.err]).toEqual([false, expect.stringContaining('leave out --on-hub')])
})

it('asks for a film of a recorded rollout, says where it is, and lists it', async () => {
  const { ada } = people()
  const { model, robot, publish } = rolloutsOf(hub)
  const [from, on] = [await model(ada), await robot(ada)]
  const motion = Buffer.from('a motion')
  const contents = [motion.toString('base64')]
  expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/blobs`, { contents })).status).toBe(200)
  const episodes = [{ seed: 3, sha256: sha256Of(motion), size: motion.length }]
  const { json: result } = await publish(ada, from, on, { episodes })
  const there = await made(from.repo, { rollout: result.id, episode: 3, robot: null, kind: 'video' })
  const address = `${hub.running.url}/v1/repos/${from.repo}/episode-films/${there.id}/file`
  const asked = ['data', 'film', from.repo, '--rollout', result.id]
  const again = await run(...asked, '--episode', '3', '--on-hub', 'video')
  expect([again.code, again.out]).toEqual([0, `${address}\n`])
  expect(again.err).toContain(`asked for a video of seed 3 of ${result.id} of ${from.repo} on ${on.repo}`)
  expect((await run('data', 'films', from.repo, '--rollout', result.id)).out).toBe(
    `${there.id}  video  succeeded  seed 3 of ${result.id}  ${png.length} B  ${address}\n1 film\n`,
  )
  const refused = await Promise.all([
    run(...asked, '--episode', '1', '--on-hub', 'still'),
    run(...asked, '--still', 'a.png'),
    run(...asked, '--robot', on.repo, '--on-hub', 'still'),
  ])
  expect(refused.map(({ code, err }) => [code === 0, err])).toEqual([
    [false, expect.stringContaining('keeps no motion of seed 1')],
    [false, expect.stringContaining('--on-hub')],
    [false, expect.stringContaining('leave out --robot')],
  ])
  expect(await claim()).toBeNull()
})
