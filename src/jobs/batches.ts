/**
 * Work over many rows in batches, each a transaction of its own: what a process that dies has done stays done, no lock
 * is held for longer than a batch, and the vacuum follows behind.
 */
import { column, columns, type RowOf } from '../store/columns.ts'
import { type Statement, statement } from '../store/statement.ts'

/**
 * How long one step of the minute's work goes on; the next minute goes on from there. A backlog of one kind thus keeps
 * the other steps of its job waiting for no more than this.
 */
export const TURN_MS = 30_000

/** How long a step may go on. */
export interface Turn {
  readonly signal: AbortSignal
  isOver(): boolean
}

/** A turn of `ms` by a clock that only goes forward. */
export function turnOf(signal: AbortSignal, ms = TURN_MS, clock = () => performance.now()): Turn {
  const end = clock() + ms
  return { signal, isOver: () => clock() >= end }
}

/** For a queued job that ends with its work and not before. */
export const wholeWork = (signal: AbortSignal): Turn => ({ signal, isOver: () => false })

/**
 * Repeats a batch of at most `rows` until one finds fewer, and says so; false when the turn was over before. Throws
 * once the job is to end.
 */
export async function inBatches(turn: Turn, rows: number, batch: () => Promise<number>): Promise<boolean> {
  for (;;) {
    turn.signal.throwIfAborted()
    if ((await batch()) < rows) return true
    if (turn.isOver()) return false
  }
}

/** Rows that one statement deletes: some 50 ms of a small table's. */
export const DROPPED_ROWS = 5000

const droppedColumns = columns({ rows: column.int4('(select count(*)::int4 from dropped)') })

/** Deletes rows of a table that meet a condition, at most `DROPPED_ROWS` of them; says how many. */
export type DropStatement = Statement<RowOf<typeof droppedColumns>>

/**
 * Deletes the first rows by `order`, a column with an index on those that meet the condition. A row that another
 * transaction has locked is left for the next batch: another hub deletes others, and no one waits.
 */
export const dropStatement = (parts: {
  readonly table: string
  /** Which rows, for the statement's name. */
  readonly which: string
  readonly where: string
  readonly order: string
}): DropStatement => {
  const { table, which, where, order } = parts
  return statement({
    name: `${table.replaceAll('_', '-')}-drop-${which}`,
    columns: droppedColumns,
    text: `with dropped as (delete from ${table} where ctid = any(array(select ctid from ${table}
        where ${where} order by ${order} limit ${DROPPED_ROWS} for update skip locked)) returning 1)
      select ${droppedColumns.sql}`,
  })
}
