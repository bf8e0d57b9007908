/** What a hosted process gets of the machine: a folder, an environment and a user of its own, and one of so many places. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { processFault } from '../../src/hosting/process/process-settings.ts'
import { readConfig } from '../../src/platform/config.ts'
import { processMark } from '../../src/store/start-lock.ts'
import { testDb } from '../support/database.ts'
import { contractHub, type Person } from '../support/hub.ts'
import { givesUids, isRoot } from '../support/open-folder.ts'

const notRoot = !isRoot && 'only root starts processes as another user'
const patiently = { interval: 50 }

/** Where the commands of this file write, whoever they run as. */
const dir = mkdtempSync(join(tmpdir(), 'hub-hosted-test-'))
const out = join(dir, 'out')
mkdirSync(out)
chmodSync(dir, 0o755)
chmodSync(out, 0o777)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const said = (name: string) => (existsSync(join(out, name)) ? readFileSync(join(out, name), 'utf8') : null)
const says = (name: string) => expect.poll(() => said(name), patiently)

/** Says what it sees, tries what it must not, leaves a process behind, and stays until it is told to go. */
const script = join(dir, 'function.sh')
writeFileSync(
  script,
  `cd "${out}" || exit 9
env > "$HUB_JOB_ID.env"
id -u > "$HUB_JOB_ID.uid"
cat "/proc/$(awk '{print $4}' /proc/$PPID/stat)/environ" > "$HUB_JOB_ID.environ" 2> "$HUB_JOB_ID.refused"
sleep 1000 & echo $! > "$HUB_JOB_ID.child"
touch "$HOME/left" && pwd > "$HUB_JOB_ID.started"
while [ ! -e "$HUB_JOB_ID.go" ]; do sleep 0.02; done
`,
)
chmodSync(script, 0o755)

const settings = { HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', HOSTED_COMMAND: `sh "${script}"` }

function hosting(more: Record<string, string>) {
  const hub = contractHub({ ...settings, ...more })
  let ada: Person
  beforeAll(async () => {
    ada = await hub.person()
  })
  return {
    hub,
    async submit(): Promise<string> {
      const recipe = { template: 'act', executor: 'hosted', max_hours: 1 }
      const { json } = await hub.call(ada, 'POST', '/v1/runs', { recipe })
      return json.id
    },
    run: async (id: string) => (await hub.call(ada, 'GET', `/v1/runs/${id}`)).json,
    go: (id: string) => writeFileSync(join(out, `${id}.go`), ''),
    environment: (id: string): Record<string, string> =>
      Object.fromEntries((said(`${id}.env`) ?? '').split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2))),
  }
}

const isAlive = (pid: number) => {
  try {
    // A zombie, whose parent has not asked for it yet, is no longer at work.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a hosted process', () => {
  const { submit, run, go, environment } = hosting({})

  it('has a folder of its own that goes with it, an environment that is listed, and leaves nobody behind', async () => {
    process.env.HUB_TEST_SECRET = 'of the hub'
    const id = await submit()
    await says(`${id}.started`).not.toBeNull()
    const { HOME = '', ...env } = environment(id)
    const shellsOwn = ['PWD', 'OLDPWD', 'SHLVL', '_']
    const listed = ['PATH', 'TMPDIR', 'HUB_URL', 'HUB_TOKEN']
    const ofJob = ['HUB_JOB_KIND', 'HUB_JOB_ID', 'HUB_CALL_ID', 'HUB_JOB_TEMPLATE']
    const names = Object.keys(env).filter((name) => name !== '')
    expect(names.filter((name) => ![...shellsOwn, ...listed, ...ofJob].includes(name))).toEqual([])
    expect(HOME).toMatch(/hub-hosted-/)
    expect([env.TMPDIR, existsSync(join(HOME, 'left'))]).toEqual([HOME, true])
    const child = Number(said(`${id}.child`))
    expect(isAlive(child)).toBe(true)
    go(id)
    await expect.poll(() => existsSync(HOME), patiently).toBe(false)
    await expect.poll(() => isAlive(child), patiently).toBe(false)
    await expect.poll(async () => (await run(id)).status, patiently).toBe('failed')
  })
})

describe('more hosted runs than HOSTED_MAX_PROCESSES', () => {
  const { hub, submit, run, go } = hosting({ HOSTED_MAX_PROCESSES: '2' })

  it('wait in the queue, oldest first, and start as places are left', async () => {
    const ids: string[] = []
    for (let at = 0; at < 5; at += 1) ids.push(await submit())
    const startedOf = () => ids.filter((id) => said(`${id}.started`) !== null)
    await expect.poll(startedOf, patiently).toHaveLength(2)
    const waiting = ids.filter((id) => !startedOf().includes(id))
    const job = {
      name: '',
      text: `select count(distinct data ->> 'jobId')::int as n from pgboss.job
        where name = 'hosted-dispatch' and state = 'completed' and data ->> 'jobId' = any($1)`,
    }
    await expect.poll(() => hub.running.deps.db.query(job, [ids]), patiently).toEqual([{ n: 5 }])
    for (const id of waiting)
      expect(await run(id)).toMatchObject({ status: 'queued', error: null, dispatched_at: null })
    expect(startedOf()).toHaveLength(2)
    while (startedOf().length < ids.length) {
      const before = startedOf()
      go(before.find((id) => said(`${id}.go`) === null) ?? '')
      await expect.poll(startedOf, patiently).toHaveLength(before.length + 1)
    }
    for (const id of ids) go(id)
    await expect
      .poll(async () => (await Promise.all(ids.map(run))).map(({ status }) => status), patiently)
      .toEqual(ids.map(() => 'failed'))
    // The end is recorded first; folder and note go after it.
    await expect.poll(() => readdirSync(join(hub.running.deps.config.dataDir, 'hosted')), patiently).toEqual([])
  })
})

describe("an attack: a hosted process that reads the hub's secrets", needs(notRoot), () => {
  const { submit, go, environment } = hosting({ HOSTED_USER: 'nobody', HOSTED_UIDS: 'off' })

  it('is another user, to whom the environment of the hub is closed', async () => {
    const id = await submit()
    await says(`${id}.started`).not.toBeNull()
    expect(Number(said(`${id}.uid`))).not.toBe(0)
    expect(said(`${id}.environ`)).toBe('')
    expect(said(`${id}.refused`)).toContain('Permission denied')
    const { HOME = '' } = environment(id)
    go(id)
    await expect.poll(() => existsSync(HOME), patiently).toBe(false)
  })
})

describe('places', () => {
  it('are kept by processes of a former hub until they end; what is left of ended ones is removed', async () => {
    const dataDir = mkdtempSync(join(dir, 'data-'))
    const [running, over] = [mkdtempSync(join(dir, 'hub-hosted-')), mkdtempSync(join(dir, 'hub-hosted-'))]
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
    await once(child, 'spawn')
    mkdirSync(join(dataDir, 'hosted'))
    const note = (call: string, mark: string, folder: string) =>
      writeFileSync(join(dataDir, 'hosted', call), JSON.stringify({ mark, folder, jobId: 'run_1' }))
    note('call_1', await processMark(child.pid ?? 0), running)
    note('call_2', `${child.pid} of another time`, over)
    for (const folder of [running, over]) {
      mkdirSync(join(folder, 'work'))
      writeFileSync(join(folder, 'work/.started'), '')
    }
    const config = readConfig({ HUB_DATA_DIR: dataDir, HOSTED_MAX_PROCESSES: '1' })
    const places = await openProcessBackend(config, pino({ level: 'silent' }))
    const ended: string[] = []
    await places.attend(async ({ callId }) => void ended.push(callId))
    let tries = 0
    const hasRoom = async () => {
      tries += 1
      const callId = `call_try_${tries}`
      const room = await places.reserve({ callId, jobId: 'run_2' })
      await places.release(callId)
      return room === 'reserved'
    }
    expect([existsSync(running), existsSync(over)]).toEqual([true, false])
    expect(await hasRoom()).toBe(false)
    child.kill('SIGKILL')
    await expect.poll(hasRoom, patiently).toBe(true)
    expect([existsSync(running), readdirSync(join(dataDir, 'hosted')), ended]).toEqual([
      false,
      [],
      ['call_2', 'call_1'],
    ])
    await places.close()
  })
})

describe('HOSTED_USER', () => {
  const database = testDb()

  it(
    'is refused at start where the hub is not root',
    needs(isRoot && 'root may start processes as another user'),
    () => {
      expect(() => readConfig({ HOSTED_USER: 'nobody' })).toThrow(/HOSTED_USER: only a hub that runs as root/)
    },
  )

  it('is a user of the machine and not root', needs(notRoot), () => {
    expect(() => readConfig({ HOSTED_USER: 'nobody-there' })).toThrow(/HOSTED_USER: nobody-there is not a user/)
    expect(() => readConfig({ HOSTED_USER: 'root' })).toThrow(/HOSTED_USER: root is root/)
    expect(() => readConfig({ HOSTED_USER: '-u' })).toThrow(/HOSTED_USER: must be a user name/)
  })

  it('is not the user of the embedded database', needs(notRoot), async () => {
    const dataDir = mkdtempSync(join(dir, 'data-'))
    const config = readConfig({ ...settings, HUB_DATA_DIR: dataDir, HOSTED_USER: 'nobody', HOSTED_UIDS: 'off' })
    expect(processFault(config)).toBeNull()
    mkdirSync(join(dataDir, 'postgres'))
    await promisify(execFile)('chown', ['nobody', join(dataDir, 'postgres')])
    expect(processFault(config)).toContain('HOSTED_USER nobody is the user of the embedded PostgreSQL')
    expect(processFault({ ...config, databaseUrl: 'postgresql://elsewhere' })).toBeNull()
  })

  it('has doctor say who calls run as, and warn where that is one user', async () => {
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, HUB_SECRET: 's'.repeat(32), OBJECT_STORE: 'none' }
    const doctor = async (more: Record<string, string>) => {
      const hub = join(import.meta.dirname, '../../src/operator/hub.ts')
      const { stdout } = await promisify(execFile)(process.execPath, [hub, 'doctor', '--json'], {
        env: { ...env, ...more },
      })
      return JSON.parse(stdout)
    }
    const warned = (text: string) => ({
      ok: true,
      hosted: { warning: expect.stringContaining(text) },
      checks: expect.arrayContaining([expect.objectContaining({ name: 'hosting', status: 'warn' })]),
    })
    const off = { ...settings, HOSTED_UIDS: 'off' }
    expect(await doctor(off)).toMatchObject(warned('one trust domain with it'))
    expect(await doctor({})).toMatchObject({ hosted: { warning: null } })
    if (isRoot)
      expect(await doctor({ ...off, HOSTED_USER: 'nobody' })).toMatchObject(warned('are one trust domain: each can'))
    if (!givesUids) return
    const detail = 'process, each call with a uid of its own (70000-79999)'
    expect(await doctor(settings)).toMatchObject({
      hosted: { warning: null },
      checks: expect.arrayContaining([{ name: 'hosting', status: 'ok', detail, fix: null }]),
    })
  })
})
