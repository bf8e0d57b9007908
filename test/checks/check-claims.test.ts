/** Spec, "POST /v1/robot-checks/{check_id}/claim" and "…/cancel"; contract, "Claims and leases". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, sha256Of, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
let robot: string
const files = { 'arm.xml': '<mujoco/>', 'meshes/a.stl': 'solid a' }

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await newRobot()
})

async function newRobot(): Promise<string> {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, files)
  return name
}
const queue = async (robot_repo = robot): Promise<string> => {
  const asked = { kind: 'robot', robot_repo, entry: 'arm.xml', control_hz: 50, action: 'position' }
  return (await hub.call(ada, 'POST', '/v1/robot-checks', asked)).json.id
}
const post = (who: Who, check: string, verb: string, body?: Json) =>
  hub.call(who, 'POST', `/v1/robot-checks/${check}/${verb}`, body)
const claim = (who: Who, check: string, worker = 'box') => post(who, check, 'claim', { worker })

describe('claimRobotCheck', () => {
  it('moves a queued check to running, and answers its files with URLs of exactly those bytes', async () => {
    const claimed = await claim(key, await queue())
    expect([claimed.status, claimed.json.status, claimed.json.claimed_by]).toEqual([200, 'running', 'box'])
    for (const time of ['claimed_at', 'started_at', 'heartbeat_at']) expect(claimed.json[time]).toMatch(/Z$/)
    const shown = claimed.json.sources.map(({ path, sha256, size }: Json) => ({ path, sha256, size }))
    expect(shown).toEqual(
      Object.entries(files).map(([path, text]) => ({ path, sha256: sha256Of(text), size: text.length })),
    )
    for (const { path, url } of claimed.json.sources)
      expect(await (await fetch(url)).text()).toBe(files[path as keyof typeof files])
  })

  it('answers the bytes of the moment that it was queued, whatever the repo holds by now', async () => {
    const name = await newRobot()
    const check = await queue(name)
    await hub.upload(ada, name, { 'arm.xml': '<mujoco model="new"/>', 'later.txt': 'x' })
    await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['meshes/a.stl'] })
    const { sources } = (await claim(key, check)).json
    expect(sources.map(({ path, sha256 }: Json) => [path, sha256])).toEqual(
      Object.entries(files).map(([path, text]) => [path, sha256Of(text)]),
    )
    expect(await (await fetch(sources[0].url)).text()).toBe('<mujoco/>')
  })

  it('is won by one of many at once; the others are told who holds it', async () => {
    const check = await queue()
    const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => claim(at % 2 ? key : ada, check, `w${at}`)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    for (const lost of answers.filter(({ status }) => status !== 200)) {
      expect([lost.status, types(lost)]).toEqual([409, ['conflict.already_claimed']])
      expect(lost.json.errors[0].holder).toBe(won[0]?.json.claimed_by)
    }
  })

  it('is 404 for a caller who does not see the check, 403 without the scope, 422 without a name', async () => {
    const check = await queue()
    expect((await claim(await hub.person(), check)).status).toBe(404)
    expect((await claim(await hub.key(ada, { scope: 'read' }), check)).status).toBe(403)
    expect((await post(key, check, 'claim', {})).status).toBe(422)
    expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.status).toBe('queued')
  })

  it('shows its sources to nobody else', async () => {
    const check = await queue()
    await claim(key, check)
    const seen = await hub.graphql(ada, 'query ($id: ID!) { robotCheck(id: $id) { sources { path } } }', { id: check })
    expect(seen.data.robotCheck.sources).toBeNull()
  })
})

describe('claimNextRobotCheck', () => {
  it('takes the oldest of the account, and answers 204 where there is none', async () => {
    const eve = await hub.person()
    const name = await hub.repo(eve, { kind: 'robot' })
    await hub.upload(eve, name, files)
    const asked = { kind: 'robot', robot_repo: name, entry: 'arm.xml', control_hz: 50, action: 'position' }
    const ids: string[] = []
    for (let at = 0; at < 2; at += 1) ids.push((await hub.call(eve, 'POST', '/v1/robot-checks', asked)).json.id)
    const next = () => hub.call(eve, 'POST', '/v1/robot-checks/claim-next', { worker: 'box' })
    const first = await next()
    expect([first.json.id, first.json.sources.length]).toEqual([ids[0], 2])
    expect((await next()).json.id).toBe(ids[1])
    expect((await next()).status).toBe(204)
  })

  it('waits for a check that is queued meanwhile', async () => {
    const eve = await hub.person()
    const name = await hub.repo(eve, { kind: 'robot' })
    await hub.upload(eve, name, files)
    const waiting = hub.call(eve, 'POST', '/v1/robot-checks/claim-next', { worker: 'box', wait_s: 20 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const asked = { kind: 'robot', robot_repo: name, entry: 'arm.xml', control_hz: 50, action: 'position' }
    const made = await hub.call(eve, 'POST', '/v1/robot-checks', asked)
    expect((await waiting).json.id).toBe(made.json.id)
  })
})

describe('cancelRobotCheck', () => {
  it.each(['queued', 'running'])('ends a %s check at once: 202, and its repo may be deleted', async (state) => {
    const name = await newRobot()
    const check = await queue(name)
    if (state === 'running') await claim(key, check)
    const canceled = await post(ada, check, 'cancel')
    expect([canceled.status, canceled.json.status]).toEqual([202, 'canceled'])
    expect(canceled.json.finished_at).toMatch(/Z$/)
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
    expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.robot_repo.full_name).toBe(name)
  })

  it('is 409 `conflict.terminal` for one that has ended, which nobody claims any more', async () => {
    const check = await queue()
    await post(ada, check, 'cancel')
    for (const refused of [await post(ada, check, 'cancel'), await claim(key, check)])
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.terminal']])
  })
})
