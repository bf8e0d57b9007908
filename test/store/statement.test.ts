import { expect, expectTypeOf, it } from 'vitest'
import { column, columns, type RowOf } from '../../src/store/columns.ts'
import { composed, orderedValues, param, statement } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'

const t = testDb()

const pair = columns({ left: column.int4('given.a'), right: column.text.orNull('given.b') })
const source = "(values (1, 'x'), (2, null)) given (a, b)"

it('a row has the members that its columns name, whatever their names in the database', async () => {
  expectTypeOf<RowOf<typeof pair>>().toEqualTypeOf<{ readonly left: number; readonly right: string | null }>()
  const all = statement({ name: '', columns: pair, text: `select ${pair.sql} from ${source} order by given.a` })
  expect(await t.db.query(all)).toStrictEqual([
    { left: 1, right: 'x' },
    { left: 2, right: null },
  ])
})

it('columns grow at their end, and an outer query reads them from the subquery that selects them', async () => {
  const outer = pair.from('inside').with({ twice: column.int4('inside."left" * 2') })
  const text = `select ${outer.sql} from (select ${pair.sql} from ${source}) inside where inside."left" = 2`
  expect(await t.db.query(statement({ name: '', columns: outer, text }))).toStrictEqual([
    { left: 2, right: null, twice: 4 },
  ])
})

it('columns of a left join are null together, and so is their type', async () => {
  const outer = columns({ n: column.int4('n') }).withOptional('inside', pair)
  expectTypeOf<RowOf<typeof outer>>().toEqualTypeOf<
    { readonly n: number } & { readonly left: number | null; readonly right: string | null }
  >()
  const joined = `(select ${pair.sql} from ${source}) inside on inside."left" = n`
  const text = `select ${outer.sql} from generate_series(2, 3) n left join ${joined} order by n`
  expect(await t.db.query(statement({ name: '', columns: outer, text }))).toStrictEqual([
    { n: 2, left: 2, right: null },
    { n: 3, left: null, right: null },
  ])
})

it('a name that is not a plain identifier stops the start', () => {
  for (const name of ['a b', 'a"', '__proto__', 'x: 1, y', ''])
    expect(() => columns({ [name]: column.text('1') })).toThrow('cannot be named')
})

it('a text that does not select its columns stops the start', () => {
  expect(() => statement({ name: 'wrong', columns: pair, text: 'select a, b from given' })).toThrow(
    'The statement wrong does not select its columns.',
  )
})

const sum = columns({ sum: column.int4(':a::int + :b::int + :a::int') })
const add = statement({
  name: 'add',
  params: { b: param.int4(), a: param.int4() },
  columns: sum,
  text: `select ${sum.sql}`,
})

it('parameters are numbered as they are declared, however often and in whatever order they are used', async () => {
  expect(add.text).toBe('select $2::int + $1::int + $2::int as "sum"')
  expect(await t.db.query(add, { a: 5, b: 1 })).toEqual([{ sum: 11 }])
  expect(await t.db.withTx((tx) => tx.query(add, { b: 2, a: 1 }))).toEqual([{ sum: 4 }])
})

it('a missing, extra or wrongly typed value does not compile, and undefined does not become null', () => {
  const refused = () => [
    // @ts-expect-error: `b` is missing
    t.db.query(add, { a: 1 }),
    // @ts-expect-error: there is no `c`
    t.db.query(add, { a: 1, b: 2, c: 3 }),
    // @ts-expect-error: `b` is a number
    t.db.query(add, { a: 1, b: '2' }),
    // @ts-expect-error: values by place
    t.db.query(add, [1, 2]),
  ]
  expect(refused).toBeTypeOf('function')
  expect(() => orderedValues(add, { a: 1, b: undefined as unknown as number })).toThrow(
    'The statement add was given no :b.',
  )
})

it('a parameter that the text does not use, or does not declare, stops the start', () => {
  const params = { a: param.int4(), b: param.int4() }
  expect(() => statement({ name: 'less', params, text: 'select :a' })).toThrow('does not use its parameter :b')
  expect(() => statement({ name: 'more', params, text: 'select :a, :b, :c' })).toThrow('has no parameter :c')
  expect(() => statement({ name: 'none', text: 'select :a' })).toThrow('has no parameter :a')
  expect(() => composed({ name: 'more', params, text: 'select :c' })).toThrow('has no parameter :c')
  expect(() => statement({ name: 'place', text: 'select $1' })).toThrow('takes a value by its place')
})

it('a composed statement takes the parameters that its pieces use', async () => {
  const one = columns({ one: column.text(':b::text') })
  const params = { a: param.text(), b: param.text() }
  const made = composed({ name: '', params, columns: one, text: `select ${one.sql}` })
  expect(await t.db.query(made, { a: 'not sent', b: 'sent' })).toEqual([{ one: 'sent' }])
})

it('casts and time formats are not parameters', () => {
  const text = "select to_char(now(), 'HH24:MI:SS'), '1'::int, :at::timestamptz"
  expect(statement({ name: 'casts', params: { at: param.timestamptz() }, text }).text).toBe(text.replace(':at', '$1'))
})
