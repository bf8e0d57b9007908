/** What PostgreSQL knows of a statement before it is executed. */
import type pg from 'pg'

export interface DescribedColumn {
  readonly name: string
  /** `int8`, `JobStatus`, `text[]`. */
  readonly sqlType: string
  /** The column of a table that it is, however deep in subqueries; null for an expression. */
  readonly origin: { readonly table: string; readonly column: string; readonly isNotNull: boolean } | null
}

export interface DescribedStatement {
  readonly columns: readonly DescribedColumn[]
  /** The types of `$1`, `$2`, …. */
  readonly params: readonly string[]
}

interface Field {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
}

interface Described {
  readonly fields: readonly Field[]
  readonly params: readonly number[]
}

/** The part of the driver's connection that sends and hears single messages. */
interface Wire {
  parse(query: { readonly text: string }): void
  describe(what: { readonly type: 'S'; readonly name: string }): void
  sync(): void
  once(event: 'parameterDescription', hear: (message: { readonly dataTypeIDs: readonly number[] }) => void): void
  off(event: 'parameterDescription', hear: (message: { readonly dataTypeIDs: readonly number[] }) => void): void
}

/** Parse, Describe, Sync: nothing is executed. */
function describe(client: pg.Client, text: string): Promise<Described> {
  const { promise, resolve, reject } = Promise.withResolvers<Described>()
  let fields: readonly Field[] = []
  let params: readonly number[] = []
  const hear = (message: { readonly dataTypeIDs: readonly number[] }) => {
    params = message.dataTypeIDs
  }
  const submittable = {
    submit(connection: unknown) {
      const wire = connection as Wire
      wire.once('parameterDescription', hear)
      wire.parse({ text })
      wire.describe({ type: 'S', name: '' })
      wire.sync()
    },
    handleRowDescription(message: { readonly fields: readonly Field[] }) {
      fields = message.fields
    },
    handleError(error: Error, connection: unknown) {
      ;(connection as Wire).off('parameterDescription', hear)
      reject(error)
    },
    handleReadyForQuery() {
      resolve({ fields, params })
    },
  }
  client.query(submittable as unknown as pg.Submittable)
  return promise
}

const TYPES = `select t.oid, case when e.oid is null then t.typname else e.typname || '[]' end as name
  from pg_type t left join pg_type e on e.oid = t.typelem and e.typarray = t.oid`
const COLUMNS = `select c.oid, a.attnum, c.relname as table, a.attname as column, a.attnotnull as not_null
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 where c.relnamespace = 'public'::regnamespace`

/** Asks for each statement on one connection. Rejects with PostgreSQL's error for a statement that it does not understand. */
export async function statementDescriber(client: pg.Client): Promise<(text: string) => Promise<DescribedStatement>> {
  const [types, columns] = [await client.query(TYPES), await client.query(COLUMNS)]
  const nameOf = new Map<number, string>(types.rows.map(({ oid, name }) => [oid, name]))
  const typeOf = (oid: number) => nameOf.get(oid) ?? `type ${oid}`
  const originOf = new Map(
    columns.rows.map(({ oid, attnum, table, column, not_null: isNotNull }) => [
      `${oid}/${attnum}`,
      { table: table as string, column: column as string, isNotNull: isNotNull as boolean },
    ]),
  )
  return async (text) => {
    const { fields, params } = await describe(client, text)
    return {
      params: params.map(typeOf),
      columns: fields.map(({ name, dataTypeID, tableID, columnID }) => ({
        name,
        sqlType: typeOf(dataTypeID),
        origin: originOf.get(`${tableID}/${columnID}`) ?? null,
      })),
    }
  }
}
