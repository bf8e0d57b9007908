/**
 * What a request writes to the database, counted where statements are sent: every value that a statement stores counts
 * against the budget of who sent it, so a table that is added later is bounded as well. Rows of background work and of
 * the operator's command belong to no budget.
 */
import { LRUCache } from 'lru-cache'

/** One caller's. */
export interface WriteBudget {
  /** Throws if nothing more may be added now. */
  assertRoom(): void
  /** Counts what was written. */
  take(bytes: number): void
}

/** What a statement does: it adds rows, or changes those that are there. */
export type Writes = 'rows' | 'changes'

/** The part of a statement that says what it writes. */
export interface WritingStatement {
  readonly name: string
  readonly writes?: Writes | undefined
  /** Place of the value that names its row: a row that is written again counts only what it grows. */
  readonly rowAt?: number | undefined
}

/** A row's own, with its entries in indexes. */
export const ROW_BYTES = 128
const NUMBER_BYTES = 8

/** What the text of a statement says that it writes; undefined for a read. */
export function writesOf(text: string): Writes | undefined {
  if (/\binsert\s+into\b|\bmerge\s+into\b/i.test(text)) return 'rows'
  return /\bupdate\s+(?:only\s+)?\w+(?:\s+\w+)?\s+set\b/i.test(text) ? 'changes' : undefined
}

/** What rows that are written again took the last time. One that is forgotten counts in full again. */
const lastBytes = new LRUCache<string, number>({ max: 10_000 })

/**
 * Counts a statement that writes. Throws where it would add rows and the budget has no room. What only changes rows is
 * counted and never refused: a transaction that adds none goes on to its end.
 */
export function countWrite(budget: WriteBudget, statement: WritingStatement, values: readonly unknown[]): void {
  const { name, writes, rowAt } = statement
  if (writes === 'rows') budget.assertRoom()
  const bytes = storedBytes(values) + (writes === 'rows' ? rowsOf(values) * ROW_BYTES : 0)
  if (rowAt === undefined) {
    budget.take(bytes)
    return
  }
  const row = `${name} ${String(values[rowAt])}`
  const before = lastBytes.get(row) ?? 0
  lastBytes.set(row, Math.max(bytes, before))
  if (bytes > before) budget.take(bytes - before)
}

/** Lists of values are columns of as many rows. */
const rowsOf = (values: readonly unknown[]): number =>
  values.reduce<number>((most, value) => (Array.isArray(value) ? Math.max(most, value.length) : most), 1)

/** Bytes of the values of a statement, about as the database keeps them. */
export function storedBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value === null || value === undefined) return 0
  if (Buffer.isBuffer(value)) return value.byteLength
  if (!Array.isArray(value)) return NUMBER_BYTES
  let bytes = 0
  for (const item of value) bytes += storedBytes(item)
  return bytes
}
