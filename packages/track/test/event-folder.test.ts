/** Event files that grow while their collector is killed; and what was in the folder before. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { written } from '../../tensorboard/test/written-by-tensorboard.ts'
import { eventFolder, eventFolderNow } from '../src/sources/event-folder.ts'
import { configWithHparams } from '../src/sources/hparams.ts'
import { objectOf, openSpool } from '../src/spool.ts'
import { trackFiles } from '../src/track-folder.ts'

let base: string
let file: string
const said: string[] = []
const logLine = (line: string) => said.push(line)

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hub-track-'))
  file = join(base, 'logs', 'events.out.tfevents.1')
  mkdirSync(join(base, 'logs'))
  mkdirSync(join(base, 'run'))
  said.length = 0
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const objects = (name = 'spool') =>
  readFileSync(join(base, name), 'utf8')
    .split('\n')
    .map(objectOf)
    .filter((text) => text !== '')

const filesNow = () => trackFiles(base)

const folderNow = () => eventFolderNow(join(base, 'logs'))

/** One poll of a process of its own. */
async function pollOnce(now: Awaited<ReturnType<typeof folderNow>>, name = 'spool'): Promise<void> {
  const spool = openSpool(join(base, name))
  await eventFolder(now, { spool, logLine, files: filesNow() }).poll(true)
  spool.close()
}

const all = ['{"step":1,"loss":0.1}', '{"step":2,"reward":0.000034}', '{"step":2,"reward":7}']

it('each scalar is a line of metrics once, where each process is killed after a few bytes of the file', async () => {
  const now = await folderNow()
  for (let at = 0; at < written.length; at += 61) {
    appendFileSync(file, written.subarray(at, at + 61))
    await pollOnce(now)
  }
  expect(objects()).toEqual(all)
  expect(said).toEqual([])
})

it('a spool that a kill cut off anywhere in its last lines gets the same lines', async () => {
  const now = await folderNow()
  writeFileSync(file, written)
  await pollOnce(now)
  const whole = readFileSync(join(base, 'spool'))
  for (let size = 0; size < whole.length; size += 23) {
    writeFileSync(join(base, 'cut'), whole.subarray(0, size))
    await pollOnce(now, 'cut')
    expect(objects('cut')).toEqual(all)
  }
})

it('one file that cannot be read does not keep the others from it', async () => {
  const spool = openSpool(join(base, 'spool'))
  const source = eventFolder(await folderNow(), { spool, logLine, files: filesNow() })
  writeFileSync(file, '')
  await source.poll(true)
  rmSync(file)
  // A folder in its place opens, and cannot be read.
  mkdirSync(join(file, 'inner'), { recursive: true })
  mkdirSync(join(base, 'logs', 'later'))
  writeFileSync(join(base, 'logs', 'later', 'events.out.tfevents.2'), written)
  await expect(source.poll(true)).rejects.toThrow('EISDIR')
  spool.close()
  expect(objects().map((text) => JSON.parse(text)['later/reward'])).toEqual([undefined, 0.000034, 7])
})

it('what a file held before the command began is left out, and what it grows by is read', async () => {
  writeFileSync(file, written.subarray(0, -50))
  const now = await folderNow()
  await pollOnce(now)
  expect(objects()).toEqual([])
  // The rest is of a record that had begun, and its tag has a plugin that only an earlier value says.
  appendFileSync(file, written.subarray(-50, -9))
  await pollOnce(now)
  appendFileSync(file, written.subarray(-9))
  await pollOnce(now)
  await pollOnce(now)
  expect(objects()).toEqual(all.slice(2))
})

it('a file in a folder of its own has the folder before its tags', async () => {
  const now = await folderNow()
  mkdirSync(join(base, 'logs', 'eval'))
  writeFileSync(join(base, 'logs', 'eval', 'events.out.tfevents.2'), written)
  await pollOnce(now)
  expect(objects()[0]).toBe('{"step":1,"eval/loss":0.1}')
})

it('a corrupt length ends the file and is said', async () => {
  const now = await folderNow()
  const broken = Buffer.from(written)
  broken[0] = (broken[0] ?? 0) ^ 1
  writeFileSync(file, broken)
  await pollOnce(now)
  expect(objects()).toEqual([])
  expect(said).toEqual([`${file}: the length of the record at byte 0 is corrupt: nothing behind it can be read`])
})

/** What the hub keeps of the lines: the last of each key, step and index. */
function media(): Record<string, unknown>[] {
  const lines = readFileSync(filesNow().media, 'utf8').split('\n').slice(0, -1)
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return [...new Map(entries.map((entry) => [`${entry.key} ${entry.step} ${entry.index}`, entry])).values()]
}

it('pictures, sound, text and histograms are media, with the same names whenever they are read', async () => {
  const now = await folderNow()
  writeFileSync(file, written)
  await pollOnce(now)
  const found = media()
  expect(found).toMatchObject([
    { key: 'weights', step: 1, index: 0, kind: 'histogram', value: { edges: [-1.5, -1, 0, 2.5], counts: [1, 2, 3] } },
    { key: 'camera', kind: 'file', width: 2, height: 3, ts: 1700000001.5 },
    { key: 'sound', kind: 'audio' },
    { key: 'spread', step: 2, kind: 'histogram', value: { edges: [0, 1, 2], counts: [4, 5] } },
    { key: 'note', index: 0, kind: 'text', value: 'a ä' },
    { key: 'note', index: 1, kind: 'text', value: 'b' },
    { key: 'view', index: 0, kind: 'file' },
    { key: 'view', index: 1, kind: 'file' },
    { key: 'voice', kind: 'audio' },
  ])
  const bytes = (key: string) =>
    found
      .filter((entry) => entry.key === key)
      .map(({ path }) => readFileSync(join(filesNow().dir, String(path)), 'utf8'))
  expect([bytes('sound'), bytes('view')]).toEqual([['RIFF1'], ['PNG2', 'PNG3']])
  // The spool is lost behind the first record, as by a kill; and a killed command left a torn line.
  writeFileSync(join(base, 'spool'), '')
  appendFileSync(filesNow().media, '{"key":"torn')
  await pollOnce(now)
  const again = readFileSync(filesNow().media, 'utf8').split('\n').slice(0, -1)
  expect(again).toHaveLength(2 * found.length + 1)
  expect(again.slice(found.length + 1).map((line) => JSON.parse(line))).toEqual(found)
})

it('settings are config, next to what the command itself has in config.yaml', async () => {
  const now = await folderNow()
  writeFileSync(file, written)
  expect(await configWithHparams(filesNow())).toBe(filesNow().config)
  await pollOnce(now)
  const configNow = async () => readFileSync(await configWithHparams(filesNow()), 'utf8')
  expect(JSON.parse(await configNow())).toEqual({ lr: 0.001, optimizer: 'adam', amp: true })
  writeFileSync(filesNow().config, '{"lr": 0.0010, "seed": 12345678901234567890}')
  expect(await configNow()).toContain('"lr": 0.0010,')
  expect(await configNow()).toContain('12345678901234567890')
  writeFileSync(filesNow().config, 'lr: 1\n')
  expect(await configNow()).toBe('lr: 1\n')
})

it('says the first corrupt record of a file, and reads what is behind them', async () => {
  const now = await folderNow()
  const broken = Buffer.from(written)
  for (const at of [40, broken.indexOf('PNG1')]) broken[at] = (broken[at] ?? 0) ^ 1
  writeFileSync(file, broken)
  await pollOnce(now)
  expect(said).toEqual([`${file}: the record at byte 0 is corrupt and is left out`])
  expect(objects()).toEqual(all.slice(1))
})
