/** Many followers of one log that has as many lines as its bytes allow: they share its batches, and leave everyone else a turn. */
import { expect, it } from 'vitest'
import { eventsOf } from '../../../src/http/sse.ts'
import { runLog } from '../../../src/runs/log/run-log.ts'
import { followLog } from '../../../src/work/log/follow-log.ts'
import type { FollowedBatch } from '../../../src/work/log/log-batch.ts'
import { reportedRun } from '../../runs/report/support/reported-run.ts'

const made = reportedRun()

const LINES = 256 * 1024
const FOLLOWERS = 30
/** What one turn of the event loop has room for. */
const TURN_LINES = 2000

interface Seen {
  readonly linesOfEach: readonly number[]
  readonly batches: ReadonlySet<FollowedBatch>
  readonly texts: ReadonlySet<Buffer>
  readonly mostLinesInATurn: number
}

/** Follows the run `FOLLOWERS` times over, and counts what is handed out in each turn of the event loop. */
async function followedBy(runId: string, stripAnsi: boolean): Promise<Seen> {
  const batches = new Set<FollowedBatch>()
  const texts = new Set<Buffer>()
  let inThisTurn = 0
  let mostLinesInATurn = 0
  let isOver = false
  const newTurn = () => {
    inThisTurn = 0
    if (!isOver) setImmediate(newTurn)
  }
  newTurn()
  const follow = async () => {
    const options = { follow: false, tail: null, resume: null, stripAnsi, log: true, metrics: true }
    let lines = 0
    for await (const batch of await followLog(made.world.as(made.ada), runLog, runId, options)) {
      if (batch.kind !== 'log') continue
      batches.add(batch)
      texts.add(eventsOf(batch))
      lines += batch.lines.length
      inThisTurn += batch.lines.length
      mostLinesInATurn = Math.max(mostLinesInATurn, inThisTurn)
    }
    return lines
  }
  const linesOfEach = await Promise.all(Array.from({ length: FOLLOWERS }, follow))
  isOver = true
  return { linesOfEach, batches, texts, mostLinesInATurn }
}

it.each([false, true])(
  'are handed no more lines in a turn than it has room for; without escape sequences: %s',
  async (strip) => {
    const runId = await made.running()
    await made.report(runId, { logChunk: '\n'.repeat(LINES) })
    const seen = await followedBy(runId, strip)
    expect(new Set(seen.linesOfEach)).toEqual(new Set([LINES]))
    // Two rounds of immediates may meet between two looks of this test.
    expect(seen.mostLinesInATurn).toBeLessThanOrEqual(2 * TURN_LINES)
    expect(seen.batches.size).toBe(Math.ceil(LINES / TURN_LINES))
    expect(seen.texts.size).toBe(seen.batches.size)
  },
)
