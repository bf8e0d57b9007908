/** The audit log as a file, read page by page. Pure: the reading of a page is given. */
import type { AuditQuery } from './audit.graphql.ts'

type Log = NonNullable<AuditQuery['auditLog']>
export type Entry = Log['nodes'][number]

export const formats = {
  csv: { title: 'CSV', type: 'text/csv;charset=utf-8' },
  jsonl: { title: 'JSON Lines', type: 'application/x-ndjson' },
} as const
export type Format = keyof typeof formats

/** The most entries of a page. */
export const PAGE = 100

const columns = ['id', 'at', 'action', 'actor', 'target_id', 'credential_id', 'request_id', 'before', 'after'] as const

const recordOf = (entry: Entry): Readonly<Record<(typeof columns)[number], unknown>> => ({
  id: entry.id,
  at: entry.at,
  action: entry.action,
  actor: entry.actor?.handle ?? null,
  target_id: entry.targetId,
  credential_id: entry.credentialId,
  request_id: entry.requestId,
  before: entry.before,
  after: entry.after,
})

/** A cell that begins like a formula is text for a spreadsheet too: others chose these names. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of the file, with its end. */
export const lineOf: Readonly<Record<Format, (entry: Entry) => string>> = {
  csv: (entry) => {
    const record = recordOf(entry)
    return `${columns.map((name) => cell(record[name])).join(',')}\r\n`
  },
  jsonl: (entry) => `${JSON.stringify(recordOf(entry))}\n`,
}

/**
 * The file in pieces, one a page: the browser puts them together, and keeps a large file on its disk. A page that fails
 * fails the whole: a file that ends early looks whole. `read` counts the entries so far.
 */
export async function* auditFile(
  format: Format,
  pageAfter: (after: string | null) => Promise<Log>,
  read: (entries: number) => void = () => undefined,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`
  let entries = 0
  for (let after: string | null = null, more = true; more; ) {
    const { nodes, pageInfo }: Log = await pageAfter(after)
    entries += nodes.length
    read(entries)
    yield nodes.map(lineOf[format]).join('')
    more = pageInfo.hasNextPage
    after = pageInfo.endCursor
  }
}

/** `audit-lab-2026-11-25.csv`. */
export const fileName = (account: string, format: Format, now: Date): string =>
  `audit-${account}-${now.toISOString().slice(0, 10)}.${format}`
