/** The reporter over growing files, against a server that only accepts reports. */
import { once } from 'node:events'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient } from '@hub/client/internal'
import type { RunReport } from '@hub/client/run-shapes'
import { createDouble } from '@hub/testing/double'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runFiles } from '../src/run-files.ts'
import { newState } from '../src/run-journal.ts'
import { createReporter } from '../src/send-report.ts'
import { openJournal } from '../src/worker/journal.ts'

const CHUNK = 256 * 1024
const id = 'run_01jd0000000000000000000000'

let base: string
let server: Server
let reports: RunReport[]
let onReport: () => void

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-report-'))
  reports = []
  onReport = () => {}
  server = createDouble(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    reports.push(JSON.parse(Buffer.concat(chunks).toString()))
    onReport()
    const run = { id, status: 'running', recipe: {}, owner: { handle: 'ada' }, display_name: 'x', created_at: 'now' }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(run))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(base, { recursive: true, force: true })
})

/** A reporter over files with this content. */
function reporterOf(output: string | Buffer, metrics = '') {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = runFiles(base, id, 1)
  mkdirSync(files.dir, { recursive: true })
  writeFileSync(files.output, output)
  writeFileSync(files.metrics, metrics)
  const journal = openJournal(files.journal, newState({ runId: id, url, attempt: 1 }))
  const logged: string[] = []
  const logLine = (line: string) => void logged.push(line)
  const client = createHubClient({ url, token: null })
  return { files, logged, reporter: createReporter({ client, files, journal, hyperparams: {}, logLine }) }
}

const chunks = () => reports.flatMap(({ log_chunk: chunk }) => (chunk === undefined ? [] : [chunk]))
const lines = () => reports.flatMap(({ metrics }) => metrics ?? [])

describe('the log at its end', () => {
  const unevenLines = Array.from({ length: 20_000 }, (_, n) => `${n} ${'ä🤖'.repeat(n % 30)}`)

  it.each([
    ['lines of any length', unevenLines.join('\n')],
    ['terminated lines', `${unevenLines.join('\n')}\n`],
  ])('of %s is split between lines', async (_, text) => {
    await reporterOf(text).reporter.flush(true)
    expect(chunks().join('')).toBe(text)
    expect(chunks().length).toBeGreaterThan(2)
    for (const chunk of chunks().slice(0, -1)) expect(chunk.endsWith('\n')).toBe(true)
  })

  // Each case puts a multi-byte character, or the end of the file, at a different offset from the chunk boundary.
  it.each([-3, -2, -1, 0, 1].flatMap((shift) => ['', '\n', '\nend', 'x'].map((tail) => [shift, tail] as const)))(
    'of a line of chunk length %i followed by %j loses no character',
    async (shift, tail) => {
      const text = `${'x'.repeat(CHUNK + shift)}🤖${tail}`
      await reporterOf(text).reporter.flush(true)
      expect(chunks().join('')).toBe(text)
    },
  )

  it('of long lines of four-byte characters loses none', async () => {
    const text = Array.from({ length: 5 }, (_, n) => 'a'.repeat(n) + '🤖'.repeat(100_000)).join('\n')
    await reporterOf(text).reporter.flush(true)
    expect(chunks().join('')).toBe(text)
  })

  it('includes everything written before the command ended, even if a child process keeps writing', async () => {
    const { files, reporter } = reporterOf(`${'first\n'.repeat(60_000)}la`)
    onReport = () => appendFileSync(files.output, 'st\nmore\n')
    await reporter.flush(true)
    expect(chunks().join('')).toBe(`${'first\n'.repeat(60_000)}last\nmore\n`)
  })
})

describe('a file that grows', () => {
  it('is reported in complete lines while the command runs, and completely at the end', async () => {
    const { files, reporter } = reporterOf(Buffer.from('one\ntwo ä').subarray(0, -1), '{"step":1}\n{"st')
    await reporter.flush(false)
    expect([chunks(), lines()]).toEqual([['one\n'], [{ step: 1 }]])
    appendFileSync(files.output, Buffer.from('ä').subarray(1))
    appendFileSync(files.metrics, 'ep":2}')
    await reporter.flush(false)
    expect(reports).toHaveLength(1)
    await reporter.flush(true)
    expect([chunks(), lines()]).toEqual([
      ['one\n', 'two ä'],
      [{ step: 1 }, { step: 2 }],
    ])
  })
})

describe('metrics lines', () => {
  const wide = (step: number, length: number) => JSON.stringify({ step, note: 'ä'.repeat(length / 2) })

  it.each([true, false])('around a batch boundary stay complete (final: %s)', async (isFinal) => {
    const text = [wide(1, 900_000), wide(2, 400_000), wide(3, 10), ''].join('\n')
    const { reporter, logged } = reporterOf('', text)
    await reporter.flush(isFinal)
    expect([lines().map(({ step }) => step), logged]).toEqual([[1, 2, 3], []])
  })

  it.each([true, false])('that are too long are dropped completely and logged once (final: %s)', async (isFinal) => {
    // Its second half looks like lines of its own.
    const long = `{"step":7,"note":"${`${' '.repeat(1000)}{"step":8}`.repeat(4000)}"}`
    const { reporter, logged } = reporterOf('', [wide(1, 10), long, wide(2, 10), ''].join('\n'))
    await reporter.flush(isFinal)
    expect(lines().map(({ step }) => step)).toEqual([1, 2])
    expect(logged).toEqual([expect.stringMatching(/^dropped a line of metrics\.jsonl: longer than 1 MiB: \{"step":7/)])
  })
})
