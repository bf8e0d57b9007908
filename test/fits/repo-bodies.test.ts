/** The body of a repo is that of its card, or of the file that it has now, whatever way the file came, changed or went. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { compareNewBodies, dropLostBodies, readPendingBodies } from '../../src/jobs/bodies-read.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { bodyRepos, bodyRow, contract, info } from './support/bodies.ts'

const hub = contractHub()
let ada: Person
const signal = new AbortController().signal
const { model, dataset, robot } = bodyRepos(hub, () => ada)

beforeAll(async () => {
  ada = await hub.person()
})

const names = async (repo: string) => (await bodyRow(hub, repo))?.body?.joints.map(({ name }: Json) => name) ?? null
const isPending = async (repo: string) => (await bodyRow(hub, repo))?.pending
const post = async (repo: string, route: string, body: unknown) =>
  expect((await hub.call(ada, 'POST', `/v1/repos/${repo}/${route}`, body)).status).toBe(200)
const base64 = (text: string) => Buffer.from(text).toString('base64')
const commit = (repo: string, path: string, text: string) =>
  post(repo, 'commits', { message: 'm', add: [{ path, content: base64(text) }] })
const read = () => readPendingBodies(hub.running.deps, signal)

describe('the body of a repo is kept with the change that brings it:', () => {
  it('of uploads, by the kind of the repo, with the file and the change', async () => {
    const made = await model()
    expect(await bodyRow(hub, made)).toMatchObject({ path: 'contract.json', seq: 1, pending: false })
    expect(await names(made)).toEqual(['shoulder', 'elbow'])
    expect(await names(await dataset(['elbow.pos', 'grip.pos']))).toEqual(['elbow.pos', 'grip.pos'])
    const arm = await robot()
    expect(await bodyRow(hub, arm)).toMatchObject({ path: null, seq: null, pending: false })
    expect(await names(arm)).toEqual(['shoulder', 'elbow'])
  })

  it('of a commit; a manifest counts where there is no contract', async () => {
    const repo = await hub.repo(ada, { kind: 'model' })
    const manifest = JSON.stringify({ contract: JSON.parse(contract({ joint_order: ['a'] })) })
    await commit(repo, 'manifest.json', manifest)
    expect(await names(repo)).toEqual(['a'])
    await commit(repo, 'contract.json', contract({ joint_order: ['b'] }))
    expect(await names(repo)).toEqual(['b'])
    await commit(repo, 'manifest.json', '{}')
    expect([await names(repo), await isPending(repo)]).toEqual([['b'], false])
    await post(repo, 'commits', { message: 'd', delete: ['contract.json'] })
    expect(await isPending(repo)).toBe(true)
    await read()
    expect([await names(repo), await isPending(repo)]).toEqual([null, false])
  })

  it('of nothing that names no joints, is too large or is not JSON: no such file fails a change', async () => {
    const repo = await hub.repo(ada, { kind: 'model' })
    const wide = Array.from({ length: 3000 }, (_, at) => `joint_${at}`)
    const deep = `{"contract": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    for (const text of ['{}', 'x', contract({ joint_order: wide }), contract({ joint_order: ['\ud800'] }), deep]) {
      await hub.upload(ada, repo, { 'contract.json': text })
      expect([await names(repo), await isPending(repo)]).toEqual([null, false])
    }
    const far = info()
      .replace('["shoulder","elbow"]', '{"shoulder":0,"elbow":4000000000}')
      .replace('[2]', '[4000000001]')
    const data = await hub.repo(ada)
    await hub.upload(ada, data, { 'meta/info.json': far })
    expect([await names(data), await isPending(data)]).toEqual([null, false])
  })

  it('of a card that is put again without an interface: it goes', async () => {
    const arm = await robot()
    await hub.call(ada, 'PUT', `/v1/robots/${arm}/card`, { dof: 2, actuators: [] })
    expect(await names(arm)).toBeNull()
  })
})

describe('a body that no change has read', () => {
  it('is read by a job, also after the store did not give it, and stays on its list until then', async () => {
    const repo = await model()
    await hub.upload(ada, repo, { 'contract.json': contract({ joint_order: ['late'] }) })
    const { objects } = hub.running.deps
    if (!objects) throw new Error('The hub has no store.')
    await post(repo, 'restore', { at: '1' })
    expect(await isPending(repo)).toBe(true)
    const get = vi.spyOn(objects, 'get').mockImplementation(() => Promise.reject(new Error('the store is away')))
    await read().finally(() => get.mockRestore())
    expect(await isPending(repo)).toBe(true)
    await Promise.all([read(), read()])
    expect([await names(repo), await isPending(repo)]).toEqual([['shoulder', 'elbow'], false])
  })

  it('is that of an older hub, robots too; a repo without such a file is read once', async () => {
    const repos = [await model(), await dataset(), await robot(), await hub.repo(ada)]
    await hub.sql('delete from repo_bodies')
    await hub.sql('update repos set body_pending = true')
    await read()
    const found = await Promise.all(repos.map(async (repo) => [await names(repo), await isPending(repo)]))
    const both = ['shoulder', 'elbow']
    expect(found).toEqual([...[both, both, both].map((joints) => [joints, false]), [null, false]])
  })
})

describe('bodies', () => {
  it('are not compared while no repo has them, and are once one has them again', async () => {
    const own = { joint_order: ['shoulder', 'elbow'], control_rate_hz: 37 }
    const policy = await model(own)
    await commit(policy, 'contract.json', contract({ ...own, control_rate_hz: 36 }))
    await robot({ control_rate_hz: 38 })
    const rated = (body: string, rate: number) => `${body}.body::text like '%"rateHz":${rate},%'`
    const compared = async (rate: number) =>
      (
        await hub.sql(
          `select from body_fits f join bodies s on not s.is_robot and s.fingerprint = f.source_fingerprint
           join bodies r on r.is_robot and r.fingerprint = f.robot_fingerprint where ${rated('s', rate)} and ${rated('r', 38)}`,
        )
      ).length
    await compareNewBodies(hub.running.deps, signal)
    expect([await compared(37), await compared(36)]).toEqual([0, 1])
    await model(own)
    expect(await compared(37)).toBe(1)
  })

  it('are compared once for each pair of the same joints, and dropped with the last repo that has them', async () => {
    const own = { joint_order: ['shoulder', 'elbow'], control_rate_hz: 49 }
    const [policy, arm] = [await model(own), await robot({ control_rate_hz: 48 })]
    const verdicts = () =>
      hub.sql<Json>(
        `select f.verdict from body_fits f join repo_bodies a on a.fingerprint = f.source_fingerprint
         join repos s on s.id = a.repo_id join repo_bodies b on b.fingerprint = f.robot_fingerprint
         join repos t on t.id = b.repo_id where s.slug = $1 and t.slug = $2`,
        [policy.split('/')[1], arm.split('/')[1]],
      )
    // The robot takes fewer commands a second than the policy needs.
    expect(await verdicts()).toEqual([{ verdict: 'none' }])
    await hub.sql('delete from body_fits')
    await compareNewBodies(hub.running.deps, signal)
    expect(await verdicts()).toEqual([{ verdict: 'none' }])
    expect((await bodyRow(hub, policy))?.fits_pending).toBe(false)
    await hub.sql('delete from repo_bodies b using repos r where r.id = b.repo_id and r.slug = $1', [
      policy.split('/')[1],
    ])
    await dropLostBodies(hub.running.deps, new AbortController().signal)
    const kept = async (rate: number) =>
      (await hub.sql(`select from bodies where body::text like '%"rateHz":${rate},%'`)).length
    expect([await kept(49), await kept(48), await verdicts()]).toEqual([0, 1, []])
  })
})
