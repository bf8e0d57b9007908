// @module-tag long
/** The uid that each hosted call has for itself: who gets which, and that nobody has one before all of its last call is gone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  copyFileSync,
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
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type HostedBackend, SpawnLater } from '../../src/hosting/backend.ts'
import { asUser } from '../../src/hosting/process/as-user.ts'
import { openCallNotes } from '../../src/hosting/process/call-notes.ts'
import { callClearing } from '../../src/hosting/process/clear-call.ts'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { processesByUid } from '../../src/hosting/process/user-processes.ts'
import { readConfig } from '../../src/platform/config.ts'
import { processMark, withFileLock } from '../../src/store/start-lock.ts'
import { endLeftCalls } from '../support/left-calls.ts'
import { asRoot, givesUids, openFolder } from '../support/open-folder.ts'

const patiently = { timeout: 100_000, interval: 25 }
const base = givesUids ? openFolder('hub-call-uids-') : ''
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Numbers that no other test takes. */
let next = 85_000 + 100 * (process.pid % 100)
const newUids = (count: number): number[] => Array.from({ length: count }, () => next++)

const backends: HostedBackend[] = []
const dataDirs: string[] = []
const strangers: ChildProcess[] = []
afterEach(async () => {
  for (const child of strangers.splice(0)) child.kill('SIGKILL')
  for (const backend of backends.splice(0)) await backend.close()
  for (const dataDir of dataDirs.splice(0)) await endLeftCalls(dataDir)
})

/** A hub's calls on a data folder of its own, with these uids to give. */
async function hubWith(
  uids: readonly number[],
  command = 'exec sleep 1000',
  dataDir = mkdtempSync(join(base, 'data-')),
) {
  const config = readConfig({
    HUB_DATA_DIR: dataDir,
    HOSTED_APP_NAME: 'coach',
    HOSTED_COMMAND: command,
    HOSTED_UIDS: `${uids[0]}-${uids.at(-1)}`,
    HOSTED_MAX_PROCESSES: '1',
  })
  const backend = await openProcessBackend(config, pino({ level: 'silent' }))
  backends.push(backend)
  dataDirs.push(dataDir)
  const ended: string[] = []
  const attend = () => backend.attend(async ({ callId }) => void ended.push(callId))
  const notes = openCallNotes(dataDir)
  return {
    ...{ dataDir, notes, ended, attend, backend },
    async spawn(callId: string): Promise<void> {
      const call = { callId, jobId: `run_of_${callId}` }
      // The place of a call before it is free a moment after its note is gone.
      await expect.poll(() => backend.reserve(call), patiently).toBe('reserved')
      try {
        await backend.spawn({ ...call, kind: 'run', functionName: 'act', token: 't', tier: null, maxSeconds: null })
      } finally {
        await backend.release(callId)
      }
    },
    uidOf: async (callId: string) => (await notes.read(callId))?.user?.uid ?? null,
    /** What the temporary directory has of a call with one of the uids. */
    folders: () => readdirSync(tmpdir()).filter((name) => uids.some((uid) => name.startsWith(`hub-hosted-${uid}-`))),
  }
}

/** A process of someone else. */
async function processOf(uid: number): Promise<ChildProcess> {
  const child = spawn('sleep', ['1000'], { uid, gid: uid, stdio: 'ignore' })
  strangers.push(child)
  await once(child, 'spawn')
  return child
}
const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null
const runs = async (uid: number) => (await processesByUid()).has(uid)

/** The folders that a hub makes for a call with the uid: the inner one is given to `user`, and has the mark of a command that was started. */
function folderOf(uid: number, user: number): string {
  const folder = mkdtempSync(join(tmpdir(), `hub-hosted-${uid}-`))
  mkdirSync(join(folder, 'work'))
  writeFileSync(join(folder, 'work/.started'), '')
  chownSync(join(folder, 'work'), user, user)
  chmodSync(folder, 0o711)
  return folder
}

describe('the uid of a hosted call', needs(!givesUids && asRoot), () => {
  it('is one that no process has', async () => {
    const [taken = 0, free = 0] = newUids(2)
    await processOf(taken)
    const hub = await hubWith([taken, free])
    await hub.spawn('call_1')
    expect(await hub.uidOf('call_1')).toBe(free)
  })

  it('is one of which no other hub of the machine has a folder; what a stranger put there does not count', async () => {
    const [taken = 0, free = 0] = newUids(2)
    const folders = [folderOf(taken, taken), folderOf(free, free)]
    chownSync(folders[1] ?? '', 12_345, 12_345)
    const hub = await hubWith([taken, free])
    await hub.spawn('call_1')
    expect(await hub.uidOf('call_1')).toBe(free)
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it('is never the same for two hubs that give it at the same moment', async () => {
    const uids = newUids(1)
    const hubs = await Promise.all([hubWith(uids), hubWith(uids)])
    for (let round = 0; round < 8; round += 1) {
      const callId = `call_${round}`
      const spawned = await Promise.allSettled(hubs.map((hub) => hub.spawn(callId)))
      const won = hubs.filter((_, at) => spawned[at]?.status === 'fulfilled')
      expect(won.length).toBeLessThanOrEqual(1)
      for (const outcome of spawned)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(SpawnLater)
      for (const hub of won) {
        await hub.backend.cancel(callId, async () => undefined)
        await expect.poll(() => hub.notes.list(), patiently).toEqual([])
      }
    }
    for (const hub of hubs) expect([await hub.notes.list(), hub.folders()]).toEqual([[], []])
    await hubs[0]?.spawn('call_last')
    expect(await hubs[0]?.uidOf('call_last')).toBe(uids[0])
  })

  it('is waited for where none is free', async () => {
    const uids = newUids(1)
    await processOf(uids[0] ?? 0)
    const hub = await hubWith(uids)
    await expect(hub.spawn('call_1')).rejects.toThrow(new SpawnLater('no uid of HOSTED_UIDS is free'))
    expect([await hub.notes.list(), hub.folders()]).toEqual([[], []])
  })

  it('is free again when all of its call is gone: what it left in shared folders, and what it locked itself', async () => {
    const uids = newUids(1)
    const left = ['/dev/shm', '/tmp', '/var/tmp'].map((folder) => join(folder, `hub-left-${uids[0]}`))
    const hub = await hubWith(
      uids,
      `mkdir -p a/b && touch a/b/c && chmod 000 a/b a
       for path in ${left.join(' ')}; do mkdir $path && touch $path/x && chmod 000 $path; done
       setsid sh -c 'trap : TERM; sleep 1000; sleep 1000' & chmod 000 .`,
    )
    await hub.attend()
    await hub.spawn('call_1')
    await expect.poll(() => hub.notes.list(), patiently).toEqual([])
    expect(hub.ended).toEqual(['call_1'])
    expect([left.filter((path) => existsSync(path)), hub.folders(), await runs(uids[0] ?? 0)]).toEqual([[], [], false])
    await hub.spawn('call_2')
  })

  it('is given back however many things the call left in shared folders', async () => {
    const uids = newUids(1)
    const long = 'x'.repeat(200)
    const name = `hub-many-${uids[0]}`
    // More paths than a command line may have bytes for.
    const hub = await hubWith(
      uids,
      `perl -e 'for (1..12000) { open(F, ">", "/dev/shm/${name}-$_-${long}"); close(F) }'`,
    )
    await hub.attend()
    await hub.spawn('call_1')
    await expect.poll(() => hub.notes.list(), patiently).toEqual([])
    expect(readdirSync('/dev/shm').filter((one) => one.startsWith(name))).toEqual([])
  })

  it('is given back without shared memory, queues and semaphores of the call, which a later one could read', async () => {
    const uids = newUids(1)
    const hub = await hubWith(uids, 'ipcmk -M 4096 -Q -S 1 >"$HOME/made"; touch ready; exec sleep 1000')
    await hub.attend()
    await hub.spawn('call_1')
    const { folder = '' } = (await hub.notes.read('call_1')) ?? {}
    await expect.poll(() => existsSync(join(folder ?? '', 'work/ready')), patiently).toBe(true)
    const kept = () =>
      ['shm', 'msg', 'sem'].map((table) =>
        readFileSync(`/proc/sysvipc/${table}`, 'utf8').split(/\s+/).includes(String(uids[0])),
      )
    expect(kept()).toEqual([true, true, true])
    await hub.backend.cancel('call_1', async () => undefined)
    await expect.poll(() => hub.notes.list(), patiently).toEqual([])
    expect(kept()).toEqual([false, false, false])
  })

  it('cannot be had by another call through a file that sets it, also once a later call has it', async () => {
    const [uid = 0, other = 0] = newUids(2)
    const shared = openFolder('hub-accomplice-')
    const file = join(shared, 'become')
    copyFileSync('/usr/bin/cat', file)
    chownSync(file, uid, uid)
    chmodSync(file, 0o6755)
    const victim = await hubWith([uid])
    await victim.spawn('call_1')
    const [pid] = (await processesByUid()).get(uid) ?? []
    const thief = await hubWith(
      [other],
      `umask 0; ${file} /proc/${pid}/environ >"${shared}/taken" 2>&1; touch "${shared}/tried"`,
    )
    await thief.spawn('call_1')
    await expect.poll(() => existsSync(join(shared, 'tried')), patiently).toBe(true)
    expect(readFileSync(join(shared, 'taken'), 'utf8')).not.toContain('HUB_TOKEN')
    rmSync(shared, { recursive: true })
  })

  it('is given back although the call removed all that it can of its folder', async () => {
    const uids = newUids(1)
    const hub = await hubWith(
      uids,
      'setsid sleep 1000 & cd /; rm -rf "$HOME"; rmdir "$HOME/.."; mv "$HOME/.." /tmp/elsewhere',
    )
    await hub.attend()
    await hub.spawn('call_1')
    await expect.poll(() => hub.notes.list(), patiently).toEqual([])
    expect(await runs(uids[0] ?? 0)).toBe(false)
  })

  it('is given back although the call stops every process of its uid, also those that are to end it', async () => {
    const uids = newUids(1)
    const stopAll = `while (-e "/proc/$ARGV[0]") {} while (1) { kill "STOP", -1 }`
    const hub = await hubWith(uids, `setsid perl -e '${stopAll}' $$ & sleep 0.3`)
    await hub.attend()
    await hub.spawn('call_1')
    await expect.poll(() => hub.notes.list(), patiently).toEqual([])
    expect([hub.ended, await runs(uids[0] ?? 0)]).toEqual([['call_1'], false])
  })

  it('does not stop the hub through processes that stop each other one of their uid', async () => {
    const [uid = 0] = newUids(1)
    const stopAll = asUser({ uid, gid: uid }, ['perl', '-e', 'while (1) { kill "STOP", -1 }'])
    for (let at = 0; at < 4; at += 1) strangers.push(spawn(stopAll.file, stopAll.args, { stdio: 'ignore' }))
    // A hub that became the user before it started the program stood still within 12 starts, in each of five tries. Such
    // a start never returns: how long one may take makes no difference, but for the processor that the others use.
    const starts = `import { runAs } from './src/hosting/process/user-processes.ts'
      for (let at = 0; at < 12; at += 1) await runAs({ uid: ${uid}, gid: ${uid} }, 'true', [], 40).catch(() => null)`
    const hub = spawn(process.execPath, ['--input-type=module', '-e', starts], {
      ...{ cwd: join(import.meta.dirname, '../..'), stdio: 'ignore' },
    })
    strangers.push(hub)
    await expect.poll(() => isAlive(hub), patiently).toBe(false)
    expect(hub.exitCode).toBe(0)
  })

  it('is out of use before a canceled job is recorded as such', async () => {
    const uids = newUids(1)
    const hub = await hubWith(uids, 'setsid sleep 1000 & touch ready; exec sleep 1000')
    await hub.attend()
    await hub.spawn('call_1')
    const { folder = '' } = (await hub.notes.read('call_1')) ?? {}
    await expect.poll(() => existsSync(join(folder ?? '', 'work/ready')), patiently).toBe(true)
    const isThere = () => runs(uids[0] ?? 0)
    expect([await isThere(), await hub.backend.cancel('call_1', isThere)]).toEqual([true, false])
  })
})

describe('a hub that finds the note of a call whose hub is gone', needs(!givesUids && asRoot), () => {
  const bootOf = async () => (await processMark(process.pid)).split(' ')[2]

  it('leaves the processes and files of a uid that the call was not given yet', async () => {
    const [uid = 0] = newUids(1)
    const other = await processOf(uid)
    const memory = `/dev/shm/hub-other-${uid}`
    writeFileSync(memory, '')
    chownSync(memory, uid, uid)
    const folder = folderOf(uid, 0)
    const hub = await hubWith([uid])
    const user = { uid, gid: uid, isOwn: true }
    const mark = `99999999 1 ${await bootOf()}`
    await hub.notes.write('call_1', { jobId: 'run_1', mark, folder, user, isStarting: true })
    const later = await hubWith([uid], 'true', hub.dataDir)
    await later.attend()
    expect([await later.notes.list(), existsSync(folder), later.ended]).toEqual([[], false, []])
    expect([isAlive(other), existsSync(memory)]).toEqual([true, true])
    rmSync(memory)
  })

  it('ends those of a uid that the call had', async () => {
    const [uid = 0] = newUids(1)
    const left = await processOf(uid)
    const folder = folderOf(uid, uid)
    const hub = await hubWith([uid])
    const user = { uid, gid: uid, isOwn: true }
    const mark = `99999999 1 ${await bootOf()}`
    await hub.notes.write('call_1', { jobId: 'run_1', mark, folder, user, isStarting: false })
    const later = await hubWith([uid], 'true', hub.dataDir)
    await later.attend()
    expect([await later.notes.list(), existsSync(folder), later.ended]).toEqual([[], false, ['call_1']])
    await expect.poll(() => isAlive(left), patiently).toBe(false)
  })

  it('of before the machine was started again, waits for the processes that have its uid since, and ends none', async () => {
    const [uid = 0] = newUids(1)
    const other = await processOf(uid)
    const folder = folderOf(uid, uid)
    const hub = await hubWith([uid])
    const user = { uid, gid: uid, isOwn: true }
    await hub.notes.write('call_1', { jobId: 'run_1', mark: '99999999 1 before', folder, user, isStarting: false })
    const later = await hubWith([uid], 'true', hub.dataDir)
    await later.attend()
    expect([await later.notes.list(), existsSync(folder), isAlive(other)]).toEqual([['call_1'], true, true])
    expect(await later.backend.reserve({ callId: 'call_2', jobId: 'run_2' })).toBe('full')
    other.kill('SIGKILL')
    await expect.poll(() => later.notes.list(), patiently).toEqual([])
    expect([existsSync(folder), later.ended]).toEqual([false, ['call_1']])
  })

  it("takes its turn: a call that another hub has just cleared away is left, with the uid that is someone else's by then", async () => {
    const [uid = 0] = newUids(1)
    const { dataDir, notes } = await hubWith([uid])
    const mark = `99999999 1 ${await bootOf()}`
    const user = { uid, gid: uid, isOwn: true }
    await notes.write('call_1', { jobId: 'run_1', mark, folder: null, user, isStarting: false })
    const later = await processOf(uid)
    const locks = join(dataDir, 'hosted-locks')
    let clearing = Promise.resolve()
    await withFileLock(join(locks, 'call_1'), String, async () => {
      clearing = callClearing(dataDir, notes).clear('call_1', mark)
      const waits = () => readdirSync(locks).filter((name) => name.startsWith('call_1.'))
      await expect.poll(waits, patiently).toHaveLength(1)
      await notes.remove('call_1')
    })
    await clearing
    expect(isAlive(later)).toBe(true)
  })
})
