/** `media.jsonl` on its way to the hub: each file and each line once, whichever step a kill comes after. */
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type HubClient, ProblemError } from '@hub/client/internal'
import { beforeEach, describe, expect, it } from 'vitest'
import { inBackground } from '../src/files/in-background.ts'
import { mediaSender } from '../src/files/media-sender.ts'
import { readTrackState, reopenTrackJournal, type TrackJournal } from '../src/track-journal.ts'
import { hub, type SentMedia } from './fake-hub.ts'
import { trackLab } from './track-lab.ts'

const run = 'run_01jd0000000000000000000000'
const lab = trackLab()
let journal: TrackJournal

beforeEach(() => {
  mkdirSync(join(lab.files.dir, 'media'))
  journal = lab.journalOf()
  journal.put({ started: true, runId: run, attempt: 1, target: { owner: 'ada', slug: 'walk' } })
})

const patience = { timeout: 100_000 }

const senderOf = ({ client }: { readonly client: HubClient }) =>
  mediaSender({ transfers: client, files: lab.files, journal, logLine: lab.logLine })

function picture(name: string, step: number, text = `${name} of ${step}`): void {
  writeFileSync(join(lab.files.dir, 'media', name), text)
  line({ key: 'camera', step, kind: 'image', path: `media/${name}` })
}
const line = (value: unknown) => appendFileSync(lab.files.media, `${JSON.stringify(value)}\n`)

describe('media', () => {
  it('are pushed many in a change, recorded at most 100 in a request, and then gone from the disk', async () => {
    for (let step = 0; step < 250; step += 1) picture(`${step}.png`, step)
    line({ key: 'note', step: 3, kind: 'text', value: 'hello', ts: 1764324000.5 })
    const one = hub()
    await senderOf(one).poll(false)
    await senderOf(one).poll(true)
    expect(one.requests.filter((name) => name !== 'blobs')).toEqual(['commit', 'report', 'record', 'record', 'record'])
    expect(one.media.size).toBe(251)
    expect(one.media.get('note 3')).toMatchObject({ value: 'hello', at: '2025-11-28T10:00:00.500Z' })
    expect(one.media.get('camera 249')?.path).toBe(`runs/${run}/media/249.png`)
    expect(one.repo.get(`runs/${run}/media/249.png`)).toBe('249.png of 249')
    expect(existsSync(join(lab.files.dir, 'media/249.png'))).toBe(false)
  })

  it('are all there, whichever request or answer a kill comes before', async () => {
    // Files, change, output repo, and two requests of entries.
    for (let at = 1; at <= 5; at += 1) {
      for (const isAfter of [false, true]) {
        rmSync(lab.files.media, { force: true })
        journal.put({ media: { bytes: 0, pushed: 0, run: null }, outputReported: false })
        let isArmed = true
        const kill = () => {
          if (isArmed && one.requests.length >= at) throw new Error('killed')
        }
        const one = isAfter ? hub(undefined, kill) : hub(kill)
        for (let step = 0; step < 101; step += 1) picture(`${at}${isAfter}${step}.png`, step)
        await expect(senderOf(one).poll(false)).rejects.toThrow('killed')
        isArmed = false
        const state = readTrackState(lab.files)
        if (state === null) throw new Error('The journal is gone.')
        journal = reopenTrackJournal(lab.files, state)
        await senderOf(one).poll(true)
        expect(one.media.size).toBe(101)
        expect([...one.media.values()].every(({ path }) => one.repo.has(path ?? ''))).toBe(true)
      }
    }
    expect(lab.said).toEqual([])
  })

  it('of an attempt that lost its lease are recorded again, and not pushed again', async () => {
    const one = hub()
    picture('a.png', 1)
    line({ key: 'gone', step: 1, kind: 'image', path: 'media/none.png' })
    await senderOf(one).poll(false)
    one.media.clear()
    journal.put({ attempt: 2, media: { ...journal.state.media, bytes: 0 }, outputReported: false })
    picture('b.png', 2)
    await senderOf(one).poll(true)
    expect([...one.media.keys()]).toEqual(['camera 1', 'camera 2'])
    expect([...one.repo.values()]).toEqual(['a.png of 1', 'b.png of 2'])
    expect(one.requests.filter((name) => name === 'commit')).toHaveLength(2)
  })

  it('that are wrong are said once by key and left out; the others go on', async () => {
    const one = hub((request, body) => {
      const keys = request === 'record' ? (body as { media: readonly SentMedia[] }).media.map(({ key }) => key) : []
      if (keys.includes('refused')) throw new ProblemError(422, { detail: 'No.' }, null)
    })
    symlinkSync('/etc/hostname', join(lab.files.dir, 'media/link.png'))
    const long = 'x'.repeat(65 * 1024)
    for (const step of [1, 2]) {
      line({ key: 'none', step, kind: 'image', path: 'media/none.png' })
      line({ key: 'long', step, kind: 'text', value: long })
    }
    line({ key: 'link', step: 1, kind: 'image', path: 'media/link.png' })
    line({ key: 'out', step: 1, kind: 'image', path: 'media/../../journal.json' })
    line({ key: 'odd', step: 1, kind: 'hologram', value: 'x' })
    line({ key: 'refused', step: 1, kind: 'text', value: 'x' })
    appendFileSync(lab.files.media, 'no JSON\n')
    picture('good.png', 1)
    await senderOf(one).poll(true)
    expect([...one.media.keys()]).toEqual(['camera 1'])
    expect(lab.said.map((text) => text.split(' is left out')[0])).toEqual([
      'dropped a line of media.jsonl: not JSON: no JSON',
      ...['media none', 'media long', 'media link', 'media out', 'media odd', 'media refused'],
    ])
  })

  it('stay until there is room, and on this machine if there is none at the end', async () => {
    let isFull = true
    const one = hub((request) => {
      if (isFull && request === 'blobs') throw new ProblemError(413, { type: 'quota.storage', detail: 'Full.' }, null)
    })
    picture('a.png', 1)
    let time = 0
    const media = inBackground(senderOf(one), { what: 'media', journal, logLine: lab.logLine, now: () => time })
    await expect
      .poll(() => {
        time += 60_000
        return [media.poll(false), one.requests.length > 2]
      }, patience)
      .toEqual([false, true])
    expect(lab.said).toEqual(['media delayed: HTTP 413: Full'])
    await expect.poll(() => media.poll(true), patience).toBe(true)
    expect(journal.state.unsent).toBe(true)
    expect(existsSync(join(lab.files.dir, 'media/a.png'))).toBe(true)
    isFull = false
    await senderOf(one).poll(true)
    expect(one.repo.size).toBe(1)
  })

  it('keep a file that was written again while the first one was pushed', async () => {
    const one = hub((request) => {
      if (request === 'commit' && one.requests.filter((name) => name === 'commit').length === 1) {
        rmSync(join(lab.files.dir, 'media/a.png'))
        picture('a.png', 1, 'the second')
      }
    })
    picture('a.png', 1, 'the first')
    await senderOf(one).poll(false)
    await senderOf(one).poll(true)
    expect([...one.repo.values()]).toEqual(['the second'])
    expect(lab.said).toEqual([])
  })
})
