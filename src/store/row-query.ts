/**
 * A named statement for the driver, whose rows are made as they come. The driver's own query asks the server for the
 * columns with each execution, and builds an object from their names that is not used here: of 36 µs of the process for
 * a statement of 22 columns, 24 are left without it (medians of 9 rounds in turn). The columns of a prepared statement
 * never change on its connection, where the server refuses a plan with others, so they are asked for once.
 */
import { createRequire } from 'node:module'
import pg from 'pg'
import type { Writes } from './write-budget.ts'

type SqlValue = string | Buffer | null

/** The driver has no types for it. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as { prepareValue(value: unknown): SqlValue }

type Cells = unknown[]
type Parser = (text: string) => unknown

/** The driver's connection, as its own queries use it. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Record<string, string | undefined>
  readonly submittedNamedStatements: Record<string, string | undefined>
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly SqlValue[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: object): void
  sync(): void
}

interface Field {
  readonly dataTypeID: number
}

/** The parsers of the columns of each statement, for as long as its connection lives. */
const knownParsers = new WeakMap<Connection, Map<string, readonly Parser[]>>()

type Callback<T> = (error: Error | null, result?: { readonly rows: T[] }) => void

interface SentStatement<T> {
  readonly name: string
  readonly text: string
  readonly writes: Writes | undefined
  readonly toRow: (cells: Cells) => T
}

/** One execution. The driver calls its methods, as those of any query that is given to it. */
export class RowQuery<T> {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** For the pool, which counts the time of reads. */
  readonly writes: Writes | undefined
  /** Set by who sends it: a pool sets its own. */
  callback: Callback<T> | null = null
  readonly #types: pg.CustomTypesConfig
  readonly #toRow: (cells: Cells) => T
  readonly #rows: T[] = []
  #parsers: readonly Parser[] = []
  #fault: Error | null = null

  constructor(statement: SentStatement<T>, values: readonly unknown[], types: pg.CustomTypesConfig) {
    this.name = statement.name
    this.text = statement.text
    this.writes = statement.writes
    this.#toRow = statement.toRow
    this.values = values
    this.#types = types
  }

  /** Returns an error that keeps it from being sent, or null. */
  submit(connection: Connection): Error | null {
    const { name, text } = this
    const prepared = connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]
    if (prepared !== undefined && prepared !== text)
      return new Error(`Prepared statements must be unique - '${name}' was used for a different statement`)
    let sqlValues: SqlValue[]
    try {
      sqlValues = this.values.map((value) => prepareValue(value))
    } catch (error) {
      return error as Error
    }
    connection.stream.cork()
    try {
      this.#send(connection, sqlValues, prepared !== undefined)
    } finally {
      connection.stream.uncork()
    }
    return null
  }

  #send(connection: Connection, sqlValues: readonly SqlValue[], isPrepared: boolean): void {
    const { name, text } = this
    if (!isPrepared) {
      connection.parse({ name, text })
      connection.submittedNamedStatements[name] = text
    }
    connection.bind({ statement: name, values: sqlValues })
    const known = isPrepared ? parsersOf(connection).get(name) : undefined
    if (known) this.#parsers = known
    else connection.describe({ type: 'P', name: '' })
    connection.execute({})
    connection.sync()
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#parsers = fields.map(({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text') as Parser)
  }

  /**
   * The row is made here, in the array that the driver gives: one that waited for the last row would live through a
   * collection, and be copied.
   */
  handleDataRow({ fields }: { readonly fields: Cells }): void {
    if (this.#fault) return
    try {
      for (let place = 0; place < fields.length; place += 1) {
        const text = fields[place] as string | null
        if (text !== null) fields[place] = this.#parsers[place]?.(text)
      }
      this.#rows.push(this.#toRow(fields))
    } catch (error) {
      this.#fault = error as Error
    }
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    parsersOf(connection).set(this.name, this.#parsers)
  }

  handleReadyForQuery(): void {
    if (this.#fault) this.callback?.(this.#fault)
    else this.callback?.(null, { rows: this.#rows })
  }

  handleError(error: Error): void {
    this.callback?.(this.#fault ?? error)
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(): void {}

  handleCopyData(): void {}
}

function parsersOf(connection: Connection): Map<string, readonly Parser[]> {
  const known = knownParsers.get(connection)
  if (known) return known
  const made = new Map<string, readonly Parser[]>()
  knownParsers.set(connection, made)
  return made
}

/** Sends the query with a connection of the pool, or with this client. */
export async function rowsOf<T>(target: pg.Pool | pg.PoolClient, query: RowQuery<T>): Promise<T[]> {
  // The driver's types know such queries only as streams.
  const given = query as unknown as pg.QueryArrayConfig
  if (target instanceof pg.Pool) return (await target.query(given)).rows as T[]
  return new Promise((resolve, reject) => {
    query.callback = (error, result) => (result ? resolve(result.rows) : reject(error))
    void target.query(given)
  })
}
