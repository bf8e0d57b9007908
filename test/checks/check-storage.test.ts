/** Contract, "Storage quota": what checks keep and what files are count in one sum, in both directions; what nothing names is collected. */
import { beforeAll, describe, expect, it } from 'vitest'
import { collectCheckObjects } from '../../src/jobs/collect-job-objects.ts'
import { abortStrays } from '../../src/jobs/collect-objects.ts'
import { checksOf, goodReport } from '../support/checks.ts'
import { contractHub, type Json, type Person, sha256Of, types } from '../support/hub.ts'

const QUOTA = 1000
/** Bytes of `arm.xml`. */
const ROBOT = 9
const hub = contractHub({ STORAGE_QUOTA_BYTES: String(QUOTA) })
const checks = checksOf(hub)
let ada: Person
let robot: string

/** An account that has a robot and nothing else. */
beforeAll(async () => {
  ada = await hub.person()
  robot = await checks.robot(ada)
})
const fresh = async () => {
  const person = await hub.person()
  return { person, robot: await checks.robot(person) }
}

const use = async (who: Person) => {
  const [row] = await hub.sql<{ stored: number }>('select storage_bytes::int as stored from accounts where id = $1', [
    who.id,
  ])
  return row?.stored
}
const presign = (who: Person, check: string, name: string, size: number) =>
  checks.post(who, check, 'artifacts', { files: [{ name, size }] })
const presignFile = (who: Person, repo: string, size: number) =>
  hub.call(who, 'POST', `/v1/repos/${repo}/files/presign-upload`, {
    files: [{ path: 'big.bin', size, sha256: sha256Of(`${size}`) }],
  })
const signal = new AbortController().signal
const collect = (youngMs?: number) => {
  const { deps } = hub.running
  if (!deps.objects) throw new Error('The hub has no store.')
  return collectCheckObjects(deps, deps.objects, signal, youngMs)
}
const keysOf = async (check: string): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of hub.running.deps.objects?.list(`robot-checks/${check}/`) ?? []) keys.push(key)
  return keys
}

describe('the storage quota of an account', () => {
  it('counts artifacts from their presigning on, and the log: a file that no longer fits is 413', async () => {
    const { person, robot } = await fresh()
    const check = await checks.claimed(person, robot)
    expect((await presign(person, check, 'meshes/a', 600)).status).toBe(200)
    await checks.report(person, check, { log_chunk: 'x'.repeat(100) })
    expect(await use(person)).toBe(ROBOT + 700)
    expect(types(await presignFile(person, robot, 300))).toEqual(['quota.storage'])
    expect((await presignFile(person, robot, 200)).status).toBe(200)
  })

  it('counts files and what uploads have reserved: an artifact or a log that no longer fits is 413, and nothing is kept', async () => {
    const { person, robot } = await fresh()
    const check = await checks.claimed(person, robot)
    expect((await presignFile(person, robot, 900)).status).toBe(200)
    expect(types(await presign(person, check, 'meshes/a', 100))).toEqual(['quota.storage'])
    const refused = await checks.post(person, check, 'report', { log_chunk: 'x'.repeat(100) })
    expect([refused.status, types(refused)]).toEqual([413, ['quota.storage']])
    expect([await use(person), await keysOf(check)]).toEqual([ROBOT, []])
    expect((await checks.read(person, check)).log_tail).toBeNull()
  })

  it('gives the last bytes to one of two reports at once', async () => {
    const { person, robot } = await fresh()
    const [one, other] = [await checks.claimed(person, robot), await checks.claimed(person, robot)]
    const answers = await Promise.all(
      [one, other].map((check) => checks.post(person, check, 'report', { log_chunk: 'x'.repeat(600) })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 413])
    expect(await use(person)).toBe(ROBOT + 600)
  })

  it('keeps one upload of a name: what was sent to one that is replaced is gone', async () => {
    const { person, robot } = await fresh()
    const check = await checks.claimed(person, robot)
    const uploads = async () => {
      const keys: string[] = []
      for await (const { key } of hub.running.deps.objects?.listUploads(new Date(Date.now() + 1000)) ?? [])
        if (key.includes(check)) keys.push(key)
      return keys
    }
    for (const size of [5, 6, 7]) expect((await presign(person, check, 'meshes/a', size)).status).toBe(200)
    await expect.poll(uploads).toHaveLength(1)
    expect(await use(person)).toBe(ROBOT + 7)
  })

  it('counts a name that is presigned again once, at its new size', async () => {
    const { person, robot } = await fresh()
    const check = await checks.claimed(person, robot)
    for (const size of [600, 900, 100]) expect((await presign(person, check, 'meshes/a', size)).status).toBe(200)
    expect(await use(person)).toBe(ROBOT + 100)
  })

  it.each(['canceled', 'failed', 'succeeded'])(
    'is free of artifacts that no report named once the check is %s',
    async (end) => {
      const { person, robot } = await fresh()
      const check = await checks.claimed(person, robot)
      await checks.send(person, check, 'meshes/kept', 'kept')
      await checks.report(person, check, { artifacts: [{ path: 'meshes/kept' }] })
      await checks.send(person, check, 'meshes/sent', 'x'.repeat(50))
      expect((await presign(person, check, 'meshes/promised', 500)).status).toBe(200)
      expect(await use(person)).toBe(ROBOT + 4 + 550)
      if (end === 'canceled') expect((await checks.post(person, check, 'cancel')).status).toBe(202)
      else await checks.report(person, check, { status: end, report: goodReport })
      expect(await use(person)).toBe(ROBOT + 4)
      const shown = (await checks.read(person, check)).artifacts
      expect(shown.map(({ path }: Json) => path)).toEqual(['meshes/kept'])
      expect(await (await fetch(shown[0].url)).text()).toBe('kept')
    },
  )
})

describe('the collection of the objects of checks', () => {
  it('deletes what no row names after an hour, and nothing that a row names', async () => {
    const check = await checks.claimed(ada, robot)
    // No row keeps a NUL: it is an object.
    await checks.report(ada, check, { log_chunk: 'a\0\n' })
    const replaced = await checks.send(ada, check, 'meshes/a', 'old')
    await checks.report(ada, check, { artifacts: [{ path: 'meshes/a' }] })
    const kept = await checks.send(ada, check, 'meshes/a', 'new')
    await checks.report(ada, check, { artifacts: [{ path: 'meshes/a' }] })
    expect(await keysOf(check)).toEqual(expect.arrayContaining([replaced, kept]))
    await collect()
    expect(await keysOf(check)).toHaveLength(3)
    await collect(-1000)
    const left = await keysOf(check)
    expect(left).toHaveLength(2)
    expect(left).toContain(kept)
    expect((await hub.send(ada, 'GET', `/v1/robot-checks/${check}/logs/download`)).text).toBe('a\0\n')
    expect(await (await fetch((await checks.read(ada, check)).artifacts[0].url)).text()).toBe('new')
  })

  it('deletes the log object of a report whose hub died before its transaction', async () => {
    const check = await checks.claimed(ada, robot)
    const { objects } = hub.running.deps
    const orphan = `robot-checks/${check}/logs/${String(Date.now()).padStart(14, '0')}-${'0'.repeat(20)}.log`
    await objects?.put(orphan, Buffer.from('lost'), { sizeBytes: 4, contentType: 'text/plain' })
    const foreign = `robot-checks/${check}/notes.txt`
    await objects?.put(foreign, Buffer.from('mine'), { sizeBytes: 4, contentType: 'text/plain' })
    await collect(-1000)
    expect(await keysOf(check)).toEqual([foreign])
  })

  it('aborts uploads of artifacts that no open row waits for', async () => {
    const { deps } = hub.running
    const { objects } = deps
    if (!objects) throw new Error('The hub has no store.')
    const [ended, open] = [await checks.claimed(ada, robot), await checks.claimed(ada, robot)]
    const begun = async (check: string) => {
      await presign(ada, check, 'meshes/a', 3)
      const [row] = await hub.sql<{ key: string; upload: string }>(
        'select storage_key as key, store_upload_id as upload from robot_check_artifacts where check_id = $1',
        [check],
      )
      return row as { key: string; upload: string }
    }
    const [left, waited] = [await begun(ended), await begun(open)]
    await checks.post(ada, ended, 'cancel')
    // A negative time to live stands for the days that pass.
    await abortStrays({ ...deps, config: { ...deps.config, uploadTtlSeconds: -60 } }, objects, signal)
    await expect(objects.listParts(left.key, left.upload)).rejects.toMatchObject({ code: 'no_such_upload' })
    expect(await objects.listParts(waited.key, waited.upload)).toEqual([])
  })
})
