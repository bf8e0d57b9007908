/** The lines of a commit, as they arrive: a line is read whole, the body never is. */
import { HubError } from '../../src/platform/errors.ts'
import { badRequest } from '../engine/refusal.ts'

/** A `file` line has its content: larger files are sent by LFS. */
export const MAX_CONTENT_BYTES = 64 * 1024

/** Lines of one commit. */
const MAX_LINES = 100_000

/** A content of 64 KiB in base64, a path of 1,024 characters that are all escaped, and what is around them. */
const MAX_LINE_BYTES = Math.ceil(MAX_CONTENT_BYTES / 3) * 4 + 16 * 1024

/** A line as it was sent: `{"key": "file", "value": {…}}`. */
export interface CommitLine {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

const NEWLINE = 0x0a
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the lines of a body. 400 for what is not a line of a commit, 413 for too many lines or too long a one. */
export async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<CommitLine> {
  let rest: Buffer[] = []
  let restBytes = 0
  let lines = 0
  const next = (bytes: Buffer): CommitLine | null => {
    // An empty line counts too: nothing else bounds how many there are.
    lines += 1
    if (lines > MAX_LINES) throw tooManyLines()
    if (bytes.every((byte) => byte <= 0x20)) return null
    return parseLine(bytes, lines)
  }
  for await (const chunk of body) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = next(Buffer.concat([...rest, chunk.subarray(from, end)]))
      if (line) yield line
      rest = []
      restBytes = 0
      from = end + 1
    }
    if (from === chunk.length) continue
    rest.push(chunk.subarray(from))
    restBytes += chunk.length - from
    if (restBytes > MAX_LINE_BYTES) throw tooLongLine()
  }
  const last = restBytes > 0 ? next(Buffer.concat(rest)) : null
  if (last) yield last
}

function parseLine(bytes: Buffer, number: number): CommitLine {
  if (bytes.length > MAX_LINE_BYTES) throw tooLongLine()
  try {
    const line: unknown = JSON.parse(utf8.decode(bytes))
    if (isLine(line)) return line
  } catch {
    throw badRequest(`Line ${number} of the commit is not JSON.`)
  }
  throw badRequest(`Line ${number} of the commit is not {"key": …, "value": {…}}.`)
}

function isLine(line: unknown): line is CommitLine {
  if (typeof line !== 'object' || line === null || !('key' in line) || !('value' in line)) return false
  return typeof line.key === 'string' && typeof line.value === 'object' && line.value !== null
}

function tooManyLines(): HubError {
  const facts = { unit: 'lines', limit: MAX_LINES, used: null }
  return new HubError('too_large', `A commit has at most ${MAX_LINES} lines; make several commits.`, { facts })
}

function tooLongLine(): HubError {
  const facts = { unit: 'bytes', limit: MAX_LINE_BYTES, used: null }
  const detail = `A line of a commit has at most ${MAX_LINE_BYTES} bytes: a file of more than ${MAX_CONTENT_BYTES} is sent by LFS.`
  return new HubError('too_large', detail, { facts })
}
