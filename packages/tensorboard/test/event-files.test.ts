/** Event files are found in all folders of a training, and nowhere else. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventFilesIn } from '../src/index.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hub-tensorboard-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function write(path: string): void {
  mkdirSync(join(base, path, '..'), { recursive: true })
  writeFileSync(join(base, path), '')
}

it('lists the files of each folder in the order in which they were started, with the folder as the run', async () => {
  for (const name of ['events.out.tfevents.20.host', 'events.out.tfevents.10.host', 'notes.txt']) write(name)
  write('ppo/train/events.out.tfevents.5.host')
  expect(await eventFilesIn(base)).toEqual({
    files: [
      { file: join(base, 'events.out.tfevents.10.host'), run: '' },
      { file: join(base, 'events.out.tfevents.20.host'), run: '' },
      { file: join(base, 'ppo/train/events.out.tfevents.5.host'), run: 'ppo/train' },
    ],
    isCut: false,
  })
})

it('passes over hidden folders, packages and links to folders, so that a loop ends', async () => {
  write('.cache/events.out.tfevents.1')
  write('node_modules/a/events.out.tfevents.1')
  symlinkSync(base, join(base, 'loop'))
  expect(await eventFilesIn(base)).toEqual({ files: [], isCut: false })
})

it('has no files of a folder that is not there yet', async () => {
  expect(await eventFilesIn(join(base, 'later'))).toEqual({ files: [], isCut: false })
})

it('says that there may be more than 1,000 files', async () => {
  for (let place = 0; place <= 1000; place += 1) write(`events.out.tfevents.${place}`)
  const { files, isCut } = await eventFilesIn(base)
  expect([files.length, isCut]).toEqual([1000, true])
})
