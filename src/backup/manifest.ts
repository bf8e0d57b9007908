/**
 * What a backup is made of. docs/operations.md describes the layout for people.
 *
 *     manifest.json          what is in it, and of which hub
 *     database/<table>.copy  the rows of a table, as PostgreSQL's COPY writes text
 *     queue.jsonl            background jobs that wait: name, input, key
 *     secret                 the secret of the data folder, if it was kept there
 *     objects.jsonl          the objects that the rows name: key, size, ETag, parts
 *     objects/<key>/00001    the parts of an object
 *     SHA256SUMS             of all of these but the objects, whose parts have digests in objects.jsonl; written last
 */
import { z } from 'zod'
import { isKey } from '../store/objects/disk-layout.ts'
import { objectModes } from './object-modes.ts'

export const MANIFEST = 'manifest.json'
export const SUMS = 'SHA256SUMS'
export const SECRET = 'secret'
export const QUEUE = 'queue.jsonl'
export const OBJECT_LIST = 'objects.jsonl'
/** The file of a table's rows. */
export const tableFile = (table: string) => `database/${table}.copy`
/** The file of an object's part. */
export const partFileOf = (key: string, partNumber: number) => `objects/${key}/${String(partNumber).padStart(5, '0')}`

const count = z.number().int().min(0)

const manifestRule = z.object({
  format: z.literal(1),
  hub_version: z.string(),
  created_at: z.string(),
  database: z.object({
    postgresql: z.string(),
    migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
    tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: count, bytes: count })),
    sequences: z.array(z.object({ name: z.string(), value: count })),
  }),
  queue: z.object({ jobs: count }),
  secret: z.object({ included: z.boolean(), fingerprint: z.string().nullable() }),
  objects: z.object({
    mode: z.enum(objectModes),
    store: z.enum(['disk', 's3', 'none']),
    count,
    bytes: count,
    /** Objects that rows name and the store did not have. */
    missing: z.array(z.string()),
  }),
})

export type Manifest = z.output<typeof manifestRule>
export type TableEntry = Manifest['database']['tables'][number]

const objectLine = z.object({
  key: z.string().refine(isKey, 'is not a key of the hub'),
  size_bytes: count,
  etag: z.string(),
  content_type: z.string().nullable(),
  /** Of the whole object, where the hub has verified it. */
  sha256: z.string().nullable(),
  /** Empty where the bytes are not in the backup. */
  parts: z.array(z.object({ size_bytes: count, md5: z.string() })),
})

export type ObjectLine = z.output<typeof objectLine>

const queueLine = z.object({ name: z.string(), data: z.record(z.string(), z.json()), key: z.string().nullable() })
export type QueueLine = z.output<typeof queueLine>

/** What cannot be read as a backup: it names the file. */
export class BackupError extends Error {}

const parsed =
  <T>(rule: z.ZodType<T>, file: string) =>
  (text: string): T => {
    try {
      return rule.parse(JSON.parse(text))
    } catch (cause) {
      throw new BackupError(`${file} is not one that this version of the hub can read.`, { cause })
    }
  }

export const parseManifest = parsed(manifestRule, MANIFEST)
export const parseObjectLine = parsed(objectLine, OBJECT_LIST)
export const parseQueueLine = parsed(queueLine, QUEUE)

/** Lines of `sha256sum`: two spaces between digest and name. */
export function writeSums(sums: ReadonlyMap<string, string>): string {
  return [...sums].map(([name, sha256]) => `${sha256}  ${name}\n`).join('')
}

/** The digests by file name. */
export function parseSums(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [, sha256, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? []
      if (!sha256 || !name) throw new BackupError(`${SUMS} is damaged.`)
      return [name, sha256]
    }),
  )
}
