/** Reports cut a log where they like; readers get its lines. Contract, "Logs and streams". */
import { describe, expect, it } from 'vitest'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { cancelRun } from '../../../src/runs/end/cancel-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { runLog } from '../../../src/runs/log/run-log.ts'
import type { ReportRunInput } from '../../../src/runs/report/judge-report.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { downloadLog } from '../../../src/work/log/download-log.ts'
import { type FollowOptions, followLog } from '../../../src/work/log/follow-log.ts'
import { positionText, readPosition } from '../../../src/work/log/position.ts'
import { readLog } from '../../../src/work/log/read-log.ts'
import { JobLogs } from '../../../src/work/log/shared-logs.ts'
import { addNotice } from '../../../src/work/log/write-chunks.ts'
import { reportedRun } from '../../runs/report/support/reported-run.ts'

const made = reportedRun()
const { t, running } = made

const report = (runId: string, logChunk: string, more: Omit<ReportRunInput, 'runId'> = {}) =>
  made.report(runId, { logChunk, ...more })
const notice = (runId: string, sentence: string) => t.db.withTx((tx) => addNotice(tx, runLog, runId, sentence))
/** A run with these chunks in its log; a text with `!` in front is a notice of the hub. */
async function logged(...chunks: readonly string[]): Promise<string> {
  const runId = await running()
  for (const chunk of chunks) await (chunk.startsWith('!') ? notice(runId, chunk.slice(1)) : report(runId, chunk))
  return runId
}

interface Line {
  readonly id: string
  readonly stream: string
  readonly line: string
  readonly at: string
}

/** The lines of a replay, each with its id; `fresh`: by a hub that has read nothing yet. */
async function linesOf(runId: string, options: Partial<FollowOptions> & { after?: string } = {}): Promise<Line[]> {
  const { after, ...rest } = options
  const position = after === undefined ? null : readPosition(after)
  const { runner } = made
  const ctx = { ...runner, deps: { ...runner.deps, logs: new JobLogs(runner.deps) } }
  const lines: Line[] = []
  const resume = position && { position, loc: ['after'] }
  const all = { follow: false, tail: null, stripAnsi: false, log: true, metrics: true, ...rest, resume }
  for await (const batch of await followLog(ctx, runLog, runId, all)) {
    if (batch.kind !== 'log') continue
    const { stream, at, from } = batch
    for (const [place, line] of batch.lines.entries())
      lines.push({ id: positionText({ ...batch.after, line: from + place + 1 }), stream, line, at })
  }
  return lines
}
const textsOf = async (...given: Parameters<typeof linesOf>) => (await linesOf(...given)).map(({ line }) => line)
async function download(runId: string, stripAnsi = false): Promise<string> {
  let text = ''
  for await (const piece of await downloadLog(made.runner, runLog, runId, { stripAnsi })) text += piece
  return text
}
const logRow = async (runId: string) => {
  const [row] = await made.world.sql<{ lines: number; open: number | null }>(
    'select log_lines as lines, log_open_from as open from runs where id = $1',
    [runId],
  )
  return row
}

/** Whatever reads the log: what it shows, with each tail and after each line. */
async function assertReads(runId: string, lines: readonly string[]): Promise<void> {
  const all = await linesOf(runId)
  expect(all.map(({ line }) => line)).toEqual(lines)
  expect(new Set(all.map(({ id }) => id)).size).toBe(lines.length)
  for (const [place, { id }] of all.entries())
    expect(await textsOf(runId, { after: id })).toEqual(lines.slice(place + 1))
  for (let tail = 0; tail <= lines.length + 1; tail += 1)
    expect(await textsOf(runId, { tail })).toEqual(tail === 0 ? [] : lines.slice(-tail))
  const page = await readLog(made.runner, runLog, runId, {})
  expect(page?.nodes.map(({ line }) => line)).toEqual(lines)
  const paged: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const next = await readLog(made.runner, runLog, runId, { first: 1, after })
    paged.push(...(next?.nodes ?? []).map(({ line }) => line))
    after = next?.nodes[0] ? (next.cursorOf(next.nodes[0]) ?? null) : after
    more = next?.hasNextPage ?? false
  }
  expect(paged).toEqual(lines)
}

describe('a line that reports cut', () => {
  it.each<[string, string[], string[]]>([
    ['in two', ['a\nb', 'c\nd\n'], ['a', 'bc', 'd']],
    ['in many', ['o', 'n', 'e', '\n', 't', 'wo\n'], ['one', 'two']],
    ['before its line end', ['one', '\ntwo\n'], ['one', 'two']],
    ['inside its line end', ['one\r', '\ntwo\r', 'three\r\n'], ['one', 'two\rthree']],
    ['at each seam', ['a\nb', 'c\nd', 'e\nf', 'g\n'], ['a', 'bc', 'de', 'fg']],
    ['into an empty line', ['a\n', '\n', 'b', '\n\n'], ['a', '', 'b', '']],
    ['and not finished', ['a\nb', 'c'], ['a', 'bc']],
    ['and started in a chunk of its own', ['a\n', 'b'], ['a', 'b']],
    ['between rows and objects', ['a\nb', '\0c\nd', 'e\0', 'f\ng'], ['a', 'b\0c', 'de\0f', 'g']],
  ])('%s is one line for whoever reads it', async (_, chunks, lines) => {
    const runId = await logged(...chunks)
    await assertReads(runId, lines)
    expect(await download(runId)).toBe(chunks.join(''))
  })

  it('anywhere is the line that it is in one report', async () => {
    const text = 'grün\n\nstep 1: 10%\r20%\r30%\r\n\u001b[31mred\u001b[0m 中文\nend\n'
    const whole = await textsOf(await logged(text))
    for (const size of [1, 3, 7, 11]) {
      const characters = Array.from(text)
      const chunks = Array.from({ length: Math.ceil(characters.length / size) }, (_, place) =>
        characters.slice(place * size, (place + 1) * size).join(''),
      )
      const runId = await logged(...chunks)
      expect([size, await textsOf(runId)]).toEqual([size, whole])
      expect(await download(runId)).toBe(text)
    }
  })

  it('has the time of the report that ended it, like the lines that end with it', async () => {
    const runId = await logged('a\nb', 'c\nd\n')
    const times = await made.world.sql<{ at: string }>('select at from run_log_chunks where run_id = $1 order by seq', [
      runId,
    ])
    const lines = await linesOf(runId)
    expect(lines.map(({ at }) => at)).toEqual([times[0]?.at, times[1]?.at, times[1]?.at])
  })

  it('loses its escape sequences also where it is cut inside one', async () => {
    const runId = await logged('\u001b[3', '1mre', 'd\u001b', '[0m\n\u001b]0;ti', 'tle\u0007rest')
    expect(await textsOf(runId, { stripAnsi: true })).toEqual(['red', 'rest'])
    expect(await download(runId, true)).toBe('red\nrest')
    expect(await textsOf(runId)).toEqual(['\u001b[31mred\u001b[0m', '\u001b]0;title\u0007rest'])
  })

  it('longer than 1 MiB ends with a report, and goes on as another line', async () => {
    const part = 'x'.repeat(256 * 1024)
    const runId = await logged(part, part, part, part, 'y', 'z\n')
    const lines = await linesOf(runId)
    expect(lines.map(({ line }) => line.length)).toEqual([4 * part.length, 2])
    expect(await textsOf(runId, { after: lines[0]?.id ?? '' })).toEqual(['yz'])
    expect(await textsOf(runId, { tail: 1 })).toEqual(['yz'])
    expect((await download(runId)) === `${part.repeat(4)}yz\n`).toBe(true)
  })

  it('in more than a hundred reports ends with the hundredth', async () => {
    const runId = await logged(...Array.from({ length: 130 }, () => '.'), '\n')
    expect((await textsOf(runId)).map((line) => line.length)).toEqual([100, 30])
    expect(await download(runId)).toBe(`${'.'.repeat(130)}\n`)
  })

  it('is read once from the store by all readers of a hub', async () => {
    // No row keeps a NUL: each is an object.
    const runId = await logged('a\0', 'b\0', 'c\0\n')
    const { objects } = made.world.deps
    if (!objects) throw new Error('The world has a store.')
    const gets: string[] = []
    const get: typeof objects.get = (key, options) => {
      gets.push(key)
      return objects.get(key, options)
    }
    const counting = new JobLogs({ db: t.db, objects: { ...objects, get } })
    const ctx = { ...made.runner, deps: { ...made.runner.deps, logs: counting } }
    const options = { follow: false, tail: null, resume: null, stripAnsi: false, log: true, metrics: true }
    const read = async () => {
      const lines: string[] = []
      for await (const batch of await followLog(ctx, runLog, runId, options))
        if (batch.kind === 'log') lines.push(...batch.lines)
      return lines
    }
    expect(await Promise.all([read(), read(), read()])).toEqual([['a\0b\0c\0'], ['a\0b\0c\0'], ['a\0b\0c\0']])
    expect(gets).toHaveLength(3)
  })
})

describe('a notice of the hub inside a line', () => {
  it('stands before the line for everyone, and does not cut it', async () => {
    const runId = await logged('a\nb', '!One.', 'c', '!Two.', 'd\ne', '!Three.')
    await assertReads(runId, ['a', 'One.', 'Two.', 'bcd', 'Three.', 'e'])
    expect((await linesOf(runId)).map(({ stream }) => stream)).toEqual([
      'stdout',
      'stderr',
      'stderr',
      'stdout',
      'stderr',
      'stdout',
    ])
    expect(await download(runId)).toBe('a\nOne.\nTwo.\nbcd\nThree.\ne')
    await report(runId, 'f\n')
    expect(await textsOf(runId)).toEqual(['a', 'One.', 'Two.', 'bcd', 'Three.', 'ef'])
  })
})

describe('the line that a log ends in', () => {
  it('is shown as far as it goes, and again when it has ended, to who goes on from it', async () => {
    const runId = await logged('a\nb')
    const before = await linesOf(runId)
    expect(before.map(({ line }) => line)).toEqual(['a', 'b'])
    const id = before[1]?.id ?? ''
    expect(await textsOf(runId, { after: id })).toEqual([])
    await report(runId, 'c')
    expect(await textsOf(runId, { after: id })).toEqual(['bc'])
    await report(runId, 'd\n')
    expect(await textsOf(runId, { after: id })).toEqual(['bcd'])
    expect(await textsOf(runId)).toEqual(['a', 'bcd'])
  })

  it('ends with the run', async () => {
    const runId = await logged('a\nb')
    await report(runId, 'c', { status: 'succeeded' })
    await assertReads(runId, ['a', 'bc'])
    const silent = await logged('a\nb')
    await report(silent, '', { status: 'failed' })
    await assertReads(silent, ['a', 'b'])
    expect(await download(silent)).toBe('a\nb')
  })

  it('of a run that is asked to stop goes on', async () => {
    const runId = await logged('a\nb')
    await cancelRun(made.world.as(made.ada), { runId })
    await report(runId, 'c\n', { status: 'canceled' })
    expect(await textsOf(runId)).toEqual(['a', expect.stringContaining('requested the run to stop'), 'bc'])
  })

  it('ends with a lost attempt: what the next one writes begins a line', async () => {
    const runId = await logged('Epoch 3:  45%')
    await made.world.sql(`update runs set lease_expires_at = now() - interval '1 s' where id = $1`, [runId])
    await sweepLeases(made.world.deps)
    const lost = expect.stringContaining('did not report before its lease expired')
    expect(await textsOf(runId)).toEqual(['Epoch 3:  45%', lost])
    expect(await logRow(runId)).toEqual({ lines: 2, open: null })
    const next = made.world.as(made.ada, { kind: 'key', credentialId: 'key_next' })
    await claimRun(next, { runId, worker: 'next' })
    await reportRun(next, { runId, logChunk: 'Begins\nagain' })
    expect(await textsOf(runId)).toEqual(['Epoch 3:  45%', lost, 'Begins', 'again'])
    expect(await download(runId)).toMatch(/^Epoch 3: {2}45%\nrunner did not report .*\nBegins\nagain$/)
  })

  it('ends when the own call of a hosted run claims it again', async () => {
    const runId = await running({ executor: 'hosted', hostedCallId: 'call_1' })
    await report(runId, 'first\nsec')
    await claimRun(made.runner, { runId, worker: 'function', hostedCallId: 'call_1' })
    await report(runId, 'first\n')
    await assertReads(runId, ['first', 'sec', 'first'])
    expect(await download(runId)).toBe('first\nsec\nfirst\n')
  })
})

describe('a log from before', () => {
  it('has the lines that it had: each ends with its chunk', async () => {
    const runId = await logged('a\nb', 'c\n')
    await made.world.sql(
      'update run_log_chunks set line_from = null, line_count = case seq when 1 then 2 else 1 end, first_line = case seq when 1 then 0 else 2 end where run_id = $1',
      [runId],
    )
    await made.world.sql('update runs set log_lines = 3 where id = $1', [runId])
    await assertReads(runId, ['a', 'b', 'c'])
    expect(await download(runId)).toBe('a\nbc\n')
  })
})
