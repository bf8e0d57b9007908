/** PostgreSQL plans no prepared read of the two APIs at each execution, but for those that are listed here. */
import { getNamedType, isNonNullType, isObjectType } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { schema } from '../../schema/index.ts'
import { typeParsers } from '../../src/store/type-parsers.ts'
import { casesOf } from '../support/cases.ts'
import { fillTables } from '../support/filled-tables.ts'
import { contractHub } from '../support/hub.ts'
import { type SentStatement, sentBy } from '../support/request-statements.ts'

/** What is planned each time, and why. */
const meant: Readonly<Record<string, string>> = {}

const hub = contractHub({}, { alone: true })
const ROWS = 4000
/** PostgreSQL decides after five. */
const EXECUTIONS = 20

/** A page of each list at the root that needs no other argument. */
const rootLists = () =>
  Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args, type }) => {
    const isPage = args.some((arg) => arg.name === 'first') && isObjectType(getNamedType(type))
    return isPage && !args.some((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
      ? [`{ ${name}(first: 20) { nodes { __typename } } }`]
      : []
  })

const sent = new Map<string, SentStatement[]>()
let client: pg.Client
let owner: string

beforeAll(async () => {
  const { db } = hub.running.deps
  const ada = await hub.person()
  const key = await hub.key(ada)
  owner = ada.id
  const reads: string[] = []
  for (const { operation } of routes.filter(({ method }) => method === 'GET'))
    for (const { given } of casesOf(operation).costs ?? []) reads.push(...(await given({ hub, ada, key })))
  for (const read of [...reads, ...rootLists()]) {
    const ask = () => (read.startsWith('/') ? hub.call(key, 'GET', read) : hub.graphql(key, read))
    for (const statement of (await sentBy(db, ask)).sent)
      if (statement.name !== '' && /^\s*(?:select|with)\b/i.test(statement.text))
        sent.set(statement.name, [...(sent.get(statement.name) ?? []), statement])
  }
  const { connectionString } = db.pool.options
  client = new pg.Client({ connectionString, types: typeParsers })
  await client.connect()
  // As PostgreSQL decides by itself, which it does not in the other tests.
  await client.query('set plan_cache_mode = auto')
  await fillTables(client, ROWS)
  // One account has half of what many have, as that of a team has.
  for (const table of ['runs', 'repos', 'robot_checks', 'endpoints']) {
    const columns = table === 'runs' || table === 'robot_checks' ? ', created_by = $1' : ''
    await client.query(`update ${table} set owner_id = $1${columns} where hashtext(id) % 2 = 0`, [owner])
  }
  await client.query('vacuum analyze')
})
afterAll(() => client?.end())

it('after a few executions a plan is kept, for one account and for one parent too', async () => {
  expect(sent.size).toBeGreaterThan(50)
  for (const [name, all] of sent)
    for (let at = 0; at < EXECUTIONS; at += 1) {
      const { text, values } = all[at % all.length] as SentStatement
      await client.query({ name, text, values: [...values] })
    }
  const { rows } = await client.query<{ name: string }>(
    'select name from pg_prepared_statements where generic_plans = 0 order by 1',
  )
  const advice = 'A subquery, such as `(select :limit::int)`, hides the value that makes its plan seem cheaper.'
  const names = rows.map(({ name }) => name)
  expect(
    names.filter((name) => !Object.hasOwn(meant, name)),
    advice,
  ).toEqual([])
  expect(Object.keys(meant).filter((name) => !names.includes(name))).toEqual([])
})
