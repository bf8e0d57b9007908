/** PostgreSQL describes each statement of the hub, and what the code declares of it has to agree. */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tables as declaredTables } from '../../prisma/generated/tables.ts'
import { type Column, column, columns } from '../../src/store/columns.ts'
import { param, type Statement, statement } from '../../src/store/statement.ts'
import { type BuiltStatement, builtStatements } from '../support/built-statements.ts'
import { cloneTemplate } from '../support/database.ts'
import { type DescribedStatement, statementDescriber } from '../support/describe-statement.ts'
import { faultsOf, nullableSides } from '../support/statement-faults.ts'
import { sourceStatements } from '../support/statements.ts'
import { type TableColumns, tableColumns, writeFaults } from '../support/write-faults.ts'
import { nullReasons } from './null-reasons.ts'

let database: Awaited<ReturnType<typeof cloneTemplate>>
let client: pg.Client
let describe: (text: string) => Promise<DescribedStatement>
let built: BuiltStatement[]
let tables: TableColumns

beforeAll(async () => {
  database = await cloneTemplate()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  describe = await statementDescriber(client)
  tables = await tableColumns(client)
  built = await builtStatements()
})

afterAll(async () => {
  await client?.end()
  await database?.drop()
})

async function faultsIn(one: BuiltStatement): Promise<string[]> {
  try {
    return [...faultsOf(one, await describe(one.text)), ...writeFaults(one, tables)]
  } catch (error) {
    return [`${one.at} ${one.name || 'a statement without a name'}: ${(error as Error).message}`]
  }
}

/** `run-insert: column id`, without file and line. */
const subjectOf = (fault: string) => /^\S+ (.+?: (?:column|parameter) \S+)/.exec(fault)?.[1] ?? fault

it('each statement takes and yields what it declares, as PostgreSQL describes it', async () => {
  const different = new Map(built.map((one) => [`${one.at} ${one.text}`, one]))
  expect(different.size).toBeGreaterThan(400)
  const faults: string[] = []
  for (const one of different.values()) faults.push(...(await faultsIn(one)))
  const known = new Set(faults.map(subjectOf))
  expect([...new Set(faults.filter((fault) => !Object.hasOwn(nullReasons, subjectOf(fault))))]).toEqual([])
  expect(Object.keys(nullReasons).filter((subject) => !known.has(subject))).toEqual([])
})

/** The pool's own: a ping, and what shows whether the disk has room. Nothing is read of them. */
const ownOfPool = 'src/store/db.ts'

it('no statement of the source escapes the check', async () => {
  const places = new Map<string, number[]>()
  for (const { at } of built) {
    const [file = '', line = ''] = at.split(':')
    places.set(file, [...(places.get(file) ?? []), Number(line)])
  }
  const escaped = (await sourceStatements()).filter(({ file, firstLine, lastLine }) => {
    if (file === ownOfPool) return false
    const lines = places.get(file) ?? []
    return !lines.some((line) => line >= firstLine - 1 && line <= lastLine)
  })
  expect(escaped.map(({ file, firstLine, name }) => `${file}:${firstLine} ${name}`)).toEqual([])
})

const asBuilt = (
  made: Pick<Statement<unknown>, 'name' | 'text'>,
  parts: Pick<BuiltStatement, 'columns' | 'params'>,
): BuiltStatement => ({
  at: 'src/runs/example.ts:7',
  name: made.name,
  text: made.text,
  ...parts,
})

/** A read of runs by one column, whose SQL may be anything. */
function example(read: Column<unknown>) {
  const selected = columns({ attempt: read })
  const made = statement({
    name: 'run-example',
    columns: selected,
    text: `select ${selected.sql} from runs u left join accounts c on c.id = u.created_by`,
  })
  const { sql, declared } = read
  return asBuilt(made, { columns: [{ name: 'attempt', sql, declared }], params: [] })
}

it('a wrong type, a null that is not declared and a renamed column fail by file, line, statement and column', async () => {
  const where = 'src/runs/example.ts:7 run-example'
  expect(await faultsIn(example(column.int4('u.attempt')))).toEqual([])
  expect(await faultsIn(example(column.int8('u.attempt')))).toEqual([`${where}: column attempt is int4, declared int8`])
  expect(await faultsIn(example(column.text('u.error')))).toEqual([
    `${where}: column attempt can be null (runs.error), and is declared as never null`,
  ])
  expect(await faultsIn(example(column.text('c.handle')))).toEqual([
    `${where}: column attempt can be null (accounts.handle, since c is joined by an outer join), and is declared as never null`,
  ])
  expect(await faultsIn(example(column.int4.orNull('u.attempt')))).toEqual([
    `${where}: column attempt is never null (runs.attempt), and is declared as null at times`,
  ])
  expect(await faultsIn(example(column.int4('u.attempts')))).toEqual([`${where}: column u.attempts does not exist`])
  expect(await faultsIn(example(column.enum('RunKind', 'u.status')))).toEqual([
    `${where}: column attempt is JobStatus, declared RunKind`,
  ])
})

it('so do a parameter of another type, one without a type, and columns that nothing declares', async () => {
  const where = 'src/runs/example.ts:7 run-example'
  const params = { id: param.int8() }
  const made = statement({ name: 'run-example', params, text: 'delete from runs where id = :id' })
  const declaring = (declared: BuiltStatement['params'][number]['declared']) =>
    faultsIn(asBuilt(made, { columns: [], params: [{ name: 'id', declared }] }))
  expect(await declaring(params.id.declared)).toEqual([`${where}: parameter :id is text, declared int8`])
  expect(await declaring(null)).toEqual([`${where}: parameter :id declares no type; it is text`])
  const none = { columns: [], params: [] }
  expect(await faultsIn(asBuilt({ name: 'run-example', text: 'select id from runs where id = $1' }, none))).toEqual([
    `${where}: it yields the columns id, and declares none`,
    `${where}: it takes 1 parameters, and declares 0`,
  ])
})

it('what a write leaves out, or gives null, fails by file, line, statement and column', async () => {
  const where = 'src/runs/example.ts:7 run-example'
  const writing = (text: string, nullable: readonly string[] = []) => {
    const params = Object.fromEntries(
      [...new Set([...text.matchAll(/:(\w+)/g)].map(([, name = '']) => name))].map((name) => [
        name,
        nullable.includes(name) ? param.text.orNull() : param.text(),
      ]),
    )
    const declared = Object.entries(params).map(([name, { declared }]) => ({ name, declared }))
    return faultsIn(asBuilt(statement({ name: 'run-example', params, text }), { columns: [], params: declared }))
  }
  const insert = 'insert into deleted_repos (repo_id) values (:id) on conflict (repo_id) do update set repo_id = :other'
  expect(await writing(insert)).toEqual([])
  expect(await writing(insert, ['id', 'other'])).toEqual([
    `${where}: parameter :id can be null, and goes into deleted_repos.repo_id, which is never null`,
    `${where}: parameter :other can be null, and goes into deleted_repos.repo_id, which is never null`,
  ])
  expect(
    await writing('insert into memberships (org_id, role) select :org, (select m.role from memberships m)'),
  ).toEqual([`${where}: column memberships.user_id is never null, and is given no value`])
  expect(
    await writing('update runs u set error = :error, template = :template where id = :id', ['error', 'template']),
  ).toEqual([`${where}: parameter :template can be null, and goes into runs.template, which is never null`])
  expect(await writing('update runs set template = null where id = :id')).toEqual([
    `${where}: column runs.template is never null, and is given null`,
  ])
})

it('the types of rows that are written are those of the database', () => {
  const columnOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  // Prisma knows no list that is null: writes are held to that, also where the database is not.
  const line = (name: string, type: string, isNullable: boolean, hasDefault: boolean) =>
    `${name} ${type}${isNullable && !type.endsWith('[]') ? ' null' : ''}${hasDefault ? ' default' : ''}`
  const declared = Object.entries(declaredTables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, { type, isNullable, hasDefault }]) =>
      line(`${table}.${columnOf(name)}`, type, isNullable, hasDefault),
    ),
  )
  const stored = [...tables].flatMap(([table, columns]) =>
    [...columns].map(([name, { sqlType, isNotNull, hasDefault }]) =>
      line(`${table}.${name}`, sqlType, !isNotNull, hasDefault),
    ),
  )
  const ofPrisma = /^_prisma_migrations\./
  expect(declared.sort()).toEqual(stored.filter((column) => !ofPrisma.test(column)).sort())
})

it('what an outer join can leave null is found by its alias', () => {
  expect([...nullableSides('a left join b c on true left join lateral (select (1)) d on true join e on true')]).toEqual(
    ['c', 'd'],
  )
  expect([...nullableSides('q left join (files f join blobs b on b.id = f.id) on true')]).toEqual(['f', 'b'])
  expect([...nullableSides('q left join files on true')]).toEqual(['files'])
})
