/** Rows of the `/v1` table that their documents do not bear out: none of them compiles, and what the schema shows as well stops the start. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { documentReader } from '../../rest-compat/engine/documents.ts'
import { planRoutes } from '../../rest-compat/engine/mount.ts'
import { body, document, fields, path, query } from '../../rest-compat/engine/route.ts'
import type { Documents } from '../../rest-compat/typed-documents.ts'
import type { TypedRoute } from '../../rest-compat/typed-route.ts'
import { schema } from '../../schema/index.ts'

const get = {
  operation: 'getRun',
  method: 'GET',
  path: '/v1/runs/:run_id',
  document: 'get-run',
  params: { run: path('run_id') },
  status: 200,
  result: 'object',
} satisfies TypedRoute
const report = {
  ...get,
  method: 'POST',
  document: 'report-run',
  params: { input: body({ runId: path('run_id') }) },
  unwrap: 'run',
} satisfies TypedRoute
const list = {
  ...get,
  path: '/v1/repos',
  document: 'list-repos',
  params: {
    q: query('q'),
    kind: query('kind'),
    owner: query('owner'),
    tag: query('tag'),
    license: query('license'),
    label: query('label'),
    visibility: query('visibility'),
    sort: query('sort'),
    robot: query('robot'),
    interfaceFingerprint: query('interface_fingerprint'),
    facets: query('facets'),
    limit: query('limit'),
    cursor: query('cursor'),
  },
  result: 'page',
} satisfies TypedRoute
const card = { ...get, path: '/v1/robots/:owner/:repo/card', document: 'put-robot-card', unwrap: 'card' } as const
const repo = { owner: path('owner'), repo: path('repo') }

const planned = (row: TypedRoute) => planRoutes({ schema, routes: [row], readDocument: documentReader() })

describe('a row', () => {
  it.each<TypedRoute>([get, report, list])('of $document that its document bears out is planned', (row) => {
    expect(planned(row)).toHaveLength(1)
  })

  it.each<[string, TypedRoute, string]>([
    // @ts-expect-error There is no such document.
    ['names another document', { ...get, document: 'get-walk' }, 'get-walk'],
    // @ts-expect-error The document has the variable `run`.
    ['leaves a variable without a source', { ...get, params: {} }, '$run has no source'],
    [
      'has a source for no variable',
      // @ts-expect-error The document has no variable `id`.
      { ...get, params: { run: path('run_id'), id: path('run_id') } },
      'source id has no variable',
    ],
    [
      'fills a member that the input does not have',
      // @ts-expect-error ReportRunInput has no field `id`.
      { ...report, params: { input: body({ id: path('run_id') }) } },
      'no field id',
    ],
    [
      'fills such a member beside one that it has',
      // @ts-expect-error As above; the other field hides nothing.
      { ...report, params: { input: fields({ runId: path('run_id'), id: path('run_id') }) } },
      'no field id',
    ],
    [
      'takes a body for one text',
      // @ts-expect-error `run` is an id.
      { ...get, params: { run: body() } },
      'is not an input object',
    ],
    [
      'puts a document into a field that the input does not have',
      // @ts-expect-error PutRobotCardInput has no field `text`.
      { ...card, params: { input: document({ field: 'text' }, repo) } },
      'no field text',
    ],
  ])('that %s does not compile and stops the start', (_, row, why) => {
    expect(() => planned(row)).toThrow(why)
  })
})

/** The rows of one document. */
type Row<Name extends keyof Documents> = Extract<TypedRoute, { readonly document: Name }>

describe('the compiler', () => {
  it('knows the members of an answer that a row may name', () => {
    expectTypeOf<Row<'report-run'>['unwrap']>().toEqualTypeOf<'run' | undefined>()
    expectTypeOf<Row<'get-run-config'>['unwrap']>().extract<'config'>().toEqualTypeOf<'config'>()
    expectTypeOf<Row<'get-repo'>['result']>().toEqualTypeOf<'object' | 'empty'>()
    // A page, or one of the objects next to its items.
    expectTypeOf<Extract<Row<'list-repos'>, { readonly unwrap?: undefined }>['result']>().toEqualTypeOf<
      'page' | 'empty'
    >()
    const kept: TypedRoute[] = [
      { ...list, onlyWhenSet: ['model_meta'] },
      // @ts-expect-error No item has it.
      { ...list, onlyWhenSet: ['modelMeta'] },
      // @ts-expect-error The answer is the run, which has no `run`.
      { ...get, unwrap: 'run' },
      // @ts-expect-error A run has no member `name`.
      { ...get, headers: ({ name }) => ({ Location: name }) },
      // @ts-expect-error One run is not a page.
      { ...get, result: 'page' },
    ]
    expect(kept).toHaveLength(5)
  })

  it('knows what a variable takes', () => {
    const rows: TypedRoute[] = [
      { ...list, params: { ...list.params, facets: query('facets', { yes: true, no: null }) } },
      // @ts-expect-error `facets` is a boolean.
      { ...list, params: { ...list.params, facets: query('facets', { yes: 'all' }) } },
      { ...list, params: { ...list.params, kind: query('kind', { robots: 'robot' }) } },
      // @ts-expect-error No kind of repo is called so.
      { ...list, params: { ...list.params, kind: query('kind', { robots: 'robots' }) } },
      // @ts-expect-error The input is an object: one text of the path does not fill it.
      { ...report, params: { input: path('run_id') } },
    ]
    expect(rows).toHaveLength(5)
  })
})
