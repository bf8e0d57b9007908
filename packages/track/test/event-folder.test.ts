/** Event files that grow while their collector is killed; and what was in the folder before. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { written } from '../../tensorboard/test/written-by-tensorboard.ts'
import { eventFolder, eventFolderNow } from '../src/sources/event-folder.ts'
import { objectOf, openSpool } from '../src/spool.ts'

let base: string
let file: string
const said: string[] = []
const logLine = (line: string) => said.push(line)

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hub-track-'))
  file = join(base, 'logs', 'events.out.tfevents.1')
  mkdirSync(join(base, 'logs'))
  said.length = 0
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const objects = (name = 'spool') =>
  readFileSync(join(base, name), 'utf8')
    .split('\n')
    .map(objectOf)
    .filter((text) => text !== '')

const folderNow = () => eventFolderNow(join(base, 'logs'))

/** One poll of a process of its own. */
async function pollOnce(now: Awaited<ReturnType<typeof folderNow>>, name = 'spool'): Promise<void> {
  const spool = openSpool(join(base, name))
  await eventFolder(now, { spool, logLine }).poll(true)
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
  for (let size = 0; size < whole.length; size += 7) {
    writeFileSync(join(base, 'cut'), whole.subarray(0, size))
    await pollOnce(now, 'cut')
    expect(objects('cut')).toEqual(all)
  }
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
