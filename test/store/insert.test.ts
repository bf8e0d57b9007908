import { expect, expectTypeOf, it } from 'vitest'
import { assign, each, excluded, insertEach, insertInto, insertSelected, sql } from '../../src/store/insert.ts'
import { type Given, param } from '../../src/store/statement.ts'

const names = { repoId: param.text(), name: param.text(), seq: param.int4() }

it('a row is inserted with each value beside its column, and takes the parameters among its values', () => {
  const row = insertInto('repo_snapshots', {
    id: param.text(),
    ...names,
    note: sql('left(:note, :most)', { note: param.text.orNull(), most: param.int4() }),
    createdAt: sql('now()'),
  })
  expect(row.sql).toBe(
    'insert into repo_snapshots (id, repo_id, name, seq, note, created_at) values (:id, :repoId, :name, :seq, left(:note, :most), now())',
  )
  expectTypeOf<Given<typeof row.params>>().toEqualTypeOf<{
    readonly id: string
    readonly repoId: string
    readonly name: string
    readonly seq: number
    readonly note: string | null
    readonly most: number
  }>()
  expect(Object.keys(row.params)).toEqual(['id', 'repoId', 'name', 'seq', 'note', 'most'])
})

it('constants are written into the text', () => {
  const row = insertInto('repo_snapshots as s', { id: "o'clock", repoId: 'a', name: 'b', seq: 7, note: null })
  expect(row.sql).toBe(
    "insert into repo_snapshots as s (id, repo_id, name, seq, note) values ('o''clock', 'a', 'b', 7, null)",
  )
  expect(assign('uploads', { state: 'pending' }).sql).toBe("state = 'pending'")
})

it('a row for each item of lists, which have names of their own', () => {
  const rows = insertEach('run_metrics', {
    runId: param.text(),
    seq: sql(':lastSeq::bigint + given.place', { lastSeq: param.int8() }),
    attempt: param.int4(),
    step: each('steps', param.float8s<readonly (number | null)[]>()),
    line: each('lines', param.texts(), 'json'),
    at: param.timestamptz(),
  })
  expect(rows.sql).toBe(
    'insert into run_metrics (run_id, seq, attempt, step, line, at) select :runId, :lastSeq::bigint + given.place, :attempt, given.step, given.line::json, :at from unnest(:steps::float8[], :lines::text[]) with ordinality as given (step, line, place)',
  )
  expectTypeOf<Given<typeof rows.params>>().toEqualTypeOf<{
    readonly runId: string
    readonly lastSeq: number
    readonly attempt: number
    readonly steps: readonly (number | null)[]
    readonly lines: readonly string[]
    readonly at: string
  }>()
  const given = insertEach('deleted_repos', { repoId: each('ids', param.texts()) })
  expect(given.sql).toBe(
    'insert into deleted_repos (repo_id) select given.repo_id from unnest(:ids::text[]) as given (repo_id)',
  )
})

it('rows are inserted from a query, and changes are assigned', () => {
  const rows = insertSelected('deleted_repos', { repoId: sql('r.id') })
  expect(rows.sql).toBe('insert into deleted_repos (repo_id) select r.id')
  const changes = assign('runs', { error: param.text.orNull(), gpuType: excluded, updatedAt: sql('now()') })
  expect(changes.sql).toBe('error = :error, gpu_type = excluded.gpu_type, updated_at = now()')
  expectTypeOf<Given<typeof changes.params>>().toEqualTypeOf<{ readonly error: string | null }>()
})

it('a missing, unknown, nullable or wrongly typed value does not compile', () => {
  const refused = () => [
    // @ts-expect-error: `id` is missing, is never null and has no default
    insertInto('repo_snapshots', names),
    // @ts-expect-error: there is no `ids`
    insertInto('repo_snapshots', { id: 'a', ...names, ids: param.text() }),
    // @ts-expect-error: `id` is never null
    insertInto('repo_snapshots', { ...names, id: param.text.orNull() }),
    // @ts-expect-error: `id` is never null
    insertInto('repo_snapshots', { ...names, id: null }),
    // @ts-expect-error: `seq` is an int4
    insertInto('repo_snapshots', { ...names, id: 'a', seq: param.int8() }),
    // @ts-expect-error: `seq` is a number
    insertInto('repo_snapshots', { ...names, id: 'a', seq: '1' }),
    // @ts-expect-error: no state has this name
    assign('uploads', { state: 'unknown' }),
    // @ts-expect-error: `state` is of another enum
    assign('uploads', { state: param.enum('JobStatus') }),
    // @ts-expect-error: there is no such table
    insertInto('snapshots', { id: 'a' }),
    // @ts-expect-error: a list can have null in it, and `repo_id` cannot
    insertEach('deleted_repos', { repoId: each('ids', param.texts<readonly (string | null)[]>()) }),
    // @ts-expect-error: a list of another type
    insertEach('deleted_repos', { repoId: each('ids', param.int4s()) }),
    // @ts-expect-error: one row has no lists
    insertInto('deleted_repos', { repoId: each('ids', param.texts()) }),
  ]
  expect(refused).toBeTypeOf('function')
})
