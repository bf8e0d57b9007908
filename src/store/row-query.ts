/**
 * A statement for the driver, whose rows are made as they come. The driver's own query asks the server for the
 * columns with each execution, and builds an object from their names that is not used here: of 36 µs of the process for
 * a statement of 22 columns, 24 are left without it (medians of 9 rounds in turn). The columns of a prepared statement
 * never change on its connection, where the server refuses a plan with others, so they are asked for once.
 */
import { createRequire } from 'node:module'
import pg from 'pg'
import { writeAtOnce } from './one-write.ts'
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
  /** Writes a message, if the connection is open. */
  _send(message: Buffer): boolean
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: readonly SqlValue[] }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: object): void
  sync(): void
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** What begins and ends transactions yields no columns, so they are not asked for. */
const isControl = (text: string) => text === 'begin' || text === 'commit' || text.startsWith('set local ')

/** The columns that a statement yields. */
interface Shape {
  readonly names: readonly string[]
  readonly parsers: readonly Parser[]
}

const noColumns: Shape = { names: [], parsers: [] }

/** The columns of each statement, for as long as its connection lives. */
const knownShapes = new WeakMap<Connection, Map<string, Shape>>()

type Callback<Result> = (error: Error | null, result?: Result) => void

interface SentStatement<T> {
  readonly name: string
  readonly text: string
  readonly writes?: Writes | undefined
  /** Without it, members are named like the columns. */
  readonly toRow?: ((cells: Cells) => T) | undefined
}

/** One execution. The driver calls its methods, as those of any query that is given to it. */
export class RowQuery<T> {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
  /** For the pool, which counts the time of reads. */
  readonly writes: Writes | undefined
  /** Set by who sends it: a pool sets its own. */
  callback: Callback<{ readonly rows: T[] }> | null = null
  readonly #types: pg.CustomTypesConfig
  readonly #toRow: ((cells: Cells) => T) | undefined
  readonly rows: T[] = []
  /** What the server says that it executed: `COMMIT`. */
  command = ''
  #sqlValues: readonly SqlValue[] = []
  #shape = noColumns
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
    return sendTogether(connection, [this])
  }

  /** Returns an error that keeps it from being sent, or null. */
  prepare(connection: Connection): Error | null {
    const { name, text } = this
    const prepared = preparedText(connection, name)
    if (prepared !== undefined && prepared !== text)
      return new Error(`Prepared statements must be unique - '${name}' was used for a different statement`)
    try {
      this.#sqlValues = this.values.map((value) => prepareValue(value))
      return null
    } catch (error) {
      return error as Error
    }
  }

  /** Its messages, but for the one that ends a round trip. */
  send(connection: Connection): void {
    const { name, text } = this
    const isPrepared = preparedText(connection, name) !== undefined
    if (!isPrepared) {
      connection.parse({ name, text })
      if (name !== '') connection.submittedNamedStatements[name] = text
    }
    connection.bind({ statement: name, values: this.#sqlValues })
    const known = isPrepared ? shapesOf(connection).get(name) : undefined
    if (known) this.#shape = known
    else if (!isControl(text)) connection.describe({ type: 'P', name: '' })
    connection.execute({})
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text') as Parser),
    }
  }

  /**
   * The row is made here, in the array that the driver gives: one that waited for the last row would live through a
   * collection, and be copied.
   */
  handleDataRow({ fields }: { readonly fields: Cells }): void {
    if (this.#fault) return
    try {
      const { parsers } = this.#shape
      for (let place = 0; place < fields.length; place += 1) {
        const text = fields[place] as string | null
        if (text !== null) fields[place] = parsers[place]?.(text)
      }
      this.rows.push(this.#toRow ? this.#toRow(fields) : this.#named(fields))
    } catch (error) {
      this.#fault = error as Error
    }
  }

  #named(cells: Cells): T {
    return Object.fromEntries(this.#shape.names.map((name, place) => [name, cells[place]])) as T
  }

  handleCommandComplete({ text }: { readonly text: string }, connection: Connection): void {
    this.command = text
    if (this.name !== '') shapesOf(connection).set(this.name, this.#shape)
  }

  /** Why a row could not be made of what came. */
  get fault(): Error | null {
    return this.#fault
  }

  handleReadyForQuery(): void {
    if (this.#fault) this.callback?.(this.#fault)
    else this.callback?.(null, { rows: this.rows })
  }

  handleError(error: Error): void {
    this.callback?.(this.#fault ?? error)
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(): void {}

  handleCopyData(): void {}
}

/**
 * Several statements in one round trip. They end in one synchronization, so that the server executes nothing after one
 * that fails. It takes one name at a time, that of the statement which is being answered, by which the driver notes
 * what is prepared.
 */
class BatchQuery {
  readonly #queries: readonly RowQuery<unknown>[]
  #place = 0
  callback: Callback<readonly RowQuery<unknown>[]> | null = null

  constructor(queries: readonly RowQuery<unknown>[]) {
    this.#queries = queries
  }

  get #current(): RowQuery<unknown> | undefined {
    return this.#queries[this.#place]
  }

  get name(): string {
    return this.#current?.name ?? ''
  }

  get text(): string {
    return this.#current?.text ?? ''
  }

  submit(connection: Connection): Error | null {
    return sendTogether(connection, this.#queries)
  }

  handleRowDescription(message: { readonly fields: readonly Field[] }): void {
    this.#current?.handleRowDescription(message)
  }

  handleDataRow(message: { readonly fields: Cells }): void {
    this.#current?.handleDataRow(message)
  }

  handleCommandComplete(message: { readonly text: string }, connection: Connection): void {
    this.#current?.handleCommandComplete(message, connection)
    this.#place += 1
  }

  handleReadyForQuery(): void {
    const fault = this.#queries.find((query) => query.fault)?.fault
    if (fault) this.callback?.(fault)
    else this.callback?.(null, this.#queries)
  }

  /** The statements after the failed one were never prepared. */
  handleError(error: Error, connection: Connection): void {
    for (const { name } of this.#queries.slice(this.#place)) delete connection.submittedNamedStatements[name]
    this.callback?.(Object.assign(error, { statementName: this.name }))
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(): void {}

  handleCopyData(): void {}
}

type Sendable = Pick<RowQuery<unknown>, 'name' | 'prepare' | 'send'>

/** Sends nothing if one of them cannot be sent. */
function sendTogether(connection: Connection, queries: readonly Sendable[]): Error | null {
  for (const query of queries) {
    const fault = query.prepare(connection)
    if (fault) return fault
  }
  try {
    writeAtOnce(connection, () => {
      for (const query of queries) query.send(connection)
      connection.sync()
    })
    return null
  } catch (error) {
    // Nothing was sent, also of what prepares them.
    for (const { name } of queries) delete connection.submittedNamedStatements[name]
    return error as Error
  }
}

const preparedText = (connection: Connection, name: string): string | undefined =>
  name === '' ? undefined : (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name])

function shapesOf(connection: Connection): Map<string, Shape> {
  const known = knownShapes.get(connection)
  if (known) return known
  const made = new Map<string, Shape>()
  knownShapes.set(connection, made)
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

/** Sends the statements with this client, in one round trip; each has its rows then. */
export function sendBatch(client: pg.PoolClient, queries: readonly RowQuery<unknown>[]): Promise<void> {
  const batch = new BatchQuery(queries)
  return new Promise((resolve, reject) => {
    batch.callback = (error) => (error ? reject(error) : resolve())
    void client.query(batch as unknown as pg.QueryArrayConfig)
  })
}
