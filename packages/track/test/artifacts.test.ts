/** `artifacts.jsonl` on its way to the hub: a version for each content, whichever request a kill comes before. */
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HubClient } from '@hub/client/internal'
import { beforeEach, expect, it } from 'vitest'
import { artifactSender, folderName } from '../src/files/artifact-sender.ts'
import type { TrackJournal } from '../src/track-journal.ts'
import { hub } from './fake-hub.ts'
import { trackLab } from './track-lab.ts'

const lab = trackLab()
let journal: TrackJournal

beforeEach(() => {
  journal = lab.journalOf()
  journal.put({ runId: 'run_1', attempt: 1, target: { owner: 'ada', slug: 'walk' } })
})

const senderOf = ({ client }: { readonly client: HubClient }) =>
  artifactSender({ transfers: client, files: lab.files, journal, logLine: lab.logLine })

/** A complete folder, and its line. */
function artifact(at: string, texts: Readonly<Record<string, string>>, more: Readonly<Record<string, unknown>> = {}) {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(join(lab.files.dir, at, name, '..'), { recursive: true })
    writeFileSync(join(lab.files.dir, at, name), text)
  }
  const line = { name: at.split('/')[1], type: 'model', path: at, aliases: ['best'], metadata: { loss: 0.5 }, ...more }
  appendFileSync(lab.files.artifacts, `${JSON.stringify(line)}\n`)
}

it('is the next version for another content, and the same one for the same', async () => {
  const one = hub()
  artifact('artifacts/net', { 'a.bin': 'one', 'sub/b.bin': 'two' })
  await senderOf(one).poll(false)
  artifact('artifacts/net', {}, { aliases: ['latest'] })
  await senderOf(one).poll(false)
  artifact('artifacts/net', { 'a.bin': 'three' })
  await senderOf(one).poll(true)
  const { 'artifacts/net/v0.json': first, 'artifacts/net/v1.json': second, ...bytes } = Object.fromEntries(one.repo)
  expect(bytes).toEqual({
    'artifacts/net/v0/a.bin': 'one',
    'artifacts/net/v0/sub/b.bin': 'two',
    'artifacts/net/v1/a.bin': 'three',
    'artifacts/net/v1/sub/b.bin': 'two',
  })
  expect(JSON.parse(first ?? '')).toEqual({
    ...{ name: 'net', type: 'model', aliases: ['latest'], metadata: { loss: 0.5 }, version: 'v0', run: 'run_1' },
  })
  expect(JSON.parse(second ?? '')).toMatchObject({ version: 'v1', aliases: ['best'] })
  expect(lab.said).toEqual([])
})

it('is listed once for all lines of a process, and again once someone else has made the next version', async () => {
  const one = hub()
  const sender = senderOf(one)
  for (const text of ['one', 'two', 'three']) {
    artifact('artifacts/net', { 'a.bin': text })
    await sender.poll(false)
  }
  expect(one.requests.filter((name) => name === 'tree artifacts/net/')).toHaveLength(1)
  one.repo.set('artifacts/net/v3/a.bin', 'of another process')
  artifact('artifacts/net', { 'a.bin': 'four' })
  await sender.poll(false)
  expect(one.repo.get('artifacts/net/v3/a.bin')).toBe('of another process')
  expect(one.repo.get('artifacts/net/v4/a.bin')).toBe('four')
})

it('is one version, whichever request or answer a kill comes before', async () => {
  for (let at = 1; at <= 3; at += 1) {
    for (const isAfter of [false, true]) {
      rmSync(lab.files.artifacts, { force: true })
      journal.put({ artifacts: { bytes: 0, making: null }, outputReported: false })
      let isArmed = true
      const kill = () => {
        if (isArmed && one.requests.length >= at) throw new Error('killed')
      }
      const one = isAfter ? hub(undefined, kill) : hub(kill)
      artifact(`artifacts/net${at}${isAfter}`, { 'a.bin': 'one', 'b.bin': 'two' })
      // The output repo is named last; its answer is not one that `hub` cuts.
      if (!(isAfter && at === 3)) await expect(senderOf(one).poll(false)).rejects.toThrow('killed')
      isArmed = false
      await senderOf(one).poll(true)
      const below = `artifacts/net${at}${isAfter}`
      expect([...one.repo.keys()].sort()).toEqual([`${below}/v0.json`, `${below}/v0/a.bin`, `${below}/v0/b.bin`])
    }
  }
})

it('of a version that another run has in the same repo becomes the next one, and says so', async () => {
  const one = hub()
  one.repo.set('artifacts/net/v0/a.bin', 'of another run')
  artifact('artifacts/net/v0', { 'a.bin': 'mine' }, { version: 'v0' })
  await senderOf(one).poll(true)
  expect(one.repo.get('artifacts/net/v0/a.bin')).toBe('of another run')
  expect(one.repo.get('artifacts/net/v1/a.bin')).toBe('mine')
  expect(lab.said).toEqual(['net:v0 is another one in ada/walk: it is v1 there'])
})

it('that is none is said once and left out', async () => {
  const one = hub()
  artifact('artifacts/none', {})
  mkdirSync(join(lab.files.dir, 'artifacts'))
  symlinkSync('/etc', join(lab.files.dir, 'artifacts/link'))
  artifact('artifacts/link', {})
  artifact('artifacts/../../sent', {})
  artifact('artifacts/..', {}, { name: 'run folder' })
  artifact('artifacts/.', {}, { name: 'all' })
  artifact('artifacts/net', { 'a.bin': 'one' })
  await senderOf(one).poll(true)
  expect([...one.repo.keys()]).toEqual(['artifacts/net/v0/a.bin', 'artifacts/net/v0.json'])
  expect(lab.said.map((text) => text.split(':')[0])).toEqual([
    'artifact none is left out',
    'artifact link is left out',
    'artifact .. is left out',
    'artifact run folder is left out',
    'artifact all is left out',
  ])
})

it.each([
  ['model-step 5', 'model-step_5'],
  ['..', 'artifact'],
  ['a/b', 'a_b'],
  ['.hidden.', 'hidden'],
])('%s is the folder %s', (name, folder) => {
  expect(folderName(name)).toBe(folder)
})
