/** A page of a job's log: lines from a position on, for readers that do not follow. */
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import type { Page } from '../../platform/page.ts'
import { followLog } from './follow-log.ts'
import type { JobLog } from './job-log.ts'
import type { LogBatch } from './log-batch.ts'
import { type LogPosition, positionText, readPosition } from './position.ts'
import type { LogEvent } from './subscribe-log.ts'

export const MAX_LOG_LINES = 1000
export const DEFAULT_LOG_LINES = 200

/** A page ends early after this number of characters or chunks, since each chunk is a read from the store. */
const MAX_CHARACTERS = 1024 * 1024
const MAX_CHUNKS = 100

export interface ReadLogInput {
  readonly first?: number | null
  /** The cursor of a line; a stream of the same log can continue from it too. */
  readonly after?: string | null
  readonly tail?: number | null
  readonly stripAnsi?: boolean | null
}

/** A line and the reader's position after it. */
export interface LogLine extends LogEvent {
  readonly position: LogPosition
}

/** A page of log lines; null if the job is not visible to the caller. Errors: 401, 422 for a cursor of another job. */
export async function readLog(
  ctx: RequestContext,
  log: JobLog,
  jobId: string,
  input: ReadLogInput,
): Promise<Page<LogLine> | null> {
  const { after = null, tail = null } = input
  const position = after === null ? null : readPosition(after)
  if (after !== null && !position) throw invalid('validation.cursor', 'The cursor is malformed.', ['after'])
  const options = { follow: false, tail, stripAnsi: input.stripAnsi ?? false, log: true, metrics: false }
  const resume = position && { position, loc: ['after'] }
  try {
    return await pageOf(await followLog(ctx, log, jobId, { ...options, resume }), input.first ?? DEFAULT_LOG_LINES)
  } catch (error) {
    if (error instanceof HubError && error.type === 'not_found') return null
    throw error
  }
}

async function pageOf(batches: Awaited<ReturnType<typeof followLog>>, limit: number): Promise<Page<LogLine>> {
  const nodes: LogLine[] = []
  let characters = 0
  let chunks = 0
  const page = (hasNextPage: boolean) => ({
    nodes,
    hasNextPage,
    cursorOf: ({ position }: LogLine) => positionText(position),
  })
  for await (const batch of batches) {
    if (batch.kind !== 'log') continue
    if (chunks >= MAX_CHUNKS) return page(true)
    for (const line of linesOf(batch)) {
      if (nodes.length >= limit || characters >= MAX_CHARACTERS) return page(true)
      nodes.push(line)
      characters += line.line.length
    }
    if (batch.isLast) chunks += 1
  }
  return page(false)
}

function* linesOf({ at, stream, lines, from, after }: LogBatch): Generator<LogLine> {
  for (const [place, line] of lines.entries())
    yield { ts: at, stream, line, position: { ...after, line: from + place + 1 } }
}
