/** Event files found without `--tensorboard`: at the processes of the command and in its folders; those of others are left alone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { written } from '../../tensorboard/test/written-by-tensorboard.ts'
import { foundEvents } from '../src/sources/found-events.ts'
import { objectOf, openSpool } from '../src/spool.ts'
import { commandFiles, trackFiles } from '../src/track-folder.ts'
import { newTrackJournal, readTrackState, reopenTrackJournal, type TrackJournal } from '../src/track-journal.ts'

const NOW = 1_800_000_000
let base: string
let cwd: string
let children: ChildProcess[]
const said: string[] = []
const files = () => trackFiles(join(base, 'tracked'))

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hub-track-')))
  cwd = join(base, 'work')
  for (const folder of [cwd, files().dir]) mkdirSync(folder, { recursive: true })
  children = []
  said.length = 0
})
afterEach(async () => {
  for (const child of children) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  rmSync(base, { recursive: true, force: true })
})

function journalNow(): TrackJournal {
  const state = readTrackState(files())
  if (state !== null) return reopenTrackJournal(files(), state)
  const journal = newTrackJournal(files(), {
    ...{ url: '', start: { key: '', body: {} }, outputRepo: null, cwd, argv: [], sources: [] },
    ...{ eventFolders: [], watchEvents: true, systemEveryMs: 0 },
  })
  journal.put({ createdAt: NOW * 1000 + 500, commands: 1 })
  return journal
}

/** One poll of a process of its own; `proc` is not there, as outside Linux, unless it is asked for. */
async function pollOnce({ isFinal = false, proc = join(base, 'no-proc') } = {}): Promise<string[]> {
  const spool = openSpool(files().spool)
  const logLine = (line: string) => said.push(line)
  await foundEvents({ files: files(), spool, logLine, journal: journalNow(), proc }).poll(isFinal)
  spool.close()
  const lines = readFileSync(files().spool, 'utf8').split('\n')
  return lines.map(objectOf).filter((text) => text !== '')
}

function write(path: string): string {
  const file = join(cwd, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, written)
  return file
}

const nameAt = (time: number, rest = 'elsewhere.7.0') => `events.out.tfevents.${time}.${rest}`
const first = '{"step":1,"loss":0.1}'

it('reads what is started below the folder of the command, the first folder without a name before its tags', async () => {
  write(`runs/old/${nameAt(NOW - 1)}`)
  write(`runs/a/${nameAt(NOW)}`)
  write(`runs/eval/${nameAt(NOW + 1)}`)
  write(`runs/a/trial/${nameAt(NOW + 2)}`)
  write(`.cache/${nameAt(NOW)}`)
  const starts = (await pollOnce()).filter((line) => line.startsWith('{"step":1'))
  expect(starts).toEqual([first, '{"step":1,"eval/loss":0.1}', '{"step":1,"trial/loss":0.1}'])
  expect(said).toEqual(
    ['a', 'eval', 'a/trial'].map((run) => `reading TensorBoard's files in ${join(cwd, 'runs', run)}`),
  )
})

it('names a folder below that of a file which began in the same second', async () => {
  write(`runs/eval/${nameAt(NOW)}`)
  write(`runs/${nameAt(NOW)}`)
  const starts = (await pollOnce()).filter((line) => line.startsWith('{"step":1'))
  expect(starts).toEqual([first, '{"step":1,"eval/loss":0.1}'])
})

it('keeps the names after a kill, and starts over with those of a second command', async () => {
  write(`runs/b/${nameAt(NOW + 1)}`)
  const before = await pollOnce()
  write(`runs/a/${nameAt(NOW)}`)
  expect((await pollOnce()).slice(before.length)[0]).toBe('{"step":1,"a/loss":0.1}')
  journalNow().put({ commands: 2 })
  write(`runs/c/${nameAt(NOW + 2)}`)
  expect((await pollOnce()).slice(2 * before.length)[0]).toBe(first)
})

it('leaves what is started after the end of the command, and all that is new once the end is known', async () => {
  const { exitCode } = commandFiles(files(), 1)
  writeFileSync(exitCode, '0')
  utimesSync(exitCode, NOW + 10, NOW + 10)
  write(`late/${nameAt(NOW + 11)}`)
  expect(await pollOnce({ isFinal: true })).toEqual([])
  journalNow().put({ ending: { status: 'succeeded', error: null } })
  write(`runs/${nameAt(NOW + 1)}`)
  expect(await pollOnce({ isFinal: true })).toEqual([])
})

/** A process with the run folder, or another one, that has the file open. */
async function holding(file: string, runDir: string | undefined, mode: 'a' | 'r', at = cwd): Promise<ChildProcess> {
  const program = 'require("fs").openSync(process.argv[1], process.argv[2]); console.log(1); setInterval(() => {}, 9e6)'
  const child = spawn(process.execPath, ['-e', program, file, mode], {
    cwd: at,
    env: { ...process.env, HUB_RUN_DIR: runDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout ?? child, 'data')
  return child
}

const onLinux = needs(process.platform !== 'linux' && 'this is not Linux')

it(
  'finds what a process of the command has open, wherever it is, and the folder that one went to',
  onLinux,
  async () => {
    const far = join(base, 'far')
    const wentTo = join(base, 'went')
    for (const folder of [far, wentTo]) mkdirSync(folder)
    const held = join(far, nameAt(NOW, 'host'))
    const written1 = join(wentTo, nameAt(NOW + 1, 'host'))
    for (const file of [held, written1]) writeFileSync(file, written)
    await holding(held, files().dir, 'a', wentTo)
    const starts = (await pollOnce({ proc: '/proc' })).filter((line) => line.startsWith('{"step":1'))
    expect(starts).toEqual([first, '{"step":1,"went/loss":0.1}'])
  },
)

it(
  'leaves the files of another training in the same folder, but not those that a TensorBoard reads',
  onLinux,
  async () => {
    const other = join(base, 'tracked-2', 'run')
    const opened = write(nameAt(NOW, 'host'))
    const child = await holding(opened, other, 'a')
    write(`named/${nameAt(NOW, `${hostname()}.${child.pid}.0`)}`)
    expect(await pollOnce({ proc: '/proc' })).toEqual([])
    const shown = write(`shown/${nameAt(NOW + 1, 'host')}`)
    await holding(shown, undefined, 'r')
    expect((await pollOnce({ proc: '/proc' }))[0]).toBe(first)
  },
)
