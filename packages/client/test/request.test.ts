/** The compiler checks requests against the OpenAPI document: an unused `@ts-expect-error` is itself an error. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { openCaller } from '../src/call.ts'
import { type AnswerTo, type Parts, type Query, requestLine } from '../src/request.ts'
import { remoteRepo } from '../src/shapes.ts'

describe('a request line', () => {
  it('has encoded path parameters and only the defined query parameters', () => {
    const path = { owner: 'mia', repo: 'a/b ü' }
    expect(requestLine('GET /v1/repos/{owner}/{repo}', { path })).toEqual({
      method: 'GET',
      target: '/v1/repos/mia/a%2Fb%20%C3%BC',
    })
    const query = { tag: ['so100', 'x&y'], limit: 100, q: undefined, cursor: '' }
    expect(requestLine('GET /v1/repos', { query }).target).toBe('/v1/repos?tag=so100&tag=x%26y&limit=100&cursor=')
  })
})

describe('a call', () => {
  const { call } = openCaller({ url: 'http://hub.test', token: null })
  const path = { run_id: 'run_1' }
  const run = z.looseObject({ id: z.string() })

  it('accepts the parameters of the operation', () => {
    expectTypeOf<Parts<'POST /v1/runs/{run_id}/claim'>['path']>().toEqualTypeOf<{ readonly run_id: string }>()
    expectTypeOf<Query<'GET /v1/repos/{owner}/{repo}/tree'>>().toEqualTypeOf<{
      readonly prefix?: string
      readonly start_at?: string
      readonly at?: string
      readonly limit?: number
      readonly cursor?: string
    }>()
    expectTypeOf<AnswerTo<'DELETE /v1/runs/{run_id}'>>().toEqualTypeOf<null>()
  })

  it('does not compile with anything that the document lacks', () => {
    const calls = [
      // @ts-expect-error: no such path
      () => call('GET /v1/walks', run),
      // @ts-expect-error: no such method on this path
      () => call('PATCH /v1/runs/{run_id}', run, { path }),
      // @ts-expect-error: the path parameter is missing
      () => call('GET /v1/runs/{run_id}', run),
      // @ts-expect-error: no such path parameter
      () => call('GET /v1/runs/{run_id}', run, { path: { id: 'run_1' } }),
      // @ts-expect-error: no such additional path parameter
      () => call('GET /v1/runs/{run_id}', run, { path: { run_id: 'run_1', id: 'run_1' } }),
      // @ts-expect-error: no such query parameter
      () => call('GET /v1/repos', z.looseObject({}), { query: { page: 2 } }),
      // @ts-expect-error: a number in the document
      () => call('GET /v1/repos', z.looseObject({}), { query: { limit: 'all' } }),
      // @ts-expect-error: the worker is missing
      () => call('POST /v1/runs/{run_id}/claim', run, { path, body: {} }),
      // @ts-expect-error: the operation has no body
      () => call('POST /v1/runs/{run_id}/cancel', run, { path, body: { why: 'late' } }),
      // @ts-expect-error: a run is not a repo
      () => call('GET /v1/runs/{run_id}', remoteRepo, { path }),
      // @ts-expect-error: the response has no body
      () => call('DELETE /v1/runs/{run_id}', run, { path }),
    ]
    expect(calls).toHaveLength(11)
  })
})
