/** A commit as it arrives: contents go to the store while the body is read, and what is left are names and digests. */
import { z } from 'zod'
import { HubError } from '../../src/platform/errors.ts'
import { badRequest } from '../engine/refusal.ts'
import { type CommitLine, MAX_CONTENT_BYTES, readLines } from './commit-lines.ts'

const header = z.object({
  summary: z.string().nullish(),
  description: z.string().nullish(),
  parentCommit: z.string().nullish(),
})
const file = z.object({ path: z.string(), content: z.string(), encoding: z.enum(['base64', 'utf-8']).default('utf-8') })
const lfsFile = z.object({ path: z.string(), algo: z.literal('sha256'), oid: z.string(), size: z.number().nullish() })
const deleted = z.object({ path: z.string() })

/** A path that gets bytes that are in the store. */
interface AddedFile {
  readonly path: string
  readonly sha256: string
  readonly size?: number | null
}

/** The changes of a commit. A deleted folder ends with `/`. */
export interface ReadCommit {
  readonly message: string
  readonly parentCommit: string | null
  readonly add: AddedFile[]
  readonly delete: string[]
}

/** Stores contents, each as base64, and says what they are, in the same order. */
export type StoreContents = (
  contents: readonly string[],
) => Promise<readonly { readonly sha256: string; readonly size: number }[]>

/** Contents that are stored at once: 64 of the largest have 4 MiB. */
const BATCH = 64

/** Segments of all paths of a commit, each of which is checked: twenty of each of the most paths. */
const MAX_SEGMENTS = 2_000_000

/** What a batch holds at once, as it came and as the graph takes it. */
const BATCH_BYTES = 8 * 1024 * 1024

/** What is kept of a change besides its path: a digest, and a place in each list. */
const CHANGE_BYTES = 512

/** So much is counted at once. */
const COUNTED_BYTES = 256 * 1024

/** Counts memory that the commit holds until it is answered; throws if it is too much. */
export type Hold = (bytes: number) => void

/** Characters of a message that the hub keeps. */
const MAX_MESSAGE = 500

/**
 * Reads a whole commit, and gives the contents in it to `store`, a batch at a time: what is kept of a file is its path
 * and its digest, which count as held by the caller, who may send slowly, or many commits at once.
 */
export async function readCommit(body: AsyncIterable<Buffer>, store: StoreContents, hold: Hold): Promise<ReadCommit> {
  hold(BATCH_BYTES)
  let uncountedBytes = 0
  let segments = 0
  let head: z.output<typeof header> | null = null
  const add: AddedFile[] = []
  const deletions: string[] = []
  let waiting: { readonly path: string; readonly content: string }[] = []
  const storeWaiting = async () => {
    const stored = await store(waiting.map(({ content }) => content))
    for (const [index, { sha256, size }] of stored.entries())
      add.push({ path: waiting[index]?.path ?? '', sha256, size })
    waiting = []
  }
  for await (const line of readLines(body)) {
    const path = pathOf(line)
    segments += path.split('/').length
    if (segments > MAX_SEGMENTS) throw tooManySegments()
    uncountedBytes += CHANGE_BYTES + 2 * path.length
    if (uncountedBytes >= COUNTED_BYTES) {
      hold(uncountedBytes)
      uncountedBytes = 0
    }
    if (line.key === 'header') head = memberOf(line, header)
    else if (line.key === 'file') waiting.push(contentOf(line))
    else if (line.key === 'lfsFile') {
      const { path, oid: sha256, size } = memberOf(line, lfsFile)
      add.push({ path, sha256, size })
    } else if (line.key === 'deletedFile') deletions.push(memberOf(line, deleted).path)
    else if (line.key === 'deletedFolder') deletions.push(`${memberOf(line, deleted).path.replace(/\/+$/, '')}/`)
    else throw badRequest(`A commit has no lines of the kind ${JSON.stringify(line.key.slice(0, 64))}.`)
    if (waiting.length >= BATCH) await storeWaiting()
  }
  if (head === null) throw badRequest('A commit begins with a line {"key": "header", "value": {"summary": …}}.')
  if (waiting.length > 0) await storeWaiting()
  return { message: messageOf(head), parentCommit: head.parentCommit ?? null, add, delete: deletions }
}

const pathOf = ({ value: { path } }: CommitLine) => (typeof path === 'string' ? path : '')

function tooManySegments(): HubError {
  const facts = { unit: 'segments', limit: MAX_SEGMENTS, used: null }
  const detail = `The paths of a commit have at most ${MAX_SEGMENTS} segments together; make several commits.`
  return new HubError('too_large', detail, { facts })
}

/** The content of a file as base64, as the store takes it. */
function contentOf(line: CommitLine): { readonly path: string; readonly content: string } {
  const { path, content, encoding } = memberOf(line, file)
  const bytes = Buffer.byteLength(content, encoding === 'base64' ? 'base64' : 'utf8')
  if (bytes > MAX_CONTENT_BYTES) {
    const facts = { unit: 'bytes', limit: MAX_CONTENT_BYTES, used: bytes }
    const name = JSON.stringify(path.slice(0, 256))
    const detail = `${name} has ${bytes} bytes: a file of more than ${MAX_CONTENT_BYTES} is sent by LFS.`
    throw new HubError('too_large', detail, { facts })
  }
  return { path, content: encoding === 'base64' ? content : Buffer.from(content).toString('base64') }
}

function memberOf<T extends z.ZodType>({ key, value }: CommitLine, schema: T): z.output<T> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  throw badRequest(`A line ${key} is not as a commit has it: ${z.prettifyError(read.error).replaceAll('\n', ' ')}`)
}

/** Summary and description, as long as the hub keeps them. */
function messageOf({ summary, description }: z.output<typeof header>): string {
  const message = [summary ?? '', description ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  return Array.from(message).slice(0, MAX_MESSAGE).join('')
}
