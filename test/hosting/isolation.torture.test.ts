// @module-tag long
/** What hosted calls of a hub that runs as root can see of each other, of the hub and of its data: nothing. The hub is a process of its own, with its own database and disk store. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openCallNotes } from '../../src/hosting/process/call-notes.ts'
import { processesByUid } from '../../src/hosting/process/user-processes.ts'
import { freePort } from '../support/free-port.ts'
import { kill } from '../support/killable-hub.ts'
import { endLeftCalls } from '../support/left-calls.ts'
import { asRoot, givesUids, openFolder } from '../support/open-folder.ts'

const root = join(import.meta.dirname, '../..')
const patiently = { timeout: 100_000, interval: 50 }
/** Numbers that no other test takes: three, so that a third call has the last one. */
const FIRST_UID = 83_000 + 3 * (process.pid % 300)

/** Everyone can enter the folder above the data: only the modes of what is in it keep others out. */
const base = givesUids ? openFolder('hub-isolation-') : ''
const dataDir = join(base, 'data')
const notes = openCallNotes(dataDir)
/** Where calls say what they are, and do what the test asks. */
const said = (job: string, what: string) => join(base, `${job}.${what}`)
const read = (job: string, what: string) => readFileSync(said(job, what), 'utf8').trim()

const script = join(base, 'function.sh')
const program = `cd "${base}" || exit 9
me="$HUB_JOB_ID"
echo private > "$HOME/private"
setsid sh -c 'echo $$ > "$1.daemon"; exec sleep 1000' sh "$me" &
{ id -u; id -G; umask; } > "$me.ids"
echo "$HOME" > "$me.home"
echo $$ > "$me.pid"
until [ -s "$me.daemon" ]; do sleep 0.02; done
touch "$me.ready"
until [ -e "$me.attempts" ]; do sleep 0.05; done
sh "$me.attempts" > "$me.trying" 2>/dev/null
mv "$me.trying" "$me.tried"
until [ -e "$me.go" ]; do sleep 0.05; done
`

interface Victims {
  /** Another call: its process and folder. */
  readonly pid: string
  readonly home: string
  readonly hubPid: number
  readonly databasePid: string
  /** A file of an object. */
  readonly object: string
}

/** By what is attempted: a command that succeeds for a user who is allowed it. */
const attempts = ({ pid, home, hubPid, databasePid, object }: Victims): Record<string, string> => ({
  "read another call's environment": `grep -q HUB_TOKEN /proc/${pid}/environ`,
  "open another call's memory": `: < /proc/${pid}/mem`,
  "list another call's files": `ls ${home}/`,
  "read another call's files": `cat ${home}/private`,
  "read another call's files through its process": `cat /proc/${pid}/root/${home}/private`,
  'signal another call': `kill -0 ${pid}`,
  "read the hub's environment": `grep -q HUB_SECRET /proc/${hubPid}/environ`,
  "list the hub's open files": `ls /proc/${hubPid}/fd`,
  'signal the hub': `kill -0 ${hubPid}`,
  'list the data folder': `ls ${dataDir}`,
  "read the notes of the hub's calls": `cat ${dataDir}/hosted/*`,
  'list the objects': `ls ${dataDir}/objects/objects`,
  'read an object': `cat ${object}`,
  'list the uploads under way': `ls ${dataDir}/objects/uploads ${dataDir}/objects/tmp`,
  'read the password of the database': `cat ${dataDir}/postgres/password`,
  'read the files of the database': `cat ${dataDir}/postgres/data/PG_VERSION`,
  'read the files of the database through its process': `cat /proc/${databasePid}/cwd/PG_VERSION`,
})
const namesOfAttempts = Object.keys(attempts({ pid: '', home: '', hubPid: 0, databasePid: '', object: '' }))

const textOfAttempts = (victims: Victims) =>
  Object.entries(attempts(victims))
    .map(
      ([name, command]) =>
        `if (${command}) > /dev/null 2>&1; then echo "${name}: allowed"; else echo "${name}: refused"; fi\n`,
    )
    .join('')
const outcomes = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(': ')),
  )

describe('hosted calls', needs(!givesUids && asRoot), () => {
  let port: number
  let hub: ChildProcess
  let token: string
  let object: string
  let one: string
  let two: string

  /** As `npm start` does; resolves with what it printed until it listened. */
  async function startHub(): Promise<string> {
    hub = spawn(process.execPath, ['src/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: base,
        PORT: String(port),
        HUB_DATA_DIR: dataDir,
        HUB_SECRET: 'a secret of more than thirty-two characters',
        HOSTED_APP_NAME: 'coach',
        HOSTED_COMMAND: `exec sh "${script}"`,
        HOSTED_UIDS: `${FIRST_UID}-${FIRST_UID + 2}`,
        HOSTED_MAX_PROCESSES: '3',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    hub.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    await vi.waitFor(() => expect(printed).toContain('The hub listens on'), patiently)
    return printed
  }

  /** A run of the operator, whose call is at work. */
  async function started(): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipe: { template: 'act', executor: 'hosted', max_hours: 1 } }),
    })
    const { id } = await answer.json()
    await vi.waitFor(() => expect(existsSync(said(id, 'ready'))).toBe(true), patiently)
    return id
  }

  const databasePid = () => readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0] ?? ''
  const victims = (other: string): Victims => ({
    ...{ pid: read(other, 'pid'), home: read(other, 'home') },
    ...{ hubPid: hub.pid ?? 0, databasePid: databasePid(), object },
  })
  /** What a call is allowed of another and of the hub. */
  async function tried(job: string, other: string): Promise<Record<string, string>> {
    // The call looks for this name, and must never find half a file.
    writeFileSync(said(job, 'writing'), textOfAttempts(victims(other)))
    renameSync(said(job, 'writing'), said(job, 'attempts'))
    await vi.waitFor(() => expect(existsSync(said(job, 'tried'))).toBe(true), patiently)
    return outcomes(read(job, 'tried'))
  }

  beforeAll(async () => {
    writeFileSync(script, program)
    port = await freePort()
    // As it was made by a hub that left it open.
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    token = /^ {4}(\S+)$/m.exec(await startHub())?.[1] ?? ''
    const push = ['src/operator/hub.ts', 'push', 'examples/robot', 'hub/gripper', '--kind', 'robot']
    const env = { PATH: process.env.PATH, HOME: base, HUB_URL: `http://127.0.0.1:${port}`, HUB_TOKEN: token }
    await promisify(execFile)(process.execPath, push, { cwd: root, env })
    object = filesUnder(join(dataDir, 'objects/objects'))[0] ?? ''
    ;[one, two] = await Promise.all([started(), started()])
  })
  afterAll(async () => {
    if (hub) await kill(hub)
    await endLeftCalls(dataDir)
    // The database outlives a hub that is killed.
    if (existsSync(join(dataDir, 'postgres/data/postmaster.pid'))) process.kill(Number(databasePid()), 'SIGQUIT')
  })

  it('each have a uid and a group of their own, no other group, and write for nobody else', () => {
    const [a, b] = [read(one, 'ids'), read(two, 'ids')].map((text) => text.split('\n'))
    for (const ids of [a, b]) expect(ids).toEqual([ids?.[0], ids?.[0], '0077'])
    const range = [FIRST_UID, FIRST_UID + 1, FIRST_UID + 2].map(String)
    expect(new Set([a?.[0], b?.[0]]).size).toBe(2)
    for (const ids of [a, b]) expect(range).toContain(ids?.[0])
  })

  it("work in a folder that is theirs alone, in one that is the hub's and that they only pass", () => {
    for (const job of [one, two]) {
      const uid = Number(read(job, 'ids').split('\n')[0])
      const shown = ({ uid, gid, mode }: Stats) => [uid, gid, (mode & 0o777).toString(8)]
      const [inner, outer] = [lstatSync(read(job, 'home')), lstatSync(dirname(read(job, 'home')))]
      expect([shown(inner), shown(outer)]).toEqual([
        [uid, uid, '700'],
        [0, uid, '710'],
      ])
    }
  })

  it('find a data folder in which all is closed, also what was open before', () => {
    expect(openUnder(dataDir)).toEqual([])
  })

  describe('an attack: a call tries to', () => {
    let found: Record<string, string>[]
    beforeAll(async () => {
      found = await Promise.all([tried(one, two), tried(two, one)])
    })

    it.each(namesOfAttempts)('%s, and is refused', (name) => {
      expect(found.map((outcome) => outcome[name])).toEqual(['refused', 'refused'])
    })

    it('all of which root is allowed', () => {
      const asRoot = execFileSync('sh', ['-c', textOfAttempts(victims(one))], { encoding: 'utf8' })
      expect(outcomes(asRoot)).toEqual(Object.fromEntries(namesOfAttempts.map((name) => [name, 'allowed'])))
    })
  })

  describe('whose hub is killed, and whose data folder is opened to everyone before the next start', () => {
    let three: string
    const uidOf = (job: string) => Number(read(job, 'ids').split('\n')[0])
    beforeAll(async () => {
      await kill(hub)
      execFileSync('chmod', ['-R', 'a+rX', dataDir])
      await startHub()
      three = await started()
    })

    it('keep their uids: the next call has the one that is left', () => {
      expect([one, two, three].map(uidOf).toSorted()).toEqual([FIRST_UID, FIRST_UID + 1, FIRST_UID + 2])
      for (const job of [one, two]) expect(isAlive(read(job, 'pid'))).toBe(true)
    })

    it('are still refused everything', async () => {
      const refused = Object.fromEntries(namesOfAttempts.map((name) => [name, 'refused']))
      expect(await tried(three, one)).toEqual(refused)
    })

    it('leave nothing when they end: no folder, no note, and no process that went its own way', async () => {
      for (const job of [one, two, three]) {
        expect(isAlive(read(job, 'daemon'))).toBe(true)
        writeFileSync(said(job, 'go'), '')
      }
      await expect.poll(() => notes.list(), patiently).toEqual([])
      for (const job of [one, two, three])
        expect([isAlive(read(job, 'daemon')), existsSync(read(job, 'home'))]).toEqual([false, false])
      const uids = [...(await processesByUid()).keys()]
      expect(uids.filter((uid) => uid >= FIRST_UID && uid <= FIRST_UID + 2)).toEqual([])
    })
  })

  it('end with the hub that stops in order, as does its database', async () => {
    hub.kill('SIGTERM')
    await once(hub, 'exit')
    expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false)
  })
})

afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Whether it is there and not a zombie, which nobody has asked for yet. */
function isAlive(pid: string): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

function pathsUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...pathsUnder(path)] : [path]
  })
}

const filesUnder = (folder: string) => pathsUnder(folder).filter((path) => lstatSync(path).isFile())

/** What other users have any right on by its mode. A socket is made for all by its server, in a closed folder. */
const openUnder = (folder: string) =>
  [folder, ...pathsUnder(folder)].filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found !== undefined && !found.isSocket() && (found.mode & 0o077) !== 0
  })
