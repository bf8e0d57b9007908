import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measuredIn, progressIn, readMetrics } from '../src/metrics-batch.ts'
import { newState, readRunState } from '../src/run-journal.ts'
import { cutChunk } from '../src/worker/chunk-cutter.ts'
import { openJournal } from '../src/worker/journal.ts'

const bytes = (text: string) => Buffer.from(text)

describe('a chunk of output', () => {
  it.each([
    ['is null for no bytes', '', false, null],
    ['waits for the end of an unterminated line', 'abc', false, null],
    ['includes an unterminated line at the end of the file', 'abc', true, { text: 'abc', size: 3 }],
    ['contains complete lines only', 'a\nb\nc', false, { text: 'a\nb\n', size: 4 }],
    ['ends after the last line that fits', 'aaaa\nbbbb\ncccc\n', false, { text: 'aaaa\nbbbb\n', size: 10 }],
    [
      'ends after the last line that fits at the end of the file too',
      'aaaa\nbbbb\ncccc',
      true,
      { text: 'aaaa\nbbbb\n', size: 10 },
    ],
    ['splits a line that is too long', 'abcdefghijklmnop', false, { text: 'abcdefghijkl', size: 12 }],
    ['splits a long line between characters', 'abcdefghijé\n', false, { text: 'abcdefghijé', size: 12 }],
    ['does not split a character', 'abcdefghijkéé', false, { text: 'abcdefghijk', size: 11 }],
    ['does not split a character of four bytes', 'abcdefghij🤖', false, { text: 'abcdefghij', size: 10 }],
  ])('%s', (_, text, isFinal, chunk) => {
    expect(cutChunk(bytes(text), isFinal, 12)).toEqual(chunk)
  })
  it('never exceeds the limit, although invalid UTF-8 grows', () => {
    let rest: Uint8Array = Buffer.concat([Buffer.alloc(40, 0xff), bytes('\nend\n')])
    let text = ''
    while (rest.length > 0) {
      const chunk = cutChunk(rest, true, 12)
      expect(Buffer.byteLength(chunk?.text ?? '')).toBeLessThanOrEqual(12)
      text += chunk?.text
      rest = rest.subarray(chunk?.size)
    }
    expect(text).toBe(`${'\ufffd'.repeat(40)}\nend\n`)
  })
  it('preserves every text, however it arrives', () => {
    const given = bytes(Array.from({ length: 60 }, (_, n) => `${'ä🤖x'.repeat(n % 7)} ${n}`).join('\n'))
    for (let step = 1; step < 40; step += 3) {
      let from = 0
      let text = ''
      for (let to = step; from < given.length; to += step) {
        const isFinal = to >= given.length
        const chunk = cutChunk(
          given.subarray(from, Math.min(to, given.length, from + 32)),
          isFinal && from + 32 >= given.length,
          32,
        )
        if (!chunk) continue
        text += chunk.text
        from += chunk.size
      }
      expect(text).toBe(given.toString())
    }
  })
})

describe('metrics', () => {
  it('are read in complete lines', () => {
    expect(readMetrics(bytes('{"a":1}\n\n{"b":2}\n{"c"'), false)).toEqual({
      lines: [{ a: 1 }, { b: 2 }],
      size: 17,
      refused: [],
    })
    expect(readMetrics(bytes('{"a":1}\n{"b":2}'), true)).toMatchObject({ lines: [{ a: 1 }, { b: 2 }], size: 15 })
  })
  it('report lines that are not objects, and turn NaN into null', () => {
    const text = '{"loss":NaN,"s":"NaN","x":[-Infinity]}\n[1]\nhello\n{"big":1e999}\n{"ok":1}\n'
    const { lines, refused, size } = readMetrics(bytes(text), false)
    expect(lines).toEqual([{ loss: null, s: 'NaN', x: [null] }, { ok: 1 }])
    expect(refused).toEqual(['not a JSON object: [1]', 'not JSON: hello', 'a number that is too large: {"big":1e999}'])
    expect(size).toBe(text.length)
  })
  it('are split into report-sized batches', () => {
    const text = bytes('{"step":1}\n'.repeat(5000))
    const sizes = []
    for (let from = 0; from < text.length; ) {
      const batch = readMetrics(text.subarray(from), false)
      sizes.push(batch.lines.length)
      from += batch.size
    }
    expect(sizes).toEqual([2000, 2000, 1000])
  })
  it.each([
    [
      [{ iteration: 3 }, { loss: 1 }],
      { iterations: 10 },
      { iteration: 3, step_key: 'iteration', total_iterations: 10 },
    ],
    [[{ global_step: 7, total_iterations: 9 }], {}, { iteration: 7, step_key: 'global_step', total_iterations: 9 }],
    [[{ step: 1.5 }, { loss: 1 }], { iterations: 10 }, null],
  ])('the progress of %j with hyperparams %j is %j', (lines, hyperparams, progress) => {
    expect(progressIn(lines, hyperparams)).toEqual(progress)
  })
  it('yield the newest measurements', () => {
    expect(measuredIn([{ samples_per_s: 5 }, { samples_per_s: 7, peak_vram_gb: -1 }])).toEqual({
      samples_per_s: 7,
      peak_vram_gb: undefined,
    })
  })
})

describe('the journal', () => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hub-journal-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('is read back as it was written', () => {
    const file = join(dir, 'deep', 'journal.json')
    const journal = openJournal(file, newState({ runId: 'run_1', url: 'http://hub', attempt: 2 }))
    journal.put({ log: { bytes: 10, seq: 3 }, sending: { log: { from: 10, to: 20 }, metrics: null } })
    expect(readRunState(file)).toEqual(journal.state)
    expect(journal.state).toMatchObject({
      runId: 'run_1',
      attempt: 2,
      log: { bytes: 10, seq: 3 },
      metrics: { bytes: 0, seq: 0 },
    })
  })
  it('that is invalid or missing reads as null', async () => {
    await writeFile(join(dir, 'a'), '{"runId":"run_1"}')
    expect(readRunState(join(dir, 'a'))).toBeNull()
    expect(readRunState(join(dir, 'b'))).toBeNull()
  })
})
